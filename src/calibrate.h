/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures how this machine moves lines between its CPUs, with nothing but pinned threads and a
 * clock: what a machine file of the model needs. Figures are of this moment; on a virtual machine
 * they are of the hypervisor's, too.
 */
#ifndef HITMAP_CALIBRATE_H
#define HITMAP_CALIBRATE_H

#include "cpulist.h"
#include "err.h"

#define CALIBRATE_CPUS	 12   /* that all pairs are measured of; of more a choice */
#define CALIBRATE_STEPS	 16   /* of a throughput curve */
#define CALIBRATE_STOLEN 0.05 /* of the time: more makes a host noisy */

/* From the nearest to the farthest. CPUs of one core share private caches. */
enum calibrate_class { CLASS_CORE, CLASS_LLC, CLASS_NODE, CLASS_OTHER, CALIBRATE_CLASSES };

/* Of many batches: the 10th, 50th and 90th percentile. */
struct calibrate_spread {
	double low, typical, high;
	uint32_t batches; /* 0: not measured */
};

struct calibrate_cpu {
	uint32_t cpu, core, llc, node; /* equal numbers: the same core, cache, node */
};

/* Times are ns. */
struct calibrate_pair {
	uint32_t a, b; /* in "cpu"; b reads what a wrote */
	enum calibrate_class class;
	struct calibrate_spread hitm;	 /* a load of a line that the other has modified */
	struct calibrate_spread clean;	 /* of a line that it has clean; only x86 */
	struct calibrate_spread upgrade; /* a locked operation on a line that both have */
	struct calibrate_spread locked;	 /* compare-and-swap in turns, one way */
	struct calibrate_spread hold; /* operations until the line is lost, with a shared counter */
	struct calibrate_spread reader_home; /* as hitm, the memory being of the reader's node */
};

struct calibrate_step {
	uint32_t cpus;
	double million; /* operations a second on one shared counter, of all */
	struct calibrate_spread hold;
};

struct calibrate {
	struct calibrate_cpu *cpu; /* that were measured */
	uint32_t cpus, usable;	   /* usable: that this process may run on */
	uint32_t nodes, llcs_per_node, cores_per_llc, threads_per_core; /* of the usable CPUs */
	struct calibrate_pair *pair;
	uint32_t pairs;
	struct calibrate_step step[CALIBRATE_STEPS];
	uint32_t steps;
	double mhz;
	bool mhz_measured; /* else it is what the kernel says, or a guess */
	struct calibrate_spread hit, locked, memory; /* one CPU alone */
	/* By class; of a class that the machine has not, batches is 0. */
	struct calibrate_pair class[CALIBRATE_CLASSES];
	double stolen; /* share of the time that the hypervisor took, 0..1; NAN: not known */
	bool virtual;  /* there is a hypervisor */
	double noise;  /* the largest high / low of transfers between two CPUs */
	bool noisy;    /* too much to believe the figures */
};

struct calibrate_ask {
	const char *root; /* "" or where /sys and /proc are */
	double seconds;	  /* for all of it, about */
	void (*progress)(void *context, uint32_t done, uint32_t of);
	void *context;
};

/* An error when fewer than two CPUs can be used, or threads cannot be placed. */
struct err *calibrate_run(const struct calibrate_ask *ask, struct calibrate *c);
void calibrate_deinit(struct calibrate *c);

/* ---- Parts of it, for tests */

/* The percentiles of "count" values, which are sorted. */
struct calibrate_spread calibrate_spread(double *value, uint32_t count);

enum calibrate_class calibrate_class(const struct calibrate_cpu *a, const struct calibrate_cpu *b);

/* Chooses CALIBRATE_CPUS of "count" CPUs so that every class that is there stays; returns how many
 * are left in front. */
uint32_t calibrate_choose(struct calibrate_cpu *cpu, uint32_t count);

/* Of the values one thread got from its fetch-adds: how many times runs of which length came
 * (consecutive values are of one run). "runs" has "most" + 1 counts; longer runs count as "most".
 */
void calibrate_count_runs(const uint64_t *value, uint32_t count, uint32_t *runs, uint32_t most);
/* The spread of run lengths; of runs, each counted once. */
struct calibrate_spread calibrate_runs(const uint32_t *runs, uint32_t most);

#endif
