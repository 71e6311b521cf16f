/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that describes types: BTF, alone or in an ELF file, or else DWARF. */
#ifndef HITMAP_LAYOUT_FILE_H
#define HITMAP_LAYOUT_FILE_H

#include "err.h"
#include "layout.h"

struct layout_file;

/* Whether the file begins as such a file does: ELF, or BTF as in /sys/kernel/btf. */
bool layout_file_is(const char *path);

/* An error when it has neither BTF nor DWARF. A kernel's module alone has not all of its types. */
struct err *layout_file_open(const char *path, struct intern *pool, struct layout_file **f);
void layout_file_free(struct layout_file *f);
const char *layout_file_kind(const struct layout_file *f); /* "BTF", "DWARF" */

/* As type_btf_layout(), type_btf_next_struct(). */
bool layout_file_find(struct layout_file *f, const char *name, struct layout *l);
const char *layout_file_next(struct layout_file *f, uint32_t *at);

#endif
