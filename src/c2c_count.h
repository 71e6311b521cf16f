/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts as perf c2c counts (c2c_decode_stats() and builtin-c2c.c of Linux 6.1; the same in 6.12),
 * so that its figures can be had from any recording and held against perf. One sample may add to
 * several counters, some of them twice; docs/counting.md says where that misleads. Nothing of this
 * is filled unless it is asked for.
 */
#ifndef HITMAP_C2C_COUNT_H
#define HITMAP_C2C_COUNT_H

#include "attrib.h"
#include "idset.h"
#include "source.h"

enum c2c_counter {
	C2C_RECORDS,
	C2C_LOCKED,
	C2C_LOADS,
	C2C_LD_NO_ADDRESS,
	C2C_LD_UNCACHED,
	C2C_LD_IO,
	C2C_LD_MISS,
	C2C_LD_FILL_BUFFER,
	C2C_LD_L1,
	C2C_LD_L2,
	C2C_LD_LLC, /* without HITM */
	C2C_LCL_HITM,
	C2C_RMT_HITM,
	C2C_LCL_PEER,
	C2C_RMT_PEER,
	C2C_RMT_HIT,
	C2C_LCL_DRAM,
	C2C_RMT_DRAM,
	C2C_LD_EXCLUSIVE,
	C2C_LD_SHARED,
	C2C_BLOCKED_DATA,
	C2C_BLOCKED_ADDRESS,
	C2C_STORES,
	C2C_ST_NO_ADDRESS,
	C2C_ST_UNCACHED,
	C2C_ST_L1_HIT,
	C2C_ST_L1_MISS,
	C2C_ST_UNKNOWN, /* no level recorded */
	C2C_NO_MAP,	/* data or code in no known mapping; counted elsewhere as well */
	C2C_NO_PARSE,	/* neither load nor store */
	C2C_COUNTERS
};

/* 32 bits, as perf's. */
struct c2c_counts {
	uint32_t n[C2C_COUNTERS];
};

/* What one sample adds to each counter. */
struct c2c_step {
	uint8_t n[C2C_COUNTERS];
};

/* Kinds of sample that have a mean weight; a sample is of the first that it counts as. */
enum c2c_kind {
	C2C_MEAN_RMT_HITM,
	C2C_MEAN_LCL_HITM,
	C2C_MEAN_RMT_PEER,
	C2C_MEAN_LCL_PEER,
	C2C_MEAN_LOAD,
	C2C_MEANS
};

struct c2c_mean {
	double value;
	uint32_t count;
};

/* Where the memory was. */
struct c2c_memory {
	struct idset nodes; /* empty: no physical address, or none of a known node */
	uint64_t last;	    /* physical address */
	uint32_t changes;   /* of it: perf's "PA cnt" */
};

/* One code address touching one offset of a line. */
struct c2c_row {
	uint64_t ip;
	uint32_t offset;
	uint8_t cpumode;	    /* of its first sample */
	const struct mapping *code; /* the same */
	struct c2c_counts counts;
	struct c2c_mean mean[C2C_MEANS];
	struct idset cpus;
	struct c2c_memory memory;
};

struct c2c_line {
	uint64_t addr; /* of its first sample */
	struct c2c_counts counts;
	struct c2c_memory memory;
	struct c2c_row *rows; /* sorted by offset, then ip */
	uint32_t row_count;
};

struct c2c {
	struct c2c_counts total;
	struct c2c_counts shared; /* of lines with a HITM or a peer */
	uint32_t shared_lines;
	struct c2c_line *lines; /* in the order of perf's keys */
	uint32_t line_count;
};

/* What a sample with this data source counts as, before its mappings are looked at. */
struct c2c_step c2c_decode(uint64_t data_src, uint64_t addr);

/* Reads a source to its end. On an error "*c2c" holds what came before it (it is set all the same).
 */
struct err *c2c_read(struct source *s, struct attrib *attrib, struct c2c **c2c);
void c2c_free(struct c2c *c);

/* Figures that perf puts together from several counters. */
uint32_t c2c_llc_misses(const struct c2c_counts *c);
uint32_t c2c_load_records(const struct c2c_counts *c);	/* loads by where they were served */
uint32_t c2c_total_records(const struct c2c_counts *c); /* these and stores; not all samples */

#endif
