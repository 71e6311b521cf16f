/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a kernel's memory, by whatever reader there is: a core file (/proc/kcore, a vmcore) or a
 * BPF program in the running kernel. What was read once is kept, so that all of one run is one
 * look at it; the kernel goes on meanwhile, and what is followed may be gone: nothing here is taken
 * to be sound.
 */
#ifndef HITMAP_KMEM_H
#define HITMAP_KMEM_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KMEM_PAGE 4096

struct kmem;

/* A reader's functions; "state" is its own. */
struct kmem_reader {
	const char *name; /* "BPF", "/proc/kcore" */
	/* The page at "addr", a multiple of KMEM_PAGE; what of it cannot be read is zero, false
	 * when nothing can. */
	bool (*read_page)(void *state, uint64_t addr, uint8_t page[KMEM_PAGE]);
	/* Addresses of all tasks, to be freed; NULL when the reader cannot tell. */
	uint64_t *(*tasks)(void *state, uint32_t *count);
	void (*close)(void *state);
};

struct kmem *kmem_new(const struct kmem_reader *reader, void *state)
	__attribute__((returns_nonnull));
void kmem_free(struct kmem *m);

const char *kmem_name(const struct kmem *m);
/* False when not all of it can be read; "to" is zeroed then. */
bool kmem_read(struct kmem *m, uint64_t addr, void *to, size_t size);
/* An unsigned number of 1 to 8 bytes, of this machine's byte order. */
bool kmem_number(struct kmem *m, uint64_t addr, size_t size, uint64_t *value);
uint64_t *kmem_tasks(struct kmem *m, uint32_t *count);

/* The readers. */
struct err *kmem_open_core(const char *path, struct kmem **m);
struct err *kmem_open_bpf(struct kmem **m);

#endif
