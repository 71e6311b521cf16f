/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction's memory operand is, by what its registers are known to hold there: the
 * variables that debug information places in them, and what the instructions before put into them.
 */
#ifndef HITMAP_OPERAND_H
#define HITMAP_OPERAND_H

#include "disassembly.h"
#include "symtab.h"
#include "type_dwarf.h"

enum operand_kind {
	OPERAND_UNKNOWN,
	OPERAND_POINTED, /* "member" of what a pointer points to */
	OPERAND_FRAME,	 /* "member" of "variable", which is in the function's stack frame */
	OPERAND_THREAD,	 /* "offset" bytes from the thread pointer */
	OPERAND_STACK,	 /* the top of the stack: push, call */
};

struct operand {
	enum operand_kind kind;
	struct dwarf_member member;
	const char *variable; /* interned */
	int64_t offset;
};

/* What the code of one file is read with; "dwarf" and "disassembly" may be NULL. */
struct operand_code {
	struct dwarf *dwarf;
	struct symtab *symtab; /* its thread-local block */
	struct symtab *names;  /* its symbols, perhaps of a separate file; not NULL */
	struct disassembly *disassembly;
	struct intern *pool;
};

/* Of the instruction at link-time address "addr", or of the hook's call that ends there. False:
 * nothing is known. */
bool operand_find(const struct operand_code *code, uint64_t addr, struct operand *o);

#endif
