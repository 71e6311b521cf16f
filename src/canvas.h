/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A screen as data: one character and one style each cell. Views draw into it; a terminal, a text
 * and a page of HTML are made from it. Nothing that is drawn leaves it: what does not fit is cut.
 *
 * Views draw with Unicode; a canvas that is not "unicode" stores an ASCII character for each. Every
 * character takes one column: those that do not (wide, combining, right-to-left, control) and bytes
 * that are no UTF-8 are stored as '?'.
 */
#ifndef HITMAP_CANVAS_H
#define HITMAP_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a cell is, not how it looks: that is the palette's. */
enum canvas_style {
	STYLE_PLAIN,
	STYLE_DIM,    /* labels, frames, what matters less */
	STYLE_STRONG, /* figures to look at first */
	STYLE_TITLE,  /* the bar at the top */
	STYLE_TAB,    /* the view that is shown, in that bar */
	STYLE_HEAD,   /* headings of columns */
	STYLE_KEY,    /* a key's name */
	STYLE_WARN,
	STYLE_INPUT, /* what the user types */
	/* From little to much; see HEAT_SHADES. */
	STYLE_HEAT_LIGHT,
	STYLE_HEAT_MEDIUM,
	STYLE_HEAT_DARK,
	STYLE_HEAT_FULL,
	/* A difference: colder and hotter than before, from little to much. */
	STYLE_COLDER_LIGHT,
	STYLE_COLDER_MEDIUM,
	STYLE_COLDER_DARK,
	STYLE_COLDER_FULL,
	STYLE_HOTTER_LIGHT,
	STYLE_HOTTER_MEDIUM,
	STYLE_HOTTER_DARK,
	STYLE_HOTTER_FULL,
	CANVAS_STYLES
};

struct canvas_cell {
	uint32_t rune;
	uint8_t style; /* enum canvas_style */
	bool selected;
};

struct canvas {
	struct canvas_cell *cells; /* row by row */
	uint32_t columns, rows;
	bool unicode;
};

#define CANVAS_MOST 1000 /* columns, and rows */

/* Of at most CANVAS_MOST columns and rows; empty. */
void canvas_init(struct canvas *c, uint32_t columns, uint32_t rows, bool unicode);
void canvas_deinit(struct canvas *c);
void canvas_resize(struct canvas *c, uint32_t columns, uint32_t rows); /* and clears */
void canvas_clear(struct canvas *c);

static inline const struct canvas_cell *canvas_at(const struct canvas *c, uint32_t x, uint32_t y)
{
	return &c->cells[(size_t)y * c->columns + x];
}

/* ---- Drawing. Each returns the column behind what was drawn, or would have been. */

uint32_t canvas_rune(struct canvas *c, uint32_t x, uint32_t y, enum canvas_style style,
		     uint32_t rune);
uint32_t canvas_text(struct canvas *c, uint32_t x, uint32_t y, enum canvas_style style,
		     const char *utf8);
uint32_t canvas_printf(struct canvas *c, uint32_t x, uint32_t y, enum canvas_style style,
		       const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A name in exactly "width" columns, cut in the middle where it is too long. */
uint32_t canvas_name(struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		     enum canvas_style style, const char *utf8);
/* In "width" columns, at their right end; its beginning is cut where it is too long. */
uint32_t canvas_right(struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		      enum canvas_style style, const char *utf8);
/* "count" times the same. */
uint32_t canvas_fill(struct canvas *c, uint32_t x, uint32_t y, uint32_t count,
		     enum canvas_style style, uint32_t rune);

/* A frame with "title" (may be NULL) in its upper edge. */
void canvas_box(struct canvas *c, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
		const char *title);
/* Marks a row from "x" on as the chosen one. */
void canvas_select(struct canvas *c, uint32_t x, uint32_t y, uint32_t width);
/* Gives what is drawn there already another style: a bar, a warning. */
void canvas_restyle(struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		    enum canvas_style style);

/* ---- Reading */

/* Bytes of the UTF-8 form of "rune", which goes to "to"; a NUL follows. */
uint32_t canvas_utf8(char to[5], uint32_t rune);
/* Row by row, without the spaces at their ends. */
void canvas_write_text(const struct canvas *c, FILE *out);
/* The same, each run of a style in marks: "{heat-full}██{}"; '{' itself is "{{". For tests. */
void canvas_write_marked(const struct canvas *c, FILE *out);
/* The name that marks have: "heat-full". */
const char *canvas_style_name(enum canvas_style style);

#endif
