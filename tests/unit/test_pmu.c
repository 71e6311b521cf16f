// SPDX-License-Identifier: GPL-2.0-only
#include "mem.h"
#include "pmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEVICES "sys/bus/event_source/devices"

/* A made-up sysfs below a temporary folder. */
struct fixture {
	char root[64];
};

static void shell(char *line)
{
	assert_int_equal(system(line), 0);
	free(line);
}

static int set_up(void **state)
{
	struct fixture *f = mem_zalloc(sizeof(*f));

	strcpy(f->root, "/tmp/hitmap-pmu-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	shell(mem_printf("rm -rf %s", f->root));
	free(f);
	return 0;
}

static void add_device(const struct fixture *f, const char *file)
{
	shell(mem_printf("f=%s/" DEVICES "/%s; mkdir -p \"${f%%/*}\" && touch \"$f\"", f->root,
			 file));
}

static void expect(const struct fixture *f, enum pmu_source source, const char *why)
{
	struct pmu_finding found;

	pmu_find(f->root, &found);
	assert_string_equal(found.why, why);
	assert_string_equal(pmu_source_name(found.source), pmu_source_name(source));
}

static void a_machine_without_sysfs_says_so(void **state)
{
	expect(*state, PMU_NONE,
	       "no hardware sampling: /sys/bus/event_source/devices is empty or "
	       "not there");
}

static void a_virtual_machine_lists_what_is_missing(void **state)
{
	add_device(*state, "software/type");
	expect(*state, PMU_NONE,
	       "no hardware sampling: /sys/bus/event_source/devices has no cpu "
	       "with mem-loads, no ibs_op, no arm_spe");
}

static void a_cpu_without_memory_events_is_told_apart(void **state)
{
	add_device(*state, "cpu/events/cycles");
	expect(*state, PMU_NONE,
	       "no hardware sampling: /sys/bus/event_source/devices has a cpu "
	       "without mem-loads, no ibs_op, no arm_spe");
}

static void intel_is_known_by_its_memory_events(void **state)
{
	add_device(*state, "cpu/events/mem-loads");
	expect(*state, PMU_PEBS, "PEBS memory events (cpu)");
}

static void hybrid_intel_is_known_by_its_core_pmu(void **state)
{
	add_device(*state, "cpu_atom/events/mem-loads");
	add_device(*state, "cpu_core/events/mem-loads");
	expect(*state, PMU_PEBS, "PEBS memory events (cpu_core)");
}

static void amd_is_known_by_ibs(void **state)
{
	add_device(*state, "cpu/events/cycles");
	add_device(*state, "ibs_op/type");
	expect(*state, PMU_IBS, "IBS op sampling (ibs_op)");
}

static void arm_is_known_by_spe(void **state)
{
	add_device(*state, "arm_spe_0/type");
	expect(*state, PMU_SPE, "the statistical profiling extension (arm_spe_0)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_machine_without_sysfs_says_so),
		TEST(a_virtual_machine_lists_what_is_missing),
		TEST(a_cpu_without_memory_events_is_told_apart),
		TEST(intel_is_known_by_its_memory_events),
		TEST(hybrid_intel_is_known_by_its_core_pmu),
		TEST(amd_is_known_by_ibs),
		TEST(arm_is_known_by_spe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
