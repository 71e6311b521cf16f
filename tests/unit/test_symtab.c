// SPDX-License-Identifier: GPL-2.0-only
#include "symtab.h"
#include "mem.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../programs/build_program.h"

#define NAMES	  "tests/programs/names.c"
#define NAMES_CXX "tests/programs/names_cxx.cpp"

static struct symtab *open_program(struct intern *pool, const char *command, char *path)
{
	struct symtab *s = NULL;

	assert_non_null(program_build(command, "program", path));
	assert_null(symtab_open(path, pool, &s));
	assert_non_null(s);
	return s;
}

static void assert_data(struct symtab *s, uint64_t addr, const char *name, uint64_t offset,
			uint64_t size)
{
	struct symbol sym = { 0 };

	assert_true(symtab_data(s, addr, &sym));
	assert_string_equal(sym.name, name);
	assert_int_equal(addr - sym.addr, offset);
	assert_int_equal(sym.size, size);
}

static void variables_are_found_by_any_of_their_bytes(void **state)
{
	static const char *const commands[] = {
		"gcc -O2 -g " NAMES,
		"gcc -O2 -no-pie " NAMES,
		"gcc -O2 -static " NAMES,
		"clang -O2 -g " NAMES,
	};
	char path[PROGRAM_PATH];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct intern *pool = intern_new();
		struct symtab *s;
		uint64_t addr;

		if (commands[i][0] == 'c' && !program_has("clang"))
			continue;
		s = open_program(pool, commands[i], path);
		addr = program_symbol(path, "plain_array");
		assert_int_not_equal(addr, 0);
		assert_data(s, addr, "plain_array", 0, 64);
		assert_data(s, addr + 63, "plain_array", 63, 64);
		symtab_free(s);
		intern_free(pool);
	}
}

static void a_static_local_has_the_name_its_author_gave_it(void **state)
{
	char path[PROGRAM_PATH];
	struct intern *pool = intern_new();
	struct symtab *s = open_program(pool, "gcc -O2 " NAMES, path);
	uint64_t addr = program_symbol(path, "calls.1");

	if (!addr)
		addr = program_symbol(path, "calls.0");
	assert_int_not_equal(addr, 0);
	assert_data(s, addr + 16, "calls", 16, 48);
	symtab_free(s);
	intern_free(pool);
}

static void among_aliases_the_global_name_without_underscores_wins(void **state)
{
	char path[PROGRAM_PATH];
	struct intern *pool = intern_new();
	struct symtab *s = open_program(pool, "gcc -O2 " NAMES, path);

	assert_data(s, program_symbol(path, "__alias_weak"), "alias_name", 0, 8);
	symtab_free(s);
	intern_free(pool);
}

static void thread_local_offsets_are_not_addresses(void **state)
{
	char path[PROGRAM_PATH];
	struct intern *pool = intern_new();
	struct symtab *s = open_program(pool, "gcc -O2 " NAMES, path);
	struct symbol sym;

	/* per_thread is at offset 0 of the block; the first page holds the file's header. */
	assert_false(symtab_data(s, program_symbol(path, "per_thread"), &sym));
	symtab_free(s);
	intern_free(pool);
}

static void functions_read_without_parameters_and_data_with_them(void **state)
{
	char path[PROGRAM_PATH];
	struct intern *pool = intern_new();
	struct symtab *s = open_program(pool, "g++ -std=c++17 -O2 " NAMES_CXX, path);
	struct symbol sym;

	assert_true(symtab_code(s, program_symbol(path, "_ZN3app6lookupEl") + 3, &sym));
	assert_string_equal(sym.name, "app::lookup");
	assert_true(symtab_code(s, program_symbol(path, "_ZN3app5twiceIiEET_S1_"), &sym));
	assert_string_equal(sym.name, "app::twice<int>");
	assert_data(s, program_symbol(path, "_ZN3app6sharedE") + 8, "app::shared", 8, 64);
	assert_data(s, program_symbol(path, "_ZZN3app6lookupElE4memo"), "app::lookup(long)::memo",
		    0, 64);
	symtab_free(s);
	intern_free(pool);
}

static void a_stripped_program_still_has_segments_sections_and_dynamic_names(void **state)
{
	char path[PROGRAM_PATH];
	struct intern *pool = intern_new();
	struct symtab *s;
	uint64_t addr, low, high, translated;
	struct symbol sym;

	assert_non_null(program_build("gcc -O2 -rdynamic " NAMES, "program", path));
	addr = program_symbol(path, "ring_global");
	s = open_program(pool, "gcc -O2 -rdynamic -s " NAMES, path);
	assert_data(s, addr + 1, "ring_global", 1, symtab_data(s, addr, &sym) ? sym.size : 0);
	assert_true(symtab_section(s, addr, &sym));
	assert_string_equal(sym.name, ".bss");
	assert_true(addr >= sym.addr && addr < sym.addr + sym.size);
	assert_true(symtab_extent(s, &low, &high));
	assert_true(low <= addr && addr < high);
	assert_true(symtab_offset_to_addr(s, 0, &translated));
	assert_int_equal(translated, low);
	assert_false(symtab_offset_to_addr(s, UINT64_MAX, &translated));
	symtab_free(s);
	intern_free(pool);
}

static void code_is_told_from_data_by_offset(void **state)
{
	char path[PROGRAM_PATH];
	struct intern *pool = intern_new();
	struct symtab *s = open_program(pool, "gcc -O2 " NAMES, path);
	const struct symtab_segment *g;
	unsigned int code = 0, data = 0;

	for (uint32_t i = 0; (g = symtab_segment(s, i)); i++) {
		assert_int_equal(symtab_is_code(s, g->offset), g->code);
		code += g->code;
		data += !g->code;
	}
	assert_int_equal(code, 1);
	assert_true(data >= 2);
	symtab_free(s);
	intern_free(pool);
}

static void the_build_id_is_the_files(void **state)
{
	char path[PROGRAM_PATH];
	struct intern *pool = intern_new();
	uint8_t size;
	const uint8_t *id;
	struct symtab *s = open_program(pool, "gcc -Wl,--build-id=0x0102a0ff " NAMES, path);

	id = symtab_build_id(s, &size);
	assert_int_equal(size, 4);
	assert_memory_equal(id, "\x01\x02\xa0\xff", 4);
	symtab_free(s);
	s = open_program(pool, "gcc -Wl,--build-id=none " NAMES, path);
	assert_null(symtab_build_id(s, &size));
	symtab_free(s);
	intern_free(pool);
}

static struct symtab_program inspect(const char *command)
{
	struct symtab_program p;
	char path[PROGRAM_PATH];

	assert_non_null(program_build(command, "program", path));
	assert_null(symtab_inspect(path, &p));
	return p;
}

static void record_learns_what_it_must_know_of_a_program(void **state)
{
	struct symtab_program p = inspect("gcc " NAMES);

	assert_true(p.elf && p.wide && p.dynamic && !p.hooks);
	p = inspect("gcc -static " NAMES);
	assert_true(p.elf && p.wide && !p.dynamic);
	p = inspect("gcc -include tests/programs/names_hooks.h " NAMES);
	assert_true(p.hooks);
	assert_null(symtab_inspect("Makefile", &p));
	assert_false(p.elf);
}

static void a_file_that_cannot_be_opened_is_an_error_and_no_elf_file_is_none(void **state)
{
	struct intern *pool = intern_new();
	struct symtab *s = (struct symtab *)1;
	struct err *e = symtab_open("/nonexistent/program", pool, &s);

	assert_non_null(e);
	assert_null(s);
	err_free(e);
	e = symtab_open("/tmp", pool, &s);
	assert_non_null(e);
	err_free(e);
	assert_null(symtab_open("Makefile", pool, &s));
	assert_null(s);
	intern_free(pool);
}

static size_t read_file(const char *path, uint8_t **bytes)
{
	FILE *f = fopen(path, "rb");
	size_t size;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	*bytes = mem_zalloc(size);
	assert_int_equal(fread(*bytes, 1, size, f), size);
	fclose(f);
	return size;
}

static void ask_everything(const char *path)
{
	struct intern *pool = intern_new();
	struct symtab *s = NULL;
	struct symtab_program p;
	struct symbol sym;
	uint64_t a, b;
	uint8_t size;

	err_free(symtab_inspect(path, &p));
	err_free(symtab_open(path, pool, &s));
	for (uint64_t addr = 0; s && addr < 0x6000; addr += 0x31) {
		if (symtab_code(s, addr, &sym))
			assert_true(addr >= sym.addr && addr - sym.addr < sym.size);
		if (symtab_data(s, addr, &sym))
			assert_true(addr >= sym.addr && addr - sym.addr < sym.size);
		if (symtab_section(s, addr, &sym))
			assert_true(addr >= sym.addr && addr - sym.addr < sym.size);
		symtab_offset_to_addr(s, addr, &a);
		symtab_is_code(s, addr);
	}
	if (s) {
		symtab_extent(s, &a, &b);
		symtab_build_id(s, &size);
	}
	symtab_free(s);
	intern_free(pool);
}

static void damaged_files_give_fewer_names_and_nothing_worse(void **state)
{
	char path[PROGRAM_PATH], broken[PROGRAM_PATH];
	uint8_t *bytes;
	uint64_t random = 88172645463325252ULL;
	size_t size;

	assert_non_null(program_build("gcc -O2 " NAMES, "program", path));
	size = read_file(path, &bytes);
	snprintf(broken, sizeof(broken), "%s/broken", program_folder);
	for (int i = 0; i < 400; i++) {
		uint8_t *copy = mem_zalloc(size);
		size_t length = i % 4 ? size : random % size;
		FILE *f = fopen(broken, "wb");

		memcpy(copy, bytes, size);
		for (int k = 0; k < 1 + i % 40; k++) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			/* Half of the damage in the headers, where it hurts. */
			if (random & 1)
				copy[random / 16 % 1024] = random >> 48;
			else
				copy[size - 1 - random / 16 % (size / 2)] = random >> 48;
		}
		fwrite(copy, 1, length, f);
		fclose(f);
		free(copy);
		ask_everything(broken);
	}
	free(bytes);
}

static void a_name_that_stands_for_gigabytes_is_shown_as_it_is(void **state)
{
	char path[PROGRAM_PATH], command[1024], bomb[512];
	struct intern *pool = intern_new();
	struct symtab *s;
	struct symbol sym;

	/* Each pair doubles what the name before it stands for. */
	snprintf(bomb, sizeof(bomb), "_Z1fISt4pairIiiE");
	for (int i = 1; i < 30; i++) {
		char c = i < 10 ? '0' + i : 'A' + i - 10;

		snprintf(bomb + strlen(bomb), sizeof(bomb) - strlen(bomb), "S0_IS%c_S%c_E", c, c);
	}
	strcat(bomb, "EvT_");
	snprintf(command, sizeof(command),
		 "echo 'void bomb(void) __asm__(\"%s\"); void bomb(void) {}' >%s/bomb.c; gcc -c "
		 "%s/bomb.c "
		 "-o %s/bomb.o; gcc " NAMES " %s/bomb.o",
		 bomb, program_folder, program_folder, program_folder, program_folder);
	s = open_program(pool, command, path);
	assert_true(symtab_code(s, program_symbol(path, bomb), &sym));
	assert_string_equal(sym.name, bomb);
	symtab_free(s);
	intern_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_are_found_by_any_of_their_bytes),
		cmocka_unit_test(a_static_local_has_the_name_its_author_gave_it),
		cmocka_unit_test(among_aliases_the_global_name_without_underscores_wins),
		cmocka_unit_test(thread_local_offsets_are_not_addresses),
		cmocka_unit_test(functions_read_without_parameters_and_data_with_them),
		cmocka_unit_test(a_stripped_program_still_has_segments_sections_and_dynamic_names),
		cmocka_unit_test(code_is_told_from_data_by_offset),
		cmocka_unit_test(the_build_id_is_the_files),
		cmocka_unit_test(record_learns_what_it_must_know_of_a_program),
		cmocka_unit_test(a_file_that_cannot_be_opened_is_an_error_and_no_elf_file_is_none),
		cmocka_unit_test(damaged_files_give_fewer_names_and_nothing_worse),
		cmocka_unit_test(a_name_that_stands_for_gigabytes_is_shown_as_it_is),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
