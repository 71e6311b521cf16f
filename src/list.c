// SPDX-License-Identifier: GPL-2.0-only
#include "list.h"
#include "label.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 16

/* ---- Columns */

struct layout {
	const struct list_column *column[MOST_COLUMNS];
	uint32_t width[MOST_COLUMNS];
	uint32_t count;
};

static bool is_shown(const struct scene *s, const struct list_column *c)
{
	if (c->when != LIST_ALWAYS && (c->when == LIST_TWO_SIDES) != s->both)
		return false;
	if (c->exists && !c->exists(s))
		return false;
	return s->canvas->columns >= c->least && (!c->most || s->canvas->columns <= c->most);
}

static const char *column_title(const struct scene *s, const struct list_column *c,
				char text[FIGURE_TEXT_BYTES])
{
	return strcmp(c->title, "%s") ? c->title : scale_title(text, &s->scale);
}

/* Columns without a width share what is left. */
static void lay_out(const struct scene *s, const struct list *l, struct layout *to)
{
	uint32_t used = 0, flexible = 0, left;

	*to = (struct layout){ 0 };
	for (const struct list_column *c = l->columns; c->title; c++) {
		if (!is_shown(s, c) || to->count == MOST_COLUMNS)
			continue;
		to->column[to->count] = c;
		to->width[to->count++] = c->width;
		used += c->width + 1;
		flexible += !c->width;
	}
	left = s->canvas->columns > used ? s->canvas->columns - used : 0;
	for (uint32_t i = 0; i < to->count; i++) {
		if (to->width[i])
			continue;
		to->width[i] = left / flexible;
		left -= to->width[i];
		flexible--;
	}
}

/* ---- Order */

/* The column that rows are sorted by: of those that have numbers, the "order"-th; NULL: as given.
 */
static const struct list_column *sort_column(const struct scene *s, const struct list *l,
					     uint32_t order)
{
	const struct list_column *sortable[MOST_COLUMNS] = { NULL };
	uint32_t count = 1; /* 0: as given */

	for (const struct list_column *c = l->columns; c->title && count < MOST_COLUMNS; c++)
		if (c->number && is_shown(s, c))
			sortable[count++] = c;
	return sortable[order % count];
}

struct sort {
	const struct scene *scene;
	const struct list_column *column;
};

static double sort_value(const struct sort *sort, const struct list_row *row)
{
	double v = sort->column->number(sort->scene, row);

	return sort->column->change ? fabs(v) : v;
}

static int row_compare(const void *a, const void *b, void *context)
{
	struct list_row *const *x = a, *const *y = b;
	const struct sort *sort = context;
	double left = sort_value(sort, *x), right = sort_value(sort, *y);
	int order;

	if (isnan(left) || isnan(right))
		order = CMP(isnan(left), isnan(right));
	else
		order = sort->column->rising ? CMP(left, right) : CMP(right, left);
	return order ? order : CMP((*x)->place, (*y)->place);
}

static const struct list_column *sort_rows(const struct scene *s, struct list *l)
{
	const struct scene_choice *choice = &s->screen->choice[s->screen->view];
	struct sort sort = { s, sort_column(s, l, choice->order) };

	for (uint32_t i = 0; i < l->count; i++)
		l->rows[i]->place = i;
	if (sort.column && l->count)
		qsort_r(l->rows, l->count, sizeof(*l->rows), row_compare, &sort);
	return sort.column;
}

/* ---- Drawing */

static void draw_heading(struct scene *s, const struct layout *layout,
			 const struct list_column *sorted)
{
	uint32_t x = 0;

	canvas_fill(s->canvas, 0, s->top, s->canvas->columns, STYLE_HEAD, ' ');
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct list_column *c = layout->column[i];
		char text[FIGURE_TEXT_BYTES], title[FIGURE_TEXT_BYTES + 4];

		snprintf(title, sizeof(title), "%s%s", column_title(s, c, text),
			 c == sorted ? "↓" : "");
		if (c->left || c->draw)
			canvas_name(s->canvas, x, s->top, layout->width[i], STYLE_HEAD, title);
		else
			canvas_right(s->canvas, x, s->top, layout->width[i], STYLE_HEAD, title);
		x += layout->width[i] + 1;
	}
}

static const char *field_text(const struct scene *s, const struct list_column *c,
			      const struct list_row *row, char text[FIGURE_TEXT_BYTES])
{
	double v;

	if (c->text)
		return c->text(s, row, text);
	v = c->number(s, row);
	return isnan(v) ? "n/a" : c->heat ? scale_value(text, &s->scale, v) : scale_count(text, v);
}

static void draw_row(struct scene *s, const struct layout *layout, const struct list_row *row,
		     uint32_t y)
{
	uint32_t x = 0;

	for (uint32_t i = 0; i < layout->count; i++) {
		const struct list_column *c = layout->column[i];
		char text[FIGURE_TEXT_BYTES];

		if (c->draw)
			c->draw(s, row, x, y, layout->width[i]);
		else if (c->left)
			canvas_name(s->canvas, x, y, layout->width[i], STYLE_PLAIN,
				    field_text(s, c, row, text));
		else
			canvas_right(s->canvas, x, y, layout->width[i], STYLE_PLAIN,
				     field_text(s, c, row, text));
		x += layout->width[i] + 1;
	}
}

static void choose(struct scene *s, const struct list *l, uint32_t page)
{
	struct scene_row *rows = mem_zalloc((l->count + 1) * sizeof(*rows));

	for (uint32_t i = 0; i < l->count; i++)
		rows[i] = l->rows[i]->row;
	scene_choose(s, rows, l->count, page);
	free(rows);
}

void list_draw(struct scene *s, struct list *l, uint32_t height)
{
	const struct list_column *sorted = sort_rows(s, l);
	uint32_t page = height > 1 ? height - 1 : 0, first;
	struct layout layout;

	choose(s, l, page);
	first = scene_choice(s)->first;
	lay_out(s, l, &layout);
	draw_heading(s, &layout, sorted);
	for (uint32_t i = first; i < l->count && i - first < page; i++) {
		draw_row(s, &layout, l->rows[i], s->top + 1 + i - first);
		scene_mark(s, i, s->top + 1 + i - first);
	}
	if (!l->count && page)
		canvas_text(s->canvas, 2, s->top + 1, STYLE_DIM, l->nothing);
}

struct list_row *list_chosen(const struct scene *s, const struct list *l)
{
	uint32_t at = s->screen->choice[s->screen->view].at;

	return at < l->count ? l->rows[at] : NULL;
}

/* ---- JSON */

static void row_json(const struct scene *s, const struct list *l, const struct list_row *row,
		     struct json_writer *w)
{
	char text[FIGURE_TEXT_BYTES];

	json_begin_object(w, NULL);
	for (const struct list_column *c = l->columns; c->title; c++) {
		if (!c->key || (c->exists && !c->exists(s)) ||
		    (c->when != LIST_ALWAYS && (c->when == LIST_TWO_SIDES) != s->both))
			continue;
		if (c->number)
			json_double(w, c->key, c->number(s, row));
		else
			json_string(w, c->key, c->text(s, row, text));
	}
	json_end(w);
}

void list_json(const struct scene *s, struct list *l, const char *key, struct json_writer *w)
{
	sort_rows(s, l);
	json_begin_array(w, key);
	for (uint32_t i = 0; i < l->count; i++)
		row_json(s, l, l->rows[i], w);
	json_end(w);
}
