/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines, objects and fields of two sides, brought together by what they are called: addresses
 * differ from run to run. Memory without a name goes by the function that touches it most.
 */
#ifndef HITMAP_PAIRING_H
#define HITMAP_PAIRING_H

#include "screen.h"

struct paired_line {
	uint64_t id; /* of its identity; the same from second to second, and never 0 */
	uint32_t object;
	const struct view_line *side[SCREEN_SIDES]; /* NULL: not there, or not hot enough */
};

struct paired_object {
	uint64_t id;
	const char *name, *type; /* type: NULL when unknown */
	uint32_t lines[SCREEN_SIDES];
	struct counts counts[SCREEN_SIDES];
	uint64_t size, start[SCREEN_SIDES]; /* bytes, 0 when unknown; start: address */
	bool array; /* of many lines: "lines" and "counts" are of all that the profile has */
	uint32_t pid[SCREEN_SIDES];
	uint32_t costliest; /* of its lines */
};

struct paired_field {
	uint64_t id;
	const char *name;      /* "sigpending", "[*].lock", "+48" */
	uint32_t object, line; /* of the pairing; "line": of the first of its cells */
	uint32_t offset;       /* in the object; of elements: in each */
	uint32_t line_offset;  /* of the after side, if it is there */
	bool matters;	       /* see field_mark() */
	bool moved;	       /* another half than before */
	bool whole;	       /* of an array: counts are of all its lines, cells of some */
	struct counts counts[SCREEN_SIDES];
	struct paired_cell {
		const struct view_cell *cell;
		const struct view_line *line;
		enum screen_which side;
	} * cells;
	uint32_t cell_count, cell_room;
};

struct pairing {
	struct paired_line *lines; /* in the order of the after side, then those that are gone */
	struct paired_object *objects; /* in order of their costliest lines */
	uint32_t line_count, line_room, object_count, object_room;
};

void pairing_init(struct pairing *p, const struct screen_input *in);
void pairing_deinit(struct pairing *p);

/* The fields of one object, or of one line, in order of offset. To be freed with fields_free(). */
struct paired_field *pairing_object_fields(const struct pairing *p, uint32_t object,
					   uint32_t *count);
struct paired_field *pairing_line_fields(const struct pairing *p, uint32_t line, uint32_t *count);
void pairing_fields_free(struct paired_field *fields, uint32_t count);

#define PAIRING_ARRAY_LINES 32 /* an object of fewer is no array in this sense */

/* How many lines an array lies in. */
uint32_t pairing_array_lines(const struct paired_object *o, int side, uint32_t line_size);
/* Whether a line of the profile is of an array, and which one. */
bool pairing_array_line(const struct paired_object *o, int side, uint32_t line_size,
			const struct contended_line *l, uint32_t *line);

/* UINT32_MAX when there is none. */
uint32_t pairing_find_line(const struct pairing *p, uint64_t id);
uint32_t pairing_find_object(const struct pairing *p, uint64_t id);

/* The one to show where only one can be: after's, if it is there. */
static inline const struct view_line *paired_shown(const struct paired_line *l)
{
	return l->side[SCREEN_AFTER] ? l->side[SCREEN_AFTER] : l->side[SCREEN_BEFORE];
}

/* A number for a name, for identities; never 0. */
uint64_t pairing_hash(uint64_t seed, const char *s);

#endif
