// SPDX-License-Identifier: GPL-2.0-only
#include "note.h"
#include "json.h"
#include "mem.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

enum field_type { FIELD_U32, FIELD_U64, FIELD_HOLDS, FIELD_BOOL, FIELD_STRING };

/* A member of a note's text and where it is in struct note. FIELD_HOLDS: uint64_t[NOTE_HOLDS]. */
struct field {
	const char *key;
	enum field_type type;
	size_t offset;
};

#define FIELD(type_, kind, member)                                                                 \
	{                                                                                          \
#member, FIELD_##type_, offsetof(struct note, kind.member)                         \
	}

static const struct field model_fields[] = {
	FIELD(STRING, model, machine),
	FIELD(STRING, model, door),
	FIELD(U32, model, mhz),
	FIELD(U32, model, cpus),
	FIELD(U32, model, nodes),
	FIELD(U32, model, llcs),
	FIELD(U32, model, threads),
	FIELD(HOLDS, model, hold),
	FIELD(HOLDS, model, cycles),
	FIELD(HOLDS, model, hitm),
	FIELD(HOLDS, model, transfers),
	FIELD(U64, model, instructions),
	FIELD(U64, model, accesses),
	FIELD(U64, model, forced),
	FIELD(U64, model, breaks),
	FIELD(U64, model, abandoned),
	FIELD(U64, model, unplaced),
	FIELD(BOOL, model, complete),
	{ 0 },
};

static const struct field thread_fields[] = {
	FIELD(U32, thread, pid),
	FIELD(U32, thread, tid),
	FIELD(U32, thread, cpu),
	FIELD(HOLDS, thread, cycles),
	FIELD(U64, thread, instructions),
	FIELD(U64, thread, accesses),
	{ 0 },
};

static const struct field line_fields[] = {
	FIELD(U32, line, pid),
	FIELD(U64, line, addr),
	FIELD(U64, line, accesses),
	FIELD(HOLDS, line, hitm),
	FIELD(HOLDS, line, transfers),
	FIELD(HOLDS, line, cycles),
	{ 0 },
};

static const struct field object_fields[] = {
	FIELD(U32, object, pid),     FIELD(U64, object, addr),	  FIELD(U64, object, size),
	FIELD(STRING, object, type), FIELD(STRING, object, name), { 0 },
};

static const struct field block_fields[] = {
	FIELD(U32, block, pid),
	FIELD(U64, block, addr),
	FIELD(U64, block, size),
	FIELD(U64, block, caller),
	FIELD(U32, block, number),
	FIELD(U32, block, others),
	{ 0 },
};

static const struct field operation_fields[] = {
	FIELD(STRING, operation, name),
	FIELD(U64, operation, count),
	FIELD(STRING, operation, event),
	FIELD(U64, operation, duration),
	{ 0 },
};

static const struct field remark_fields[] = {
	FIELD(STRING, remark, text),
	{ 0 },
};

/* The member "note" holds the kind's name. */
static const struct {
	const char *name;
	const struct field *fields;
} kinds[] = {
	[NOTE_MODEL] = { "model", model_fields },
	[NOTE_THREAD] = { "thread", thread_fields },
	[NOTE_LINE] = { "line", line_fields },
	[NOTE_OBJECT] = { "object", object_fields },
	[NOTE_OPERATION] = { "operation", operation_fields },
	[NOTE_REMARK] = { "remark", remark_fields },
	[NOTE_BLOCK] = { "block", block_fields },
};

static void write_holds(struct json_writer *w, const char *key, const uint64_t *v)
{
	json_begin_array(w, key);
	for (int i = 0; i < NOTE_HOLDS; i++)
		json_u64(w, NULL, v[i]);
	json_end(w);
}

static void write_field(struct json_writer *w, const struct field *f, const struct note *n)
{
	const void *at = (const char *)n + f->offset;

	switch (f->type) {
	case FIELD_U32:
		json_u64(w, f->key, *(const uint32_t *)at);
		break;
	case FIELD_U64:
		json_u64(w, f->key, *(const uint64_t *)at);
		break;
	case FIELD_HOLDS:
		write_holds(w, f->key, at);
		break;
	case FIELD_BOOL:
		json_boolean(w, f->key, *(const bool *)at);
		break;
	case FIELD_STRING:
		json_string(w, f->key, *(const char *const *)at);
		break;
	}
}

char *note_format(const struct note *n)
{
	struct json_writer w;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		mem_exhausted();
	json_init(&w, out, false);
	json_begin_object(&w, NULL);
	if (n->kind != NOTE_UNKNOWN) {
		json_string(&w, "note", kinds[n->kind].name);
		for (const struct field *f = kinds[n->kind].fields; f->key; f++)
			write_field(&w, f, n);
	}
	json_end(&w);
	if (fclose(out))
		mem_exhausted();
	return text;
}

/* A number that is not there, negative or none is 0. */
static uint64_t read_number(struct json_object *v)
{
	return json_object_is_type(v, json_type_int) ? json_object_get_uint64(v) : 0;
}

static void read_holds(struct json_object *v, uint64_t *holds)
{
	if (!json_object_is_type(v, json_type_array))
		return;
	for (size_t i = 0; i < NOTE_HOLDS && i < json_object_array_length(v); i++)
		holds[i] = read_number(json_object_array_get_idx(v, i));
}

static const char *read_string(struct json_object *v, struct intern *pool)
{
	return intern_string(
		pool, json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "");
}

static void read_field(struct json_object *v, const struct field *f, struct intern *pool,
		       struct note *n)
{
	void *at = (char *)n + f->offset;
	uint64_t number;

	switch (f->type) {
	case FIELD_U32:
		number = read_number(v);
		*(uint32_t *)at = number > UINT32_MAX ? UINT32_MAX : number;
		break;
	case FIELD_U64:
		*(uint64_t *)at = read_number(v);
		break;
	case FIELD_HOLDS:
		read_holds(v, at);
		break;
	case FIELD_BOOL:
		*(bool *)at = json_object_get_boolean(v);
		break;
	case FIELD_STRING:
		*(const char **)at = read_string(v, pool);
		break;
	}
}

static enum note_kind find_kind(struct json_object *name)
{
	if (!json_object_is_type(name, json_type_string))
		return NOTE_UNKNOWN;
	for (size_t i = NOTE_UNKNOWN + 1; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, json_object_get_string(name)))
			return i;
	return NOTE_UNKNOWN;
}

static void read_note(struct json_object *root, struct intern *pool, struct note *n)
{
	*n = (struct note){ .kind = find_kind(json_object_object_get(root, "note")) };
	if (n->kind == NOTE_UNKNOWN)
		return;
	for (const struct field *f = kinds[n->kind].fields; f->key; f++)
		read_field(json_object_object_get(root, f->key), f, pool, n);
}

struct err *note_parse(struct intern *pool, const char *text, size_t size, struct note *n)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *root;
	struct err *e = NULL;

	*n = (struct note){ .kind = NOTE_UNKNOWN };
	if (!tokener)
		mem_exhausted();
	while (size && !text[size - 1])
		size--;
	/* The tokener takes an int; a note fits a record of 64 KiB. */
	root = size > 1 << 20 ? NULL : json_tokener_parse_ex(tokener, text, size);
	if (!root || json_tokener_get_parse_end(tokener) != size)
		e = err_new(ERR_FAILED, "note: not a JSON object (%s at byte %zu)",
			    json_tokener_error_desc(json_tokener_get_error(tokener)),
			    json_tokener_get_parse_end(tokener));
	else if (!json_object_is_type(root, json_type_object))
		e = err_new(ERR_FAILED, "note: a JSON object was expected, not %s",
			    json_type_to_name(json_object_get_type(root)));
	else
		read_note(root, pool, n);
	json_object_put(root);
	json_tokener_free(tokener);
	return e;
}
