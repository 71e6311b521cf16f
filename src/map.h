/* SPDX-License-Identifier: GPL-2.0-only */
/* A hash map from 64-bit keys to 64-bit values, for addresses, ids and indexes. */
#ifndef HITMAP_MAP_H
#define HITMAP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_slot {
		uint64_t key, value;
	} * slot;
	uint8_t *used;
	size_t slots, count;
};

void map_init(struct map *m);
void map_deinit(struct map *m);

/* The value of "key", which is made with value "fresh" when absent; "*made" (may be NULL) says so.
 * The pointer is good until the next map_put(). */
uint64_t *map_put(struct map *m, uint64_t key, uint64_t fresh, bool *made);

/* NULL when there is no such key. */
uint64_t *map_get(const struct map *m, uint64_t key);

static inline uint64_t map_hash(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL; /* multiply and fold: cheap, no weak low bits */
	return x ^ x >> 32;
}

#endif
