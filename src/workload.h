/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that is recorded, as a process that waits before it becomes the program. */
#ifndef HITMAP_WORKLOAD_H
#define HITMAP_WORKLOAD_H

#include "err.h"

#include <stdbool.h>
#include <sys/types.h>

struct workload {
	pid_t pid;    /* 0: there is none, or its end was seen */
	int process;  /* a descriptor that can be read when it has ended; -1 */
	int go, fail; /* pipes: what it waits for, and its errno when it cannot be executed */
	int status;   /* of waitpid() */
};

/* "path": PATH of the environment. "away": what it writes to standard output goes to standard
 * error, since standard output is the recording. */
struct err *workload_prepare(const char *path, char *const *argv, char *const *environment,
			     bool away, struct workload *w);
struct err *workload_start(const char *name, struct workload *w);
bool workload_ended(struct workload *w); /* looks, does not wait */
void workload_kill(struct workload *w, int signal);
void workload_deinit(struct workload *w); /* kills it when it still waits or runs */

#endif
