// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "heatmap.h"
#include "label.h"

#include <string.h>

static const struct heat_style ASCII = { .unicode = false }, UNICODE = { .unicode = true },
			       COLOURED = { .unicode = true, .colour = true };

static void shades_are_a_factor_of_four_apart(void **state)
{
	static const struct {
		uint64_t heat;
		enum heat_shade want;
	} CASES[] = {
		{ 0, SHADE_NONE },	{ 1, SHADE_LIGHT },   { 31, SHADE_LIGHT },
		{ 32, SHADE_MEDIUM },	{ 127, SHADE_MEDIUM }, { 128, SHADE_DARK },
		{ 511, SHADE_DARK },	{ 512, SHADE_FULL },  { 1024, SHADE_FULL },
	};

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
		assert_int_equal(heat_shade(CASES[i].heat, 1024), CASES[i].want);
}

static void small_and_huge_heats_have_a_shade(void **state)
{
	assert_int_equal(heat_shade(1, 1), SHADE_FULL);
	assert_int_equal(heat_shade(1, 3), SHADE_DARK);
	assert_int_equal(heat_shade(UINT64_MAX, UINT64_MAX), SHADE_FULL);
	assert_int_equal(heat_shade(1, UINT64_MAX), SHADE_LIGHT);
	assert_int_equal(heat_shade(0, 0), SHADE_NONE);
}

static void strips_set_the_halves_apart(void **state)
{
	const uint64_t heat[LINE_WORDS] = { 64, 32, 3, 0, 0, 0, 0, 8 };
	char strip[HEAT_STRIP_BYTES];

	heat_strip(strip, heat, 64, &ASCII);
	assert_string_equal(strip, "[##- |   +]");
	heat_strip(strip, heat, 64, &UNICODE);
	assert_string_equal(strip, "▕██▒ ┆   ▓▏");
	assert_int_equal(label_columns(strip), HEAT_STRIP_COLUMNS);
}

static void a_coloured_strip_ends_its_colours_and_fits(void **state)
{
	const uint64_t heat[LINE_WORDS] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	char strip[HEAT_STRIP_BYTES];
	int on = 0, off = 0;

	heat_strip(strip, heat, 1, &COLOURED);
	for (const char *c = strip; (c = strstr(c, "\033[")); c++) {
		on += c[2] != '0';
		off += c[2] == '0';
	}
	assert_int_equal(on, LINE_WORDS);
	assert_int_equal(off, LINE_WORDS);
	assert_memory_equal(strip + strlen(strip) - strlen("▏"), "▏", strlen("▏"));
}

static void the_legend_names_each_shade(void **state)
{
	char legend[HEAT_STRIP_BYTES];

	heat_legend(legend, &ASCII);
	assert_string_equal(legend, "# 1/2  + 1/8  - 1/32  . less");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shades_are_a_factor_of_four_apart),
		cmocka_unit_test(small_and_huge_heats_have_a_shade),
		cmocka_unit_test(strips_set_the_halves_apart),
		cmocka_unit_test(a_coloured_strip_ends_its_colours_and_fits),
		cmocka_unit_test(the_legend_names_each_shade),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
