// SPDX-License-Identifier: GPL-2.0-only
#include "report_table.h"
#include "label.h"
#include "mem.h"

#include <string.h>

#define NARROWEST_NAME 6

static bool is_flexible(const struct column *c)
{
	static const char *const SHORT[] = { "half", "role" };

	for (size_t i = 0; i < ARRAY_SIZE(SHORT); i++)
		if (c->title && strcmp(c->title, SHORT[i]) == 0)
			return false;
	return c->kind == FIGURE_TEXT;
}

static bool is_left(const struct column *c)
{
	return c->kind == FIGURE_TEXT || c->kind == FIGURE_HEAT || c->kind == FIGURE_OFFSET;
}

void report_table_init(struct report_table *t, const struct text_report *r,
		       const struct column *columns, uint32_t indent)
{
	*t = (struct report_table){ .indent = indent };
	for (; columns->get; columns++) {
		if (!columns->title || (columns->shown && !columns->shown(r->view)))
			continue;
		t->column[t->count] = columns;
		t->width[t->count++] = label_columns(columns->title);
	}
}

/* The text of a field of a table; "buffer" may hold it. Not of heat. */
static const char *field_text(const struct column *c, const struct view_row *row,
			      char buffer[FIGURE_TEXT_BYTES])
{
	struct figure f = c->get(row);

	if (row->code && c->once)
		return "";
	if (c->kind == FIGURE_TEXT)
		return f.known ? f.text : "n/a";
	return figure_text(buffer, c->kind, &f);
}

void report_table_measure(struct report_table *t, const struct view_row *row)
{
	char buffer[FIGURE_TEXT_BYTES];

	for (uint32_t i = 0; i < t->count; i++) {
		const struct column *c = t->column[i];
		uint32_t width = c->kind == FIGURE_HEAT ? HEAT_STRIP_COLUMNS
							: label_columns(field_text(c, row, buffer));

		t->width[i] = width > t->width[i] ? width : t->width[i];
	}
}

static uint32_t report_table_width(const struct report_table *t)
{
	uint32_t width = t->indent;

	for (uint32_t i = 0; i < t->count; i++)
		width += t->width[i] + (i > 0);
	return width;
}

/* The widest column of names that can be narrower, or REPORT_TABLE_COLUMNS. */
static uint32_t table_widest(const struct report_table *t)
{
	uint32_t widest = REPORT_TABLE_COLUMNS;

	for (uint32_t i = 0; i < t->count; i++)
		if (is_flexible(t->column[i]) &&
		    (widest == REPORT_TABLE_COLUMNS || t->width[i] > t->width[widest]))
			widest = i;
	if (widest != REPORT_TABLE_COLUMNS && t->width[widest] <= NARROWEST_NAME)
		return REPORT_TABLE_COLUMNS;
	return widest;
}

static bool table_drop(struct report_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (!t->column[i]->spare)
			continue;
		t->count--;
		memmove(&t->column[i], &t->column[i + 1], (t->count - i) * sizeof(*t->column));
		memmove(&t->width[i], &t->width[i + 1], (t->count - i) * sizeof(*t->width));
		return true;
	}
	return false;
}

/* Takes from the widest of the names, column by column, until the table fits. */
void report_table_fit(struct report_table *t, uint32_t width)
{
	while (report_table_width(t) > width) {
		uint32_t widest = table_widest(t);

		if (widest == REPORT_TABLE_COLUMNS) {
			if (!table_drop(t))
				return;
			continue;
		}
		if (t->width[widest] > LABEL_COLUMNS)
			t->width[widest] = LABEL_COLUMNS;
		t->width[widest]--;
	}
}

static void spaces(FILE *out, uint32_t count)
{
	fprintf(out, "%*s", (int)count, "");
}

/* One field, set into its column; "pending" are the spaces owed before anything more is written, so
 * that no line ends with any. */
static void put_field(const struct text_report *r, const char *text, uint32_t columns,
		      uint32_t width, bool left, uint32_t *pending)
{
	uint32_t gap = width - columns;

	*pending += left ? 0 : gap;
	if (*text) {
		spaces(r->out, *pending);
		fputs(text, r->out);
		*pending = 0;
	} else {
		*pending += columns;
	}
	*pending += (left ? gap : 0) + 1;
}

void report_table_heading(const struct report_table *t, const struct text_report *r)
{
	uint32_t pending = t->indent;

	for (uint32_t i = 0; i < t->count; i++) {
		const char *title = t->column[i]->title;

		if (t->column[i]->kind == FIGURE_HEAT && r->style.unicode)
			title = "lower┆upper";
		put_field(r, title, label_columns(title), t->width[i], is_left(t->column[i]),
			  &pending);
	}
	fputc('\n', r->out);
}

void report_table_row(const struct report_table *t, const struct text_report *r,
		      const struct view_row *row)
{
	uint32_t pending = t->indent;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct column *c = t->column[i];
		char buffer[FIGURE_TEXT_BYTES], strip[HEAT_STRIP_BYTES], label[LABEL_BYTES];

		if (c->kind == FIGURE_HEAT) {
			heat_strip(strip, c->get(row).heat, r->view->hottest, &r->style);
			put_field(r, strip, HEAT_STRIP_COLUMNS, t->width[i], true, &pending);
			continue;
		}
		label_fit(label, field_text(c, row, buffer), t->width[i], r->style.unicode);
		put_field(r, label, label_columns(label), t->width[i], is_left(c), &pending);
	}
	fputc('\n', r->out);
}
