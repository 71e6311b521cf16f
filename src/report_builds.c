// SPDX-License-Identifier: GPL-2.0-only
#include "report_builds.h"
#include "json.h"
#include "label.h"
#include "line.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TYPES  5
#define DEFAULT_FIELDS 8 /* of a type, that are not hot */
#define NAME_COLUMNS   30
#define PLACE_COLUMNS  20
#define PUSH_INDENT    6

static const struct {
	const char *key, *word;
} changes[BUILD_CHANGES] = {
	[BUILD_GONE] = { "gone", "gone" },
	[BUILD_NEW] = { "new", "new" },
	[BUILD_LINE] = { "line", "other line" },
	[BUILD_HALF] = { "half", "other half" },
	[BUILD_MOVED] = { "moved", "moved, same half" },
	[BUILD_RESIZED] = { "resized", "other size" },
	[BUILD_SAME] = { "same", "same" },
};

static const char *const push_keys[] = { "added", "removed", "resized", "passed" };
static const char *const side_keys[BUILD_SIDES] = { "before", "after" };

const char *report_builds_key(enum build_change change)
{
	return changes[change].key;
}

const char *report_builds_word(enum build_change change)
{
	return changes[change].word;
}

struct drawing {
	FILE *out;
	const struct report_options *options;
};

/* ---- Text */

static uint32_t line_of(const struct build_place *p)
{
	return p->offset / BUILD_LINE_BYTES;
}

static const char *half_of(const struct build_place *p)
{
	return line_half_name(line_half(p->offset % BUILD_LINE_BYTES));
}

static bool straddles(const struct build_place *p)
{
	return p->size && p->size <= BUILD_LINE_BYTES &&
	       line_of(p) != (p->offset + p->size - 1) / BUILD_LINE_BYTES;
}

static void put_place(const struct drawing *d, const struct build_place *p)
{
	char text[64] = "-";

	if (p->there)
		snprintf(text, sizeof(text), "%-5" PRIu64 "line %" PRIu32 " %s%s", p->offset,
			 line_of(p), half_of(p), straddles(p) ? "+" : "");
	label_put(d->out, text, PLACE_COLUMNS, d->options->unicode);
}

char *report_builds_push(const struct build_push *p)
{
	switch (p->what) {
	case PUSH_ADDED:
		return mem_printf("%s added (%" PRId64 " bytes)", p->member, p->bytes);
	case PUSH_REMOVED:
		return mem_printf("%s removed (%" PRId64 ")", p->member, p->bytes);
	case PUSH_RESIZED:
		return mem_printf("%s %s by %" PRId64, p->member, p->bytes > 0 ? "grew" : "shrank",
				  p->bytes > 0 ? p->bytes : -p->bytes);
	default:
		return mem_printf("%s is %s it now", p->member, p->bytes > 0 ? "before" : "behind");
	}
}

/* Wrapped. */
static void put_pushes(const struct drawing *d, const struct build_field *f)
{
	uint32_t width = d->options->columns ?: REPORT_COLUMNS;
	uint32_t at = fprintf(d->out, "%*spushed by: ", PUSH_INDENT, "");

	for (uint32_t i = 0; i < f->pushes; i++) {
		char *text = report_builds_push(&f->push[i]), label[LABEL_BYTES];
		bool last = i + 1 == f->pushes;
		uint32_t columns;

		label_fit(label, text, width - PUSH_INDENT - 4, d->options->unicode);
		columns = label_columns(label) + !last;
		if (i && at + 1 + columns > width)
			at = fprintf(d->out, "\n%*s", PUSH_INDENT + 2, "") - 1;
		else if (i)
			at += fprintf(d->out, " ");
		at += columns;
		fprintf(d->out, "%s%s", label, last ? "\n" : ",");
		free(text);
	}
	if (!f->pushes)
		fputs("padding alone\n", d->out);
}

static void put_neighbours(const struct drawing *d, const char *head,
			   const struct build_neighbours *n)
{
	uint32_t named = n->count < BUILD_NEIGHBOURS ? n->count : BUILD_NEIGHBOURS;
	char label[LABEL_BYTES];

	if (!n->count)
		return;
	fprintf(d->out, "%*s%s", PUSH_INDENT, "", head);
	for (uint32_t i = 0; i < named; i++)
		fprintf(d->out, "%s %s", i ? "," : "",
			label_fit(label, n->name[i], 15, d->options->unicode));
	if (n->count > named)
		fprintf(d->out, " and %" PRIu32 " more", n->count - named);
	fputc('\n', d->out);
}

static void put_field(const struct drawing *d, const struct build_field *f)
{
	fputs(f->hot ? "  * " : "    ", d->out);
	label_put(d->out, f->path, NAME_COLUMNS, d->options->unicode);
	fputc(' ', d->out);
	put_place(d, &f->side[BUILD_BEFORE]);
	put_place(d, &f->side[BUILD_AFTER]);
	fprintf(d->out, "%s\n", changes[f->change].word);
	if (f->push || (f->hot && (f->change == BUILD_LINE || f->change == BUILD_HALF)))
		put_pushes(d, f);
	put_neighbours(d, "now in its line:", &f->joined);
	put_neighbours(d, "no longer in its line:", &f->parted);
}

static void put_pair(const struct drawing *d, const struct build_pair *p)
{
	char first[LABEL_BYTES], second[LABEL_BYTES];

	fprintf(d->out, "    %s and %s in one line: was",
		label_fit(first, p->first, NAME_COLUMNS - 8, d->options->unicode),
		label_fit(second, p->second, NAME_COLUMNS - 8, d->options->unicode));
	for (int s = 0; s < BUILD_SIDES; s++) {
		fprintf(d->out, "%s%s", s ? ", is " : " ", p->together[s] ? "yes" : "no");
		if (p->of[s] > 1)
			fprintf(d->out, " (at %" PRIu32 " of %" PRIu32 " bases)", p->bases[s],
				p->of[s]);
	}
	fputc('\n', d->out);
}

static bool is_shifted(const struct build_field *f)
{
	return f->change == BUILD_LINE || f->change == BUILD_HALF;
}

/* Fields that are not hot only say something where nothing says what is. */
static void put_fields(const struct drawing *d, const struct build_type *t)
{
	uint32_t most = t->fields && t->field[0].hot ? 0 : DEFAULT_FIELDS, shown = 0, hidden = 0;

	for (uint32_t i = 0; i < t->fields; i++) {
		const struct build_field *f = &t->field[i];

		if (f->hot || d->options->all)
			put_field(d, f);
		else if (is_shifted(f) && shown++ < most)
			put_field(d, f);
		else
			hidden += is_shifted(f);
	}
	if (hidden)
		fprintf(d->out, "    %" PRIu32 " more field%s in another line or half (--all)\n",
			hidden, hidden == 1 ? "" : "s");
}

static void put_type(const struct drawing *d, const struct build_type *t)
{

	fprintf(d->out, "\n%s: ", t->name);
	if (!t->there[BUILD_BEFORE])
		fprintf(d->out, "new, %" PRIu64 " bytes\n", t->size[BUILD_AFTER]);
	else if (!t->there[BUILD_AFTER])
		fprintf(d->out, "gone, was %" PRIu64 " bytes\n", t->size[BUILD_BEFORE]);
	else if (t->size[BUILD_BEFORE] == t->size[BUILD_AFTER])
		fprintf(d->out, "%" PRIu64 " bytes\n", t->size[BUILD_AFTER]);
	else
		fprintf(d->out, "%" PRIu64 " bytes, was %" PRIu64 "\n", t->size[BUILD_AFTER],
			t->size[BUILD_BEFORE]);
	put_fields(d, t);
	for (uint32_t i = 0; i < t->pairs; i++)
		put_pair(d, &t->pair[i]);
}

void report_builds(FILE *out, const struct report_builds *r, const struct report_options *o)
{
	const struct drawing d = { out, o };
	uint32_t most = o->top ? o->top : o->all || r->hot ? UINT32_MAX : DEFAULT_TYPES;
	uint32_t columns = REPORT_COLUMNS - 20;
	char label[LABEL_BYTES];

	for (int s = 0; s < BUILD_SIDES; s++)
		fprintf(out, "%-7s %s (%s)\n",
			s ? "after:" : "before:", label_fit(label, r->path[s], columns, o->unicode),
			r->kind[s]);
	fputs("offsets as of an object that begins a line; +: reaches into the next line", out);
	if (r->hot)
		fprintf(out, "; *: hot, says %s", label_fit(label, r->hot, 24, o->unicode));
	fputc('\n', out);
	if (!r->types) {
		fprintf(out,
			"\nof %" PRIu32 " types that both have, none has a field in another line "
			"or half\n",
			r->compared);
		return;
	}
	fputs("\n    ", out);
	label_put(out, "field", NAME_COLUMNS + 1, o->unicode);
	label_put(out, "before", PLACE_COLUMNS, o->unicode);
	label_put(out, "after", PLACE_COLUMNS, o->unicode);
	fputs("what happened\n", out);
	for (uint32_t i = 0; i < r->types && i < most; i++)
		put_type(&d, &r->type[i]);
	if (r->types > most)
		fprintf(out,
			"\n%" PRIu32 " more of %" PRIu32 " types have fields in another line or "
			"half (--all, --object NAME)\n",
			r->types - most, r->compared);
}

/* ---- JSON */

static void json_place(struct json_writer *w, int side, const struct build_place *p)
{
	if (!p->there) {
		json_null(w, side_keys[side]);
		return;
	}
	json_begin_object(w, side_keys[side]);
	json_u64(w, "offset", p->offset);
	json_u64(w, "size", p->size);
	json_u64(w, "line", line_of(p));
	json_string(w, "half", half_of(p));
	json_boolean(w, "straddles", straddles(p));
	json_end(w);
}

static void json_neighbours(struct json_writer *w, const char *key,
			    const struct build_neighbours *n)
{
	json_begin_array(w, key);
	for (uint32_t i = 0; i < n->count && i < BUILD_NEIGHBOURS; i++)
		json_string(w, NULL, n->name[i]);
	json_end(w);
}

static void json_field(struct json_writer *w, const struct build_field *f)
{
	json_begin_object(w, NULL);
	json_string(w, "field", f->path);
	json_boolean(w, "hot", f->hot);
	json_string(w, "change", changes[f->change].key);
	for (int s = 0; s < BUILD_SIDES; s++)
		json_place(w, s, &f->side[s]);
	json_neighbours(w, "joined", &f->joined);
	json_neighbours(w, "parted", &f->parted);
	json_begin_array(w, "pushed_by");
	for (uint32_t i = 0; i < f->pushes; i++) {
		json_begin_object(w, NULL);
		json_string(w, "member", f->push[i].member);
		json_string(w, "what", push_keys[f->push[i].what]);
		json_double(w, "bytes", f->push[i].bytes);
		json_end(w);
	}
	json_end(w);
	json_end(w);
}

static void json_pair(struct json_writer *w, const struct build_pair *p)
{
	json_begin_object(w, NULL);
	json_string(w, "first", p->first);
	json_string(w, "second", p->second);
	for (int s = 0; s < BUILD_SIDES; s++) {
		json_begin_object(w, side_keys[s]);
		json_boolean(w, "together", p->together[s]);
		json_u64(w, "bases", p->bases[s]);
		json_u64(w, "of", p->of[s]);
		json_end(w);
	}
	json_end(w);
}

static void json_type(struct json_writer *w, const struct build_type *t)
{
	json_begin_object(w, NULL);
	json_string(w, "type", t->name);
	for (int s = 0; s < BUILD_SIDES; s++) {
		if (!t->there[s]) {
			json_null(w, side_keys[s]);
			continue;
		}
		json_begin_object(w, side_keys[s]);
		json_u64(w, "size", t->size[s]);
		json_u64(w, "align", t->align[s]);
		json_end(w);
	}
	json_begin_array(w, "fields");
	for (uint32_t i = 0; i < t->fields; i++)
		json_field(w, &t->field[i]);
	json_end(w);
	json_begin_array(w, "pairs");
	for (uint32_t i = 0; i < t->pairs; i++)
		json_pair(w, &t->pair[i]);
	json_end(w);
	json_end(w);
}

void report_builds_json(FILE *out, const struct report_builds *r)
{
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	for (int s = 0; s < BUILD_SIDES; s++)
		json_string(&w, side_keys[s], r->path[s]);
	json_string(&w, "hot_by", r->hot);
	json_u64(&w, "compared", r->compared);
	json_begin_array(&w, "types");
	for (uint32_t i = 0; i < r->types; i++)
		json_type(&w, &r->type[i]);
	json_end(&w);
	json_end(&w);
}
