/* SPDX-License-Identifier: GPL-2.0-only */
/* The types of one file by name: definitions for what is only declared elsewhere, and spelling. */
#ifndef HITMAP_TYPE_TABLE_H
#define HITMAP_TYPE_TABLE_H

#include "die.h"
#include "intern.h"
#include "map.h"

struct type_table {
	struct intern *pool;
	Dwarf *dw;
	Dwarf_Die *type; /* definitions that have a name */
	uint32_t types, type_room;
	struct map by_name; /* interned qualified name -> index in "type" */
	struct map names;   /* DIE's address in memory -> interned qualified name */
	bool built;
};

void type_table_init(struct type_table *t, Dwarf *dw, struct intern *pool);
void type_table_deinit(struct type_table *t);

/* The definition called "name" ("len" bytes), with or without its keyword. */
bool type_table_find(struct type_table *t, const char *name, size_t len, Dwarf_Die *type);
/* Makes a declaration the definition, if the file has one. */
void type_table_complete(struct type_table *t, Dwarf_Die *type);
/* Bytes; DIE_SIZE_UNKNOWN when the type does not say. */
uint64_t type_table_size(struct type_table *t, Dwarf_Die type);
/* As the program's author spells it, qualifiers left out, interned: "struct ring", "long[8]". */
const char *type_table_spell(struct type_table *t, Dwarf_Die type);

#endif
