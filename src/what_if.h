/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a layout would cost: the contention of an object whose fields lay elsewhere.
 *
 * A line is paid for once each time a thread gets it back after others wrote it, however many of
 *its fields the thread then reads: taking one load away only moves the miss to the next one (the
 *lesson of futex_hash_bucket.priv, commit a734d9fca84e). So what is counted of a line is
 *
 *	visits of a thread:	the most accesses it makes to one field of the line
 *	misses of a thread:	min(its visits, the writes of all others to the line)
 *
 * and the sum over lines and threads is scaled so that the layout that was recorded gives the HITM
 * that were recorded. A thread's share of a field's accesses is taken to be that of each thread
 *that was seen there. It is an estimate, good for telling layouts apart.
 */
#ifndef HITMAP_WHAT_IF_H
#define HITMAP_WHAT_IF_H

#include "object_use.h"

struct what_if;

struct what_if *what_if_new(const struct use_object *object);
void what_if_free(struct what_if *w);
/* False when the object's own fields do not explain what was recorded: who writes the line is not
 * seen, or is another object. Nothing can be predicted then. */
bool what_if_known(const struct what_if *w);

/* Where the fields are: the object's base in its line, and of each field by how many bytes it is
 * away from where it was recorded (NULL: none is). */
struct placement {
	uint32_t base;
	const int64_t *shift;
};

struct what_if_cost {
	double hitm;	 /* predicted; of the recorded layout: those recorded */
	uint32_t lines;	 /* that hold the fields */
	uint32_t splits; /* fields that reach over a line's end */
	uint32_t upper;	 /* fields in the upper half of their line */
};

struct what_if_cost what_if_cost(struct what_if *w, const struct placement *p);

/* Bases of an object with members of "step" bytes alignment: "room" for line_size / step of them;
 * how many there are. */
size_t what_if_bases(struct what_if *w, uint32_t step, struct what_if_cost *cost, size_t room);

enum what_if_kind {
	WHAT_IF_ALIGN, /* the field, and all behind it, begin a line */
	WHAT_IF_ALONE, /* the field has a line of its own */
	WHAT_IF_LAST,  /* the field becomes the object's last */
};

struct what_if_change {
	enum what_if_kind kind;
	uint32_t field; /* index in the object's */
	struct what_if_cost cost;
	uint64_t bytes; /* the object grows by; of a size that is not known, of the part that is */
};

/* One change of the layout each, the best first: fewest HITM, then fewest bytes. The caller's. */
struct what_if_change *what_if_changes(struct what_if *w, size_t *count);

#endif
