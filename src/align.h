/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Did an object move, or its use change? Two recordings, object by object: what of the layout
 * changed, and whether the contention did.
 */
#ifndef HITMAP_ALIGN_H
#define HITMAP_ALIGN_H

#include "object_use.h"
#include "stat.h"

enum align_side { ALIGN_BEFORE, ALIGN_AFTER, ALIGN_SIDES };

/* What tells most about a change, the first that holds. */
enum align_kind {
	ALIGN_MERGED,	    /* fields that were apart share a line now */
	ALIGN_SPLIT,	    /* fields that shared a line are apart now */
	ALIGN_FIELD_MOVED,  /* fields lie elsewhere in the object, with the same neighbours */
	ALIGN_OBJECT_MOVED, /* the object begins elsewhere in its line, with the same neighbours */
	ALIGN_COLLISION,    /* the threads meet at fewer elements of the object */
	ALIGN_TRUE_SHARING, /* the layout is the same; fields that all of their threads write */
	ALIGN_USE,	    /* the layout is the same; other changes of use */
	ALIGN_NEW,
	ALIGN_GONE,
	ALIGN_SAME,
	ALIGN_KINDS
};

/* A field on both sides. Its neighbours are the fields, of any object, in its line. */
struct align_field {
	const struct use_field *side[ALIGN_SIDES]; /* NULL when absent */
	uint32_t line_offset[ALIGN_SIDES];
	bool joined, parted; /* it has a neighbour now that it had not, and the reverse; one of the
			      * two writes */
	const char *with;    /* the one it joined, or else parted from: its name; NULL: none */
};

struct align_object {
	const struct use_object *side[ALIGN_SIDES]; /* NULL when absent */
	enum align_kind kind;
	struct align_field *fields;
	uint32_t field_count, field_room;
	double rate[ALIGN_SIDES]; /* HITM by the unit of "struct align" */
	struct stat_ratio ratio; /* after by before; its p is corrected for the number of objects */
	bool changed;		 /* the rates differ beyond noise */
	const struct use_field *pusher; /* the first field that moved in the object, of after */
	/* Elements that threads meet at, of an array; 0: it is none. */
	uint32_t elements[ALIGN_SIDES], crowd[ALIGN_SIDES]; /* crowd: threads at the hottest one */
};

enum align_unit { ALIGN_PER_OPERATION, ALIGN_PER_SECOND, ALIGN_PER_SAMPLE, ALIGN_UNITS };

struct align {
	enum align_unit unit;
	struct align_object *objects; /* by how much their rates differ, falling */
	uint32_t count, room;
	double rate[ALIGN_SIDES]; /* of the whole recordings */
	struct stat_ratio ratio;
	bool changed;
};

/* What of a recording is compared. */
struct align_input {
	const struct use_set *use;
	const struct profile *profile;
	double seconds; /* that were recorded; 0: not known */
};

/* Names must be interned in one pool. */
void align_init(struct align *a, const struct align_input input[ALIGN_SIDES]);
void align_deinit(struct align *a);

#endif
