/* SPDX-License-Identifier: GPL-2.0-only */
/* What "hitmap align" says: what-if tables, and what changed between two recordings. */
#ifndef HITMAP_REPORT_ALIGN_H
#define HITMAP_REPORT_ALIGN_H

#include "align.h"
#include "report.h"
#include "what_if.h"

struct report_what_if {
	const char *recording; /* its path */
	const struct use_set *use;
	const struct use_object *only; /* NULL: the first by HITM */
	uint32_t step;		       /* of bases, bytes */
	bool sensitivity;	       /* one row an object: what a move could cost */
};

void report_what_if(FILE *out, const struct report_what_if *r, const struct report_options *o);
void report_what_if_json(FILE *out, const struct report_what_if *r);

struct report_align {
	const char *path[ALIGN_SIDES];
	const struct align *align;
};

void report_align(FILE *out, const struct report_align *r, const struct report_options *o);
void report_align_json(FILE *out, const struct report_align *r);

/* "merged", "object moved" ... and in one sentence what follows. */
const char *report_align_word(enum align_kind kind);

#endif
