// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts on lines whose cells are given. */
#include "sharing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CELLS 8

static const uint8_t no_sizes[64];

struct line {
	struct contended_line l;
	struct cell cells[CELLS];
};

/* Cells must come by rising offset. Threads first..first + threads - 1 make all of it. */
static struct cell *cell(struct line *l, uint32_t offset, uint32_t first, uint32_t threads)
{
	struct cell *c = &l->cells[l->l.cell_count++];

	l->l.cells = l->cells;
	l->l.contended = true;
	c->offset = offset;
	c->ip = 0x1000 + l->l.cell_count;
	for (uint32_t t = first; t < first + threads; t++)
		idset_add(&c->threads, t);
	return c;
}

static void loads(struct line *l, struct cell *c, uint64_t count, uint64_t hitm)
{
	struct counts n = { .samples = count, .loads = count, .accesses = count, .hitm = { hitm } };

	counts_add(&c->counts, &n);
	counts_add(&l->l.counts, &n);
}

static void stores(struct line *l, struct cell *c, uint64_t count)
{
	struct counts n = { .samples = count, .stores = count, .accesses = count };

	counts_add(&c->counts, &n);
	counts_add(&l->l.counts, &n);
}

static void expect(struct line *l, const uint8_t *sizes, enum sharing_kind kind)
{
	struct sharing s;

	sharing_judge(&s, &l->l, sizes, 64);
	if (s.kind != kind)
		fail_msg("%s, expected %s (false part %.3f of %.0f, confidence %.3f, met %.5f)",
			 sharing_word(s.kind), sharing_word(kind), s.false_part, s.weight,
			 s.confidence, s.met);
	sharing_deinit(&s);
	for (uint32_t i = 0; i < l->l.cell_count; i++)
		idset_deinit(&l->cells[i].threads);
}

static void two_counters_of_two_threads_are_false_sharing(void **state)
{
	struct line l = { 0 };

	for (uint32_t t = 0; t < 2; t++) {
		struct cell *c = cell(&l, 8 * t, t, 1);

		loads(&l, c, 1000, 400);
		stores(&l, c, 1000);
	}
	expect(&l, no_sizes, SHARING_FALSE);
}

static void one_counter_of_two_threads_is_true_sharing(void **state)
{
	struct line l = { 0 };
	struct cell *c = cell(&l, 0, 0, 2);

	loads(&l, c, 2000, 900);
	stores(&l, c, 2000);
	expect(&l, no_sizes, SHARING_TRUE);
}

/* With a line each they would miss as often. */
static void two_counters_that_all_threads_write_are_true_sharing(void **state)
{
	struct line l = { 0 };

	for (uint32_t i = 0; i < 2; i++) {
		struct cell *c = cell(&l, 8 * i, 0, 8);

		loads(&l, c, 8000, 3000);
		stores(&l, c, 8000);
	}
	expect(&l, no_sizes, SHARING_TRUE);
}

static void a_reader_beside_a_lock_makes_it_mixed(void **state)
{
	struct line l = { 0 };
	struct cell *lock = cell(&l, 0, 0, 2);

	loads(&l, lock, 4000, 2000);
	stores(&l, lock, 4000);
	loads(&l, cell(&l, 16, 2, 1), 300, 40);
	expect(&l, no_sizes, SHARING_MIXED);
}

static void the_start_and_end_of_a_program_do_not_make_false_sharing_mixed(void **state)
{
	struct line l = { 0 };

	for (uint32_t t = 0; t < 2; t++) {
		struct cell *c = cell(&l, 8 * t, 1 + t, 1);

		loads(&l, c, 1000, 400);
		stores(&l, c, 1000);
		loads(&l, cell(&l, 8 * t, 0, 1), 1, 1); /* main() looks at the result */
	}
	expect(&l, no_sizes, SHARING_FALSE);
}

static void a_store_of_eight_bytes_meets_a_load_of_its_upper_half(void **state)
{
	static const uint8_t sizes[64] = { [0] = 8, [4] = 4 };
	struct line l = { 0 };

	stores(&l, cell(&l, 0, 0, 1), 1000);
	loads(&l, cell(&l, 4, 1, 1), 1000, 500);
	expect(&l, sizes, SHARING_TRUE);
	l = (struct line){ 0 };
	stores(&l, cell(&l, 0, 0, 1), 1000);
	loads(&l, cell(&l, 4, 1, 1), 1000, 500);
	expect(&l, no_sizes, SHARING_FALSE);
}

static void few_samples_say_nothing(void **state)
{
	struct line l = { 0 };

	stores(&l, cell(&l, 0, 0, 1), 1000);
	loads(&l, cell(&l, 8, 1, 1), 1000, 9);
	expect(&l, no_sizes, SHARING_UNSURE);
}

static void threads_that_seldom_meet_use_it_in_turns(void **state)
{
	struct line l = { 0 };

	stores(&l, cell(&l, 0, 0, 1), 1000000);
	loads(&l, cell(&l, 0, 1, 1), 1000000, 30);
	expect(&l, no_sizes, SHARING_TRANSIENT);
}

static void stores_alone_are_judged_by_their_bytes(void **state)
{
	struct line l = { 0 };

	for (uint32_t t = 0; t < 2; t++)
		stores(&l, cell(&l, 32 * t, t, 1), 60);
	expect(&l, no_sizes, SHARING_FALSE);
	l = (struct line){ 0 };
	stores(&l, cell(&l, 0, 0, 2), 60);
	expect(&l, no_sizes, SHARING_TRUE);
}

static void a_line_that_is_not_contended_has_no_verdict(void **state)
{
	struct line l = { 0 };

	loads(&l, cell(&l, 0, 0, 8), 1000, 0);
	l.l.contended = false;
	expect(&l, no_sizes, SHARING_NONE);
}

static void victim_and_aggressor_are_found(void **state)
{
	struct line l = { 0 };
	struct sharing s;

	stores(&l, cell(&l, 0, 0, 1), 1000);
	loads(&l, cell(&l, 8, 1, 1), 100, 10);
	loads(&l, cell(&l, 16, 1, 1), 1000, 500);
	sharing_judge(&s, &l.l, no_sizes, 64);
	assert_int_equal(s.kind, SHARING_FALSE);
	assert_int_equal(s.spots[s.false_victim].offset, 16);
	assert_int_equal(s.spots[s.aggressor].offset, 0);
	assert_int_equal(s.spots[s.aggressor].writers, 1);
	sharing_deinit(&s);
	for (uint32_t i = 0; i < l.l.cell_count; i++)
		idset_deinit(&l.cells[i].threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_counters_of_two_threads_are_false_sharing),
		cmocka_unit_test(one_counter_of_two_threads_is_true_sharing),
		cmocka_unit_test(two_counters_that_all_threads_write_are_true_sharing),
		cmocka_unit_test(a_reader_beside_a_lock_makes_it_mixed),
		cmocka_unit_test(the_start_and_end_of_a_program_do_not_make_false_sharing_mixed),
		cmocka_unit_test(a_store_of_eight_bytes_meets_a_load_of_its_upper_half),
		cmocka_unit_test(few_samples_say_nothing),
		cmocka_unit_test(threads_that_seldom_meet_use_it_in_turns),
		cmocka_unit_test(stores_alone_are_judged_by_their_bytes),
		cmocka_unit_test(a_line_that_is_not_contended_has_no_verdict),
		cmocka_unit_test(victim_and_aggressor_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
