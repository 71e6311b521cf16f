// SPDX-License-Identifier: GPL-2.0-only
#include "report_align.h"
#include "figure.h"
#include "json.h"
#include "label.h"
#include "mem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DEFAULT_OBJECTS 5
#define NAME_COLUMNS	34
#define LEAST_SHARE	0.005 /* of the larger side's rate; objects below it are counted only */

/* What a kind of change is called, and what to make of it. */
struct kind_row {
	const char *key, *word, *meaning;
};

static const struct kind_row kinds[ALIGN_KINDS] = {
	[ALIGN_MERGED] = { "merged", "line merged", "fields that were apart share a line now" },
	[ALIGN_SPLIT] = { "split", "line split", "fields that shared a line are apart now" },
	[ALIGN_FIELD_MOVED] = { "field_moved", "field moved",
				"members lie elsewhere in the type; no field has a new neighbour" },
	[ALIGN_OBJECT_MOVED] = { "object_moved", "object moved",
				 "the object begins elsewhere in its line: same fields, no new "
				 "contender" },
	[ALIGN_COLLISION] = { "collision", "hash collision",
			      "more threads meet at one element; the layout is the same" },
	[ALIGN_TRUE_SHARING] = { "true_sharing", "true sharing",
				 "the same fields at the same place, written by several threads: "
				 "padding cannot help" },
	[ALIGN_USE] = { "use", "use changed",
			"the same layout; the fields are used more or less often" },
	[ALIGN_NEW] = { "new", "new", "no field of it was contended before" },
	[ALIGN_GONE] = { "gone", "gone", "no field of it is contended any more" },
	[ALIGN_SAME] = { "same", "same", "same layout, same contention" },
};

static const char *const unit_words[ALIGN_UNITS] = { "HITM per operation", "HITM per second",
						     "HITM per sample" };
static const char *const unit_keys[ALIGN_UNITS] = { "operation", "second", "sample" };

const char *report_align_key(enum align_kind kind)
{
	return kinds[kind].key;
}

const char *report_align_word(enum align_kind kind)
{
	return kinds[kind].word;
}

const char *report_align_unit(const struct align *a)
{
	return unit_words[a->unit];
}

struct drawing {
	FILE *out;
	const struct align *align;
	const struct report_options *options;
};

static void put_label(const struct drawing *d, const char *text, uint32_t columns)
{
	label_put(d->out, text, columns, d->options->unicode);
}

static const char *change_text(char text[FIGURE_TEXT_BYTES], const double rate[ALIGN_SIDES])
{
	if (!(rate[0] > 0))
		return rate[1] > 0 ? "new" : "";
	if (!(rate[1] > 0))
		return "gone";
	snprintf(text, FIGURE_TEXT_BYTES, "%+.0f %%", 100 * (rate[1] - rate[0]) / rate[0]);
	return text;
}

static const char *name_of(const struct align_object *o)
{
	return o->side[ALIGN_AFTER] ? o->side[ALIGN_AFTER]->name : o->side[ALIGN_BEFORE]->name;
}

/* ---- Fields */

static void place_text(char *text, size_t size, const struct align_field *f, enum align_side side)
{
	if (!f->side[side])
		snprintf(text, size, "-");
	else
		snprintf(text, size, "+%" PRIu32 " %s", f->line_offset[side],
			 line_half_name(line_half(f->line_offset[side])));
}

static void put_neighbour(const struct drawing *d, const struct align_field *f)
{
	char label[LABEL_BYTES];

	if (!f->joined && !f->parted)
		return;
	fprintf(d->out, "  %s %s", f->joined ? "now with" : "no longer with",
		label_fit(label, f->with, 24, d->options->unicode));
}

static void put_field(const struct drawing *d, const struct align_field *f)
{
	const struct use_field *any = f->side[ALIGN_AFTER] ?: f->side[ALIGN_BEFORE];
	char before[32], after[32], name[LABEL_BYTES];

	place_text(before, sizeof(before), f, ALIGN_BEFORE);
	place_text(after, sizeof(after), f, ALIGN_AFTER);
	fprintf(d->out, "    ");
	if (f->side[0] && f->side[1] && f->side[0]->name != f->side[1]->name)
		snprintf(name, sizeof(name), "%s, was %s", any->name, f->side[0]->name);
	else
		snprintf(name, sizeof(name), "%s", any->name);
	put_label(d, name, 27);
	fputc(' ', d->out);
	fprintf(d->out, "%-11s %s", before, after);
	put_neighbour(d, f);
	fputc('\n', d->out);
}

/* ---- Objects */

static void put_pusher(const struct drawing *d, const struct align_object *o)
{
	const struct use_field *p = o->pusher, *was = NULL;
	const struct use_object *before = o->side[ALIGN_BEFORE];

	for (uint32_t i = 0; p && before && i < o->field_count; i++)
		if (o->fields[i].side[ALIGN_AFTER] == p)
			was = o->fields[i].side[ALIGN_BEFORE];
	if (was)
		fprintf(d->out,
			"    what lies before %s changed: it moved from +%" PRIu32 " to +%" PRIu32
			" in the object\n",
			was->name, was->offset, p->offset);
}

static void put_object(const struct drawing *d, const struct align_object *o)
{
	char change[FIGURE_TEXT_BYTES];

	put_label(d, name_of(o), NAME_COLUMNS);
	fprintf(d->out, " %-15s %11.4g %11.4g %8s%s\n", kinds[o->kind].word, o->rate[0], o->rate[1],
		change_text(change, o->rate), o->changed ? "" : "  (noise)");
	if (o->kind == ALIGN_SAME || o->kind == ALIGN_NEW || o->kind == ALIGN_GONE)
		return;
	fprintf(d->out, "    %s\n", kinds[o->kind].meaning);
	put_pusher(d, o);
	if (o->kind == ALIGN_COLLISION)
		fprintf(d->out,
			"    threads at its most crowded element: %" PRIu32 ", were %" PRIu32 "\n",
			o->crowd[ALIGN_AFTER], o->crowd[ALIGN_BEFORE]);
	for (uint32_t i = 0; i < o->field_count; i++)
		put_field(d, &o->fields[i]);
}

static bool is_small(const struct align *a, const struct align_object *o)
{
	double most = a->rate[0] > a->rate[1] ? a->rate[0] : a->rate[1];

	return o->rate[0] < LEAST_SHARE * most && o->rate[1] < LEAST_SHARE * most;
}

/* The object that explains most: the first whose contention changed, else one that moved. */
static const struct align_object *find_cause(const struct align *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->objects[i].changed && !is_small(a, &a->objects[i]))
			return &a->objects[i];
	for (uint32_t i = 0; i < a->count; i++)
		if (a->objects[i].kind < ALIGN_NEW && !is_small(a, &a->objects[i]))
			return &a->objects[i];
	return NULL;
}

const char *report_align_diagnosis(const struct align *a, struct intern *pool)
{
	const struct align_object *o = find_cause(a);

	if (!o)
		return "diagnosis: nothing in the data changed beyond noise";
	return intern_printf(pool, "diagnosis: %s: %s: %s%s", kinds[o->kind].word, name_of(o),
			     kinds[o->kind].meaning,
			     o->changed ? "" : "; the contention did not change beyond noise");
}

static void put_diagnosis(const struct drawing *d)
{
	const struct align_object *o = find_cause(d->align);
	char label[LABEL_BYTES];

	if (!o) {
		fprintf(d->out,
			"diagnosis: nothing in the data changed beyond noise. If the run is "
			"slower, suspect the\nalignment of code, the frequency or the "
			"machine.\n");
		return;
	}
	label_fit(label, name_of(o), 60, d->options->unicode);
	fprintf(d->out, "diagnosis: %s: %s\n  %s\n%s", kinds[o->kind].word, label,
		kinds[o->kind].meaning,
		o->changed ? "" : "  the contention did not change beyond noise\n");
}

void report_align(FILE *out, const struct report_align *r, const struct report_options *options)
{
	const struct align *a = r->align;
	struct drawing d = { out, a, options };
	uint32_t most = options->all ? a->count : options->top ?: DEFAULT_OBJECTS, shown = 0;
	char change[FIGURE_TEXT_BYTES];

	fprintf(out, "%s -> %s\n", r->path[0], r->path[1]);
	fprintf(out, "%s: %.4g -> %.4g  %s%s\n", unit_words[a->unit], a->rate[0], a->rate[1],
		change_text(change, a->rate), a->changed ? "" : "  (within noise)");
	put_diagnosis(&d);
	if (a->count)
		fprintf(out, "\n%-34s %-15s %11s %11s %8s\n", "object", "what happened", "before",
			"after", "change");
	for (uint32_t i = 0; i < a->count && shown < most; i++) {
		if (!options->all && is_small(a, &a->objects[i]))
			continue;
		put_object(&d, &a->objects[i]);
		shown++;
	}
	if (shown < a->count)
		fprintf(out, "%" PRIu32 " more objects not shown (--all)\n", a->count - shown);
}

/* ---- JSON */

static void json_side(struct json_writer *w, const char *key, const struct align_field *f,
		      enum align_side side)
{
	if (!f->side[side]) {
		json_null(w, key);
		return;
	}
	json_begin_object(w, key);
	json_u64(w, "offset", f->side[side]->offset);
	json_u64(w, "line_offset", f->line_offset[side]);
	json_string(w, "half", line_half_name(line_half(f->line_offset[side])));
	json_u64(w, "hitm", counts_hitm(&f->side[side]->counts));
	json_end(w);
}

static void json_object(struct json_writer *w, const struct align_object *o)
{
	json_begin_object(w, NULL);
	json_string(w, "object", name_of(o));
	json_string(w, "kind", kinds[o->kind].key);
	json_double(w, "before", o->rate[0]);
	json_double(w, "after", o->rate[1]);
	json_boolean(w, "changed", o->changed);
	json_double(w, "p", o->ratio.p);
	json_string(w, "pushed", o->pusher ? o->pusher->name : NULL);
	json_begin_array(w, "fields");
	for (uint32_t i = 0; i < o->field_count; i++) {
		const struct align_field *f = &o->fields[i];

		json_begin_object(w, NULL);
		json_string(w, "name", (f->side[ALIGN_AFTER] ?: f->side[ALIGN_BEFORE])->name);
		json_side(w, "before", f, ALIGN_BEFORE);
		json_side(w, "after", f, ALIGN_AFTER);
		json_boolean(w, "joined", f->joined);
		json_boolean(w, "parted", f->parted);
		json_string(w, "with", f->with);
		json_end(w);
	}
	json_end(w);
	json_end(w);
}

void report_align_json(FILE *out, const struct report_align *r)
{
	const struct align *a = r->align;
	const struct align_object *cause = find_cause(a);
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_string(&w, "before", r->path[0]);
	json_string(&w, "after", r->path[1]);
	json_string(&w, "hitm_per", unit_keys[a->unit]);
	json_double(&w, "rate_before", a->rate[0]);
	json_double(&w, "rate_after", a->rate[1]);
	json_boolean(&w, "changed", a->changed);
	json_string(&w, "diagnosis", cause ? kinds[cause->kind].key : "nothing");
	json_string(&w, "object", cause ? name_of(cause) : NULL);
	json_begin_array(&w, "objects");
	for (uint32_t i = 0; i < a->count; i++)
		json_object(&w, &a->objects[i]);
	json_end(&w);
	json_end(&w);
}
