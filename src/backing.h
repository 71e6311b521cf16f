/* SPDX-License-Identifier: GPL-2.0-only */
/* What a mapping is of, as its record tells. */
#ifndef HITMAP_BACKING_H
#define HITMAP_BACKING_H

#include "source.h"

/* The name to show for memory that is no file, "[anon]"; NULL for a file. */
const char *backing_pseudo(const char *path);

/* One pointer for each file or shared memory that several processes can map; NULL for private
 * memory. By device and inode; where a build id was recorded in their place, by the path of a file
 * that still has it. */
const char *backing_shared(const struct event_map *map, struct intern *pool);

/* Whether "map" is the same memory as "old", which was at its start before: paths are interned, and
 * the same bytes of a file must lie at the same address. */
bool backing_same(const struct event_map *old, const struct event_map *map);

#endif
