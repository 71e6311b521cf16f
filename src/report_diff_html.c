// SPDX-License-Identifier: GPL-2.0-only
/* The diff as one page of HTML: the whole, the strips of both sides, every field in one table. */
#include "diff_column.h"
#include "html.h"
#include "report_diff.h"

static void put_pairs(FILE *out, const struct diff_column *c, const struct diff_at *at)
{
	for (; c->get; c++) {
		struct figure f = c->get(at);

		if (f.known)
			html_pair(out, c->title, c->key, c->kind, &f);
	}
}

static void put_whole(FILE *out, const struct diff *d)
{
	struct diff_at at = { .diff = d, .row = &d->total };

	fputs("<table class=\"pairs\" id=\"whole\"><tbody>\n", out);
	put_pairs(out, diff_whole_columns, &at);
	fputs("</tbody></table>\n<h2>All samples</h2>\n<table class=\"pairs\" "
	      "id=\"total\"><tbody>\n",
	      out);
	put_pairs(out, diff_row_columns, &at);
	fputs("</tbody></table>\n", out);
	if (d->first[0]->profile->model || d->first[1]->profile->model)
		fputs("<p class=\"dim\">Modelled, not measured.</p>\n", out);
	for (uint32_t i = 0; i < d->warning_count; i++) {
		fputs("<p><strong>differs:</strong> ", out);
		html_text(out, d->warnings[i]);
		fputs("</p>\n", out);
	}
}

static uint64_t hottest(const struct diff *d, int side)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < d->object_count; i++)
		for (int w = 0; d->objects[i].line[side] && w < LINE_WORDS; w++)
			if (d->objects[i].line[side]->word_heat[w] > most)
				most = d->objects[i].line[side]->word_heat[w];
	return most;
}

/* Strips side by side, each shaded by its own side's hottest word. */
static void put_strips(FILE *out, const struct diff *d)
{
	fputs("<h2>Hottest line of each object, eight words of eight bytes: cycles</h2>\n"
	      "<table id=\"strips\"><thead><tr><th>object</th><th>before</th><th>after</th>"
	      "</tr></thead>\n<tbody>\n",
	      out);
	for (uint32_t i = 0; i < d->object_count; i++) {
		const struct diff_object *o = &d->objects[i];

		if (!diff_worth_showing(d, &o->row))
			continue;
		fputs("<tr><td>", out);
		html_text(out, o->row.name);
		fputs("</td>", out);
		for (int s = 0; s < DIFF_SIDES; s++) {
			struct figure f = { .known = o->line[s] != NULL };

			f.heat = o->line[s] ? o->line[s]->word_heat : NULL;
			html_cell(out, NULL, FIGURE_HEAT, &f, hottest(d, s));
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

static const struct {
	const struct diff_column *columns;
	bool first_only;
} TABLES[] = { { diff_object_columns, true },
	       { diff_field_columns, false },
	       { diff_row_columns, false } };

#define TABLE_COUNT (sizeof(TABLES) / sizeof(TABLES[0]))

static void put_heads(FILE *out)
{
	fputs("<h2>Fields</h2>\n<table class=\"sort\" id=\"fields\"><thead><tr>", out);
	for (size_t t = 0; t < TABLE_COUNT; t++)
		for (const struct diff_column *c = TABLES[t].columns; c->get; c++)
			if (c->title)
				html_head(out, c->title, c->key, c->kind);
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_field(FILE *out, const struct diff_at *at)
{
	fputs("<tr>", out);
	for (size_t t = 0; t < TABLE_COUNT; t++)
		for (const struct diff_column *c = TABLES[t].columns; c->get; c++)
			if (c->title) {
				struct figure f = c->get(at);

				html_cell(out, c->key, c->kind, &f, 0);
			}
	fputs("</tr>\n", out);
}

void report_diff_html(FILE *out, const struct diff *d, const struct report_options *options)
{
	uint32_t hidden = 0;

	html_begin(out, "hitmap diff: before and after");
	put_whole(out, d);
	put_strips(out, d);
	put_heads(out);
	for (uint32_t i = 0; i < d->object_count; i++)
		for (uint32_t k = 0; k < d->objects[i].field_count; k++) {
			struct diff_at at = { .diff = d,
					      .object = &d->objects[i],
					      .field = &d->objects[i].fields[k],
					      .row = &d->objects[i].fields[k].row };

			if (options->all || diff_worth_showing(d, at.row))
				put_field(out, &at);
			else
				hidden++;
		}
	fputs("</tbody></table>\n", out);
	if (hidden)
		fprintf(out,
			"<p class=\"dim\">%u more fields with a small part of both sides' "
			"(--all)</p>\n",
			hidden);
	html_end(out);
}
