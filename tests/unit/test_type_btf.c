// SPDX-License-Identifier: GPL-2.0-only
#include "map.h"
#include "mem.h"
#include "type_btf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define DEBIAN_6_1  "tests/fixtures/btf/debian-6.1.btf"
#define DEBIAN_6_12 "tests/fixtures/btf/debian-6.12.btf"

static struct type_btf *open_types(const char *path, struct intern *pool)
{
	struct type_btf *b;
	struct err *e = type_btf_open(path, NULL, pool, &b);

	if (e)
		fail_msg("%s", err_text(e));
	return b;
}

/* ---- Debian's kernels: facts that were read from their sources */

static const struct {
	const char *file, *type, *path;
	uint64_t offset, size;
	bool absent;
} PLACES[] = {
	/* UCOUNT_RLIMIT_SIGPENDING: third line, lower half. */
	{ DEBIAN_6_1, "ucounts", "rlimit[2]", 144, 8, false },
	{ DEBIAN_6_12, "ucounts", "rlimit[2]", 144, 8, false },
	{ DEBIAN_6_1, "struct ucounts", "count", 28, 4, false },
	{ DEBIAN_6_1, "ucounts", "ucount", 32, 96, false },
	{ DEBIAN_6_1, "ucounts", "rlimit[4]", 0, 0, true },
	{ DEBIAN_6_1, "futex_hash_bucket", "waiters", 0, 4, false },
	{ DEBIAN_6_1, "futex_hash_bucket", "lock", 4, 4, false },
	{ DEBIAN_6_1, "futex_hash_bucket", "chain", 8, 16, false },
	{ DEBIAN_6_1, "futex_hash_bucket", "priv", 0, 0, true },
	{ DEBIAN_6_12, "futex_hash_bucket", "priv", 0, 0, true },
	{ DEBIAN_6_1, "page", "flags", 0, 8, false },
	{ DEBIAN_6_12, "page", "_refcount", 52, 4, false },
	{ DEBIAN_6_12, "sighand_struct", "siglock", 0, 4, false },
	{ DEBIAN_6_12, "sighand_struct", "count", 4, 4, false },
	{ DEBIAN_6_1, "sighand_struct", "action[3].sa.sa_flags", 136, 8, false },
	{ DEBIAN_6_1, "no_such_struct", "count", 0, 0, true },
};

static void debians_kernels_have_fields_where_their_sources_say(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(PLACES); i++) {
		struct intern *pool = intern_new();
		struct type_btf *b = open_types(PLACES[i].file, pool);
		struct layout_place place = { 0 };
		struct layout l;
		bool found = type_btf_layout(b, PLACES[i].type, &l) &&
			     layout_find(&l, PLACES[i].path, &place);

		if (found == PLACES[i].absent || place.offset != PLACES[i].offset ||
		    place.size != PLACES[i].size)
			fail_msg("%s: %s.%s: expected %s offset %lu size %lu, got %s %lu %lu",
				 PLACES[i].file, PLACES[i].type, PLACES[i].path,
				 PLACES[i].absent ? "absent" : "there", PLACES[i].offset,
				 PLACES[i].size, found ? "there" : "absent", place.offset,
				 place.size);
		layout_deinit(&l);
		type_btf_free(b);
		intern_free(pool);
	}
}

/* ---- Offsets and paths are each other's inverse */

static void every_member_is_found_by_its_offset(void **state)
{
	static const char *const TYPES[] = { "ucounts", "mm_struct", "task_struct", "page",
					     "sighand_struct" };
	struct intern *pool = intern_new();
	struct type_btf *b = open_types(DEBIAN_6_12, pool);
	uint32_t checked = 0;

	for (size_t t = 0; t < ARRAY_SIZE(TYPES); t++) {
		struct layout l;

		assert_true(type_btf_layout(b, TYPES[t], &l));
		for (uint64_t at = 0; at < l.size; at++) {
			struct layout_place place, again;

			if (!layout_at(&l, at, &place))
				continue;
			assert_true(place.offset <= at && at < place.offset + place.size);
			if (!layout_find(&l, place.path, &again))
				fail_msg("%s: %s at %lu is not found", l.name, place.path, at);
			if (again.offset != place.offset)
				fail_msg("%s: %s at %lu is found at %lu", l.name, place.path,
					 place.offset, again.offset);
			checked++;
		}
		layout_deinit(&l);
	}
	assert_true(checked > 5000);
	type_btf_free(b);
	intern_free(pool);
}

static void padding_belongs_to_no_member(void **state)
{
	struct intern *pool = intern_new();
	struct type_btf *b = open_types(DEBIAN_6_1, pool);
	struct layout_place place;
	struct layout l;

	assert_true(type_btf_layout(b, "futex_hash_bucket", &l));
	assert_int_equal(l.size, 64);
	assert_true(layout_at(&l, 23, &place));
	assert_string_equal(place.path, "chain.node_list.prev");
	assert_false(layout_at(&l, 24, &place));
	assert_false(layout_at(&l, 64, &place));
	layout_deinit(&l);
	type_btf_free(b);
	intern_free(pool);
}

/* ---- pahole, on this kernel */

/* "	atomic_t                   count;                /+    48     4 +/": name, offset, size. */
static bool parse_pahole(char *line, char *name, size_t room, uint64_t *offset, uint64_t *size)
{
	char *comment = strstr(line, "/*"), *end = comment, *start;

	if (!comment || line[0] != '\t' || line[1] == '\t' || strchr(line, ':') ||
	    strchr(line, '('))
		return false;
	if (sscanf(comment, "/* %lu %lu */", offset, size) != 2)
		return false;
	while (end > line && end[-1] != ';')
		end--;
	if (end == line)
		return false;
	end--;
	for (char *bracket; (bracket = memchr(line, '[', end - line));)
		end = bracket;
	for (start = end;
	     start > line && start[-1] != ' ' && start[-1] != '*' && start[-1] != '\t';)
		start--;
	snprintf(name, room, "%.*s", (int)(end - start), start);
	return *name && *name != '}';
}

static uint32_t compare_with_pahole(FILE *pahole, const struct layout *l)
{
	uint32_t compared = 0;
	char line[1024];

	while (fgets(line, sizeof(line), pahole) && line[0] != '}') {
		struct layout_place place;
		uint64_t offset, size;
		char name[256];

		if (!parse_pahole(line, name, sizeof(name), &offset, &size))
			continue;
		if (!layout_find(l, name, &place))
			fail_msg("%s.%s: pahole has it at %lu, the layout has it not", l->name,
				 name, offset);
		if (place.offset != offset || place.size != size)
			fail_msg("%s.%s: pahole says %lu, %lu bytes; the layout %lu, %lu", l->name,
				 name, offset, size, place.offset, place.size);
		compared++;
	}
	return compared;
}

/* Names that two structs have are left out: pahole may take another one than we. */
static void count_names(struct type_btf *b, struct intern *pool, struct map *count)
{
	const char *name;

	for (uint32_t at = 0; (name = type_btf_next_struct(b, &at));)
		++*map_put(count, (uintptr_t)intern_string(pool, name), 0, NULL);
}

/* "struct NAME {" at the start of a line: NAME. */
static const char *struct_head(const char *line, struct intern *pool)
{
	size_t size;

	if (strncmp(line, "struct ", 7))
		return NULL;
	size = strcspn(line + 7, " ");
	return strcmp(line + 7 + size, " {\n") ? NULL : intern_bytes(pool, line + 7, size);
}

/* Of what pahole tells one struct in about 25, drawn by chance. */
static uint32_t compare_some(struct type_btf *b, struct intern *pool, const struct map *count,
			     FILE *pahole, uint32_t *members)
{
	uint32_t structs = 0, seed = 1;
	char line[1024];

	while (structs < 200 && fgets(line, sizeof(line), pahole)) {
		const char *name = struct_head(line, pool);
		const uint64_t *same = name ? map_get(count, (uintptr_t)name) : NULL;
		struct layout l;

		seed = seed * 1664525 + 1013904223;
		if (!same || *same != 1 || seed >> 24 >= 10)
			continue;
		assert_true(type_btf_layout(b, name, &l));
		*members += compare_with_pahole(pahole, &l);
		layout_deinit(&l);
		structs++;
	}
	return structs;
}

static void offsets_agree_with_pahole_for_200_structs(void **state)
{
	struct intern *pool = intern_new();
	uint32_t structs, members = 0;
	struct type_btf *b;
	struct map count;
	FILE *pahole;

	if (access(TYPE_BTF_KERNEL, R_OK) || system("pahole --version >/dev/null 2>&1")) {
		intern_free(pool);
		skip();
	}
	b = open_types(TYPE_BTF_KERNEL, pool);
	map_init(&count);
	count_names(b, pool, &count);
	pahole = popen("pahole " TYPE_BTF_KERNEL " 2>/dev/null", "r");
	assert_non_null(pahole);
	structs = compare_some(b, pool, &count, pahole, &members);
	pclose(pahole);
	print_message("%u members of %u structs\n", members, structs);
	assert_int_equal(structs, 200);
	assert_true(members > 1000);
	map_deinit(&count);
	type_btf_free(b);
	intern_free(pool);
}

/* ---- Files that are not to be trusted */

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t size;

	assert_non_null(f);
	size = fread(bytes, 1, room, f);
	fclose(f);
	return size;
}

/* One struct that is its own member, through a typedef that is its own type: header of 24 bytes,
 * types, strings. */
static void types_that_hold_themselves_end(void **state)
{
	static const uint32_t IMAGE[] = {
		0x0001eb9f, 24,		0, 24 + 12, 36, 8, /* magic, lengths */
		1,	    0x04000001, 8, 3,	    1,	0, /* 1: struct a { a b } */
		5,	    0x08000000, 2,		   /* 2: typedef of itself */
	};
	uint8_t bytes[sizeof(IMAGE) + 8] = { 0 };
	struct intern *pool = intern_new();
	char path[] = "/tmp/hitmap-btf-XXXXXX";
	struct type_btf *b;
	struct layout l;
	struct err *e;

	close(mkstemp(path));
	memcpy(bytes, IMAGE, sizeof(IMAGE));
	memcpy(bytes + sizeof(IMAGE), "\0a\0b\0t\0", 7);
	((uint32_t *)bytes)[10] = 1; /* the member's type: the struct itself */
	write_file(path, bytes, sizeof(bytes));
	e = type_btf_open(path, NULL, pool, &b);
	if (e)
		fail_msg("%s", err_text(e));
	assert_true(type_btf_layout(b, "a", &l));
	assert_true(l.cut);
	assert_true(l.members <= LAYOUT_MEMBERS);
	layout_deinit(&l);
	assert_false(type_btf_layout(b, "t", &l));
	type_btf_free(b);
	unlink(path);
	intern_free(pool);
}

static void damaged_files_give_errors_or_other_layouts(void **state)
{
	static uint8_t sound[1 << 16], bytes[1 << 16];
	size_t size = read_file(DEBIAN_6_1, sound, sizeof(sound));
	char path[] = "/tmp/hitmap-btf-XXXXXX";
	uint32_t seed = 7, opened = 0;

	close(mkstemp(path));
	for (int round = 0; round < 300; round++) {
		struct intern *pool = intern_new();
		struct type_btf *b;
		struct err *e;

		memcpy(bytes, sound, size);
		for (int i = 0; i < 8; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[24 + (seed >> 8) % (size - 24)] = seed;
		}
		write_file(path, bytes, round % 10 ? size : (seed >> 4) % size);
		e = type_btf_open(path, NULL, pool, &b);
		for (uint32_t at = 0; !e && type_btf_next_struct(b, &at);) {
			struct layout l;

			opened++;
			at += 20;
			type_btf_layout(b, round % 2 ? "task_struct" : "mm_struct", &l);
			layout_deinit(&l);
		}
		err_free(e);
		type_btf_free(b);
		intern_free(pool);
	}
	assert_true(opened > 0);
	unlink(path);
}

static void a_file_without_types_is_told(void **state)
{
	struct intern *pool = intern_new();
	struct type_btf *b;
	struct err *e = type_btf_open("Makefile", NULL, pool, &b);

	assert_non_null(e);
	assert_null(b);
	assert_non_null(strstr(err_text(e), "btf: cannot read types from Makefile"));
	assert_non_null(err_advice(e));
	err_free(e);
	intern_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debians_kernels_have_fields_where_their_sources_say),
		cmocka_unit_test(every_member_is_found_by_its_offset),
		cmocka_unit_test(padding_belongs_to_no_member),
		cmocka_unit_test(offsets_agree_with_pahole_for_200_structs),
		cmocka_unit_test(types_that_hold_themselves_end),
		cmocka_unit_test(damaged_files_give_errors_or_other_layouts),
		cmocka_unit_test(a_file_without_types_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
