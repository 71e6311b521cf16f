/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads that measure, each on a CPU of its own. */
#ifndef HITMAP_CALIBRATE_PROBE_H
#define HITMAP_CALIBRATE_PROBE_H

#include "calibrate.h"

#define PROBE_RUNS 65535 /* the longest run of operations that is told apart */

/* What a probe fills in; times in ns. */
struct probe_pair {
	struct calibrate_spread hitm, clean, upgrade, locked;
};

/* "home": the node whose memory the lines are in; UINT32_MAX: where they fall. 0 or an errno. */
int probe_pair(uint32_t cpu_a, uint32_t cpu_b, uint32_t home, double seconds, struct probe_pair *p);

/* One CPU alone. */
struct probe_alone {
	double mhz; /* 0: not measured */
	struct calibrate_spread hit, locked, memory;
};
int probe_alone(uint32_t cpu, double seconds, struct probe_alone *p);

/* "count" CPUs add to one counter. */
struct probe_crowd {
	double million; /* operations a second, of all */
	struct calibrate_spread hold;
};
int probe_crowd(const uint32_t *cpu, uint32_t count, double seconds, struct probe_crowd *p);

#endif
