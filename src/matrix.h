/* SPDX-License-Identifier: GPL-2.0-only */
/* A big array of elements as a block of cells, row by row: a hash table's buckets. */
#ifndef HITMAP_MATRIX_H
#define HITMAP_MATRIX_H

#include "scene.h"

struct matrix {
	const struct paired_object *object;
	uint32_t lines;			     /* of the object */
	double *heat[SCREEN_SIDES];	     /* by line */
	struct counts *offset[SCREEN_SIDES]; /* by offset in a line, of all lines */
	uint32_t hottest[SCREEN_SIDES];	     /* the line */
};

#define MATRIX_OFFSETS 64

/* "o" is an array. */
void matrix_init(struct matrix *m, const struct scene *s, const struct paired_object *o);
void matrix_deinit(struct matrix *m);

/* Counts the fields of an array over all its elements, where these are a line each. */
void matrix_fields(const struct matrix *m, struct paired_field *fields, uint32_t count);

/* Of a block of "width" x "height" cells: how many lines a cell stands for, and the hottest cell of
 * both sides. */
uint32_t matrix_each(const struct matrix *m, uint32_t width, uint32_t height);
double matrix_most(const struct matrix *m, uint32_t each);
/* One row of it for a side, or for the difference (side SCREEN_SIDES). */
void matrix_row(const struct matrix *m, struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		uint32_t row, uint32_t each, int side, double most);

#endif
