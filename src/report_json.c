// SPDX-License-Identifier: GPL-2.0-only
/* The JSON report; its fields are described in docs/json.md. */
#include "column.h"
#include "fight.h"
#include "figure_json.h"
#include "json.h"
#include "mem.h"
#include "report.h"
#include "report_buckets.h"
#include "report_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIGHTS    100
#define MOST_BUCKETS   1000
#define REPORT_VERSION 1 /* grows when a field goes or changes its meaning, not when one comes */

static void put_columns(struct json_writer *w, const struct column *c, const struct view_row *row)
{
	for (; c->get; c++) {
		struct figure f;

		if (!c->key)
			continue;
		f = c->get(row);
		figure_put(w, c->key, c->kind, &f);
	}
}

static void put_events(struct json_writer *w, const struct recording *r)
{
	json_begin_array(w, "events");
	for (uint32_t i = 0; i < r->event_count; i++) {
		json_begin_object(w, NULL);
		json_string(w, "name", r->events[i].name);
		json_u64(w, "samples", r->events[i].samples);
		json_end(w);
	}
	json_end(w);
}

static double per_second(const struct note_operation *o)
{
	return o->count / (o->duration / 1e9);
}

static void put_time(struct json_writer *w, const struct note_operation *o)
{
	if (o->duration) {
		json_double(w, "seconds", o->duration / 1e9);
		json_double(w, "per_second", per_second(o));
	} else {
		json_null(w, "seconds");
		json_null(w, "per_second");
	}
}

/* Those that the kernel counted. */
static void put_counted(struct json_writer *w, const struct profile *p)
{
	json_begin_array(w, "operations");
	for (uint32_t i = 0; i < p->operation_count; i++) {
		const struct note_operation *o = &p->operations[i];

		if (!note_operation_counted(o))
			continue;
		json_begin_object(w, NULL);
		json_string(w, "name", o->name);
		json_string(w, "event", o->event);
		json_u64(w, "count", o->count);
		put_time(w, o);
		json_end(w);
	}
	json_end(w);
}

static void put_recording(struct json_writer *w, const struct view *v)
{
	struct view_row row = { .view = v };

	json_begin_object(w, "recording");
	put_columns(w, recording_columns, &row);
	put_events(w, v->recording);
	put_counted(w, v->profile);
	json_begin_array(w, "remarks");
	for (uint32_t i = 0; i < v->profile->remark_count; i++)
		json_string(w, NULL, v->profile->remarks[i]);
	json_end(w);
	json_end(w);
}

static void put_model(struct json_writer *w, const struct view *v)
{
	struct view_row row = { .view = v };

	if (!v->profile->model) {
		json_null(w, "model");
		return;
	}
	json_begin_object(w, "model");
	put_columns(w, model_columns, &row);
	json_end(w);
}

static void put_operations(struct json_writer *w, const struct profile *p)
{
	json_begin_array(w, "operations");
	for (uint32_t i = 0; i < p->operation_count; i++) {
		json_begin_object(w, NULL);
		json_string(w, "name", p->operations[i].name);
		json_u64(w, "count", p->operations[i].count);
		json_string(w, "event",
			    note_operation_counted(&p->operations[i]) ? p->operations[i].event
								      : NULL);
		json_end(w);
	}
	json_end(w);
}

static void put_callers(struct json_writer *w, const struct view_code *code)
{
	const struct view_stacks *s = &code->callers;

	json_begin_array(w, "callers");
	for (uint32_t i = 0; i < s->count; i++) {
		json_begin_object(w, NULL);
		json_begin_array(w, "stack");
		for (uint32_t k = 0; k < s->stack[i].names; k++)
			json_string(w, NULL, s->stack[i].name[k]);
		json_end(w);
		json_u64(w, "samples", s->stack[i].counts.samples);
		json_u64(w, "hitm", counts_hitm(&s->stack[i].counts));
		json_u64(w, "latency_sum", s->stack[i].counts.latency_sum);
		json_end(w);
	}
	json_end(w);
	json_u64(w, "hidden_callers", s->hidden);
}

static void put_cell(struct json_writer *w, struct view_row row)
{
	json_begin_object(w, NULL);
	put_columns(w, cell_columns, &row);
	json_begin_array(w, "code");
	for (uint32_t i = 0; i < row.cell->code_count; i++) {
		row.code = &row.cell->codes[i];
		json_begin_object(w, NULL);
		put_columns(w, code_columns, &row);
		put_callers(w, row.code);
		json_end(w);
	}
	json_end(w);
	json_u64(w, "hidden_code", row.cell->codes_hidden);
	json_end(w);
}

/* Shares of samples: a thousandth is all that they mean. */
static void put_moves(struct json_writer *w, const char *key, double moves)
{
	json_double(w, key, round(moves * 1000) / 1000);
}

static void put_spot(struct json_writer *w, const struct sharing_spot *spot)
{
	json_u64(w, "offset", spot->offset);
	if (spot->name)
		json_string(w, "field", spot->name);
	else
		json_null(w, "field");
	json_u64(w, "users", spot->users);
	json_u64(w, "writers", spot->writers);
	put_moves(w, "moves", spot->moves);
	put_moves(w, "moves_for_other_bytes", spot->other);
	put_moves(w, "moves_caused", spot->blame);
}

/* Who waits for whom: the pairs of cells, added up by what their spots are. */
static void put_matrix(struct json_writer *w, const struct sharing *s)
{
	double *moves = mem_zalloc((size_t)s->spot_count * s->spot_count * sizeof(*moves));

	for (uint32_t i = 0; i < s->pair_count; i++)
		moves[s->spot_of[s->pairs[i].victim] * s->spot_count +
		      s->spot_of[s->pairs[i].aggressor]] += s->pairs[i].moves;
	json_begin_array(w, "matrix");
	for (uint32_t i = 0; i < s->spot_count * s->spot_count; i++) {
		if (!(moves[i] > 0))
			continue;
		json_begin_object(w, NULL);
		json_u64(w, "victim", s->spots[i / s->spot_count].offset);
		json_u64(w, "aggressor", s->spots[i % s->spot_count].offset);
		put_moves(w, "moves", moves[i]);
		json_end(w);
	}
	json_end(w);
	free(moves);
}

static void put_sharing(struct json_writer *w, const struct sharing *s)
{
	json_begin_array(w, "spots");
	for (uint32_t i = 0; i < s->spot_count; i++) {
		json_begin_object(w, NULL);
		put_spot(w, &s->spots[i]);
		json_end(w);
	}
	json_end(w);
	put_matrix(w, s);
}

static void put_fights(struct json_writer *w, const struct view *v, struct attrib *attrib,
		       const struct report_options *options)
{
	struct fights fights;

	fights_init(&fights, v, attrib, options->all ? 0 : MOST_FIGHTS);
	json_begin_array(w, "functions");
	for (uint32_t i = 0; i < fights.count; i++) {
		json_begin_object(w, NULL);
		put_columns(w, fight_columns,
			    &(struct view_row){ .view = v, .fight = &fights.rows[i] });
		json_end(w);
	}
	json_end(w);
	fights_deinit(&fights);
}

static void put_line(struct json_writer *w, struct view_row row)
{
	json_begin_object(w, NULL);
	put_columns(w, line_columns, &row);
	json_begin_array(w, "halves");
	for (row.half = HALF_LOWER; row.half < LINE_HALVES; row.half++) {
		json_begin_object(w, NULL);
		put_columns(w, half_columns, &row);
		json_end(w);
	}
	json_end(w);
	json_begin_array(w, "cells");
	for (uint32_t i = 0; i < row.line->cell_count; i++) {
		row.cell = &row.line->cells[i];
		put_cell(w, row);
	}
	json_end(w);
	json_u64(w, "hidden_cells", row.line->cells_hidden);
	put_sharing(w, &row.line->sharing);
	json_end(w);
}

static void put_hitm(struct json_writer *w, const char *key, const struct view *v, uint64_t hitm)
{
	if (v->hitm_known)
		json_u64(w, key, hitm);
	else
		json_null(w, key);
}

static void put_hidden(struct json_writer *w, const struct view *v)
{
	json_begin_object(w, "hidden");
	json_u64(w, "lines", v->hidden.lines);
	put_hitm(w, "hitm", v, v->hidden.hitm);
	json_u64(w, "cells", v->hidden.cells);
	put_hitm(w, "cells_hitm", v, v->hidden.cells_hitm);
	json_u64(w, "code", v->hidden.codes);
	json_u64(w, "quiet_lines", v->hidden.quiet_lines);
	put_hitm(w, "quiet_hitm", v, v->hidden.quiet_hitm);
	json_end(w);
}

void report_json(FILE *out, const struct recording *recording, const struct profile *profile,
		 struct attrib *attrib, const struct report_options *options)
{
	struct json_writer w;
	struct view view;

	view_init(&view, recording, profile, attrib, options);
	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_u64(&w, "version", REPORT_VERSION);
	put_recording(&w, &view);
	put_model(&w, &view);
	put_operations(&w, profile);
	json_begin_array(&w, "lines");
	for (uint32_t i = 0; i < view.line_count; i++)
		put_line(&w, (struct view_row){ .view = &view, .line = &view.lines[i] });
	json_end(&w);
	put_fights(&w, &view, attrib, options);
	if (options->buckets)
		report_buckets_json(&w, &view, attrib, options->all ? 0 : MOST_BUCKETS);
	report_pairs_json(&w, &view, attrib);
	put_hidden(&w, &view);
	json_end(&w);
	view_deinit(&view);
}
