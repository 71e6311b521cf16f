/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of futexes: a map of each, its hottest buckets, and which futexes meet there. */
#ifndef HITMAP_REPORT_BUCKETS_H
#define HITMAP_REPORT_BUCKETS_H

#include "bucket.h"
#include "json.h"
#include "report_table.h"

/* "top": rows at most; 0: all. */
void report_buckets(const struct text_report *r, struct attrib *attrib, uint32_t top);
/* As the member "buckets". */
void report_buckets_json(struct json_writer *w, const struct view *v, struct attrib *attrib,
			 uint32_t top);

#endif
