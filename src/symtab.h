/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols and segments of one ELF file; only symtab_state.h includes libelf. */
#ifndef HITMAP_SYMTAB_H
#define HITMAP_SYMTAB_H

#include "err.h"
#include "intern.h"

#include <stdbool.h>
#include <stdint.h>

struct symtab;

struct symbol {
	const char *name;    /* interned, demangled */
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
 * without a size reaches to the next one of its section. Tables are built at the first call. */
bool symtab_code(struct symtab *s, uint64_t addr, struct symbol *sym);
bool symtab_data(struct symtab *s, uint64_t addr, struct symbol *sym);
/* The link-time address of the function "name", as the file spells it or demangled; of several the
 * first one. */
bool symtab_function(struct symtab *s, const char *name, uint64_t *addr);
/* The thread-local variable at "offset" in a thread's block; sym->addr is an offset, too. */
bool symtab_tls(struct symtab *s, uint64_t offset, struct symbol *sym);
/* The section that "addr" lies in, as a symbol called ".bss", ".data", ... */
bool symtab_section(struct symtab *s, uint64_t addr, struct symbol *sym);

/* What of the file is loaded where. */
struct symtab_segment {
	uint64_t addr, size;	    /* link-time; in memory, .bss included */
	uint64_t offset, file_size; /* in the file */
	uint64_t page;		    /* the mapping begins and ends at multiples of this */
	bool code;
};

/* Segment number "i", ascending by address as the file has them; NULL past the last. */
const struct symtab_segment *symtab_segment(const struct symtab *s, uint32_t i);

/* Link-time address of the byte at "offset" in the file; false when no segment loads it. */
bool symtab_offset_to_addr(const struct symtab *s, uint64_t offset, uint64_t *addr);
/* The segments' extent in memory, .bss included: link-time addresses [*low, *high). */
bool symtab_extent(const struct symtab *s, uint64_t *low, uint64_t *high);
/* Whether the segment that loads file "offset" is executable. A page that two segments share counts
 * for the one that holds the very byte, or else for the one that begins in it. */
bool symtab_is_code(const struct symtab *s, uint64_t offset);
/* The file's thread-local variables, each thread's own; NULL when it has none. */
struct symtab_thread_block {
	uint64_t size, align;
};
const struct symtab_thread_block *symtab_thread_block(const struct symtab *s);
/* The offset in the program's block of what lies "from" bytes from the thread pointer: the block
 * ends there (x86-64), or begins after two words (AArch64); ELF TLS, variants II and I. */
uint64_t symtab_thread_offset(const struct symtab *s, int64_t from);

uint16_t symtab_machine(const struct symtab *s); /* EM_ */
/* Copies what the file has at link-time address "addr"; gives the bytes copied. */
size_t symtab_bytes(const struct symtab *s, uint64_t addr, uint8_t *to, size_t size);
/* The file that holds what was stripped from this one, and its CRC-32; false: none is named. */
bool symtab_debug_link(struct symtab *s, const char **name, uint32_t *crc);
bool symtab_is_go(struct symtab *s);	   /* compiled from Go */
bool symtab_is_stripped(struct symtab *s); /* of the symbols that only debugging needs */
const uint8_t *symtab_build_id(const struct symtab *s, uint8_t *size); /* NULL when none */

struct err *symtab_inspect(const char *path, struct symtab_program *p);

/* Every function, variable and label of an ELF file's own table, as the file spells them, in its
 * order; nothing for what is no ELF file or is stripped. Names live as long as the call. */
typedef void symtab_visit(void *context, const char *name, uint64_t addr, bool data);
struct err *symtab_list(const char *path, symtab_visit *visit, void *context);

#endif
