/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of this machine and of this process decides how it can be measured: processor, kernel
 * release, limits on perf, privileges. Read from /proc and /sys below a root.
 */
#ifndef HITMAP_HOST_H
#define HITMAP_HOST_H

#include "cpulist.h"

enum host_vendor { HOST_OTHER, HOST_INTEL, HOST_AMD, HOST_ARM, HOST_POWER };

struct host {
	enum host_vendor vendor;
	uint32_t family, model; /* x86; for Arm implementer and part of the MIDR */
	char cpu[96];		/* its name; "" when not known */
	char release[96];	/* "6.5.0-41-generic"; "" when not known */
	uint32_t version;	/* HOST_VERSION() of it; UINT32_MAX (the newest) when not known */
	bool has_paranoid;
	int64_t paranoid; /* perf_event_paranoid */
	int64_t most_hz;  /* perf_event_max_sample_rate; 0 when not known */
	bool privileged;  /* CAP_PERFMON (CAP_SYS_ADMIN before Linux 5.8) */
	bool hypervisor;  /* runs on one */
	struct cpulist online;
};

#define HOST_VERSION(major, minor) ((uint32_t)(major) << 16 | (minor))

/* When the kernel learnt what. Before that it refuses the bit. */
#define HOST_HAS_PHYS_ADDR     HOST_VERSION(4, 14)
#define HOST_HAS_SYMBOL_EVENTS HOST_VERSION(5, 1)
#define HOST_HAS_WEIGHT_STRUCT HOST_VERSION(5, 12)
#define HOST_HAS_FORMAT_LOST   HOST_VERSION(6, 0)
#define HOST_HAS_IBS_DATA_SRC  HOST_VERSION(6, 1)
#define HOST_HAS_IBS_TASK      HOST_VERSION(6, 2)

void host_read(const char *root, struct host *h);

#endif
