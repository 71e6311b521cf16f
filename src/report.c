// SPDX-License-Identifier: GPL-2.0-only
#include "column.h"
#include "fight.h"
#include "heatmap.h"
#include "label.h"
#include "mem.h"
#include "report.h"
#include "report_buckets.h"
#include "report_pairs.h"
#include "report_say.h"
#include "report_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NARROWEST     80
#define SMALL_LOSS    0.01 /* up to which counts are as good as complete */
#define LINE_INDENT   0
#define CELL_INDENT   4
#define CALLERS	      2 /* ways to be called, in text */
#define CALLER_INDENT 11

/* ---- Sentences */

static const char *figure_of(const struct text_report *r, const struct column *columns,
			     const char *key)
{
	struct view_row row = { .view = r->view };
	char text[FIGURE_TEXT_BYTES];
	struct figure f;

	while (columns->get && strcmp(columns->key, key) != 0)
		columns++;
	f = columns->get(&row);
	return intern_string(r->view->pool, figure_text(text, columns->kind, &f));
}

/* A list of what there is: each part is NULL or a text; "" when there is nothing. */
static const char *list(const struct text_report *r, const char *const *part, size_t count)
{
	const char *all = "";

	for (size_t i = 0; i < count; i++)
		if (part[i])
			all = intern_printf(r->view->pool, "%s%s%s", all, *all ? ", " : "",
					    part[i]);
	return all;
}

/* ---- Head: what was recorded and how much of it can be used */

static void say_title(const struct text_report *r)
{
	const struct recording *rec = r->view->recording;
	const char *path = rec->path && strcmp(rec->path, "-") ? rec->path : "standard input";
	uint32_t columns = label_columns(path) + 2;
	char label[LABEL_BYTES];

	if (!rec->command || columns + 20 > r->width) {
		report_say(r, "%s", path);
		return;
	}
	label_fit(label, rec->command, r->width - columns, r->style.unicode);
	report_say(r, "%s: %s", path, label);
}

static void say_machine(const struct text_report *r)
{
	const struct recording *rec = r->view->recording;
	const struct note_model *m = r->view->profile->model;
	const char *part[] = { rec->host, rec->cpu,
			       rec->kernel ? intern_printf(r->view->pool, "Linux %s", rec->kernel)
					   : NULL };
	const char *where = list(r, part, ARRAY_SIZE(part));

	if (m)
		report_say(r, "modelled on %s, not measured (%s, %s, %s MHz)",
			   m->machine ? m->machine : "an unnamed machine",
			   report_quantity(r, m->cpus, "CPU"), report_quantity(r, m->nodes, "node"),
			   report_thousands(r, m->mhz));
	else if (*where)
		report_say(r, "measured on %s", where);
}

static const char *loss_words(const struct text_report *r)
{
	const struct view *v = r->view;

	if (!v->recording->lost)
		return "none lost";
	return intern_printf(v->pool, "%s lost (%s)", report_thousands(r, v->recording->lost),
			     figure_of(r, recording_columns, "loss"));
}

static void say_volume(const struct text_report *r)
{
	const struct view *v = r->view;
	const struct profile *p = v->profile;

	const char *usable = intern_printf(v->pool, "%s usable (%.1f %%)",
					   report_thousands(r, p->total.samples),
					   v->samples ? 100.0 * p->total.samples / v->samples : 0);

	report_say(r, "%s, %s: %s, %s; %s", report_quantity(r, v->samples, "sample"),
		   p->total.samples == v->samples ? "all usable" : usable,
		   report_quantity(r, p->total.loads, "load"),
		   v->stores_known ? report_quantity(r, p->total.stores, "store")
				   : "no stores recorded (who writes is not seen)",
		   loss_words(r));
}

static const char *unless_none(const struct text_report *r, uint64_t n, const char *what)
{
	return n ? intern_printf(r->view->pool, "%s %s", report_thousands(r, n), what) : NULL;
}

/* Never silently: what has no name, and why. */
static void say_names(const struct text_report *r)
{
	const struct view *v = r->view;
	const struct view_names *n = &v->names;
	const char *data[] = {
		unless_none(r, n->data_no_map, "in no known mapping"),
		unless_none(r, n->data_no_symbol, "without a symbol"),
		unless_none(r, n->data_no_type, "without a type"),
	};
	const char *code[] = {
		unless_none(r, n->code_no_map, "in no known mapping"),
		unless_none(r, n->code_no_symbol, "without a symbol"),
		unless_none(r, n->code_no_line, "without a source line"),
	};
	const char *all_data = list(r, data, ARRAY_SIZE(data));
	const char *all_code = list(r, code, ARRAY_SIZE(code));

	if (*all_data || *all_code)
		report_say(r, "not named, of %s shown: %s%s%s%s%s",
			   report_quantity(r, n->asked, "sample"), *all_data ? "data " : "",
			   all_data, *all_data && *all_code ? "; " : "", *all_code ? "code " : "",
			   all_code);
	if (v->bare_files)
		report_say(
			r,
			"no debug information in %s (%s): fields and source lines are not known; "
			"build with -g, or install its debug symbols",
			report_quantity(r, v->bare_files, "file"), v->first_bare);
}

static void say_unusable(const struct text_report *r)
{
	const struct profile *p = r->view->profile;
	const struct recording *rec = r->view->recording;
	const char *part[] = {
		unless_none(r, p->unusable_no_source, "not known to be a load or a store"),
		unless_none(r, p->unusable_no_address, "without an address"),
		unless_none(r, rec->malformed_records, "malformed"),
	};
	const char *all = list(r, part, ARRAY_SIZE(part));

	if (*all)
		report_say(r, "not usable: %s", all);
	if (r->view->changed_files)
		report_say(r, "no names from %s changed since the recording: %s",
			   report_quantity(r, r->view->changed_files, "file"),
			   r->view->first_changed);
	say_names(r);
	if (view_loss(r->view) > SMALL_LOSS)
		report_say(r, "%s was lost: all counts are lower bounds",
			   figure_of(r, recording_columns, "loss"));
	if (rec->truncated)
		report_say(r, "the file is cut off: what follows is of its readable part%s%s%s",
			   rec->damage ? " (" : "", rec->damage ? rec->damage : "",
			   rec->damage ? ")" : "");
}

static void say_spe(const struct text_report *r)
{
	const struct recording_spe *spe = &r->view->recording->spe;
	const char *part[] = {
		report_quantity(r, spe->records, "record"),
		report_quantity(r, spe->collisions, "collision"),
		report_quantity(r, spe->lost_bytes, "truncated byte"),
		spe->truncated ? report_quantity(r, spe->truncated, "full buffer") : NULL,
	};

	report_say(r, "SPE: %s", list(r, part, ARRAY_SIZE(part)));
}

/* What the kernel or this program left out. */
static void say_missing(const struct text_report *r)
{
	const struct recording *rec = r->view->recording;

	if (rec->throttled)
		report_say(
			r,
			"the kernel paused sampling %s: busy times are under-represented; record "
			"with a lower rate (-F, or a longer period -c)",
			report_quantity(r, rec->throttled, "time"));
	if (rec->spe.recorded)
		say_spe(r);
	if (rec->aux_bytes)
		report_say(r, "%s of %s trace not decoded",
			   report_quantity(r, rec->aux_bytes, "byte"),
			   rec->aux_kind ? rec->aux_kind : "hardware");
}

static void say_seen(const struct text_report *r)
{
	const struct profile *p = r->view->profile;
	const struct recording *rec = r->view->recording;
	const char *threads = p->threads.count ? report_quantity(r, p->threads.count, "thread")
					       : "threads n/a";
	struct intern *pool = r->view->pool;
	const char *cpus = p->cpus.count ? report_quantity(r, p->cpus.count, "CPU") : "CPUs n/a";
	uint32_t all = p->model ? p->model->cpus : rec->cpus;

	report_say(
		r, "seen: %s on %s%s%s%s", threads, cpus,
		p->cpus.count && all ? intern_printf(pool, " of %s", report_thousands(r, all)) : "",
		p->model && p->model->door ? intern_printf(pool, ", through %s", p->model->door)
					   : "",
		p->without_mapping ? intern_printf(pool, "; %s in no known mapping",
						   report_quantity(r, p->without_mapping, "sample"))
				   : "");
	if (!p->model && data_source_caveat(rec->cpuid))
		report_say(r, "%s", data_source_caveat(rec->cpuid));
	if (!r->view->hitm_known)
		report_say(
			r,
			"HITM: n/a, this hardware does not tell it; peer: came from another core, "
			"perhaps not modified");
}

static const char *times(const struct text_report *r, uint64_t n, const char *one, const char *many)
{
	return unless_none(r, n, n == 1 ? one : many);
}

static void say_replay(const struct text_report *r)
{
	const struct note_model *m = r->view->profile->model;
	const char *part[] = {
		times(r, m->forced, "step forced", "steps forced"),
		times(r, m->breaks, "wait broken off", "waits broken off"),
		times(r, m->abandoned, "lock section never released",
		      "lock sections never released"),
		times(r, m->unplaced, "access of threads too many to model",
		      "accesses of threads too many to model"),
	};
	const char *all = list(r, part, ARRAY_SIZE(part));

	if (*all)
		report_say(r, "the model is less exact here: %s", all);
	if (!m->complete)
		report_say(
			r,
			"incomplete: the recording ends before the run did, the model's totals are "
			"missing");
}

static void say_model(const struct text_report *r)
{
	const struct view *v = r->view;

	if (!v->profile->model)
		return;
	report_say(r, "modelled run: %s cycles, %s HITM", figure_of(r, model_columns, "cycles"),
		   figure_of(r, model_columns, "hitm"));
	if (v->operations)
		report_say(r, "one %s: %s HITM, one every %s cycles",
			   v->one_operation ? "operation" : "operation of any kind",
			   figure_of(r, model_columns, "hitm_per_operation"),
			   figure_of(r, model_columns, "cycles_per_operation"));
	say_replay(r);
}

/* "(signal queued, counted by signal:signal_generate): 12,345 a second" */
static void say_operation(const struct text_report *r, const struct note_operation *o)
{
	struct intern *pool = r->view->pool;
	const char *by = note_operation_counted(o) && strcmp(o->event, o->name)
				 ? intern_printf(pool, ", counted by %s", o->event)
				 : "";
	const char *rate = "";

	if (o->duration)
		rate = intern_printf(pool, ": %s a second",
				     report_thousands(r, o->count / (o->duration / 1e9) + 0.5));
	report_say(r, "%s (%s%s)%s", report_quantity(r, o->count, "operation"), o->name, by, rate);
}

static void say_operations(const struct text_report *r)
{
	const struct view *v = r->view;
	const struct profile *p = v->profile;

	for (uint32_t i = 0; i < p->operation_count; i++)
		say_operation(r, &p->operations[i]);
	if (!p->model && p->total.samples && v->operations && v->hitm_known)
		report_say(r, "sampled HITM for each 1,000 operations: %.3g",
			   1000.0 * counts_hitm(&p->total) / v->operations);
}

/* Nothing was sampled, and nothing was to be. */
static bool operations_alone(const struct view *v)
{
	return v->operations && !v->samples && !v->profile->model;
}

static void say_remarks(const struct text_report *r)
{
	const struct profile *p = r->view->profile;

	for (uint32_t i = 0; i < p->remark_count; i++)
		report_say(r, "note: %s", p->remarks[i]);
}

static void say_head(const struct text_report *r)
{
	say_title(r);
	say_machine(r);
	if (!operations_alone(r->view)) {
		say_volume(r);
		say_unusable(r);
		say_missing(r);
		say_seen(r);
	}
	say_operations(r);
	say_model(r);
	say_remarks(r);
	fputc('\n', r->out);
}

/* ---- The answer in a sentence */

/* The model samples only lines that two threads share. */
static void say_unshared(const struct text_report *r)
{
	const struct note_model *m = r->view->profile->model;

	if (!m->complete)
		report_say(r, "no contention seen: the recording ends early and holds no samples");
	else if (m->threads < 2)
		report_say(r, "no contention: the modelled program never had two threads");
	else
		report_say(
			r,
			"no contention: no line was shared by two threads with a write among them");
}

static void say_answer(const struct text_report *r)
{
	const struct view *v = r->view;
	const struct profile *p = v->profile;

	if (p->model && !p->total.samples)
		say_unshared(r);
	else if (!p->total.samples)
		report_say(r, "no memory samples, so no contention could be seen%s",
			   operations_alone(v) ? ": operations alone were recorded" : "");
	else if (!p->contended_count)
		report_say(r, "no contention in %s, loss %s",
			   report_quantity(r, p->total.samples, "usable sample"),
			   figure_of(r, recording_columns, "loss"));
	else if (!p->total.latency_samples)
		report_say(r, "%s; latencies were not recorded, so their cost is not known",
			   report_quantity(r, p->contended_count, "contended line"));
	else
		report_say(r, "%s: %s of all sampled %s",
			   report_quantity(r, p->contended_count, "contended line"),
			   figure_of(r, recording_columns, "contended_share"),
			   p->stores_cost ? "cycles" : "load cycles");
}

/* Under the row of a place in the code: who called it. */
static void say_callers(const struct text_report *r, const struct view_code *code)
{
	const struct view_stacks *s = &code->callers;

	for (uint32_t i = 0; i < s->count && i < CALLERS; i++) {
		char *names = view_stack_text(&s->stack[i]);
		char label[LABEL_BYTES], share[16];

		snprintf(share, sizeof(share), "%.0f %%", 100 * view_stack_share(s, &s->stack[i]));
		label_fit(label, names, r->width - CALLER_INDENT - 12, r->style.unicode);
		if (*names)
			fprintf(r->out, "%*s%s from %s\n", CALLER_INDENT, "", share, label);
		free(names);
	}
}

/* Calls "each" for the row of every cell, and of every code address where a cell has several. */
static void for_cell_rows(const struct text_report *r, const struct view_line *l,
			  struct report_table *t,
			  void (*each)(struct report_table *, const struct text_report *,
				       const struct view_row *))
{
	for (uint32_t i = 0; i < l->cell_count; i++) {
		struct view_row row = { .view = r->view, .line = l, .cell = &l->cells[i] };

		each(t, r, &row);
		for (uint32_t k = 0; k < l->cells[i].code_count; k++) {
			row.code = &l->cells[i].codes[k];
			if (l->cells[i].code_count > 1)
				each(t, r, &row);
		}
	}
}

static void measure_row(struct report_table *t, const struct text_report *r,
			const struct view_row *row)
{
	(void)r;
	report_table_measure(t, row);
}

static void print_row(struct report_table *t, const struct text_report *r,
		      const struct view_row *row)
{
	report_table_row(t, r, row);
	if (row->code)
		say_callers(r, row->code);
	else if (row->cell->code_count == 1)
		say_callers(r, &row->cell->codes[0]);
}

/* What makes a line contended, where that is not the plain case. */
static void say_evidence(const struct text_report *r, const struct contended_line *l)
{
	const char *text = NULL;

	if (!l->contended)
		return; /* the verdict says so */
	if (l->evidence == EVIDENCE_STORES)
		text = "stores only: several threads write it, no load was seen to pay for it";
	else if (l->evidence == EVIDENCE_PEER)
		text = "peer only: it moved between cores, whether modified is not known";
	if (text)
		fprintf(r->out, "%*s%s\n", CELL_INDENT, "", text);
}

/* "why:" and "try:", wrapped under the line's row. */
static void say_sentence(const struct text_report *r, const char *head, const char *text)
{
	struct text_report narrow = *r;

	if (!text)
		return;
	fprintf(r->out, "%*s", CELL_INDENT, "");
	narrow.width -= CELL_INDENT;
	narrow.indent = CELL_INDENT;
	report_say(&narrow, "%s %s", head, text);
}

static void say_verdict(const struct text_report *r, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;
	const char *sure = "";

	if (s->confidence > 0)
		sure = intern_printf(r->view->pool, " (confidence %.0f %%)", 100 * s->confidence);
	say_sentence(r, "why:", intern_printf(r->view->pool, "%s%s", s->reason, sure));
	say_sentence(r, "try:", s->advice);
}

static void print_lines(const struct text_report *r)
{
	const struct view *v = r->view;
	struct report_table lines, cells;

	report_table_init(&lines, r, line_columns, LINE_INDENT);
	report_table_init(&cells, r, cell_columns, CELL_INDENT);
	for (uint32_t i = 0; i < v->line_count; i++) {
		struct view_row row = { .view = v, .line = &v->lines[i] };

		report_table_measure(&lines, &row);
		for_cell_rows(r, &v->lines[i], &cells, measure_row);
	}
	report_table_fit(&lines, r->width);
	report_table_fit(&cells, r->width);
	report_table_heading(&lines, r);
	report_table_heading(&cells, r);
	for (uint32_t i = 0; i < v->line_count; i++) {
		struct view_row row = { .view = v, .line = &v->lines[i] };

		report_table_row(&lines, r, &row);
		say_evidence(r, v->lines[i].line);
		for_cell_rows(r, &v->lines[i], &cells, print_row);
		say_verdict(r, &v->lines[i]);
	}
}

/* ---- Pairs of lines */

#define TOP_PAIRS 5

static const char *pair_side(const struct text_report *r, struct attrib *attrib,
			     const struct pair_candidate *p, int side)
{
	const char *noun = r->view->profile->threads.count ? "thread" : "CPU";

	return intern_printf(r->view->pool, "%s by %s %u (%s, %s)",
			     report_pair_name(r->view, attrib, p, side), noun, p->actor[side],
			     report_quantity(r, p->samples[side], "sample"),
			     report_quantity(r, p->stores[side], "store"));
}

static void say_pairs(const struct text_report *r, struct attrib *attrib,
		      const struct report_options *options)
{
	const struct profile *p = r->view->profile;
	uint32_t most = options->all ? UINT32_MAX : TOP_PAIRS;

	if (!p->pair_count)
		return;
	fputc('\n', r->out);
	report_say(
		r,
		"%s: neighbouring lines of %u bytes, each used by one thread; they cost only where "
		"the adjacent-line prefetcher moves pairs of lines, and then a line between them "
		"helps "
		"(+%u bytes)",
		report_quantity(r, p->pair_count, "pair candidate"), 2 * p->line_size,
		p->line_size);
	for (uint32_t i = 0; i < p->pair_count && i < most; i++)
		report_say(r, "  %s | %s", pair_side(r, attrib, &p->pairs[i], 0),
			   pair_side(r, attrib, &p->pairs[i], 1));
	if (p->pair_count > most)
		report_say(r, "%s not shown (--all)",
			   report_quantity(r, p->pair_count - most, "pair"));
}

/* ---- Functions */

#define TOP_FIGHTS  20
#define TOP_BUCKETS 20

/* 0: all */
static uint32_t row_limit(const struct report_options *options, uint32_t otherwise)
{
	return options->top ? options->top : options->all ? 0 : otherwise;
}

static void print_fights(const struct text_report *r, struct attrib *attrib,
			 const struct report_options *options)
{
	struct report_table table;
	struct fights fights;

	fights_init(&fights, r->view, attrib, row_limit(options, TOP_FIGHTS));
	report_table_init(&table, r, fight_columns, LINE_INDENT);
	for (uint32_t i = 0; i < fights.count; i++)
		report_table_measure(
			&table, &(struct view_row){ .view = r->view, .fight = &fights.rows[i] });
	report_table_fit(&table, r->width);
	if (fights.count)
		report_table_heading(&table, r);
	for (uint32_t i = 0; i < fights.count; i++)
		report_table_row(&table, r,
				 &(struct view_row){ .view = r->view, .fight = &fights.rows[i] });
	fputc('\n', r->out);
	report_say(r, "moves: samples of lines that came from another core; for whom each waits is "
		      "shared "
		      "out "
		      "by samples");
	if (fights.hidden)
		report_say(r, "%s not shown (--all)",
			   report_quantity(r, fights.hidden, "more pair"));
	fights_deinit(&fights);
}

/* ---- Foot: what is not shown */

static double hitm_percent(const struct view *v, uint64_t hitm)
{
	uint64_t all = counts_hitm(&v->profile->total);

	return all ? 100.0 * hitm / all : 0;
}

static void say_hidden_cells(const struct text_report *r)
{
	const struct view *v = r->view;
	const char *part[] = {
		v->hidden.cells ? intern_printf(v->pool, "%s with %s HITM",
						report_quantity(r, v->hidden.cells, "more offset"),
						report_thousands(r, v->hidden.cells_hitm))
				: NULL,
		v->hidden.codes ? report_quantity(r, v->hidden.codes, "more place") : NULL,
	};
	const char *all = list(r, part, ARRAY_SIZE(part));

	if (*all)
		report_say(r, "of these lines not shown: %s (--all)", all);
}

static void say_foot(const struct text_report *r)
{
	const struct view *v = r->view;
	char legend[HEAT_STRIP_BYTES];

	if (v->line_count) {
		heat_legend(legend, &r->style);
		fprintf(r->out, "\nshades, against the hottest word: %s\n", legend);
		if (v->hitm_known)
			report_say(
				r,
				"llc/node/far: HITM from a core of the same last-level cache, of "
				"the same node, of another node");
	}
	if (v->profile->model)
		report_say(r,
			   "ranges: over how long a core keeps a line before it gives it up, %s "
			   "cycles",
			   figure_of(r, model_columns, "hold"));
	say_hidden_cells(r);
	if (v->hidden.lines)
		report_say(r, "%s with %.1f %% of HITM (%s) not shown (--all)",
			   report_quantity(r, v->hidden.lines, "line"),
			   hitm_percent(v, v->hidden.hitm), report_thousands(r, v->hidden.hitm));
	if (v->hidden.quiet_lines)
		report_say(r, "%s shared without contention%s not shown (--all)",
			   report_quantity(r, v->hidden.quiet_lines, "line"),
			   v->hidden.quiet_hitm
				   ? intern_printf(v->pool, ", with %s HITM,",
						   report_thousands(r, v->hidden.quiet_hitm))
				   : "");
}

static uint32_t report_width(uint32_t columns)
{
	if (!columns || columns > REPORT_COLUMNS)
		return REPORT_COLUMNS;
	return columns < NARROWEST ? NARROWEST : columns;
}

void report_text(FILE *out, const struct recording *recording, const struct profile *profile,
		 struct attrib *attrib, const struct report_options *options)
{
	struct view view;
	struct text_report r = {
		.out = out,
		.view = &view,
		.style = { .unicode = options->unicode, .colour = options->colour },
		.width = report_width(options->columns),
	};

	view_init(&view, recording, profile, attrib, options);
	say_head(&r);
	say_answer(&r);
	if (view.line_count)
		fputc('\n', out);
	if (options->buckets) {
		report_buckets(&r, attrib, row_limit(options, TOP_BUCKETS));
	} else if (view.line_count && options->functions) {
		print_fights(&r, attrib, options);
	} else {
		if (view.line_count)
			print_lines(&r);
		say_foot(&r);
		say_pairs(&r, attrib, options);
	}
	view_deinit(&view);
}
