/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on a line in words: why, and what follows. */
#ifndef HITMAP_VERDICT_H
#define HITMAP_VERDICT_H

#include "report_view.h"

/* Judges the line, whose cells have their names. "all": lines that were judged before, for what
 * reaches from one line into the next. */
void verdict_line(struct view *v, struct view_line *l);

/* "victim", "aggressor", "both"; NULL: neither. */
const char *verdict_role(const struct view_line *l, const struct view_cell *c);

#endif
