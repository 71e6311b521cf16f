// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "err.h"
#include "mem.h"
#include "threshold.h"

#include <math.h>
#include <string.h>

static void status_is(const char *text, struct err *e, enum err_status expected, const char *words)
{
	enum err_status got = e ? err_status(e) : ERR_NONE;

	if (got != expected || (words && !strstr(err_text(e), words)))
		fail_msg("\"%s\": status %d, \"%s\"; not %d, \"%s\"", text, got,
			 e ? err_text(e) : "", expected, words ? words : "");
	err_free(e);
}

static void what_is_wrong_is_told_with_its_column(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} WRONG[] = {
		{ "", "column 1: expected hitm" },
		{ "hit > 1", "column 1: expected hitm" },
		{ "hitm_per_op", "column 12: expected > or <" },
		{ "hitm_per_op >", "column 14: expected a number" },
		{ "hitm > x", "column 8: expected a number" },
		{ "hitm > nan", "column 8: expected a number" },
		{ "hitm > 1e999", "column 8: expected a number" },
		{ "hitm > +-1", "column 8: expected a number" },
		{ "hitm > 1 2", "column 10: expected a comma" },
		{ "hitm > 1,", "column 10: expected hitm" },
		{ "field: hitm > 1", "column 7: expected a name" },
		{ "field:a cycles_per_op > 1", "column 9: expected a metric of HITM" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(WRONG); i++)
		status_is(WRONG[i].text, threshold_check(WRONG[i].text), ERR_USAGE, WRONG[i].words);
	status_is(
		"all forms",
		threshold_check(" hitm > +10 % ,hitm_per_op<3,hitm_per_sec > -.5e3, cycles_per_op "
				"> 1%, field:a.b hitm > 1,object:x hitm < 1"),
		ERR_NONE, NULL);
}

/* root_user.sigpending rises from 1 to 2 for sure, .quiet from 1 to 2 perhaps. */
static void fill(struct diff *d, struct diff_object *o, struct diff_field f[2])
{
	*d = (struct diff){ .unit = DIFF_PER_OPERATION,
			    .objects = o,
			    .object_count = 1,
			    .cycles_per_operation = { { { 100, 100, 100 }, true },
						      { { 130, 130, 130 }, true } } };
	f[0].row.name = "sigpending";
	f[1].row.name = "quiet";
	*o = (struct diff_object){ .row.name = "root_user", .fields = f, .field_count = 2 };
	for (int u = 0; u < DIFF_UNITS; u++)
		for (int s = 0; s < DIFF_SIDES; s++) {
			double rate = u == DIFF_PER_SECOND ? NAN : 1 + s;

			f[0].row.rate[u][s] = f[1].row.rate[u][s] = o->row.rate[u][s] =
				d->total.rate[u][s] = rate;
		}
	f[0].row.significant = o->row.significant = d->total.significant = true;
}

static void conditions_are_judged(void **state)
{
	static const struct {
		const char *text;
		enum err_status status;
		const char *words;
	} CASES[] = {
		{ "hitm_per_op > +10%", ERR_THRESHOLD, "\"hitm_per_op > +10%\": it is +100 %" },
		{ "hitm_per_op > 10%", ERR_THRESHOLD, "it is +100 %" },
		{ "hitm_per_op > +100%", ERR_NONE, NULL },
		{ "hitm > +0.5", ERR_THRESHOLD, "it is +1" },
		{ "hitm > 2.5", ERR_NONE, NULL },
		{ "hitm > 1.5", ERR_THRESHOLD, "it is +2" },
		{ "hitm < -10%", ERR_NONE, NULL },
		{ "cycles_per_op > +20%", ERR_THRESHOLD, "it is +30 %" },
		{ "field:sigpending hitm > +20%", ERR_THRESHOLD, NULL },
		{ "field:root_user.sigpending hitm > +20%", ERR_THRESHOLD, NULL },
		{ "field:root_user.sig hitm > +20%", ERR_FAILED, "contention of that name" },
		{ "object:root_user hitm > +20%", ERR_THRESHOLD, NULL },
		{ "field:quiet hitm > +20%", ERR_NONE, NULL }, /* perhaps noise */
		{ "field:quiet hitm > 1.5", ERR_THRESHOLD, NULL },
		{ "hitm_per_sec > 1", ERR_FAILED, "cannot be judged" },
		{ "hitm > 9, hitm_per_op > +10%", ERR_THRESHOLD, "\"hitm_per_op > +10%\"" },
		{ "hitm_per_op > +10%, hitm_per_sec > 1", ERR_FAILED, "hitm_per_sec" },
	};
	struct diff_field fields[2] = { 0 };
	struct diff_object object;
	struct diff d;

	fill(&d, &object, fields);
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++)
		status_is(CASES[i].text, threshold_judge(CASES[i].text, &d), CASES[i].status,
			  CASES[i].words);
}

static void what_is_new_has_risen_without_bound(void **state)
{
	struct diff_field fields[2] = { 0 };
	struct diff_object object;
	struct diff d;

	fill(&d, &object, fields);
	for (int u = 0; u < DIFF_UNITS; u++)
		d.total.rate[u][DIFF_BEFORE] = 0;
	status_is("from nothing", threshold_judge("hitm > +900%", &d), ERR_THRESHOLD, "inf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_told_with_its_column),
		cmocka_unit_test(conditions_are_judged),
		cmocka_unit_test(what_is_new_has_risen_without_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
