/* SPDX-License-Identifier: GPL-2.0-only */
/* Pair candidates: lines 2N and 2N+1 that are different threads'. */
#ifndef HITMAP_REPORT_PAIRS_H
#define HITMAP_REPORT_PAIRS_H

#include "json.h"
#include "report_view.h"

/* What a line of a pair is called: object and field, or the address. */
const char *report_pair_name(const struct view *v, struct attrib *attrib,
			     const struct pair_candidate *pair, int side);
/* An array of them. */
void report_pairs_json(struct json_writer *w, const struct view *v, struct attrib *attrib);

#endif
