/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's symbols: /proc/kallsyms, or the System.map of a kernel, which has the same form, or
 * its vmlinux, an ELF file with symbols. */
#ifndef HITMAP_KERNEL_SYMBOLS_H
#define HITMAP_KERNEL_SYMBOLS_H

#include "err.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_symbols;

struct kernel_symbol {
	const char *name; /* lives as long as its table */
	uint64_t addr;
	uint32_t order; /* in the file */
	bool data;	/* a variable, as far as the file says */
};

/*
 * An error when the file cannot be read, holds no symbol, or shows every address as 0, as
 * /proc/kallsyms does to whom kernel.kptr_restrict hides them (with 2 also to root).
 */
struct err *kernel_symbols_open(const char *path, struct kernel_symbols **s);
void kernel_symbols_free(struct kernel_symbols *s);

/*
 * Moves all symbols so that "name" ("_text", "_stext") is at "addr", where the kernel that is
 * looked at has it. False, and nothing moved, when there is no such symbol, or when that kernel
 * cannot be this one: images move by multiples of 2 MB.
 */
bool kernel_symbols_move(struct kernel_symbols *s, const char *name, uint64_t addr);

/* By how many bytes the image was moved from where the file has it; modulo 2^64. */
uint64_t kernel_symbols_moved(const struct kernel_symbols *s);

/* False when the file has a build id and it is another one than "id"; "size" 0: not known. */
bool kernel_symbols_is(const struct kernel_symbols *s, const uint8_t *id, uint8_t size);

bool kernel_symbols_find(const struct kernel_symbols *s, const char *name, uint64_t *addr);
/* The symbol that "addr" lies in: the last one at or below it; of several at one address the first
 * of the file. */
bool kernel_symbols_at(const struct kernel_symbols *s, uint64_t addr, struct kernel_symbol *found);

#endif
