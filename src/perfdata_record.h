/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of the kernel as events. Layouts: perf_event_open(2), include/uapi/linux/perf_event.h. */
#ifndef HITMAP_PERFDATA_RECORD_H
#define HITMAP_PERFDATA_RECORD_H

#include "perfdata_header.h"

struct perfdata_record {
	uint32_t type;
	uint16_t misc;
	struct cursor body;
};

/* "size" bytes that begin with a struct perf_event_header, which says just that size. */
struct perfdata_record perfdata_record_of(const uint8_t *bytes, size_t size, uint64_t offset);

/* When a record happened; 0 when it does not say. */
uint64_t perfdata_record_time(const struct perfdata_header *h, const struct perfdata_record *r);

/* The event that a record is. False when it is none that anyone wants, or is too short for its
 * type; either is counted in the recording. */
bool perfdata_record_decode(struct perfdata_header *h, const struct perfdata_record *r,
			    struct event *ev);

#endif
