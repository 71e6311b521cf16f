// SPDX-License-Identifier: GPL-2.0-only
#include "figure.h"
#include "json.h"
#include "label.h"
#include "mem.h"
#include "report_align.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BASES_MOST	64 /* of a line of 256 bytes by 4 */
#define DEFAULT_OBJECTS 3
#define CHANGES_SHOWN	4
#define NAME_COLUMNS	40
#define LEAST_SHARE	0.005 /* of all HITM; smaller objects are counted, not shown */
#define LEAST_GAIN	0.05  /* of the recorded HITM that a change must save to be worth a row */

struct drawing {
	FILE *out;
	const struct report_what_if *what;
	const struct report_options *options;
};

static void put_label(const struct drawing *d, const char *text, uint32_t columns)
{
	label_put(d->out, text, columns, d->options->unicode);
}

static double change_percent(double before, double after)
{
	double percent = before > 0 ? 100 * (after - before) / before : 0;

	return fabs(percent) < 0.5 ? 0 : percent; /* no "-0 %" */
}

/* ---- Fields */

static void put_field(const struct drawing *d, const struct use_object *o,
		      const struct use_field *f)
{
	uint32_t at = use_base(o) + f->offset, line = at / o->line_size;
	char reads[FIGURE_TEXT_BYTES], writes[FIGURE_TEXT_BYTES];
	struct idset users = { 0 };

	idset_merge(&users, &f->readers);
	idset_merge(&users, &f->writers);
	fprintf(d->out, "  +%-6" PRIu32, f->offset);
	put_label(d, f->name, 26);
	fprintf(d->out, " %4" PRIu32 " %5" PRIu32 " +%-3" PRIu32 " %-5s %12s %12s %7" PRIu32 "\n",
		f->size, line, at % o->line_size, line_half_name(line_half(at)),
		figure_count(reads, llround(f->loads)), figure_count(writes, llround(f->stores)),
		users.count);
	idset_deinit(&users);
}

static void put_fields(const struct drawing *d, const struct use_object *o)
{
	fprintf(d->out, "  %-7s%-26s %4s %5s %-4s %-5s %12s %12s %7s\n", "offset", "field", "size",
		"line", "at", "half", "reads", "writes", "threads");
	for (uint32_t i = 0; i < o->field_count; i++)
		put_field(d, o, &o->fields[i]);
}

/* ---- Bases */

static bool alike(const struct what_if_cost *a, const struct what_if_cost *b)
{
	return a->lines == b->lines && a->splits == b->splits && a->upper == b->upper &&
	       fabs(a->hitm - b->hitm) <= 0.01 * (a->hitm + b->hitm) / 2;
}

static void put_base(const struct drawing *d, const struct use_object *o, uint32_t first,
		     uint32_t last, const struct what_if_cost *c)
{
	uint32_t recorded = use_base(o);
	double hitm = counts_hitm(&o->counts);
	char range[32], count[FIGURE_TEXT_BYTES];

	if (first == last)
		snprintf(range, sizeof(range), "+%" PRIu32, first);
	else
		snprintf(range, sizeof(range), "+%" PRIu32 "..%" PRIu32, first, last);
	fprintf(d->out, "  %c %-9s %5" PRIu32 " %10" PRIu32 "/%" PRIu32 " %14s %+8.0f %%",
		recorded >= first && recorded <= last ? '*' : ' ', range, c->lines, c->upper,
		o->field_count - c->upper, figure_count(count, llround(c->hitm)),
		change_percent(hitm, c->hitm));
	if (c->splits)
		fprintf(d->out, "  %" PRIu32 " field%s split over two lines", c->splits,
			c->splits == 1 ? "" : "s");
	fputc('\n', d->out);
}

/* Bases with one outcome are one row. */
static void put_bases(const struct drawing *d, const struct use_object *o, struct what_if *w)
{
	struct what_if_cost cost[BASES_MOST];
	uint32_t step = d->what->step, first = 0;
	size_t count = what_if_bases(w, step, cost, BASES_MOST);

	fprintf(d->out, "  if the object began at (* it did):\n");
	fprintf(d->out, "    %-9s %5s %12s %14s\n", "base", "lines", "upper/lower",
		"predicted HITM");
	for (uint32_t i = 1; i <= count; i++)
		if (i == count || !alike(&cost[i], &cost[first])) {
			put_base(d, o, first * step, (i - 1) * step, &cost[first]);
			first = i;
		}
}

/* ---- Changes */

static void change_text(char *text, size_t size, const struct use_object *o,
			const struct what_if_change *c)
{
	static const char *const words[] = {
		[WHAT_IF_ALIGN] = "%s and what follows on a new line",
		[WHAT_IF_ALONE] = "%s on a line of its own",
		[WHAT_IF_LAST] = "%s moved to the end",
	};

	/* The words are constants of this file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, size, words[c->kind], o->fields[c->field].name);
#pragma GCC diagnostic pop
}

static void put_change(const struct drawing *d, const struct use_object *o,
		       const struct what_if_change *c)
{
	char text[LABEL_BYTES], count[FIGURE_TEXT_BYTES];

	change_text(text, sizeof(text), o, c);
	fprintf(d->out, "    ");
	put_label(d, text, NAME_COLUMNS + 10);
	fprintf(d->out, " %12s %+6.0f %%  %+" PRId64 " bytes\n",
		figure_count(count, llround(c->cost.hitm)),
		change_percent(counts_hitm(&o->counts), c->cost.hitm), (int64_t)c->bytes);
}

static size_t worth_showing(const struct use_object *o, const struct what_if_change *c,
			    size_t count)
{
	double limit = counts_hitm(&o->counts) * (1 - LEAST_GAIN);
	size_t n = 0;

	while (n < count && n < CHANGES_SHOWN && c[n].cost.hitm < limit)
		n++;
	return n;
}

static void put_changes(const struct drawing *d, const struct use_object *o, struct what_if *w)
{
	size_t count, shown;
	struct what_if_change *change = what_if_changes(w, &count);

	shown = worth_showing(o, change, count);
	if (shown)
		fprintf(d->out, "  changes of the layout that help:\n");
	else
		fprintf(d->out, "  no move, padding or alignment of one member helps: its threads "
				"share the fields themselves\n");
	for (size_t i = 0; i < shown; i++)
		put_change(d, o, &change[i]);
	free(change);
}

/* ---- Objects */

static void put_object(const struct drawing *d, const struct use_object *o)
{
	struct what_if *w = what_if_new(o);
	char hitm[FIGURE_TEXT_BYTES];

	fprintf(d->out, "\n");
	put_label(d, o->name, NAME_COLUMNS);
	fprintf(d->out, "%s%s%s at +%" PRIu32 " in its line", o->type ? "(" : "",
		o->type ? o->type : "", o->type ? ")" : "", use_base(o));
	if (o->size)
		fprintf(d->out, ", %" PRIu64 " bytes", o->size);
	fprintf(d->out, ": %s HITM recorded\n", figure_count(hitm, counts_hitm(&o->counts)));
	put_fields(d, o);
	if (what_if_known(w)) {
		put_bases(d, o, w);
		put_changes(d, o, w);
	} else {
		fprintf(d->out,
			"  its own fields do not explain this: who writes its line is another "
			"object, or was not sampled\n");
	}
	what_if_free(w);
}

/* So many objects, the first by HITM, are worth showing. */
static uint32_t count_large(const struct use_set *use)
{
	uint64_t all = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < use->count; i++)
		all += counts_hitm(&use->objects[i].counts);
	while (n < use->count && counts_hitm(&use->objects[n].counts) >= LEAST_SHARE * all)
		n++;
	return n;
}

static void put_explanation(FILE *out)
{
	fprintf(out,
		"\nPredicted, not measured: a line is paid for once each time a thread gets it "
		"back after others\nwrote it, however many of its fields the thread then reads "
		"(docs/align.md).\n");
}

/* ---- Sensitivity */

struct range {
	double least, most;
	const struct use_object *object;
};

static struct range range_of(const struct use_object *o, uint32_t step)
{
	struct what_if_cost cost[BASES_MOST];
	struct what_if *w = what_if_new(o);
	size_t count = what_if_bases(w, step, cost, BASES_MOST);
	struct range r = { INFINITY, 0, o };

	if (!what_if_known(w))
		r.least = r.most = counts_hitm(&o->counts);
	for (size_t i = 0; what_if_known(w) && i < count; i++) {
		r.least = cost[i].hitm < r.least ? cost[i].hitm : r.least;
		r.most = cost[i].hitm > r.most ? cost[i].hitm : r.most;
	}
	what_if_free(w);
	return r;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return CMP(y->most - y->least, x->most - x->least);
}

/* The caller's. */
static struct range *all_ranges(const struct report_what_if *r)
{
	struct range *range = mem_zalloc((r->use->count + 1) * sizeof(*range));

	for (uint32_t i = 0; i < r->use->count; i++)
		range[i] = range_of(&r->use->objects[i], r->step);
	qsort(range, r->use->count, sizeof(*range), compare_ranges);
	return range;
}

static void put_sensitivity(const struct drawing *d)
{
	const struct report_what_if *r = d->what;
	struct range *range = all_ranges(r);
	uint32_t large = d->options->all ? r->use->count : count_large(r->use),
		 shown = d->options->top ? d->options->top : large;

	fprintf(d->out, "%-40s %5s %14s %14s %14s\n", "object", "base", "HITM recorded",
		"best base", "worst base");
	for (uint32_t i = 0; i < r->use->count && i < shown; i++) {
		const struct use_object *o = range[i].object;
		char hitm[FIGURE_TEXT_BYTES], least[FIGURE_TEXT_BYTES], most[FIGURE_TEXT_BYTES];

		put_label(d, o->name, NAME_COLUMNS);
		fprintf(d->out, " +%-4" PRIu32 " %14s %14s %14s\n", use_base(o),
			figure_count(hitm, counts_hitm(&o->counts)),
			figure_count(least, llround(range[i].least)),
			figure_count(most, llround(range[i].most)));
	}
	if (r->use->count > shown)
		fprintf(d->out, "%" PRIu32 " more objects not shown (--all)\n",
			r->use->count - shown);
	free(range);
}

void report_what_if(FILE *out, const struct report_what_if *r, const struct report_options *o)
{
	struct drawing d = { out, r, o };
	uint32_t large = o->all ? r->use->count : count_large(r->use),
		 most = o->all ? large : o->top ?: DEFAULT_OBJECTS;

	most = most < large ? most : large;

	fprintf(out, "%s: %" PRIu32 " object%s with contended fields\n", r->recording,
		r->use->count, r->use->count == 1 ? "" : "s");
	if (r->sensitivity)
		put_sensitivity(&d);
	else if (r->only)
		put_object(&d, r->only);
	for (uint32_t i = 0; !r->sensitivity && !r->only && i < most; i++)
		put_object(&d, &r->use->objects[i]);
	if (!r->sensitivity && !r->only && r->use->count > most)
		fprintf(out, "\n%" PRIu32 " more objects not shown (--all, or --object NAME)\n",
			r->use->count - most);
	put_explanation(out);
}

/* ---- JSON */

static void json_cost(struct json_writer *w, const struct what_if_cost *c)
{
	json_double(w, "hitm", c->hitm);
	json_u64(w, "lines", c->lines);
	json_u64(w, "splits", c->splits);
	json_u64(w, "upper_fields", c->upper);
}

static void json_fields(struct json_writer *w, const struct use_object *o)
{
	json_begin_array(w, "fields");
	for (uint32_t i = 0; i < o->field_count; i++) {
		const struct use_field *f = &o->fields[i];
		uint32_t at = (use_base(o) + f->offset) % o->line_size;

		json_begin_object(w, NULL);
		json_string(w, "name", f->name);
		json_u64(w, "offset", f->offset);
		json_u64(w, "size", f->size);
		json_u64(w, "line_offset", at);
		json_string(w, "half", line_half_name(line_half(at)));
		json_double(w, "reads", f->loads);
		json_double(w, "writes", f->stores);
		json_u64(w, "readers", f->readers.count);
		json_u64(w, "writers", f->writers.count);
		json_end(w);
	}
	json_end(w);
}

const char *what_if_key(enum what_if_kind kind)
{
	static const char *const words[] = { "align", "alone", "last" };

	return words[kind];
}

static void json_changes(struct json_writer *w, const struct use_object *o, struct what_if *what)
{
	size_t count;
	struct what_if_change *change = what_if_changes(what, &count);

	json_begin_array(w, "changes");
	for (size_t i = 0; what_if_known(what) && i < count; i++) {
		json_begin_object(w, NULL);
		json_string(w, "change", what_if_key(change[i].kind));
		json_string(w, "field", o->fields[change[i].field].name);
		json_cost(w, &change[i].cost);
		json_u64(w, "bytes", change[i].bytes);
		json_end(w);
	}
	json_end(w);
	free(change);
}

static void json_object(struct json_writer *w, const struct use_object *o, uint32_t step)
{
	struct what_if *what = what_if_new(o);
	struct what_if_cost cost[BASES_MOST];
	size_t count = what_if_bases(what, step, cost, BASES_MOST);

	json_begin_object(w, NULL);
	json_string(w, "object", o->name);
	json_string(w, "type", o->type);
	json_u64(w, "base", use_base(o));
	json_u64(w, "size", o->size);
	json_u64(w, "hitm", counts_hitm(&o->counts));
	json_fields(w, o);
	json_boolean(w, "predictable", what_if_known(what));
	json_begin_array(w, "bases");
	for (size_t i = 0; what_if_known(what) && i < count; i++) {
		json_begin_object(w, NULL);
		json_u64(w, "base", i * step);
		json_cost(w, &cost[i]);
		json_end(w);
	}
	json_end(w);
	json_changes(w, o, what);
	json_end(w);
	what_if_free(what);
}

void report_what_if_json(FILE *out, const struct report_what_if *r)
{
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_string(&w, "recording", r->recording);
	json_begin_array(&w, "objects");
	for (uint32_t i = 0; i < r->use->count; i++)
		if (!r->only || r->only == &r->use->objects[i])
			json_object(&w, &r->use->objects[i], r->step);
	json_end(&w);
	json_end(&w);
}
