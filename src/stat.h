/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of counts and rates. Counts of samples are taken for Poisson distributed; where a side
 * was recorded several times the spread between its runs takes that assumption's place.
 */
#ifndef HITMAP_STAT_H
#define HITMAP_STAT_H

#include <stdbool.h>
#include <stddef.h>

/* Of a comparison "after by before". */
struct stat_ratio {
	double ratio; /* of the rates; infinite where before is 0, 0 where after is, NAN for both */
	double low, high; /* 95 % confidence interval of "ratio" */
	double p; /* probability of such a difference, or a larger one, by chance; two-sided */
	bool known;
};

/*
 * Two Poisson counts, each over its exposure (> 0): the exact test of a binomial share.
 * "margin" >= 0: ratios from 1 / (1 + margin) to 1 + margin count as no difference.
 */
struct stat_ratio stat_poisson_ratio(double before, double before_by, double after, double after_by,
				     double margin);

/* One run of a side. */
struct stat_run {
	double count, by; /* by: exposure, > 0 */
};

/* Welch's test of the runs' rates; 2 runs a side at least, else not known. No run is taken to be
 * surer than counting makes it. */
struct stat_ratio stat_welch_ratio(const struct stat_run *before, size_t before_count,
				   const struct stat_run *after, size_t after_count);

/* Holm's correction for several comparisons, in place and in any order: p[i] becomes the least
 * family-wise level at which row i is significant. NAN is left out of the count. */
void stat_holm(double *p, size_t count);

/* Regularised incomplete beta function, a and b > 0, x in 0..1. */
double stat_beta(double a, double b, double x);

/* Two-sided probability of Student's t with "df" > 0 degrees of freedom. */
double stat_student(double t, double df);

#endif
