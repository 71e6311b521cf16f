/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What hitmap reads of one DWARF entry (DIE), and the walk over them; the only file that includes
 * libdw. Nothing here trusts the file: every loop has a bound.
 */
#ifndef HITMAP_DIE_H
#define HITMAP_DIE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIE_NESTING	 64 /* of scopes, of typedefs, of members */
#define DIE_NAME	 1024
#define DIE_DIMENSIONS	 8
#define DIE_SIZE_UNKNOWN UINT64_MAX

/* Attributes, also of the declaration that the DIE completes. False or NULL when absent. */
bool die_word(Dwarf_Die *die, unsigned int name, uint64_t *value);
bool die_type(Dwarf_Die *die, Dwarf_Die *type);
const char *die_name(Dwarf_Die *die);
bool die_flag(Dwarf_Die *die, unsigned int name); /* of the DIE itself only */

/* Takes "type" to what its qualifiers, and with "typedefs" its typedefs, stand for; false for void.
 */
bool die_peel(Dwarf_Die *type, bool typedefs);
bool die_is_aggregate(int tag);
/* The elements in each dimension of an array, DIE_SIZE_UNKNOWN for "[]" and "[0]". */
unsigned int die_dimensions(Dwarf_Die *array, uint64_t *count);
bool die_is_c(Dwarf_Die *die);		      /* of a unit in C, where tags have keywords */
const char *die_keyword(Dwarf_Die *type);     /* "struct ", "" */
const char *die_spell_base(const char *name); /* "long unsigned int" as "unsigned long" */

struct die_walk {
	void *user;
	/* Called for each DIE; true: its children are wanted, too. */
	bool (*visit)(struct die_walk *w, Dwarf_Die *die);
	char scope[DIE_NAME]; /* "app::", for names */
	size_t scope_len;
	Dwarf_Off reached; /* a sound tree is walked in rising order: anything else ends the walk */
};

/* Walks all units of a file. */
void die_walk(Dwarf *dw, bool (*visit)(struct die_walk *, Dwarf_Die *), void *user);
/* Walks one: "root" is its DIE. */
void die_walk_unit(Dwarf_Die *root, bool (*visit)(struct die_walk *, Dwarf_Die *), void *user);

#endif
