// SPDX-License-Identifier: GPL-2.0-only
#include "err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect_printed(const struct err *e, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	err_print(e, out);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

static void an_error_says_what_and_what_next(void **state)
{
	struct err *e = err_new(ERR_UNSUPPORTED, "pmu: %s: no %d", "ibs_op", 5);

	assert_int_equal(err_status(e), ERR_UNSUPPORTED);
	assert_string_equal(err_text(e), "pmu: ibs_op: no 5");
	assert_null(err_advice(e));
	expect_printed(e, "hitmap: pmu: ibs_op: no 5\n");
	assert_ptr_equal(err_next(e, "try %s", "that"), e);
	assert_string_equal(err_advice(e), "try that");
	expect_printed(e, "hitmap: pmu: ibs_op: no 5\n  next: try that\n");
	err_next(e, "try the other");
	assert_string_equal(err_advice(e), "try the other");
	err_free(e);
}

static void outer_layers_put_their_context_in_front(void **state)
{
	struct err *e = err_next(err_errno(ERR_FAILED, ENOENT, "open %s", "x"), "make one");

	assert_string_equal(err_text(e), "open x: No such file or directory");
	assert_ptr_equal(err_within(e, "report %d", 1), e);
	assert_string_equal(err_text(e), "report 1: open x: No such file or directory");
	assert_string_equal(err_advice(e), "make one");
	err_free(e);
}

static void no_error_is_success(void **state)
{
	assert_int_equal(err_status(NULL), ERR_NONE);
	err_free(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_says_what_and_what_next),
		cmocka_unit_test(outer_layers_put_their_context_in_front),
		cmocka_unit_test(no_error_is_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
