/* SPDX-License-Identifier: GPL-2.0-only */
/* What names a kernel's addresses in a recording: its types, its symbols and its debug information.
 * Any may be missing. */
#ifndef HITMAP_KERNEL_NAMES_H
#define HITMAP_KERNEL_NAMES_H

#include "kernel_symbols.h"
#include "type_btf.h"
#include "type_dwarf.h"

struct kernel_names {
	struct type_btf *types;
	struct kernel_symbols *symbols;
	struct dwarf *dwarf; /* of the same image as the symbols */
};

void kernel_names_deinit(struct kernel_names *k);

/* The member at byte "offset" of an object of "type": "struct ucounts", or an array of it,
 * "struct futex_hash_bucket[16]", whose paths begin with the element: "[3].lock". As
 * dwarf_type_member(). */
bool kernel_names_member(const struct kernel_names *k, const char *type, uint64_t offset,
			 struct intern *pool, struct dwarf_member *m);

/* The debug information of the kernel's image, and where "addr" is in that; NULL when there is
 * none. */
struct dwarf *kernel_names_dwarf(const struct kernel_names *k, uint64_t addr, uint64_t *in_file);

#endif
