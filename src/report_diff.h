/* SPDX-License-Identifier: GPL-2.0-only */
/* Before and after side by side, as text. */
#ifndef HITMAP_REPORT_DIFF_H
#define HITMAP_REPORT_DIFF_H

#include "diff.h"
#include "report.h"

/* "recording": of each side, at its end. Of "options", top, all, unicode and colour count. */
void report_diff(FILE *out, const struct diff *d,
		 const struct recording *const recording[DIFF_SIDES],
		 const struct report_options *options);

#endif
