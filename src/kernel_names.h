/* SPDX-License-Identifier: GPL-2.0-only */
/* What names a kernel's addresses in a recording: its types and its symbols. Either may be missing.
 */
#ifndef HITMAP_KERNEL_NAMES_H
#define HITMAP_KERNEL_NAMES_H

#include "kernel_symbols.h"
#include "type_btf.h"
#include "type_dwarf.h"

struct kernel_names {
	struct type_btf *types;
	struct kernel_symbols *symbols;
};

void kernel_names_deinit(struct kernel_names *k);

/* The member at byte "offset" of an object of "type": "struct ucounts", or an array of it,
 * "struct futex_hash_bucket[16]", whose paths begin with the element: "[3].lock". As
 * dwarf_type_member(). */
bool kernel_names_member(const struct kernel_names *k, const char *type, uint64_t offset,
			 struct intern *pool, struct dwarf_member *m);

#endif
