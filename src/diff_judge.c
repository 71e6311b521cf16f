// SPDX-License-Identifier: GPL-2.0-only
#include "diff_judge.h"
#include "mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the hits of both sides together, which tell nothing of a difference: rows below are not
 * compared, since each further row asks more of all the others. */
#define LEAST_SHARE 0.005
#define LEAST_HITS  10
/* Of the other side's rate: what a field keeps that is called gone. */
#define REMAINS	       0.05
#define LOSS_DIFFERS   0.01
#define PERIOD_DIFFERS 0.1
#define FIGURE_BYTES   32

/* ---- Rates */

static double exposure(const struct diff_run *r, enum diff_unit unit)
{
	static const double NONE = 0;
	const double by[] = { [DIFF_PER_OPERATION] = r->operations,
			      [DIFF_PER_SECOND] = r->seconds,
			      [DIFF_PER_SAMPLE] = r->profile->total.samples };

	/* Samples of the model stand for more than themselves. */
	return by[unit] > 0 ? by[unit] / (unit == DIFF_PER_SAMPLE ? 1 : r->weight) : NONE;
}

static double side_rate(const struct diff *d, const struct diff_row *row, enum diff_unit unit,
			enum diff_side side)
{
	double rate = 0;

	for (uint32_t i = 0; i < d->run_count; i++) {
		double by = exposure(&d->runs[i], unit);

		if (d->runs[i].side != side)
			continue;
		if (!(by > 0))
			return NAN;
		rate += (row->hits ? row->hits[i] : 0) / by / d->side_runs[side];
	}
	return rate;
}

static struct stat_ratio row_ratio(const struct diff *d, const struct diff_row *row)
{
	struct stat_run *runs[DIFF_SIDES];
	struct stat_ratio r;
	uint32_t n[DIFF_SIDES] = { 0 };
	double count[DIFF_SIDES] = { 0 }, by[DIFF_SIDES] = { 0 };

	for (int s = 0; s < DIFF_SIDES; s++)
		runs[s] = mem_zalloc(d->side_runs[s] * sizeof(*runs[s]));
	for (uint32_t i = 0; i < d->run_count; i++) {
		enum diff_side s = d->runs[i].side;
		struct stat_run *to = &runs[s][n[s]++];

		*to = (struct stat_run){ row->hits ? row->hits[i] : 0,
					 exposure(&d->runs[i], d->unit) };
		count[s] += to->count;
		by[s] += to->by;
	}
	r = d->by_runs ? stat_welch_ratio(runs[0], n[0], runs[1], n[1])
		       : stat_poisson_ratio(count[0], by[0], count[1], by[1], DIFF_MARGIN);
	free(runs[0]);
	free(runs[1]);
	return r;
}

static double row_hits(const struct diff *d, const struct diff_row *row)
{
	double sum = 0;

	for (uint32_t i = 0; i < d->run_count; i++)
		sum += row->hits ? row->hits[i] : 0;
	return sum;
}

static void judge_row(const struct diff *d, struct diff_row *row)
{
	double hits = row_hits(d, row);

	for (int u = 0; u < DIFF_UNITS; u++)
		for (int s = 0; s < DIFF_SIDES; s++)
			row->rate[u][s] = side_rate(d, row, u, s);
	row->ratio = row_ratio(d, row);
	row->adjusted = row->ratio.known && hits >= LEAST_HITS &&
					hits >= LEAST_SHARE * row_hits(d, &d->total)
				? row->ratio.p
				: NAN;
}

/* Calls "what" for each object and each field; returns how many they are. */
static uint32_t each_row(struct diff *d, void (*what)(struct diff_row *row, double *p), double *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->object_count; i++) {
		struct diff_object *o = &d->objects[i];

		what(&o->row, p ? &p[n] : NULL);
		n++;
		for (uint32_t k = 0; k < o->field_count; k++, n++)
			what(&o->fields[k].row, p ? &p[n] : NULL);
	}
	return n;
}

static void count_row(struct diff_row *row, double *p)
{
}

static void get_p(struct diff_row *row, double *p)
{
	*p = row->adjusted;
}

static void set_p(struct diff_row *row, double *p)
{
	row->adjusted = *p;
	row->significant = row->adjusted < DIFF_LEVEL; /* never of NAN */
}

/* Objects and fields are one family; the whole is asked about for itself. */
void diff_judge_rates(struct diff *d)
{
	uint32_t n = each_row(d, count_row, NULL);
	double *p = mem_zalloc((n + 1) * sizeof(*p));

	judge_row(d, &d->total);
	d->total.significant = d->total.adjusted < DIFF_LEVEL;
	for (uint32_t i = 0; i < d->object_count; i++) {
		judge_row(d, &d->objects[i].row);
		for (uint32_t k = 0; k < d->objects[i].field_count; k++)
			judge_row(d, &d->objects[i].fields[k].row);
	}
	each_row(d, get_p, p);
	stat_holm(p, n);
	each_row(d, set_p, p);
	free(p);
}

/* ---- Words */

/* Gone and new are not a matter of samples alone: what was hardly there may only be unseen. */
static enum diff_word rate_word(const struct diff *d, const struct diff_row *row)
{
	double before = row->rate[d->unit][DIFF_BEFORE], after = row->rate[d->unit][DIFF_AFTER];

	if (!row->significant)
		return DIFF_SAME;
	if (after < REMAINS * before)
		return DIFF_GONE;
	return before < REMAINS * after ? DIFF_NEW : DIFF_SAME;
}

static const char *rate_text(struct intern *pool, double rate)
{
	char text[FIGURE_BYTES];

	snprintf(text, sizeof(text), rate >= 100 ? "%.0f" : "%.3g", rate);
	return intern_string(pool, text);
}

static const char *rate_story(const struct diff *d, const struct diff_row *row, struct intern *pool)
{
	const double *rate = row->rate[d->unit];

	if (row->word != DIFF_SAME)
		return intern_printf(pool, "%s: %s %s per %s instead of %s",
				     diff_word_name(row->word), rate_text(pool, rate[DIFF_AFTER]),
				     d->peers ? "peers" : "HITM", diff_unit_name(d->unit),
				     rate_text(pool, rate[DIFF_BEFORE]));
	if (!row->significant)
		return intern_string(pool, "same");
	return intern_string(pool, row->ratio.ratio < 1 ? "same place, less" : "same place, more");
}

static void tell_rates(struct diff *d, struct intern *pool)
{
	for (uint32_t i = 0; i < d->object_count; i++) {
		struct diff_object *o = &d->objects[i];

		o->row.word = rate_word(d, &o->row);
		o->row.story = rate_story(d, &o->row, pool);
		for (uint32_t k = 0; k < o->field_count; k++) {
			o->fields[k].row.word = rate_word(d, &o->fields[k].row);
			o->fields[k].row.story = rate_story(d, &o->fields[k].row, pool);
		}
	}
	d->total.word = rate_word(d, &d->total);
	d->total.story = rate_story(d, &d->total, pool);
}

static const char *place_text(struct intern *pool, uint32_t offset)
{
	return intern_printf(pool, "+%u %s", offset, line_half_name(line_half(offset)));
}

static bool is_placed(const struct diff_row *row)
{
	return row->word != DIFF_GONE && row->word != DIFF_NEW;
}

/* The name that the row of a field has, when "name" is after's. */
static const char *row_name(const struct align_object *a, const char *name)
{
	for (uint32_t i = 0; i < a->field_count; i++)
		if (a->fields[i].side[0] && a->fields[i].side[1] &&
		    a->fields[i].side[1]->name == name)
			return a->fields[i].side[0]->name;
	return name ? name : "another contender";
}

/* Whom it meets tells more than what has come or gone; where it lies tells less. */
static void tell_field(struct diff_row *row, const struct align_object *a,
		       const struct align_field *f, struct intern *pool)
{
	uint32_t before = f->line_offset[0], after = f->line_offset[1];
	const char *with = f->joined ? row_name(a, f->with)
			   : f->with ? f->with
				     : "another contender";

	if (f->joined && f->parted) {
		row->word = DIFF_MERGED;
		row->story = intern_printf(
			pool, "merged: its line's other contenders changed; now %s", with);
	} else if (f->joined) {
		row->word = DIFF_MERGED;
		row->story = intern_printf(pool, "merged: shares a line with %s now", with);
	} else if (f->parted) {
		row->word = DIFF_SPLIT;
		row->story = intern_printf(pool, "split: no more in a line with %s", with);
	} else if (before != after && is_placed(row)) {
		row->word = DIFF_MOVED;
		row->story = intern_printf(pool, "moved: %s -> %s", place_text(pool, before),
					   place_text(pool, after));
	}
}

static const char *moved_story(struct intern *pool, const struct align_object *a)
{
	uint32_t before = use_base(a->side[0]), after = use_base(a->side[1]);

	if (a->kind == ALIGN_FIELD_MOVED)
		return intern_string(pool, "moved: fields lie elsewhere in it, no new contender");
	if (line_half(before) == line_half(after))
		return intern_printf(pool,
				     "moved: starts at +%u, not +%u; same fields, no new "
				     "contender",
				     after, before);
	return intern_printf(pool, "moved: %s to %s half; same fields, no new contender",
			     line_half_name(line_half(before)), line_half_name(line_half(after)));
}

static void tell_object(struct diff_row *row, const struct align_object *a, struct intern *pool)
{
	if (a->kind == ALIGN_MERGED) {
		row->word = DIFF_MERGED;
		row->story = intern_string(pool, "merged: contenders share a line that did not");
	} else if (a->kind == ALIGN_SPLIT) {
		row->word = DIFF_SPLIT;
		row->story = intern_string(pool, "split: contenders that shared a line do not");
	} else if ((a->kind == ALIGN_OBJECT_MOVED || a->kind == ALIGN_FIELD_MOVED) &&
		   is_placed(row)) {
		row->word = DIFF_MOVED;
		row->story = moved_story(pool, a);
	}
}

static struct diff_object *find_object(struct diff *d, const char *name)
{
	for (uint32_t i = 0; i < d->object_count; i++)
		if (d->objects[i].row.name == name)
			return &d->objects[i];
	return NULL;
}

static struct diff_field *find_field(struct diff_object *o, const char *name)
{
	for (uint32_t i = 0; i < o->field_count; i++)
		if (o->fields[i].row.name == name)
			return &o->fields[i];
	return NULL;
}

static void tell_layout(struct diff *d, const struct align_object *a, struct intern *pool)
{
	struct diff_object *o = find_object(d, a->side[0]->name);

	if (!o)
		return;
	tell_object(&o->row, a, pool);
	for (uint32_t k = 0; k < a->field_count; k++) {
		const struct align_field *f = &a->fields[k];
		struct diff_field *to = f->side[0] && f->side[1] ? find_field(o, f->side[0]->name)
								 : NULL;

		if (to)
			tell_field(&to->row, a, f, pool);
	}
}

void diff_judge_words(struct diff *d, const struct align *a, struct intern *pool)
{
	tell_rates(d, pool);
	for (uint32_t i = 0; i < a->count; i++)
		if (a->objects[i].side[0] && a->objects[i].side[1])
			tell_layout(d, &a->objects[i], pool);
}

/* ---- Sides that are hard to compare */

static void warn(struct diff *d, const char *text)
{
	mem_grow(&d->warnings, &d->warning_room, d->warning_count);
	d->warnings[d->warning_count++] = text;
}

static const char *shown(const char *s)
{
	return s ? s : "not recorded";
}

static void compare_texts(struct diff *d, struct intern *pool, const char *what, const char *before,
			  const char *after)
{
	if (before == after || (before && after && !strcmp(before, after)))
		return;
	warn(d, intern_printf(pool, "%s: %s before, %s after", what, shown(before), shown(after)));
}

static void compare_numbers(struct diff *d, struct intern *pool, const char *what, uint64_t before,
			    uint64_t after)
{
	if (before != after)
		warn(d, intern_printf(pool, "%s: %llu before, %llu after", what,
				      (unsigned long long)before, (unsigned long long)after));
}

static const char *event_names(const struct recording *r, struct intern *pool)
{
	const char *names = intern_string(pool, "");

	for (uint32_t i = 0; i < r->event_count; i++)
		names = intern_printf(pool, "%s%s%s", names, i ? ", " : "", r->events[i].name);
	return names;
}

/* Of loads: config1 of Intel's mem-loads is the least latency that is sampled. */
static uint64_t least_latency(const struct recording *r)
{
	for (uint32_t i = 0; i < r->event_count; i++)
		if (r->events[i].name && strstr(r->events[i].name, "mem-loads") &&
		    r->events[i].config1)
			return r->events[i].config1 & 0xffff;
	return 0;
}

static double loss(const struct diff_run *r)
{
	double seen = r->profile->total.samples, lost = r->recording->lost;

	return lost > 0 ? lost / (lost + seen) : 0;
}

static double mean_period(const struct diff_run *r)
{
	const struct counts *c = &r->profile->total;

	return c->samples ? (double)c->accesses / c->samples : 0;
}

static void compare_sampling(struct diff *d, struct intern *pool, const struct diff_run *before,
			     const struct diff_run *after)
{
	double period[] = { mean_period(before), mean_period(after) };

	if (fabs(loss(before) - loss(after)) > LOSS_DIFFERS)
		warn(d, intern_printf(pool, "samples lost: %.1f %% before, %.1f %% after",
				      100 * loss(before), 100 * loss(after)));
	/* The model's weights make up for it. */
	if (before->profile->model && after->profile->model)
		return;
	if (fabs(period[0] - period[1]) > PERIOD_DIFFERS * fmax(period[0], period[1]))
		warn(d, intern_printf(pool, "one sample in %.4g events before, in %.4g after",
				      period[0], period[1]));
}

static void compare_runs(struct diff *d, struct intern *pool, const struct diff_run *before,
			 const struct diff_run *after)
{
	const struct recording *a = before->recording, *b = after->recording;
	const struct note_model *m[] = { before->profile->model, after->profile->model };

	compare_texts(d, pool, "machine", m[0] ? m[0]->machine : "a real one",
		      m[1] ? m[1]->machine : "a real one");
	compare_texts(d, pool, "events", event_names(a, pool), event_names(b, pool));
	compare_numbers(d, pool, "least latency (ldlat)", least_latency(a), least_latency(b));
	compare_sampling(d, pool, before, after);
	compare_numbers(d, pool, "line size", before->profile->line_size,
			after->profile->line_size);
	if (m[0] && m[1])
		return; /* the host's kernel and CPUs are not what was modelled */
	compare_texts(d, pool, "kernel", a->kernel, b->kernel);
	compare_texts(d, pool, "CPU", a->cpu, b->cpu);
	compare_numbers(d, pool, "CPUs", a->cpus, b->cpus);
}

/* Names are what rows are matched by: a program that was built anew gives none for its old
 * recording.
 */
static void warn_of_changed_files(struct diff *d, struct intern *pool, const struct diff_run *r)
{
	const char *first;

	if (attrib_changed_files(r->attrib, &first))
		warn(d,
		     intern_printf(pool, "names: %s is not the file of %s any more and gives none",
				   shown(first), shown(r->recording->path)));
}

void diff_judge_sides(struct diff *d, struct intern *pool)
{
	if (d->first[0]->profile->model && d->first[1]->profile->model)
		compare_numbers(d, pool, "threads", d->first[0]->profile->model->threads,
				d->first[1]->profile->model->threads);
	compare_runs(d, pool, d->first[0], d->first[1]);
	for (uint32_t i = 0; i < d->run_count; i++)
		warn_of_changed_files(d, pool, &d->runs[i]);
	if (d->unit == DIFF_PER_SAMPLE)
		warn(d, intern_string(pool, "neither time nor operations are known of all "
					    "recordings: rates are shares of samples"));
}
