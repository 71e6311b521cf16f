// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"
#include "mem.h"

#include <stdlib.h>

#define FIRST_SLOTS 1024
#define LARGE_TABLE (1U << 15) /* slots */

static struct table_slot *slots_new(uint32_t count)
{
	size_t size = count * sizeof(struct table_slot);

	return count < LARGE_TABLE ? mem_zalloc(size) : mem_scattered(size);
}

static void slots_free(struct table_slot *slot, uint32_t count)
{
	if (count < LARGE_TABLE)
		free(slot);
	else
		mem_free_scattered(slot, count * sizeof(*slot));
}

void table_init(struct table *t)
{
	*t = (struct table){ .slots = FIRST_SLOTS };
	t->slot = slots_new(t->slots);
}

void table_deinit(struct table *t)
{
	if (t->larger)
		slots_free(mem_promise_take(t->larger), 2 * t->slots);
	slots_free(t->slot, t->slots);
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
	t->slot = t->larger ? mem_promise_take(t->larger) : slots_new(t->slots);
	t->larger = NULL;
	for (uint32_t i = 0; i < old.slots; i++)
		if (old.slot[i].next)
			place(t, old.slot[i]);
	slots_free(old.slot, old.slots);
}

void table_put(struct table *t, uint32_t hash, uint32_t index)
{
	if (t->used >= t->slots / 16 * 12)
		grow(t);
	else if (t->used >= t->slots / 16 * 11 && 2 * t->slots >= LARGE_TABLE && !t->larger)
		t->larger = mem_scattered_promise(2 * t->slots * sizeof(*t->slot));
	place(t, (struct table_slot){ hash, index + 1 });
	t->used++;
}
