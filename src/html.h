/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One page of HTML that needs nothing else: no network, no fonts; light and dark, on a screen and
 * on paper. Names come from files and may hold anything: all text goes through html_text().
 */
#ifndef HITMAP_HTML_H
#define HITMAP_HTML_H

#include "figure.h"

#include <stdio.h>

void html_begin(FILE *out, const char *title);
void html_end(FILE *out);

/* Escaped; control characters and bytes that are no UTF-8 become U+FFFD. NULL: nothing. */
void html_text(FILE *out, const char *s);

/* The head of a column in a table that sorts by a click; "key" (may be NULL) is its name in JSON.
 */
void html_head(FILE *out, const char *title, const char *key, enum figure_kind kind);

/* A cell of a table: the figure as people read it, and in data-value what JSON says of "key" (NULL:
 * not in JSON): a range's and a strip's values with commas between. "hottest": of strips. */
void html_cell(FILE *out, const char *key, enum figure_kind kind, const struct figure *f,
	       uint64_t hottest);

/* A row "title: figure" of a table of two columns; without a title the key is one. */
void html_pair(FILE *out, const char *title, const char *key, enum figure_kind kind,
	       const struct figure *f);

#endif
