/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's rings: opens the events of a plan, one ring for each CPU, and hands over the records
 * in them as the kernel wrote them. What the kernel refuses, the plan's ladder gives up.
 *
 * Events of one PMU share their CPUs' rings. A group of events has rings of its own, and so have
 * events that run on some CPUs only, since libperf opens a list of events as one group or none, on
 * one set of CPUs.
 */
#ifndef HITMAP_C2C_COLLECT_H
#define HITMAP_C2C_COLLECT_H

#include "event_plan.h"

#include <sys/types.h>

struct collect_target {
	const pid_t *task; /* NULL: all tasks on the CPUs */
	size_t tasks;
	const struct cpulist *cpus; /* NULL: all that are online */
	int cgroup;		    /* descriptor of its folder; -1: none */
	uint32_t pages;		    /* of a ring, a power of two; 0: what the limits allow */
};

/* What of an event's instances the kernel counted. */
struct collect_count {
	uint64_t events, lost; /* lost: 0 before Linux 6.0 */
};

struct collect_taker {
	/* One record, in the CPU's order. It is good until the taker returns. */
	struct err *(*record)(void *context, uint32_t cpu, const struct perf_event_header *h);
	/* Packets of an AUX ring: two parts where they wrap, of which the second may be empty.
	 * "ring": which of the rings this is. */
	struct err *(*packets)(void *context, uint32_t cpu, uint32_t ring, uint64_t offset,
			       const void *part[2], const size_t size[2]);
	void *context;
};

struct c2c_collect;

/* Opens everything, stopped. "plan" is changed by its ladder, and told what was given up. */
struct err *c2c_collect_open(struct event_plan *plan, const struct collect_target *target,
			     struct c2c_collect **c);
void c2c_collect_close(struct c2c_collect *c);

/* The ids of an event's instances; they live as long as "c". */
const uint64_t *c2c_collect_ids(const struct c2c_collect *c, size_t event, size_t *count);
uint32_t c2c_collect_pages(const struct c2c_collect *c); /* of a ring */
uint32_t c2c_collect_rings(const struct c2c_collect *c);
struct collect_count c2c_collect_count(const struct c2c_collect *c, size_t event);

void c2c_collect_enable(struct c2c_collect *c);
void c2c_collect_disable(struct c2c_collect *c);

/* Lets a descriptor of another kind wake the reader too. */
struct err *c2c_collect_watch(struct c2c_collect *c, int fd);
/* Sleeps until a ring has some, such a descriptor can be read, or a signal comes. "*ended": every
 * event's task has ended. */
struct err *c2c_collect_wait(struct c2c_collect *c, bool *ended);

/* Hands over what each ring holds, and no more than it holds at once: a ring that is filled as fast
 * as it is read does not keep the others waiting. "*records": how many. */
struct err *c2c_collect_drain(struct c2c_collect *c, const struct collect_taker *taker,
			      uint64_t *records);

#endif
