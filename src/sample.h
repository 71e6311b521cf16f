/* SPDX-License-Identifier: GPL-2.0-only */
/* One memory sample, whatever it was recorded with, and the layout of PERF_RECORD_SAMPLE. */
#ifndef HITMAP_SAMPLE_H
#define HITMAP_SAMPLE_H

#include "buf.h"

#define SAMPLE_NO_CPU	UINT32_MAX /* the CPU was not recorded */
#define SAMPLE_NO_EVENT UINT32_MAX /* the record's id belongs to no known event */

struct sample {
	uint64_t ip, addr, time; /* time: ns of the recording's clock; 0 when not recorded */
	uint64_t id;		 /* of the event's instance; 0 when not recorded */
	uint64_t period;	 /* events this sample stands for; 1 when not known */
	uint64_t weight;	 /* latency, cycles; 0 when not recorded */
	uint64_t data_src;	 /* union perf_mem_data_src; 0 when not recorded */
	uint64_t phys_addr;	 /* 0 when not recorded */
	uint32_t pid, tid;	 /* UINT32_MAX when not recorded */
	uint32_t cpu;		 /* or SAMPLE_NO_CPU */
	uint32_t event;		 /* index into the recording's events, or SAMPLE_NO_EVENT */
	uint32_t chain;		 /* its callers, in the recording's chains; see chain.h */
	uint8_t cpumode;	 /* PERF_RECORD_MISC_CPUMODE_MASK of the record's misc */
	uint8_t step; /* what it adds to counts, see step.h; set where samples are counted */
};

/* What of perf_event_attr decides the layout of its records. */
struct sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user, regs_intr; /* masks: one word each bit */
	bool id_all;		       /* attr.sample_id_all: other records end with ids */
};

/* Decodes the body of a PERF_RECORD_SAMPLE (after its header); every bit of sample_type is used or
 * skipped. False when the record is too short for its layout. Layout: perf_event_open(2). */
bool sample_decode(struct cursor body, const struct sample_layout *layout, struct sample *s);

/* The words of the call chain (PERF_SAMPLE_CALLCHAIN) of such a record; bad when it has none. */
struct cursor sample_chain(struct cursor body, const struct sample_layout *layout);

/* The raw part (PERF_SAMPLE_RAW) of such a record; bad when it has none. */
struct cursor sample_raw(struct cursor body, const struct sample_layout *layout);

/*
 * Where everything is in the body of a sample that has nothing of variable size, bytes from its
 * start; -1: not recorded. Most recordings of memory accesses are such.
 */
struct sample_places {
	int16_t id, ip, tid, time, addr, cpu, period, weight, data_src, phys_addr;
	uint16_t size;	  /* of all of it */
	bool weight_half; /* the weight is 32 bits */
};

/* False when there is something of variable size, so that only sample_decode() can tell. */
bool sample_places_of(const struct sample_layout *layout, struct sample_places *places);
/* As sample_decode(), of "places->size" bytes in this machine's byte order. */
void sample_decode_places(const uint8_t *body, const struct sample_places *places,
			  struct sample *s);

/* The id trailer of the other records (sample_id_all), read from the end of "body". */
bool sample_decode_trailer(struct cursor body, const struct sample_layout *layout,
			   struct sample *s);

/* Where a sample's id and time are, bytes from the body's start, and where the id of a trailer is,
 * bytes from the record's end; -1 when there is none. The id tells which event's layout a record
 * has. */
int sample_id_place(const struct sample_layout *layout);
int sample_time_place(const struct sample_layout *layout);
int sample_trailer_id_place(const struct sample_layout *layout);

#endif
