/* SPDX-License-Identifier: GPL-2.0-only */
/* What type_dwarf.c keeps of one file's debug information, for operand.c, which needs its entries.
 */
#ifndef HITMAP_TYPE_DWARF_STATE_H
#define HITMAP_TYPE_DWARF_STATE_H

#include "scope.h"
#include "type_dwarf.h"
#include "type_table.h"

struct dwarf_variable {
	uint64_t addr;	/* or the offset in a thread's block */
	uint32_t order; /* in the file: the first of equals wins */
	Dwarf_Die die;
};

struct dwarf_variables {
	struct dwarf_variable *item; /* sorted by address */
	uint32_t count, room;
};

struct dwarf_code_range {
	uint64_t low, high;
	Dwarf_Die unit;
};

struct dwarf {
	struct intern *pool;
	int fd, code_fd;
	Dwarf *dw;
	Elf *code; /* the program itself when "dw" is of a file of its own; NULL: the same */
	struct dwarf_variables fixed, thread;
	struct type_table types;
	struct scope_table scopes;
	struct dwarf_code_range *range; /* sorted by low */
	uint32_t ranges, range_room;
	bool has_variables, has_code; /* the tables above are built */
};

/* The unit whose code holds "addr"; NULL when none does. */
Dwarf_Die *dwarf_unit(struct dwarf *d, uint64_t addr);
/* The variable that begins at "addr"; that begins at "offset" in each thread's block. NULL: none.
 */
struct dwarf_variable *dwarf_fixed_variable(struct dwarf *d, uint64_t addr);
struct dwarf_variable *dwarf_thread_variable(struct dwarf *d, uint64_t offset);

#endif
