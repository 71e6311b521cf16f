// SPDX-License-Identifier: GPL-2.0-only
#include "align_builds.h"
#include "align_sheet.h"
#include "layout_file.h"
#include "map.h"
#include "mem.h"
#include "paths.h"
#include "report_builds.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

/* The hot fields of one type. */
struct hot_type {
	const char *type;
	const char **field;
	uint32_t fields, room;
};

struct builds {
	const struct align_builds *ask;
	struct intern *pool;
	struct layout_file *file[BUILD_SIDES];
	struct target target;
	struct hot_type *hot;
	uint32_t hots, hot_room;
	struct report_builds report;
	uint32_t type_room;
};

/* ---- What is hot */

static struct hot_type *hot_type(struct builds *b, const char *type)
{
	for (uint32_t i = 0; i < b->hots; i++)
		if (!strcmp(b->hot[i].type, type))
			return &b->hot[i];
	mem_grow(&b->hot, &b->hot_room, b->hots);
	b->hot[b->hots] = (struct hot_type){ .type = intern_string(b->pool, type) };
	return &b->hot[b->hots++];
}

static void add_hot(struct builds *b, const char *type, const char *field)
{
	struct hot_type *h = hot_type(b, type);

	mem_grow(&h->field, &h->room, h->fields);
	h->field[h->fields++] = intern_string(b->pool, field);
}

/* Of all kernels: which of them the files are of is not known, and what is not there is left out.
 */
static struct err *ask_target(struct builds *b)
{
	struct paths paths = { 0 };
	struct err *e = paths_find(&paths);

	if (!e)
		e = target_load(paths.targets, b->ask->target, &b->target);
	paths_deinit(&paths);
	if (e)
		return err_within(e, "align");
	for (size_t i = 0; i < b->target.types; i++)
		for (size_t k = 0; k < b->target.type[i].fields; k++)
			add_hot(b, b->target.type[i].type, b->target.type[i].field[k]);
	return NULL;
}

static void ask_recording(struct builds *b)
{
	const struct use_set *use = b->ask->use;

	for (uint32_t i = 0; i < use->count; i++) {
		const struct use_object *o = &use->objects[i];

		for (uint32_t k = 0; o->type && k < o->field_count; k++)
			if (!o->fields[k].is_place && counts_hitm(&o->fields[k].counts))
				add_hot(b, o->type, o->fields[k].name);
	}
}

/* ---- Types */

static bool add_type(struct builds *b, const char *name, const struct hot_type *h, bool any)
{
	struct layout layout[BUILD_SIDES];
	bool there[BUILD_SIDES];
	struct build_type t = { 0 };

	for (int s = 0; s < BUILD_SIDES; s++)
		there[s] = layout_file_find(b->file[s], name, &layout[s]);
	if (there[0] && there[1])
		b->report.compared++;
	if (any ? there[0] || there[1] : there[0] && there[1])
		build_compare(there[0] ? &layout[0] : NULL, there[1] ? &layout[1] : NULL,
			      h ? h->field : NULL, h ? h->fields : 0, b->pool, &t);
	for (int s = 0; s < BUILD_SIDES; s++)
		layout_deinit(&layout[s]);
	if (!t.name || (!any && !t.shifted)) {
		build_type_deinit(&t);
		return false;
	}
	mem_grow(&b->report.type, &b->type_room, b->report.types);
	b->report.type[b->report.types++] = t;
	return true;
}

static int type_compare(const void *a, const void *b)
{
	const struct build_type *x = a, *y = b;
	int order = CMP(y->shifted, x->shifted);

	return order ? order : strcmp(x->name, y->name);
}

static void add_all(struct builds *b)
{
	struct map seen;
	const char *name;
	uint32_t at = 0;

	map_init(&seen);
	while ((name = layout_file_next(b->file[BUILD_AFTER], &at))) {
		bool made;

		map_put(&seen, (uintptr_t)intern_string(b->pool, name), 0, &made);
		if (made)
			add_type(b, name, NULL, false);
	}
	map_deinit(&seen);
	if (b->report.types)
		qsort(b->report.type, b->report.types, sizeof(*b->report.type), type_compare);
}

static struct err *add_object(struct builds *b)
{
	const char *name = b->ask->object;
	const struct hot_type *h = NULL;

	for (uint32_t i = 0; i < b->hots; i++)
		if (!strcmp(b->hot[i].type, name))
			h = &b->hot[i];
	if (add_type(b, name, h, true))
		return NULL;
	return err_next(err_new(ERR_FAILED, "align: neither %s nor %s has a type \"%s\"",
				b->ask->path[0], b->ask->path[1], name),
			"hitmap align --all %s %s lists the types that changed", b->ask->path[0],
			b->ask->path[1]);
}

static struct err *add_hot_types(struct builds *b)
{
	for (uint32_t i = 0; i < b->hots; i++)
		add_type(b, b->hot[i].type, &b->hot[i], true);
	if (b->report.types)
		return NULL;
	return err_next(err_new(ERR_FAILED, "align: neither build has a type that is hot, says %s",
				b->report.hot),
			"name one with --object, or leave %s out",
			b->ask->target ? "--target" : "-i");
}

static struct err *add_types(struct builds *b)
{
	if (b->ask->object)
		return add_object(b);
	if (b->report.hot)
		return add_hot_types(b);
	add_all(b);
	return NULL;
}

/* ---- All of it */

static void write_sheets(const struct builds *b, const char *format, FILE *out)
{
	struct align_sheets sheets = align_sheets_builds(&b->report, b->ask->all);

	align_sheets_write(out, &sheets, format);
	align_sheets_deinit(&sheets);
}

static struct err *write_out(struct builds *b)
{
	const struct align_builds *ask = b->ask;
	const char *format = ask->format ?: "text";
	struct report_options options;
	struct output out;
	struct err *e = output_open(&out, "align", ask->output);

	if (e)
		return e;
	options = output_options(&out, ask->top, ask->all, ask->ascii);
	if (!strcmp(format, "json"))
		report_builds_json(out.file, &b->report);
	else if (!strcmp(format, "text"))
		report_builds(out.file, &b->report, &options);
	else
		write_sheets(b, format, out.file);
	return output_close(&out);
}

static struct err *open_files(struct builds *b)
{
	struct err *e = NULL;

	for (int s = 0; s < BUILD_SIDES && !e; s++) {
		b->report.path[s] = b->ask->path[s];
		e = layout_file_open(b->ask->path[s], b->pool, &b->file[s]);
		if (!e)
			b->report.kind[s] = layout_file_kind(b->file[s]);
	}
	return e ? err_within(e, "align") : NULL;
}

static void builds_deinit(struct builds *b)
{
	for (uint32_t i = 0; i < b->report.types; i++)
		build_type_deinit(&b->report.type[i]);
	free(b->report.type);
	for (uint32_t i = 0; i < b->hots; i++)
		free(b->hot[i].field);
	free(b->hot);
	if (b->target.strings)
		target_deinit(&b->target);
	for (int s = 0; s < BUILD_SIDES; s++)
		layout_file_free(b->file[s]);
	intern_free(b->pool);
}

struct err *align_builds(const struct align_builds *ask)
{
	struct builds b = { .ask = ask, .pool = intern_new() };
	struct err *e = open_files(&b);

	if (!e && ask->target)
		e = ask_target(&b);
	if (!e && ask->use)
		ask_recording(&b);
	if (ask->target)
		b.report.hot = intern_printf(b.pool, "target %s", b.target.name ?: ask->target);
	else if (ask->use)
		b.report.hot = ask->recording;
	if (!e)
		e = add_types(&b);
	if (!e)
		e = write_out(&b);
	builds_deinit(&b);
	return e;
}
