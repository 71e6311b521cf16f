// SPDX-License-Identifier: GPL-2.0-only
#include "idset.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

void idset_deinit(struct idset *s)
{
	if (s->room)
		free(s->many);
	*s = (struct idset){ 0 };
}

/* Index of the first member that is not below "id". */
static uint32_t lower_bound(const struct idset *s, uint32_t id)
{
	const uint32_t *ids = idset_ids(s);
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void reserve(struct idset *s, uint32_t count)
{
	uint32_t room = s->room ? s->room : 4;
	uint32_t few[IDSET_INLINE];

	if (count <= (s->room ? s->room : IDSET_INLINE))
		return;
	while (room < count)
		room *= 2;
	memcpy(few, s->few, sizeof(few));
	s->many = mem_realloc(s->room ? s->many : NULL, room, sizeof(*s->many));
	if (!s->room)
		memcpy(s->many, few, sizeof(few));
	s->room = room;
}

bool idset_has(const struct idset *s, uint32_t id)
{
	uint32_t at = lower_bound(s, id);

	return at < s->count && idset_ids(s)[at] == id;
}

bool idset_add(struct idset *s, uint32_t id)
{
	uint32_t at = lower_bound(s, id);
	uint32_t *ids;

	if (at < s->count && idset_ids(s)[at] == id)
		return false;
	reserve(s, s->count + 1);
	ids = s->room ? s->many : s->few;
	memmove(ids + at + 1, ids + at, (s->count - at) * sizeof(*ids));
	ids[at] = id;
	s->count++;
	return true;
}

/* From the back, so that nothing is overwritten before it is read. */
void idset_merge(struct idset *s, const struct idset *from)
{
	const uint32_t *other = idset_ids(from);
	uint32_t fresh = 0, i, j, to;
	uint32_t *ids;

	for (j = 0; j < from->count; j++)
		fresh += !idset_has(s, other[j]);
	if (!fresh)
		return;
	reserve(s, s->count + fresh);
	ids = s->room ? s->many : s->few;
	i = s->count;
	j = from->count;
	s->count += fresh;
	for (to = s->count; j > 0; to--) {
		if (i && ids[i - 1] >= other[j - 1]) {
			j -= ids[i - 1] == other[j - 1];
			ids[to - 1] = ids[i - 1];
			i--;
		} else {
			ids[to - 1] = other[--j];
		}
	}
}
