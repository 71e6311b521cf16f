// SPDX-License-Identifier: GPL-2.0-only
#include "object_set.h"
#include "mem.h"

#include <stdlib.h>

void object_set_deinit(struct object_set *s)
{
	free(s->item);
}

void object_set_add(struct object_set *s, const struct note_object *note)
{
	uint64_t end = note->addr + note->size;

	mem_grow(&s->item, &s->room, s->count);
	s->item[s->count] = (struct object){
		.addr = note->addr,
		.end = end < note->addr ? UINT64_MAX : end,
		.type = note->type,
		.name = note->name,
		.pid = note->pid,
		.order = s->count,
	};
	s->count++;
	s->sorted = false;
}

void object_set_add_block(struct object_set *s, const struct note_block *note)
{
	object_set_add(s, &(struct note_object){ .addr = note->addr, .size = note->size });
	s->item[s->count - 1].caller = note->caller;
	s->item[s->count - 1].number = note->number;
	s->item[s->count - 1].others = note->others;
}

/* Outer before inner, so that the last one that holds an address is the innermost; among equals the
 * latest note. */
static int compare_objects(const void *x, const void *y)
{
	const struct object *a = x, *b = y;

	return CMP(a->addr, b->addr) ?: CMP(b->end, a->end) ?: CMP(a->order, b->order);
}

static void sort_objects(struct object_set *s)
{
	uint64_t reach = 0;

	if (s->sorted || !s->count)
		return;
	qsort(s->item, s->count, sizeof(*s->item), compare_objects);
	for (uint32_t i = 0; i < s->count; i++) {
		reach = s->item[i].end > reach ? s->item[i].end : reach;
		s->item[i].reach = reach;
	}
	s->sorted = true;
}

const struct object *object_set_find(struct object_set *s, uint64_t addr)
{
	uint32_t low = 0, high = s->count;

	sort_objects(s);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->item[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low && s->item[low - 1].reach > addr; low--)
		if (addr < s->item[low - 1].end)
			return &s->item[low - 1];
	return NULL;
}
