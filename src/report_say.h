/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of the text report. Strings that are returned are the view's pool's. */
#ifndef HITMAP_REPORT_SAY_H
#define HITMAP_REPORT_SAY_H

#include "report_table.h"

const char *report_thousands(const struct text_report *r, uint64_t n); /* "2,000" */
/* "1 line", "2,000 lines" */
const char *report_quantity(const struct text_report *r, uint64_t n, const char *noun);
/* Writes words as far as they fit on a line; what follows is indented by two. */
void report_wrap(const struct text_report *r, const char *text);
void report_say(const struct text_report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
