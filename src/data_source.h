/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The meaning of union perf_mem_data_src: exactly one class a sample. Decided from mem_lvl_num,
 * remote, hops, snoop and snoopx; the deprecated mem_lvl only where lvl_num is absent. Bit layout
 * and encodings by CPU family: include/uapi/linux/perf_event.h, arch/x86/events/intel/ds.c,
 * arch/x86/events/amd/ibs.c.
 */
#ifndef HITMAP_DATA_SOURCE_H
#define HITMAP_DATA_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

enum memory_kind { MEMORY_NONE, MEMORY_LOAD, MEMORY_STORE };

enum memory_level {
	LEVEL_UNKNOWN, /* not given by this event (most stores) */
	LEVEL_L1,
	LEVEL_LFB,
	LEVEL_L2,
	LEVEL_L3,
	LEVEL_CACHE, /* some cache of another core, which one is not said */
	LEVEL_RAM,
	LEVEL_IO,
	LEVEL_UNCACHED,
	LEVEL_MISS, /* missed, and where it was served from is not said */
	MEMORY_LEVELS
};

/* How far away the data was. */
enum memory_distance {
	DISTANCE_SAME_LLC,  /* this core, or another under the same last-level cache */
	DISTANCE_SAME_NODE, /* another last-level cache of the same node */
	DISTANCE_OTHER_NODE,
	MEMORY_DISTANCES
};

struct data_source {
	enum memory_kind kind;
	enum memory_level level;
	enum memory_distance distance;
	bool hitm;    /* the line was modified in another core's cache */
	bool peer;    /* came from another core, not known to be modified (Arm SPE) */
	bool forward; /* forwarded clean from another core's cache */
	bool miss;    /* a store that missed the first level */
	bool locked;  /* part of a locked operation */
};

struct data_source data_source_decode(uint64_t word);

/* The word that decodes to "d", in the encodings that perf c2c counts the same way. For the model.
 */
uint64_t data_source_encode(const struct data_source *d);

/* What samples of a CPU cannot tell, in a sentence; NULL when there is nothing to say. "cpuid": as
 * perf records it, "GenuineIntel,6,106,6" or an Arm "0x00000000410fd0c0"; may be NULL. */
const char *data_source_caveat(const char *cpuid);

#endif
