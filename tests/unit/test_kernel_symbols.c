// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct err *open_text(const char *text, struct kernel_symbols **s)
{
	char path[] = "/tmp/hitmap-symbols-XXXXXX";
	int fd = mkstemp(path);
	struct err *e;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	e = kernel_symbols_open(path, s);
	unlink(path);
	return e;
}

static const char MAP[] = "0000000000000000 A fixed_percpu_data\n"
			  "ffffffff81000000 T _text\n"
			  "ffffffff81000000 T _stext\n"
			  "garbage\n"
			  "ffffffff81000100 t helper\n"
			  "ffffffff82000040 D init_task\n"
			  "ffffffffc0000000 t of_module\t[module]\n";

static void a_table_of_zeros_is_an_error_of_its_own(void **state)
{
	struct kernel_symbols *s;
	struct err *e = open_text("0000000000000000 T _text\n0000000000000000 T _stext\n", &s);

	assert_non_null(e);
	assert_null(s);
	assert_int_equal(err_status(e), ERR_UNSUPPORTED);
	assert_non_null(strstr(err_text(e), "the kernel hides them"));
	assert_non_null(strstr(err_advice(e), "kptr_restrict"));
	err_free(e);
	e = open_text("nothing here\n", &s);
	assert_non_null(strstr(err_text(e), "holds none"));
	err_free(e);
}

static void symbols_are_found_by_name_and_by_address(void **state)
{
	struct kernel_symbols *s;
	struct kernel_symbol found;
	uint64_t addr = 0;

	assert_null(open_text(MAP, &s));
	assert_true(kernel_symbols_find(s, "init_task", &addr));
	assert_int_equal(addr, 0xffffffff82000040);
	assert_true(kernel_symbols_find(s, "of_module", &addr));
	assert_false(kernel_symbols_find(s, "init_tas", &addr));
	assert_true(kernel_symbols_at(s, 0xffffffff81000123, &found));
	assert_string_equal(found.name, "helper");
	assert_int_equal(found.addr, 0xffffffff81000100);
	assert_true(kernel_symbols_at(s, 0xffffffff81000001, &found));
	assert_string_equal(found.name, "_text");
	assert_false(kernel_symbols_at(s, 0xffffffff80ffffff, &found));
	kernel_symbols_free(s);
}

static void a_map_is_moved_to_where_the_kernel_is(void **state)
{
	struct kernel_symbols *s;
	uint64_t addr = 0;

	assert_null(open_text(MAP, &s));
	assert_true(kernel_symbols_move(s, "_stext", 0xffffffff9a000000));
	assert_true(kernel_symbols_find(s, "init_task", &addr));
	assert_int_equal(addr, 0xffffffff9b000040);
	assert_true(kernel_symbols_find(s, "fixed_percpu_data", &addr));
	assert_int_equal(addr, 0);
	/* Another kernel's: images do not move by this. */
	assert_false(kernel_symbols_move(s, "_stext", 0xffffffff9a001000));
	assert_true(kernel_symbols_find(s, "init_task", &addr));
	assert_int_equal(addr, 0xffffffff9b000040);
	kernel_symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_of_zeros_is_an_error_of_its_own),
		cmocka_unit_test(symbols_are_found_by_name_and_by_address),
		cmocka_unit_test(a_map_is_moved_to_where_the_kernel_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
