/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What runs already when a recording starts, from /proc, as the records that the kernel would have
 * written when it began: threads, names, maps; and where the kernel's own code is. Their time is 0:
 * before anything else.
 */
#ifndef HITMAP_TASK_SCAN_H
#define HITMAP_TASK_SCAN_H

#include "kernel_record.h"

#include <stdbool.h>
#include <sys/types.h>

struct task_scan {
	const char *root; /* "" for the running machine */
	struct kernel_record to;
};

/* One that ends meanwhile is left out. */
struct err *task_scan_process(const struct task_scan *s, pid_t pid);
struct err *task_scan_all(const struct task_scan *s);
/* Kernel and modules; nothing when kallsyms shows no addresses, and "*shown" is false. */
struct err *task_scan_kernel(const struct task_scan *s, bool *shown);

/* The threads of a process; NULL when there is no such process. The caller's. */
pid_t *task_scan_threads(const char *root, pid_t pid, size_t *count);

#endif
