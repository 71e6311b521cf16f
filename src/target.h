/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets: configs/targets/NAME.conf says of a kind of kernel object which operation costs are
 * divided by, which types and fields are hot in which kernels, and which benchmark makes them so.
 * docs/targets.md has the format.
 */
#ifndef HITMAP_TARGET_H
#define HITMAP_TARGET_H

#include "err.h"
#include "intern.h"

#include <stddef.h>
#include <stdint.h>

/* Kernel versions are compared as one number; there is no third part. */
#define TARGET_KERNEL(major, minor) ((uint32_t)(major) << 16 | (minor))
#define TARGET_KERNEL_FIRST	    0u
#define TARGET_KERNEL_LAST	    UINT32_MAX

struct target_type {
	uint32_t from, to;  /* kernels, both included: TARGET_KERNEL() */
	const char *type;   /* "ucounts", without "struct" */
	const char **field; /* hot ones, by path: "rlimit[2]", "mmap_lock.count" */
	size_t fields, field_room;
	uint32_t line; /* of the file */
};

struct target {
	const char *name;	  /* of the file, without folder and .conf */
	const char *title;	  /* "signals queued for one user" */
	const char *operation;	  /* what one is: "signal queued" */
	const char **event;	  /* that count operations, as of hitmap record --operation */
	const char *benchmark;	  /* a command line; NULL: none is known */
	struct target_type *type; /* in the file's order */
	size_t events, event_room, types, type_room;
	struct intern *strings; /* owns all of them */
};

/*
 * Reads target "name" from "folder", or the file itself when "name" has a slash. Errors name the
 * file, the line and the reason. To be given to target_deinit() unless there is an error.
 */
struct err *target_load(const char *folder, const char *name, struct target *t);
void target_deinit(struct target *t);

/* The type as that kernel has it, TARGET_KERNEL(); NULL: it has not, or the file does not say. */
const struct target_type *target_type_find(const struct target *t, const char *type,
					   uint32_t kernel);

/* "6.18.44-fc" is TARGET_KERNEL(6, 18); 0 when it is no kernel's release. */
uint32_t target_kernel(const char *release);

/* The names in "folder", sorted, for messages: "futex, signal"; to be freed. */
char *target_names(const char *folder);

#endif
