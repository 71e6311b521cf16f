// SPDX-License-Identifier: GPL-2.0-only
/* The report as Markdown: a table of lines, and one of each line's cells. */
#include "column.h"
#include "markdown.h"
#include "report.h"

static bool is_shown(const struct view *v, const struct column *c)
{
	return c->title && c->kind != FIGURE_HEAT && (!c->shown || c->shown(v));
}

static void put_heads(FILE *out, const struct view *v, const struct column *table)
{
	fputs("|", out);
	for (const struct column *c = table; c->get; c++)
		if (is_shown(v, c)) {
			fputs(" ", out);
			markdown_text(out, c->title);
			fputs(" |", out);
		}
	fputs("\n|", out);
	for (const struct column *c = table; c->get; c++)
		if (is_shown(v, c))
			fputs(c->kind == FIGURE_TEXT ? "---|" : "---:|", out);
	fputs("\n", out);
}

static void put_row(FILE *out, const struct column *c, const struct view_row *row)
{
	char text[FIGURE_TEXT_BYTES];

	fputs("|", out);
	for (; c->get; c++) {
		struct figure f;

		if (!is_shown(row->view, c))
			continue;
		f = c->get(row);
		fputs(" ", out);
		markdown_text(out, f.known && c->kind == FIGURE_TEXT
					   ? f.text
					   : figure_text(text, c->kind, &f));
		fputs(" |", out);
	}
	fputs("\n", out);
}

static void put_line(FILE *out, struct view_row row)
{
	fprintf(out, "\n**%u. ", row.line->rank);
	markdown_text(out, row.line->name);
	fputs("**\n\n", out);
	put_heads(out, row.view, cell_columns);
	for (uint32_t k = 0; k < row.line->cell_count; k++) {
		row.cell = &row.line->cells[k];
		put_row(out, cell_columns, &row);
	}
}

void report_markdown(FILE *out, const struct recording *recording, const struct profile *profile,
		     struct attrib *attrib, const struct report_options *options)
{
	char samples[FIGURE_TEXT_BYTES];
	struct view view;

	view_init(&view, recording, profile, attrib, options);
	markdown_text(out, recording->command ? recording->command : recording->path);
	fprintf(out, ": %s usable samples, %.1f %% lost%s\n\n",
		figure_count(samples, profile->total.samples), 100 * view_loss(&view),
		profile->model ? "; modelled, not measured" : "");
	if (view.line_count)
		put_heads(out, &view, line_columns);
	else
		fputs("No contended line.\n", out);
	for (uint32_t i = 0; i < view.line_count; i++)
		put_row(out, line_columns,
			&(struct view_row){ .view = &view, .line = &view.lines[i] });
	for (uint32_t i = 0; i < view.line_count; i++)
		put_line(out, (struct view_row){ .view = &view, .line = &view.lines[i] });
	view_deinit(&view);
}
