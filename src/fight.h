/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions wait for the accesses of which: a line's pairs of cells, added up by function
 * over all contended lines. */
#ifndef HITMAP_FIGHT_H
#define HITMAP_FIGHT_H

#include "column.h"

struct fight {
	const char *victim, *aggressor;		    /* functions, or addresses */
	const char *victim_field, *aggressor_field; /* of the pair with most moves; or "+8" */
	double moves, other; /* other: for bytes that the victim does not use */
	double cycles;	     /* that the victim's samples waited for them */
	uint32_t lines;
};

struct fights {
	const struct view *view;
	struct fight *rows; /* by cycles, then by moves, falling */
	uint32_t count, hidden;
	double moves; /* all of them */
};

/* "view" must stay, and gives the pool of names. Keeps "top" rows at most, and of the last ones
 * none with less than REPORT_SMALLEST of all moves; 0: all. */
void fights_init(struct fights *f, const struct view *view, struct attrib *attrib, uint32_t top);
void fights_deinit(struct fights *f);

/* Rows of these have a fight. */
extern const struct column fight_columns[];

#endif
