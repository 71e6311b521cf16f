/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracepoint of one's own at a place of a file, in tracefs's uprobe_events. perf_event_open() can
 * make one by itself (PMU "uprobe"), but not one that is inherited: the kernel then reads the
 * file's path again from the memory of the task that forks, and the program cannot start a thread
 * (EFAULT; seen on Linux 6.18).
 */
#ifndef HITMAP_UPROBE_H
#define HITMAP_UPROBE_H

#include "err.h"

#include <stdint.h>

struct uprobe {
	char *control; /* the file uprobe_events; NULL: there is no probe */
	char name[32];
};

/* "path" is absolute. "event": for messages; "number": one of each of this process's probes. "*id":
 * the tracepoint's.
 */
struct err *uprobe_add(struct uprobe *u, const char *root, const char *event, const char *path,
		       uint64_t place, uint32_t number, int64_t *id);
/* Once no perf event uses it. */
void uprobe_remove(struct uprobe *u);

#endif
