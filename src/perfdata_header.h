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

/* What the reader adds to while it reads. */
struct perfdata_header {
	struct recording *recording;
	struct intern *pool;
	struct map event_of_id; /* id of an event's instance: index into recording->events */
	bool pipe;
	bool same_layout;	  /* of all events */
	uint64_t features_offset; /* file form: where the features' section table is; 0: none */
	uint64_t features[4];	  /* which there are, a bit each */
};

void perfdata_header_init(struct perfdata_header *h, struct recording *recording,
			  struct intern *pool);
void perfdata_header_deinit(struct perfdata_header *h); /* also the recording's arrays */

/* Reads up to the first record: the pipe form's 16 bytes, or the file form's header with its
 * events. Then "in" is at the first record and ends behind the last one. */
struct err *perfdata_header_read(struct perfdata_header *h, struct input *in);
/* The features of a file; one that cannot be read is left out. */
void perfdata_header_features(struct perfdata_header *h, const struct input *in);

/* The same things in a pipe: bodies of PERF_RECORD_HEADER_ATTR, _EVENT_UPDATE and _HEADER_FEATURE.
 */
bool perfdata_header_attr(struct perfdata_header *h, struct cursor body);
bool perfdata_header_update(struct perfdata_header *h, struct cursor body);
bool perfdata_header_feature(struct perfdata_header *h, struct cursor body);

/* Index of the event with "id"; 0 when there is one event only or ids are not recorded at all, or
 * the id is 0 (made up by the recorder). SAMPLE_NO_EVENT when it is unknown. */
uint32_t perfdata_header_event(const struct perfdata_header *h, uint64_t id);

#endif
