// SPDX-License-Identifier: GPL-2.0-only
/* The diff as JSON; its fields are described in docs/json.md. */
#include "diff_column.h"
#include "figure_json.h"
#include "report_diff.h"

#define DIFF_VERSION 1 /* grows when a field goes or changes its meaning, not when one comes */

static void put_columns(struct json_writer *w, const struct diff_column *c,
			const struct diff_at *at)
{
	for (; c->get; c++) {
		struct figure f = c->get(at);

		figure_put(w, c->key, c->kind, &f);
	}
}

static void put_runs(struct json_writer *w, const struct diff *d)
{
	json_begin_array(w, "recordings");
	for (uint32_t i = 0; i < d->run_count; i++) {
		const struct diff_run *r = &d->runs[i];

		json_begin_object(w, NULL);
		json_string(w, "side", r->side == DIFF_BEFORE ? "before" : "after");
		json_string(w, "path", r->recording->path);
		json_string(w, "command", r->recording->command);
		json_string(w, "kernel", r->recording->kernel);
		json_string(w, "machine", r->profile->model ? r->profile->model->machine : NULL);
		json_double(w, "seconds", r->seconds);
		json_u64(w, "operations", r->operations);
		json_u64(w, "usable", r->profile->total.samples);
		json_u64(w, "lost", r->recording->lost);
		json_double(w, "weight", r->weight);
		json_end(w);
	}
	json_end(w);
	json_begin_array(w, "warnings");
	for (uint32_t i = 0; i < d->warning_count; i++)
		json_string(w, NULL, d->warnings[i]);
	json_end(w);
}

static void put_object(struct json_writer *w, struct diff_at at)
{
	json_begin_object(w, NULL);
	put_columns(w, diff_object_columns, &at);
	put_columns(w, diff_row_columns, &at);
	json_begin_array(w, "fields");
	for (uint32_t k = 0; k < at.object->field_count; k++) {
		at.field = &at.object->fields[k];
		at.row = &at.field->row;
		json_begin_object(w, NULL);
		put_columns(w, diff_field_columns, &at);
		put_columns(w, diff_row_columns, &at);
		json_end(w);
	}
	json_end(w);
	json_end(w);
}

void report_diff_json(FILE *out, const struct diff *d, const struct report_options *options)
{
	struct diff_at at = { .diff = d, .row = &d->total };
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_u64(&w, "version", DIFF_VERSION);
	put_runs(&w, d);
	put_columns(&w, diff_whole_columns, &at);
	json_begin_object(&w, "total");
	put_columns(&w, diff_row_columns, &at);
	json_end(&w);
	json_begin_array(&w, "objects");
	for (uint32_t i = 0; i < d->object_count; i++) {
		at.object = &d->objects[i];
		at.row = &at.object->row;
		put_object(&w, at);
	}
	json_end(&w);
	json_end(&w);
}
