// SPDX-License-Identifier: GPL-2.0-only
#include "note.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int new_pool(void **state)
{
	*state = intern_new();
	return 0;
}

static int free_pool(void **state)
{
	intern_free(*state);
	return 0;
}

static struct note parse(struct intern *pool, const char *text, size_t size)
{
	struct note n;
	struct err *e = note_parse(pool, text, size, &n);

	if (e)
		fail_msg("%s: %s", text, err_text(e));
	return n;
}

/* Formats, parses, formats: the texts are the same, so every member was kept. */
static struct note expect_kept(struct intern *pool, const struct note *n)
{
	char *text = note_format(n), *again;
	struct note parsed = parse(pool, text, strlen(text));

	again = note_format(&parsed);
	assert_string_equal(text, again);
	free(text);
	free(again);
	return parsed;
}

static void a_model_note_is_kept_to_the_last_digit(void **state)
{
	struct note n = { NOTE_MODEL,
			  .model = {
				  .machine = "cascadelake-2s-192t",
				  .door = "qemu 7.2",
				  .mhz = 2400,
				  .cpus = UINT32_MAX,
				  .nodes = 2,
				  .llcs = 3,
				  .threads = 4,
				  .hold = { 0, 1, UINT64_MAX },
				  .cycles = { UINT64_MAX - 1, (1ULL << 53) + 1, 1ULL << 63 },
				  .hitm = { 5, 6, 7 },
				  .transfers = { 8, 9, 10 },
				  .instructions = 11,
				  .accesses = 12,
				  .forced = 13,
				  .breaks = 14,
				  .abandoned = 15,
				  .unplaced = 16,
				  .complete = true,
			  } };
	struct note_model m = expect_kept(*state, &n).model;

	assert_string_equal(m.machine, "cascadelake-2s-192t");
	assert_string_equal(m.door, "qemu 7.2");
	assert_int_equal(m.mhz, 2400);
	assert_int_equal(m.cpus, UINT32_MAX);
	assert_int_equal(m.threads, 4);
	assert_true(m.hold[2] == UINT64_MAX);
	assert_true(m.cycles[0] == UINT64_MAX - 1);
	assert_true(m.cycles[1] == (1ULL << 53) + 1);
	assert_true(m.cycles[2] == 1ULL << 63);
	assert_int_equal(m.transfers[1], 9);
	assert_int_equal(m.unplaced, 16);
	assert_true(m.complete);
}

static void every_other_kind_is_kept(void **state)
{
	struct note n = { NOTE_THREAD, .thread = { 1, 2, 3, { 4, 5, 6 }, 7, 8 } };
	struct note_thread t = expect_kept(*state, &n).thread;

	assert_memory_equal(&t, &n.thread, sizeof(t));

	n = (struct note){ NOTE_LINE,
			   .line = { 1, 0xffff888100000040, 2, { 3, 4, 5 }, { 6, 7, 8 }, { 9 } } };
	struct note_line l = expect_kept(*state, &n).line;

	assert_int_equal(l.pid, 1);
	assert_true(l.addr == 0xffff888100000040);
	assert_int_equal(l.hitm[2], 5);
	assert_int_equal(l.transfers[0], 6);
	assert_int_equal(l.cycles[0], 9);

	n = (struct note){ NOTE_OBJECT,
			   .object = { 1, 0x1000, 64, "struct user_struct", "root \"user\"\n" } };
	struct note_object o = expect_kept(*state, &n).object;

	assert_true(o.addr == 0x1000 && o.size == 64);
	assert_string_equal(o.type, "struct user_struct");
	assert_string_equal(o.name, "root \"user\"\n");

	n = (struct note){ NOTE_OPERATION, .operation = { "signal queued", 1ULL << 60, "a:b", 7 } };
	struct note_operation op = expect_kept(*state, &n).operation;

	assert_string_equal(op.name, "signal queued");
	assert_true(op.count == 1ULL << 60);
	assert_string_equal(op.event, "a:b");
	assert_int_equal(op.duration, 7);

	n = (struct note){ NOTE_REMARK, .remark = { "caf\xc3\xa9" } };
	assert_string_equal(expect_kept(*state, &n).remark.text, "caf\xc3\xa9");
}

static void nuls_at_the_end_are_padding(void **state)
{
	static const char text[] = "{\"note\": \"remark\", \"text\": \"x\"}\0\0\0\0\0\0";
	struct note n = parse(*state, text, sizeof(text));

	assert_int_equal(n.kind, NOTE_REMARK);
	assert_string_equal(n.remark.text, "x");
}

static void members_that_are_missing_or_of_another_type_are_empty(void **state)
{
	static const char *const text[] = {
		"{\"note\": \"object\"}",
		"{\"note\": \"object\", \"pid\": \"1\", \"addr\": null, \"size\": -5, \"type\": 7}",
		"{\"note\": \"object\", \"pid\": 1.5, \"addr\": [1], \"size\": {}, \"name\": []}",
		"{\"note\": \"object\", \"a_member_of_later_versions\": {\"deep\": [1, 2]}}",
	};

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct note n = parse(*state, text[i], strlen(text[i]));

		assert_int_equal(n.kind, NOTE_OBJECT);
		assert_int_equal(n.object.pid, 0);
		assert_int_equal(n.object.addr, 0);
		assert_int_equal(n.object.size, 0);
		assert_string_equal(n.object.type, "");
		assert_string_equal(n.object.name, "");
	}
}

static void numbers_too_large_stay_at_the_largest(void **state)
{
	static const char text[] = "{\"note\": \"thread\", \"pid\": 4294967296, \"accesses\": "
				   "99999999999999999999999}";
	struct note n = parse(*state, text, strlen(text));

	assert_int_equal(n.thread.pid, UINT32_MAX);
	assert_true(n.thread.accesses == UINT64_MAX);
}

static void lists_of_other_lengths_do_no_harm(void **state)
{
	static const char text[] =
		"{\"note\": \"thread\", \"cycles\": [1, 2, 3, 4, 5], \"instructions\": 9}";
	struct note n = parse(*state, text, strlen(text));

	assert_int_equal(n.thread.cycles[0], 1);
	assert_int_equal(n.thread.cycles[2], 3);
	assert_int_equal(n.thread.instructions, 9);
}

static void an_unknown_kind_is_no_error(void **state)
{
	static const char *const text[] = { "{\"note\": \"prophecy\", \"x\": 1}", "{}",
					    "{\"note\": 5}" };

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		assert_int_equal(parse(*state, text[i], strlen(text[i])).kind, NOTE_UNKNOWN);
}

static void what_is_no_json_object_is_an_error_that_says_so(void **state)
{
	static const char *const text[] = { "",	    "\0\0",
					    "{",    "nonsense",
					    "[1]",  "7",
					    "null", "{\"note\": \"remark\"} x",
					    "\"s",  "{\"a\": \"\xff" };

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct note n;
		struct err *e = note_parse(*state, text[i], strlen(text[i]), &n);

		if (!e)
			fail_msg("\"%s\" was taken for a note", text[i]);
		assert_non_null(strstr(err_text(e), "note: "));
		assert_int_equal(n.kind, NOTE_UNKNOWN);
		err_free(e);
	}
}

static void deep_nesting_is_refused(void **state)
{
	char text[20001];
	struct note n;
	struct err *e;

	memset(text, '[', 20000);
	text[20000] = 0;
	e = note_parse(*state, text, 20000, &n);
	assert_non_null(e);
	err_free(e);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_note_is_kept_to_the_last_digit),
		cmocka_unit_test(every_other_kind_is_kept),
		cmocka_unit_test(nuls_at_the_end_are_padding),
		cmocka_unit_test(members_that_are_missing_or_of_another_type_are_empty),
		cmocka_unit_test(numbers_too_large_stay_at_the_largest),
		cmocka_unit_test(lists_of_other_lengths_do_no_harm),
		cmocka_unit_test(an_unknown_kind_is_no_error),
		cmocka_unit_test(what_is_no_json_object_is_an_error_that_says_so),
		cmocka_unit_test(deep_nesting_is_refused),
	};

	return cmocka_run_group_tests(tests, new_pool, free_pool);
}
