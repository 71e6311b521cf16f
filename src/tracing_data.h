/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats of tracepoints as perf.data has them, without which perf does not read a recording of
 * tracepoints. */
#ifndef HITMAP_TRACING_DATA_H
#define HITMAP_TRACING_DATA_H

#include "blob.h"
#include "event_plan.h"

/* Appends those of the plan's tracepoints; nothing when it has none. */
void tracing_data_read(const char *root, const struct event_plan *p, struct blob *b);

#endif
