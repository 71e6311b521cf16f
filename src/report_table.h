/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of the text report: columns as wide as what is in them, names cut where all do not fit. */
#ifndef HITMAP_REPORT_TABLE_H
#define HITMAP_REPORT_TABLE_H

#include "column.h"
#include "heatmap.h"

#include <stdio.h>

#define REPORT_TABLE_COLUMNS 16 /* at most */

struct text_report {
	FILE *out;
	const struct view *view;
	struct heat_style style;
	uint32_t width;	 /* columns */
	uint32_t indent; /* of sentences */
};

struct report_table {
	const struct column *column[REPORT_TABLE_COLUMNS];
	uint32_t width[REPORT_TABLE_COLUMNS];
	uint32_t count, indent;
};

/* The columns that have a title and something to show in this view. */
void report_table_init(struct report_table *t, const struct text_report *r,
		       const struct column *columns, uint32_t indent);
/* Each row is measured, then the table is made to fit, then heading and rows are written. */
void report_table_measure(struct report_table *t, const struct view_row *row);
void report_table_fit(struct report_table *t, uint32_t width);
void report_table_heading(const struct report_table *t, const struct text_report *r);
void report_table_row(const struct report_table *t, const struct text_report *r,
		      const struct view_row *row);

#endif
