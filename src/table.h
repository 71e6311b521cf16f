/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds elements of an array by hash: open addressing, at most three quarters full. A slot keeps
 *the element's hash, so that elements which cannot be meant are not looked at, and growing asks
 *nobody. The caller owns the array and compares:
 *
 *	for (uint32_t at = hash; (i = table_next(t, hash, &at)) != TABLE_NONE;)
 *		if (is_it(&item[i]))
 *			return i;
 *	item[count] = ...;
 *	table_put(t, hash, count++);
 */
#ifndef HITMAP_TABLE_H
#define HITMAP_TABLE_H

#include <stdint.h>

#define TABLE_NONE UINT32_MAX

struct table_slot {
	uint32_t hash, next; /* next: the element's index + 1, or 0 */
};

struct table {
	struct table_slot *slot;
	uint32_t slots, used;	    /* slots: a power of two */
	struct mem_promise *larger; /* the slots that it will need soon, or NULL */
};

void table_init(struct table *t);
void table_deinit(struct table *t);
/* An element may be put under more than one hash. */
void table_put(struct table *t, uint32_t hash, uint32_t index);

/* The next element that was put with "hash"; "*at" is the hash at first. */
static inline uint32_t table_next(const struct table *t, uint32_t hash, uint32_t *at)
{
	for (;; ++*at) {
		const struct table_slot *s = &t->slot[*at & (t->slots - 1)];

		if (!s->next)
			return TABLE_NONE;
		if (s->hash == hash) {
			++*at;
			return s->next - 1;
		}
	}
}

/* Hints for elements that will be asked for soon: the slot, then what table_next() will most likely
 * give. */
static inline void table_prefetch(const struct table *t, uint32_t hash)
{
	__builtin_prefetch(&t->slot[hash & (t->slots - 1)]);
}

#endif
