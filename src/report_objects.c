// SPDX-License-Identifier: GPL-2.0-only
#include "report_objects.h"
#include "json.h"
#include "label.h"

#include <inttypes.h>
#include <string.h>

#define HALF	 (REPORT_OBJECTS_LINE / 2)
#define INSTANCE 28 /* columns */
#define FIELD	 19

struct objects_spot objects_spot(uint64_t addr, const struct layout_place *field)
{
	uint64_t at = addr + field->offset, last = at + (field->size ? field->size - 1 : 0);

	return (struct objects_spot){
		.addr = at,
		.line = at / REPORT_OBJECTS_LINE - addr / REPORT_OBJECTS_LINE,
		.upper = at % REPORT_OBJECTS_LINE >= HALF,
		.straddles = at / REPORT_OBJECTS_LINE != last / REPORT_OBJECTS_LINE,
	};
}

static const struct objects_type *type_find(const struct objects_view *v, const char *name)
{
	for (uint32_t i = 0; i < v->types; i++)
		if (!strcmp(v->type[i].type, name))
			return &v->type[i];
	return NULL;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- Text */

static void text_field(FILE *out, const struct kobject *o, const struct layout_place *f,
		       bool unicode)
{
	struct objects_spot spot = objects_spot(o->addr, f);
	char label[LABEL_BYTES];

	label_fit(label, f->path, FIELD, unicode);
	fprintf(out, "%s%*s %6" PRIu64 " %4" PRIu64 "  %s%s", label,
		(int)(FIELD - label_columns(label)), "", f->offset, spot.line,
		spot.upper ? "upper" : "lower", spot.straddles ? ", straddles" : "");
}

static void text_object(FILE *out, const struct kobject *o, const struct objects_type *t,
			bool unicode)
{
	char name[LABEL_BYTES], label[LABEL_BYTES];

	if (o->count > 1)
		snprintf(name, sizeof(name), "%" PRIu64 " of %.200s", o->count, o->instance);
	else
		snprintf(name, sizeof(name), "%.200s", o->instance);
	label_fit(label, name, INSTANCE, unicode);
	fprintf(out, "  0x%016" PRIx64 "  %s", o->addr, label);
	for (uint32_t i = 0; i < t->fields; i++) {
		fprintf(out, "%*s ", i ? 22 + INSTANCE : (int)(INSTANCE - label_columns(label)),
			"");
		text_field(out, o, &t->field[i], unicode);
		fputc('\n', out);
	}
	if (!t->fields)
		fputc('\n', out);
}

static void text_head(FILE *out, const struct kobject_kind *kind, const struct kobject *first,
		      const struct objects_type *t)
{
	fprintf(out, "\n%s: %s, %" PRIu64 " bytes%s\n", kind->name, kind->summary,
		first->size / first->count, t->fields ? "" : ", no field of it is known to be hot");
	fprintf(out, "  %-18s  %-*s", "address", t->fields ? INSTANCE : 0, "whose");
	if (t->fields)
		fprintf(out, " %-*s %6s %4s  %s", FIELD, "hot field", "offset", "line", "half");
	fputc('\n', out);
}

static void text_kind(FILE *out, const struct objects_view *v, const struct kobject_kind *kind,
		      bool unicode)
{
	const struct objects_type *t = type_find(v, kind->type);
	uint32_t shown = 0, all = 0;

	for (uint32_t i = 0; t && i < v->set->count; i++) {
		const struct kobject *o = &v->set->item[i];

		if (o->kind != kind->name || all++ >= v->top)
			continue;
		if (!shown++)
			text_head(out, kind, o, t);
		text_object(out, o, t, unicode);
	}
	if (all > shown)
		fprintf(out, "  %" PRIu32 " more (--all)\n", all - shown);
}

static void text_absent(FILE *out, const struct objects_view *v)
{
	if (v->set->absents || v->symbols)
		fputc('\n', out);
	for (uint32_t i = 0; i < v->set->absents; i++)
		fprintf(out, "not looked for: %s\n", v->set->absent[i]);
	if (v->symbols)
		fprintf(out, "%s\n", v->symbols);
}

void report_objects_text(FILE *out, const struct objects_view *v, bool unicode)
{
	const struct kobject_kind *kind;

	fprintf(out, "Objects of kernel %s, read by %s: %" PRIu32 " task%s%s%s\n",
		v->kernel ?: "(release not known)", v->reader, v->set->tasks, plural(v->set->tasks),
		v->target ? ", target " : "", v->target ?: "");
	for (size_t i = 0; (kind = kobject_kind(i)); i++)
		text_kind(out, v, kind, unicode);
	text_absent(out, v);
}

/* ---- JSON */

static void json_address(struct json_writer *w, const char *key, uint64_t addr)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	json_string(w, key, text);
}

static void json_field(struct json_writer *w, const struct kobject *o, const struct layout_place *f)
{
	struct objects_spot spot = objects_spot(o->addr, f);

	json_begin_object(w, NULL);
	json_string(w, "path", f->path);
	json_string(w, "type", f->member->type);
	json_address(w, "address", spot.addr);
	json_u64(w, "offset", f->offset);
	json_u64(w, "size", f->size);
	json_u64(w, "line", spot.line);
	json_string(w, "half", spot.upper ? "upper" : "lower");
	json_boolean(w, "straddles", spot.straddles);
	json_end(w);
}

static void json_object(struct json_writer *w, const struct kobject *o,
			const struct objects_type *t)
{
	json_begin_object(w, NULL);
	json_string(w, "kind", o->kind);
	json_string(w, "type", o->type);
	json_string(w, "instance", o->instance);
	json_address(w, "address", o->addr);
	json_u64(w, "size", o->size);
	json_u64(w, "count", o->count);
	if (o->pid)
		json_u64(w, "pid", o->pid);
	else
		json_null(w, "pid");
	json_begin_array(w, "fields");
	for (uint32_t i = 0; i < t->fields; i++)
		json_field(w, o, &t->field[i]);
	json_end(w);
	json_end(w);
}

void report_objects_json(FILE *out, const struct objects_view *v)
{
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_u64(&w, "version", 1);
	json_string(&w, "kernel", v->kernel);
	json_string(&w, "reader", v->reader);
	json_string(&w, "target", v->target);
	json_u64(&w, "tasks", v->set->tasks);
	json_u64(&w, "line_size", REPORT_OBJECTS_LINE);
	json_begin_array(&w, "objects");
	for (uint32_t i = 0; i < v->set->count; i++) {
		const struct objects_type *t = type_find(v, v->set->item[i].type);

		if (t)
			json_object(&w, &v->set->item[i], t);
	}
	json_end(&w);
	json_begin_array(&w, "not_looked_for");
	for (uint32_t i = 0; i < v->set->absents; i++)
		json_string(&w, NULL, v->set->absent[i]);
	json_end(&w);
	json_string(&w, "symbols", v->symbols);
	json_end(&w);
}
