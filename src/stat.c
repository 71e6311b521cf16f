// SPDX-License-Identifier: GPL-2.0-only
#include "stat.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.95

/* ---- Incomplete beta: continued fraction by Lentz's method (DLMF 8.17.22) */

static double away_from_zero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* Converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m <= 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		h *= d * c;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return h;
}

/* lgamma() writes a global; the reentrant one does not. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double stat_beta(double a, double b, double x)
{
	double front;

	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stat_student(double t, double df)
{
	return isinf(t) ? 0 : stat_beta(df / 2, 0.5, df / (df + t * t));
}

/* The x at which a function that rises from 0 to 1 has the value "level". */
static double beta_inverse(double a, double b, double level)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (stat_beta(a, b, middle) < level)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* The t that "level" of the distribution lies within, both sides together. */
static double student_inverse(double level, double df)
{
	double x = beta_inverse(df / 2, 0.5, 1 - level);

	return x > 0 ? sqrt(df * (1 - x) / x) : INFINITY;
}

/* ---- Two Poisson counts: of all events the share that is after's is binomial */

/* P(X >= k) of n tries with chance "share". */
static double upper_tail(double k, double n, double share)
{
	return k > 0 ? stat_beta(k, n - k + 1, share) : 1;
}

static double lower_tail(double k, double n, double share)
{
	return k < n ? stat_beta(n - k, k + 1, 1 - share) : 1;
}

/* Share of after's events when its rate is "ratio" of before's. */
static double share_at(double ratio, double before_by, double after_by)
{
	return ratio * after_by / (before_by + ratio * after_by);
}

static double ratio_at(double share, double before_by, double after_by)
{
	return share < 1 ? share / (1 - share) * before_by / after_by : INFINITY;
}

struct stat_ratio stat_poisson_ratio(double before, double before_by, double after, double after_by,
				     double margin)
{
	double n = before + after, tail = (1 - CONFIDENCE) / 2, up, down;
	struct stat_ratio r = { .ratio = NAN, .low = 0, .high = INFINITY, .p = 1 };

	if (!(n > 0) || !(before_by > 0) || !(after_by > 0))
		return r;
	r.known = true;
	r.ratio = before > 0 ? after / after_by / (before / before_by) : INFINITY;
	if (after > 0)
		r.low = ratio_at(beta_inverse(after, before + 1, tail), before_by, after_by);
	if (before > 0)
		r.high = ratio_at(beta_inverse(after + 1, before, 1 - tail), before_by, after_by);
	up = upper_tail(after, n, share_at(1 + margin, before_by, after_by));
	down = lower_tail(after, n, share_at(1 / (1 + margin), before_by, after_by));
	r.p = fmin(1, 2 * fmin(up, down));
	return r;
}

/* ---- Runs */

/* Of a side's mean rate. */
struct mean {
	double rate, variance; /* of the mean */
	double df;
};

static struct mean mean_of(const struct stat_run *run, size_t count)
{
	struct mean m = { .df = count - 1.0 };
	double spread = 0, counting = 0;

	for (size_t i = 0; i < count; i++) {
		m.rate += run[i].count / run[i].by / count;
		counting += run[i].count / (run[i].by * run[i].by);
	}
	for (size_t i = 0; i < count; i++) {
		double off = run[i].count / run[i].by - m.rate;

		spread += off * off;
	}
	m.variance = fmax(spread / (count - 1.0) / count, counting / count / count);
	return m;
}

struct stat_ratio stat_welch_ratio(const struct stat_run *before, size_t before_count,
				   const struct stat_run *after, size_t after_count)
{
	struct stat_ratio r = { .ratio = NAN, .low = 0, .high = INFINITY, .p = 1 };
	struct mean a, b;
	double variance, df, reach;

	if (before_count < 2 || after_count < 2)
		return r;
	a = mean_of(before, before_count);
	b = mean_of(after, after_count);
	variance = a.variance + b.variance;
	if (!(variance > 0))
		return r; /* nothing was ever counted */
	df = variance * variance /
	     (a.variance * a.variance / a.df + b.variance * b.variance / b.df);
	reach = student_inverse(CONFIDENCE, df) * sqrt(variance);
	r.known = true;
	r.ratio = a.rate > 0 ? b.rate / a.rate : INFINITY;
	/* The interval of the difference, told relative to before's mean. */
	if (a.rate > 0) {
		r.low = fmax(0, (b.rate - reach) / a.rate);
		r.high = (b.rate + reach) / a.rate;
	}
	r.p = stat_student((b.rate - a.rate) / sqrt(variance), df);
	return r;
}

/* ---- Several comparisons */

struct ranked {
	double p;
	size_t at;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return CMP(x->p, y->p) ?: CMP(x->at, y->at);
}

void stat_holm(double *p, size_t count)
{
	struct ranked *order = mem_zalloc((count + 1) * sizeof(*order));
	double most = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			order[n++] = (struct ranked){ p[i], i };
	qsort(order, n, sizeof(*order), compare_ranked);
	for (size_t i = 0; i < n; i++) {
		most = fmax(most, fmin(1, order[i].p * (n - i)));
		p[order[i].at] = most;
	}
	free(order);
}
