/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a perf.data file or pipe says before and beside its records: events, their ids, and the
 * features (host, CPUs, nodes, command line). Layout:
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef HITMAP_PERFDATA_HEADER_H
#define HITMAP_PERFDATA_HEADER_H

#include "input.h"
#include "map.h"
#include "source.h"

struct perfdata_build_id {
	uint8_t size, bytes[20];
};

/* What the reader adds to while it reads. */
struct perfdata_header {
	struct recording *recording;
	struct intern *pool;
	struct map event_of_id; /* id of an event's instance: index into recording->events */
	struct map build_id_of; /* interned path: index into build_ids */
	struct perfdata_build_id *build_ids;
	size_t build_id_count, build_id_room;
	bool swap; /* recorded by a machine of the other byte order */
	bool pipe;
	bool same_layout;	  /* of all events */
	uint64_t features_offset; /* file form: where the features' section table is; 0: none */
	uint64_t features[4];	  /* which there are, a bit each */
};

void perfdata_header_init(struct perfdata_header *h, struct recording *recording,
			  struct intern *pool);
void perfdata_header_deinit(struct perfdata_header *h); /* also the recording's arrays */

/* A cursor over bytes of the recording, in its byte order. */
static inline struct cursor perfdata_header_cursor(const struct perfdata_header *h,
						   const void *bytes, size_t size, uint64_t offset)
{
	struct cursor c = cursor_of(bytes, size, offset);

	c.swap = h->swap;
	return c;
}

/* Reads up to the first record: the pipe form's 16 bytes, or the file form's header with its
 * events. Then "in" is at the first record and ends behind the last one. */
bool perfdata_header_is(const uint8_t *bytes, size_t size); /* by its first 16 bytes */
bool perfdata_header_is_text(const uint8_t *bytes, size_t size);
struct err *perfdata_header_read(struct perfdata_header *h, struct input *in);
/* The features of a file; one that cannot be read is left out. */
void perfdata_header_features(struct perfdata_header *h, const struct input *in);

/* The same things in a pipe: bodies of PERF_RECORD_HEADER_ATTR, _EVENT_UPDATE and _HEADER_FEATURE.
 */
bool perfdata_header_attr(struct perfdata_header *h, struct cursor body);
bool perfdata_header_update(struct perfdata_header *h, struct cursor body);
bool perfdata_header_feature(struct perfdata_header *h, struct cursor body);

/* PERF_RECORD_HEADER_BUILD_ID, which the feature of files consists of too, and what it is for: the
 * build id of a mapping that does not say it itself. Noting gives the interned path, NULL when it
 * is malformed. */
const char *perfdata_header_note_build_id(struct perfdata_header *h, uint16_t misc,
					  struct cursor body);
void perfdata_header_build_id(const struct perfdata_header *h, struct event_map *map);

/* Index of the event with "id"; 0 when there is one event only or ids are not recorded at all, or
 * the id is 0 (made up by the recorder). SAMPLE_NO_EVENT when it is unknown. */
uint32_t perfdata_header_event(const struct perfdata_header *h, uint64_t id);

#endif
