// SPDX-License-Identifier: GPL-2.0-only
/*
 * Views against tests/expected/screens/NAME.txt: one file a scene, which holds the screens of its
 * sizes and the styles of one of them. "test_screen --write" writes them anew (see
 * tests/expected/screens/rewrite.sh).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_screens.h"
#include "screen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "tests/expected/screens"

/* Characters of a row of keys are pressed one by one; these stand for keys without a character. */
static const struct {
	char letter;
	uint32_t key;
} LETTERS[] = {
	{ '^', PRESSED_UP },	{ 'v', PRESSED_DOWN },	    { '<', PRESSED_LEFT },
	{ '>', PRESSED_RIGHT }, { '$', PRESSED_ENTER },	    { '~', PRESSED_ESCAPE },
	{ '#', PRESSED_TAB },	{ '@', PRESSED_BACKSPACE },
};

struct scene_case {
	const char *name;
	void (*before)(struct fake_side *s); /* NULL: no such side */
	void (*after)(struct fake_side *s);
	const char *target, *keys;
	bool live, ascii, no_tally;
};

#define CASE(name_, before_, after_, target_, keys_, ...)                                          \
	.name = (name_), .before = (before_), .after = (after_), .target = (target_),              \
	.keys = (keys_), ##__VA_ARGS__

static const struct scene_case CASES[] = {
	{ CASE("lines", NULL, signal_before, "signal", "1") },
	{ CASE("lines_both", signal_before, signal_after, "signal", "1") },
	{ CASE("lines_live", NULL, signal_before, "signal", "1", .live = true) },
	{ CASE("lines_ascii", signal_before, signal_after, "signal", "1", .ascii = true) },
	{ CASE("lines_filter", NULL, signal_before, NULL, "1/hits$") },
	{ CASE("lines_prompt", NULL, signal_before, NULL, "1/si") },
	{ CASE("lines_nasty", NULL, nasty, NULL, "1") },
	{ CASE("lines_stores", NULL, stores_only, NULL, "1") },
	{ CASE("lines_cycles", NULL, signal_before, NULL, "1m") },
	{ CASE("heatmap", NULL, signal_before, "signal", "2v") },
	{ CASE("heatmap_both", signal_before, signal_after, "signal", "2v") },
	{ CASE("heatmap_sorted", signal_before, signal_after, "signal", "2s") },
	{ CASE("heatmap_moved", signal_before, signal_moved, "signal", "2v") },
	{ CASE("details_moved", signal_before, signal_moved, "signal", "1d") },
	{ CASE("heatmap_nodes", signal_before, signal_after, "signal", "2n") },
	{ CASE("heatmap_spread", NULL, signal_before, "signal", "2", .no_tally = true) },
	{ CASE("heatmap_futex", futex_before, futex_after, "futex", "2") },
	{ CASE("heatmap_object", NULL, futex_before, "futex", "2>") },
	{ CASE("heatmap_ascii", signal_before, signal_after, "signal", "2", .ascii = true) },
	{ CASE("functions", NULL, signal_before, NULL, "3") },
	{ CASE("functions_both", signal_before, signal_after, NULL, "3") },
	{ CASE("time", NULL, signal_before, NULL, "4") },
	{ CASE("time_both", signal_before, signal_after, NULL, "4") },
	{ CASE("time_unknown", NULL, signal_before, NULL, "4", .no_tally = true) },
	{ CASE("objects", NULL, futex_before, NULL, "5") },
	{ CASE("objects_both", futex_before, futex_after, NULL, "5") },
	{ CASE("details", NULL, signal_before, NULL, "1d") },
	{ CASE("details_both", signal_before, signal_after, NULL, "1$^") },
	{ CASE("details_nasty", NULL, nasty, NULL, "1ds") },
	{ CASE("doctor", NULL, signal_before, NULL, "7") },
	{ CASE("help", NULL, signal_before, NULL, "?") },
	{ CASE("help_live", NULL, signal_before, NULL, "?", .live = true) },
	{ CASE("quiet", NULL, uncontended, NULL, "1") },
	{ CASE("empty", NULL, NULL, NULL, "2") },
	{ CASE("empty_live", NULL, NULL, NULL, "1", .live = true) },
};

static const struct {
	uint32_t columns, rows;
	bool styles;
} SIZES[] = { { 80, 24, false },
	      { 120, 40, false },
	      { 60, 15, false },
	      { 80, 24, true },
	      { 120, 40, true } };

static const struct screen_live LIVE = {
	.samples_per_second = 123456,
	.loss = 0.002,
	.own_cpu = 0.034,
	.window = 10,
	.seconds = 83,
	.command = "hitmap bench signal --before",
};

static void doctor(void *context, FILE *out)
{
	fputs("hardware sampling   no    the hypervisor gives no PMU\n"
	      "software model      yes   qemu-x86_64\n",
	      out);
}

/* ---- Drawing a case */

struct stage {
	struct fake_side side[SCREEN_SIDES];
	struct target target;
	struct screen_input in;
	struct screen *screen;
	struct canvas canvas;
};

static void stage_open(struct stage *s, const struct scene_case *c)
{
	void (*const fill[])(struct fake_side *) = { c->before, c->after };

	*s = (struct stage){ .in = { .doctor = doctor } };
	if (c->target) {
		assert_null(target_load("configs/targets", c->target, &s->target));
		s->in.target = &s->target;
	}
	for (int side = 0; side < SCREEN_SIDES; side++) {
		if (!fill[side])
			continue;
		fake_side_open(&s->side[side], fill[side], !c->no_tally);
		s->in.side[side] = (struct screen_side){ .view = &s->side[side].view,
							 .tally = s->side[side].tally };
	}
	if (c->live)
		s->in.live = &LIVE;
	s->screen = screen_new();
	canvas_init(&s->canvas, 80, 24, !c->ascii);
	screen_draw(s->screen, &s->canvas, &s->in);
}

static void stage_close(struct stage *s)
{
	screen_free(s->screen);
	if (s->in.target)
		target_deinit(&s->target);
	canvas_deinit(&s->canvas);
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (s->side[side].profile)
			fake_side_close(&s->side[side]);
}

static enum screen_request press(struct stage *s, const char *keys)
{
	enum screen_request request = REQUEST_NONE;

	for (; *keys; keys++) {
		uint32_t key = (uint8_t)*keys;

		for (size_t i = 0; i < ARRAY_SIZE(LETTERS); i++)
			if (LETTERS[i].letter == *keys)
				key = LETTERS[i].key;
		request = screen_key(s->screen, key, &s->in);
		screen_draw(s->screen, &s->canvas, &s->in);
	}
	return request;
}

static void resize(struct stage *s, uint32_t columns, uint32_t rows)
{
	canvas_resize(&s->canvas, columns, rows);
	screen_draw(s->screen, &s->canvas, &s->in);
}

/* All sizes of a case, as its file holds them; to be freed. */
static char *case_text(const struct scene_case *c)
{
	struct stage s;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	stage_open(&s, c);
	press(&s, c->keys);
	for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
		resize(&s, SIZES[i].columns, SIZES[i].rows);
		fprintf(out, "---- %u x %u%s\n", SIZES[i].columns, SIZES[i].rows,
			SIZES[i].styles ? ", styles" : "");
		if (SIZES[i].styles)
			canvas_write_marked(&s.canvas, out);
		else
			canvas_write_text(&s.canvas, out);
	}
	stage_close(&s);
	fclose(out);
	return text;
}

static char *screen_text(const struct stage *s)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	canvas_write_text(&s->canvas, out);
	fclose(out);
	return text;
}

static char *read_file(const char *path)
{
	char *text = NULL;
	size_t size;
	FILE *in = fopen(path, "r"), *out;
	int c;

	if (!in)
		return NULL;
	out = open_memstream(&text, &size);
	while ((c = fgetc(in)) != EOF)
		fputc(c, out);
	fclose(in);
	fclose(out);
	return text;
}

/* ---- Expected screens */

static void print_first_difference(const char *want, const char *got)
{
	const char *line_want = want, *line_got = got;

	for (; *want && *want == *got; want++, got++)
		if (*want == '\n') {
			line_want = want + 1;
			line_got = got + 1;
		}
	print_error("expected: %.*s\n     got: %.*s\n", (int)strcspn(line_want, "\n"), line_want,
		    (int)strcspn(line_got, "\n"), line_got);
}

static void every_view_is_as_expected(void **state)
{
	int different = 0;

	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		char *path = mem_printf(FOLDER "/%s.txt", CASES[i].name);
		char *want = read_file(path), *got = case_text(&CASES[i]);

		if (!want || strcmp(want, got)) {
			print_error("%s\n", path);
			print_first_difference(want ? want : "(no such file)", got);
			different++;
		}
		free(path);
		free(want);
		free(got);
	}
	assert_int_equal(different, 0);
}

static int write_expected(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		char *path = mem_printf(FOLDER "/%s.txt", CASES[i].name);
		char *text = case_text(&CASES[i]);
		FILE *out = fopen(path, "w");

		if (!out) {
			fprintf(stderr, "%s: %s\n", path, strerror(errno));
			return 1;
		}
		fputs(text, out);
		fclose(out);
		free(path);
		free(text);
	}
	return 0;
}

/* ---- What holds for every screen */

static const uint32_t WIDTHS[] = { 1, 39, 40, 60, 80, 100, 120, 300 },
		      HEIGHTS[] = { 1, 7, 8, 15, 24, 90 };

static void any_size_and_any_key_draws_without_a_control_character(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct stage s;

		stage_open(&s, &CASES[i]);
		press(&s, CASES[i].keys);
		for (size_t w = 0; w < ARRAY_SIZE(WIDTHS); w++)
			for (size_t h = 0; h < ARRAY_SIZE(HEIGHTS); h++) {
				resize(&s, WIDTHS[w], HEIGHTS[h]);
				press(&s, "vnv");
				for (size_t cell = 0; cell < WIDTHS[w] * HEIGHTS[h]; cell++) {
					uint32_t rune = s.canvas.cells[cell].rune;

					assert_true(rune >= ' ' && (rune < 0x7f || rune > 0x9f));
					assert_true(rune < 0x202a || rune > 0x202e);
					if (CASES[i].ascii)
						assert_in_range(rune, ' ', '~');
				}
			}
		stage_close(&s);
	}
}

/* A fixed sequence that looks like chance: Numerical Recipes' generator. */
static uint32_t next_number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void any_sequence_of_keys_clicks_and_sizes_is_survived(void **state)
{
	uint32_t keys = 0, random = 1;

	while (key_rows[keys].action)
		keys++;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct stage s;

		stage_open(&s, &CASES[i]);
		for (int step = 0; step < 400; step++) {
			uint32_t n = next_number(&random);
			enum screen_request r;

			if (n % 16 == 0)
				r = screen_mouse(s.screen, n / 16 % 4, n / 64 % 130, n / 8192 % 45,
						 &s.in);
			else if (n % 16 == 1)
				r = screen_key(s.screen, n / 16 % 0x120000, &s.in);
			else
				r = screen_key(s.screen, key_rows[n / 16 % keys].key, &s.in);
			assert_in_range(r, REQUEST_NONE, REQUEST_WINDOW_LONGER);
			if (n % 23 == 0)
				canvas_resize(&s.canvas, n / 64 % 130, n / 8192 % 45);
			screen_draw(s.screen, &s.canvas, &s.in);
		}
		stage_close(&s);
	}
}

static void a_screen_of_60x15_and_back_is_the_same(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct stage s;
		char *first, *again;

		stage_open(&s, &CASES[i]);
		press(&s, CASES[i].keys);
		first = screen_text(&s);
		resize(&s, 60, 15);
		resize(&s, 80, 24);
		again = screen_text(&s);
		assert_string_equal(first, again);
		free(first);
		free(again);
		stage_close(&s);
	}
}

/* ---- Steering */

static bool shows(const struct stage *s, const char *text)
{
	char *screen = screen_text(s);
	bool found = strstr(screen, text) != NULL;

	if (!found)
		print_message("%s\nis not in\n%s", text, screen);
	free(screen);
	return found;
}

static bool hides(const struct stage *s, const char *text)
{
	char *screen = screen_text(s);
	bool found = strstr(screen, text) != NULL;

	if (found)
		print_message("%s\nis in\n%s", text, screen);
	free(screen);
	return !found;
}

static const struct scene_case BOTH = { CASE("", signal_before, signal_after, "signal", "") },
			       ONE = { CASE("", NULL, signal_before, NULL, "") },
			       RUNNING = { CASE("", NULL, signal_before, NULL, "", .live = true) };

static void a_new_user_sees_the_contended_fields_at_once(void **state)
{
	struct stage s;

	stage_open(&s, &ONE);
	assert_true(shows(&s, "sigpending"));
	assert_true(shows(&s, "__count"));
	assert_true(shows(&s, "sigqueue_free_before"));
	assert_true(shows(&s, "? help"));
	stage_close(&s);
}

static void a_filter_keeps_what_has_the_text_and_escape_takes_it_away(void **state)
{
	struct stage s;

	stage_open(&s, &ONE);
	press(&s, "/HiTs$");
	assert_true(shows(&s, "stats"));
	assert_true(hides(&s, "root_user"));
	press(&s, "~");
	assert_true(shows(&s, "root_user"));
	press(&s, "/xyz");
	assert_true(shows(&s, "no line has that in a name"));
	press(&s, "@@@");
	assert_true(shows(&s, "root_user"));
	stage_close(&s);
}

static void a_chosen_line_stays_chosen_when_the_order_changes(void **state)
{
	struct stage s;

	stage_open(&s, &ONE);
	press(&s, "v");
	assert_true(shows(&s, "─ stats and 1 more"));
	press(&s, "ss");
	assert_true(shows(&s, "─ stats and 1 more"));
	stage_close(&s);
}

static void details_open_and_q_leads_back_before_it_quits(void **state)
{
	struct stage s;

	stage_open(&s, &ONE);
	assert_int_equal(press(&s, "d"), REQUEST_NONE);
	assert_true(shows(&s, "code at"));
	assert_int_equal(press(&s, "?"), REQUEST_NONE);
	assert_true(shows(&s, "Keys"));
	assert_int_equal(press(&s, "q"), REQUEST_NONE);
	assert_true(shows(&s, "code at"));
	assert_int_equal(press(&s, "q"), REQUEST_NONE);
	assert_true(shows(&s, "contended lines"));
	assert_int_equal(press(&s, "q"), REQUEST_QUIT);
	stage_close(&s);
}

static void enter_on_a_field_of_the_heatmap_shows_the_code_of_that_field(void **state)
{
	struct stage s;

	stage_open(&s, &BOTH);
	press(&s, "2v$");
	assert_true(shows(&s, "code at sigpending"));
	press(&s, "q2^$");
	assert_true(shows(&s, "code at __count"));
	stage_close(&s);
}

static void a_field_that_moved_to_the_other_half_is_told_so(void **state)
{
	static const struct scene_case MOVED = { CASE("", signal_before, signal_moved, NULL, "") };
	struct stage s;

	stage_open(&s, &MOVED);
	resize(&s, 120, 40);
	press(&s, "2v");
	assert_true(shows(&s, "sigpending  user_struct +8 upper half (was in the other one)"));
	stage_close(&s);
}

static void tab_goes_through_all_views_and_comes_back(void **state)
{
	struct stage s;
	char *first, *last;

	stage_open(&s, &ONE);
	first = screen_text(&s);
	press(&s, "#######");
	last = screen_text(&s);
	assert_string_equal(first, last);
	free(first);
	free(last);
	stage_close(&s);
}

static void keys_of_live_ask_for_what_they_mean_and_do_nothing_on_recordings(void **state)
{
	static const struct {
		const char *keys;
		enum screen_request want;
		const char *argument;
	} KEYS[] = {
		{ "p", REQUEST_PAUSE, NULL },
		{ "b", REQUEST_MARK_BEFORE, NULL },
		{ "r$", REQUEST_RECORD, "hitmap.data" },
		{ "r@@@@x$", REQUEST_RECORD, "hitmap.x" },
		{ "R", REQUEST_RESTART, NULL },
		{ "! --after$", REQUEST_RUN, "hitmap bench signal --before --after" },
		{ "[", REQUEST_WINDOW_SHORTER, NULL },
		{ "]", REQUEST_WINDOW_LONGER, NULL },
		{ "r~", REQUEST_NONE, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(KEYS); i++) {
		struct stage s;

		stage_open(&s, &RUNNING);
		assert_int_equal(press(&s, KEYS[i].keys), KEYS[i].want);
		if (KEYS[i].argument)
			assert_string_equal(screen_argument(s.screen), KEYS[i].argument);
		stage_close(&s);
		stage_open(&s, &ONE);
		assert_int_equal(press(&s, (char[]){ KEYS[i].keys[0], 0 }), REQUEST_NONE);
		stage_close(&s);
	}
}

static void write_asks_for_a_file_and_the_view_goes_there_in_three_formats(void **state)
{
	static const struct {
		const char *path, *first, *inside;
	} FILES[] = {
		{ "x.txt", " hitmap  1 lines", "sigpending" },
		{ "x.html", "<!DOCTYPE html>", "class=\"heat-full" },
		{ "x.json", "{\n", "\"field\": \"sigpending\"" },
	};
	struct stage s;

	stage_open(&s, &BOTH);
	assert_int_equal(press(&s, "2w$"), REQUEST_WRITE);
	assert_string_equal(screen_argument(s.screen), "hitmap-heatmap.html");
	for (size_t i = 0; i < ARRAY_SIZE(FILES); i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		screen_write(s.screen, &s.in, FILES[i].path, 100, 30, out);
		fclose(out);
		assert_int_equal(strncmp(text, FILES[i].first, strlen(FILES[i].first)), 0);
		assert_non_null(strstr(text, FILES[i].inside));
		free(text);
	}
	stage_close(&s);
}

static void html_of_hostile_names_has_no_tags_of_theirs(void **state)
{
	static const struct scene_case HOSTILE = { CASE("", NULL, nasty, NULL, "") };
	struct stage s;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	stage_open(&s, &HOSTILE);
	screen_write(s.screen, &s.in, "x.html", 300, 40, out);
	fclose(out);
	assert_null(strstr(text, "std::map<std"));
	assert_non_null(strstr(text, "std::map&lt;"));
	assert_null(strchr(text, '\033'));
	free(text);
	stage_close(&s);
}

static void the_mouse_chooses_rows_and_views(void **state)
{
	struct stage s;

	stage_open(&s, &ONE);
	screen_mouse(s.screen, BUTTON_CLICK, 5, 4, &s.in);
	screen_draw(s.screen, &s.canvas, &s.in);
	assert_true(shows(&s, "─ stats and 1 more"));
	screen_mouse(s.screen, BUTTON_DOUBLE_CLICK, 5, 4, &s.in);
	screen_draw(s.screen, &s.canvas, &s.in);
	assert_true(shows(&s, "code at"));
	screen_mouse(s.screen, BUTTON_CLICK, 20, 0, &s.in);
	screen_draw(s.screen, &s.canvas, &s.in);
	assert_true(shows(&s, "object and its fields"));
	screen_mouse(s.screen, BUTTON_CLICK, 5, 5000, &s.in);
	stage_close(&s);
}

static void a_message_is_shown_until_it_is_taken_away(void **state)
{
	struct stage s;

	stage_open(&s, &ONE);
	s.in.message = "wrote hitmap-lines.html";
	resize(&s, 80, 24);
	assert_true(shows(&s, "wrote hitmap-lines.html"));
	s.in.message = NULL;
	resize(&s, 80, 24);
	assert_true(hides(&s, "wrote"));
	stage_close(&s);
}

/* The rows of the table in docs/tui.md that keys of recordings, or of live, must have; to be freed.
 */
static char *documented_keys(bool live)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("|---|---|\n", out);
	for (const struct key_row *r = key_rows; r->action; r++)
		if (r->help && (r->place == KEY_LIVE) == live)
			fprintf(out, "| %s | %s |\n", r->name, r->help);
	fputc('\n', out);
	fclose(out);
	return text;
}

static void the_documentation_lists_exactly_the_keys_there_are(void **state)
{
	char *page = read_file("docs/tui.md");

	assert_non_null(page);
	for (int live = 0; live < 2; live++) {
		char *keys = documented_keys(live);

		if (!strstr(page, keys))
			print_error("docs/tui.md must have:\n%s", keys);
		assert_non_null(strstr(page, keys));
		free(keys);
	}
	free(page);
}

static void each_key_has_one_meaning_in_each_place(void **state)
{
	for (const struct key_row *r = key_rows; r->action; r++)
		for (const struct key_row *other = r + 1; other->action; other++)
			assert_false(r->key == other->key && r->place == other->place);
}

static void without_operations_heat_is_per_second_or_marked_as_not_comparable(void **state)
{
	static const struct scene_case COUNTED = { CASE("", nasty, stores_only, NULL, "") };
	struct stage s;

	stage_open(&s, &COUNTED);
	resize(&s, 120, 40);
	assert_true(shows(&s, " 72 → "));
	assert_true(shows(&s, "counts of runs that may differ in length"));
	s.in.side[0].seconds = 4;
	s.in.side[1].seconds = 2;
	resize(&s, 120, 40);
	assert_true(shows(&s, " 18.0 → "));
	assert_true(shows(&s, "HITM/s"));
	assert_true(hides(&s, "may differ"));
	stage_close(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_is_as_expected),
		cmocka_unit_test(any_size_and_any_key_draws_without_a_control_character),
		cmocka_unit_test(any_sequence_of_keys_clicks_and_sizes_is_survived),
		cmocka_unit_test(a_screen_of_60x15_and_back_is_the_same),
		cmocka_unit_test(a_new_user_sees_the_contended_fields_at_once),
		cmocka_unit_test(a_filter_keeps_what_has_the_text_and_escape_takes_it_away),
		cmocka_unit_test(a_chosen_line_stays_chosen_when_the_order_changes),
		cmocka_unit_test(details_open_and_q_leads_back_before_it_quits),
		cmocka_unit_test(enter_on_a_field_of_the_heatmap_shows_the_code_of_that_field),
		cmocka_unit_test(a_field_that_moved_to_the_other_half_is_told_so),
		cmocka_unit_test(tab_goes_through_all_views_and_comes_back),
		cmocka_unit_test(keys_of_live_ask_for_what_they_mean_and_do_nothing_on_recordings),
		cmocka_unit_test(write_asks_for_a_file_and_the_view_goes_there_in_three_formats),
		cmocka_unit_test(html_of_hostile_names_has_no_tags_of_theirs),
		cmocka_unit_test(the_mouse_chooses_rows_and_views),
		cmocka_unit_test(a_message_is_shown_until_it_is_taken_away),
		cmocka_unit_test(without_operations_heat_is_per_second_or_marked_as_not_comparable),
		cmocka_unit_test(the_documentation_lists_exactly_the_keys_there_are),
		cmocka_unit_test(each_key_has_one_meaning_in_each_place),
	};

	if (argc > 1 && strcmp(argv[1], "--write") == 0)
		return write_expected();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
