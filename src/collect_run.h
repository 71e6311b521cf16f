/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording from the kernel's rings, from its start to a finished perf.data. */
#ifndef HITMAP_COLLECT_RUN_H
#define HITMAP_COLLECT_RUN_H

#include "collect_stat.h"
#include "event_plan.h"
#include "operation.h"
#include "object_watch.h"
#include "perfdata_describe.h"

#include <signal.h>
#include <sys/types.h>

struct collect_run {
	struct event_plan *plan;
	bool all_tasks;	      /* on the CPUs; otherwise these, or the program */
	const pid_t *process; /* that run already, with their threads */
	size_t processes;
	const pid_t *thread; /* that run already, alone */
	size_t threads;
	const struct cpulist *cpus;		  /* NULL: all */
	int cgroup;				  /* descriptor of its folder; -1: none */
	struct operation_set *operations;	  /* NULL: none */
	uint32_t pages;				  /* of a ring; 0: what the limits allow */
	char *const *argv;			  /* the program; NULL: none is started */
	char *const *environment;		  /* the program's */
	const char *heap_log;			  /* that the program writes; NULL: none */
	const char *path;			  /* the environment's PATH */
	const char *output;			  /* "-": standard output, as a pipe */
	const struct perfdata_features *features; /* host, kernel, recorder, command line */
	uint32_t frequency;			  /* as asked for, for advice */
	uint64_t period;
	const volatile sig_atomic_t *interrupts; /* counted by a signal handler */
	object_look objects; /* of the kernel, when that is sampled, too; NULL: none */
	/* Called a few times a second; may be NULL. */
	void (*progress)(void *context, uint64_t samples, uint64_t bytes);
	void *context;
};

struct collect_result {
	struct collect_stat stat;
	struct collect_setting how;
	uint64_t bytes, records;
	uint64_t unreported; /* lost, of which no record tells: hitmap wrote one */
	bool counts_lost;    /* the kernel counts what each event lost */
	uint64_t counted_lost;
	int exit_code, term_signal; /* of the program */
	bool killed;		    /* by hitmap, after an interrupt */
	bool kernel_hidden;	    /* kallsyms shows no addresses */
};

/* The recording is kept whenever it was begun, also when this returns an error. "r" is filled in
 * any case; its "stat" is the caller's. */
struct err *collect_run(const struct collect_run *ask, struct collect_result *r);

#endif
