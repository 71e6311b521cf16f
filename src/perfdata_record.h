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

/* When a record that is no sample happened; 0 when it does not say. */
uint64_t perfdata_record_time(const struct perfdata_header *h, const struct perfdata_record *r);

/* The ids that a record other than a sample ends with. False when there are none. */
bool perfdata_record_ids(const struct perfdata_header *h, const struct perfdata_record *r,
			 struct sample *ids);

/* What a sample adds to what is known of the recording, and the event's period to a sample that was
 * recorded without one. */
void perfdata_record_count(struct recording *recording, struct sample *s, uint64_t sample_type);

/* The event that a record is, of any type but PERF_RECORD_SAMPLE. False when it is none that anyone
 * wants, or is too short for its type; either is counted in the recording. */
bool perfdata_record_decode(struct perfdata_header *h, const struct perfdata_record *r,
			    struct event *ev);
/* A PERF_RECORD_SAMPLE. False when it is too short; that is counted. */
bool perfdata_record_sample(struct perfdata_header *h, const struct perfdata_record *r,
			    struct sample *s);

/* What is remembered from one run of samples to the next; zeroed at first, and once ids are added.
 */
struct perfdata_run {
	struct perfdata_run_id {
		uint64_t id;
		uint32_t event;
		bool known;
	} last[256];
};

/*
 * The common case, fast: whole samples that have a time, one behind the other, as many as "bytes"
 * begins with and "*count" allows. Returns their bytes, and their number in "*count"; what stops
 * the run is for the functions above.
 */
size_t perfdata_record_run(struct perfdata_header *h, struct perfdata_run *run,
			   const uint8_t *bytes, size_t size, struct sample *samples,
			   size_t *count);

#endif
