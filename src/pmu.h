/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hardware sampling of memory accesses this machine has. */
#ifndef HITMAP_PMU_H
#define HITMAP_PMU_H

enum pmu_source { PMU_NONE, PMU_PEBS, PMU_IBS, PMU_SPE };

struct pmu_finding {
	enum pmu_source source;
	char pmu[32];  /* its name in sysfs: "cpu", "cpu_core", "ibs_op", "arm_spe_0" */
	char why[256]; /* one line: what was found, or what is missing */
};

/* Looks below "root" ("" for the running machine) at sys/bus/event_source/devices. */
void pmu_find(const char *root, struct pmu_finding *f);

const char *pmu_source_name(enum pmu_source s); /* "pebs", "ibs", "spe", "none" */

#endif
