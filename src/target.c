// SPDX-License-Identifier: GPL-2.0-only
#include "target.h"
#include "ini_file.h"
#include "mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MOST 64	/* of a type, events of a target: far beyond any use */
#define TYPES_MOST  256 /* of a target */

struct reading {
	struct ini_file file;
	struct target *target;
	uint32_t from, to; /* of the section that is read */
};

/* ---- Words */

static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

/* One part of a path: a name, with any number of [N] behind it. Ends at '.' or the end. */
static const char *skip_part(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return NULL;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	while (*s == '[') {
		const char *digits = s + 1;

		s = digits + strspn(digits, "0123456789");
		if (s == digits || *s++ != ']')
			return NULL;
	}
	return s;
}

static bool is_path(const char *s)
{
	while ((s = skip_part(s)) && *s == '.')
		s++;
	return s && !*s;
}

static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = 0;
	return s + strspn(s, " \t");
}

/* ---- Kernel versions */

/* "5.14"; NULL when "s" does not begin so. */
static const char *read_version(const char *s, uint32_t *version)
{
	unsigned part[2];

	for (int i = 0; i < 2; i++) {
		size_t digits = strspn(s, "0123456789");

		if (!digits || digits > 4 || (!i && s[digits] != '.'))
			return NULL;
		part[i] = atoi(s);
		s += digits + !i;
	}
	*version = TARGET_KERNEL(part[0], part[1]);
	return s;
}

uint32_t target_kernel(const char *release)
{
	uint32_t version;

	return read_version(release, &version) ? version : 0;
}

/* "5.0..5.13", "5.14..", "..5.13", "..". */
static bool read_range(const char *s, uint32_t *from, uint32_t *to)
{
	*from = TARGET_KERNEL_FIRST;
	*to = TARGET_KERNEL_LAST;
	if (*s != '.')
		s = read_version(s, from);
	if (!s || strncmp(s, "..", 2))
		return false;
	s += 2;
	if (*s)
		s = read_version(s, to);
	return s && !*s && *from <= *to;
}

/* ---- [target] */

static struct err *set_text(struct reading *r, const char **to, const char *name, const char *text)
{
	if (*to)
		return ini_file_fail(&r->file, "%s is given a second time", name);
	if (!*text)
		return ini_file_fail(&r->file, "%s is empty", name);
	*to = intern_string(r->target->strings, text);
	return NULL;
}

static struct err *set_title(struct reading *r, const char *text)
{
	return set_text(r, &r->target->title, "title", text);
}

static struct err *set_operation(struct reading *r, const char *text)
{
	return set_text(r, &r->target->operation, "operation", text);
}

static struct err *set_benchmark(struct reading *r, const char *text)
{
	return set_text(r, &r->target->benchmark, "benchmark", text);
}

static struct err *add_event(struct reading *r, const char *text)
{
	struct target *t = r->target;

	for (size_t i = 0; i < t->events; i++)
		if (!strcmp(t->event[i], text))
			return ini_file_fail(&r->file, "event %s is given a second time", text);
	if (!*text)
		return ini_file_fail(&r->file, "event is empty");
	if (t->events == FIELDS_MOST)
		return ini_file_fail(&r->file, "more than %d events", FIELDS_MOST);
	mem_grow(&t->event, &t->event_room, t->events);
	t->event[t->events++] = intern_string(t->strings, text);
	return NULL;
}

static const struct {
	const char *name;
	struct err *(*set)(struct reading *r, const char *text);
} keys[] = {
	{ "title", set_title },
	{ "operation", set_operation },
	{ "event", add_event },
	{ "benchmark", set_benchmark },
};

static struct err *read_target_key(struct reading *r, const char *name, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, name))
			return keys[i].set(r, text);
	return ini_file_fail(&r->file,
			     "unknown key \"%s\" in section [target]: title, operation, event and "
			     "benchmark are known",
			     name);
}

/* ---- [kernel A..B] */

static struct err *add_field(struct reading *r, struct target_type *type, const char *path)
{
	if (!is_path(path))
		return ini_file_fail(&r->file, "%s: \"%s\" is no path of a field", type->type,
				     path);
	for (size_t i = 0; i < type->fields; i++)
		if (!strcmp(type->field[i], path))
			return ini_file_fail(&r->file, "%s: field %s is given a second time",
					     type->type, path);
	if (type->fields == FIELDS_MOST)
		return ini_file_fail(&r->file, "%s: more than %d fields", type->type, FIELDS_MOST);
	mem_grow(&type->field, &type->field_room, type->fields);
	type->field[type->fields++] = intern_string(r->target->strings, path);
	return NULL;
}

static struct err *read_fields(struct reading *r, struct target_type *type, const char *text)
{
	char *list = mem_strdup(text), *at = list, *path;
	struct err *e = NULL;

	while (!e && (path = strsep(&at, ",")))
		e = add_field(r, type, trim(path));
	free(list);
	return e;
}

static struct err *check_type(struct reading *r, const char *name)
{
	const struct target *t = r->target;

	if (!is_name(name))
		return ini_file_fail(&r->file, "\"%s\" is no name of a type", name);
	for (size_t i = 0; i < t->types; i++)
		if (!strcmp(t->type[i].type, name) && t->type[i].from <= r->to &&
		    r->from <= t->type[i].to)
			return ini_file_fail(&r->file,
					     "%s is given a second time for the same kernels; "
					     "first in line %u",
					     name, t->type[i].line);
	if (t->types == TYPES_MOST)
		return ini_file_fail(&r->file, "more than %d types", TYPES_MOST);
	return NULL;
}

static struct err *read_type(struct reading *r, const char *name, const char *text)
{
	struct target *t = r->target;
	struct err *e = check_type(r, name);
	struct target_type *type;

	if (e)
		return e;
	mem_grow(&t->type, &t->type_room, t->types);
	type = &t->type[t->types++];
	*type = (struct target_type){ .from = r->from,
				      .to = r->to,
				      .type = intern_string(t->strings, name),
				      .line = r->file.line };
	return read_fields(r, type, text);
}

/* ---- The file */

static struct err *read_section(void *context, const char *section)
{
	struct reading *r = context;

	if (!strcmp(section, "target"))
		return NULL;
	if (strncmp(section, "kernel ", 7))
		return ini_file_fail(&r->file,
				     "unknown section [%s]: [target] and [kernel 5.0..5.13] "
				     "are known",
				     section);
	if (!read_range(section + 7, &r->from, &r->to))
		return ini_file_fail(&r->file,
				     "\"%s\" is no range of kernels such as 5.0..5.13, "
				     "5.14.. or ..",
				     section + 7);
	return NULL;
}

static struct err *read_key(void *context, const char *section, const char *name, const char *text)
{
	struct reading *r = context;

	if (!strcmp(section, "target"))
		return read_target_key(r, name, text);
	if (!*section)
		return ini_file_fail(&r->file, "%s stands before the first section", name);
	return read_type(r, name, text);
}

static struct err *check_whole(const struct target *t, const char *path)
{
	const char *missing = !t->title	      ? "title"
			      : !t->operation ? "operation"
			      : !t->events    ? "event"
					      : NULL;

	if (missing)
		return err_new(ERR_FAILED, "target file %s: [target] %s is missing", path, missing);
	return NULL;
}

static struct err *target_read(const char *path, FILE *file, struct target *t)
{
	struct reading r = { .file = { .what = "target",
				       .path = path,
				       .context = &r,
				       .section = read_section,
				       .key = read_key },
			     .target = t };
	struct err *e = ini_file_read(&r.file, file);

	return e ? e : check_whole(t, path);
}

struct err *target_load(const char *folder, const char *name, struct target *t)
{
	struct err *e;
	char *path;
	FILE *file;

	*t = (struct target){ .strings = intern_new() };
	e = ini_file_open("target", folder, name, &path, &file);
	if (!e) {
		char *base = ini_file_name(path);

		t->name = intern_string(t->strings, base);
		free(base);
		e = target_read(path, file, t);
		fclose(file);
	}
	free(path);
	if (!e)
		return NULL;
	target_deinit(t);
	return err_advice(e) ? e : err_next(e, "docs/targets.md says what a target file holds");
}

void target_deinit(struct target *t)
{
	for (size_t i = 0; i < t->types; i++)
		free(t->type[i].field);
	free(t->type);
	free(t->event);
	intern_free(t->strings);
	*t = (struct target){ 0 };
}

const struct target_type *target_type_find(const struct target *t, const char *type,
					   uint32_t kernel)
{
	for (size_t i = 0; i < t->types; i++)
		if (!strcmp(t->type[i].type, type) && t->type[i].from <= kernel &&
		    kernel <= t->type[i].to)
			return &t->type[i];
	return NULL;
}

char *target_names(const char *folder)
{
	return ini_file_names(folder);
}
