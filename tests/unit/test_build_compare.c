// SPDX-License-Identifier: GPL-2.0-only
#include "build_compare.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Members in order, with natural alignment; "array": elements, 0 for none. */
struct row {
	const char *name;
	uint64_t size, array;
};

static void make(struct layout *l, struct intern *pool, const char *name, const struct row *row)
{
	struct layout_walk w = { .layout = l, .pool = pool };
	uint64_t at = 0;

	*l = (struct layout){ .name = name };
	for (; row->name; row++) {
		struct layout_member m = { .size = row->size, .align = row->size };

		at = (at + row->size - 1) / row->size * row->size;
		m.offset = at;
		if (row->array) {
			m.dimensions = 1;
			m.dimension[0] = (struct layout_dimension){ row->size, row->array };
		}
		at += row->size * (row->array ?: 1);
		l->align = row->size > l->align ? row->size : l->align;
		assert_true(layout_add(&w, row->name, &m));
	}
	l->size = (at + l->align - 1) / l->align * l->align;
}

struct stage {
	struct intern *pool;
	struct layout before, after;
	struct build_type type;
};

static void stage_open(struct stage *s, const struct row *before, const struct row *after,
		       const char **hot, uint32_t hots)
{
	s->pool = intern_new();
	make(&s->before, s->pool, "struct thing", before);
	make(&s->after, s->pool, "struct thing", after);
	build_compare(&s->before, &s->after, hot, hots, s->pool, &s->type);
}

static void stage_close(struct stage *s)
{
	build_type_deinit(&s->type);
	layout_deinit(&s->before);
	layout_deinit(&s->after);
	intern_free(s->pool);
}

static const struct build_field *field(const struct stage *s, const char *path)
{
	for (uint32_t i = 0; i < s->type.fields; i++)
		if (!strcmp(s->type.field[i].path, path))
			return &s->type.field[i];
	fail_msg("the comparison has no field %s", path);
	return NULL;
}

static void assert_push(const struct build_field *f, uint32_t i, const char *member,
			enum build_push_what what, int64_t bytes)
{
	if (i >= f->pushes)
		fail_msg("%s was pushed by %u members, not %u", f->path, f->pushes, i + 1);
	assert_string_equal(f->push[i].member, member);
	assert_int_equal(f->push[i].what, what);
	assert_int_equal(f->push[i].bytes, bytes);
}

/* As struct ucounts from 6.12 to 6.18. */
static void an_added_member_pushes_into_the_other_half(void **state)
{
	static const struct row before[] = {
		{ "node", 8, 3 }, { "count", 4, 0 }, { "ucount", 8, 12 }, { "rlimit", 8, 4 }, { 0 }
	};
	static const struct row after[] = { { "node", 8, 3 },	{ "rcu", 8, 2 },
					    { "count", 4, 0 },	{ "ucount", 8, 12 },
					    { "rlimit", 8, 4 }, { 0 } };
	const char *hot[] = { "rlimit[2]", "count" };
	struct stage s;
	const struct build_field *f;

	stage_open(&s, before, after, hot, 2);
	f = field(&s, "rlimit[2]");
	assert_true(f->hot);
	assert_int_equal(f->side[BUILD_BEFORE].offset, 144);
	assert_int_equal(f->side[BUILD_AFTER].offset, 160);
	assert_int_equal(f->side[BUILD_AFTER].size, 8);
	assert_int_equal(f->change, BUILD_HALF);
	assert_int_equal(f->pushes, 1);
	assert_push(f, 0, "rcu[]", PUSH_ADDED, 16);
	f = field(&s, "count");
	assert_int_equal(f->change, BUILD_HALF);
	assert_int_equal(f->joined.count, 1);
	assert_string_equal(f->joined.name[0], "rcu[]");
	assert_int_equal(f->parted.count, 0);
	/* Hot ones come first. */
	assert_true(s.type.field[0].hot && s.type.field[1].hot && !s.type.field[2].hot);
	stage_close(&s);
}

static void members_that_go_grow_or_change_places_push(void **state)
{
	static const struct row before[] = {
		{ "a", 8, 0 },	 { "gone", 8, 2 }, { "b", 8, 1 }, { "late", 8, 0 },
		{ "hot", 8, 0 }, { "tail", 8, 0 }, { 0 }
	};
	static const struct row after[] = { { "a", 8, 0 },   { "tail", 8, 0 }, { "b", 8, 9 },
					    { "hot", 8, 0 }, { "late", 8, 0 }, { 0 } };
	const char *hot[] = { "hot" };
	struct stage s;
	const struct build_field *f;

	stage_open(&s, before, after, hot, 1);
	f = field(&s, "hot");
	assert_int_equal(f->side[BUILD_BEFORE].offset, 40);
	assert_int_equal(f->side[BUILD_AFTER].offset, 88);
	assert_int_equal(f->change, BUILD_LINE);
	assert_int_equal(f->pushes, 4);
	assert_push(f, 0, "tail", PUSH_PASSED, 8);
	assert_push(f, 1, "b[]", PUSH_RESIZED, 64);
	assert_push(f, 2, "late", PUSH_PASSED, -8);
	assert_push(f, 3, "gone[]", PUSH_REMOVED, -16);
	stage_close(&s);
}

static void what_is_behind_a_field_does_not_push_it(void **state)
{
	static const struct row before[] = { { "hot", 8, 0 }, { "a", 8, 0 }, { 0 } };
	static const struct row after[] = {
		{ "hot", 8, 0 }, { "new", 8, 4 }, { "a", 8, 0 }, { 0 }
	};
	const char *hot[] = { "hot", "nowhere" };
	struct stage s;
	const struct build_field *f;

	stage_open(&s, before, after, hot, 2);
	f = field(&s, "hot");
	assert_int_equal(f->change, BUILD_SAME);
	assert_int_equal(f->pushes, 0);
	assert_int_equal(f->joined.count, 1);
	assert_string_equal(f->joined.name[0], "new[]");
	assert_int_equal(field(&s, "a")->change, BUILD_HALF);
	for (uint32_t i = 0; i < s.type.fields; i++)
		assert_string_not_equal(s.type.field[i].path, "nowhere");
	stage_close(&s);
}

static void fields_that_come_or_go_are_told(void **state)
{
	static const struct row before[] = { { "a", 8, 0 }, { "old", 8, 0 }, { "n", 4, 0 }, { 0 } };
	static const struct row after[] = { { "a", 8, 0 }, { "new", 8, 0 }, { "n", 8, 0 }, { 0 } };
	struct stage s;

	stage_open(&s, before, after, NULL, 0);
	assert_int_equal(field(&s, "a")->change, BUILD_SAME);
	assert_int_equal(field(&s, "old")->change, BUILD_GONE);
	assert_int_equal(field(&s, "new")->change, BUILD_NEW);
	assert_int_equal(field(&s, "n")->change, BUILD_RESIZED);
	assert_int_equal(s.type.shifted, 0);
	stage_close(&s);
}

/* As mmap_lock's count at 120 and owner behind it: in two lines, then in one. */
static void hot_fields_that_come_into_one_line_are_a_pair(void **state)
{
	static const struct row before[] = {
		{ "front", 8, 15 }, { "count", 8, 0 }, { "owner", 8, 0 }, { 0 }
	};
	static const struct row after[] = {
		{ "front", 8, 16 }, { "count", 8, 0 }, { "owner", 8, 0 }, { 0 }
	};
	const char *hot[] = { "count", "owner" };
	struct stage s;

	stage_open(&s, before, after, hot, 2);
	assert_int_equal(s.type.pairs, 1);
	assert_string_equal(s.type.pair[0].first, "count");
	assert_string_equal(s.type.pair[0].second, "owner");
	assert_false(s.type.pair[0].together[BUILD_BEFORE]);
	assert_true(s.type.pair[0].together[BUILD_AFTER]);
	/* Neighbours are apart at one of the eight bases of an eight-byte alignment. */
	for (int side = 0; side < BUILD_SIDES; side++) {
		assert_int_equal(s.type.pair[0].of[side], 8);
		assert_int_equal(s.type.pair[0].bases[side], 7);
	}
	stage_close(&s);
}

static void a_type_of_one_build_alone_is_told(void **state)
{
	static const struct row rows[] = { { "a", 8, 0 }, { 0 } };
	const char *hot[] = { "a" };
	struct intern *pool = intern_new();
	struct layout l;
	struct build_type t;

	make(&l, pool, "struct fresh", rows);
	build_compare(NULL, &l, hot, 1, pool, &t);
	assert_false(t.there[BUILD_BEFORE]);
	assert_true(t.there[BUILD_AFTER]);
	assert_int_equal(t.fields, 1);
	assert_int_equal(t.field[0].change, BUILD_NEW);
	build_type_deinit(&t);
	build_compare(&l, NULL, NULL, 0, pool, &t);
	assert_int_equal(t.field[0].change, BUILD_GONE);
	build_type_deinit(&t);
	layout_deinit(&l);
	intern_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_added_member_pushes_into_the_other_half),
		cmocka_unit_test(members_that_go_grow_or_change_places_push),
		cmocka_unit_test(what_is_behind_a_field_does_not_push_it),
		cmocka_unit_test(fields_that_come_or_go_are_told),
		cmocka_unit_test(hot_fields_that_come_into_one_line_are_a_pair),
		cmocka_unit_test(a_type_of_one_build_alone_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
