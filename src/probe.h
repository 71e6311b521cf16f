/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens perf events for real, on this thread and for a moment, and looks whether they count and
 * whether samples arrive: a hypervisor may open an event that never counts, or count without ever
 * raising the interrupt that writes a sample.
 */
#ifndef HITMAP_PROBE_H
#define HITMAP_PROBE_H

#include "event_plan.h"

enum probe_state {
	PROBE_UNTRIED,
	PROBE_REFUSED, /* perf_event_open() or mmap() failed: "error" */
	PROBE_SILENT,  /* opens, and counts nothing */
	PROBE_COUNTS,  /* counts, but no sample arrives */
	PROBE_SAMPLES,
	PROBE_STATES
};

struct probe_result {
	enum probe_state state;
	int error;	  /* errno value of a refusal */
	uint64_t counted; /* what read() gave */
	uint64_t samples; /* for an AUX ring: bytes */
};

const char *probe_state_name(enum probe_state s); /* "refused", "samples", ... */

/*
 * Tries the events of a plan that sample, leaders with their groups, on a CPU of their PMU.
 * "results": one for each event of the plan. What the kernel refuses, the ladder gives up.
 */
void probe_plan(struct event_plan *p, struct probe_result *results);

/* Page faults with addresses: touches fresh pages. */
void probe_page_faults(struct probe_result *r);

/* The tracepoint of this id (sched:sched_switch): sleeps a few times. */
void probe_switches(uint64_t id, struct probe_result *r);

/* Debug registers: how many watchpoints open, and which of PROBE_STORES stores were counted. */
#define PROBE_STORES 1000
void probe_breakpoints(uint32_t *slots, struct probe_result *r);

#endif
