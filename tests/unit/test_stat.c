// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem.h"
#include "stat.h"

#include <math.h>
#include <stdio.h>

static void near(const char *what, double got, double expected, double within)
{
	if (!(fabs(got - expected) <= within))
		fail_msg("%s: %.12g, not %.12g", what, got, expected);
}

/* I_x(a, b) of whole a and b is a sum of binomial terms. */
static double binomial_sum(int a, int b, double x)
{
	int n = a + b - 1;
	double sum = 0, term = pow(1 - x, n);

	for (int k = 0; k <= n; k++) {
		sum += k >= a ? term : 0;
		term *= (double)(n - k) / (k + 1) * x / (1 - x);
	}
	return sum;
}

static void beta_is_the_tail_of_a_binomial(void **state)
{
	static const double AT[] = { 0.001, 0.2, 0.5, 0.77, 0.99 };

	for (int a = 1; a < 40; a += 6)
		for (int b = 1; b < 40; b += 5)
			for (size_t i = 0; i < ARRAY_SIZE(AT); i++)
				near("I_x(a,b)", stat_beta(a, b, AT[i]), binomial_sum(a, b, AT[i]),
				     1e-10);
	near("at 0", stat_beta(3, 4, 0), 0, 0);
	near("at 1", stat_beta(3, 4, 1), 1, 0);
	near("large, symmetric", stat_beta(5e6, 5e6, 0.5), 0.5, 1e-7);
}

/* With one and with two degrees of freedom the distribution has a closed form. */
static void student_agrees_with_its_closed_forms(void **state)
{
	for (double t = 0; t < 50; t += 0.7) {
		near("df 1", stat_student(t, 1), 1 - 2 / M_PI * atan(t), 1e-12);
		near("df 2", stat_student(-t, 2), 1 - t / sqrt(2 + t * t), 1e-12);
	}
}

static void no_difference_is_no_evidence(void **state)
{
	struct stat_ratio r = stat_poisson_ratio(400, 10, 400, 10, 0);

	near("ratio", r.ratio, 1, 0);
	near("p", r.p, 1, 1e-12);
	assert_true(r.low < 1 && r.high > 1);
	r = stat_poisson_ratio(0, 10, 0, 10, 0);
	assert_false(r.known);
}

static void exposures_count(void **state)
{
	struct stat_ratio r = stat_poisson_ratio(1000, 10, 2000, 20, 0);

	near("ratio of equal rates", r.ratio, 1, 1e-12);
	assert_true(r.p > 0.9);
	r = stat_poisson_ratio(1000, 10, 1000, 20, 0);
	near("ratio of half the rate", r.ratio, 0.5, 1e-12);
	assert_true(r.p < 1e-20);
}

/* 0 of n: the interval of a binomial share is known in closed form. */
static void what_is_gone_has_an_upper_bound(void **state)
{
	struct stat_ratio r = stat_poisson_ratio(20, 1, 0, 1, 0);
	double share = 1 - pow(0.025, 1.0 / 20);

	near("ratio", r.ratio, 0, 0);
	near("low", r.low, 0, 0);
	near("high", r.high, share / (1 - share), 1e-9);
	near("p", r.p, 2 * pow(0.5, 20), 1e-15);
	r = stat_poisson_ratio(0, 1, 20, 1, 0);
	assert_true(isinf(r.ratio) && isinf(r.high) && r.low > 1);
}

static void a_margin_asks_for_more_than_a_difference(void **state)
{
	assert_true(stat_poisson_ratio(1e6, 1, 1.04e6, 1, 0).p < 1e-6);
	assert_true(stat_poisson_ratio(1e6, 1, 1.04e6, 1, 0.05).p > 0.9);
	assert_true(stat_poisson_ratio(1e6, 1, 0.9e6, 1, 0.05).p < 1e-6);
}

static void welch_knows_the_noise_between_runs(void **state)
{
	static const struct stat_run QUIET[] = { { 1000, 1 }, { 1010, 1 }, { 990, 1 } };
	static const struct stat_run NOISY[] = { { 700, 1 }, { 1400, 1 }, { 1500, 1 } };
	static const struct stat_run MORE[] = { { 1190, 1 }, { 1200, 1 }, { 1210, 1 } };
	struct stat_ratio r = stat_welch_ratio(QUIET, 3, NOISY, 3);

	assert_true(r.p > 0.3);
	r = stat_welch_ratio(QUIET, 3, MORE, 3);
	assert_true(r.p < 0.01);
	near("ratio", r.ratio, 1.2, 1e-12);
	assert_true(r.low > 1 && r.low < 1.2 && r.high > 1.2);
	assert_false(stat_welch_ratio(QUIET, 1, MORE, 3).known);
}

/* The runs' spread is above that of counting: t and the degrees of freedom follow from it alone. */
static void welch_by_hand(void **state)
{
	static const struct stat_run A[] = { { 10, 1 }, { 30, 1 } },
				     B[] = { { 60, 1 }, { 100, 1 } };
	double va = 200.0 / 2, vb = 800.0 / 2, t = 60 / sqrt(va + vb);
	double df = (va + vb) * (va + vb) / (va * va + vb * vb);

	near("p", stat_welch_ratio(A, 2, B, 2).p, stat_student(t, df), 1e-12);
}

static void equal_runs_are_no_surer_than_counting(void **state)
{
	static const struct stat_run A[] = { { 4, 1 }, { 4, 1 } }, B[] = { { 6, 1 }, { 6, 1 } };

	assert_true(stat_welch_ratio(A, 2, B, 2).p > 0.3);
}

static void holm_grows_with_the_number_of_rows(void **state)
{
	double p[] = { 0.04, 0.01, NAN, 0.03, 0.9 };
	static const double EXPECTED[] = { 0.09, 0.04, NAN, 0.09, 0.9 };

	stat_holm(p, ARRAY_SIZE(p));
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		if (i == 2)
			assert_true(isnan(p[i]));
		else
			near("adjusted", p[i], EXPECTED[i], 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beta_is_the_tail_of_a_binomial),
		cmocka_unit_test(student_agrees_with_its_closed_forms),
		cmocka_unit_test(no_difference_is_no_evidence),
		cmocka_unit_test(exposures_count),
		cmocka_unit_test(what_is_gone_has_an_upper_bound),
		cmocka_unit_test(a_margin_asks_for_more_than_a_difference),
		cmocka_unit_test(welch_knows_the_noise_between_runs),
		cmocka_unit_test(welch_by_hand),
		cmocka_unit_test(equal_runs_are_no_surer_than_counting),
		cmocka_unit_test(holm_grows_with_the_number_of_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
