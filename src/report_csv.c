// SPDX-License-Identifier: GPL-2.0-only
/* The report as CSV: one row a cell, with what its line is. */
#include "column.h"
#include "csv.h"
#include "report.h"

/* The line's figures first; "line_" in front of them, as cells have the same names. */
static void put_names(struct csv *csv)
{
	char name[96];

	for (const struct column *c = line_columns; c->get; c++)
		if (c->key) {
			snprintf(name, sizeof(name), "line_%s", c->key);
			csv_names(csv, name, c->kind);
		}
	for (const struct column *c = cell_columns; c->get; c++)
		if (c->key)
			csv_names(csv, c->key, c->kind);
	csv_text(csv, "symbol");
	csv_text(csv, "source");
	csv_end(csv);
}

static void put_columns(struct csv *csv, const struct column *c, const struct view_row *row)
{
	for (; c->get; c++)
		if (c->key) {
			struct figure f = c->get(row);

			csv_figure(csv, c->kind, &f);
		}
}

/* The costliest place in the code that touches the cell. */
static void put_place(struct csv *csv, const struct view_row *row)
{
	const struct view_code *code = &row->cell->codes[0];

	csv_text(csv, code->name);
	csv_text(csv, code->place.source ? intern_printf(row->view->pool, "%s:%u",
							 code->place.source, code->place.line)
					 : NULL);
}

void report_csv(FILE *out, const struct recording *recording, const struct profile *profile,
		struct attrib *attrib, const struct report_options *options)
{
	struct csv csv = { .out = out };
	struct view view;

	view_init(&view, recording, profile, attrib, options);
	put_names(&csv);
	for (uint32_t i = 0; i < view.line_count; i++)
		for (uint32_t k = 0; k < view.lines[i].cell_count; k++) {
			struct view_row row = { .view = &view,
						.line = &view.lines[i],
						.cell = &view.lines[i].cells[k] };

			put_columns(&csv, line_columns, &row);
			put_columns(&csv, cell_columns, &row);
			put_place(&csv, &row);
			csv_end(&csv);
		}
	view_deinit(&view);
}
