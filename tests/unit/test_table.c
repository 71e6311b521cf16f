// SPDX-License-Identifier: GPL-2.0-only
#include "map.h"
#include "table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MANY 300000 /* also beyond where the table gets large pages */

static uint32_t count_found(const struct table *t, uint32_t hash, uint32_t index)
{
	uint32_t found = 0, i;

	for (uint32_t at = hash; (i = table_next(t, hash, &at)) != TABLE_NONE;)
		found += i == index;
	return found;
}

static void test_finds_each_element_once_whatever_was_put_after_it(void **state)
{
	struct table t;
	uint32_t absent = 0;

	table_init(&t);
	for (uint32_t i = 0; i < MANY; i++)
		table_put(&t, map_hash(i), i);
	for (uint32_t i = 0; i < MANY; i++)
		if (count_found(&t, map_hash(i), i) != 1)
			absent++;
	assert_int_equal(absent, 0);
	assert_int_equal(t.used, MANY);
	assert_int_equal(count_found(&t, map_hash(MANY), MANY), 0);
	table_deinit(&t);
}

static void test_gives_all_elements_of_one_hash(void **state)
{
	struct table t;

	table_init(&t);
	for (uint32_t i = 0; i < 100; i++)
		table_put(&t, UINT32_MAX, i); /* at the last slot, and round the end */
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(count_found(&t, UINT32_MAX, i), 1);
	table_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_each_element_once_whatever_was_put_after_it),
		cmocka_unit_test(test_gives_all_elements_of_one_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
