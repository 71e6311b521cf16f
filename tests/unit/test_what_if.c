// SPDX-License-Identifier: GPL-2.0-only
/* Predicted contention of layouts, for objects whose use is given. */
#include "mem.h"
#include "what_if.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIELDS 4

/* Threads first..first + threads - 1. */
static void use(struct use_field *f, const char *name, uint32_t offset, uint32_t size)
{
	*f = (struct use_field){ .name = name, .offset = offset, .size = size };
}

static void code(struct use_field *f, const struct idset *who, double loads, double stores)
{
	f->codes = mem_realloc(f->codes, f->code_count + 1, sizeof(*f->codes));
	f->codes[f->code_count++] =
		(struct use_code){ loads * who->count, stores * who->count, who };
}

static void reads(struct use_field *f, uint32_t first, uint32_t threads, double each)
{
	for (uint32_t t = first; t < first + threads; t++)
		idset_add(&f->readers, t);
	code(f, &f->readers, each, 0);
}

static void writes(struct use_field *f, uint32_t first, uint32_t threads, double each)
{
	for (uint32_t t = first; t < first + threads; t++)
		idset_add(&f->writers, t);
	code(f, &f->writers, 0, each);
}

static struct use_object object(struct use_field *fields, uint32_t count, uint64_t addr,
				uint64_t size, uint64_t hitm)
{
	return (struct use_object){ .name = "o",
				    .addr = addr,
				    .size = size,
				    .line_size = 64,
				    .fields = fields,
				    .field_count = count,
				    .counts = { .hitm = { hitm } } };
}

static void fields_deinit(struct use_field *f, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		idset_deinit(&f[i].readers);
		idset_deinit(&f[i].writers);
		free(f[i].codes);
	}
}

static void expect_hitm(double hitm, double expected)
{
	if (hitm < expected - 0.5 || hitm > expected + 0.5)
		fail_msg("%.1f HITM predicted, %.1f expected", hitm, expected);
}

/* One thread writes a counter, another reads a flag beside it. */
static struct use_object counter_and_flag(struct use_field f[FIELDS])
{
	use(&f[0], "counter", 0, 8);
	writes(&f[0], 1, 1, 5000);
	reads(&f[0], 1, 1, 5000);
	use(&f[1], "flag", 8, 4);
	reads(&f[1], 2, 1, 3000);
	return object(f, 2, 0x1000, 16, 900);
}

static void the_recorded_layout_costs_what_was_recorded(void **state)
{
	struct use_field f[FIELDS];
	struct use_object o = counter_and_flag(f);
	struct what_if *w = what_if_new(&o);
	struct what_if_cost c = what_if_cost(w, &(struct placement){ 0, NULL });

	expect_hitm(c.hitm, 900);
	assert_int_equal(c.lines, 1);
	assert_int_equal(c.splits, 0);
	what_if_free(w);
	fields_deinit(f, 2);
}

static void bases_that_part_the_fields_cost_nothing(void **state)
{
	struct use_field f[FIELDS];
	struct use_object o = counter_and_flag(f);
	struct what_if *w = what_if_new(&o);
	struct what_if_cost c[16];

	assert_int_equal(what_if_bases(w, 8, c, 16), 8);
	for (int i = 0; i < 8; i++)
		expect_hitm(c[i].hitm, i == 7 ? 0 : 900);
	assert_int_equal(c[7].lines, 2);
	assert_int_equal(c[3].upper, 1); /* base 24: the flag is at 32 */
	what_if_free(w);
	fields_deinit(f, 2);
}

static void a_base_that_splits_a_field_is_told(void **state)
{
	struct use_field f[FIELDS];
	struct use_object o = counter_and_flag(f);
	struct what_if *w = what_if_new(&o);
	struct what_if_cost c[16];

	assert_int_equal(what_if_bases(w, 4, c, 16), 16);
	assert_int_equal(c[15].splits, 1); /* base 60 */
	assert_int_equal(c[14].splits, 0);
	what_if_free(w);
	fields_deinit(f, 2);
}

/* The lesson of futex_hash_bucket.priv: a reader that looks at two fields misses once. */
static void taking_away_one_of_two_reads_of_a_visit_gains_nothing(void **state)
{
	struct use_field f[FIELDS];
	struct use_object o;
	struct what_if *w;
	int64_t away[] = { 0, 64, 0 };

	use(&f[0], "waiters", 0, 4);
	writes(&f[0], 1, 4, 1000);
	use(&f[1], "priv", 24, 8);
	reads(&f[1], 1, 4, 1000);
	use(&f[2], "lock", 32, 4);
	reads(&f[2], 1, 4, 1000);
	o = object(f, 3, 0x1000, 64, 4000);
	w = what_if_new(&o);
	expect_hitm(what_if_cost(w, &(struct placement){ 0, away }).hitm, 4000);
	what_if_free(w);
	fields_deinit(f, 3);
}

static void the_best_change_parts_reader_and_writer_at_the_least_price(void **state)
{
	struct use_field f[FIELDS];
	struct use_object o = counter_and_flag(f);
	struct what_if *w = what_if_new(&o);
	size_t count;
	struct what_if_change *change = what_if_changes(w, &count);

	assert_int_equal(count, 5);
	expect_hitm(change[0].cost.hitm, 0);
	assert_int_equal(change[0].kind, WHAT_IF_ALIGN);
	assert_string_equal(f[change[0].field].name, "flag");
	assert_int_equal(change[0].bytes, 112); /* 16 -> 128 */
	expect_hitm(change[count - 1].cost.hitm, 900); /* one becomes last: still one line */
	assert_int_equal(change[count - 1].kind, WHAT_IF_LAST);
	free(change);
	what_if_free(w);
	fields_deinit(f, 2);
}

static void true_sharing_is_not_cured_by_any_layout(void **state)
{
	struct use_field f[FIELDS];
	struct use_object o;
	struct what_if *w;
	struct what_if_change *change;
	size_t count;

	use(&f[0], "count", 4, 4);
	writes(&f[0], 1, 8, 1000);
	reads(&f[0], 1, 8, 1000);
	use(&f[1], "mine", 8, 8);
	reads(&f[1], 9, 1, 1000);
	o = object(f, 2, 0x1000, 16, 7000);
	w = what_if_new(&o);
	change = what_if_changes(w, &count);
	for (size_t i = 0; i < count; i++)
		if (change[i].cost.hitm < 6000)
			fail_msg("a change gives %.0f HITM", change[i].cost.hitm);
	free(change);
	what_if_free(w);
	fields_deinit(f, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorded_layout_costs_what_was_recorded),
		cmocka_unit_test(bases_that_part_the_fields_cost_nothing),
		cmocka_unit_test(a_base_that_splits_a_field_is_told),
		cmocka_unit_test(taking_away_one_of_two_reads_of_a_visit_gains_nothing),
		cmocka_unit_test(the_best_change_parts_reader_and_writer_at_the_least_price),
		cmocka_unit_test(true_sharing_is_not_cured_by_any_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
