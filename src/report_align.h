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
const char *what_if_key(enum what_if_kind kind); /* in JSON: "alone" */

struct report_align {
	const char *path[ALIGN_SIDES];
	const struct align *align;
};

void report_align(FILE *out, const struct report_align *r, const struct report_options *o);
void report_align_json(FILE *out, const struct report_align *r);

const char *report_align_key(enum align_kind kind);   /* in JSON: "merged" */
const char *report_align_word(enum align_kind kind);  /* "line merged", "object moved" */
const char *report_align_unit(const struct align *a); /* "HITM per operation" */
/* The diagnosis in one sentence. */
const char *report_align_diagnosis(const struct align *a, struct intern *pool);

#endif
