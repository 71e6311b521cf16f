/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a diff is noise, what each row's story is, and whether the sides can be compared. */
#ifndef HITMAP_DIFF_JUDGE_H
#define HITMAP_DIFF_JUDGE_H

#include "align.h"
#include "diff.h"

/* Rates, ratios and significance of every row. */
void diff_judge_rates(struct diff *d);

/* Words and stories; "a" compares the layout of the first run of each side. */
void diff_judge_words(struct diff *d, const struct align *a, struct intern *pool);

/* Warnings: events, latency threshold, CPUs, kernel, loss, sampling rate and machine that differ.
 */
void diff_judge_sides(struct diff *d, struct intern *pool);

#endif
