// SPDX-License-Identifier: GPL-2.0-only
#include "buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint8_t bytes[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 'x', 0 };

static void numbers_are_read_in_place_and_in_order(void **state)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes), 100);
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	memcpy(&two, bytes, 2);
	memcpy(&four, bytes + 2, 4);
	memcpy(&eight, bytes + 6, 8);
	assert_int_equal(cursor_u16(&c), two);
	assert_int_equal(cursor_u32(&c), four);
	assert_true(cursor_u64(&c) == eight);
	assert_int_equal(c.offset, 114);
	assert_int_equal(cursor_left(&c), 2);
	assert_false(c.bad);
}

static void the_other_endianness_is_swapped(void **state)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes), 0);
	uint64_t eight;

	c.swap = true;
	memcpy(&eight, bytes, 8);
	assert_true(cursor_u64(&c) == __builtin_bswap64(eight));
	assert_int_equal(cursor_u32(&c), __builtin_bswap32(0x0c0b0a09));
	assert_int_equal(cursor_u16(&c), __builtin_bswap16(0x0e0d));
}

static void a_read_past_the_end_is_zero_and_stays_bad(void **state)
{
	struct cursor c = cursor_of(bytes, 7, 0);

	assert_int_equal(cursor_u64(&c), 0);
	assert_true(c.bad);
	assert_int_equal(cursor_left(&c), 7);
	assert_int_equal(cursor_u16(&c), 0); /* although two bytes are there */
	assert_true(c.bad);
}

static void sizes_near_the_largest_do_not_wrap(void **state)
{
	static const uint64_t sizes[] = { 17, 1ULL << 32, 1ULL << 63, UINT64_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct cursor c = cursor_of(bytes, sizeof(bytes), 0), part;

		cursor_skip(&c, sizes[i]);
		assert_true(c.bad);
		c = cursor_of(bytes, sizeof(bytes), 0);
		part = cursor_part(&c, sizes[i]);
		assert_true(c.bad);
		assert_true(part.bad);
		assert_int_equal(cursor_left(&part), 0);
	}
}

static void a_part_is_stepped_over_and_has_its_own_end(void **state)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes), 10), part = cursor_part(&c, 4);

	assert_int_equal(cursor_left(&part), 4);
	assert_int_equal(part.offset, 10);
	assert_int_equal(c.offset, 14);
	assert_int_equal(cursor_left(&c), 12);
	cursor_u64(&part);
	assert_true(part.bad);
	assert_false(c.bad);
}

static void a_string_must_end_within_its_field(void **state)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes), 0);

	cursor_skip(&c, 14);
	assert_string_equal(cursor_string(&c, 2), "x");
	c = cursor_of(bytes, sizeof(bytes), 0);
	assert_null(cursor_string(&c, 4));
	assert_true(c.bad);
	c = cursor_of(bytes, sizeof(bytes), 0);
	assert_null(cursor_string(&c, 17));
	c = cursor_of(bytes, sizeof(bytes), 0);
	assert_null(cursor_string(&c, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_in_place_and_in_order),
		cmocka_unit_test(the_other_endianness_is_swapped),
		cmocka_unit_test(a_read_past_the_end_is_zero_and_stays_bad),
		cmocka_unit_test(sizes_near_the_largest_do_not_wrap),
		cmocka_unit_test(a_part_is_stepped_over_and_has_its_own_end),
		cmocka_unit_test(a_string_must_end_within_its_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
