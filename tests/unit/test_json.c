// SPDX-License-Identifier: GPL-2.0-only
#include "json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct text {
	char *bytes;
	size_t size;
	struct json_writer w;
};

/* open_memstream() keeps pointers to its two results: a struct text must not move. */
#define TEXT(t, indent)                                                                            \
	struct text t = { 0 };                                                                     \
	json_init(&t.w, open_memstream(&t.bytes, &t.size), indent)

static void expect(struct text *t, const char *wanted)
{
	fclose(t->w.out);
	assert_string_equal(t->bytes, wanted);
	free(t->bytes);
}

static void nested_values_get_commas_and_indentation(void **state)
{
	TEXT(t, true);

	json_begin_object(&t.w, NULL);
	json_u64(&t.w, "a", 1);
	json_begin_array(&t.w, "b");
	json_boolean(&t.w, NULL, true);
	json_begin_object(&t.w, NULL);
	json_end(&t.w);
	json_null(&t.w, NULL);
	json_end(&t.w);
	json_begin_array(&t.w, "c");
	json_end(&t.w);
	json_i64(&t.w, "d", -5);
	json_end(&t.w);
	expect(&t, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    {},\n    null\n  ],\n  \"c\": [],\n"
		   "  \"d\": -5\n}\n");
}

static void without_indentation_all_is_on_one_line(void **state)
{
	TEXT(t, false);

	json_begin_object(&t.w, NULL);
	json_string(&t.w, "a", "x");
	json_begin_array(&t.w, "b");
	json_u64(&t.w, NULL, 1);
	json_u64(&t.w, NULL, 2);
	json_end(&t.w);
	json_end(&t.w);
	expect(&t, "{\"a\": \"x\", \"b\": [1, 2]}");
}

static void strings_are_escaped_and_bytes_outside_utf8_replaced(void **state)
{
	static const struct {
		const char *raw, *json;
	} row[] = {
		{ "", "\"\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"" },
		{ "\xc3\xa9\xe2\x86\x92\xf0\x9f\x98\x80",
		  "\"\xc3\xa9\xe2\x86\x92\xf0\x9f\x98\x80\"" },
		{ "\xff", "\"\\ufffd\"" },
		{ "a\x80z", "\"a\\ufffdz\"" },
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },			    /* overlong */
		{ "\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\"" },	    /* overlong */
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },	    /* surrogate */
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" }, /* above U+10FFFF */
		{ "\xe2\x86", "\"\\ufffd\\ufffd\"" },			    /* cut off */
		{ "\xf0\x9f\x98", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ NULL, "null" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		TEXT(t, false);

		json_string(&t.w, NULL, row[i].raw);
		expect(&t, row[i].json);
	}
}

static void numbers_keep_their_value(void **state)
{
	TEXT(t, false);

	json_begin_array(&t.w, NULL);
	json_u64(&t.w, NULL, UINT64_MAX);
	json_u64(&t.w, NULL, 0);
	json_i64(&t.w, NULL, INT64_MIN);
	json_double(&t.w, NULL, 0.1);
	json_double(&t.w, NULL, 1.0 / 3);
	json_double(&t.w, NULL, 25);
	json_double(&t.w, NULL, -1e300);
	json_double(&t.w, NULL, NAN);
	json_double(&t.w, NULL, INFINITY);
	json_end(&t.w);
	expect(&t, "[18446744073709551615, 0, -9223372036854775808, 0.1, 0.3333333333333333, 25, "
		   "-1e+300, null, null]");
}

static void depth_of_64_is_written(void **state)
{
	TEXT(t, false);
	char wanted[2 * JSON_DEPTH + 1] = "";

	for (int i = 0; i < JSON_DEPTH; i++) {
		json_begin_array(&t.w, NULL);
		wanted[i] = '[';
		wanted[2 * JSON_DEPTH - 1 - i] = ']';
	}
	for (int i = 0; i < JSON_DEPTH; i++)
		json_end(&t.w);
	expect(&t, wanted);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_values_get_commas_and_indentation),
		cmocka_unit_test(without_indentation_all_is_on_one_line),
		cmocka_unit_test(strings_are_escaped_and_bytes_outside_utf8_replaced),
		cmocka_unit_test(numbers_keep_their_value),
		cmocka_unit_test(depth_of_64_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
