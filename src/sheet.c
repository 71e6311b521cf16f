// SPDX-License-Identifier: GPL-2.0-only
#include "sheet.h"
#include "csv.h"
#include "html.h"
#include "markdown.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>

void sheet_init(struct sheet *s, const char *name, const char *title,
		const struct sheet_column *column)
{
	*s = (struct sheet){ .name = name, .title = title, .column = column, .pool = intern_new() };
	while (column[s->columns].key)
		s->columns++;
}

void sheet_deinit(struct sheet *s)
{
	free(s->cell);
	intern_free(s->pool);
	*s = (struct sheet){ 0 };
}

struct figure *sheet_row(struct sheet *s)
{
	struct figure *row;

	while (s->room < (s->rows + 1) * s->columns)
		mem_grow(&s->cell, &s->room, s->room);
	row = &s->cell[s->rows++ * s->columns];
	for (uint32_t i = 0; i < s->columns; i++)
		row[i] = (struct figure){ .known = false };
	return row;
}

struct figure sheet_text(struct sheet *s, const char *text)
{
	return (struct figure){ .known = text != NULL,
				.text = text ? intern_string(s->pool, text) : NULL };
}

struct figure sheet_count(uint64_t n)
{
	return (struct figure){ .known = true, .count = n };
}

struct figure sheet_real(double value)
{
	return (struct figure){ .known = isfinite(value), .real = value };
}

struct figure sheet_flag(bool flag)
{
	return (struct figure){ .known = true, .count = flag };
}

static const struct figure *cell(const struct sheet *s, uint32_t row, uint32_t column)
{
	return &s->cell[row * s->columns + column];
}

/* ---- Formats */

void sheet_csv(FILE *out, const struct sheet *s)
{
	struct csv c = { .out = out };

	for (uint32_t i = 0; i < s->columns; i++)
		if (*s->column[i].key)
			csv_names(&c, s->column[i].key, s->column[i].kind);
	csv_end(&c);
	for (uint32_t r = 0; r < s->rows; r++) {
		for (uint32_t i = 0; i < s->columns; i++)
			if (*s->column[i].key)
				csv_figure(&c, s->column[i].kind, cell(s, r, i));
		csv_end(&c);
	}
}

static const char *key_of(const struct sheet_column *c)
{
	return *c->key ? c->key : NULL;
}

static void html_table(FILE *out, const struct sheet *s)
{
	fputs("<h2>", out);
	html_text(out, s->title);
	fprintf(out, "</h2>\n<table class=\"sort\" id=\"%s\"><thead><tr>", s->name);
	for (uint32_t i = 0; i < s->columns; i++)
		if (s->column[i].title)
			html_head(out, s->column[i].title, key_of(&s->column[i]),
				  s->column[i].kind);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (uint32_t r = 0; r < s->rows; r++) {
		fputs("<tr>", out);
		for (uint32_t i = 0; i < s->columns; i++)
			if (s->column[i].title)
				html_cell(out, key_of(&s->column[i]), s->column[i].kind,
					  cell(s, r, i), 0);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

void sheets_html(FILE *out, const char *title, const char *const *said, const struct sheet *s,
		 size_t count)
{
	html_begin(out, title);
	for (; *said; said++) {
		fputs("<p>", out);
		html_text(out, *said);
		fputs("</p>\n", out);
	}
	for (size_t i = 0; i < count; i++)
		if (s[i].rows)
			html_table(out, &s[i]);
	html_end(out);
}

static void markdown_cell(FILE *out, const struct sheet_column *c, const struct figure *f)
{
	char text[FIGURE_TEXT_BYTES];

	fputs(" ", out);
	if (c->kind != FIGURE_TEXT)
		markdown_text(out, f->known ? figure_text(text, c->kind, f) : "");
	else if (f->known)
		markdown_text(out, f->text);
	fputs(" |", out);
}

static void markdown_table(FILE *out, const struct sheet *s)
{
	fputs("\n**", out);
	markdown_text(out, s->title);
	fputs("**\n\n|", out);
	for (uint32_t i = 0; i < s->columns; i++)
		if (s->column[i].title)
			fprintf(out, " %s |", s->column[i].title);
	fputs("\n|", out);
	for (uint32_t i = 0; i < s->columns; i++)
		if (s->column[i].title)
			fputs(s->column[i].kind == FIGURE_TEXT ? "---|" : "---:|", out);
	fputc('\n', out);
	for (uint32_t r = 0; r < s->rows; r++) {
		fputc('|', out);
		for (uint32_t i = 0; i < s->columns; i++)
			if (s->column[i].title)
				markdown_cell(out, &s->column[i], cell(s, r, i));
		fputc('\n', out);
	}
}

void sheets_markdown(FILE *out, const char *title, const char *const *said, const struct sheet *s,
		     size_t count)
{
	fprintf(out, "**%s**\n\n", title);
	for (; *said; said++) {
		fputs("- ", out);
		markdown_text(out, *said);
		fputc('\n', out);
	}
	for (size_t i = 0; i < count; i++)
		if (s[i].rows)
			markdown_table(out, &s[i]);
}
