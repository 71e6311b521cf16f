// SPDX-License-Identifier: GPL-2.0-only
#include "object_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

struct told {
	char names[8][32];
	int count;
};

static int looks;

static struct err *put_object(object_put put, void *to, uint64_t addr, const char *name)
{
	const struct note n = { .kind = NOTE_OBJECT,
				.object = { .addr = addr, .size = 64, .type = "", .name = name } };

	return put(to, &n);
}

/* A remark; an object that stays; one that is new each time; and one at the place of another. */
static struct err *look(object_put put, void *to)
{
	const struct note remark = { .kind = NOTE_REMARK, .remark.text = "a remark" };
	char name[32];
	struct err *e = put(to, &remark);

	looks++;
	snprintf(name, sizeof(name), "new %d", looks);
	if (!e)
		e = put_object(put, to, 0x1000, "stays");
	if (!e)
		e = put_object(put, to, 0x2000 + 0x1000 * looks, name);
	return e ? e : put_object(put, to, 0x1000, name);
}

static struct err *note_name(void *to, const struct note *n)
{
	struct told *t = to;
	const char *name = n->kind == NOTE_OBJECT ? n->object.name : n->remark.text;

	assert_true(t->count < 8);
	snprintf(t->names[t->count++], sizeof(t->names[0]), "%s", name);
	return NULL;
}

static void same_names(const struct told *t, int from, const char *const *wanted, int count)
{
	assert_int_equal(t->count, from + count);
	for (int i = 0; i < count; i++)
		assert_string_equal(t->names[from + i], wanted[i]);
}

static void test_tells_each_object_once_and_what_is_new_later(void **state)
{
	static const char *const FIRST[] = { "a remark", "stays", "new 1", "new 1" };
	static const char *const LATER[] = { "new 2", "new 2" };
	struct told t = { .count = 0 };
	struct object_watch *w = object_watch_new(look, note_name, &t);

	(void)state;
	looks = 0;
	assert_null(object_watch_now(w));
	same_names(&t, 0, FIRST, 4);
	assert_null(object_watch_tick(w, 499)); /* not yet */
	assert_null(object_watch_tick(w, 500));
	for (int i = 0; i < 1000 && t.count == 4; i++) {
		usleep(10000);
		assert_null(object_watch_tick(w, 501));
	}
	same_names(&t, 4, LATER, 2);
	assert_null(object_watch_tick(w, 4999)); /* the next is at 5 s */
	assert_int_equal(looks, 2);
	object_watch_free(w);
}

static void test_can_end_while_a_look_is_under_way(void **state)
{
	struct told t = { .count = 0 };
	struct object_watch *w = object_watch_new(look, note_name, &t);

	(void)state;
	assert_null(object_watch_tick(w, 500));
	object_watch_free(w);
	assert_int_equal(t.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tells_each_object_once_and_what_is_new_later),
		cmocka_unit_test(test_can_end_while_a_look_is_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
