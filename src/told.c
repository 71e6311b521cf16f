// SPDX-License-Identifier: GPL-2.0-only
#include "told.h"
#include "mem.h"

#include <stdlib.h>

void told_init(struct told *t)
{
	*t = (struct told){ 0 };
	map_init(&t->symbols);
	map_init(&t->build_ids);
}

void told_deinit(struct told *t)
{
	map_deinit(&t->symbols);
	map_deinit(&t->build_ids);
	free(t->place);
	free(t->build_id);
}

void told_add_symbol(struct told *t, uint64_t addr, const struct code_place *place)
{
	mem_grow(&t->place, &t->place_room, t->places);
	*map_put(&t->symbols, addr, 0, NULL) = t->places;
	t->place[t->places++] = *place;
}

void told_add_build_id(struct told *t, const struct event_map *map)
{
	mem_grow(&t->build_id, &t->build_id_room, t->build_id_count);
	*map_put(&t->build_ids, (uintptr_t)map->path, 0, NULL) = t->build_id_count;
	t->build_id[t->build_id_count++] = *map;
}

const struct code_place *told_symbol(const struct told *t, uint64_t addr)
{
	uint64_t *index = map_get(&t->symbols, addr);

	return index ? &t->place[*index] : NULL;
}

const struct event_map *told_build_id(const struct told *t, const struct event_map *map)
{
	uint64_t *index = map->build_id_size ? NULL : map_get(&t->build_ids, (uintptr_t)map->path);

	return index ? &t->build_id[*index] : map;
}
