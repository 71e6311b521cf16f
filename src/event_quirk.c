// SPDX-License-Identifier: GPL-2.0-only
#include "event_quirk.h"
#include "mem.h"

#define ONE(model) (model), (model)

#define FORWARDS                                                                                   \
	"a local HITM may also be a clean line that another core forwarded: a line without "       \
	"stores is shared reading"
#define NO_TLB	"samples say nothing of TLB misses and locks"
#define NO_HITM "this processor marks no load as HITM: only stores and latencies show sharing"

/*
 * Encodings: the event lists of tools/perf/pmu-events/arch/x86 in Linux, and only of events that
 * they mark as giving a data address (Data_LA), which none has before Haswell. Notes: how
 * arch/x86/events/intel/ds.c and arch/x86/events/amd/ibs.c read the hardware's codes.
 */
#define HSW_LOCAL                                                                                  \
	{                                                                                          \
		"mem_load_uops_l3_hit_retired.xsnp_hitm", "event=0xd2,umask=0x4"                   \
	}
#define HSW_REMOTE                                                                                 \
	{                                                                                          \
		"mem_load_uops_l3_miss_retired.remote_hitm", "event=0xd3,umask=0x10"               \
	}
#define SKL_LOCAL                                                                                  \
	{                                                                                          \
		"mem_load_l3_hit_retired.xsnp_hitm", "event=0xd2,umask=0x4"                        \
	}
#define ICL_LOCAL                                                                                  \
	{                                                                                          \
		"mem_load_l3_hit_retired.xsnp_fwd", "event=0xd2,umask=0x4"                         \
	}
#define REMOTE                                                                                     \
	{                                                                                          \
		"mem_load_l3_miss_retired.remote_hitm", "event=0xd3,umask=0x4"                     \
	}

/* Models: arch/x86/include/asm/intel-family.h. */
static const struct event_quirk quirks[] = {
	{ "Nehalem", HOST_INTEL, 6, ONE(0x1a), NO_TLB, { { NULL, NULL } } },
	{ "Nehalem", HOST_INTEL, 6, 0x1e, 0x1f, NO_TLB, { { NULL, NULL } } },
	{ "Nehalem-EX", HOST_INTEL, 6, ONE(0x2e), NO_TLB, { { NULL, NULL } } },
	{ "Westmere", HOST_INTEL, 6, ONE(0x25), NO_TLB, { { NULL, NULL } } },
	{ "Westmere", HOST_INTEL, 6, ONE(0x2c), NO_TLB, { { NULL, NULL } } },
	{ "Westmere-EX", HOST_INTEL, 6, ONE(0x2f), NO_TLB, { { NULL, NULL } } },
	{ "Haswell", HOST_INTEL, 6, ONE(0x3c), NULL, { HSW_LOCAL } },
	{ "Haswell", HOST_INTEL, 6, 0x45, 0x46, NULL, { HSW_LOCAL } },
	{ "Haswell-EP", HOST_INTEL, 6, ONE(0x3f), NULL, { HSW_LOCAL, HSW_REMOTE } },
	{ "Broadwell", HOST_INTEL, 6, ONE(0x3d), NULL, { HSW_LOCAL } },
	{ "Broadwell", HOST_INTEL, 6, ONE(0x47), NULL, { HSW_LOCAL } },
	{ "Skylake", HOST_INTEL, 6, ONE(0x4e), NULL, { SKL_LOCAL } },
	{ "Skylake", HOST_INTEL, 6, ONE(0x5e), NULL, { SKL_LOCAL } },
	{ "Skylake-SP", HOST_INTEL, 6, ONE(0x55), NULL, { SKL_LOCAL, REMOTE } },
	{ "Coffee Lake", HOST_INTEL, 6, ONE(0x8e), NULL, { SKL_LOCAL } },
	{ "Coffee Lake", HOST_INTEL, 6, ONE(0x9e), NULL, { SKL_LOCAL } },
	{ "Comet Lake", HOST_INTEL, 6, 0xa5, 0xa6, NULL, { SKL_LOCAL } },
	{ "Ice Lake", HOST_INTEL, 6, 0x7d, 0x7e, FORWARDS, { ICL_LOCAL } },
	{ "Ice Lake-SP", HOST_INTEL, 6, ONE(0x6a), FORWARDS, { ICL_LOCAL, REMOTE } },
	{ "Ice Lake-D", HOST_INTEL, 6, ONE(0x6c), FORWARDS, { ICL_LOCAL, REMOTE } },
	{ "Tiger Lake", HOST_INTEL, 6, 0x8c, 0x8d, FORWARDS, { ICL_LOCAL } },
	{ "Sapphire Rapids", HOST_INTEL, 6, ONE(0x8f), FORWARDS, { ICL_LOCAL, REMOTE } },
	{ "Emerald Rapids", HOST_INTEL, 6, ONE(0xcf), FORWARDS, { ICL_LOCAL, REMOTE } },
	{ "Granite Rapids", HOST_INTEL, 6, 0xad, 0xae, FORWARDS, { { NULL, NULL } } },
	{ "Alder Lake", HOST_INTEL, 6, ONE(0x97), FORWARDS, { ICL_LOCAL } },
	{ "Alder Lake", HOST_INTEL, 6, ONE(0x9a), FORWARDS, { ICL_LOCAL } },
	{ "Zen 3", HOST_AMD, 0x19, 0x00, 0x0f, NO_HITM, { { NULL, NULL } } },
	{ "Zen 3", HOST_AMD, 0x19, 0x20, 0x5f, NO_HITM, { { NULL, NULL } } },
};

const struct event_quirk *event_quirk(const struct host *h)
{
	for (size_t i = 0; i < ARRAY_SIZE(quirks); i++) {
		const struct event_quirk *q = &quirks[i];

		if (q->vendor == h->vendor && q->family == h->family && h->model >= q->first &&
		    h->model <= q->last)
			return q;
	}
	return NULL;
}
