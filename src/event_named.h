/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that the user names: the kernel's software events and its tracepoints. They need no PMU.
 */
#ifndef HITMAP_EVENT_NAMED_H
#define HITMAP_EVENT_NAMED_H

#include "event_plan.h"

/*
 * Adds those of "r->events" ("page-faults,sched:sched_switch") to the plan. ERR_USAGE when a name
 * is not known, ERR_UNSUPPORTED when tracefs cannot be read.
 */
struct err *event_named_plan(const char *root, struct event_plan *p, const struct plan_request *r);

/* One of the kernel's software events, PERF_TYPE_SOFTWARE; false: it is none. */
bool event_named_software(const char *name, uint64_t *config);
/* The id of "system:event"; ERR_USAGE when there is no such tracepoint, ERR_UNSUPPORTED when
 * tracefs cannot be read. */
struct err *event_named_tracepoint(const char *root, const char *name, int64_t *id);

/* ERR_UNSUPPORTED for "name": not mounted, or not to be read. */
struct err *event_named_no_tracefs(const char *root, const char *name);

/* Where tracefs is mounted; NULL when it is not. The caller's. */
char *event_named_tracefs(const char *root);

#endif
