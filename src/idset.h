/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of small numbers (CPUs, threads). Most hold one or two members, which need no memory of
 * their own. */
#ifndef HITMAP_IDSET_H
#define HITMAP_IDSET_H

#include <stdbool.h>
#include <stdint.h>

#define IDSET_INLINE 2

/* Zeroed is empty. May be moved by copying the structure, as long as one copy is used and ended. */
struct idset {
	union {
		uint32_t few[IDSET_INLINE]; /* room is 0 */
		uint32_t *many;
	};
	uint32_t count, room;
};

void idset_deinit(struct idset *s);

/* Adds "id"; false when it was there. */
bool idset_add(struct idset *s, uint32_t id);
void idset_merge(struct idset *s, const struct idset *from);
bool idset_has(const struct idset *s, uint32_t id);

/* The members, ascending. */
static inline const uint32_t *idset_ids(const struct idset *s)
{
	return s->room ? s->many : s->few;
}

#endif
