// SPDX-License-Identifier: GPL-2.0-only
#include "collect_stat.h"
#include "collect_limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct collect_stat stat_of(uint64_t samples, uint64_t lost, uint64_t throttled)
{
	struct collect_stat s = { 0 };

	*collect_stat_cpu(&s, 1) = (struct collect_cpu){ samples / 2, lost, 0 };
	*collect_stat_cpu(&s, 3) = (struct collect_cpu){ samples / 2, 0, throttled };
	s.all = (struct collect_cpu){ samples, lost, throttled };
	return s;
}

static void expect(char *text, const char *expected)
{
	if (!expected)
		assert_null(text);
	else if (!text)
		fail_msg("nothing was said, not \"%s\"", expected);
	else
		assert_string_equal(text, expected);
	free(text);
}

static const struct collect_setting often = {
	.frequency = 4000, .ring_kb = 512, .page_kb = 4, .ticks = 100
};

static void nothing_lost_needs_no_advice(void **state)
{
	struct collect_stat s = stat_of(1000, 0, 0);

	expect(collect_stat_lost(&s), NULL);
	expect(collect_stat_throttled(&s), NULL);
	expect(collect_stat_advice(&s, &often), NULL);
	collect_stat_deinit(&s);
}

static void small_losses_want_larger_rings(void **state)
{
	struct collect_stat s = stat_of(990, 10, 0);

	expect(collect_stat_lost(&s), "lost 10 records (1 %) on CPU 1: rings were full");
	expect(collect_stat_advice(&s, &often), "-m 512 (rings of 2048 kB)");
	collect_stat_deinit(&s);
}

static void tiny_rings_are_not_advised(void **state)
{
	struct collect_stat s = stat_of(990, 10, 0);
	struct collect_setting how = often;

	how.ring_kb = 4;
	expect(collect_stat_advice(&s, &how), "-m 128 (rings of 512 kB)");
	collect_stat_deinit(&s);
}

static void large_losses_want_fewer_samples_too(void **state)
{
	struct collect_stat s = stat_of(500, 500, 0);
	struct collect_setting how = often;

	expect(collect_stat_advice(&s, &how), "-m 512 (rings of 2048 kB), or -F 1000");
	how.frequency = 0;
	how.period = 10;
	expect(collect_stat_advice(&s, &how), "-m 512 (rings of 2048 kB), or -c 40");
	collect_stat_deinit(&s);
}

static void throttling_wants_fewer_samples(void **state)
{
	struct collect_stat s = stat_of(1000, 0, 7);

	expect(collect_stat_throttled(&s),
	       "the kernel paused events 7 times on CPU 3: they came too often");
	expect(collect_stat_advice(&s, &often), "-F 1000");
	collect_stat_deinit(&s);
}

static void a_late_reader_is_not_helped_by_rings(void **state)
{
	struct collect_stat s = stat_of(1000, 1000, 0);
	struct collect_setting how = often;
	char *advice;

	how.late = 50;
	advice = collect_stat_advice(&s, &how);
	assert_non_null(strstr(advice, "came late 50 of 100 times"));
	assert_null(strstr(advice, "-m "));
	free(advice);
	collect_stat_deinit(&s);
}

static void rings_are_powers_of_two(void **state)
{
	static const uint64_t from[] = { 0, 1, 2, 3, 127, 128, 129, UINT64_MAX };
	static const uint32_t to[] = { 1, 1, 2, 2, 64, 128, 128, 1u << 30 };

	for (size_t i = 0; i < sizeof(from) / sizeof(*from); i++)
		assert_int_equal(collect_limit_power(from[i]), to[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_lost_needs_no_advice),
		cmocka_unit_test(small_losses_want_larger_rings),
		cmocka_unit_test(tiny_rings_are_not_advised),
		cmocka_unit_test(large_losses_want_fewer_samples_too),
		cmocka_unit_test(throttling_wants_fewer_samples),
		cmocka_unit_test(a_late_reader_is_not_helped_by_rings),
		cmocka_unit_test(rings_are_powers_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
