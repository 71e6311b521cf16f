// SPDX-License-Identifier: GPL-2.0-only
#include "matrix.h"
#include "mem.h"

#include <stdlib.h>

#define MOST_LINES (1u << 20)

bool matrix_fits(const struct paired_object *o)
{
	return o->size / 64 >= MATRIX_LEAST_LINES && o->size / 64 <= MOST_LINES &&
	       o->lines[0] + o->lines[1] > 1;
}

static void add_side(struct matrix *m, const struct scene *s, int side)
{
	const struct profile *p = s->in->side[side].view->profile;
	const struct paired_object *o = m->object;

	m->heat[side] = mem_zalloc((m->lines + 1) * sizeof(double));
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct contended_line *l = &p->lines[i];
		uint64_t line = (l->addr - o->start[side]) / p->line_size;
		double heat = scene_heat(s, side, &l->counts);

		if (l->pid != o->pid[side] || l->addr < o->start[side] || line >= m->lines)
			continue;
		m->heat[side][line] += heat;
		m->all[side] += heat;
		if (m->heat[side][line] > m->heat[side][m->hottest[side]])
			m->hottest[side] = line;
	}
}

void matrix_init(struct matrix *m, const struct scene *s, const struct paired_object *o)
{
	uint32_t size = s->in->side[o->lines[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE]
				.view->profile->line_size;

	*m = (struct matrix){ .object = o, .lines = (o->size + size - 1) / size };
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (s->in->side[side].view && o->lines[side])
			add_side(m, s, side);
}

void matrix_deinit(struct matrix *m)
{
	free(m->heat[0]);
	free(m->heat[1]);
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
