/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of functions of one file as instructions. What was read is kept, within bounds: rows
 * that are named one after the other are often in the same few functions. */
#ifndef HITMAP_DISASSEMBLY_H
#define HITMAP_DISASSEMBLY_H

#include "insn.h"
#include "symtab.h"

struct disassembly;

struct disassembly_line {
	struct insn insn;
	uint64_t addr; /* link-time */
	bool entry;    /* other code jumps here, or what is before does not go on */
	uint16_t seen; /* the reader's: by its search of each depth */
};

struct disassembly_function {
	uint64_t low, high;
	struct disassembly_line *line; /* by address; up to the first that is none */
	uint32_t count;
};

/* NULL for a machine whose instructions are not known. "s" must outlive it. */
struct disassembly *disassembly_new(const struct symtab *s);
void disassembly_free(struct disassembly *d);

const struct insn_decoder *disassembly_decoder(const struct disassembly *d);

/* The instruction that begins at "addr" alone. False when it is none, or may be the end of a call:
 * then only its function tells. */
bool disassembly_at(struct disassembly *d, uint64_t addr, struct disassembly_line *line);

/* The code in [low, high), link-time addresses; of more than 64 kB its beginning. Valid until the
 * next call. */
struct disassembly_function *disassembly_read(struct disassembly *d, uint64_t low, uint64_t high);

#endif
