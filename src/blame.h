/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which field waits after a write of which: a matrix of a line's fields. From the order of samples:
 * each HITM counts for the last sampled write of another CPU to the line.
 */
#ifndef HITMAP_BLAME_H
#define HITMAP_BLAME_H

#include "fields.h"

#define BLAME_MOST 6 /* rows, and columns */

struct blame {
	const struct paired_field *victim[BLAME_MOST], *aggressor[BLAME_MOST];
	double heat[BLAME_MOST][BLAME_MOST]; /* of victim, by aggressor */
	uint32_t victims, aggressors;
	double hottest;
	int side;
};

/* Of a line's fields, on after's side if the line is there. */
void blame_init(struct blame *b, const struct scene *s, const struct paired_line *line,
		const struct paired_field *fields, uint32_t count);
/* Rows that it takes; 0: there is nothing that a list of fields does not say. */
uint32_t blame_rows(const struct blame *b);
void blame_draw(const struct blame *b, struct scene *s, uint32_t y);
void blame_json(const struct blame *b, struct json_writer *w);

#endif
