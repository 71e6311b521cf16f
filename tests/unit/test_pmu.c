// SPDX-License-Identifier: GPL-2.0-only
#include "fake_machine.h"
#include "pmu.h"

static void add_device(const struct machine *m, const char *file)
{
	char *path = mem_printf(DEVICES "%s", file);

	write_file(m, path, strstr(file, "type") ? "4\n" : "");
	free(path);
}

static void add_cpu(const struct machine *m, const char *name)
{
	static const char *const files[] = { "type", "events/mem-loads", "format/ldlat" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *file = mem_printf("%s/%s", name, files[i]);

		add_device(m, file);
		free(file);
	}
}

static void expect(const struct machine *m, enum pmu_source source, const char *why)
{
	struct pmu_set found;

	pmu_set_find(m->root, PMU_NONE, &found);
	assert_string_equal(found.why, why);
	assert_string_equal(pmu_source_name(found.source), pmu_source_name(source));
	pmu_set_deinit(&found);
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
	add_cpu(*state, "cpu");
	expect(*state, PMU_PEBS, "PEBS memory events (cpu)");
}

static void hybrid_intel_is_known_by_all_its_core_pmus(void **state)
{
	add_cpu(*state, "cpu_atom");
	add_cpu(*state, "cpu_core");
	expect(*state, PMU_PEBS, "PEBS memory events (cpu_core, cpu_atom)");
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

static void power_is_known_by_events_without_a_least_latency(void **state)
{
	add_device(*state, "cpu/type");
	add_device(*state, "cpu/events/mem-loads");
	expect(*state, PMU_POWER, "Power memory events (cpu)");
}

static void a_source_that_was_asked_for_is_the_only_one_looked_for(void **state)
{
	struct machine *m = *state;
	struct pmu_set found;

	add_cpu(m, "cpu");
	pmu_set_find(m->root, PMU_IBS, &found);
	assert_int_equal(found.source, PMU_NONE);
	pmu_set_deinit(&found);
}

/* ---- Fields */

/* A PMU with one field "f". */
static struct pmu_set with_field(const struct machine *m, const char *text)
{
	struct pmu_set s;

	write_file(m, DEVICES "ibs_op/type", "11\n");
	write_file(m, DEVICES "ibs_op/format/f", text);
	pmu_set_find(m->root, PMU_NONE, &s);
	assert_int_equal(s.count, 1);
	return s;
}

static void values_go_to_their_bits(void **state)
{
	static const struct {
		const char *format;
		uint64_t value;
		uint32_t word;
		uint64_t expected;
	} rows[] = {
		{ "config:0-7", 0xcd, 0, 0xcd },
		{ "config:8-15", 0x82, 0, 0x8200 },
		{ "config:18", 1, 0, 1 << 18 },
		{ "config:8-15,40-47", 0x1234, 0, 0x120000003400 },
		{ "config:0-7,32-35", 0xf43, 0, 0xf00000043 },
		{ "config:63,0", 3, 0, 0x8000000000000001 },
		{ "config1:0-15", 0x1f, 1, 0x1f },
		{ "config1:0-63", UINT64_MAX, 1, UINT64_MAX },
		{ "config2:0-11", 0xfff, 2, 0xfff },
		{ "config3:4-5", 3, 3, 0x30 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmu_set s = with_field(*state, rows[i].format);
		struct pmu_config c = { { 0 } };

		assert_null(pmu_put(&s.pmu[0], "f", rows[i].value, &c));
		for (uint32_t w = 0; w < PMU_WORDS; w++)
			assert_int_equal(c.word[w], w == rows[i].word ? rows[i].expected : 0);
		pmu_set_deinit(&s);
	}
}

static void a_value_that_does_not_fit_is_refused(void **state)
{
	struct pmu_set s = with_field(*state, "config1:0-11");
	struct pmu_config c = { { 0 } };
	struct err *e = pmu_put(&s.pmu[0], "f", 4096, &c);

	assert_non_null(e);
	assert_string_equal(err_text(e), "pmu ibs_op: f=4096 does not fit");
	assert_string_equal(err_advice(e), "f is at most 4095");
	assert_int_equal(c.word[1], 0);
	err_free(e);
	pmu_set_deinit(&s);
}

static void putting_adds_bits_and_setting_replaces_them(void **state)
{
	struct pmu_set s = with_field(*state, "config1:0-15");
	struct pmu_config c = { { 0 } };

	assert_null(pmu_put_terms(&s.pmu[0], "it", "f=3", &c));
	assert_null(pmu_put(&s.pmu[0], "f", 30, &c));
	assert_int_equal(c.word[1], 0x1f);
	assert_null(pmu_set_terms(&s.pmu[0], "it", "f=4", &c));
	assert_int_equal(c.word[1], 4);
	pmu_set_deinit(&s);
}

static void terms_name_fields_or_whole_words(void **state)
{
	struct pmu_set s = with_field(*state, "config:3");
	struct pmu_config c = { { 0 } };

	assert_null(pmu_put_terms(&s.pmu[0], "it", "f,config2=0x70", &c));
	assert_int_equal(c.word[0], 8);
	assert_int_equal(c.word[2], 0x70);
	pmu_set_deinit(&s);
}

static void bad_terms_say_what_is_wrong(void **state)
{
	static const struct {
		const char *terms, *text;
	} rows[] = {
		{ "", "it: pmu ibs_op: a term has no name" },
		{ "f,,f", "it: pmu ibs_op: a term has no name" },
		{ "=3", "it: pmu ibs_op: a term has no name" },
		{ "f=", "it: pmu ibs_op: f= has no number" },
		{ "f=-1", "it: pmu ibs_op: f=-1 has no number" },
		{ "f=1x", "it: pmu ibs_op: f=1x has no number" },
		{ "f=99999999999999999999",
		  "it: pmu ibs_op: f=99999999999999999999 has no number" },
		{ "g=1", "it: pmu ibs_op: it has no field \"g\"" },
	};
	struct pmu_set s = with_field(*state, "config:3");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmu_config c = { { 0 } };
		struct err *e = pmu_put_terms(&s.pmu[0], "it", rows[i].terms, &c);

		assert_non_null(e);
		assert_string_equal(err_text(e), rows[i].text);
		err_free(e);
	}
	pmu_set_deinit(&s);
}

/* ---- Files that are not as the kernel writes them */

static void a_field_that_is_no_bits_is_left_out_with_a_note(void **state)
{
	static const char *const bad[] = { "",
					   "config",
					   "config:",
					   "config:64",
					   "config:8-4",
					   "config9:0",
					   "config:0-",
					   "config:-3",
					   "config:0,",
					   "config:1;2",
					   "config:0-99",
					   "configuration",
					   "\xff\xfe:0-3",
					   "config:0 - 7" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pmu_set s = with_field(*state, bad[i]);
		char *note = mem_printf("pmu ibs_op: format/f: \"%s\" is not bits of a config word",
					bad[i]);

		assert_int_equal(s.pmu[0].fields, 0);
		assert_int_equal(s.notes, 1);
		assert_string_equal(s.note[0], note);
		free(note);
		pmu_set_deinit(&s);
	}
}

static void a_type_that_is_no_number_is_why_there_is_no_pmu(void **state)
{
	struct machine *m = *state;
	struct pmu_set s;

	write_file(m, DEVICES "ibs_op/type", "eleven\n");
	pmu_set_find(m->root, PMU_NONE, &s);
	assert_int_equal(s.source, PMU_NONE);
	assert_non_null(strstr(s.why, "ibs_op/type: \"eleven\" is not a number"));
	pmu_set_deinit(&s);
}

static void types_outside_32_bits_are_refused(void **state)
{
	static const char *const bad[] = { "-1", "4294967296", "99999999999999999999" };
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pmu_set s;

		write_file(m, DEVICES "ibs_op/type", bad[i]);
		pmu_set_find(m->root, PMU_NONE, &s);
		assert_int_equal(s.count, 0);
		assert_non_null(strstr(s.why, bad[i]));
		pmu_set_deinit(&s);
	}
}

static void a_folder_or_a_pipe_in_place_of_a_file_is_noted(void **state)
{
	struct machine *m = *state;
	struct pmu_set s;

	write_file(m, DEVICES "ibs_op/type", "11\n");
	write_file(m, DEVICES "ibs_op/format/f/deeper", "config:0");
	shell(mem_printf("mkfifo %s/" DEVICES "ibs_op/format/pipe", m->root));
	pmu_set_find(m->root, PMU_NONE, &s);
	assert_int_equal(s.pmu[0].fields, 0);
	assert_int_equal(s.notes, 2);
	assert_non_null(strstr(s.note[0], "Is a directory"));
	pmu_set_deinit(&s);
}

static void a_huge_file_is_read_in_part(void **state)
{
	struct machine *m = *state;
	char *text = mem_zalloc(200001);
	struct pmu_set s;

	memset(text, '7', 200000);
	write_file(m, DEVICES "ibs_op/type", "11\n");
	write_file(m, DEVICES "ibs_op/events/long", text);
	pmu_set_find(m->root, PMU_NONE, &s);
	assert_int_equal(strlen(pmu_event(&s.pmu[0], "long")), 65536);
	pmu_set_deinit(&s);
	free(text);
}

static void scale_and_unit_files_are_no_events(void **state)
{
	struct machine *m = *state;
	struct pmu_set s;

	write_file(m, DEVICES "ibs_op/type", "11\n");
	write_file(m, DEVICES "ibs_op/events/energy", "event=1");
	write_file(m, DEVICES "ibs_op/events/energy.scale", "2.3e-10");
	write_file(m, DEVICES "ibs_op/events/energy.unit", "Joules");
	pmu_set_find(m->root, PMU_NONE, &s);
	assert_string_equal(pmu_event(&s.pmu[0], "energy"), "event=1");
	assert_null(pmu_event(&s.pmu[0], "energy.scale"));
	assert_null(pmu_event(&s.pmu[0], "energy.unit"));
	pmu_set_deinit(&s);
}

static void cpus_that_are_no_list_are_noted_and_mean_all(void **state)
{
	struct machine *m = *state;
	struct pmu_set s;

	write_file(m, DEVICES "ibs_op/type", "11\n");
	write_file(m, DEVICES "ibs_op/cpus", "0-x");
	pmu_set_find(m->root, PMU_NONE, &s);
	assert_false(s.pmu[0].has_cpus);
	assert_string_equal(s.note[0], "pmu ibs_op: cpus: \"0-x\" is not a list of CPUs");
	pmu_set_deinit(&s);
}

/* ---- CPU lists */

static void cpu_lists_are_read_and_written(void **state)
{
	static const char *const lists[] = { "", "0", "0-15", "0-30,32-127", "1,3,5", "8191" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct cpulist l;
		char *text;

		assert_true(cpulist_parse(lists[i], &l));
		text = cpulist_text(&l);
		assert_string_equal(text, lists[i]);
		free(text);
	}
}

static void what_is_no_cpu_list_is_refused(void **state)
{
	static const char *const bad[] = { ",",	  "1,",	 "-1",	  "1-", "3-1",	     "8192",
					   "0 1", "0x1", "1-2-3", "a",	"4294967296" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct cpulist l;

		if (cpulist_parse(bad[i], &l))
			fail_msg("\"%s\" was taken for a list of CPUs", bad[i]);
		assert_int_equal(cpulist_count(&l), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_machine_without_sysfs_says_so),
		TEST(a_virtual_machine_lists_what_is_missing),
		TEST(a_cpu_without_memory_events_is_told_apart),
		TEST(intel_is_known_by_its_memory_events),
		TEST(hybrid_intel_is_known_by_all_its_core_pmus),
		TEST(amd_is_known_by_ibs),
		TEST(arm_is_known_by_spe),
		TEST(power_is_known_by_events_without_a_least_latency),
		TEST(a_source_that_was_asked_for_is_the_only_one_looked_for),
		TEST(values_go_to_their_bits),
		TEST(a_value_that_does_not_fit_is_refused),
		TEST(putting_adds_bits_and_setting_replaces_them),
		TEST(terms_name_fields_or_whole_words),
		TEST(bad_terms_say_what_is_wrong),
		TEST(a_field_that_is_no_bits_is_left_out_with_a_note),
		TEST(a_type_that_is_no_number_is_why_there_is_no_pmu),
		TEST(types_outside_32_bits_are_refused),
		TEST(a_folder_or_a_pipe_in_place_of_a_file_is_noted),
		TEST(a_huge_file_is_read_in_part),
		TEST(scale_and_unit_files_are_no_events),
		TEST(cpus_that_are_no_list_are_noted_and_mean_all),
		cmocka_unit_test(cpu_lists_are_read_and_written),
		cmocka_unit_test(what_is_no_cpu_list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
