/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the records of some processes and their children where the hardware samples all tasks.
 *
 * A child's samples on one CPU may be read before the record of its birth on another. So each
 * round's records wait until those of the next round are read, and are judged then.
 */
#ifndef HITMAP_COLLECT_FILTER_H
#define HITMAP_COLLECT_FILTER_H

#include "err.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct collect_filter;

typedef struct err *(*collect_keep)(void *context, uint32_t cpu, const struct perf_event_header *h);

/* "attr": of any of the events, which agree on what comes before a sample's pid. */
struct collect_filter *collect_filter_new(const struct perf_event_attr *attr, const pid_t *pid,
					  size_t pids);
void collect_filter_free(struct collect_filter *f); /* NULL is fine */

struct err *collect_filter_take(struct collect_filter *f, uint32_t cpu,
				const struct perf_event_header *h);
/* A round is read: hands over what of the round before is wanted. */
struct err *collect_filter_round(struct collect_filter *f, collect_keep keep, void *context);

#endif
