/* SPDX-License-Identifier: GPL-2.0-only */
/* What symtab.c keeps of one ELF file, and how symtab_file.c reads one without keeping it; the only
 * file that includes libelf. */
#ifndef HITMAP_SYMTAB_STATE_H
#define HITMAP_SYMTAB_STATE_H

#include "symtab.h"

#include <gelf.h>

#define MAX_HEADERS 65536 /* of segments; more is a damaged file */

struct raw_symbol {
	uint64_t addr, end;
	const char *name; /* in libelf's copy of the string table */
	uint32_t outer;	  /* the nearest earlier symbol that reaches past "addr"; itself: none */
	uint8_t rank;	  /* the lower, the better a name among equals */
	bool sized;
};

struct symbol_table {
	struct raw_symbol *item;
	uint32_t count, room;
};

struct section {
	uint64_t addr, end;
	const char *name;
	bool code;
};

struct symtab {
	struct intern *pool;
	int fd;
	Elf *elf;
	GElf_Ehdr header;
	struct symtab_segment *segment;
	uint32_t segments, segment_room;
	struct section *section; /* sorted by address; only those that are in memory */
	uint32_t sections, section_room;
	struct symtab_thread_block thread_block;
	uint8_t build_id[64];
	uint8_t build_id_size;
	bool built;
	struct symbol_table code, data, tls; /* tls: offsets in a thread's block */
};

/* An error for what is no regular file. */
struct err *symtab_open_regular(const char *path, int *fd);
/* NULL when there is none. Of "s" only the file is looked at. */
Elf_Scn *symtab_section_of_type(struct symtab *s, uint32_t type);
Elf_Data *symtab_section_data(struct symtab *s, const char *name);

#endif
