// SPDX-License-Identifier: GPL-2.0-only
#include "matrix.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* Each element a line of its own: then an offset in the line is one field in all of them. */
static void add_offsets(struct matrix *m, const struct contended_line *l, int side)
{
	for (uint32_t i = 0; i < l->cell_count; i++)
		if (l->cells[i].offset < MATRIX_OFFSETS)
			counts_add(&m->offset[side][l->cells[i].offset], &l->cells[i].counts);
}

static void add_side(struct matrix *m, const struct scene *s, int side)
{
	const struct profile *p = s->in->side[side].view->profile;

	m->heat[side] = mem_zalloc((m->lines + 1) * sizeof(double));
	m->offset[side] = mem_zalloc(MATRIX_OFFSETS * sizeof(struct counts));
	for (uint32_t i = 0; i < p->contended_count && i < p->line_count; i++) {
		uint32_t line;

		if (!pairing_array_line(m->object, side, p->line_size, &p->lines[i], &line))
			continue;
		m->heat[side][line] += scene_heat(s, side, &p->lines[i].counts);
		add_offsets(m, &p->lines[i], side);
		if (m->heat[side][line] > m->heat[side][m->hottest[side]])
			m->hottest[side] = line;
	}
}

/* The same offset in every element that was seen. */
static bool is_uniform(const struct paired_field *f)
{
	for (uint32_t i = 0; i < f->cell_count; i++)
		if (f->cells[i].cell->offset != f->cells[0].cell->offset)
			return false;
	return f->cell_count && f->line_offset < MATRIX_OFFSETS && strstr(f->name, "[*]");
}

void matrix_fields(const struct matrix *m, struct paired_field *fields, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct paired_field *f = &fields[i];

		if (!is_uniform(f))
			continue;
		f->whole = true;
		for (int side = 0; side < SCREEN_SIDES; side++)
			if (m->offset[side])
				f->counts[side] = m->offset[side][f->line_offset];
	}
}

void matrix_init(struct matrix *m, const struct scene *s, const struct paired_object *o)
{
	*m = (struct matrix){ .object = o };
	for (int side = 0; side < SCREEN_SIDES; side++) {
		uint32_t lines;

		if (!s->in->side[side].view || !o->lines[side])
			continue;
		lines = pairing_array_lines(o, side, s->in->side[side].view->profile->line_size);
		m->lines = lines > m->lines ? lines : m->lines;
	}
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (s->in->side[side].view && o->lines[side])
			add_side(m, s, side);
}

void matrix_deinit(struct matrix *m)
{
	for (int side = 0; side < SCREEN_SIDES; side++) {
		free(m->heat[side]);
		free(m->offset[side]);
	}
	*m = (struct matrix){ 0 };
}

uint32_t matrix_each(const struct matrix *m, uint32_t width, uint32_t height)
{
	uint32_t cells = width * height;

	return cells ? (m->lines + cells - 1) / cells : m->lines;
}

static double cell_heat(const struct matrix *m, uint32_t cell, uint32_t each, int side)
{
	uint32_t from = cell * each, to = from + each < m->lines ? from + each : m->lines;
	double sum = 0;

	for (uint32_t i = from; m->heat[side] && i < to; i++)
		sum += m->heat[side][i];
	return sum;
}

double matrix_most(const struct matrix *m, uint32_t each)
{
	double most = 0;

	for (uint32_t cell = 0; (uint64_t)cell * each < m->lines; cell++)
		for (int side = 0; side < SCREEN_SIDES; side++) {
			double heat = cell_heat(m, cell, each, side);

			most = heat > most ? heat : most;
		}
	return most;
}

void matrix_row(const struct matrix *m, struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		uint32_t row, uint32_t each, int side, double most)
{
	x = canvas_rune(c, x, y, STYLE_DIM, 0x2595);
	for (uint32_t i = 0; i < width; i++) {
		uint32_t cell = row * width + i;

		if ((uint64_t)cell * each >= m->lines)
			x = canvas_rune(c, x, y, STYLE_PLAIN, ' ');
		else if (side < SCREEN_SIDES)
			x = scale_heat(c, x, y, cell_heat(m, cell, each, side), most);
		else
			x = scale_difference(c, x, y,
					     cell_heat(m, cell, each, SCREEN_AFTER) -
						     cell_heat(m, cell, each, SCREEN_BEFORE),
					     most);
	}
	canvas_rune(c, x, y, STYLE_DIM, 0x258f);
}
