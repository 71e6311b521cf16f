// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_screens.h"
#include "tally.h"

static double line_sum(const struct tally_line *l, uint32_t offset, uint32_t cpu)
{
	double sum = 0;

	for (uint32_t i = 0; i < l->cell_count; i++)
		if ((offset == UINT32_MAX || l->cells[i].offset == offset) &&
		    (cpu == UINT32_MAX || l->cells[i].cpu == cpu))
			sum += l->cells[i].count.hitm;
	return sum;
}

static double slice_sum(const struct tally *t, const struct tally_line *l)
{
	double sum = 0;

	for (uint32_t i = 0; i < t->slices; i++)
		sum += l->slices[i].hitm;
	return sum;
}

static void cpus_and_slices_add_up_to_the_profile(void **state)
{
	struct fake_side s = { 0 };

	fake_side_open(&s, signal_before, true);
	assert_int_equal(s.tally->line_count, s.profile->line_count);
	for (uint32_t i = 0; i < s.profile->line_count; i++) {
		const struct contended_line *l = &s.profile->lines[i];
		const struct tally_line *t = tally_find(s.tally, l->addr, l->pid);

		assert_non_null(t);
		assert_int_equal(line_sum(t, UINT32_MAX, UINT32_MAX), counts_hitm(&l->counts));
		assert_int_equal(slice_sum(s.tally, t), counts_hitm(&l->counts));
	}
	fake_side_close(&s);
}

static void each_cpu_has_its_own(void **state)
{
	struct fake_side s = { 0 };
	const struct tally_line *t;

	fake_side_open(&s, signal_before, true);
	t = tally_find(s.tally, 0x700000, 9);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		assert_int_equal(line_sum(t, 0, cpu), 20 + cpu + 10);
		assert_int_equal(line_sum(t, 8, cpu), 50);
	}
	fake_side_close(&s);
}

static void slices_tell_phases_apart(void **state)
{
	struct fake_side s = { 0 };
	const struct tally_line *t;
	double first = 0, last = 0;

	fake_side_open(&s, signal_before, true);
	t = tally_find(s.tally, 0x700000, 9);
	/* 100 ms in 240 slices; the first phase takes 27 ms, the second is from 30 to 60 ms. */
	for (uint32_t i = 0; i < 70; i++)
		first += t->slices[i].hitm;
	for (uint32_t i = 70; i < TALLY_SLICES; i++)
		last += t->slices[i].hitm;
	assert_int_equal(first, CPUS * (20 + 10 + 20) + 28);
	assert_int_equal(last, CPUS * 30);
	fake_side_close(&s);
}

/* ---- Live */

static struct sample sample_at(uint64_t addr, uint32_t cpu, uint64_t time)
{
	struct data_source d = LOAD_HITM(DISTANCE_SAME_LLC);

	return (struct sample){ .pid = 9,
				.tid = 9,
				.cpu = cpu,
				.ip = 0x501000,
				.addr = addr,
				.weight = 10,
				.time = time,
				.data_src = data_source_encode(&d) };
}

/* Lines 0x1000, 0x1040 ... of process 9. */
static struct profile *lines(uint32_t first, uint32_t count)
{
	struct profile *p = mem_zalloc(sizeof(*p));

	p->line_size = 64;
	p->line_count = count;
	p->lines = mem_zalloc((count + 1) * sizeof(*p->lines));
	for (uint32_t i = 0; i < count; i++) {
		p->lines[i].addr = 0x1000 + 64 * (first + i);
		p->lines[i].pid = 9;
	}
	return p;
}

static void lines_free(struct profile *p)
{
	free(p->lines);
	free(p);
}

static void watch(struct tally *t, uint32_t first, uint32_t count)
{
	struct profile *p = lines(first, count);

	tally_watch(t, p);
	lines_free(p);
}

static void hit(struct tally *t, uint64_t addr, uint32_t cpu, uint64_t time)
{
	struct sample s = sample_at(addr, cpu, time);

	tally_sample(t, &s, NULL);
}

static void only_watched_lines_count(void **state)
{
	struct tally *t = tally_new_live(64, 1000);

	watch(t, 0, 1);
	hit(t, 0x1008, 3, 5000);
	hit(t, 0x1040, 3, 5000);
	assert_int_equal(t->line_count, 1);
	assert_int_equal(line_sum(tally_find(t, 0x1000, 9), 8, 3), 1);
	assert_null(tally_find(t, 0x1040, 9));
	tally_free(t);
}

static void old_slices_are_forgotten_and_the_newest_stay(void **state)
{
	struct tally *t = tally_new_live(64, 1000);
	const struct tally_line *l;

	watch(t, 0, 1);
	hit(t, 0x1000, 0, 5000);
	hit(t, 0x1000, 0, 5000 + 1000 * (TALLY_SLICES + 9));
	l = tally_find(t, 0x1000, 9);
	assert_int_equal(t->slices, TALLY_SLICES);
	assert_int_equal(t->start, 5000 + 1000 * 10);
	assert_int_equal(slice_sum(t, l), 1);
	assert_int_equal(l->slices[TALLY_SLICES - 1].hitm, 1);
	hit(t, 0x1000, 0, UINT64_MAX); /* a clock that jumps */
	assert_int_equal(slice_sum(t, l), 1);
	hit(t, 0x1000, 0, 7000); /* before all that is kept */
	assert_int_equal(slice_sum(t, l), 1);
	tally_free(t);
}

static void new_lines_take_the_room_of_those_that_went(void **state)
{
	struct tally *t = tally_new_live(64, 1000);

	watch(t, 0, TALLY_LINES);
	hit(t, 0x1000, 0, 5000);
	hit(t, 0x1000 + 64 * 200, 0, 5000);
	watch(t, 100, TALLY_LINES);
	assert_int_equal(t->line_count, TALLY_LINES);
	assert_null(tally_find(t, 0x1000, 9));
	assert_int_equal(line_sum(tally_find(t, 0x1000 + 64 * 200, 9), 0, 0), 1);
	hit(t, 0x1000 + 64 * 300, 1, 6000);
	assert_int_equal(line_sum(tally_find(t, 0x1000 + 64 * 300, 9), 0, 1), 1);
	tally_free(t);
}

static void decay_halves_and_forgets_what_is_too_little(void **state)
{
	struct tally *t = tally_new_live(64, 1000);
	const struct tally_line *l;

	watch(t, 0, 1);
	for (int i = 0; i < 8; i++)
		hit(t, 0x1000, 0, 5000);
	hit(t, 0x1008, 1, 5000);
	l = tally_find(t, 0x1000, 9);
	tally_decay(t, 0.5, 0.6);
	assert_int_equal(l->cell_count, 1);
	assert_int_equal(line_sum(l, 0, 0), 4);
	hit(t, 0x1008, 1, 5000);
	assert_int_equal(line_sum(l, 8, 1), 1);
	tally_free(t);
}

static void cells_are_bounded(void **state)
{
	struct tally *t = tally_new_live(64, 1000);
	uint32_t cells = 0;

	watch(t, 0, TALLY_LINES);
	for (uint32_t cpu = 0; cpu < 20; cpu++)
		for (uint32_t line = 0; line < TALLY_LINES; line++)
			for (uint32_t offset = 0; offset < 64; offset++)
				hit(t, 0x1000 + 64 * line + offset, cpu, 5000);
	for (uint32_t i = 0; i < t->line_count; i++)
		cells += t->lines[i].cell_count;
	assert_int_equal(cells, TALLY_CELLS);
	assert_true(t->cells_full);
	tally_decay(t, 0.5, 1);
	assert_false(t->cells_full);
	tally_free(t);
}

static void store(struct tally *t, uint64_t addr, uint32_t cpu)
{
	struct data_source d = STORE_L1;
	struct sample s = sample_at(addr, cpu, 5000);

	s.data_src = data_source_encode(&d);
	tally_sample(t, &s, NULL);
}

static double pair(const struct tally_line *l, uint32_t victim, uint32_t aggressor)
{
	for (uint32_t i = 0; i < l->pair_count; i++)
		if (l->pairs[i].victim == victim && l->pairs[i].aggressor == aggressor)
			return l->pairs[i].hitm;
	return 0;
}

static void hitm_is_set_against_the_last_write_of_another_cpu(void **state)
{
	struct tally *t = tally_new_live(64, 1000), *copy;
	const struct tally_line *l;

	watch(t, 0, 1);
	hit(t, 0x1000, 0, 5000); /* nobody wrote yet */
	store(t, 0x1008, 1);
	hit(t, 0x1000, 0, 5000);
	hit(t, 0x1000, 1, 5000); /* its own write */
	store(t, 0x1020, 2);
	hit(t, 0x1000, 0, 5000);
	hit(t, 0x1000, 1, 5000);
	copy = tally_copy(t);
	l = tally_find(copy, 0x1000, 9);
	assert_int_equal(l->pair_count, 2);
	assert_int_equal(pair(l, 0, 8), 1);
	assert_int_equal(pair(l, 0, 32), 2);
	tally_decay(t, 0.5, 0.6);
	assert_int_equal(tally_find(t, 0x1000, 9)->pair_count, 1);
	tally_free(t);
	tally_free(copy);
}

static void a_copy_stays_as_it_is(void **state)
{
	struct tally *t = tally_new_live(64, 1000), *copy;

	watch(t, 0, 2);
	hit(t, 0x1000, 0, 5000);
	copy = tally_copy(t);
	hit(t, 0x1000, 0, 5000);
	hit(t, 0x1040, 0, 5000);
	assert_int_equal(line_sum(tally_find(copy, 0x1000, 9), 0, 0), 1);
	assert_int_equal(tally_find(copy, 0x1040, 9)->cell_count, 0);
	tally_free(t);
	tally_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_and_slices_add_up_to_the_profile),
		cmocka_unit_test(each_cpu_has_its_own),
		cmocka_unit_test(slices_tell_phases_apart),
		cmocka_unit_test(only_watched_lines_count),
		cmocka_unit_test(old_slices_are_forgotten_and_the_newest_stay),
		cmocka_unit_test(new_lines_take_the_room_of_those_that_went),
		cmocka_unit_test(decay_halves_and_forgets_what_is_too_little),
		cmocka_unit_test(cells_are_bounded),
		cmocka_unit_test(hitm_is_set_against_the_last_write_of_another_cpu),
		cmocka_unit_test(a_copy_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
