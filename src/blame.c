// SPDX-License-Identifier: GPL-2.0-only
#include "blame.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define COLUMN 15 /* columns of the screen for each aggressor */
#define NAME   18

/* ---- Which field an offset is of */

static const struct paired_field *field_at(const struct paired_field *fields, uint32_t count,
					   uint32_t offset, int side)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < fields[i].cell_count; k++)
			if ((int)fields[i].cells[k].side == side &&
			    fields[i].cells[k].cell->offset == offset)
				return &fields[i];
	return NULL;
}

/* The field's place among "some", where it is put if there is room; BLAME_MOST: there is none. */
static uint32_t place_of(const struct paired_field *some[BLAME_MOST], uint32_t *count,
			 const struct paired_field *f)
{
	for (uint32_t i = 0; i < *count; i++)
		if (some[i] == f)
			return i;
	if (*count == BLAME_MOST)
		return BLAME_MOST;
	some[*count] = f;
	return (*count)++;
}

/* ---- Heat */

static int pair_by_hitm(const void *a, const void *b)
{
	const struct tally_pair *x = a, *y = b;
	int order = CMP(y->hitm, x->hitm);

	if (!order)
		order = CMP(x->victim, y->victim);
	return order ? order : CMP(x->aggressor, y->aggressor);
}

static void add_pairs(struct blame *b, const struct tally_line *l,
		      const struct paired_field *fields, uint32_t count)
{
	struct tally_pair *pairs = mem_zalloc((l->pair_count + 1) * sizeof(*pairs));

	if (l->pair_count)
		memcpy(pairs, l->pairs, l->pair_count * sizeof(*pairs));
	qsort(pairs, l->pair_count, sizeof(*pairs), pair_by_hitm); /* the hottest get the room */
	for (uint32_t i = 0; i < l->pair_count; i++) {
		const struct paired_field *victim = field_at(fields, count, pairs[i].victim,
							     b->side);
		const struct paired_field *aggressor = field_at(fields, count, pairs[i].aggressor,
								b->side);
		uint32_t row, column;

		if (!victim || !aggressor || !victim->matters)
			continue;
		row = place_of(b->victim, &b->victims, victim);
		column = place_of(b->aggressor, &b->aggressors, aggressor);
		if (row < BLAME_MOST && column < BLAME_MOST)
			b->heat[row][column] += pairs[i].hitm;
	}
	free(pairs);
}

/* Rows add up to the figures of their fields. */
static void scale_rows(struct blame *b, const struct scene *s)
{
	for (uint32_t row = 0; row < b->victims; row++) {
		double all = field_heat(s, b->victim[row], b->side), sum = 0;

		for (uint32_t i = 0; i < b->aggressors; i++)
			sum += b->heat[row][i];
		for (uint32_t i = 0; i < b->aggressors; i++) {
			b->heat[row][i] *= sum > 0 ? all / sum : 0;
			if (b->heat[row][i] > b->hottest)
				b->hottest = b->heat[row][i];
		}
	}
}

void blame_init(struct blame *b, const struct scene *s, const struct paired_line *line,
		const struct paired_field *fields, uint32_t count)
{
	const struct contended_line *l;
	const struct tally_line *t = NULL;

	*b = (struct blame){ .side = line->side[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE };
	l = line->side[b->side]->line;
	if (s->in->side[b->side].tally)
		t = tally_find(s->in->side[b->side].tally, l->addr, l->pid);
	if (!t)
		return;
	add_pairs(b, t, fields, count);
	scale_rows(b, s);
}

/* ---- Drawing */

uint32_t blame_rows(const struct blame *b)
{
	return b->victims * b->aggressors > 1 ? b->victims + 1 : 0;
}

void blame_draw(const struct blame *b, struct scene *s, uint32_t y)
{
	struct canvas *c = s->canvas;
	char text[FIGURE_TEXT_BYTES];
	uint32_t most = (c->columns - NAME - 2) / COLUMN;

	most = most < b->aggressors ? most : b->aggressors;
	canvas_fill(c, 0, y, c->columns, STYLE_HEAD, ' ');
	canvas_text(c, 1, y, STYLE_HEAD, "waits after write:");
	for (uint32_t i = 0; i < most; i++)
		canvas_name(c, NAME + 2 + i * COLUMN, y, COLUMN - 1, STYLE_HEAD,
			    b->aggressor[i]->name);
	for (uint32_t row = 0; row < b->victims; row++) {
		canvas_name(c, 1, y + 1 + row, NAME - 1, STYLE_PLAIN, b->victim[row]->name);
		for (uint32_t i = 0; i < most; i++) {
			double heat = b->heat[row][i];
			uint32_t x = NAME + 2 + i * COLUMN;

			scale_heat(c, x, y + 1 + row, heat, b->hottest);
			canvas_text(c, x + 2, y + 1 + row, STYLE_PLAIN,
				    scale_value(text, &s->scale, heat));
		}
	}
}

void blame_json(const struct blame *b, struct json_writer *w)
{
	json_begin_array(w, "waits_after_write");
	for (uint32_t row = 0; row < b->victims; row++)
		for (uint32_t i = 0; i < b->aggressors; i++) {
			if (!(b->heat[row][i] > 0))
				continue;
			json_begin_object(w, NULL);
			json_string(w, "victim", b->victim[row]->name);
			json_string(w, "aggressor", b->aggressor[i]->name);
			json_double(w, "heat", b->heat[row][i]);
			json_end(w);
		}
	json_end(w);
}
