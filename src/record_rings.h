/* SPDX-License-Identifier: GPL-2.0-only */
/* "hitmap record" from the kernel's rings: its options that name tasks and CPUs, and what is said.
 */
#ifndef HITMAP_RECORD_RINGS_H
#define HITMAP_RECORD_RINGS_H

#include "err.h"
#include "event_plan.h"
#include "operation.h"

#include <signal.h>

/* As given on the command line; NULL and false: not. */
struct record_who {
	const char *pids, *tids, *cpus, *cgroup, *pages;
	bool all;
};

struct record_rings {
	struct record_who who;
	const struct plan_request *request;
	struct operation_set *operations; /* NULL: none */
	const char *output;
	const char *heap_library; /* NULL: the heap is not logged */
	bool verbose, quiet;
	int argc; /* of the whole command line */
	char *const *argv;
	char *const *program; /* and its arguments; NULL: none */
	const volatile sig_atomic_t *interrupts;
};

/* Errors of usage among the options, with and without a program. */
struct err *record_rings_check(const struct record_who *who, bool program);
/* Whether the options speak of all tasks on the CPUs, of tasks that run already. */
bool record_rings_all(const struct record_who *who);
bool record_rings_running(const struct record_who *who);
/* The plan is the caller's, and is changed. */
struct err *record_rings(const struct record_rings *o, struct event_plan *plan);

#endif
