// SPDX-License-Identifier: GPL-2.0-only
/* What is said of two recordings whose objects, fields and users are given. */
#include "align.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Names are compared as pointers: they are interned. */
static const char LOCK[] = "lock", COUNT[] = "count", OWNER[] = "owner", TABLE[] = "table",
		  FIRST[] = "[0].lock", SECOND[] = "[1].lock", SITE[] = "take:12";

struct side {
	struct use_field fields[4];
	struct use_object objects[2];
	struct use_set use;
	struct note_operation operation;
	struct profile profile;
};

static void side_init(struct side *s, const char *name, uint64_t addr, uint64_t hitm)
{
	*s = (struct side){ .operation = { .name = "step", .count = 1000 } };
	s->objects[0] = (struct use_object){ .name = name,
					     .addr = addr,
					     .line_size = 64,
					     .fields = s->fields,
					     .counts = { .hitm = { hitm } } };
	s->use = (struct use_set){ .objects = s->objects, .count = 1 };
	s->profile.operations = &s->operation;
	s->profile.operation_count = 1;
	s->profile.total.hitm[0] = hitm;
	s->profile.total.samples = 10 * hitm;
}

static void field(struct side *s, const char *name, uint32_t offset, uint32_t writers)
{
	struct use_field *f = &s->fields[s->objects[0].field_count++];

	*f = (struct use_field){ .name = name, .offset = offset, .size = 8, .is_place = name[0] == '+' };
	for (uint32_t t = 0; t < writers; t++)
		idset_add(&f->writers, t);
}

static void side_deinit(struct side *s)
{
	for (uint32_t i = 0; i < s->objects[0].field_count; i++)
		idset_deinit(&s->fields[i].writers);
}

static void expect(struct side *before, struct side *after, enum align_kind kind, bool changed)
{
	struct align_input in[ALIGN_SIDES] = { { &before->use, &before->profile, 0 },
					       { &after->use, &after->profile, 0 } };
	struct align a;

	align_init(&a, in);
	assert_int_equal(a.unit, ALIGN_PER_OPERATION);
	if (a.objects[0].kind != kind)
		fail_msg("kind %d, expected %d", a.objects[0].kind, kind);
	assert_int_equal(a.objects[0].changed, changed);
	align_deinit(&a);
	side_deinit(before);
	side_deinit(after);
}

static void a_lock_whose_parts_come_into_one_line_has_merged(void **state)
{
	struct side before, after;

	side_init(&before, LOCK, 0x1000, 5000);
	field(&before, COUNT, 56, 2);
	field(&before, OWNER, 64, 2);
	side_init(&after, LOCK, 0x1000, 9000);
	field(&after, COUNT, 64, 2);
	field(&after, OWNER, 72, 2);
	expect(&before, &after, ALIGN_MERGED, true);
}

static void parts_that_leave_each_other_have_split(void **state)
{
	struct side before, after;

	side_init(&before, LOCK, 0x1000, 9000);
	field(&before, COUNT, 0, 2);
	field(&before, OWNER, 8, 2);
	side_init(&after, LOCK, 0x1038, 5000);
	field(&after, COUNT, 0, 2);
	field(&after, OWNER, 8, 2);
	expect(&before, &after, ALIGN_SPLIT, true);
}

static void fields_that_nobody_writes_do_not_merge(void **state)
{
	struct side before, after;

	side_init(&before, LOCK, 0x1000, 5000);
	field(&before, COUNT, 56, 0);
	field(&before, OWNER, 64, 0);
	side_init(&after, LOCK, 0x1000, 5000);
	field(&after, COUNT, 64, 0);
	field(&after, OWNER, 72, 0);
	expect(&before, &after, ALIGN_FIELD_MOVED, false);
}

static void an_object_that_moved_with_its_neighbours_has_only_moved(void **state)
{
	struct side before, after;

	side_init(&before, LOCK, 0x1000, 5000);
	field(&before, COUNT, 0, 2);
	field(&before, OWNER, 8, 2);
	side_init(&after, LOCK, 0x7020, 5050);
	field(&after, COUNT, 0, 2);
	field(&after, OWNER, 8, 2);
	expect(&before, &after, ALIGN_OBJECT_MOVED, false);
}

static void more_threads_at_fewer_elements_have_collided(void **state)
{
	struct side before, after;

	side_init(&before, TABLE, 0x1000, 1000);
	field(&before, FIRST, 0, 2);
	field(&before, SECOND, 64, 2);
	side_init(&after, TABLE, 0x1000, 9000);
	field(&after, FIRST, 0, 8);
	expect(&before, &after, ALIGN_COLLISION, true);
}

static void the_same_place_with_more_of_it_is_true_sharing(void **state)
{
	struct side before, after;

	side_init(&before, LOCK, 0x1000, 1000);
	field(&before, COUNT, 0, 8);
	side_init(&after, LOCK, 0x1000, 9000);
	field(&after, COUNT, 0, 8);
	expect(&before, &after, ALIGN_TRUE_SHARING, true);
}

static void noise_is_no_change(void **state)
{
	struct side before, after;

	side_init(&before, LOCK, 0x1000, 1000);
	field(&before, COUNT, 0, 8);
	side_init(&after, LOCK, 0x1000, 1100);
	field(&after, COUNT, 0, 8);
	expect(&before, &after, ALIGN_SAME, false);
}

static void a_place_is_recognised_by_the_code_that_uses_it(void **state)
{
	static const char AT_120[] = "+120", AT_128[] = "+128";
	struct side before, after;
	struct align_input in[ALIGN_SIDES] = { { &before.use, &before.profile, 0 },
					       { &after.use, &after.profile, 0 } };
	struct align a;

	side_init(&before, LOCK, 0x1000, 5000);
	field(&before, AT_120, 120, 2);
	before.fields[0].code_name[before.fields[0].code_names++] = SITE;
	field(&before, AT_128, 128, 2);
	side_init(&after, LOCK, 0x1000, 5000);
	field(&after, AT_128, 128, 2);
	after.fields[0].code_name[after.fields[0].code_names++] = SITE;
	align_init(&a, in);
	assert_int_equal(a.objects[0].field_count, 2);
	assert_ptr_equal(a.objects[0].fields[0].side[ALIGN_BEFORE]->name, AT_120);
	assert_ptr_equal(a.objects[0].fields[0].side[ALIGN_AFTER]->name, AT_128);
	assert_null(a.objects[0].fields[1].side[ALIGN_AFTER]);
	align_deinit(&a);
	side_deinit(&before);
	side_deinit(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_whose_parts_come_into_one_line_has_merged),
		cmocka_unit_test(parts_that_leave_each_other_have_split),
		cmocka_unit_test(fields_that_nobody_writes_do_not_merge),
		cmocka_unit_test(an_object_that_moved_with_its_neighbours_has_only_moved),
		cmocka_unit_test(more_threads_at_fewer_elements_have_collided),
		cmocka_unit_test(the_same_place_with_more_of_it_is_true_sharing),
		cmocka_unit_test(noise_is_no_change),
		cmocka_unit_test(a_place_is_recognised_by_the_code_that_uses_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
