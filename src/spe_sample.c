// SPDX-License-Identifier: GPL-2.0-only
#include "spe_sample.h"
#include "mem.h"

#include <linux/perf_event.h>

#define HIT(level) (PERF_MEM_LVL_HIT | PERF_MEM_LVL_##level)

/* ---- CPUs */

/* Of MIDR_EL1: bits 31-24 say who made the CPU, bits 15-4 which it is. Numbers:
 * arch/arm64/include/asm/cputype.h. */
static const struct {
	uint8_t implementer;
	uint16_t part;
	enum spe_family family;
} cpus[] = {
	{ 0x41, 0xd0c, SPE_FAMILY_ARM },    /* Neoverse N1 */
	{ 0x41, 0xd49, SPE_FAMILY_ARM },    /* Neoverse N2 */
	{ 0x41, 0xd40, SPE_FAMILY_ARM },    /* Neoverse V1 */
	{ 0x41, 0xd4f, SPE_FAMILY_ARM },    /* Neoverse V2 */
	{ 0x41, 0xd81, SPE_FAMILY_ARM },    /* Cortex-A720 */
	{ 0x41, 0xd89, SPE_FAMILY_ARM },    /* Cortex-A720AE */
	{ 0x41, 0xd87, SPE_FAMILY_ARM },    /* Cortex-A725 */
	{ 0x41, 0xd4c, SPE_FAMILY_ARM },    /* Cortex-X1C */
	{ 0x41, 0xd4e, SPE_FAMILY_ARM },    /* Cortex-X3 */
	{ 0x41, 0xd85, SPE_FAMILY_ARM },    /* Cortex-X925 */
	{ 0xc0, 0xac4, SPE_FAMILY_AMPERE }, /* AmpereOne A */
	{ 0x48, 0xd06, SPE_FAMILY_HISI },   /* HIP12 */
};

enum spe_family spe_family_of(uint64_t midr)
{
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		if ((midr >> 24 & 0xff) == cpus[i].implementer &&
		    (midr >> 4 & 0xfff) == cpus[i].part)
			return cpus[i].family;
	return SPE_FAMILY_UNKNOWN;
}

/* ---- Codes of the data source packet */

/* A row that is all zero: no such code. */
struct place {
	uint16_t lvl;
	uint8_t num, snoop, snoopx, remote;
};

#define L1_HIT                                                                                     \
	{                                                                                          \
		HIT(L1), PERF_MEM_LVLNUM_L1, PERF_MEM_SNOOP_NONE, 0, 0                             \
	}
#define L2_HIT                                                                                     \
	{                                                                                          \
		HIT(L2), PERF_MEM_LVLNUM_L2, PERF_MEM_SNOOP_NONE, 0, 0                             \
	}
#define L3_HIT                                                                                     \
	{                                                                                          \
		HIT(L3), PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HIT, 0, 0                              \
	}
#define DRAM                                                                                       \
	{                                                                                          \
		HIT(LOC_RAM), PERF_MEM_LVLNUM_RAM, PERF_MEM_SNOOP_NONE, 0, 0                       \
	}
#define L2_PEER                                                                                    \
	{                                                                                          \
		HIT(L2), PERF_MEM_LVLNUM_L2, 0, PERF_MEM_SNOOPX_PEER, 0                            \
	}
#define L3_PEER                                                                                    \
	{                                                                                          \
		HIT(L3), PERF_MEM_LVLNUM_L3, 0, PERF_MEM_SNOOPX_PEER, 0                            \
	}
#define REMOTE_PEER                                                                                \
	{                                                                                          \
		PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA, 0, PERF_MEM_SNOOPX_PEER, 1                    \
	}

/* Arm's own cores; which level of another core or cluster had it is not told. */
static const struct place arm_places[] = {
	[0x0] = L1_HIT,	     [0x8] = L2_HIT, [0x9] = L2_PEER, /* another core of this cluster */
	[0xa] = L3_PEER,				      /* this cluster */
	[0xb] = L3_HIT,					      /* the system cache */
	[0xc] = L3_PEER,				      /* another cluster */
	[0xd] = REMOTE_PEER,				      /* another socket */
	[0xe] = DRAM,
};

static const struct place ampere_places[] = {
	[0x0] = L2_PEER, /* a cache of this chip, or a device */
	[0x3] = L3_HIT,	 /* the system cache */
	[0x5] = REMOTE_PEER, [0x7] = DRAM, [0x8] = L1_HIT, [0x9] = L2_HIT,
};

/* This family tells a modified line from a clean one. */
#define MODIFIED PERF_MEM_SNOOP_HITM
static const struct place hisi_places[] = {
	[0] = L2_PEER,
	[1] = { HIT(L2), PERF_MEM_LVLNUM_L2, MODIFIED, PERF_MEM_SNOOPX_PEER, 0 },
	[2] = L3_HIT,
	[3] = { HIT(L3), PERF_MEM_LVLNUM_L3, MODIFIED, 0, 0 },
	[4] = { HIT(REM_CCE1), PERF_MEM_LVLNUM_L3, 0, PERF_MEM_SNOOPX_PEER, 0 },
	[5] = { HIT(REM_CCE1), PERF_MEM_LVLNUM_L3, MODIFIED, PERF_MEM_SNOOPX_PEER, 0 },
	[6] = { PERF_MEM_LVL_REM_CCE2, PERF_MEM_LVLNUM_ANY_CACHE, 0, PERF_MEM_SNOOPX_PEER, 1 },
	[7] = { PERF_MEM_LVL_REM_CCE2, PERF_MEM_LVLNUM_ANY_CACHE, MODIFIED, PERF_MEM_SNOOPX_PEER,
		1 },
	[8] = DRAM,
	[9] = { HIT(REM_RAM1), PERF_MEM_LVLNUM_RAM, 0, 0, 1 },
	[13] = { HIT(IO), PERF_MEM_LVLNUM_IO, PERF_MEM_SNOOP_NONE, 0, 0 },
	[16] = L2_HIT,
	/* Modified in the core's own L2: nobody else's line. */
	[17] = L2_HIT,
	[18] = L1_HIT,
};

static const struct {
	const struct place *place;
	size_t count;
} places_of[SPE_FAMILIES] = {
	[SPE_FAMILY_ARM] = { arm_places, ARRAY_SIZE(arm_places) },
	[SPE_FAMILY_AMPERE] = { ampere_places, ARRAY_SIZE(ampere_places) },
	[SPE_FAMILY_HISI] = { hisi_places, ARRAY_SIZE(hisi_places) },
};

static const struct place *place_by_code(const struct spe_record *r, enum spe_family family)
{
	if (!(r->has & SPE_HAS_SOURCE) || r->source >= places_of[family].count ||
	    !places_of[family].place[r->source].lvl)
		return NULL;
	return &places_of[family].place[r->source];
}

/* ---- Levels by events */

/* The first row whose events are there, and of whose absent ones none is, has it: the nearest level
 * that was hit, else the farthest that was missed. */
static const struct {
	uint32_t there, absent;
	struct place place;
} places_by_events[] = {
	{ SPE_L1_ACCESS, SPE_L1_REFILL, { HIT(L1), PERF_MEM_LVLNUM_L1, 0, 0, 0 } },
	{ SPE_RECENTLY_FETCHED, 0, { HIT(LFB), PERF_MEM_LVLNUM_LFB, 0, 0, 0 } },
	{ SPE_L2_ACCESS, SPE_L2_MISS, { HIT(L2), PERF_MEM_LVLNUM_L2, 0, 0, 0 } },
	{ SPE_LLC_ACCESS, SPE_LLC_MISS, { HIT(L3), PERF_MEM_LVLNUM_L3, 0, 0, 0 } },
	{ SPE_LLC_MISS, 0, { PERF_MEM_LVL_MISS | PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_L3, 0, 0, 0 } },
	{ SPE_L2_MISS, 0, { PERF_MEM_LVL_MISS | PERF_MEM_LVL_L2, PERF_MEM_LVLNUM_L2, 0, 0, 0 } },
	{ SPE_L1_REFILL, 0, { PERF_MEM_LVL_MISS | PERF_MEM_LVL_L1, PERF_MEM_LVLNUM_L1, 0, 0, 0 } },
};

static const struct place not_told = { PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA, PERF_MEM_SNOOP_NA, 0,
				       0 };

static const struct place *place_by_events(uint64_t events)
{
	for (size_t i = 0; i < ARRAY_SIZE(places_by_events); i++)
		if ((events & places_by_events[i].there) && !(events & places_by_events[i].absent))
			return &places_by_events[i].place;
	return &not_told;
}

/* ---- The word */

static bool is_atomic(const struct spe_record *r)
{
	return spe_op_extended(r->op) && (r->op & SPE_OP_ATOMIC);
}

/* An atomic operation reads and writes, whichever of both the record calls it. */
static unsigned op_of(const struct spe_record *r)
{
	if (r->class != SPE_MEMORY || !(r->has & SPE_HAS_OPERATION))
		return PERF_MEM_OP_NA;
	if (is_atomic(r))
		return PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE;
	return r->op & SPE_OP_STORE ? PERF_MEM_OP_STORE : PERF_MEM_OP_LOAD;
}

static bool is_locked(const struct spe_record *r)
{
	return spe_op_extended(r->op) && (r->op & (SPE_OP_ATOMIC | SPE_OP_EXCLUSIVE));
}

/* Stores of the families with codes carry none, and their events do not tell a level either. */
static const struct place *place_of(const struct spe_record *r, enum spe_family family)
{
	const struct place *place = place_by_code(r, family);

	if (family != SPE_FAMILY_UNKNOWN && !(op_of(r) & PERF_MEM_OP_LOAD))
		return &not_told;
	return place ? place : place_by_events(r->events);
}

/* With FEAT_SPEv1p4: whether the line came from another cache, and whether it was modified there.
 */
static void add_snoop(union perf_mem_data_src *word, uint64_t events)
{
	if ((word->mem_snoop & ~PERF_MEM_SNOOP_NA) || !(events & SPE_DATA_SNOOPED) ||
	    !(word->mem_op & PERF_MEM_OP_LOAD))
		return;
	word->mem_snoop = events & SPE_DATA_MODIFIED ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_HIT;
}

/* "Another socket", by the events. */
static void add_remote(union perf_mem_data_src *word, uint64_t events)
{
	if (!(events & SPE_REMOTE_ACCESS) || word->mem_remote)
		return;
	word->mem_remote = 1;
	if (word->mem_lvl == HIT(LOC_RAM))
		word->mem_lvl = HIT(REM_RAM1);
}

static unsigned tlb_of(uint64_t events)
{
	if (!(events & (SPE_TLB_ACCESS | SPE_TLB_WALK)))
		return 0;
	return PERF_MEM_TLB_WK | (events & SPE_TLB_WALK ? PERF_MEM_TLB_MISS : PERF_MEM_TLB_HIT);
}

uint64_t spe_data_src(const struct spe_record *r, enum spe_family family)
{
	union perf_mem_data_src word = { .mem_op = op_of(r) };
	const struct place *place;

	if (word.mem_op == PERF_MEM_OP_NA)
		return word.val;
	place = place_of(r, family);
	word.mem_lvl = place->lvl;
	word.mem_lvl_num = place->num;
	word.mem_snoop = place->snoop;
	word.mem_snoopx = place->snoopx;
	word.mem_remote = place->remote;
	word.mem_lock = is_locked(r) ? PERF_MEM_LOCK_LOCKED : 0;
	word.mem_dtlb = tlb_of(r->events);
	add_snoop(&word, r->events);
	add_remote(&word, r->events);
	return word.val;
}

/* A kernel runs at EL1, or at EL2 where the CPU has the Virtualization Host Extensions. */
static uint8_t mode_of(const struct spe_record *r)
{
	static const uint8_t mode[4] = {
		PERF_RECORD_MISC_USER,
		PERF_RECORD_MISC_KERNEL,
		PERF_RECORD_MISC_KERNEL,
		PERF_RECORD_MISC_CPUMODE_UNKNOWN,
	};

	return r->has & SPE_HAS_PC ? mode[r->level] : PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

void spe_sample_of(const struct spe_record *r, enum spe_family family, struct sample *s)
{
	*s = (struct sample){
		.ip = r->pc,
		.addr = r->addr,
		.phys_addr = r->phys_addr,
		.weight = r->cycles[SPE_TOTAL],
		.data_src = spe_data_src(r, family),
		.period = 1,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.cpu = SAMPLE_NO_CPU,
		.event = SAMPLE_NO_EVENT,
		.cpumode = mode_of(r),
	};
}
