/* SPDX-License-Identifier: GPL-2.0-only */
/* Every figure of a diff, as column.h has those of a report: the formats print what get() gives. */
#ifndef HITMAP_DIFF_COLUMN_H
#define HITMAP_DIFF_COLUMN_H

#include "diff.h"
#include "figure.h"

/* What a figure is of: the whole (object NULL), an object (field NULL) or a field of it. */
struct diff_at {
	const struct diff *diff;
	const struct diff_object *object;
	const struct diff_field *field;
	const struct diff_row *row;
	enum diff_side side; /* of the heat columns */
};

struct diff_column {
	const char *key;   /* in JSON and CSV */
	const char *title; /* for people; NULL: not shown to them */
	enum figure_kind kind;
	struct figure (*get)(const struct diff_at *at);
	uint32_t units; /* bit u: shown where the unit of the diff is u; 0: always */
};

/* Each ends with a row without a get(). Whole: only of the sides as such. */
extern const struct diff_column diff_whole_columns[], diff_row_columns[], diff_object_columns[],
	diff_field_columns[];

/* Change of the rates as people read it: "-49 %", "gone", "new", "" where both sides have none. */
const char *diff_change_text(char text[FIGURE_TEXT_BYTES], const struct diff_row *row);

/* What stands between an object's name and a field's: "." or nothing. */
const char *diff_joint(const struct diff_row *field);

/* "significant", "not significant", "too few samples". */
const char *diff_significance(const struct diff_row *row);

/* In a table for people. */
bool diff_is_titled(const struct diff *d, const struct diff_column *c);

/* Shown unless every row is asked for: what has a share of either side's samples. */
bool diff_worth_showing(const struct diff *d, const struct diff_row *row);

#endif
