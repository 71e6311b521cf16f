/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as the kernel writes them, of what it did not write. Their time is 0: before all others.
 */
#ifndef HITMAP_KERNEL_RECORD_H
#define HITMAP_KERNEL_RECORD_H

#include "err.h"

#include <linux/perf_event.h>
#include <stdint.h>

struct kernel_record {
	uint64_t sample_type; /* of the event that they are said to be of: what the trailer has */
	uint64_t id;	      /* the event's */
	struct err *(*put)(void *context, const void *record, size_t size);
	void *context;
};

struct kernel_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor, prot, flags; /* those of mmap() */
	const char *path;
};

struct err *kernel_record_comm(const struct kernel_record *s, uint32_t pid, uint32_t tid,
			       const char *name);
struct err *kernel_record_thread(const struct kernel_record *s, uint32_t pid, uint32_t tid);
struct err *kernel_record_map(const struct kernel_record *s, uint32_t pid,
			      const struct kernel_map *m);
/* The kernel's code; "offset" is the address of the symbol that the path ends in, by which readers
 * find how far the kernel was moved. */
struct err *kernel_record_code(const struct kernel_record *s, uint64_t start, uint64_t size,
			       uint64_t offset, const char *path);
struct err *kernel_record_lost(const struct kernel_record *s, uint64_t count);

#endif
