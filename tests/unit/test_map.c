// SPDX-License-Identifier: GPL-2.0-only
#include "map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_key_is_made_once_and_keeps_its_value(void **state)
{
	struct map m;
	uint64_t *v;
	bool made = false;

	map_init(&m);
	assert_null(map_get(&m, 5));
	v = map_put(&m, 5, 50, &made);
	assert_true(made);
	assert_int_equal(*v, 50);
	*v = 51;
	assert_int_equal(*map_put(&m, 5, 99, &made), 51);
	assert_false(made);
	assert_int_equal(*map_get(&m, 5), 51);
	assert_int_equal(m.count, 1);
	map_deinit(&m);
}

static void zero_and_the_largest_are_keys_like_others(void **state)
{
	struct map m;

	map_init(&m);
	assert_null(map_get(&m, 0));
	assert_null(map_get(&m, UINT64_MAX));
	map_put(&m, 0, 1, NULL);
	map_put(&m, UINT64_MAX, 2, NULL);
	assert_int_equal(*map_get(&m, 0), 1);
	assert_int_equal(*map_get(&m, UINT64_MAX), 2);
	map_deinit(&m);
}

/* Line addresses: multiples of 64, and keys that differ in high bits only. */
static void keys_with_equal_low_bits_are_told_apart(void **state)
{
	enum { COUNT = 100000 };
	struct map m;

	map_init(&m);
	for (uint64_t i = 0; i < COUNT; i++) {
		map_put(&m, i * 64, i, NULL);
		map_put(&m, (i + 1) << 40 | 1, ~i, NULL);
	}
	assert_int_equal(m.count, 2 * COUNT);
	for (uint64_t i = 0; i < COUNT; i++) {
		assert_true(*map_get(&m, i * 64) == i);
		assert_true(*map_get(&m, (i + 1) << 40 | 1) == ~i);
		assert_null(map_get(&m, i * 64 + 32));
	}
	map_deinit(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_made_once_and_keeps_its_value),
		cmocka_unit_test(zero_and_the_largest_are_keys_like_others),
		cmocka_unit_test(keys_with_equal_low_bits_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
