/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses in the files that are mapped: which file, and where in it. */
#ifndef HITMAP_SPOT_H
#define HITMAP_SPOT_H

#include "attrib_state.h"
#include "binary.h"

/* An address in a file, as the file counts it. */
struct spot {
	struct binary *binary;
	uint64_t addr;
};

/* The file that "m" maps; NULL when it is no ELF file, or not the recorded one any more. */
struct binary *spot_binary(struct attrib *a, const struct mapping *m);

bool spot_in_file(struct attrib *a, const struct mapping *m, uint64_t addr, struct spot *spot);

/* The mapping of the file that "addr" belongs to, in one of its segments or its .bss; NULL when
 * none. Without a mapping of its own (data maps were not recorded), the file right below is tried.
 */
const struct mapping *spot_locate(struct attrib *a, const struct mapping *m, uint32_t pid,
				  uint64_t addr, struct spot *spot);

#endif
