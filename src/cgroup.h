/* SPDX-License-Identifier: GPL-2.0-only */
/* Control groups by name, for events that follow one. */
#ifndef HITMAP_CGROUP_H
#define HITMAP_CGROUP_H

#include "err.h"

/* "name": a path below the mounted hierarchy that perf_event is on, or of the folder itself. "*fd"
 * is the caller's. */
struct err *cgroup_open(const char *name, int *fd);

#endif
