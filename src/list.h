/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables with a chosen row: a const table of columns, an array of rows, an order. */
#ifndef HITMAP_LIST_H
#define HITMAP_LIST_H

#include "scene.h"

/* A row of any list; the view's own structures begin with it. */
struct list_row {
	struct scene_row row;
	uint32_t place; /* among the rows as given; list_draw() sets it */
};

enum list_when { LIST_ALWAYS, LIST_ONE_SIDE, LIST_TWO_SIDES };

struct list_column {
	const char *key;      /* in JSON; NULL: not there */
	const char *title;    /* "%s" is the measure: "HITM/op" */
	uint32_t width;	      /* 0: takes what the others leave */
	uint32_t least, most; /* columns of the screen with which it is shown; most 0: any */
	enum list_when when;
	bool (*exists)(const struct scene *s); /* NULL: yes */
	bool left;
	bool rising; /* sorted from small to large */
	bool heat;   /* the number is in the unit of the scale, not a count */
	bool change; /* the number may be below 0; sorted by how far it is from it */
	/* Either may be NULL: without a number there is no sorting; without a text the number is
	 * shown. A number that is NAN is not known. */
	double (*number)(const struct scene *s, const struct list_row *row);
	const char *(*text)(const struct scene *s, const struct list_row *row,
			    char buffer[FIGURE_TEXT_BYTES]);
	/* Instead of a text: draws itself. "most": of list_most(). */
	void (*draw)(struct scene *s, const struct list_row *row, uint32_t x, uint32_t y,
		     uint32_t width);
};

struct list {
	const struct list_column *columns; /* ends with a row without a title */
	struct list_row **rows;		   /* sorted by list_draw() */
	uint32_t count;
	const char *nothing; /* what to say when a filter leaves none */
};

/* Draws heading and rows from s->top on, in "height" rows, and chooses. */
void list_draw(struct scene *s, struct list *l, uint32_t height);
/* The chosen row; NULL when there is none. */
struct list_row *list_chosen(const struct scene *s, const struct list *l);
/* An array of the rows. */
void list_json(const struct scene *s, struct list *l, const char *key, struct json_writer *w);

#endif
