/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of one type: its members, those of nested types included, by path. It is read from BTF
 * (type_btf.h) or from DWARF (dwarf_layout()) and does not depend on either.
 *
 *	struct ring { struct { int head; }; struct slot { long n; } used[4]; int grid[2][3]; }
 *
 *	head		offset 0
 *	used[]		offset 8, 4 elements 8 bytes apart, an aggregate
 *	used[].n	the same
 *	grid[][]	offset 40, 2 elements 12 bytes apart, of 3 elements 4 bytes apart each
 *
 * An anonymous member is passed through: its members are named as its owner's.
 */
#ifndef HITMAP_LAYOUT_H
#define HITMAP_LAYOUT_H

#include "intern.h"

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_DIMENSIONS 6	/* arrays around a member, at most */
#define LAYOUT_NESTING	  32	/* of types within each other */
#define LAYOUT_MEMBERS	  65536 /* what is beyond is left out, and the layout says so */
#define LAYOUT_PATH	  512

struct layout_dimension {
	uint64_t stride; /* bytes from one element to the next */
	uint64_t count;	 /* 0: as many as there are, "[]" at the end of a type */
};

struct layout_member {
	const char *path;  /* "siglock", "rlimit[]": "[]" for each dimension */
	const char *type;  /* as its author spells it: "struct spinlock", "atomic_t" */
	uint64_t offset;   /* bytes from the type's start; of an array its first element's */
	uint64_t size;	   /* bytes; of an array one element's */
	uint8_t bits, bit; /* of a bit-field: its width and the first bit's place in "offset" */
	uint8_t dimensions, align; /* align: what its type asks for, bytes; 0: not known */
	bool aggregate;		   /* its own members follow */
	struct layout_dimension dimension[LAYOUT_DIMENSIONS];
};

struct layout {
	const char *name; /* with its keyword: "struct ucounts" */
	uint64_t size;
	uint64_t align; /* the largest of its members; BTF does not tell of __aligned() */
	struct layout_member *member; /* in the order of declaration */
	uint32_t members, room;
	uint32_t passed; /* anonymous members, which count as members for what a file may cost */
	bool cut;	 /* it has more members, or deeper ones, than are kept */
};

void layout_deinit(struct layout *l);

/* One place in a type: what a path or an offset leads to. */
struct layout_place {
	const struct layout_member *member;
	uint64_t offset, size;	/* of the member or of the very element */
	char path[LAYOUT_PATH]; /* with the indexes: "rlimit[2]" */
};

/* The member that "path" names: "rlimit[2]", "lock.owner"; "rlimit" is the whole array. */
bool layout_find(const struct layout *l, const char *path, struct layout_place *place);
/* The innermost member that holds byte "offset"; of a union the first; false for padding. */
bool layout_at(const struct layout *l, uint64_t offset, struct layout_place *place);

/*
 * For readers of debug information: members are added depth first. "prefix" is where the walk is,
 * and what it has passed.
 */
struct layout_walk {
	struct layout *layout;
	struct intern *pool;
	struct layout_member
		at; /* the owner: its path, offset and dimensions hold for its members */
	uint32_t depth;
};

/* The walk for the members of "m", which were added with layout_add(). */
struct layout_walk layout_within(const struct layout_walk *w, const struct layout_member *m);
/* Adds a member called "name" ("" for an anonymous one, which is only passed through), whose offset
 * and dimensions count from its owner. The result is "m" as it counts from the layout's start;
 * false when there is no room. */
bool layout_add(struct layout_walk *w, const char *name, struct layout_member *m);

#endif
