// SPDX-License-Identifier: GPL-2.0-only
/* The report as one page of HTML. What has a title in text is in the tables, the rest below them.
 */
#include "column.h"
#include "html.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

struct html_report {
	FILE *out;
	const struct view *view;
};

static bool is_titled(const struct html_report *p, const struct column *c)
{
	return c->title && (!c->shown || c->shown(p->view));
}

static void put_heads(struct html_report *p, const struct column *c)
{
	fputs("<thead><tr>", p->out);
	for (; c->get; c++)
		if (is_titled(p, c))
			html_head(p->out, c->title, c->key, c->kind);
	fputs("</tr></thead>\n", p->out);
}

static void put_cells(struct html_report *p, const struct column *c, const struct view_row *row)
{
	for (; c->get; c++)
		if (is_titled(p, c)) {
			struct figure f = c->get(row);

			html_cell(p->out, c->key, c->kind, &f, p->view->hottest);
		}
}

/* The figures that no table has; "all": every one that is known. */
static void put_pairs(struct html_report *p, const struct column *c, const struct view_row *row,
		      bool all)
{
	fputs("<table class=\"pairs\"><tbody>\n", p->out);
	for (; c->get; c++) {
		struct figure f;

		if (!c->key || (!all && is_titled(p, c)))
			continue;
		f = c->get(row);
		if (f.known)
			html_pair(p->out, c->title, c->key, c->kind, &f);
	}
	fputs("</tbody></table>\n", p->out);
}

static void put_summary(struct html_report *p)
{
	const struct profile *profile = p->view->profile;
	char samples[FIGURE_TEXT_BYTES], loads[FIGURE_TEXT_BYTES], stores[FIGURE_TEXT_BYTES];

	fprintf(p->out, "<p>%s usable samples: %s loads, %s stores; %.1f %% lost%s</p>\n",
		figure_count(samples, profile->total.samples),
		figure_count(loads, profile->total.loads),
		figure_count(stores, profile->total.stores), 100 * view_loss(p->view),
		profile->model ? "; <strong>modelled, not measured</strong>" : "");
}

static void put_recording(struct html_report *p)
{
	struct view_row row = { .view = p->view };
	const struct profile *profile = p->view->profile;

	put_summary(p);
	fputs("<details><summary>the recording</summary>\n<section id=\"recording\">\n", p->out);
	put_pairs(p, recording_columns, &row, true);
	fputs("</section></details>\n", p->out);
	if (profile->model) {
		fputs("<details><summary>the model: modelled, not measured</summary>\n"
		      "<section id=\"model\">\n",
		      p->out);
		put_pairs(p, model_columns, &row, true);
		fputs("</section></details>\n", p->out);
	}
	for (uint32_t i = 0; i < profile->remark_count; i++) {
		fputs("<p class=\"dim\">note: ", p->out);
		html_text(p->out, profile->remarks[i]);
		fputs("</p>\n", p->out);
	}
}

static void put_lines(struct html_report *p)
{
	fputs("<h2>Contended lines</h2>\n<table class=\"sort\" id=\"lines\">\n", p->out);
	put_heads(p, line_columns);
	fputs("<tbody>\n", p->out);
	for (uint32_t i = 0; i < p->view->line_count; i++) {
		fputs("<tr>", p->out);
		put_cells(p, line_columns,
			  &(struct view_row){ .view = p->view, .line = &p->view->lines[i] });
		fputs("</tr>\n", p->out);
	}
	fputs("</tbody></table>\n", p->out);
}

/* The line of a place; its own figures repeat nothing of the cell that does not change. */
static void put_code(struct html_report *p, struct view_row row)
{
	fputs("<tr class=\"sub\">", p->out);
	for (const struct column *c = cell_columns; c->get; c++)
		if (is_titled(p, c)) {
			struct figure f = c->once ? (struct figure){ .known = true, .text = "" }
						  : c->get(&row);

			html_cell(p->out, c->once ? NULL : c->key, c->once ? FIGURE_TEXT : c->kind,
				  &f, 0);
		}
	fputs("</tr>\n", p->out);
}

static void put_cell(struct html_report *p, struct view_row row)
{
	fputs("<tr>", p->out);
	put_cells(p, cell_columns, &row);
	fputs("</tr>\n", p->out);
	for (uint32_t i = 0; row.cell->code_count > 1 && i < row.cell->code_count; i++) {
		row.code = &row.cell->codes[i];
		put_code(p, row);
	}
}

static void put_sentence(struct html_report *p, const char *head, const char *text)
{
	if (!text)
		return;
	fprintf(p->out, "<p><strong>%s</strong> ", head);
	html_text(p->out, text);
	fputs("</p>\n", p->out);
}

static void put_line(struct html_report *p, const struct view_line *line)
{
	struct view_row row = { .view = p->view, .line = line };

	fprintf(p->out, "<section class=\"line\">\n<h2>%u. ", line->rank);
	html_text(p->out, line->name);
	fputs("</h2>\n", p->out);
	put_sentence(p, verdict_name(line->sharing.verdict), line->sharing.reason);
	put_sentence(p, "try", line->sharing.advice);
	fputs("<table class=\"sort cells\">\n", p->out);
	put_heads(p, cell_columns);
	fputs("<tbody>\n", p->out);
	for (uint32_t i = 0; i < line->cell_count; i++) {
		row.cell = &line->cells[i];
		put_cell(p, row);
	}
	fputs("</tbody></table>\n<details><summary>more of this line</summary>\n", p->out);
	row.cell = NULL;
	put_pairs(p, line_columns, &row, false);
	fputs("</details>\n</section>\n", p->out);
}

static void put_hidden(struct html_report *p)
{
	char lines[FIGURE_TEXT_BYTES], hitm[FIGURE_TEXT_BYTES], quiet[FIGURE_TEXT_BYTES];

	fprintf(p->out,
		"<p class=\"dim\">not shown: %s contended lines with %s HITM, %s lines shared "
		"without contention (--all)</p>\n",
		figure_count(lines, p->view->hidden.lines),
		figure_count(hitm, p->view->hidden.hitm),
		figure_count(quiet, p->view->hidden.quiet_lines));
}

void report_html(FILE *out, const struct recording *recording, const struct profile *profile,
		 struct attrib *attrib, const struct report_options *options)
{
	struct view view;
	struct html_report p = { out, &view };

	view_init(&view, recording, profile, attrib, options);
	html_begin(out, recording->command ? recording->command : recording->path);
	put_recording(&p);
	if (view.line_count)
		put_lines(&p);
	else
		fputs("<p>No contended line.</p>\n", out);
	for (uint32_t i = 0; i < view.line_count; i++)
		put_line(&p, &view.lines[i]);
	put_hidden(&p);
	html_end(out);
	view_deinit(&view);
}
