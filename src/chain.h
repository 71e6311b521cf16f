/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains as samples carry them (PERF_SAMPLE_CALLCHAIN), each kept once and known by a number:
 * code addresses from the innermost on, with a marker (PERF_CONTEXT_KERNEL, _USER ...) where those
 * of the kernel or of the program begin. One thread adds chains; another one may look at those
 * whose number it was given.
 */
#ifndef HITMAP_CHAIN_H
#define HITMAP_CHAIN_H

#include <stdint.h>

#define CHAIN_NONE    0
#define CHAIN_LONGEST 128 /* words that are kept of a chain, the innermost */

struct chain_set;

struct chain {
	const uint64_t *word;
	uint32_t count;
};

struct chain_set *chain_set_new(void);
void chain_set_free(struct chain_set *s);

/* The number of a chain; CHAIN_NONE for an empty one, and for new ones once all take 64 MB. */
uint32_t chain_put(struct chain_set *s, const uint64_t *word, uint32_t count);
struct chain chain_get(const struct chain_set *s, uint32_t number);

#endif
