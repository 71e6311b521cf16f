/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of CSV as RFC 4180 has it, with a plain newline at the end of each. */
#ifndef HITMAP_CSV_H
#define HITMAP_CSV_H

#include "figure.h"

#include <stdio.h>

struct csv {
	FILE *out;
	bool begun; /* the row has a value */
};

void csv_text(struct csv *c, const char *s); /* NULL: empty */
/* The names of a figure's values, and the values: as JSON has them; not known is empty. */
void csv_names(struct csv *c, const char *key, enum figure_kind kind);
void csv_figure(struct csv *c, enum figure_kind kind, const struct figure *f);
void csv_end(struct csv *c);

#endif
