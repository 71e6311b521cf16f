// SPDX-License-Identifier: GPL-2.0-only
#include "axis.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define WIDEST_CELL 2

/* ---- Which CPUs */

static uint32_t node_of(const struct scene *s, uint32_t cpu)
{
	for (int side = SCREEN_SIDES - 1; side >= 0; side--) {
		const struct view *v = s->in->side[side].view;

		if (v && cpu < v->recording->cpu_nodes)
			return v->recording->cpu_node[cpu];
	}
	return AXIS_NO_NODE;
}

static void collect_cpus(struct axis *a, const struct scene *s)
{
	struct idset seen = { 0 };

	for (int side = 0; side < SCREEN_SIDES; side++)
		if (s->in->side[side].view)
			idset_merge(&seen, &s->in->side[side].view->profile->cpus);
	a->cpus = mem_zalloc((seen.count + 1) * sizeof(*a->cpus));
	for (uint32_t i = 0; i < seen.count; i++) {
		uint32_t cpu = idset_ids(&seen)[i];

		a->cpus[a->cpu_count++] = (struct axis_cpu){ .cpu = cpu, .node = node_of(s, cpu) };
	}
	idset_deinit(&seen);
}

static int cpu_compare(const void *a, const void *b)
{
	const struct axis_cpu *x = a, *y = b;
	int order = CMP(x->node, y->node);

	return order ? order : CMP(x->cpu, y->cpu);
}

static bool starts_node(const struct axis *a, uint32_t cpu)
{
	return !cpu || a->cpus[cpu].node != a->cpus[cpu - 1].node;
}

/* ---- Columns */

static void make_columns(struct axis *a, uint32_t each)
{
	uint32_t in_column = 0;

	a->count = 0;
	for (uint32_t i = 0; i < a->cpu_count; i++) {
		struct axis_cpu *c = &a->cpus[i];

		if (starts_node(a, i) || in_column == each) {
			a->columns[a->count++] = (struct axis_column){ .first = c->cpu,
								       .node = c->node };
			in_column = 0;
		}
		c->column = a->count - 1;
		a->columns[c->column].last = c->cpu;
		a->columns[c->column].cpus = ++in_column;
	}
}

uint32_t axis_width(const struct axis *a)
{
	return a->count * a->cell + 2 + (a->nodes ? a->nodes - 1 : 0);
}

static void fit_columns(struct axis *a, uint32_t room)
{
	uint32_t each = a->by_node ? a->cpu_count + 1 : 1;

	a->cell = 1;
	make_columns(a, each);
	while (axis_width(a) > room && each < a->cpu_count && a->count > a->nodes)
		make_columns(a, ++each);
	while (a->cell < (a->by_node ? room / (a->nodes + 1) : WIDEST_CELL)) {
		a->cell++;
		if (axis_width(a) <= room)
			continue;
		a->cell--;
		break;
	}
}

void axis_init(struct axis *a, const struct scene *s, uint32_t room)
{
	*a = (struct axis){ .by_node = s->screen->nodes };
	collect_cpus(a, s);
	if (a->cpu_count)
		qsort(a->cpus, a->cpu_count, sizeof(*a->cpus), cpu_compare);
	a->columns = mem_zalloc((a->cpu_count + 1) * sizeof(*a->columns));
	for (uint32_t i = 0; i < a->cpu_count; i++)
		a->nodes += starts_node(a, i);
	fit_columns(a, room);
}

void axis_deinit(struct axis *a)
{
	free(a->cpus);
	free(a->columns);
	*a = (struct axis){ 0 };
}

/* ---- Heat */

static const struct axis_cpu *find_cpu(const struct axis *a, const struct scene *s, uint32_t cpu)
{
	struct axis_cpu key = { .cpu = cpu, .node = node_of(s, cpu) };

	if (!a->cpu_count)
		return NULL;
	return bsearch(&key, a->cpus, a->cpu_count, sizeof(*a->cpus), cpu_compare);
}

/* By how much each CPU took part is the tally's to say, how much it was in all the profile's: so
 * that columns add up to the figures beside them. False when the tally has nothing of it. */
static bool add_counted(struct axis *a, const struct scene *s, const struct tally_line *l,
			const struct view_cell *cell, int side, double *heat)
{
	double all = scene_heat(s, side, &cell->counts), sum = 0;

	for (uint32_t i = 0; i < l->cell_count; i++)
		if (l->cells[i].offset == cell->offset)
			sum += s->scale.measure->of_tally(&l->cells[i].count);
	for (uint32_t i = 0; sum > 0 && i < l->cell_count; i++) {
		const struct tally_cell *t = &l->cells[i];
		const struct axis_cpu *cpu = t->offset == cell->offset ? find_cpu(a, s, t->cpu)
								       : NULL;

		if (cpu)
			heat[cpu->column] += all * s->scale.measure->of_tally(&t->count) / sum;
	}
	return sum > 0 || !(all > 0);
}

/* Who took part is known, who did how much is not. */
static void add_spread(struct axis *a, const struct scene *s, const struct view_cell *cell,
		       int side, double *heat)
{
	double all = scene_heat(s, side, &cell->counts);

	a->guessed |= all > 0;
	for (uint32_t i = 0; i < cell->cpus.count; i++) {
		const struct axis_cpu *cpu = find_cpu(a, s, idset_ids(&cell->cpus)[i]);

		if (cpu)
			heat[cpu->column] += all / cell->cpus.count;
	}
}

/* The cells that are seen stand for all of an array. */
static void stretch(const struct axis *a, double all, double *heat)
{
	double sum = 0;

	for (uint32_t i = 0; i < a->count; i++)
		sum += heat[i];
	for (uint32_t i = 0; sum > 0 && i < a->count; i++)
		heat[i] *= all / sum;
}

void axis_add(struct axis *a, const struct scene *s, const struct paired_field *f, int side,
	      double *heat)
{
	const struct tally *t = s->in->side[side].tally;

	for (uint32_t i = 0; i < f->cell_count; i++) {
		const struct paired_cell *c = &f->cells[i];
		const struct contended_line *line = c->line->line;
		const struct tally_line *l;

		if ((int)c->side != side)
			continue;
		l = t && !t->cells_full ? tally_find(t, line->addr, line->pid) : NULL;
		if (!l || !add_counted(a, s, l, c->cell, side, heat))
			add_spread(a, s, c->cell, side, heat);
	}
	if (f->whole)
		stretch(a, scene_heat(s, side, &f->counts[side]), heat);
}

/* ---- Drawing */

static uint32_t draw_cell(struct canvas *c, uint32_t x, uint32_t y, double heat, double hottest,
			  enum axis_kind kind)
{
	return kind == AXIS_HEAT ? scale_heat(c, x, y, heat, hottest)
				 : scale_difference(c, x, y, heat, hottest);
}

static bool between_nodes(const struct axis *a, uint32_t column)
{
	return column && a->columns[column].node != a->columns[column - 1].node;
}

uint32_t axis_strip(const struct axis *a, struct canvas *c, uint32_t x, uint32_t y,
		    const double *heat, double hottest, enum axis_kind kind)
{
	x = canvas_rune(c, x, y, STYLE_DIM, 0x2595);
	for (uint32_t i = 0; i < a->count; i++) {
		if (between_nodes(a, i))
			x = canvas_rune(c, x, y, STYLE_DIM, 0x2502);
		for (uint32_t k = 0; k < a->cell; k++)
			x = draw_cell(c, x, y, heat[i], hottest, kind);
	}
	return canvas_rune(c, x, y, STYLE_DIM, 0x258f);
}

/* As much of a label as there is room for. */
static void node_label(struct canvas *c, uint32_t x, uint32_t y, uint32_t room, uint32_t node)
{
	char text[32];
	int columns = snprintf(text, sizeof(text), "node %u", node);

	if ((uint32_t)columns > room)
		columns = snprintf(text, sizeof(text), "n%u", node);
	if ((uint32_t)columns <= room)
		canvas_text(c, x, y, STYLE_DIM, text);
}

static void cpu_labels(const struct axis *a, struct canvas *c, uint32_t x, uint32_t y)
{
	char text[32];
	uint32_t width = axis_width(a);
	int columns = snprintf(text, sizeof(text), "CPU %u..%u", a->columns[0].first,
			       a->columns[a->count - 1].last);

	if ((uint32_t)columns > width)
		snprintf(text, sizeof(text), "CPUs");
	canvas_text(c, x + 1, y, STYLE_DIM, text);
}

void axis_labels(const struct axis *a, struct canvas *c, uint32_t x, uint32_t y)
{
	uint32_t from = x + 1, at = x + 1;

	if (!a->count)
		return;
	if (a->columns[0].node == AXIS_NO_NODE) {
		cpu_labels(a, c, x, y);
		return;
	}
	for (uint32_t i = 0; i <= a->count; i++) {
		if (i == a->count || between_nodes(a, i)) {
			node_label(c, from, y, at - from, a->columns[i - 1].node);
			at += i < a->count;
			from = at;
		}
		at += a->cell;
	}
}

const char *axis_words(const struct axis *a, char text[FIGURE_TEXT_BYTES])
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < a->count; i++)
		most = a->columns[i].cpus > most ? a->columns[i].cpus : most;
	if (a->by_node)
		snprintf(text, FIGURE_TEXT_BYTES, "a column is a node");
	else
		snprintf(text, FIGURE_TEXT_BYTES, "a column is %u CPU%s", most,
			 most == 1 ? "" : "s");
	return text;
}
