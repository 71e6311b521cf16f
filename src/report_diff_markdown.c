// SPDX-License-Identifier: GPL-2.0-only
/* The diff as a summary for a pull request: the whole, and the fields that count. */
#include "diff_column.h"
#include "markdown.h"
#include "report_diff.h"

#include <math.h>

#define DEFAULT_ROWS 20

static const char *rate_text(char text[FIGURE_TEXT_BYTES], double rate)
{
	struct figure f = { .known = isfinite(rate), .real = rate };

	return figure_text(text, FIGURE_RATE, &f);
}

static void put_row(FILE *out, const struct diff *d, const char *object, const struct diff_row *row)
{
	char before[FIGURE_TEXT_BYTES], after[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES];
	const double *rate = row->rate[d->unit];

	fputs("| ", out);
	markdown_text(out, object ? object : row->name);
	if (object) {
		fputs(diff_joint(row), out);
		markdown_text(out, row->name);
	}
	fprintf(out, " | %s | %s | %s | %s | ", rate_text(before, rate[0]),
		rate_text(after, rate[1]), diff_change_text(change, row), diff_significance(row));
	markdown_text(out, row->story);
	fputs(" |\n", out);
}

static void put_head(FILE *out, const struct diff *d)
{
	const struct stat_ratio *r = &d->total.ratio;
	const char *what = d->peers ? "peers" : "HITM", *unit = diff_unit_name(d->unit);
	char before[FIGURE_TEXT_BYTES], after[FIGURE_TEXT_BYTES];
	const double *rate = d->total.rate[d->unit];

	fprintf(out, "**%s per %s: %s -> %s**", what, unit, rate_text(before, rate[0]),
		rate_text(after, rate[1]));
	if (r->known && isfinite(r->ratio))
		fprintf(out, " (%+.0f %%, 95 %% interval %+.0f..%+.0f %%, %s)",
			100 * (r->ratio - 1), 100 * (r->low - 1), 100 * (r->high - 1),
			diff_significance(&d->total));
	if (d->speedup.known)
		fprintf(out, "; operations per time %.2fx", d->speedup.at[1]);
	fputs(d->first[0]->profile->model || d->first[1]->profile->model
		      ? "; modelled, not measured\n\n"
		      : "\n\n",
	      out);
	for (uint32_t i = 0; i < d->warning_count; i++) {
		fputs("- differs: ", out);
		markdown_text(out, d->warnings[i]);
		fputs(i + 1 == d->warning_count ? "\n\n" : "\n", out);
	}
}

void report_diff_markdown(FILE *out, const struct diff *d, const struct report_options *options)
{
	uint32_t top = options->all ? UINT32_MAX : options->top ? options->top : DEFAULT_ROWS;
	uint32_t shown = 0, hidden = 0;

	put_head(out, d);
	if (!d->object_count) {
		fputs("No contended line on either side.\n", out);
		return;
	}
	fprintf(out, "| field | before | after | change | significance | what happened |\n"
		     "|---|---:|---:|---:|---|---|\n");
	for (uint32_t i = 0; i < d->object_count; i++)
		for (uint32_t k = 0; k < d->objects[i].field_count; k++) {
			const struct diff_row *row = &d->objects[i].fields[k].row;
			bool wanted = options->all || diff_worth_showing(d, row);

			if (wanted && shown < top) {
				put_row(out, d, d->objects[i].row.name, row);
				shown++;
			} else {
				hidden++;
			}
		}
	if (hidden)
		fprintf(out, "\n%u more field%s not shown\n", hidden, hidden > 1 ? "s" : "");
}
