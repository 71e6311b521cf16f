/* SPDX-License-Identifier: GPL-2.0-only */
/* This machine as a recording's header tells it: CPUs, nodes, memory, PMUs. */
#ifndef HITMAP_TOPOLOGY_H
#define HITMAP_TOPOLOGY_H

#include "perfdata_describe.h"

struct topology {
	uint32_t cpus; /* the highest one's number and 1 */
	uint16_t *node, *core, *socket;
	char *cpu, *cpuid;
	uint64_t memory_kb, block_bytes;
	struct perfdata_node *memory;
	uint32_t nodes;
	struct perfdata_pmu *pmu;
	char **pmu_name;
	uint32_t pmus;
};

void topology_read(const char *root, struct topology *t);
void topology_deinit(struct topology *t);
/* What of the features it knows; "f" holds pointers into "t" then. */
void topology_describe(const struct topology *t, struct perfdata_features *f);

#endif
