// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "canvas.h"
#include "palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *written(const struct canvas *c, void (*write)(const struct canvas *c, FILE *out))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(c, out);
	fclose(out);
	return text;
}

static void assert_text(const struct canvas *c, const char *want)
{
	char *got = written(c, canvas_write_text);

	assert_string_equal(got, want);
	free(got);
}

static void assert_marked(const struct canvas *c, const char *want)
{
	char *got = written(c, canvas_write_marked);

	assert_string_equal(got, want);
	free(got);
}

/* ---- Drawing */

static void what_leaves_the_canvas_is_cut(void **state)
{
	struct canvas c;

	canvas_init(&c, 5, 2, true);
	assert_int_equal(canvas_text(&c, 3, 0, STYLE_PLAIN, "abc"), 6);
	canvas_text(&c, 0, 2, STYLE_PLAIN, "below");
	canvas_fill(&c, 4, 1, 1000, STYLE_PLAIN, 'x');
	canvas_select(&c, 3, 9, 10);
	canvas_text(&c, UINT32_MAX - 1, 0, STYLE_PLAIN, "far");
	assert_text(&c, "   ab\n    x\n");
	canvas_deinit(&c);
}

static void names_fill_their_columns_and_are_cut_in_the_middle(void **state)
{
	struct canvas c;

	canvas_init(&c, 12, 3, true);
	canvas_text(&c, 0, 0, STYLE_PLAIN, "xxxxxxxxxxxx");
	assert_int_equal(canvas_name(&c, 1, 0, 8, STYLE_PLAIN, "ab"), 9);
	canvas_name(&c, 0, 1, 7, STYLE_PLAIN, "abcdefghijkl");
	canvas_right(&c, 0, 2, 6, STYLE_PLAIN, "1,234,567");
	assert_text(&c, "xab      xxx\nabc…jkl\n34,567\n");
	canvas_deinit(&c);
}

static void hostile_characters_become_question_marks(void **state)
{
	static const char *const BYTES[] = {
		"\033",		    /* a control character */
		"\xc2\x9b",	    /* one of C1: the terminal's CSI */
		"\xff",		    /* no UTF-8 */
		"\xe4\xb8\xad",	    /* two columns wide */
		"\xcc\x81",	    /* combines with the one before */
		"\xe2\x80\xae",	    /* turns the order around */
		"\xf0\x9f\x94\xa5", /* a picture */
		"\xc0\xaf",	    /* longer than it need be */
	};

	for (size_t i = 0; i < sizeof(BYTES) / sizeof(BYTES[0]); i++) {
		struct canvas c;

		canvas_init(&c, 4, 1, true);
		canvas_text(&c, 0, 0, STYLE_PLAIN, BYTES[i]);
		assert_int_equal(canvas_at(&c, 0, 0)->rune, '?');
		assert_int_equal(canvas_at(&c, 1, 0)->rune, ' ');
		canvas_deinit(&c);
	}
}

static void an_ascii_canvas_has_ascii_only(void **state)
{
	struct canvas c;

	canvas_init(&c, 20, 1, false);
	canvas_text(&c, 0, 0, STYLE_PLAIN, "▕█▓▒░┆▏ ▼▽▿ → é");
	assert_text(&c, "[#+-.|] Vv, > ?\n");
	canvas_deinit(&c);
}

static void a_box_has_a_frame_and_a_title(void **state)
{
	struct canvas c;

	canvas_init(&c, 10, 3, true);
	canvas_box(&c, 0, 0, 10, 3, "abc");
	assert_text(&c, "┌─ abc ──┐\n│        │\n└────────┘\n");
	canvas_box(&c, 0, 0, 1, 1, "too small");
	canvas_deinit(&c);
}

static void marks_tell_styles_and_the_chosen_row(void **state)
{
	struct canvas c;

	canvas_init(&c, 8, 2, true);
	canvas_text(&c, 0, 0, STYLE_HEAT_FULL, "ab");
	canvas_text(&c, 2, 0, STYLE_PLAIN, "{c");
	canvas_text(&c, 0, 1, STYLE_DIM, "x");
	canvas_select(&c, 0, 1, 2);
	assert_marked(&c, "{heat-full}ab{}{{c\n{>dim}x{>} {}\n");
	canvas_deinit(&c);
}

static void a_resized_canvas_is_empty_and_bounded(void **state)
{
	struct canvas c;

	canvas_init(&c, 3, 1, true);
	canvas_text(&c, 0, 0, STYLE_WARN, "abc");
	canvas_resize(&c, 100000, 1);
	assert_int_equal(c.columns, CANVAS_MOST);
	canvas_resize(&c, 4, 1);
	assert_marked(&c, "\n");
	canvas_resize(&c, 0, 0);
	assert_text(&c, "");
	canvas_deinit(&c);
}

/* ---- Colours */

/* Relative luminance, 0..1, and contrast, 1..21, as the W3C's WCAG 2 defines them. */
static double luminance(uint32_t rgb)
{
	static const double WEIGHT[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double part = (rgb >> (16 - 8 * i) & 0xff) / 255.0;

		sum += WEIGHT[i] *
		       (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a), y = luminance(b);

	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static uint32_t ink(bool light, enum canvas_style style)
{
	struct palette p = { PALETTE_256, light };

	return palette_rgb((uint8_t)palette_look(&p, style, false).ink);
}

static void more_heat_stands_out_more_on_dark_and_on_light(void **state)
{
	static const enum canvas_style SCALES[] = { STYLE_HEAT_LIGHT, STYLE_COLDER_LIGHT,
						    STYLE_HOTTER_LIGHT };
	static const uint32_t PAPER[] = { 0x000000, 0xffffff };

	for (int light = 0; light < 2; light++)
		for (size_t i = 0; i < sizeof(SCALES) / sizeof(SCALES[0]); i++)
			for (int step = 1; step < 4; step++) {
				double less = contrast(ink(light, SCALES[i] + step - 1),
						       PAPER[light]);
				double more = contrast(ink(light, SCALES[i] + step), PAPER[light]);

				if (more < 1.15 * less)
					print_error("scale %zu step %d light %d: %.2f %.2f\n", i,
						    step, light, less, more);
				assert_true(more >= 1.15 * less);
			}
}

static void text_can_be_read_on_its_background(void **state)
{
	static const enum canvas_style STYLES[] = { STYLE_DIM, STYLE_STRONG, STYLE_HEAD,
						    STYLE_KEY, STYLE_WARN,   STYLE_INPUT };

	for (size_t i = 0; i < sizeof(STYLES) / sizeof(STYLES[0]); i++) {
		assert_true(contrast(ink(false, STYLES[i]), 0x000000) >= 4.5);
		assert_true(contrast(ink(true, STYLES[i]), 0xffffff) >= 4.5);
	}
}

/* Blue against orange: the blue part tells them apart, which red-green blindness does not touch. */
static void colder_and_hotter_differ_in_blue(void **state)
{
	for (int light = 0; light < 2; light++)
		for (int step = 0; step < 4; step++) {
			uint32_t colder = ink(light, STYLE_COLDER_LIGHT + step);
			uint32_t hotter = ink(light, STYLE_HOTTER_LIGHT + step);

			assert_true((colder & 0xff) >= (hotter & 0xff) + 80);
		}
}

static void without_colours_a_look_has_none(void **state)
{
	struct palette p = { PALETTE_MONO, false };

	for (int style = 0; style < CANVAS_STYLES; style++) {
		struct palette_look look = palette_look(&p, style, false);

		assert_int_equal(look.ink, PALETTE_DEFAULT);
		assert_int_equal(look.paper, PALETTE_DEFAULT);
		assert_true(palette_look(&p, style, true).reverse);
	}
}

static void sixteen_colours_use_no_others(void **state)
{
	for (int light = 0; light < 2; light++)
		for (int style = 0; style < CANVAS_STYLES; style++) {
			struct palette p = { PALETTE_16, light };
			struct palette_look look = palette_look(&p, style, false);

			assert_in_range(look.ink + 1, 0, 16);
			assert_in_range(look.paper + 1, 0, 16);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_leaves_the_canvas_is_cut),
		cmocka_unit_test(names_fill_their_columns_and_are_cut_in_the_middle),
		cmocka_unit_test(hostile_characters_become_question_marks),
		cmocka_unit_test(an_ascii_canvas_has_ascii_only),
		cmocka_unit_test(a_box_has_a_frame_and_a_title),
		cmocka_unit_test(marks_tell_styles_and_the_chosen_row),
		cmocka_unit_test(a_resized_canvas_is_empty_and_bounded),
		cmocka_unit_test(more_heat_stands_out_more_on_dark_and_on_light),
		cmocka_unit_test(text_can_be_read_on_its_background),
		cmocka_unit_test(colder_and_hotter_differ_in_blue),
		cmocka_unit_test(without_colours_a_look_has_none),
		cmocka_unit_test(sixteen_colours_use_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
