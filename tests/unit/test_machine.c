// SPDX-License-Identifier: GPL-2.0-only
#include "machine.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER "configs/machines"

static const char two_nodes[] = "[machine]\nmhz = 2000\nline_size = 64\nnodes = 2\n"
				"llcs_per_node = 2\ncores_per_llc = 2\nthreads_per_core = 2\n"
				"placement = %s\n[latency]\nhit = 1\nlocked = 18\n"
				"hitm_same_llc = 50 ns\nhitm_same_node = 150 cycles\n"
				"hitm_other_node = 250\nupgrade_same_llc = 1\n"
				"upgrade_same_node = 2\nupgrade_other_node = 3\n"
				"clean_same_llc = 4\nclean_same_node = 5\nclean_other_node = 6\n"
				"memory = 80.2 ns\njitter_percent = 10\n"
				"[hold]\nlow = 0\ntypical = 20\nhigh = 100\n";

/* Loads a machine file of this text. */
static struct err *load_text(const char *text, uint32_t cpus, struct model_machine *m)
{
	char path[] = "/tmp/hitmap-machine-XXXXXX";
	int fd = mkstemp(path);
	struct err *e;

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	e = machine_load(FOLDER, path, cpus, m);
	unlink(path);
	return e;
}

static char *with_placement(const char *placement)
{
	char text[2048];

	snprintf(text, sizeof(text), two_nodes, placement);
	return mem_strdup(text);
}

static void load_good(const char *placement, uint32_t cpus, struct model_machine *m)
{
	char *text = with_placement(placement);
	struct err *e = load_text(text, cpus, m);

	if (e)
		fail_msg("%s", err_text(e));
	free(text);
}

/* The error of "text" must hold "expected". */
static void expect_error(const char *text, const char *expected, enum err_status status)
{
	struct model_machine m;
	struct err *e = load_text(text, 0, &m);

	assert_non_null(e);
	if (!strstr(err_text(e), expected))
		fail_msg("\"%s\" does not say \"%s\"", err_text(e), expected);
	assert_int_equal(err_status(e), status);
	err_free(e);
}

static void every_shipped_machine_loads(void **state)
{
	static const struct {
		const char *name;
		uint32_t cpus, nodes, llcs, cores;
	} want[] = {
		{ "small", 16, 1, 1, 16 },
		{ "cascadelake-2s-192t", 192, 2, 2, 96 },
		{ "westmere-ex-60c", 60, 4, 4, 60 },
		{ "epyc-ccx", 192, 2, 12, 96 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct model_machine m;
		struct err *e = machine_load(FOLDER, want[i].name, 0, &m);
		uint32_t top[3] = { 0 };

		if (e)
			fail_msg("%s", err_text(e));
		assert_string_equal(m.name, want[i].name);
		assert_int_equal(m.cpus, want[i].cpus);
		for (uint32_t cpu = 0; cpu < m.cpus; cpu++) {
			top[0] = m.node[cpu] > top[0] ? m.node[cpu] : top[0];
			top[1] = m.llc[cpu] > top[1] ? m.llc[cpu] : top[1];
			top[2] = m.core[cpu] > top[2] ? m.core[cpu] : top[2];
		}
		assert_int_equal(top[0] + 1, want[i].nodes);
		assert_int_equal(top[1] + 1, want[i].llcs);
		assert_int_equal(top[2] + 1, want[i].cores);
	}
}

static void the_order_names_every_cpu_once(void **state)
{
	static const char *const names[] = { "small", "cascadelake-2s-192t", "westmere-ex-60c",
					     "epyc-ccx" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct model_machine m;
		uint32_t seen[MODEL_CPUS] = { 0 };

		assert_null(machine_load(FOLDER, names[i], 0, &m));
		for (uint32_t n = 0; n < m.cpus; n++)
			seen[m.order[n]]++;
		for (uint32_t cpu = 0; cpu < m.cpus; cpu++)
			assert_int_equal(seen[cpu], 1);
	}
}

static void spread_visits_nodes_then_caches_then_cores_then_siblings(void **state)
{
	/* CPU = sibling * 8 + node * 4 + llc * 2 + core */
	static const uint16_t want[] = { 0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15 };
	struct model_machine m;

	load_good("spread", 0, &m);
	assert_int_equal(m.cpus, 16);
	for (size_t n = 0; n < ARRAY_SIZE(want); n++)
		assert_int_equal(m.order[n], want[n]);
	assert_int_equal(m.order[16], want[0]);
	assert_int_equal(m.core[1], m.core[9]);
	assert_int_not_equal(m.core[0], m.core[1]);
	assert_int_equal(m.llc[0], m.llc[1]);
	assert_int_not_equal(m.llc[0], m.llc[2]);
	assert_int_equal(m.node[0], m.node[2]);
	assert_int_not_equal(m.node[0], m.node[4]);
}

static void compact_fills_siblings_then_cores_then_caches(void **state)
{
	static const uint16_t want[] = { 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15 };
	struct model_machine m;

	load_good("compact", 0, &m);
	for (size_t n = 0; n < ARRAY_SIZE(want); n++)
		assert_int_equal(m.order[n], want[n]);
}

static void nanoseconds_become_cycles_of_the_clock(void **state)
{
	struct model_machine m;

	load_good("spread", 0, &m);
	assert_int_equal(m.hitm[MODEL_SAME_LLC], 100); /* 50 ns at 2 GHz */
	assert_int_equal(m.hitm[MODEL_SAME_NODE], 150);
	assert_int_equal(m.hitm[MODEL_OTHER_NODE], 250);
	assert_int_equal(m.memory, 160); /* 80.2 ns: 160.4 */
	assert_int_equal(m.hitm_reader_home, 0);
}

static void fewer_cpus_keep_the_first_of_the_order_without_gaps(void **state)
{
	struct model_machine m;

	load_good("spread", 3, &m); /* CPUs 0, 4, 2 become 0, 2, 1 */
	assert_int_equal(m.cpus, 3);
	assert_int_equal(m.order[0], 0);
	assert_int_equal(m.order[1], 2);
	assert_int_equal(m.order[2], 1);
	assert_int_equal(m.node[0], 0);
	assert_int_equal(m.node[1], 0);
	assert_int_equal(m.node[2], 1);
	assert_int_equal(m.order[3], 0);
}

static void too_many_cpus_are_a_usage_error(void **state)
{
	struct model_machine m;
	struct err *e = machine_load(FOLDER, "small", 17, &m);

	assert_non_null(e);
	assert_int_equal(err_status(e), ERR_USAGE);
	assert_string_equal(err_text(e), "machine small: has 16 CPUs, not 17");
	err_free(e);
}

static void an_unknown_machine_lists_the_known_ones(void **state)
{
	struct model_machine m;
	struct err *e = machine_load(FOLDER, "pdp11", 0, &m);

	assert_non_null(e);
	assert_int_equal(err_status(e), ERR_USAGE);
	assert_non_null(
		strstr(err_advice(e), "cascadelake-2s-192t, epyc-ccx, small, westmere-ex-60c"));
	err_free(e);
}

static void errors_name_the_line(void **state)
{
	expect_error("[machine]\nmhz = 2000\n\nvendor = dec\n", ":4: unknown key \"vendor\"",
		     ERR_FAILED);
	expect_error("[machine]\nmhz = fast\n", ":2: mhz = \"fast\" is not a number", ERR_FAILED);
	expect_error("[machine]\nmhz = 2.5\n", ":2: mhz = 2.5 is not a whole number", ERR_FAILED);
	expect_error("[machine]\nmhz = nan\n", ":2: mhz = nan is outside", ERR_FAILED);
	expect_error("[machine]\nmhz = 1\nmhz = 2\n", ":3: mhz is given a second time", ERR_FAILED);
	expect_error("[machine]\nnonsense\n", ":2: neither [section]", ERR_FAILED);
	expect_error("[latency]\nhit = 1 us\n", ":2: hit = \"1 us\" is not a number", ERR_FAILED);
	expect_error("[machine]\nplacement = random\n", ":2: placement is spread or compact",
		     ERR_FAILED);
	expect_error("", "[machine] mhz is missing", ERR_FAILED);
}

/* Replaces "from" in the good text by "to" and expects an error. */
static void expect_after_change(const char *from, const char *to, const char *expected)
{
	char *good = with_placement("spread");
	char *at = strstr(good, from), *text;

	assert_non_null(at);
	text = mem_printf("%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	expect_error(text, expected, ERR_FAILED);
	free(text);
	free(good);
}

static void senseless_machines_are_refused(void **state)
{
	expect_after_change("line_size = 64", "line_size = 48",
			    "line_size = 48 is no power of two");
	expect_after_change("typical = 20", "typical = 200", "low <= typical <= high");
	expect_after_change("hitm_same_node = 150 cycles\n", "",
			    "[latency] hitm_same_node is missing");
	expect_after_change("cores_per_llc = 2", "cores_per_llc = 200",
			    "1600 CPUs are more than the 256");
}

static void a_missing_file_is_said(void **state)
{
	struct model_machine m;
	struct err *e = machine_load(FOLDER, "./no-such.conf", 0, &m);

	assert_non_null(e);
	assert_string_equal(err_text(e), "machine file ./no-such.conf: No such file or directory");
	err_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shipped_machine_loads),
		cmocka_unit_test(the_order_names_every_cpu_once),
		cmocka_unit_test(spread_visits_nodes_then_caches_then_cores_then_siblings),
		cmocka_unit_test(compact_fills_siblings_then_cores_then_caches),
		cmocka_unit_test(nanoseconds_become_cycles_of_the_clock),
		cmocka_unit_test(fewer_cpus_keep_the_first_of_the_order_without_gaps),
		cmocka_unit_test(too_many_cpus_are_a_usage_error),
		cmocka_unit_test(an_unknown_machine_lists_the_known_ones),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(senseless_machines_are_refused),
		cmocka_unit_test(a_missing_file_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
