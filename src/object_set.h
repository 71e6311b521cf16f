/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that notes name, by address; they may nest. */
#ifndef HITMAP_OBJECT_SET_H
#define HITMAP_OBJECT_SET_H

#include "note.h"

struct object {
	uint64_t addr, end;
	uint64_t reach; /* the highest end up to here, in sorted order */
	const char *type, *name;
	uint32_t pid;
	uint32_t order; /* of the note */
	/* Of a block of a heap: */
	uint64_t caller;
	uint32_t number, others;
};

struct object_set {
	struct object *item;
	uint32_t count, room;
	bool sorted;
};

void object_set_deinit(struct object_set *s);
void object_set_add(struct object_set *s, const struct note_object *note);
void object_set_add_block(struct object_set *s, const struct note_block *note);
/* The innermost object that holds "addr", of equals the one noted last; NULL when none. */
const struct object *object_set_find(struct object_set *s, uint64_t addr);

#endif
