/* SPDX-License-Identifier: GPL-2.0-only */
/* Brings the cells of one line together, once all are counted. */
#ifndef HITMAP_LINE_GROUP_H
#define HITMAP_LINE_GROUP_H

#include "cell_store.h"

struct line_group {
	const uint32_t *cells; /* in the order they came */
	uint32_t count;
	/* Of its first cell whose mapping is known, or of its first one: */
	uint64_t addr; /* of the line's first byte */
	uint32_t pid;
	const struct mapping *data;
};

#define LINE_GROUP_PARTS 2 /* of the work, done by as many threads */

/*
 * Calls "visit" for each line, of one part of them with context[0], of the other, at the same time,
 * with context[1]. A cell whose mapping became known only later ("attrib" knows it now) is of the
 * line that is there. "line_size": as in profile.h.
 */
void line_groups(const struct cell_store *s, struct attrib *attrib, uint32_t line_size,
		 void (*visit)(void *context, const struct line_group *line),
		 void *const context[LINE_GROUP_PARTS]);

#endif
