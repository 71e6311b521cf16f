/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields in words: who writes one, who reads it, the code that does. */
#ifndef HITMAP_FIELDS_H
#define HITMAP_FIELDS_H

#include "scene.h"

/* One place in the code that touches a field, on both sides together. */
struct field_code {
	const char *name; /* function; or its address */
	const char *source;
	uint32_t line;
	struct counts counts[SCREEN_SIDES];
	uint32_t cpus[SCREEN_SIDES];
	const struct view_stacks *callers; /* of its hottest part; NULL: none are known */
};

/* The places of a field, the hottest first; to be freed. */
struct field_code *field_codes(const struct scene *s, const struct paired_field *f,
			       uint32_t *count);
/* The heat of a field on the side that is shown. */
double field_heat(const struct scene *s, const struct paired_field *f, int side);
/* Its name; of one without a name the function that touches it most, "in FUNCTION". Returns "text".
 */
const char *field_label(const struct scene *s, const struct paired_field *f, char *text,
			size_t bytes);
/* CPUs that touch it on a side. */
uint32_t field_cpus(const struct paired_field *f, int side);
/* "read and written", "written", "read": of the side that is shown. */
const char *field_role(const struct scene *s, const struct paired_field *f);
/* "read and written by get_uid signal.c:87 and 4 more", or less where "columns" are few: "get_uid
 * +4". Returns "text". */
const char *field_story(const struct scene *s, const struct paired_field *f, uint32_t columns,
			char *text, size_t bytes);
/* The side whose code and roles are told: after's, unless only before is hot. */
int field_side(const struct scene *s, const struct paired_field *f);
/* Sets which fields are worth a row: all but those with less than 0.5 % of a side's hottest field;
 * at least one. */
void field_mark(const struct scene *s, struct paired_field *fields, uint32_t count);

#endif
