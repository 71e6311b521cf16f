// SPDX-License-Identifier: GPL-2.0-only
#include "intern.h"
#include "mem.h"
#include "perfdata_file.h"
#include "perfdata_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t ids[2][2] = { { 11, 12 }, { 21, 22 } };

static struct perfdata_event event_of(int n, const char *name)
{
	struct perfdata_event e = { .name = name, .ids = ids[n], .id_count = 2 };

	e.attr.type = PERF_TYPE_SOFTWARE;
	e.attr.size = PERF_ATTR_SIZE_VER5;
	e.attr.config = n;
	e.attr.sample_period = 100 + n;
	e.attr.sample_id_all = 1;
	e.attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	return e;
}

static const struct perfdata_node nodes[] = { { 0, (uint64_t[]){ 1 }, 1 },
					      { 1, (uint64_t[]){ 6 }, 1 } };
static const struct perfdata_pmu pmus[] = { { "cpu", 4 }, { "software", 1 } };
static const uint16_t node_of[] = { 0, 0, 1, 1 }, core_of[] = { 0, 0, 1, 1 };

static const struct perfdata_features features = {
	.host = "box",
	.kernel = "6.18.1",
	.arch = "x86_64",
	.recorder = "hitmap",
	.cpus = 4,
	.cpu_node = node_of,
	.cpu_core = core_of,
	.memory_kb = 1000,
	.pmu = pmus,
	.pmus = 2,
	.block_bytes = 1 << 27,
	.node = nodes,
	.nodes = 2,
	.tracing = "\027\010\104tracing0.5",
	.tracing_bytes = 14,
};

struct record {
	struct perf_event_header h;
	uint64_t id, ip, time;
};

static void good(struct err *e)
{
	if (e)
		fail_msg("%s", err_text(e));
}

static void put(struct perfdata_file *f, uint64_t id, uint64_t time)
{
	struct record r = {
		{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r) }, id, 0x1000 + id, time
	};

	good(perfdata_file_put(f, &r, sizeof(r)));
	perfdata_file_sample_time(f, time);
}

/* Two events of four instances, out of order within a round. */
static void write_all(const char *path, uint64_t *bytes)
{
	const struct perfdata_event events[] = { event_of(0, "first:u"), event_of(1, "second") };
	static const uint8_t id[20] = { 1, 2, 3 };
	struct perfdata_file *f;

	good(perfdata_file_create(path, events, 2, &features, &f));
	put(f, 22, 200);
	put(f, 11, 100);
	good(perfdata_file_round(f));
	put(f, 12, 300);
	good(perfdata_file_build_id(f, "/usr/bin/x", id, sizeof(id), false));
	good(perfdata_file_finish(f, bytes));
}

/* "late": build ids that come as events, because the maps are over. */
static void expect_all(const char *path, size_t late)
{
	static const uint64_t times[] = { 100, 200, 300 }, ips[] = { 11, 22, 12 };
	static const uint32_t events[] = { 0, 1, 0 };
	struct intern *pool = intern_new();
	struct source *s;
	struct event ev;
	size_t n = 0, told = 0;
	bool end;

	good(perfdata_open(path, pool, &s));
	for (;;) {
		good(source_next(s, &ev, &end));
		if (end)
			break;
		if (ev.kind == EVENT_BUILD_ID) {
			assert_string_equal(ev.map.path, "/usr/bin/x");
			told++;
			continue;
		}
		assert_int_equal(ev.kind, EVENT_SAMPLE);
		assert_in_range(n, 0, 2);
		assert_int_equal(ev.time, times[n]);
		assert_int_equal(ev.sample.ip, 0x1000 + ips[n]);
		assert_int_equal(ev.sample.event, events[n]);
		assert_int_equal(ev.sample.period, 100 + events[n++]);
	}
	assert_int_equal(n, 3);
	assert_int_equal(told, late);
	assert_int_equal(s->recording.event_count, 2);
	assert_string_equal(s->recording.events[0].name, "first:u");
	assert_string_equal(s->recording.events[1].name, "second");
	assert_string_equal(s->recording.host, "box");
	assert_int_equal(s->recording.cpus, 4);
	assert_int_equal(s->recording.cpu_node[2], 1);
	assert_int_equal(s->recording.memory_count, 2);
	assert_int_equal(s->recording.unknown_records, 0);
	assert_int_equal(s->recording.malformed_records, 0);
	assert_false(s->recording.truncated);
	source_close(s);
	intern_free(pool);
}

static char *temp_file(void)
{
	char *path = mem_strdup("/tmp/hitmap-file-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

static void a_file_is_read_back_in_order_with_what_it_says(void **state)
{
	char *path = temp_file();
	uint64_t bytes;

	write_all(path, &bytes);
	expect_all(path, 0);
	unlink(path);
	free(path);
}

/* Standard output is a file while the pipe form is written. */
static void a_pipe_says_the_same(void **state)
{
	char *path = temp_file();
	int kept = dup(STDOUT_FILENO);
	uint64_t bytes;

	fflush(stdout);
	assert_non_null(freopen(path, "w", stdout));
	write_all("-", &bytes);
	fflush(stdout);
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
	expect_all(path, 1);
	unlink(path);
	free(path);
}

static void a_description_too_large_for_a_pipe_is_an_error(void **state)
{
	static uint64_t many[8192];
	struct perfdata_event event = event_of(0, "many");
	char *path = temp_file();
	int kept = dup(STDOUT_FILENO);
	struct perfdata_file *f;
	struct err *e;

	event.ids = many;
	event.id_count = 8192;
	fflush(stdout);
	assert_non_null(freopen(path, "w", stdout));
	e = perfdata_file_create("-", &event, 1, &features, &f);
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
	assert_non_null(e);
	assert_non_null(strstr(err_text(e), "does not fit into a record of a pipe"));
	err_free(e);
	unlink(path);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_back_in_order_with_what_it_says),
		cmocka_unit_test(a_pipe_says_the_same),
		cmocka_unit_test(a_description_too_large_for_a_pipe_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
