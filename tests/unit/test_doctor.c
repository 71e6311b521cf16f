// SPDX-License-Identifier: GPL-2.0-only
/* What hitmap doctor finds on the machines of tests/fixtures/sysfs, and what it says there. */
#include "doctor_fact.h"
#include "doctor_show.h"
#include "fake_machine.h"

static void examine(const struct machine *m, struct doctor *d)
{
	const struct doctor_ask ask = { .root = m->root };

	doctor_examine(&ask, d);
}

static const struct doctor_fact *fact_of(const struct doctor *d, const char *key)
{
	for (size_t i = 0; i < d->facts; i++)
		if (!strcmp(d->fact[i].key, key))
			return &d->fact[i];
	fail_msg("no fact %s", key);
	return NULL;
}

static void expect_part(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("\"%s\" does not have \"%s\"", text ? text : "NULL", part);
}

/* The hardware row of a machine that has none: which layer, and a next step. */
static void expect_absent(void **state, const char *name, const char *layer, const char *next)
{
	struct doctor d;

	examine(machine_of(state, name), &d);
	assert_int_equal(d.source[0].verdict, DOCTOR_NO);
	assert_string_equal(d.source[0].layer, layer);
	expect_part(d.source[0].next, next);
	assert_false(doctor_has_hardware(&d));
	doctor_deinit(&d);
}

static void vm_without_pmu_blames_the_hypervisor(void **state)
{
	expect_absent(state, "vm", "hypervisor", ".metal");
}

static void missing_sys_blames_the_container(void **state)
{
	expect_absent(state, "container", "container", "-v /sys:/sys:ro");
}

static void amd_without_ibs_blames_the_firmware(void **state)
{
	struct machine *m = machine_of(state, "zen4");
	struct doctor d;

	remove_file(m, DEVICES "ibs_op");
	write_file(m, "proc/cpuinfo",
		   "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 17\nflags\t: fpu msr\n");
	write_file(m, DEVICES "software/type", "1\n");
	examine(m, &d);
	assert_string_equal(d.source[0].layer, "firmware");
	doctor_deinit(&d);

	write_file(m, "proc/cpuinfo",
		   "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 17\nflags\t: fpu ibs\n");
	examine(m, &d);
	assert_string_equal(d.source[0].layer, "kernel");
	doctor_deinit(&d);
}

static void paranoid_3_blames_permission(void **state)
{
	struct machine *m = machine_of(state, "skylake_sp");
	struct doctor d;

	write_file(m, "proc/self/status", "Name:\thitmap\nCapEff:\t0000000000000000\n");
	write_file(m, "proc/sys/kernel/perf_event_paranoid", "3\n");
	examine(m, &d);
	assert_int_equal(d.source[0].verdict, DOCTOR_NO);
	assert_string_equal(d.source[0].layer, "permission");
	expect_part(d.source[0].next, "perf_event_paranoid");
	expect_part(fact_of(&d, "capabilities")->text, "none of perfmon");
	expect_part(fact_of(&d, "perf_event_paranoid")->next, "sysctl");
	doctor_deinit(&d);
}

static void machines_with_a_pmu_are_not_opened_below_a_root(void **state)
{
	static const struct {
		const char *machine, *source, *event;
	} rows[] = {
		{ "nehalem", "pebs,", "mem-loads" },   { "skylake_sp", "pebs,", "mem-loads" },
		{ "alderlake", "pebs,", "mem-loads" }, { "zen3", "ibs,", "ibs_op" },
		{ "neoverse_n1", "spe,", "arm_spe" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine *m = machine_of(state, rows[i].machine);
		struct doctor d;
		bool has = false;

		examine(m, &d);
		if (d.source[0].verdict != DOCTOR_UNTRIED)
			fail_msg("%s: %s", rows[i].machine, d.source[0].text);
		expect_part(d.source[0].text, rows[i].source);
		for (size_t j = 0; j < d.source[0].events; j++) {
			assert_int_equal(d.source[0].event[j].result.state, PROBE_UNTRIED);
			has |= !!strstr(d.source[0].event[j].name, rows[i].event);
		}
		if (!has)
			fail_msg("%s: no event %s", rows[i].machine, rows[i].event);
		assert_true(doctor_has_hardware(&d));
		doctor_deinit(&d);
		shell(mem_printf("rm -rf %s/*", m->root));
	}
}

static void hidden_kernel_symbols_are_told_from_visible_ones(void **state)
{
	struct machine *m = *state;

	assert_false(doctor_fact_kallsyms(m->root));
	write_file(m, "proc/kallsyms", "0000000000000000 T _text\n");
	assert_false(doctor_fact_kallsyms(m->root));
	write_file(m, "proc/kallsyms", "ffffffff81000000 T _text\n");
	assert_true(doctor_fact_kallsyms(m->root));
}

static void a_flag_is_a_whole_word(void **state)
{
	struct machine *m = *state;

	write_file(m, "proc/cpuinfo", "flags\t: fpu ibsx xibs\n");
	assert_false(doctor_fact_flag(m->root, "ibs"));
	write_file(m, "proc/cpuinfo", "flags\t: fpu ibsx ibs\n");
	assert_true(doctor_fact_flag(m->root, "ibs"));
}

static void limits_and_seccomp_are_read_of_proc(void **state)
{
	struct machine *m = *state;
	struct doctor d;

	write_file(m, "proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	write_file(m, "proc/self/limits",
		   "Max open files            1024                 524288               files\n");
	examine(m, &d);
	assert_string_equal(fact_of(&d, "open_files")->text, "1024, at most 524288");
	assert_null(fact_of(&d, "locked_memory")->text);
	expect_part(fact_of(&d, "seccomp")->next, "perf_event_open");
	doctor_deinit(&d);
}

static void text_is_at_most_100_columns_and_free_of_control_characters(void **state)
{
	struct machine *m = machine_of(state, "vm");
	char line[4096], *long_name = mem_zalloc(3000);
	FILE *out = tmpfile();
	struct doctor d;

	memset(long_name, 'x', 2999);
	long_name[5] = '\033';
	write_file(m, "sys/kernel/security/lockdown", long_name);
	examine(m, &d);
	doctor_show_text(&d, out);
	doctor_deinit(&d);
	rewind(out);
	while (fgets(line, sizeof(line), out)) {
		if (strlen(line) > 101)
			fail_msg("%zu columns: %s", strlen(line) - 1, line);
		if (strchr(line, '\033'))
			fail_msg("a control character came through");
	}
	fclose(out);
	free(long_name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(vm_without_pmu_blames_the_hypervisor),
		TEST(missing_sys_blames_the_container),
		TEST(amd_without_ibs_blames_the_firmware),
		TEST(paranoid_3_blames_permission),
		TEST(machines_with_a_pmu_are_not_opened_below_a_root),
		TEST(hidden_kernel_symbols_are_told_from_visible_ones),
		TEST(a_flag_is_a_whole_word),
		TEST(limits_and_seccomp_are_read_of_proc),
		TEST(text_is_at_most_100_columns_and_free_of_control_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
