/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording itself says of names, to be believed where its files do not tell: symbols of
 * code addresses (text of perf script), and build ids that come after the maps (pipes). */
#ifndef HITMAP_TOLD_H
#define HITMAP_TOLD_H

#include "attrib.h"
#include "map.h"

struct told {
	struct map symbols; /* code address -> index in "place" */
	struct code_place *place;
	struct map build_ids; /* interned path -> index in "build_id" */
	struct event_map *build_id;
	uint32_t places, place_room, build_id_count, build_id_room;
};

void told_init(struct told *t);
void told_deinit(struct told *t);

/* A later word on the same address or path replaces the earlier. */
void told_add_symbol(struct told *t, uint64_t addr, const struct code_place *place);
void told_add_build_id(struct told *t, const struct event_map *map);

const struct code_place *told_symbol(const struct told *t, uint64_t addr); /* NULL: nothing */
/* What the file was when "map" was recorded: with the mapping itself, or with its path. */
const struct event_map *told_build_id(const struct told *t, const struct event_map *map);

#endif
