// SPDX-License-Identifier: GPL-2.0-only
/* The diff as CSV: one row a field. */
#include "csv.h"
#include "diff_column.h"
#include "report_diff.h"

#include "mem.h"

static const struct diff_column *const TABLES[] = { diff_object_columns, diff_field_columns,
						    diff_row_columns };

/* What of an object is not in its fields' rows. */
static bool is_shown(const struct diff_column *table, const struct diff_column *c)
{
	return table != diff_object_columns || c == table;
}

static void put_names(struct csv *csv)
{
	for (size_t t = 0; t < ARRAY_SIZE(TABLES); t++)
		for (const struct diff_column *c = TABLES[t]; c->get; c++)
			if (is_shown(TABLES[t], c))
				csv_names(csv, c->key, c->kind);
	csv_end(csv);
}

static void put_field(struct csv *csv, const struct diff_at *at)
{
	for (size_t t = 0; t < ARRAY_SIZE(TABLES); t++)
		for (const struct diff_column *c = TABLES[t]; c->get; c++)
			if (is_shown(TABLES[t], c)) {
				struct figure f = c->get(at);

				csv_figure(csv, c->kind, &f);
			}
	csv_end(csv);
}

void report_diff_csv(FILE *out, const struct diff *d, const struct report_options *options)
{
	struct csv csv = { .out = out };

	put_names(&csv);
	for (uint32_t i = 0; i < d->object_count; i++)
		for (uint32_t k = 0; k < d->objects[i].field_count; k++)
			put_field(&csv, &(struct diff_at){ .diff = d,
							   .object = &d->objects[i],
							   .field = &d->objects[i].fields[k],
							   .row = &d->objects[i].fields[k].row });
}
