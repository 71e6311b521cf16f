/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of programs that the kernel's own code touched: futexes, buffers of calls. Most are used by
 * one thread, so that their lines are not among a profile's. */
#ifndef HITMAP_TOUCHED_H
#define HITMAP_TOUCHED_H

#include "cell_store.h"

struct touched {
	uint64_t addr;
	uint64_t ip;			   /* in the kernel */
	const struct mapping *data, *code; /* NULL when unknown */
	uint32_t pid;
	uint64_t samples;
};

/* One for each cell, in the order they came. The array is the caller's. */
struct touched *touched_collect(const struct cell_store *s, uint32_t *count);

#endif
