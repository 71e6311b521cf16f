// SPDX-License-Identifier: GPL-2.0-only
#include "type_dwarf.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../programs/build_program.h"
#include "../programs/names.h"

#define NAMES	  "tests/programs/names.c"
#define NAMES_CXX "tests/programs/names_cxx.cpp"

static struct dwarf *open_program(struct intern *pool, const char *command, char *path)
{
	struct dwarf *d;

	assert_non_null(program_build(command, "program", path));
	d = dwarf_open(path, NULL, pool);
	assert_non_null(d);
	return d;
}

static const struct {
	const char *symbol;
	uint64_t offset;
	const char *type, *path; /* path NULL: padding, or beyond the variable */
	uint32_t at, size;
} expected[] = {
	{ "ring_global", 0, "struct ring", "head", 0, 4 },
	{ "ring_global", offsetof(struct ring, pad), "struct ring", "pad", 4, 1 },
	{ "ring_global", offsetof(struct ring, pad) + 1, "struct ring", NULL, 0, 0 },
	{ "ring_global", offsetof(struct ring, lock.owner) + 3, "struct ring", "lock.owner",
	  offsetof(struct ring, lock.owner), 4 },
	{ "ring_static", offsetof(struct ring, lock.waiters), "struct ring", "lock.waiters",
	  offsetof(struct ring, lock.waiters), 4 },
	{ "ring_global", offsetof(struct ring, used[3].count) + 2, "struct ring", "used[3].count",
	  offsetof(struct ring, used[3].count), 8 },
	{ "ring_global", offsetof(struct ring, used[3].tag), "struct ring", "used[3].tag",
	  offsetof(struct ring, used[3].tag), 1 },
	{ "ring_global", offsetof(struct ring, used[3].tag) + 1, "struct ring", NULL, 0, 0 },
	{ "ring_global", offsetof(struct ring, grid[1][2]), "struct ring", "grid[1][2]",
	  offsetof(struct ring, grid[1][2]), 4 },
	{ "ring_global", offsetof(struct ring, grid) + 24, "struct ring", "low",
	  offsetof(struct ring, grid) + 24, 1 },
	{ "ring_global", offsetof(struct ring, grid) + 26, "struct ring", "wide",
	  offsetof(struct ring, grid) + 24, 3 },
	{ "ring_global", offsetof(struct ring, grid) + 27, "struct ring", "late",
	  offsetof(struct ring, grid) + 26, 2 },
	{ "ring_global", offsetof(struct ring, second), "struct ring", "whole",
	  offsetof(struct ring, whole), 8 },
	{ "ring_global", offsetof(struct ring, next), "struct ring", "next",
	  offsetof(struct ring, next), 8 },
	{ "ring_global", offsetof(struct ring, users) + 1, "struct ring", "users",
	  offsetof(struct ring, users), 4 },
	{ "ring_global", sizeof(struct ring), "struct ring", NULL, 0, 0 },
	{ "ring_typed", 0, "ring_t", "head", 0, 4 },
	{ "plain_array", 25, "long[8]", "[3]", 24, 8 },
	{ "plain_array", 64, "long[8]", NULL, 0, 0 },
	{ "plain_scalar", 1, "unsigned long", "", 0, 8 },
	{ "message", offsetof(struct message, bytes) + 9, "struct message", "bytes[2]",
	  offsetof(struct message, bytes) + 8, 4 },
	{ "message", offsetof(struct message, kind), "struct message", "kind", 8, 1 },
	{ "nameless", 4, "struct {...}", "right", 4, 4 },
	{ "callback", 0, "int (*)()", "", 0, 8 },
	{ "texts", 8, "char *[4]", "[1]", 8, 8 },
	{ "only_declared", 0, "struct user_struct *", "", 0, 8 },
	{ "calls", 16, "struct slot[3]", "[1].count", 16, 8 },
	{ "inner", 0, "long", "", 0, 8 },
};

static uint64_t symbol_or_local(const char *path, const char *name)
{
	char local[64];
	uint64_t addr = program_symbol(path, name);

	for (int i = 0; i < 4 && !addr; i++) {
		snprintf(local, sizeof(local), "%s.%d", name, i);
		addr = program_symbol(path, local);
	}
	snprintf(local, sizeof(local), "count_up.%s", name); /* clang */
	return addr ? addr : program_symbol(path, local);
}

static void check_members(const char *command)
{
	struct intern *pool = intern_new();
	char path[PROGRAM_PATH];
	struct dwarf *d = open_program(pool, command, path);

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct dwarf_member m;
		uint64_t addr = symbol_or_local(path, expected[i].symbol);
		bool found = dwarf_variable_member(d, addr, expected[i].offset, &m);

		if (!addr || found != !!expected[i].path)
			print_message("%s: %s + %llu: %s\n", command, expected[i].symbol,
				      (unsigned long long)expected[i].offset, found ? m.path : "-");
		assert_int_not_equal(addr, 0);
		assert_int_equal(found, expected[i].path != NULL);
		assert_non_null(m.type);
		assert_string_equal(m.type, expected[i].type);
		if (!found)
			continue;
		assert_string_equal(m.path, expected[i].path);
		assert_int_equal(m.offset, expected[i].at);
		assert_int_equal(m.size, expected[i].size);
	}
	dwarf_free(d);
	intern_free(pool);
}

static void members_of_static_variables_are_named_gcc_dwarf_5(void **state)
{
	check_members("gcc -O2 -g " NAMES);
}

static void members_of_static_variables_are_named_gcc_dwarf_4(void **state)
{
	check_members("gcc -O2 -gdwarf-4 -no-pie " NAMES);
}

static void members_of_static_variables_are_named_gcc_dwarf_2(void **state)
{
	check_members("gcc -O2 -gdwarf-2 -gstrict-dwarf " NAMES);
}

static void members_of_static_variables_are_named_type_units(void **state)
{
	check_members("gcc -O2 -gdwarf-4 -fdebug-types-section " NAMES);
	check_members("gcc -O2 -gdwarf-5 -fdebug-types-section " NAMES);
}

static void members_of_static_variables_are_named_clang(void **state)
{
	if (!program_has("clang"))
		skip();
	check_members("clang -O2 -gdwarf-5 " NAMES);
	check_members("clang -O2 -gdwarf-4 " NAMES);
}

static void assert_member(struct dwarf *d, uint64_t addr, uint64_t offset, const char *type,
			  const char *member)
{
	struct dwarf_member m;

	assert_int_not_equal(addr, 0);
	assert_true(dwarf_variable_member(d, addr, offset, &m));
	assert_string_equal(m.path, member);
	assert_string_equal(m.type, type);
}

static void check_cxx(const char *command)
{
	struct intern *pool = intern_new();
	char path[PROGRAM_PATH];
	struct dwarf *d = open_program(pool, command, path);
	uint64_t shared;
	struct dwarf_member m;

	shared = program_symbol(path, "_ZN3app6sharedE");
	assert_member(d, shared, 3, "app::Derived<int>", "Base::gen");
	assert_member(d, shared, 8, "app::Derived<int>", "cache");
	assert_member(d, shared, 16, "app::Derived<int>", "inner.b");
	assert_member(d, program_symbol(path, "_ZN3app6Config4hitsE"), 0, "long", "");
	assert_member(d, program_symbol(path, "_ZN3app6Config5limitE"), 0, "int", "");
	assert_member(d, program_symbol(path, "_ZZN3app6lookupElE4memo"), 8, "app::Derived<char>",
		      "cache");
	assert_true(dwarf_type_member(d, "app::Derived<int>::Inner", 4, &m));
	assert_string_equal(m.path, "b");
	dwarf_free(d);
	intern_free(pool);
}

static void bases_namespaces_templates_and_class_statics_are_named(void **state)
{
	check_cxx("g++ -std=c++17 -O2 -g " NAMES_CXX);
	check_cxx("g++ -std=c++17 -O2 -gdwarf-4 " NAMES_CXX);
	if (program_has("clang++"))
		check_cxx("clang++ -std=c++17 -O2 -g " NAMES_CXX);
}

static void a_field_of_a_template_instance_is_named_in_its_base(void **state)
{
	struct intern *pool = intern_new();
	char path[PROGRAM_PATH];
	struct dwarf *d = open_program(pool, "g++ -O2 -g -pthread tests/cases/16_cxx_symbols.cpp",
				       path);
	uint64_t shared = program_symbol(path, "_ZN3appL6sharedE");

	assert_member(d, shared, 0, "app::Derived<int>", "Base::gen");
	assert_member(d, shared, 8, "app::Derived<int>", "cache");
	dwarf_free(d);
	intern_free(pool);
}

static void types_are_found_by_name_with_and_without_keyword(void **state)
{
	static const struct {
		const char *type;
		uint64_t offset;
		const char *path;
		uint32_t at;
	} by_name[] = {
		{ "struct ring", offsetof(struct ring, lock.owner), "lock.owner",
		  offsetof(struct ring, lock.owner) },
		{ "ring", offsetof(struct ring, users), "users", offsetof(struct ring, users) },
		{ "ring_t", 0, "head", 0 },
		{ "struct slot", 3 * sizeof(struct slot) + 8, "[3].tag",
		  3 * sizeof(struct slot) + 8 },
		{ "struct slot[4]", 1, "[0].count", 0 },
		{ "long", 0, "", 0 },
		{ "long[8]", 17, "[2]", 16 },
		{ "struct message", 400, "bytes[97]", 400 },
		{ "struct slot[4]", 4 * sizeof(struct slot), NULL, 0 },
		{ "struct none", 0, NULL, 0 },
		{ "", 0, NULL, 0 },
		{ "struct slot[999999999999999999999]", 1, "[0].count", 0 },
	};
	struct intern *pool = intern_new();
	char path[PROGRAM_PATH];
	struct dwarf *d = open_program(pool, "gcc -O2 -g " NAMES, path);

	for (size_t i = 0; i < ARRAY_SIZE(by_name); i++) {
		struct dwarf_member m;
		bool found = dwarf_type_member(d, by_name[i].type, by_name[i].offset, &m);

		assert_int_equal(found, by_name[i].path != NULL);
		if (!found)
			continue;
		assert_string_equal(m.path, by_name[i].path);
		assert_int_equal(m.offset, by_name[i].at);
	}
	dwarf_free(d);
	intern_free(pool);
}

static void a_code_address_has_its_source_line(void **state)
{
	static const char *const commands[] = { "gcc -O0 -g " NAMES, "gcc -O2 -gdwarf-4 " NAMES,
						"clang -O2 -g " NAMES };
	char path[PROGRAM_PATH];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct intern *pool = intern_new();
		struct dwarf *d;
		const char *file;
		uint32_t line;

		if (commands[i][0] == 'c' && !program_has("clang"))
			continue;
		d = open_program(pool, commands[i], path);
		assert_true(dwarf_line(d, program_symbol(path, "count_up"), &file, &line));
		assert_string_equal(file, "names.c");
		assert_in_range(line, 26, 28);
		assert_false(dwarf_line(d, 1, &file, &line));
		dwarf_free(d);
		intern_free(pool);
	}
}

static void a_file_without_debug_information_is_absent(void **state)
{
	struct intern *pool = intern_new();
	char path[PROGRAM_PATH];

	assert_non_null(program_build("gcc -O2 -s " NAMES, "program", path));
	assert_null(dwarf_open(path, NULL, pool));
	assert_null(dwarf_open("Makefile", NULL, pool));
	assert_null(dwarf_open("/nonexistent", NULL, pool));
	assert_null(dwarf_open("/dev/null", NULL, pool));
	intern_free(pool);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t size;

	assert_non_null(f);
	size = fread(bytes, 1, room, f);
	fclose(f);
	return size;
}

static void damaged_debug_information_gives_fewer_names_and_nothing_worse(void **state)
{
	static uint8_t bytes[1 << 17], copy[1 << 17];
	char path[PROGRAM_PATH], broken[PROGRAM_PATH];
	uint64_t random = 88172645463325252ULL, ring, count;
	size_t size;

	assert_non_null(program_build("gcc -O2 -g " NAMES, "program", path));
	ring = program_symbol(path, "ring_global");
	count = program_symbol(path, "count_up");
	size = read_file(path, bytes, sizeof(bytes));
	snprintf(broken, sizeof(broken), "%s/broken", program_folder);
	for (int i = 0; i < 150; i++) {
		struct intern *pool = intern_new();
		struct dwarf_member m;
		const char *file;
		struct dwarf *d;
		uint32_t line;
		FILE *f;

		memcpy(copy, bytes, size);
		for (int k = 0; k < 1 + i % 60; k++) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			/* The debug sections begin after 0x3000. */
			copy[0x3000 + random / 16 % (size - 0x3000 - 2400)] = random >> 48;
		}
		f = fopen(broken, "wb");
		fwrite(copy, 1, size, f);
		fclose(f);
		d = dwarf_open(broken, NULL, pool);
		for (uint64_t at = 0; d && at < sizeof(struct ring); at += 5)
			if (dwarf_variable_member(d, ring, at, &m))
				assert_true(m.path && m.type);
		if (d && dwarf_type_member(d, "struct ring", 40, &m))
			assert_non_null(m.path);
		if (d && dwarf_line(d, count, &file, &line))
			assert_non_null(file);
		dwarf_free(d);
		intern_free(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_static_variables_are_named_gcc_dwarf_5),
		cmocka_unit_test(members_of_static_variables_are_named_gcc_dwarf_4),
		cmocka_unit_test(members_of_static_variables_are_named_gcc_dwarf_2),
		cmocka_unit_test(members_of_static_variables_are_named_type_units),
		cmocka_unit_test(members_of_static_variables_are_named_clang),
		cmocka_unit_test(bases_namespaces_templates_and_class_statics_are_named),
		cmocka_unit_test(a_field_of_a_template_instance_is_named_in_its_base),
		cmocka_unit_test(types_are_found_by_name_with_and_without_keyword),
		cmocka_unit_test(a_code_address_has_its_source_line),
		cmocka_unit_test(a_file_without_debug_information_is_absent),
		cmocka_unit_test(damaged_debug_information_gives_fewer_names_and_nothing_worse),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
