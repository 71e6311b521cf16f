/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of figures with names for columns: made once, written as CSV, HTML or Markdown. */
#ifndef HITMAP_SHEET_H
#define HITMAP_SHEET_H

#include "figure.h"
#include "intern.h"

#include <stdio.h>

struct sheet_column {
	const char *key;   /* in CSV, as JSON calls it; "": for people alone */
	const char *title; /* for people; NULL: not shown to them */
	enum figure_kind kind;
};

struct sheet {
	const char *name; /* of the HTML table */
	const char *title;
	const struct sheet_column *column; /* the last one's key is NULL */
	uint32_t columns;
	struct figure *cell; /* row by row */
	uint32_t rows, room;
	struct intern *pool; /* of the texts that are put in */
};

void sheet_init(struct sheet *s, const char *name, const char *title,
		const struct sheet_column *column);
void sheet_deinit(struct sheet *s);

/* A new row, of figures that are not known. They are to be set before the next one. */
struct figure *sheet_row(struct sheet *s);

struct figure sheet_text(struct sheet *s, const char *text); /* NULL: not known */
struct figure sheet_count(uint64_t n);
struct figure sheet_real(double value); /* NAN: not known */
struct figure sheet_flag(bool flag);

/* One sheet. */
void sheet_csv(FILE *out, const struct sheet *s);
/* A page or a summary of several; "said" are sentences before them, the last one NULL. */
void sheets_html(FILE *out, const char *title, const char *const *said, const struct sheet *s,
		 size_t count);
void sheets_markdown(FILE *out, const char *title, const char *const *said, const struct sheet *s,
		     size_t count);

#endif
