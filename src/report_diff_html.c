// SPDX-License-Identifier: GPL-2.0-only
/* The diff as one page of HTML: the whole, the strips of both sides, every field in one table. */
#include "diff_column.h"
#include "html.h"
#include "report_diff.h"

#include <math.h>

static void put_pairs(FILE *out, const struct diff_column *c, const struct diff_at *at)
{
	for (; c->get; c++) {
		struct figure f = c->get(at);

		if (f.known)
			html_pair(out, c->title, c->key, c->kind, &f);
	}
}

static void put_headline(FILE *out, const struct diff *d)
{
	struct figure before = { .known = true, .real = d->total.rate[d->unit][DIFF_BEFORE] };
	struct figure after = { .known = true, .real = d->total.rate[d->unit][DIFF_AFTER] };
	const struct stat_ratio *r = &d->total.ratio;
	char a[FIGURE_TEXT_BYTES], b[FIGURE_TEXT_BYTES];

	fprintf(out, "<p><strong>%s per %s: %s &#8594; %s</strong>", d->peers ? "peers" : "HITM",
		diff_unit_name(d->unit), figure_text(a, FIGURE_RATE, &before),
		figure_text(b, FIGURE_RATE, &after));
	if (r->known && isfinite(r->ratio))
		fprintf(out, " (%+.0f %%, 95 %% interval %+.0f to %+.0f %%, %s)",
			100 * (r->ratio - 1), 100 * (r->low - 1), 100 * (r->high - 1),
			diff_significance(&d->total));
	fputs(d->first[0]->profile->model || d->first[1]->profile->model
		      ? "; modelled, not measured</p>\n"
		      : "</p>\n",
	      out);
	for (uint32_t i = 0; i < d->warning_count; i++) {
		fputs("<p><strong>differs:</strong> ", out);
		html_text(out, d->warnings[i]);
		fputs("</p>\n", out);
	}
}

static void put_whole(FILE *out, const struct diff *d)
{
	struct diff_at at = { .diff = d, .row = &d->total };

	fputs("<h2>The whole</h2>\n<table class=\"pairs\" id=\"whole\"><tbody>\n", out);
	put_pairs(out, diff_whole_columns, &at);
	fputs("</tbody></table>\n<h2>All samples</h2>\n<table class=\"pairs\" "
	      "id=\"total\"><tbody>\n",
	      out);
	put_pairs(out, diff_row_columns, &at);
	fputs("</tbody></table>\n", out);
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

static void put_heads(FILE *out, const struct diff *d)
{
	fputs("<h2>Fields</h2>\n<table class=\"sort\" id=\"fields\"><thead><tr>", out);
	for (size_t t = 0; t < TABLE_COUNT; t++)
		for (const struct diff_column *c = TABLES[t].columns; c->get; c++)
			if (diff_is_titled(d, c))
				html_head(out, c->title, c->key, c->kind);
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_field(FILE *out, const struct diff_at *at)
{
	fputs("<tr>", out);
	for (size_t t = 0; t < TABLE_COUNT; t++)
		for (const struct diff_column *c = TABLES[t].columns; c->get; c++)
			if (diff_is_titled(at->diff, c)) {
				struct figure f = c->get(at);

				html_cell(out, c->key, c->kind, &f, 0);
			}
	fputs("</tr>\n", out);
}

void report_diff_html(FILE *out, const struct diff *d, const struct report_options *options)
{
	uint32_t hidden = 0;

	html_begin(out, "hitmap diff: before and after");
	put_headline(out, d);
	put_strips(out, d);
	put_heads(out, d);
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
	put_whole(out, d);
	html_end(out);
}
