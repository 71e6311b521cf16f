/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Before against after. Objects and fields are matched by identity (name of object and field; for
 * memory without a name the function that touches it), never by address: addresses differ from run
 * to run.
 */
#ifndef HITMAP_DIFF_H
#define HITMAP_DIFF_H

#include "profile.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

#define DIFF_ABSENT UINT32_MAX

/* One field of an object, or one offset of it when nothing names a field. */
struct diff_field {
	const char *name;		  /* interned */
	uint32_t offset;		  /* in the object */
	uint32_t line_offset[DIFF_SIDES]; /* in its line; DIFF_ABSENT when the side does not have it
					   */
	struct counts counts[DIFF_SIDES];
};

struct diff_object {
	const char *name; /* interned */
	struct counts counts[DIFF_SIDES];
	const struct contended_line *line[DIFF_SIDES]; /* its costliest line; NULL when absent */
	uint32_t lines[DIFF_SIDES];
	struct diff_field *fields; /* in order of offset */
	uint32_t field_count, field_room;
};

/* A figure that depends on the hold: one each for low, typical and high. Measured recordings have
 * the same value three times. */
struct diff_range {
	double at[NOTE_HOLDS];
	bool known;
};

struct diff {
	const struct profile *profile[DIFF_SIDES];
	struct diff_object *objects; /* by HITM of both sides, falling */
	uint32_t object_count, object_room;
	uint64_t operations[DIFF_SIDES]; /* of all kinds; 0: not counted */
	struct diff_range hitm_per_operation[DIFF_SIDES];
	/* Modelled cycles of the run by operations: all threads together complete one in so many.
	 */
	struct diff_range cycles_per_operation[DIFF_SIDES];
	struct diff_range speedup; /* operations per modelled time, after by before */
};

/* Both sides' strings must live in one pool, "pool". */
struct diff *diff_new(struct intern *pool, const struct profile *const profile[DIFF_SIDES],
		      struct attrib *const attrib[DIFF_SIDES]);
void diff_free(struct diff *d);

double diff_range_low(const struct diff_range *r);
double diff_range_high(const struct diff_range *r);

#endif
