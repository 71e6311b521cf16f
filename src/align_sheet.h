/* SPDX-License-Identifier: GPL-2.0-only */
/* What "hitmap align" says, as tables for the formats that are made from such: CSV (the main
 * table), HTML and Markdown. */
#ifndef HITMAP_ALIGN_SHEET_H
#define HITMAP_ALIGN_SHEET_H

#include "report_align.h"
#include "report_builds.h"
#include "sheet.h"

#define ALIGN_SHEETS 3 /* at most */

struct align_sheets {
	const char *title;
	const char *said[8];		  /* sentences; NULL at the end */
	struct sheet sheet[ALIGN_SHEETS]; /* the main one first */
	size_t count;
	struct intern *pool; /* of the sentences */
};

struct align_sheets align_sheets_what_if(const struct report_what_if *r);
struct align_sheets align_sheets_two(const struct report_align *r);
struct align_sheets align_sheets_builds(const struct report_builds *r, bool all);
void align_sheets_deinit(struct align_sheets *s);

/* "csv", "html" or "markdown". */
void align_sheets_write(FILE *out, const struct align_sheets *s, const char *format);

#endif
