/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which perf events a recording opens on a machine: decided here, from sysfs and from what the user
 * asks for, and opened elsewhere. What the kernel may refuse, event_ladder.h gives up.
 */
#ifndef HITMAP_EVENT_PLAN_H
#define HITMAP_EVENT_PLAN_H

#include "host.h"
#include "pmu.h"

#include <linux/perf_event.h>

enum plan_role {
	PLAN_LOAD,
	PLAN_STORE,
	PLAN_ALL,  /* loads and stores from one event */
	PLAN_HITM, /* counts nothing but HITM loads; the samples' data source does not say so */
	PLAN_AUX_LEADER, /* makes its group's loads work; its own samples mean nothing */
	PLAN_TRACK,	 /* maps and tasks only, no samples */
	PLAN_NAMED,	 /* the user's own choice */
	PLAN_ROLES
};

struct plan_event {
	char *name; /* as perf writes it: "cpu/mem-loads,ldlat=30/P" */
	enum plan_role role;
	const struct pmu *pmu;	     /* NULL: the kernel's own software PMU */
	struct perf_event_attr attr; /* that of a group's leader starts the group */
	struct cpulist cpus;	     /* online CPUs that it can be opened on */
	size_t leader;		     /* index of its group's leader; its own when it is alone */
	bool left_out;		     /* given up: not to be opened */
};

struct plan_request {
	enum pmu_source source; /* PMU_NONE: whichever the machine has */
	const char *events;	/* named by the user, instead of a source's; NULL: none */
	bool system_wide;	/* all tasks on the CPUs; otherwise the program and its children */
	bool running;		/* tasks that run already: nothing is to be started */
	bool user_only, kernel_only;
	bool physical;	/* physical data addresses, where they may be had */
	bool which_cpu; /* the CPU in every sample; system-wide has it anyway */
	bool callchain;
	bool hitm;	    /* events that count HITM alone, beside the others */
	uint32_t frequency; /* samples a second and CPU; 0: "period" holds */
	uint64_t period;
	uint32_t ldlat;	   /* least latency of a sampled load in cycles; 0: the source's default */
	const char *terms; /* further fields of the PMU's format; NULL: none */
};

struct event_plan {
	struct host host;
	struct pmu_set pmus;
	struct plan_event *event;
	size_t count, room;
	bool system_wide;   /* may have become so: the recording then drops other tasks' samples */
	bool running;	    /* of the request */
	uint64_t aux_bytes; /* of a CPU's AUX ring, a power of two; 0: no event has one */
	char **note;	    /* sentences about what is and is not measured */
	size_t notes, note_room;
};

/*
 * ERR_UNSUPPORTED when this machine or this user cannot, with what was missing; ERR_USAGE when the
 * request does not fit the hardware. On an error the plan is empty, and need not be deinited.
 */
struct err *event_plan_make(const char *root, const struct plan_request *r, struct event_plan *p);
void event_plan_deinit(struct event_plan *p);

const char *event_plan_role(enum plan_role r); /* "loads", "stores", ... */
void event_plan_note(struct event_plan *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether perf_event_paranoid lets the user measure: the kernel, all tasks, anything. */
bool event_plan_may_kernel(const struct event_plan *p);
bool event_plan_may_all(const struct event_plan *p);

#endif
