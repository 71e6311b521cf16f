/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols and segments of one ELF file; the only file that includes libelf is symtab.c. */
#ifndef HITMAP_SYMTAB_H
#define HITMAP_SYMTAB_H

#include "err.h"
#include "intern.h"

#include <stdbool.h>
#include <stdint.h>

struct symtab;

struct symbol {
	const char *name; /* interned, demangled */
	uint64_t addr, size; /* link-time address; size 0 when the file has none */
};

/* What hitmap record must know of a program before it can run it. */
struct symtab_program {
	uint16_t machine; /* EM_ */
	bool elf, wide;	  /* wide: 64 bits */
	bool dynamic;	  /* has an interpreter */
	bool hooks;	  /* built with "hitmap cc": carries the .note.hitmap section */
};

/* NULL and no error when the file is not an ELF file or holds no symbol and no segment. */
struct err *symtab_open(const char *path, struct intern *pool, struct symtab **s);
void symtab_free(struct symtab *s);

/* The function or the variable that "addr" (link-time) lies in; false when there is none. A symbol
 * without a size reaches to the next one of its section. */
bool symtab_code(const struct symtab *s, uint64_t addr, struct symbol *sym);
bool symtab_data(const struct symtab *s, uint64_t addr, struct symbol *sym);

/* Link-time address of the byte at "offset" in the file; false when no segment loads it. */
bool symtab_offset_to_addr(const struct symtab *s, uint64_t offset, uint64_t *addr);
/* The segments' extent in memory, .bss included: link-time addresses [*low, *high). */
bool symtab_extent(const struct symtab *s, uint64_t *low, uint64_t *high);
/* The section that "addr" lies in: ".bss", ".data", ...; NULL when none. */
const char *symtab_section(const struct symtab *s, uint64_t addr);
/* Whether the segment that loads file "offset" is executable. */
bool symtab_is_code(const struct symtab *s, uint64_t offset);
const uint8_t *symtab_build_id(const struct symtab *s, uint8_t *size); /* NULL when none */

struct err *symtab_inspect(const char *path, struct symtab_program *p);

#endif
