/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One type in two builds: which of its fields lie elsewhere in their lines, and which members
 * pushed them there. Offsets count from an object that begins a line, as slab caches of lines,
 * page-aligned memory and types with an alignment of a line have it; of others the offset of the
 * base comes on top, and how many bases put two fields into one line is told.
 */
#ifndef HITMAP_BUILD_COMPARE_H
#define HITMAP_BUILD_COMPARE_H

#include "layout.h"

#define BUILD_LINE_BYTES 64

enum build_side { BUILD_BEFORE, BUILD_AFTER, BUILD_SIDES };

/* The first that holds. */
enum build_change {
	BUILD_GONE,
	BUILD_NEW,
	BUILD_LINE,  /* another line */
	BUILD_HALF,  /* the other half of the same line */
	BUILD_MOVED, /* another offset in the same half */
	BUILD_RESIZED,
	BUILD_SAME,
	BUILD_CHANGES
};

struct build_place {
	bool there;
	uint64_t offset, size; /* bytes */
};

/* A member in front of a field that makes its offset another one. */
struct build_push {
	const char *member;
	enum build_push_what { PUSH_ADDED, PUSH_REMOVED, PUSH_RESIZED, PUSH_PASSED } what;
	int64_t bytes; /* of its own size; PASSED: it was behind the field and is before it (> 0),
			* or the reverse */
};

#define BUILD_NEIGHBOURS 4 /* that are named */

struct build_neighbours {
	const char *name[BUILD_NEIGHBOURS];
	uint32_t count; /* with those that are not named */
};

struct build_field {
	const char *path;
	bool hot;
	enum build_change change;
	struct build_place side[BUILD_SIDES];
	struct build_push *push; /* in the order of the members */
	uint32_t pushes;
	/* Of a hot one, members of the type itself: new in its line, and no longer in it. */
	struct build_neighbours joined, parted;
};

/* Two hot fields of one type, of which the line that they share is another one in the builds. */
struct build_pair {
	const char *first, *second;
	bool together[BUILD_SIDES];  /* at base 0 */
	uint32_t bases[BUILD_SIDES]; /* that put them into one line, of "of" */
	uint32_t of[BUILD_SIDES];    /* bases that the type's alignment allows */
};

struct build_type {
	const char *name;
	bool there[BUILD_SIDES];
	uint64_t size[BUILD_SIDES], align[BUILD_SIDES];
	struct build_field *field; /* hot ones first, then by offset after, or before where gone */
	uint32_t fields, field_room;
	struct build_pair *pair;
	uint32_t pairs, pair_room;
	uint32_t shifted; /* fields with another line or half */
};

/* "before", "after": NULL where the type is not. "hot": paths, "hots" of them; those that neither
 * side has are left out. Strings are of "pool" and of the layouts, which must stay. */
void build_compare(const struct layout *before, const struct layout *after, const char **hot,
		   uint32_t hots, struct intern *pool, struct build_type *t);
void build_type_deinit(struct build_type *t);

#endif
