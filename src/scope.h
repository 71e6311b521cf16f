/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions, blocks and inlined functions that a code address lies in, and where their variables
 * are when it runs. */
#ifndef HITMAP_SCOPE_H
#define HITMAP_SCOPE_H

#include "die.h"
#include "intern.h"
#include "map.h"

struct scope_function {
	uint64_t low, high;
	Dwarf_Die die;
};

struct scope_table {
	struct map units;		  /* a unit's address in memory -> struct scope_unit */
	Dwarf_CFI *frames, *debug_frames; /* may be NULL */
};

/* From the function itself inwards. */
struct scope {
	uint64_t low, high; /* of the function's part that holds the address */
	uint64_t addr;
	Dwarf_Die unit;
	Dwarf_Die die[DIE_NESTING];
	int count;
};

void scope_table_init(struct scope_table *t);
void scope_table_deinit(struct scope_table *t);

/* What of "unit" holds link-time address "addr"; false: no function of it does. */
bool scope_find(struct scope_table *t, Dwarf_Die *unit, uint64_t addr, struct scope *s);

/* The function to name: the innermost that is not a library's header's. "*name" is NULL when that
 * is the outermost one, which no call was replaced by. "*line" is 0, or where its code calls what
 * was left out. Interned. */
void scope_inlined(const struct scope *s, struct intern *pool, const char **name, const char **file,
		   uint32_t *line);

/* Where a variable is. */
enum scope_kind {
	SCOPE_NOWHERE,
	SCOPE_REGISTER, /* its value plus "offset" is in "base" */
	SCOPE_MEMORY,	/* it begins at "base" + "offset" */
};

struct scope_variable {
	Dwarf_Die die;
	enum scope_kind kind;
	uint8_t base; /* register */
	int64_t offset;
};

/* Calls "visit" for each variable and parameter that is somewhere, from the innermost scope
 * outwards, until it returns true; then returns true. */
bool scope_variables(struct scope_table *t, const struct scope *s,
		     bool (*visit)(void *context, const struct scope_variable *v), void *context);

#endif
