/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the fields of each contended object are used, and by whom: what a layout is judged by. An
 * object is what attribution names; its fields are those that were seen to be accessed.
 */
#ifndef HITMAP_OBJECT_USE_H
#define HITMAP_OBJECT_USE_H

#include "profile.h"

/* By one code address. */
struct use_code {
	double loads, stores;	    /* accesses, estimated from the samples' periods */
	const struct idset *actors; /* threads, or CPUs where those are not known; the profile's */
};

#define USE_NAMES 8

struct use_field {
	const char *name;      /* interned: "sigpending", "[3]", "+8" where nothing names it */
	bool is_place;	       /* the name says where it is, not what */
	uint32_t offset, size; /* in the object, bytes; size 0: not known */
	struct counts counts;
	double loads, stores; /* of all code */
	struct idset readers, writers;
	struct use_code *codes;
	uint32_t code_count, code_room;
	/* Interned "function:line" of the code, to tell a field without a name by. */
	const char *code_name[USE_NAMES];
	uint32_t code_names;
};

struct use_object {
	const char *name, *type; /* interned; type: NULL when not known */
	uint64_t addr;		 /* where it begins */
	uint64_t size;		 /* bytes; 0: not known */
	uint32_t line_size;
	struct counts counts;	  /* of its contended lines' cells */
	struct use_field *fields; /* by offset, then by name */
	uint32_t field_count, field_room;
};

struct use_set {
	struct use_object *objects; /* by HITM, falling */
	uint32_t count, room;
};

/* Of the contended lines of a profile. Memory that nothing names is no object. */
void object_use_init(struct use_set *s, const struct profile *profile, struct attrib *attrib,
		     struct intern *pool);
void object_use_deinit(struct use_set *s);

/* How alike the code is that touches two fields: 0 (or none is known) to 1. */
double object_use_alike(const struct use_field *a, const struct use_field *b);

/* The object called "name", or of the type "name" with or without its keyword (the first by HITM);
 * NULL when there is none. */
const struct use_object *object_use_find(const struct use_set *s, const char *name);

/* Of an object that begins at "base" in its line: which line and what place in it. */
static inline uint32_t use_line(const struct use_object *o, uint32_t base, uint32_t offset)
{
	return (base + offset) / o->line_size;
}

static inline uint32_t use_base(const struct use_object *o)
{
	return o->addr % o->line_size;
}

#endif
