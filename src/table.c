// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"
#include "mem.h"

#include <stdlib.h>

#define FIRST_SLOTS 1024

void table_init(struct table *t)
{
	*t = (struct table){ .slots = FIRST_SLOTS };
	t->slot = mem_zalloc(t->slots * sizeof(*t->slot));
}

void table_deinit(struct table *t)
{
	free(t->slot);
	*t = (struct table){ 0 };
}

static void place(struct table *t, struct table_slot s)
{
	uint32_t at = s.hash;

	while (t->slot[at & (t->slots - 1)].next)
		at++;
	t->slot[at & (t->slots - 1)] = s;
}

static void grow(struct table *t)
{
	struct table old = *t;

	t->slots = 2 * old.slots;
	t->slot = mem_zalloc(t->slots * sizeof(*t->slot));
	for (uint32_t i = 0; i < old.slots; i++)
		if (old.slot[i].next)
			place(t, old.slot[i]);
	free(old.slot);
}

void table_put(struct table *t, uint32_t hash, uint32_t index)
{
	if (2 * (t->used + 1) > t->slots)
		grow(t);
	place(t, (struct table_slot){ hash, index + 1 });
	t->used++;
}
