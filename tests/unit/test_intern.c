// SPDX-License-Identifier: GPL-2.0-only
#include "intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void equal_strings_are_one_pointer(void **state)
{
	struct intern *pool = intern_new();
	char text[] = "name";
	const char *s = intern_string(pool, text);

	assert_ptr_not_equal(s, text);
	assert_string_equal(s, "name");
	assert_ptr_equal(intern_string(pool, "name"), s);
	assert_ptr_equal(intern_bytes(pool, "names", 4), s);
	assert_ptr_equal(intern_printf(pool, "%s%c", "nam", 'e'), s);
	assert_ptr_not_equal(intern_string(pool, "nam"), s);
	assert_ptr_not_equal(intern_string(pool, "names"), s);
	text[0] = 'X';
	assert_string_equal(s, "name");
	intern_free(pool);
}

static void bytes_end_at_a_nul(void **state)
{
	struct intern *pool = intern_new();

	assert_string_equal(intern_bytes(pool, "ab\0cd", 5), "ab");
	assert_ptr_equal(intern_bytes(pool, "\0x", 2), intern_string(pool, ""));
	assert_ptr_equal(intern_bytes(pool, "", 0), intern_string(pool, ""));
	intern_free(pool);
}

/* More strings than the first table holds, many of them beginnings of others. */
static void strings_keep_their_pointer_while_the_pool_grows(void **state)
{
	enum { COUNT = 20000 };
	static const char *kept[COUNT];
	struct intern *pool = intern_new();
	char text[16];

	for (int i = 0; i < COUNT; i++)
		kept[i] = intern_printf(pool, "%d", i);
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_string_equal(kept[i], text);
		assert_ptr_equal(intern_string(pool, text), kept[i]);
	}
	intern_free(pool);
}

static void freeing_no_pool_is_fine(void **state)
{
	intern_free(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_are_one_pointer),
		cmocka_unit_test(bytes_end_at_a_nul),
		cmocka_unit_test(strings_keep_their_pointer_while_the_pool_grows),
		cmocka_unit_test(freeing_no_pool_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
