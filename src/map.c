// SPDX-License-Identifier: GPL-2.0-only
#include "map.h"
#include "mem.h"

#include <stdlib.h>

void map_init(struct map *m)
{
	*m = (struct map){ .slots = 16 };
	m->slot = mem_zalloc(m->slots * sizeof(*m->slot));
	m->used = mem_zalloc(m->slots);
}

void map_deinit(struct map *m)
{
	free(m->slot);
	free(m->used);
	*m = (struct map){ 0 };
}

static size_t find(const struct map *m, uint64_t key)
{
	size_t i = map_hash(key) & (m->slots - 1);

	while (m->used[i] && m->slot[i].key != key)
		i = (i + 1) & (m->slots - 1);
	return i;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->slots = 2 * old.slots;
	m->slot = mem_zalloc(m->slots * sizeof(*m->slot));
	m->used = mem_zalloc(m->slots);
	for (size_t i = 0; i < old.slots; i++) {
		if (!old.used[i])
			continue;
		size_t to = find(m, old.slot[i].key);

		m->used[to] = 1;
		m->slot[to] = old.slot[i];
	}
	map_deinit(&old);
}

uint64_t *map_put(struct map *m, uint64_t key, uint64_t fresh, bool *made)
{
	size_t i = find(m, key);

	if (made)
		*made = !m->used[i];
	if (m->used[i])
		return &m->slot[i].value;
	if (2 * (m->count + 1) > m->slots) {
		grow(m);
		i = find(m, key);
	}
	m->used[i] = 1;
	m->slot[i] = (struct map_slot){ key, fresh };
	m->count++;
	return &m->slot[i].value;
}

uint64_t *map_get(const struct map *m, uint64_t key)
{
	size_t i = find(m, key);

	return m->used[i] ? &m->slot[i].value : NULL;
}
