/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record of the Arm Statistical Profiling Extension as one sample. Where a load was served from
 * is a code of the CPU family's own; of other CPUs the events tell it. Codes and the words that
 * stand for them: tools/perf/util/arm-spe.c of Linux 6.1 to 6.18.
 */
#ifndef HITMAP_SPE_SAMPLE_H
#define HITMAP_SPE_SAMPLE_H

#include "sample.h"
#include "spe_packet.h"

enum spe_family {
	SPE_FAMILY_UNKNOWN, /* levels come from the events */
	SPE_FAMILY_ARM,	    /* Neoverse and the Cortex cores that share its codes */
	SPE_FAMILY_AMPERE,  /* AmpereOne A */
	SPE_FAMILY_HISI,    /* HiSilicon HIP12 */
	SPE_FAMILIES
};

/* By MIDR_EL1; 0: not known. */
enum spe_family spe_family_of(uint64_t midr);

/* The union perf_mem_data_src of a record; mem_op is N/A when it did not touch memory. */
uint64_t spe_data_src(const struct spe_record *r, enum spe_family family);

/* ip, addr, phys_addr, weight (total latency), data_src and cpumode; the rest is not recorded. */
void spe_sample_of(const struct spe_record *r, enum spe_family family, struct sample *s);

#endif
