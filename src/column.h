/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every figure of every report. A column is one row of a const table with one get(); the formats
 * print what it gives, so that they cannot disagree.
 */
#ifndef HITMAP_COLUMN_H
#define HITMAP_COLUMN_H

#include "figure.h"
#include "report_view.h"

struct fight;
struct bucket;
struct bucket_set;

/* What a figure is of. A recording's have no line, a line's no cell, a cell's no code. */
struct view_row {
	const struct view *view;
	const struct view_line *line;
	const struct view_cell *cell;
	const struct view_code *code;
	const struct fight *fight;	  /* of fights only */
	const struct bucket_set *buckets; /* of buckets only ... */
	const struct bucket *bucket;	  /* ... which of them */
	enum line_half half;		  /* of halves only */
};

struct column {
	const char *key;   /* in JSON; of a range: also KEY_low and KEY_high; NULL: not there */
	const char *title; /* in text; NULL: not shown there */
	enum figure_kind kind;
	struct figure (*get)(const struct view_row *row);
	bool (*shown)(const struct view *v); /* in text; NULL: always */
	bool spare; /* text that is too narrow for all columns has none of these */
	bool once;  /* the same for all code addresses of a cell: text does not repeat it */
};

/* Each table ends with a row without a get(). */
extern const struct column recording_columns[], model_columns[], line_columns[], half_columns[],
	cell_columns[], code_columns[];

#endif
