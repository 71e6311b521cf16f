// SPDX-License-Identifier: GPL-2.0-only
#include "data_source.h"
#include "mem.h"
#include "perfdata_read.h"
#include "perfdata_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CPUS 4

static const uint16_t cpu_node[CPUS] = { 0, 0, 1, 1 };
static const uint16_t cpu_core[CPUS] = { 0, 1, 2, 3 };
static char *const command[] = { (char *)"hitmap", (char *)"record", (char *)"prog", NULL };

static const struct perfdata_features features = {
	.host = "here",
	.kernel = "6.1.0",
	.arch = "x86_64",
	.cpu = "modelled: small",
	.recorder = "hitmap",
	.argc = 3,
	.argv = command,
	.cpus = CPUS,
	.cpu_node = cpu_node,
	.cpu_core = cpu_core,
	.memory_kb = 4096,
};

struct fixture {
	char path[64];
	struct perfdata_writer *writer;
	struct intern *pool;
	struct event events[64]; /* read back */
	uint32_t count;
	struct source *source;
};

static void good(struct err *e)
{
	if (e)
		fail_msg("%s", err_text(e));
}

static int set_up(void **state)
{
	struct fixture *f = mem_zalloc(sizeof(*f));
	int fd;

	strcpy(f->path, "/tmp/hitmap-write-XXXXXX");
	fd = mkstemp(f->path);
	close(fd);
	f->pool = intern_new();
	good(perfdata_create(f->path, "model/loads/", "model/stores/", &features, &f->writer));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	source_close(f->source);
	unlink(f->path);
	intern_free(f->pool);
	free(f);
	return 0;
}

static void read_back(struct fixture *f, const char *path)
{
	bool end = false;

	good(perfdata_open(path, f->pool, &f->source));
	while (f->count < ARRAY_SIZE(f->events)) {
		good(source_next(f->source, &f->events[f->count], &end));
		if (end)
			break;
		f->count++;
	}
	assert_true(end);
}

static void finish_and_read(struct fixture *f)
{
	uint64_t bytes;
	struct stat st;

	good(perfdata_finish(f->writer, &bytes));
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(bytes, st.st_size);
	read_back(f, f->path);
}

static struct event sample_at(uint64_t time, uint32_t event)
{
	struct event ev = { .kind = EVENT_SAMPLE, .time = time, .pid = 10, .tid = 11 };

	ev.sample = (struct sample){ .ip = 0x401000,
				     .addr = 0x601040 + time,
				     .time = time,
				     .period = 3,
				     .weight = 120,
				     .data_src = 0x10604800842ull,
				     .pid = 10,
				     .tid = 11,
				     .cpu = 2,
				     .event = event };
	return ev;
}

static void write_at(struct fixture *f, uint64_t time)
{
	struct event ev = sample_at(time, 0);

	good(perfdata_write(f->writer, &ev));
}

static void a_sample_comes_back_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct event load = sample_at(1000, 0), store = sample_at(2000, 1);
	const struct sample *s = &f->events[1].sample;

	good(perfdata_write(f->writer, &load));
	good(perfdata_write(f->writer, &store));
	finish_and_read(f);
	assert_int_equal(f->count, 2);
	assert_int_equal(f->events[0].sample.event, 0);
	assert_int_equal(s->event, 1);
	assert_int_equal(s->time, 2000);
	assert_int_equal(s->ip, 0x401000);
	assert_int_equal(s->addr, 0x601040 + 2000);
	assert_int_equal(s->period, 3);
	assert_int_equal(s->weight, 120);
	assert_int_equal(s->data_src, 0x10604800842ull);
	assert_int_equal(s->pid, 10);
	assert_int_equal(s->tid, 11);
	assert_int_equal(s->cpu, 2);
}

static void tasks_and_maps_come_back_as_they_were(void **state)
{
	struct fixture *f = *state;
	struct event fork = {
		.kind = EVENT_FORK, .time = 100, .pid = 10, .tid = 12, .fork = { 10, 11 }
	};
	struct event comm = {
		.kind = EVENT_COMM, .time = 200, .pid = 10, .tid = 12, .comm = { "worker", true }
	};
	struct event map = { .kind = EVENT_MAP, .time = 300, .pid = 10, .tid = 10 };
	struct event end = { .kind = EVENT_EXIT, .time = 400, .pid = 10, .tid = 12 };

	map.map = (struct event_map){ .start = 0x400000,
				      .size = 0x2000,
				      .offset = 0x1000,
				      .inode = 42,
				      .major = 8,
				      .minor = 1,
				      .prot = PROT_READ | PROT_EXEC,
				      .path = "/bin/prog" };
	good(perfdata_write(f->writer, &fork));
	good(perfdata_write(f->writer, &comm));
	good(perfdata_write(f->writer, &map));
	good(perfdata_write(f->writer, &end));
	finish_and_read(f);
	assert_int_equal(f->count, 4);
	assert_int_equal(f->events[0].kind, EVENT_FORK);
	assert_int_equal(f->events[0].tid, 12);
	assert_int_equal(f->events[0].fork.parent_tid, 11);
	assert_int_equal(f->events[1].kind, EVENT_COMM);
	assert_string_equal(f->events[1].comm.name, "worker");
	assert_true(f->events[1].comm.exec);
	assert_int_equal(f->events[2].kind, EVENT_MAP);
	assert_int_equal(f->events[2].map.start, 0x400000);
	assert_int_equal(f->events[2].map.size, 0x2000);
	assert_int_equal(f->events[2].map.offset, 0x1000);
	assert_int_equal(f->events[2].map.inode, 42);
	assert_int_equal(f->events[2].map.prot, PROT_READ | PROT_EXEC);
	assert_string_equal(f->events[2].map.path, "/bin/prog");
	assert_int_equal(f->events[3].kind, EVENT_EXIT);
	assert_int_equal(f->events[3].tid, 12);
}

static void notes_come_back_as_they_were(void **state)
{
	struct fixture *f = *state;
	struct event ev = { .kind = EVENT_NOTE };

	ev.note.kind = NOTE_OBJECT;
	ev.note.object = (struct note_object){ 10, 0x601040, 64, "user_struct", "root user" };
	good(perfdata_write(f->writer, &ev));
	finish_and_read(f);
	assert_int_equal(f->count, 1);
	assert_int_equal(f->events[0].kind, EVENT_NOTE);
	assert_int_equal(f->events[0].note.kind, NOTE_OBJECT);
	assert_int_equal(f->events[0].note.object.addr, 0x601040);
	assert_string_equal(f->events[0].note.object.name, "root user");
}

static void the_header_says_what_was_recorded(void **state)
{
	struct fixture *f = *state;
	const struct recording *r;

	write_at(f, 1000);
	finish_and_read(f);
	r = &f->source->recording;
	assert_string_equal(r->host, "here");
	assert_string_equal(r->kernel, "6.1.0");
	assert_string_equal(r->cpu, "modelled: small");
	assert_string_equal(r->command, "hitmap record prog");
	assert_int_equal(r->cpus, CPUS);
	assert_int_equal(r->cpu_nodes, CPUS);
	assert_int_equal(r->cpu_node[1], 0);
	assert_int_equal(r->cpu_node[2], 1);
	assert_int_equal(r->event_count, 2);
	assert_string_equal(r->events[0].name, "model/loads/");
	assert_string_equal(r->events[1].name, "model/stores/");
	assert_false(r->truncated);
}

/* Two threads whose samples cross, with a promise after every one. */
static void rounds_let_readers_restore_the_order_of_time(void **state)
{
	static const uint64_t times[] = { 500, 300, 400, 900, 700, 800, 1300, 1100 };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		uint64_t low = UINT64_MAX;

		write_at(f, times[i]);
		for (size_t k = i + 1; k < ARRAY_SIZE(times); k++)
			low = times[k] < low ? times[k] : low;
		good(perfdata_round(f->writer, low));
	}
	finish_and_read(f);
	assert_int_equal(f->count, ARRAY_SIZE(times));
	for (uint32_t i = 1; i < f->count; i++)
		if (f->events[i].time < f->events[i - 1].time)
			fail_msg("event %u at %lu comes after %lu", i, f->events[i].time,
				 f->events[i - 1].time);
	assert_int_equal(f->events[0].time, 300);
	assert_int_equal(f->events[7].time, 1300);
}

static void a_broken_promise_moves_the_event_up(void **state)
{
	struct fixture *f = *state;

	write_at(f, 1000);
	good(perfdata_round(f->writer, 1000));
	write_at(f, 2000);
	good(perfdata_round(f->writer, 2000)); /* readers have given out up to 1000 */
	write_at(f, 10);
	finish_and_read(f);
	assert_int_equal(f->count, 3);
	assert_int_equal(f->events[0].time, 1000);
	assert_int_equal(f->events[1].time, 1000);
	assert_int_equal(f->events[2].time, 2000);
}

static void a_killed_recording_is_readable_up_to_its_last_sync(void **state)
{
	struct fixture *f = *state;
	uint64_t ignored;

	write_at(f, 1000);
	write_at(f, 2000);
	good(perfdata_sync(f->writer));
	read_back(f, f->path); /* the writer has not finished */
	assert_int_equal(f->count, 2);
	assert_int_equal(f->source->recording.event_count, 2);
	good(perfdata_finish(f->writer, &ignored));
}

static void maps_carry_the_build_id_of_their_file(void **state)
{
	struct fixture *f = *state;
	static const uint8_t id[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct event ev = { .kind = EVENT_MAP, .time = 5, .pid = 10, .tid = 10 };

	ev.map = (struct event_map){ .start = 0x400000, .size = 4096, .path = "/bin/known" };
	good(perfdata_write(f->writer, &ev));
	ev.map.start = 0x500000;
	ev.map.path = "/bin/unknown";
	good(perfdata_write(f->writer, &ev));
	perfdata_build_id(f->writer, "/bin/known", id, sizeof(id));
	finish_and_read(f);
	assert_int_equal(f->count, 2);
	assert_int_equal(f->events[0].map.build_id_size, sizeof(id));
	assert_memory_equal(f->events[0].map.build_id, id, sizeof(id));
	assert_int_equal(f->events[1].map.build_id_size, 0);
}

static void what_is_no_regular_file_is_refused(void **state)
{
	struct perfdata_writer *w;
	struct err *e = perfdata_create("/dev/null", "a", "b", &features, &w);

	assert_non_null(e);
	assert_string_equal(err_text(e), "perf.data: /dev/null is not a regular file");
	err_free(e);
	e = perfdata_create("/no/such/folder/x", "a", "b", &features, &w);
	assert_non_null(e);
	assert_int_equal(err_status(e), ERR_FAILED);
	err_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sample_comes_back_as_it_was, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tasks_and_maps_come_back_as_they_were, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(notes_come_back_as_they_were, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_header_says_what_was_recorded, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rounds_let_readers_restore_the_order_of_time,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_broken_promise_moves_the_event_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_killed_recording_is_readable_up_to_its_last_sync,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(maps_carry_the_build_id_of_their_file, set_up,
						tear_down),
		cmocka_unit_test(what_is_no_regular_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
