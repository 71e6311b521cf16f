/* SPDX-License-Identifier: GPL-2.0-only */
/* The descriptors of this process's perf events, found by the events' ids. */
#ifndef HITMAP_PERF_FD_H
#define HITMAP_PERF_FD_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct perf_fd {
	int fd;
	uint64_t id;
};

struct perf_fds {
	struct perf_fd *fd; /* in order of id */
	size_t count, room;
};

/* Finds all, and lets none of them be inherited by programs. 0 or an errno value. */
int perf_fds_find(struct perf_fds *p);
void perf_fds_deinit(struct perf_fds *p);
int perf_fds_of(const struct perf_fds *p, uint64_t id); /* -1: none has it */

/*
 * Opens an event for a cgroup on a CPU under the descriptor of the one with "*id", which is closed.
 * "*id" becomes the new one's. "group": id of the group's leader, 0 when it is alone. 0 or an errno
 * value.
 */
int perf_fds_replace(struct perf_fds *p, uint64_t *id, uint64_t group, struct perf_event_attr *attr,
		     int cgroup, uint32_t cpu);

#endif
