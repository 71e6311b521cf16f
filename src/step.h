/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sample adds to counts, by its data source: a bit for each count that grows by one. A
 * recording has few different data source words, so that those seen lately need no decoding.
 */
#ifndef HITMAP_STEP_H
#define HITMAP_STEP_H

#include "data_source.h"
#include "sample.h"

enum step_bit {
	STEP_LOAD = 1 << 0,
	STEP_STORE = 1 << 1,
	STEP_HITM = 1 << 2, /* shifted by the distance */
	STEP_STORE_MISS = STEP_HITM << MEMORY_DISTANCES,
	STEP_PEER = STEP_STORE_MISS << 1,
	STEP_LOCKED = STEP_PEER << 1,
};
#define STEP_NONE 0 /* no memory sample */
#define STEP_BITS 8

_Static_assert(STEP_LOCKED == 1 << (STEP_BITS - 1), "a step is a byte");

#define STEPS_SEEN 256 /* a power of two */

/* Starts zeroed: the word 0 says nothing. */
struct steps {
	uint64_t word[STEPS_SEEN];
	uint8_t step[STEPS_SEEN];
};

uint8_t step_of(const struct data_source *d);
/* Sets "step" of each sample. */
void steps_look(struct steps *seen, struct sample *samples, uint32_t count);

#endif
