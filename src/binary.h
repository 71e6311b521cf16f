/* SPDX-License-Identifier: GPL-2.0-only */
/* One mapped program or library: its symbols and debug information, wherever they are kept. */
#ifndef HITMAP_BINARY_H
#define HITMAP_BINARY_H

#include "operand.h"
#include "symtab.h"
#include "type_dwarf.h"

struct binary;

/* Where files are looked for; NULL: as recorded. Owned by the caller, for as long as binaries are.
 */
struct binary_places {
	const char *root; /* a folder that recorded paths are below ("--symfs") */
	bool fetch;	  /* from servers what is not there; see debuginfod.h */
};

/* A file that cannot be read is a binary without anything. "path" is interned. */
struct binary *binary_new(const char *path, const struct binary_places *places,
			  struct intern *pool);
void binary_free(struct binary *b);

const char *binary_path(const struct binary *b);
struct symtab *binary_symtab(const struct binary *b); /* NULL when it is no ELF file */
struct dwarf *binary_dwarf(struct binary *b);	      /* NULL when there is none */

/* Whether the file's build id is "id"; "size" 0: not known, and taken to be. */
bool binary_is(const struct binary *b, const uint8_t *id, uint8_t size);

/* As symtab_data(), symtab_tls() and symtab_code(), also from separate debug files. */
bool binary_data(struct binary *b, uint64_t addr, struct symbol *sym);
bool binary_tls(struct binary *b, uint64_t offset, struct symbol *sym);
bool binary_code(struct binary *b, uint64_t addr, struct symbol *sym);

/* What reads its code, for operand_find(). */
struct operand_code binary_operand_code(struct binary *b);

#endif
