// SPDX-License-Identifier: GPL-2.0-only
#include "target.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER "configs/targets"
#define HEAD                                                                                       \
	"[target]\ntitle = a thing\noperation = thing done\nevent = a:b\nevent = c:d/x==1/\n"      \
	"benchmark = run it\n"

/* The whole file's text; the lines of HEAD are 1 to 6. */
static struct err *load_text(const char *text, struct target *t)
{
	char path[] = "/tmp/hitmap-target-XXXXXX";
	int fd = mkstemp(path);
	struct err *e;

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	e = target_load(FOLDER, path, t);
	unlink(path);
	return e;
}

static void load_good(const char *text, struct target *t)
{
	struct err *e = load_text(text, t);

	if (e)
		fail_msg("%s", err_text(e));
}

static void expect_error(const char *text, const char *expected)
{
	struct target t;
	struct err *e = load_text(text, &t);

	if (!e)
		fail_msg("no error, expected \"%s\"", expected);
	if (!strstr(err_text(e), expected))
		fail_msg("\"%s\" does not say \"%s\"", err_text(e), expected);
	assert_int_equal(err_status(e), ERR_FAILED);
	assert_non_null(err_advice(e));
	err_free(e);
}

static void expect_field(const struct target *t, const char *type, uint32_t kernel,
			 const char *first)
{
	const struct target_type *found = target_type_find(t, type, kernel);

	if (!found || !found->fields)
		fail_msg("%s: no %s in kernel %x", t->name, type, kernel);
	assert_string_equal(found->field[0], first);
}

static void every_shipped_target_loads(void **state)
{
	static const char *const names[] = { "dentry",	  "file",      "futex",	 "memcg",
					     "mmap_lock", "page_lock", "signal", "task_group" };
	char *found = target_names(FOLDER), *all = mem_strdup("");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct target t;
		struct err *e = target_load(FOLDER, names[i], &t);
		char *longer = mem_printf("%s%s%s", all, i ? ", " : "", names[i]);

		if (e)
			fail_msg("%s", err_text(e));
		assert_string_equal(t.name, names[i]);
		assert_non_null(t.benchmark);
		assert_true(t.types > 0);
		target_deinit(&t);
		free(all);
		all = longer;
	}
	assert_string_equal(found, all);
	free(found);
	free(all);
}

static void the_signal_counter_moved_from_user_to_ucounts_in_5_14(void **state)
{
	struct target t;

	assert_null(target_load(FOLDER, "signal", &t));
	expect_field(&t, "user_struct", TARGET_KERNEL(5, 13), "__count");
	assert_null(target_type_find(&t, "user_struct", TARGET_KERNEL(5, 14)));
	assert_null(target_type_find(&t, "ucounts", TARGET_KERNEL(5, 13)));
	expect_field(&t, "ucounts", TARGET_KERNEL(6, 18), "count");
	expect_field(&t, "sighand_struct", TARGET_KERNEL(4, 4), "siglock");
	target_deinit(&t);
}

static void a_bucket_has_priv_only_where_the_kernel_has_it(void **state)
{
	struct target t;

	assert_null(target_load(FOLDER, "futex", &t));
	assert_int_equal(target_type_find(&t, "futex_hash_bucket", TARGET_KERNEL(6, 15))->fields,
			 3);
	assert_int_equal(target_type_find(&t, "futex_hash_bucket", TARGET_KERNEL(6, 16))->fields,
			 4);
	assert_null(target_type_find(&t, "futex_hash_bucket", TARGET_KERNEL(4, 3)));
	target_deinit(&t);
}

static void a_file_is_read_in_its_order(void **state)
{
	struct target t;

	load_good("# c\n" HEAD "[kernel 5.4..5.9]\nfoo = a.b[3].c , d\n"
		  "[kernel ..]\nbar = x\n[kernel 5.10..]\nfoo = e\n",
		  &t);
	assert_string_equal(t.title, "a thing");
	assert_string_equal(t.operation, "thing done");
	assert_string_equal(t.benchmark, "run it");
	assert_int_equal(t.events, 2);
	assert_string_equal(t.event[1], "c:d/x==1/");
	assert_int_equal(t.types, 3);
	assert_string_equal(t.type[0].field[0], "a.b[3].c");
	assert_string_equal(t.type[0].field[1], "d");
	assert_int_equal(t.type[0].from, TARGET_KERNEL(5, 4));
	assert_int_equal(t.type[0].to, TARGET_KERNEL(5, 9));
	assert_int_equal(t.type[1].from, TARGET_KERNEL_FIRST);
	assert_int_equal(t.type[1].to, TARGET_KERNEL_LAST);
	assert_string_equal(t.type[2].type, "foo");
	target_deinit(&t);
}

static void mistakes_name_the_line_and_the_reason(void **state)
{
	static const struct {
		const char *text, *expected;
	} bad[] = {
		{ HEAD "[kernel 5.0...]\n", ":7: \"5.0...\" is no range of kernels" },
		{ HEAD "[kernel 5..6]\n", ":7: \"5..6\" is no range of kernels" },
		{ HEAD "[kernel 5.9..5.4]\nfoo = a\n", ":7: \"5.9..5.4\" is no range of kernels" },
		{ HEAD "[kernel 5.99999..]\nfoo = a\n", ":7: \"5.99999..\" is no range" },
		{ HEAD "[kernels ..]\n", ":7: unknown section [kernels ..]" },
		{ HEAD "[kernel ..\n", ":7: neither [section]" },
		{ HEAD "[kernel ..]\nfoo = a, b c\n", ":8: foo: \"b c\" is no path of a field" },
		{ HEAD "[kernel ..]\nfoo = a.\n", ":8: foo: \"a.\" is no path of a field" },
		{ HEAD "[kernel ..]\nfoo = a[x]\n", ":8: foo: \"a[x]\" is no path of a field" },
		{ HEAD "[kernel ..]\nfoo = a[3\n", ":8: foo: \"a[3\" is no path of a field" },
		{ HEAD "[kernel ..]\nfoo = a,\n", ":8: foo: \"\" is no path of a field" },
		{ HEAD "[kernel ..]\nfoo =\n", ":8: foo: \"\" is no path of a field" },
		{ HEAD "[kernel ..]\nfoo = a, a\n", ":8: foo: field a is given a second time" },
		{ HEAD "[kernel ..]\nstruct foo = a\n", ":8: \"struct foo\" is no name of a type" },
		{ HEAD "[kernel 5.0..5.9]\nfoo = a\n[kernel 5.9..]\nfoo = b\n",
		  ":10: foo is given a second time for the same kernels; first in line 8" },
		{ HEAD "[kernel ..]\nfoo = a\nfoo\n", ":9: neither [section]" },
		{ "[target]\ntitle = a\ntitle = b\n", ":3: title is given a second time" },
		{ "[target]\ntitle =\n", ":2: title is empty" },
		{ "[target]\nevent = a:b\nevent = a:b\n", ":3: event a:b is given a second time" },
		{ "[target]\nevents = a:b\n", ":2: unknown key \"events\" in section [target]" },
		{ "title = a\n", ":1: title stands before the first section" },
		{ "[target]\ntitle = a\noperation = b\n", "[target] event is missing" },
		{ "[target]\nevent = a:b\noperation = b\n", "[target] title is missing" },
		{ "", "[target] title is missing" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		expect_error(bad[i].text, bad[i].expected);
}

static void a_line_longer_than_the_reader_takes_is_said(void **state)
{
	char text[512] = "[target]\ntitle = ";

	memset(text + strlen(text), 'x', 300);
	expect_error(text, ":2: the line is longer than");
}

static void an_unknown_target_lists_the_known_ones(void **state)
{
	struct target t;
	struct err *e = target_load(FOLDER, "pipe", &t);

	assert_non_null(e);
	assert_int_equal(err_status(e), ERR_USAGE);
	assert_non_null(strstr(err_text(e), "there is no \"pipe\""));
	assert_non_null(strstr(err_advice(e), "page_lock, signal, task_group"));
	err_free(e);
}

static void a_release_is_a_version(void **state)
{
	assert_int_equal(target_kernel("6.18.44-fc-v782"), TARGET_KERNEL(6, 18));
	assert_int_equal(target_kernel("5.4"), TARGET_KERNEL(5, 4));
	assert_int_equal(target_kernel("linux"), 0);
	assert_int_equal(target_kernel(""), 0);
	assert_int_equal(target_kernel("6"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shipped_target_loads),
		cmocka_unit_test(the_signal_counter_moved_from_user_to_ucounts_in_5_14),
		cmocka_unit_test(a_bucket_has_priv_only_where_the_kernel_has_it),
		cmocka_unit_test(a_file_is_read_in_its_order),
		cmocka_unit_test(mistakes_name_the_line_and_the_reason),
		cmocka_unit_test(a_line_longer_than_the_reader_takes_is_said),
		cmocka_unit_test(an_unknown_target_lists_the_known_ones),
		cmocka_unit_test(a_release_is_a_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
