/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which mapping an address lies in: disjoint ranges of addresses, the later replacing what it
 * overlaps. A copy (a forked process) costs nothing: it shares the ranges until either side changes
 * them.
 */
#ifndef HITMAP_RANGE_H
#define HITMAP_RANGE_H

#include <stdint.h>

struct range_node;

struct range {
	uint64_t start, end; /* [start, end) */
	void *value;
};

/* The memory of many sets, which may share it. */
struct range_pool {
	struct range_block *block;
	struct range_node *unused;
	uint32_t room; /* nodes left in "block" */
	uint32_t last_owner;
	uint64_t shuffle;
};

struct range_set {
	struct range_node *root;
	uint32_t owner; /* nodes of another owner are shared, and copied before they change */
};

void range_pool_init(struct range_pool *p);
void range_pool_deinit(struct range_pool *p);

void range_set_init(struct range_set *s, struct range_pool *p);
void range_set_copy(struct range_set *to, struct range_set *from, struct range_pool *p);

/* Puts [r->start, r->end) into the set; nothing when it is empty. */
void range_put(struct range_set *s, struct range_pool *p, const struct range *r);

/* The range that holds "addr"; NULL when none. Good until the set changes. */
const struct range *range_find(const struct range_set *s, uint64_t addr);
/* The last range that starts at or below "addr"; NULL when none. */
const struct range *range_below(const struct range_set *s, uint64_t addr);

#endif
