// SPDX-License-Identifier: GPL-2.0-only
#include "fight.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES 1000 /* the costliest; each is judged anew */

/* Fights of one pair of cells each, on their way to be added up. */
struct single {
	struct fight fight;
	uint32_t line;
};

struct gathering {
	const struct view *view;
	struct attrib *attrib;
	struct single *all;
	uint32_t count, room;
};

/* ---- Names */

static const char *function_of(const struct gathering *g, const struct cell *c)
{
	struct intern *pool = g->view->pool;
	struct code_place place = { 0 };

	if (attrib_code(g->attrib, c->code, c->ip, &place) && place.function)
		return intern_string(pool, place.function);
	if (place.file)
		return intern_printf(pool, "%s+0x%" PRIx64, place.file, place.function_offset);
	return intern_printf(pool, "0x%" PRIx64, c->ip);
}

static const char *field_of(const struct gathering *g, const struct sharing *s, uint32_t cell)
{
	const struct sharing_spot *spot = &s->spots[s->spot_of[cell]];
	const char *object = spot->object ? spot->object : "";

	if (!spot->name)
		return intern_printf(g->view->pool, "%s+%u", object, spot->offset);
	return intern_string(g->view->pool, spot->name);
}

/* ---- Gathering */

/* A cell's cycles belong to its pairs as its moves do. */
static double cycles_of(const struct sharing *s, const struct sharing_pair *p, const double *moves)
{
	double all = moves[p->victim];

	return all > 0 ? s->line->cells[p->victim].counts.latency_sum * p->moves / all : 0;
}

static void add_line(struct gathering *g, uint32_t number, const struct sharing *s)
{
	const char **names = mem_zalloc((s->line->cell_count + 1) * sizeof(*names));
	double *moves = mem_zalloc((s->line->cell_count + 1) * sizeof(*moves));

	for (uint32_t i = 0; i < s->line->cell_count; i++)
		names[i] = function_of(g, &s->line->cells[i]);
	for (uint32_t i = 0; i < s->pair_count; i++)
		moves[s->pairs[i].victim] += s->pairs[i].moves;
	for (uint32_t i = 0; i < s->pair_count; i++) {
		const struct sharing_pair *p = &s->pairs[i];

		mem_grow(&g->all, &g->room, g->count);
		g->all[g->count++] = (struct single){
			.fight = { .victim = names[p->victim],
				   .aggressor = names[p->aggressor],
				   .victim_field = field_of(g, s, p->victim),
				   .aggressor_field = field_of(g, s, p->aggressor),
				   .moves = p->moves,
				   .other = p->same ? 0 : p->moves,
				   .cycles = cycles_of(s, p, moves),
				   .lines = 1 },
			.line = number,
		};
	}
	free(names);
	free(moves);
}

/* Names are interned: equal ones are one pointer. */
static int single_compare(const void *a, const void *b)
{
	const struct single *x = a, *y = b;
	int order = CMP((uintptr_t)x->fight.victim, (uintptr_t)y->fight.victim);

	if (!order)
		order = CMP((uintptr_t)x->fight.aggressor, (uintptr_t)y->fight.aggressor);
	return order ? order : CMP(x->line, y->line);
}

static bool same_fight(const struct single *a, const struct single *b)
{
	return a->fight.victim == b->fight.victim && a->fight.aggressor == b->fight.aggressor;
}

/* The fields are those of the largest part. */
static void fight_add(struct fight *to, const struct single *from, bool fresh_line, double *largest)
{
	to->moves += from->fight.moves;
	to->other += from->fight.other;
	to->cycles += from->fight.cycles;
	to->lines += fresh_line;
	if (from->fight.moves <= *largest)
		return;
	*largest = from->fight.moves;
	to->victim_field = from->fight.victim_field;
	to->aggressor_field = from->fight.aggressor_field;
}

static void add_up(struct fights *f, struct gathering *g)
{
	double largest = 0;

	if (g->count)
		qsort(g->all, g->count, sizeof(*g->all), single_compare);
	f->rows = mem_zalloc((g->count + 1) * sizeof(*f->rows));
	for (uint32_t i = 0; i < g->count; i++) {
		const struct single *s = &g->all[i];
		bool more = i && same_fight(s, s - 1);

		f->moves += s->fight.moves;
		if (!more) {
			f->rows[f->count++] = s->fight;
			largest = s->fight.moves;
			continue;
		}
		fight_add(&f->rows[f->count - 1], s, s->line != s[-1].line, &largest);
	}
}

static int fight_compare(const void *a, const void *b)
{
	const struct fight *x = a, *y = b;
	int order = CMP(y->cycles, x->cycles);

	if (!order)
		order = CMP(y->moves, x->moves);
	if (!order)
		order = strcmp(x->victim, y->victim);
	return order ? order : strcmp(x->aggressor, y->aggressor);
}

static bool is_speck(const struct fights *f, const struct fight *fight)
{
	return fight->moves < REPORT_SMALLEST * f->moves;
}

void fights_init(struct fights *f, const struct view *view, struct attrib *attrib, uint32_t top)
{
	struct gathering g = { .view = view, .attrib = attrib };
	const struct profile *p = view->profile;

	*f = (struct fights){ .view = view };
	for (uint32_t i = 0; i < p->line_count && i < MOST_LINES; i++) {
		struct sharing s;

		if (!p->lines[i].contended)
			continue;
		sharing_init(&s, p, &p->lines[i], attrib, view->pool);
		add_line(&g, i, &s);
		sharing_deinit(&s);
	}
	add_up(f, &g);
	free(g.all);
	qsort(f->rows, f->count, sizeof(*f->rows), fight_compare);
	for (; top && f->count && (f->count > top || is_speck(f, &f->rows[f->count - 1]));
	     f->count--)
		f->hidden++;
}

void fights_deinit(struct fights *f)
{
	free(f->rows);
	*f = (struct fights){ 0 };
}

/* ---- Columns */

static struct figure name(const char *s)
{
	return (struct figure){ .known = s != NULL, .text = s };
}

static struct figure share(double part, double whole)
{
	return whole > 0 ? (struct figure){ .known = true, .real = part / whole }
			 : (struct figure){ .known = false };
}

#define FIGHT(what, expression)                                                                    \
	static struct figure fight_##what(const struct view_row *row)                              \
	{                                                                                          \
		const struct fight *f = row->fight;                                                \
		const struct profile *p = row->view->profile;                                      \
                                                                                                   \
		(void)p;                                                                           \
		return expression;                                                                 \
	}

FIGHT(cost, share(f->cycles, p->total.latency_sum))
FIGHT(moves, ((struct figure){ .known = true, .count = (uint64_t)(f->moves + 0.5) }))
FIGHT(victim, name(f->victim))
FIGHT(aggressor, name(f->aggressor))
FIGHT(victim_field, name(f->victim_field))
FIGHT(aggressor_field, name(f->aggressor_field))
FIGHT(other, share(f->other, f->moves))
FIGHT(cycles, ((struct figure){ .known = p->total.latency_sum, .count = (uint64_t)f->cycles }))
FIGHT(lines, ((struct figure){ .known = true, .count = f->lines }))

#define COLUMN(what, heading, kind_, function)                                                     \
	.key = (what), .title = (heading), .kind = FIGURE_##kind_, .get = (function)

const struct column fight_columns[] = {
	{ COLUMN("cost_share", "cost", SHARE, fight_cost) },
	{ COLUMN("moves", "moves", COUNT, fight_moves) },
	{ COLUMN("victim", "who waits", TEXT, fight_victim) },
	{ COLUMN("victim_field", "field", TEXT, fight_victim_field) },
	{ COLUMN("aggressor", "for whom", TEXT, fight_aggressor) },
	{ COLUMN("aggressor_field", "field", TEXT, fight_aggressor_field) },
	{ COLUMN("other_bytes", "other bytes", SHARE, fight_other) },
	{ COLUMN("lines", "lines", COUNT, fight_lines) },
	{ COLUMN("cycles", NULL, COUNT, fight_cycles) },
	{ 0 },
};
