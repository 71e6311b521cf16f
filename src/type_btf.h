/* SPDX-License-Identifier: GPL-2.0-only */
/* Types from BTF, the kernel's own description of them; the only file that reads it is type_btf.c,
 * with libbpf. */
#ifndef HITMAP_TYPE_BTF_H
#define HITMAP_TYPE_BTF_H

#include "err.h"
#include "layout.h"

#define TYPE_BTF_KERNEL "/sys/kernel/btf/vmlinux"

struct type_btf;

/* BTF of "path": a raw file as in /sys/kernel/btf, or an ELF file with a .BTF section. A module's
 * is split: "base" is the kernel's, which must outlive it; otherwise NULL. */
struct err *type_btf_open(const char *path, struct type_btf *base, struct intern *pool,
			  struct type_btf **b);
void type_btf_free(struct type_btf *b);

/* The struct or union called "name", with or without the keyword, or a typedef of one. The layout
 * is to be given to layout_deinit() when found. */
bool type_btf_layout(struct type_btf *b, const char *name, struct layout *l);

/* Names of structs that have members, in the file's order; "*at" is 0 at first. NULL at the end. */
const char *type_btf_next_struct(struct type_btf *b, uint32_t *at);

/* Offset of a per-CPU variable in the per-CPU area, and its size; its type interned. */
bool type_btf_percpu(struct type_btf *b, const char *name, uint64_t *offset, uint64_t *size,
		     const char **type);

#endif
