/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations: what costs are divided by, counted by the kernel beside a recording. Events are only
 * counted, never sampled, so that millions a second cost next to nothing. An event is named as
 *	page-faults			one of the kernel's software events
 *	signal:signal_generate		a tracepoint
 *	signal:signal_generate/sig==10/	the same where its fields say so
 *	uprobe:/usr/bin/program:function  entries of a function of a program or library
 */
#ifndef HITMAP_OPERATION_H
#define HITMAP_OPERATION_H

#include "cpulist.h"
#include "err.h"
#include "note.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct operation_set;

/* "now": a clock in ns that never goes back, of the caller's. */
struct operation_set *operation_new(uint64_t (*now)(void));
void operation_free(struct operation_set *s); /* NULL is fine */

/*
 * Adds an event; one that is there already changes nothing. "label": what one is called in reports,
 * NULL: as the event. ERR_USAGE: not known, ERR_UNSUPPORTED: not to be had here.
 */
struct err *operation_add(struct operation_set *s, const char *root, const char *name,
			  const char *label);
/* Whose operations: of these tasks with all that they start, or with none the tasks of a control
 * group or all of them, on the CPUs. */
struct operation_who {
	const pid_t *task; /* 0 is the caller itself */
	size_t tasks;
	const struct cpulist *cpus; /* NULL: wherever the tasks run */
	int cgroup;		    /* descriptor of its folder; -1: none */
	bool on_exec;		    /* counting begins when a task executes a program */
};

/* Opens all, or fails and leaves none open. Unless "on_exec" they count from operation_start() on.
 */
struct err *operation_open(struct operation_set *s, const struct operation_who *who);
/* Of the next program that the caller executes in a child. "translated": an emulator runs it. */
struct err *operation_open_child(struct operation_set *s, bool translated);
void operation_start(struct operation_set *s); /* the time begins, too */
/* Reads the counts, once. Without "timed" no time goes with them. */
void operation_stop(struct operation_set *s, bool timed);

/* What was counted, one note for each event; nothing before operation_stop(). */
struct err *operation_notes(const struct operation_set *s,
			    struct err *(*put)(void *context, const struct note *n), void *context);

#endif
