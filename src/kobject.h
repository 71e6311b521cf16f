/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of a kernel by kind and instance: whose user_struct, which process's sighand_struct. A
 * kind is one row of a table with one finder, which follows fields by path from the tasks or from a
 * symbol; where they are, BTF tells, so that a kernel's version does not matter.
 */
#ifndef HITMAP_KOBJECT_H
#define HITMAP_KOBJECT_H

#include "kernel_symbols.h"
#include "kmem.h"
#include "note.h"
#include "type_btf.h"

/* What is looked at. "symbols" may be NULL. */
struct kobject_kernel {
	struct kmem *memory;
	struct type_btf *types;
	const struct kernel_symbols *symbols;
	struct intern *pool;
};

struct kobject {
	const char *kind;     /* the table's row: "user_struct", "futex_private" */
	const char *type;     /* in the kernel, without "struct": "futex_hash_bucket" */
	const char *instance; /* "uid 1000", "pid 12 (bash)" */
	uint64_t addr, size;  /* size: bytes, of all elements */
	uint64_t count;	      /* elements of "type", one behind the other; mostly 1 */
	uint32_t pid;	      /* whose it is; 0: of no single process */
};

struct kobject_set {
	struct kobject *item; /* by kind as in the table, then as found */
	uint32_t count, room;
	uint32_t tasks; /* looked at */
	char **absent;	/* "futex_global: ...": kinds that could not be looked for, and why */
	uint32_t absents, absent_room;
};

struct kobject_kind {
	const char *name, *type, *summary;
};

/* The rows in order; NULL past the last. */
const struct kobject_kind *kobject_kind(size_t i);

/* All objects of all kinds. An error only when not even the tasks are found. */
struct err *kobject_find_all(const struct kobject_kernel *kernel, struct kobject_set *set);
void kobject_set_deinit(struct kobject_set *set);

/* As it travels in a recording. */
struct note kobject_note(const struct kobject *o, struct intern *pool);

#endif
