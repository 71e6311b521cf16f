/* SPDX-License-Identifier: GPL-2.0-only */
/* What "hitmap align" says of two builds. */
#ifndef HITMAP_REPORT_BUILDS_H
#define HITMAP_REPORT_BUILDS_H

#include "build_compare.h"
#include "report.h"

struct report_builds {
	const char *path[BUILD_SIDES], *kind[BUILD_SIDES]; /* kind: "BTF", "DWARF" */
	const char *hot; /* who says which fields are: a target, a recording; NULL: nobody */
	struct build_type *type;
	uint32_t types;
	uint32_t compared; /* types that both builds have; "type" may be a choice of these */
};

void report_builds(FILE *out, const struct report_builds *r, const struct report_options *o);
void report_builds_json(FILE *out, const struct report_builds *r);

const char *report_builds_key(enum build_change change);  /* in JSON: "half" */
const char *report_builds_word(enum build_change change); /* "other half" */
char *report_builds_push(const struct build_push *p);	  /* "rcu added (16 bytes)"; the caller's */

#endif
