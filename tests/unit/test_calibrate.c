// SPDX-License-Identifier: GPL-2.0-only
#include "calibrate.h"
#include "calibrate_show.h"
#include "machine.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void spreads_are_percentiles(void **state)
{
	double v[101], one[] = { 7 };
	struct calibrate_spread s;

	for (int i = 0; i <= 100; i++)
		v[i] = (i * 37) % 101; /* 0 to 100, shuffled */
	s = calibrate_spread(v, 101);
	assert_true(s.low == 10 && s.typical == 50 && s.high == 90);
	assert_int_equal(s.batches, 101);
	s = calibrate_spread(one, 1);
	assert_true(s.low == 7 && s.typical == 7 && s.high == 7);
	assert_int_equal(calibrate_spread(v, 0).batches, 0);
}

static void runs_are_counted_from_the_values_of_one_thread(void **state)
{
	/* Three operations, one, two; then a run that another thread's hold ended. */
	static const uint64_t value[] = { 5, 6, 7, 20, 31, 32, 90 };
	uint32_t runs[5] = { 0 };
	struct calibrate_spread s;

	calibrate_count_runs(value, 7, runs, 4);
	assert_int_equal(runs[0], 0);
	assert_int_equal(runs[1], 2);
	assert_int_equal(runs[2], 1);
	assert_int_equal(runs[3], 1);
	assert_int_equal(runs[4], 0);
	calibrate_count_runs((const uint64_t[]){ 1, 2, 3, 4, 5, 6 }, 6, runs, 4);
	assert_int_equal(runs[4], 1); /* longer ones are of the longest */
	s = calibrate_runs(runs, 4);
	assert_int_equal(s.batches, 5);
	assert_true(s.low == 1 && s.typical == 2 && s.high == 4);
	memset(runs, 0, sizeof(runs));
	assert_int_equal(calibrate_runs(runs, 4).batches, 0);
}

static void cpus_are_apart_by_core_cache_and_node(void **state)
{
	static const struct calibrate_cpu cpu[] = {
		{ 0, 0, 0, 0 }, { 8, 0, 0, 0 }, { 1, 1, 0, 0 }, { 4, 4, 1, 0 }, { 16, 16, 4, 1 },
	};

	for (int i = 1; i < 5; i++) {
		assert_int_equal(calibrate_class(&cpu[0], &cpu[i]), i - 1);
		assert_int_equal(calibrate_class(&cpu[i], &cpu[0]), i - 1);
	}
}

/* Of many CPUs few are measured, and no kind of pair is forgotten. */
static void a_choice_of_cpus_has_every_class(void **state)
{
	struct calibrate_cpu cpu[256];
	bool seen[CALIBRATE_CLASSES] = { false }, twice[256] = { false };
	uint32_t kept;

	/* Two nodes of four caches of sixteen cores of two threads. */
	for (uint32_t i = 0; i < 256; i++)
		cpu[i] = (struct calibrate_cpu){ i, i % 128, i % 128 / 16, i % 128 / 64 };
	kept = calibrate_choose(cpu, 256);
	assert_int_equal(kept, CALIBRATE_CPUS);
	for (uint32_t i = 0; i < kept; i++) {
		assert_false(twice[cpu[i].cpu]);
		twice[cpu[i].cpu] = true;
		if (i)
			seen[calibrate_class(&cpu[0], &cpu[i])] = true;
	}
	for (int i = 0; i < CALIBRATE_CLASSES; i++)
		if (!seen[i])
			fail_msg("no chosen CPU is of class %d to the first", i);
	assert_int_equal(calibrate_choose(cpu, 5), 5);
}

static void fill(struct calibrate_pair *p, double ns)
{
	p->hitm = (struct calibrate_spread){ ns * 0.9, ns, ns * 1.2, 1000 };
	p->upgrade = (struct calibrate_spread){ ns, ns + 10, ns + 20, 1000 };
	p->clean = (struct calibrate_spread){ ns * 0.8, ns * 0.9, ns, 1000 };
	p->locked = p->hitm;
	p->hold = (struct calibrate_spread){ 1, 4, 12, 500 };
}

/* What is written is what the model reads. */
static void check_machine(struct calibrate *c, struct model_machine *m)
{
	char path[] = "/tmp/hitmap-machine-XXXXXX";
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");
	struct err *e;

	assert_non_null(out);
	calibrate_show_machine(out, c, "a test");
	fclose(out);
	e = machine_load("/nowhere", path, 0, m);
	if (e)
		fail_msg("the machine file is refused: %s", err_text(e));
	unlink(path);
}

static void a_machine_file_is_what_the_model_reads(void **state)
{
	struct calibrate c = { .nodes = 2,
			       .llcs_per_node = 4,
			       .cores_per_llc = 8,
			       .threads_per_core = 2,
			       .mhz = 2000,
			       .hit = { 1, 1, 1, 10 },
			       .locked = { 9, 10, 11, 10 },
			       .memory = { 80, 100, 120, 10 } };
	struct model_machine m;

	for (int i = 0; i < CALIBRATE_CLASSES; i++) {
		c.class[i].class = i;
		fill(&c.class[i], 25 << i);
	}
	c.class[CLASS_OTHER].reader_home = (struct calibrate_spread){ 250, 300, 350, 10 };
	check_machine(&c, &m);
	assert_int_equal(m.cpus, 128);
	assert_int_equal(m.mhz, 2000);
	/* ns at 2 GHz: twice as many cycles */
	assert_int_equal(m.hitm[MODEL_SAME_LLC], 100);
	assert_int_equal(m.hitm[MODEL_SAME_NODE], 200);
	assert_int_equal(m.hitm[MODEL_OTHER_NODE], 400);
	assert_int_equal(m.hitm_reader_home, 600);
	assert_int_equal(m.upgrade[MODEL_SAME_LLC], 100); /* less a locked operation */
	assert_int_equal(m.clean[MODEL_OTHER_NODE], 360);
	assert_int_equal(m.memory, 200);
	assert_int_equal(m.jitter_percent, 15);
	/* Runs of 1, 4 and 12 operations of 20 cycles. */
	assert_int_equal(m.hold[MODEL_HOLD_LOW], 0);
	assert_int_equal(m.hold[MODEL_HOLD_TYPICAL], 80);
	assert_int_equal(m.hold[MODEL_HOLD_HIGH], 240);
}

static void a_machine_file_of_two_cores_and_of_too_many(void **state)
{
	struct calibrate c = { .nodes = 1,
			       .llcs_per_node = 1,
			       .cores_per_llc = 2,
			       .threads_per_core = 1,
			       .mhz = 3000,
			       .hit = { 1, 1, 1, 10 },
			       .locked = { 5, 5, 5, 10 },
			       .memory = { 80, 100, 120, 10 } };
	struct model_machine m;

	c.class[CLASS_LLC].class = CLASS_LLC;
	fill(&c.class[CLASS_LLC], 50);
	c.class[CLASS_LLC].clean.batches = 0; /* stands in: as a modified line */
	check_machine(&c, &m);
	assert_int_equal(m.cpus, 2);
	assert_int_equal(m.clean[MODEL_SAME_LLC], m.hitm[MODEL_SAME_LLC]);
	c.cores_per_llc = 1000;
	check_machine(&c, &m);
	assert_int_equal(m.cpus, MODEL_CPUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spreads_are_percentiles),
		cmocka_unit_test(runs_are_counted_from_the_values_of_one_thread),
		cmocka_unit_test(cpus_are_apart_by_core_cache_and_node),
		cmocka_unit_test(a_choice_of_cpus_has_every_class),
		cmocka_unit_test(a_machine_file_is_what_the_model_reads),
		cmocka_unit_test(a_machine_file_of_two_cores_and_of_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
