/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of a heap: what libhitmap-heap.so, in the recorded program, writes into the file that
 * HITMAP_HEAP names, and "hitmap record" reads when the program has ended. The file has its full
 * size from the start (and holes); processes forked from the program share it.
 */
#ifndef HITMAP_HEAP_LOG_H
#define HITMAP_HEAP_LOG_H

#include <stdint.h>

#define HEAP_LOG_ENVIRONMENT "HITMAP_HEAP"
#define HEAP_LOG_MAGIC	     0x70616568706d7468ull /* "htmpheap" */
#define HEAP_LOG_RECORDS     (1u << 20)
#define HEAP_LOG_CHUNK	     256 /* records that one thread takes at a time: none shares a line */

struct heap_log_head {
	uint64_t magic;
	uint64_t chunks; /* taken, also those past the file's end */
	uint64_t unused[6];
};

/* A block that begins, or, with size 0, one that ends. All zero: not written. */
struct heap_log_record {
	uint64_t time; /* of any clock that all threads share */
	uint64_t addr, size;
	uint64_t caller; /* return address into what asked for the block */
	uint32_t pid, tid;
	uint8_t reserved[24]; /* to fill a line */
};

#define HEAP_LOG_BYTES                                                                             \
	(sizeof(struct heap_log_head) + HEAP_LOG_RECORDS * sizeof(struct heap_log_record))

#endif
