// SPDX-License-Identifier: GPL-2.0-only
#include "attrib.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "attrib_events.h"

static void fork_process(struct attrib *a, uint32_t parent, uint32_t child, uint64_t time)
{
	struct event ev = { .kind = EVENT_FORK, .pid = child, .tid = child, .time = time };

	ev.fork.parent_pid = ev.fork.parent_tid = parent;
	attrib_event(a, &ev);
}

static void name_thread(struct attrib *a, struct intern *pool, uint32_t pid, uint32_t tid,
			const char *name, bool exec)
{
	struct event ev = { .kind = EVENT_COMM, .pid = pid, .tid = tid, .time = 1000 };

	ev.comm.name = intern_string(pool, name);
	ev.comm.exec = exec;
	attrib_event(a, &ev);
}

static void a_later_map_replaces_what_it_overlaps_and_nothing_else(void **state)
{
	WITH_ATTRIB;

	add_map(a, pool, 1, 0x1000, 0x9000, "/one");
	add_map(a, pool, 1, 0x3000, 0x2000, "/two");
	add_map(a, pool, 1, 0x9000, 0x4000, "/three");
	assert_string_equal(object_at(a, 1, 0xfff), "-");
	assert_string_equal(object_at(a, 1, 0x1000), "one");
	assert_string_equal(object_at(a, 1, 0x2fff), "one");
	assert_string_equal(object_at(a, 1, 0x3000), "two");
	assert_string_equal(object_at(a, 1, 0x4fff), "two");
	assert_string_equal(object_at(a, 1, 0x5000), "one");
	assert_string_equal(object_at(a, 1, 0x9000), "three");
	assert_string_equal(object_at(a, 1, 0xd000), "-");
	assert_string_equal(object_at(a, 2, 0x3000), "-");
	DONE;
}

static void a_mapping_outlives_what_replaced_it(void **state)
{
	WITH_ATTRIB;
	const struct mapping *m;
	struct data_place place;

	add_map(a, pool, 1, 0x1000, 0x1000, "/old");
	m = attrib_mapping(a, 1, USER, 0x1800);
	add_map(a, pool, 1, 0x1000, 0x1000, "/new");
	name_thread(a, pool, 1, 1, "other", true);
	assert_null(attrib_mapping(a, 1, USER, 0x1800));
	assert_true(attrib_data(a, m, 1, 0x1800, &place));
	assert_string_equal(place.object, "old");
	assert_int_equal(place.object_offset, 0x800);
	DONE;
}

static const void *shared_at(struct attrib *a, uint32_t pid, uint64_t addr, uint64_t *place)
{
	return attrib_shared(attrib_mapping(a, pid, USER, addr), addr, place);
}

static void map_shared(struct attrib *a, struct intern *pool, uint32_t pid, uint64_t start,
		       uint64_t offset, uint64_t inode, const char *path)
{
	struct event ev = map_event(pool, pid, start, 0x3000, offset, PROT_READ, path);

	ev.map.shared = true;
	ev.map.major = 8;
	ev.map.inode = inode;
	attrib_event(a, &ev);
}

static void shared_memory_is_known_by_its_file_and_place(void **state)
{
	uint64_t place[4] = { 0 };
	const void *memory[4];
	WITH_ATTRIB;

	add_map(a, pool, 1, 0x9000, 0x1000, "/file");
	map_shared(a, pool, 1, 0x1000, 0x2000, 7, "/file");
	map_shared(a, pool, 2, 0x7000, 0x1000, 7, "/another/name");
	map_shared(a, pool, 3, 0x7000, 0x1000, 9, "/file");
	assert_null(shared_at(a, 1, 0x9000, place)); /* a private mapping of it */
	assert_null(shared_at(a, 1, 0x100, place));
	memory[0] = shared_at(a, 1, 0x1010, &place[0]);
	memory[1] = shared_at(a, 2, 0x8010, &place[1]);
	memory[2] = shared_at(a, 3, 0x8010, &place[2]);
	assert_non_null(memory[0]);
	assert_ptr_equal(memory[0], memory[1]);
	assert_ptr_not_equal(memory[0], memory[2]);
	assert_int_equal(place[0], 0x2010);
	assert_int_equal(place[1], 0x2010);
	DONE;
}

/* A build id may be recorded in the inode's place. */
static void without_an_inode_a_file_that_is_still_there_is_known_by_its_path(void **state)
{
	uint64_t place;
	WITH_ATTRIB;

	map_shared(a, pool, 1, 0x1000, 0, 0, "/dev/shm/x");
	map_shared(a, pool, 2, 0x1000, 0, 0, "/dev/shm/x");
	map_shared(a, pool, 1, 0x7000, 0, 0, "/memfd:x (deleted)");
	map_shared(a, pool, 1, 0xb000, 0, 0, "/dev/zero (deleted)");
	assert_non_null(shared_at(a, 1, 0x1000, &place));
	assert_ptr_equal(shared_at(a, 1, 0x1000, &place), shared_at(a, 2, 0x1000, &place));
	assert_null(shared_at(a, 1, 0x7000, &place));
	assert_null(shared_at(a, 1, 0xb000, &place));
	DONE;
}

/* Text of perf script has the names of addresses, whether their file is here or not. */
static void what_a_recording_says_of_an_address_is_its_name(void **state)
{
	struct event ev = { .kind = EVENT_SYMBOL };
	struct code_place place;
	WITH_ATTRIB;

	assert_false(attrib_code(a, NULL, 0x401010, &place));
	ev.symbol.addr = 0x401010;
	ev.symbol.offset = 0x10;
	ev.symbol.name = intern_string(pool, "work");
	ev.symbol.file = intern_string(pool, "/nowhere/program");
	attrib_event(a, &ev);
	for (int mapped = 0; mapped < 2; mapped++) {
		const struct mapping *m = attrib_mapping(a, 1, USER, 0x401010);

		assert_int_equal(m != NULL, mapped);
		assert_true(attrib_code(a, m, 0x401010, &place));
		assert_string_equal(place.function, "work");
		assert_int_equal(place.function_offset, 0x10);
		assert_string_equal(place.file, "program");
		add_map(a, pool, 1, 0x400000, 0x2000, "/nowhere/program");
	}
	assert_true(attrib_code(a, attrib_mapping(a, 1, USER, 0x401011), 0x401011, &place));
	assert_null(place.function);
	DONE;
}

static void a_fork_has_its_parents_maps_and_changes_its_own_only(void **state)
{
	WITH_ATTRIB;

	add_map(a, pool, 1, 0x1000, 0x4000, "/shared");
	fork_process(a, 1, 2, 5);
	add_map(a, pool, 2, 0x2000, 0x1000, "/childs");
	add_map(a, pool, 1, 0x3000, 0x1000, "/parents");
	assert_string_equal(object_at(a, 1, 0x2000), "shared");
	assert_string_equal(object_at(a, 1, 0x3000), "parents");
	assert_string_equal(object_at(a, 2, 0x2000), "childs");
	assert_string_equal(object_at(a, 2, 0x3000), "shared");
	/* The number is used again. */
	fork_process(a, 7, 2, 6);
	assert_string_equal(object_at(a, 2, 0x2000), "-");
	DONE;
}

static void what_ran_before_the_recording_has_the_maps_it_was_listed_with(void **state)
{
	WITH_ATTRIB;
	struct event ev;

	add_map(a, pool, 1, 0x1000, 0x4000, "/shell");
	fork_process(a, 1, 2, 0);
	assert_string_equal(object_at(a, 2, 0x1000), "shell");
	ev = map_event(pool, 2, 0x8000, 0x1000, 0, PROT_EXEC, "/program");
	ev.time = 0;
	attrib_event(a, &ev);
	assert_string_equal(object_at(a, 2, 0x8000), "program");
	assert_string_equal(object_at(a, 2, 0x1000), "-");
	DONE;
}

static void threads_have_names_of_their_own_or_their_processes(void **state)
{
	WITH_ATTRIB;
	struct event ev = { .kind = EVENT_FORK, .pid = 1, .tid = 3, .time = 2 };

	assert_null(attrib_comm(a, 1, 1));
	name_thread(a, pool, 1, 1, "server", true);
	name_thread(a, pool, 1, 2, "worker", false);
	assert_string_equal(attrib_comm(a, 1, 1), "server");
	assert_string_equal(attrib_comm(a, 1, 2), "worker");
	assert_string_equal(attrib_comm(a, 1, 9), "server");
	ev.fork.parent_pid = 1;
	ev.fork.parent_tid = 2;
	attrib_event(a, &ev);
	assert_string_equal(attrib_comm(a, 1, 3), "worker");
	fork_process(a, 1, 5, 3);
	assert_string_equal(attrib_comm(a, 5, 5), "server");
	DONE;
}

static void memory_without_a_file_is_named_after_its_kind(void **state)
{
	WITH_ATTRIB;
	struct data_place place;
	const struct mapping *m;

	add_map(a, pool, 1, 0x10000, 0x4000, "[heap]");
	add_map(a, pool, 1, 0x20000, 0x4000, "//anon");
	add_map(a, pool, 1, 0x30000, 0x4000, "/memfd:pool (deleted)");
	add_map(a, pool, 1, 0x40000, 0x4000, "/dev/zero (deleted)");
	add_map(a, pool, 1, 0x50000, 0x4000, "[stack]");
	assert_string_equal(object_at(a, 1, 0x10000), "[heap]");
	assert_string_equal(object_at(a, 1, 0x20000), "[anon]");
	assert_string_equal(object_at(a, 1, 0x30000), "memfd:pool");
	assert_string_equal(object_at(a, 1, 0x40000), "[shared anon]");
	assert_string_equal(object_at(a, 1, 0x50000), "[stack]");
	m = attrib_mapping(a, 1, USER, 0x20123);
	assert_true(attrib_data(a, m, 1, 0x20123, &place));
	assert_int_equal(place.object_offset, 0x123);
	assert_null(place.file);
	assert_null(place.section);
	assert_false(attrib_data(a, NULL, 1, 0x99000, &place));
	DONE;
}

static void notes_name_objects_the_innermost_first(void **state)
{
	WITH_ATTRIB;
	struct data_place place;

	add_map(a, pool, 1, 0x10000, 0x4000, "[heap]");
	note_object(a, 1, 0x10000, 0x1000, "", "shared_pool");
	note_object(a, 1, 0x10100, 0x40, "", "first");
	note_object(a, 1, 0x10200, 0x40, "", "second");
	note_object(a, 1, 0x10200, 0x40, "", "second again");
	fork_process(a, 1, 2, 5);
	assert_string_equal(object_at(a, 1, 0x100ff), "shared_pool");
	assert_string_equal(object_at(a, 1, 0x1013f), "first");
	assert_string_equal(object_at(a, 1, 0x10140), "shared_pool");
	assert_string_equal(object_at(a, 1, 0x10210), "second again");
	assert_string_equal(object_at(a, 1, 0x11000), "[heap]");
	assert_string_equal(object_at(a, 2, 0x10110), "first");
	assert_true(attrib_data(a, NULL, 1, 0x10108, &place));
	assert_int_equal(place.object_offset, 8);
	assert_int_equal(place.object_size, 0x40);
	assert_null(place.type);
	DONE;
}

static void kernel_addresses_are_the_kernels(void **state)
{
	WITH_ATTRIB;
	struct event ev = map_event(pool, UINT32_MAX, 0xffffffff81000000, 0x1000000, 0, PROT_EXEC,
				    "[kernel.kallsyms]_text");
	const uint64_t addr = 0xffffffff81000123;
	struct data_place data;
	struct code_place code;
	const struct mapping *m;

	ev.map.kernel = true;
	attrib_event(a, &ev);
	add_map(a, pool, 1, 0x1000, 0x1000, "/user");
	m = attrib_mapping(a, 1, PERF_RECORD_MISC_KERNEL, addr);
	assert_non_null(m);
	assert_true(attrib_code(a, m, addr, &code));
	assert_string_equal(code.file, "[kernel]");
	assert_null(code.function);
	assert_true(attrib_data(a, NULL, 1, 0xffff888012345678, &data));
	assert_string_equal(data.file, "[kernel]");
	note_object(a, 1, 0xffff888012345600, 0x80, "struct user_struct", "user");
	assert_true(attrib_data(a, NULL, 2, 0xffff888012345678, &data));
	assert_string_equal(data.object, "user");
	assert_string_equal(data.type, "struct user_struct");
	/* The kernel works on user memory, too; a guest's addresses are not ours. */
	assert_non_null(attrib_mapping(a, 1, PERF_RECORD_MISC_KERNEL, 0x1000));
	assert_null(attrib_mapping(a, 1, PERF_RECORD_MISC_GUEST_USER, 0x1000));
	DONE;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void looking_up_mappings_keeps_pace_with_samples(void **state)
{
	enum { MAPS = 1000, LOOKUPS = 1000000 };
	WITH_ATTRIB;
	uint64_t random = 88172645463325252ULL, hits = 0;
	double start, rate;

	for (uint64_t i = 0; i < MAPS; i++) /* from the top down, as mmap() gives them */
		add_map(a, pool, 1, 0x7f0000000000 - i * 0x20000, 0x10000, "//anon");
	start = seconds();
	for (int i = 0; i < LOOKUPS; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		hits += attrib_mapping(a, 1, USER,
				       0x7f0000000000 - random % MAPS * 0x20000 + (random >> 48)) !=
			NULL;
	}
	rate = LOOKUPS / (seconds() - start);
	print_message("%.1f M lookups per second of CPU in %d maps\n", rate / 1e6, MAPS);
	assert_int_equal(hits, LOOKUPS);
	assert_true(rate > 1e6); /* ten to twenty times as many where nothing checks addresses */
	DONE;
}

static void many_maps_and_forks_stay_cheap(void **state)
{
	enum { MAPS = 100000, FORKS = 20000 };
	WITH_ATTRIB;
	double start = seconds();

	for (uint64_t i = 0; i < MAPS; i++)
		add_map(a, pool, 1, 0x1000000 + i * 0x3000, 0x1000, "//anon");
	for (uint32_t i = 2; i < FORKS; i++)
		fork_process(a, i - 1, i, 5);
	print_message("%.2f s\n", seconds() - start);
	assert_string_equal(object_at(a, FORKS - 1, 0x1000000 + 0x3000ULL * (MAPS - 1)), "[anon]");
	assert_true(seconds() - start < 10);
	DONE;
}

static void maps_of_any_shape_agree_with_a_plain_table(void **state)
{
	enum { PAGES = 64 };
	WITH_ATTRIB;
	uint64_t random = 88172645463325252ULL;
	const char *model[2][PAGES];

	for (int p = 0; p < PAGES; p++)
		model[0][p] = model[1][p] = "-";
	fork_process(a, 9, 1, 1);
	for (int i = 0; i < 2000; i++) {
		char name[16];
		int who, from, count;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		who = random & 1;
		from = random / 2 % PAGES;
		count = random / 256 % 12;
		if (random / 8192 % 50 == 0) {
			fork_process(a, 1, 2, 5);
			memcpy(model[1], model[0], sizeof(model[0]));
		}
		snprintf(name, sizeof(name), "/m%d", i);
		add_map(a, pool, 1 + who, from * 4096, count * 4096, name);
		for (int p = from; p < from + count && p < PAGES; p++)
			model[who][p] = intern_string(pool, name + 1);
		for (int p = 0; p < PAGES; p++) {
			assert_string_equal(object_at(a, 1, p * 4096 + 7), model[0][p]);
			assert_string_equal(object_at(a, 2, p * 4096 + 7), model[1][p]);
		}
	}
	DONE;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_later_map_replaces_what_it_overlaps_and_nothing_else),
		cmocka_unit_test(a_mapping_outlives_what_replaced_it),
		cmocka_unit_test(shared_memory_is_known_by_its_file_and_place),
		cmocka_unit_test(what_a_recording_says_of_an_address_is_its_name),
		cmocka_unit_test(without_an_inode_a_file_that_is_still_there_is_known_by_its_path),
		cmocka_unit_test(a_fork_has_its_parents_maps_and_changes_its_own_only),
		cmocka_unit_test(what_ran_before_the_recording_has_the_maps_it_was_listed_with),
		cmocka_unit_test(threads_have_names_of_their_own_or_their_processes),
		cmocka_unit_test(memory_without_a_file_is_named_after_its_kind),
		cmocka_unit_test(notes_name_objects_the_innermost_first),
		cmocka_unit_test(kernel_addresses_are_the_kernels),
		cmocka_unit_test(looking_up_mappings_keeps_pace_with_samples),
		cmocka_unit_test(many_maps_and_forks_stay_cheap),
		cmocka_unit_test(maps_of_any_shape_agree_with_a_plain_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
