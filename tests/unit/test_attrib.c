// SPDX-License-Identifier: GPL-2.0-only
#include "attrib.h"
#include "mem.h"
#include "symtab.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "../programs/build_program.h"
#include "../programs/names.h"

#define NAMES "tests/programs/names.c"
#define USER  PERF_RECORD_MISC_USER

static struct event map_event(struct intern *pool, uint32_t pid, uint64_t start, uint64_t size,
			      uint64_t offset, uint32_t prot, const char *path)
{
	return (struct event){ .kind = EVENT_MAP,
			       .pid = pid,
			       .tid = pid,
			       .time = 1000,
			       .map = { .start = start,
					.size = size,
					.offset = offset,
					.prot = prot,
					.path = intern_string(pool, path) } };
}

static void add_map(struct attrib *a, struct intern *pool, uint32_t pid, uint64_t start,
		    uint64_t size, const char *path)
{
	struct event ev = map_event(pool, pid, start, size, 0, PROT_READ, path);

	attrib_event(a, &ev);
}

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

static void note_object(struct attrib *a, uint32_t pid, uint64_t addr, uint64_t size,
			const char *type, const char *name)
{
	struct event ev = { .kind = EVENT_NOTE, .pid = pid, .tid = pid, .time = 1000 };

	ev.note.kind = NOTE_OBJECT;
	ev.note.object = (struct note_object){
		.pid = pid, .addr = addr, .size = size, .type = type, .name = name
	};
	attrib_event(a, &ev);
}

/* The name of what lies at "addr" now: "-" for nothing. */
static const char *object_at(struct attrib *a, uint32_t pid, uint64_t addr)
{
	struct data_place place;
	const struct mapping *m = attrib_mapping(a, pid, USER, addr);

	return m && attrib_data(a, m, pid, addr, &place) ? place.object : "-";
}

#define WITH_ATTRIB                                                                                \
	struct intern *pool = intern_new();                                                        \
	struct attrib *a = attrib_new(pool)
#define DONE                                                                                       \
	attrib_free(a);                                                                            \
	intern_free(pool)

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

/* ---- real programs */

struct run {
	FILE *in, *out;
	pid_t pid;
	uint64_t ring_global, message, count_up, ring_static; /* as the program printed them */
};

/* Runs the program until it has printed its maps, which go to "a" as if recorded. */
static void run_program(struct attrib *a, struct intern *pool, const char *path, uint32_t pid,
			bool code_only, struct run *r)
{
	char line[512], file[256], prot[8];
	int in[2], out[2];
	unsigned long long start, end, offset, inode, at[4];

	assert_int_equal(pipe(in) | pipe(out), 0);
	r->pid = fork();
	if (!r->pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execl(path, path, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	r->in = fdopen(in[1], "w");
	r->out = fdopen(out[0], "r");
	assert_non_null(fgets(line, sizeof(line), r->out));
	assert_int_equal(sscanf(line, "%llx %llx %llx %llx", &at[0], &at[1], &at[2], &at[3]), 4);
	r->ring_global = at[0], r->message = at[1], r->count_up = at[2], r->ring_static = at[3];
	while (fgets(line, sizeof(line), r->out) && strcmp(line, "end\n")) {
		struct event ev;
		int n;

		*file = 0;
		n = sscanf(line, "%llx-%llx %7s %llx %*s %llu %255[^\n]", &start, &end, prot,
			   &offset, &inode, file);
		if (n < 5 || (code_only && prot[2] != 'x'))
			continue;
		ev = map_event(pool, pid, start, end - start, offset,
			       (prot[0] == 'r' ? PROT_READ : 0) |
				       (prot[1] == 'w' ? PROT_WRITE : 0) |
				       (prot[2] == 'x' ? PROT_EXEC : 0),
			       *file ? file : "//anon");
		attrib_event(a, &ev);
	}
	fclose(r->in);
	fclose(r->out);
	assert_int_equal(waitpid(r->pid, NULL, 0), r->pid);
}

static void assert_field(struct attrib *a, uint64_t addr, const char *object, const char *field,
			 const char *section)
{
	const struct mapping *m = attrib_mapping(a, 1, USER, addr);
	struct data_place place;

	assert_true(attrib_data(a, m, 1, addr, &place));
	assert_non_null(place.object);
	assert_string_equal(place.object, object);
	assert_non_null(place.field);
	assert_string_equal(place.field, field);
	assert_true(place.object_offset - place.field_offset < place.field_size);
	assert_string_equal(place.section, section);
	assert_string_equal(place.file, "program");
}

static void check_program(const char *command, bool code_only)
{
	WITH_ATTRIB;
	char path[PROGRAM_PATH];
	struct code_place code;
	struct run r;

	assert_non_null(program_build(command, "program", path));
	run_program(a, pool, path, 1, code_only, &r);
	assert_field(a, r.ring_global + offsetof(struct ring, used[3].count), "ring_global",
		     "used[3].count", ".bss");
	assert_field(a, r.ring_static + offsetof(struct ring, lock.owner), "ring_static",
		     "lock.owner", ".bss");
	assert_field(a, r.message + offsetof(struct message, bytes) + 4, "message", "bytes[1]",
		     ".data");
	assert_true(attrib_code(a, attrib_mapping(a, 1, USER, r.count_up), r.count_up, &code));
	assert_string_equal(code.function, "count_up");
	assert_int_equal(code.function_offset, 0);
	assert_string_equal(code.source, "names.c");
	assert_string_equal(code.file, "program");
	DONE;
}

static void fields_of_running_programs_are_named_pie(void **state)
{
	check_program("gcc -O2 -g -pie -fPIE " NAMES, false);
}

static void fields_of_running_programs_are_named_at_fixed_addresses(void **state)
{
	check_program("gcc -O2 -g -no-pie " NAMES, false);
}

static void fields_of_running_programs_are_named_static(void **state)
{
	check_program("gcc -O2 -g -static " NAMES, false);
}

static void fields_of_running_programs_are_named_clang(void **state)
{
	if (!program_has("clang"))
		skip();
	check_program("clang -O2 -g " NAMES, false);
}

static void fields_are_named_when_only_maps_of_code_were_recorded(void **state)
{
	check_program("gcc -O2 -g " NAMES, true);
}

static void a_large_bss_in_an_anonymous_mapping_belongs_to_its_file(void **state)
{
	WITH_ATTRIB;
	char path[PROGRAM_PATH];
	struct data_place place;
	const struct mapping *m;
	uint64_t big;
	struct run r;

	assert_non_null(program_build("gcc -O2 -g -include tests/programs/names_big.h " NAMES,
				      "program", path));
	run_program(a, pool, path, 1, false, &r);
	big = r.ring_global - program_symbol(path, "ring_global") + program_symbol(path, "big");
	m = attrib_mapping(a, 1, USER, big + 80004);
	assert_true(attrib_data(a, m, 1, big + 80004, &place));
	assert_string_equal(place.object, "big");
	assert_string_equal(place.field, "[10000]");
	assert_string_equal(place.type, "long[50000]");
	assert_string_equal(place.file, "program");
	DONE;
}

static void a_stripped_program_gives_section_and_offset(void **state)
{
	WITH_ATTRIB;
	char path[PROGRAM_PATH];
	struct data_place place;
	struct run r;

	assert_non_null(program_build("gcc -O2 -s " NAMES, "program", path));
	run_program(a, pool, path, 1, false, &r);
	assert_true(attrib_data(a, attrib_mapping(a, 1, USER, r.message), 1, r.message, &place));
	assert_string_equal(place.object, "program .data");
	assert_string_equal(place.section, ".data");
	assert_true(place.object_offset < place.object_size);
	assert_null(place.type);
	DONE;
}

static void a_note_with_a_type_has_the_fields_of_the_programs_type(void **state)
{
	WITH_ATTRIB;
	char path[PROGRAM_PATH];
	struct data_place place;
	struct run r;

	assert_non_null(program_build("gcc -O2 -g " NAMES, "program", path));
	run_program(a, pool, path, 1, false, &r);
	add_map(a, pool, 1, 0x10000, 0x4000, "[heap]");
	note_object(a, 1, 0x10000, 4 * sizeof(struct slot), "struct slot", "slots");
	assert_true(attrib_data(a, attrib_mapping(a, 1, USER, 0x10000), 1,
				0x10000 + 2 * sizeof(struct slot), &place));
	assert_string_equal(place.object, "slots");
	assert_string_equal(place.field, "[2].count");
	assert_int_equal(place.field_offset, 2 * sizeof(struct slot));
	assert_string_equal(place.type, "struct slot");
	DONE;
}

/* "late": the build id comes after the map, as in a pipe. */
static void check_changed_file(bool late)
{
	WITH_ATTRIB;
	char path[PROGRAM_PATH];
	struct event ev;
	struct data_place place;
	const char *first;
	uint64_t addr;

	assert_non_null(
		program_build("gcc -O2 -no-pie -Wl,--build-id=0x01020304 " NAMES, "program", path));
	addr = program_symbol(path, "message");
	ev = map_event(pool, 1, addr & -4096, 4096, addr & -4096, PROT_READ, path);
	if (late) {
		attrib_event(a, &ev);
		ev.kind = EVENT_BUILD_ID;
	}
	memcpy(ev.map.build_id, "\1\2\3\5", 4);
	ev.map.build_id_size = 4;
	attrib_event(a, &ev);
	assert_int_equal(attrib_changed_files(a, &first), 0);
	assert_null(first);
	for (int i = 0; i < 2; i++) {
		assert_true(attrib_data(a, attrib_mapping(a, 1, USER, addr), 1, addr, &place));
		assert_string_equal(place.object, "program");
		assert_null(place.section);
	}
	assert_int_equal(attrib_changed_files(a, &first), 1);
	assert_string_equal(first, path);
	DONE;
}

static void a_file_that_was_built_anew_gives_no_names_and_is_counted(void **state)
{
	check_changed_file(false);
	check_changed_file(true);
}

/* The maps a loader makes of a file, from its segments, as if loaded at "bias". */
static void load_segments(struct attrib *a, struct intern *pool, const char *path, uint64_t bias)
{
	const struct symtab_segment *g;
	struct symtab *s = NULL;

	assert_null(symtab_open(path, pool, &s));
	for (uint32_t i = 0; (g = symtab_segment(s, i)); i++) {
		uint64_t low = g->addr & -4096, end = (g->addr + g->file_size + 4095) & -4096;
		struct event ev = map_event(pool, 1, bias + low, end - low, g->offset & -4096,
					    g->code ? PROT_READ | PROT_EXEC : PROT_READ, path);

		attrib_event(a, &ev);
		if (g->addr + g->size > end)
			add_map(a, pool, 1, bias + end, (g->addr + g->size - end + 4095) & -4096,
				"//anon");
	}
	symtab_free(s);
}

static void a_library_is_named_at_each_address_it_was_loaded_at(void **state)
{
	WITH_ATTRIB;
	static const uint64_t biases[] = { 0x7f1234560000, 0x7f1234400000, 0x7f2000001000 };
	char path[PROGRAM_PATH];
	uint64_t ring;

	assert_non_null(
		program_build("gcc -O2 -g -shared -fPIC -include tests/programs/names_big.h " NAMES,
			      "program", path));
	ring = program_symbol(path, "ring_global");
	for (size_t i = 0; i < ARRAY_SIZE(biases); i++)
		load_segments(a, pool, path, biases[i]);
	for (size_t i = 0; i < ARRAY_SIZE(biases); i++)
		assert_field(a, biases[i] + ring + offsetof(struct ring, lock.owner), "ring_global",
			     "lock.owner", ".bss");
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
		cmocka_unit_test(fields_of_running_programs_are_named_pie),
		cmocka_unit_test(fields_of_running_programs_are_named_at_fixed_addresses),
		cmocka_unit_test(fields_of_running_programs_are_named_static),
		cmocka_unit_test(fields_of_running_programs_are_named_clang),
		cmocka_unit_test(fields_are_named_when_only_maps_of_code_were_recorded),
		cmocka_unit_test(a_large_bss_in_an_anonymous_mapping_belongs_to_its_file),
		cmocka_unit_test(a_stripped_program_gives_section_and_offset),
		cmocka_unit_test(a_note_with_a_type_has_the_fields_of_the_programs_type),
		cmocka_unit_test(a_file_that_was_built_anew_gives_no_names_and_is_counted),
		cmocka_unit_test(a_library_is_named_at_each_address_it_was_loaded_at),
		cmocka_unit_test(looking_up_mappings_keeps_pace_with_samples),
		cmocka_unit_test(many_maps_and_forks_stay_cheap),
		cmocka_unit_test(maps_of_any_shape_agree_with_a_plain_table),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
