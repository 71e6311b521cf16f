/* SPDX-License-Identifier: GPL-2.0-only */
/* Before and after side by side. */
#ifndef HITMAP_REPORT_DIFF_H
#define HITMAP_REPORT_DIFF_H

#include "diff.h"
#include "report.h"

/* Of "options", top, all, unicode and colour count. Top and all are of text alone: the other
 * formats have every row. */
void report_diff(FILE *out, const struct diff *d, const struct report_options *options);
void report_diff_json(FILE *out, const struct diff *d, const struct report_options *options);
void report_diff_csv(FILE *out, const struct diff *d, const struct report_options *options);
void report_diff_markdown(FILE *out, const struct diff *d, const struct report_options *options);
void report_diff_html(FILE *out, const struct diff *d, const struct report_options *options);
void report_diff_folded(FILE *out, const struct diff *d, const struct report_options *options);

#endif
