/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers that AMD's Instruction-Based Sampling leaves for one op, as PERF_SAMPLE_RAW of an
 * ibs_op event holds them. Layout: AMD64 Architecture Programmer's Manual volume 2, chapter 13, and
 * the Processor Programming References; order in the sample: arch/x86/events/amd/ibs.c.
 */
#ifndef HITMAP_IBS_RAW_H
#define HITMAP_IBS_RAW_H

#include "sample.h"

struct ibs_cpu {
	unsigned family, model; /* 0: not known */
};

struct ibs_op {
	uint32_t caps;		 /* CPUID Fn8000_001B EAX */
	uint64_t ctl, rip, data; /* IbsOpCtl, IbsOpRip, IbsOpData */
	uint64_t data2, data3;
	uint64_t linear, physical; /* IbsDcLinAd, IbsDcPhysAd; data3 says whether they are valid */
};

/* By a recording's CPU id, "AuthenticAMD,25,33,0"; may be NULL. */
struct ibs_cpu ibs_cpu_of(const char *cpuid);

/* The raw part of a sample. False when it is none of an op: too short, or not valid. */
bool ibs_raw_decode(struct cursor raw, struct ibs_op *op);

/* The union perf_mem_data_src of an op, as Linux 6.12 makes it; all N/A for one that is neither
 * load nor store. */
uint64_t ibs_data_src(const struct ibs_op *op, struct ibs_cpu cpu);

/* Cycles a load waited for its line; 0 when it hit, or is no load. */
uint64_t ibs_latency(const struct ibs_op *op);

/* Puts into a sample what it does not have itself: data source, addresses, latency. Nothing when
 * its data source was recorded, or the op did not touch memory. "cpuid": as above. */
void ibs_complete(struct cursor raw, const char *cpuid, struct sample *s);

#endif
