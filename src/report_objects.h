/* SPDX-License-Identifier: GPL-2.0-only */
/* Where objects of a kernel sit: address, instance, and of each hot field its line and half. */
#ifndef HITMAP_REPORT_OBJECTS_H
#define HITMAP_REPORT_OBJECTS_H

#include "kobject.h"

#define REPORT_OBJECTS_LINE 64 /* bytes of a line, on all machines whose kernels are read */

/* The hot fields of a type that this kernel has. */
struct objects_type {
	const char *type;	    /* "ucounts" */
	struct layout_place *field; /* by offset */
	uint32_t fields, room;
};

struct objects_view {
	const char *reader, *kernel; /* kernel: its release, NULL when not known */
	const char *target;	     /* NULL: none was asked for */
	const struct kobject_set *set;
	const struct objects_type *type; /* of those that are shown */
	uint32_t types;
	const char *symbols; /* why there are none; NULL when there are */
	uint32_t top;	     /* instances of a kind, at most; JSON has all */
};

/* Where a field of the object at "addr" is. */
struct objects_spot {
	uint64_t addr, line;   /* line: its number, counted from the object's first line */
	bool upper, straddles; /* upper: its first byte; straddles: reaches into the next line */
};
struct objects_spot objects_spot(uint64_t addr, const struct layout_place *field);

void report_objects_text(FILE *out, const struct objects_view *v, bool unicode);
void report_objects_json(FILE *out, const struct objects_view *v);

#endif
