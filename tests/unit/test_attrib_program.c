// SPDX-License-Identifier: GPL-2.0-only
#include "attrib.h"
#include "mem.h"
#include "symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "attrib_events.h"
#include "../programs/build_program.h"
#include "../programs/names.h"

#define NAMES "tests/programs/names.c"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
