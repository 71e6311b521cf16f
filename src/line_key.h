/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells a line from others. Where physical addresses were recorded those do, for the kernel's
 * accesses and the processes' alike. Else the place in a shared mapping's file. Else the address in
 * its process, in what was mapped there at that time: after a fork, two.
 */
#ifndef HITMAP_LINE_KEY_H
#define HITMAP_LINE_KEY_H

#include "attrib.h"
#include "line.h"
#include "map.h"

struct line_key {
	const void *memory; /* NULL when it is not known */
	uint64_t place;	    /* of the line's first byte in it */
	uint32_t pid;	    /* of private memory; 0: the kernel's */
	bool common;	    /* other addresses lead to it, too */
};

/* The key of the line at "addr" of process "pid", which lies in "data" (may be NULL) and physically
 * at "phys_addr" (0: not known). */
struct line_key line_key_of(uint64_t addr, uint64_t phys_addr, uint32_t pid,
			    const struct mapping *data, uint32_t line_size);

static inline bool line_key_equal(const struct line_key *a, const struct line_key *b)
{
	return a->place == b->place && a->memory == b->memory && a->pid == b->pid &&
	       a->common == b->common;
}

static inline bool line_is_kernel(uint64_t addr)
{
	return addr >> 63; /* the kernel's half of a 64-bit address space */
}

static inline uint64_t line_key_hash(const struct line_key *k)
{
	return map_hash(map_hash((uintptr_t)k->memory) ^ k->place ^ (uint64_t)k->pid << 40);
}

#endif
