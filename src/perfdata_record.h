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

#define PERFDATA_RECORD_HEADER 8 /* struct perf_event_header: u32 type, u16 misc, u16 size */

/* The size of the record whose header "bytes" are. */
static inline size_t perfdata_record_size(const struct perfdata_header *h, const uint8_t *bytes)
{
	uint16_t size;

	memcpy(&size, bytes + 6, sizeof(size));
	return h->swap ? __builtin_bswap16(size) : size;
}

/* "size" bytes that begin with a struct perf_event_header, which says just that size. */
struct perfdata_record perfdata_record_of(const struct perfdata_header *h, const uint8_t *bytes,
					  size_t size, uint64_t offset);

/* When a record happened; 0 when it does not say. */
uint64_t perfdata_record_time(const struct perfdata_header *h, const struct perfdata_record *r);

/* The ids that a record other than a sample ends with. False when there are none. */
bool perfdata_record_ids(const struct perfdata_header *h, const struct perfdata_record *r,
			 struct sample *ids);

/* Counts a sample of "recording", whose period and time it may complete. */
void perfdata_record_count(struct recording *recording, struct sample *s);

/* The event that a record is. False when it is none that anyone wants, or is too short for its
 * type; either is counted in the recording. */
bool perfdata_record_decode(struct perfdata_header *h, const struct perfdata_record *r,
			    struct event *ev);

#endif
