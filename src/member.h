/* SPDX-License-Identifier: GPL-2.0-only */
/* The member at an offset of a type, by the path its author would write: "used[3].count". */
#ifndef HITMAP_MEMBER_H
#define HITMAP_MEMBER_H

#include "type_dwarf.h"
#include "type_table.h"

/*
 * Names the member at byte "offset" of "type" in "m", but for m->type. The path begins with
 * "prefix", and m->offset counts from "base" bytes before the type. False for padding.
 */
bool member_name(struct type_table *t, Dwarf_Die type, uint64_t offset, const char *prefix,
		 uint64_t base, struct dwarf_member *m);

/* Where a member, or a base class, lies in its struct. */
struct member_place {
	Dwarf_Die type;
	uint64_t offset, size; /* bytes; size DIE_SIZE_UNKNOWN: a flexible array */
	uint8_t bits, bit; /* of a bit-field: its width, and the first bit's place in "offset" */
};

/* False for a DIE that takes no room in its struct: a function, a static member. */
bool member_read(struct type_table *t, Dwarf_Die *die, struct member_place *m);

/* Whether a type is one value to its users: a number, a pointer, an atomic of one. */
bool member_is_value(Dwarf_Die type);

/* The type of that member, one value that has no members itself; false for padding. */
bool member_type(struct type_table *t, Dwarf_Die type, uint64_t offset, Dwarf_Die *leaf);

#endif
