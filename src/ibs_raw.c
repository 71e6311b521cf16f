// SPDX-License-Identifier: GPL-2.0-only
#include "ibs_raw.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdio.h>

#define BIT(n) (1ULL << (n))

/* The kernel's PERF_MEM_NA. */
#define ALL_NA                                                                                     \
	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) | \
	 PERF_MEM_S(TLB, NA))

/* ---- Fields of the registers */

#define CAP_ZEN4	    BIT(11) /* data sources have five bits */
#define CTL_VALID	    BIT(18)
#define DATA2_REMOTE	    BIT(4)
#define DATA2_OWNED	    BIT(5) /* of a line from a cache: owned, else modified */
#define DATA3_LOAD	    BIT(0)
#define DATA3_STORE	    BIT(1)
#define DATA3_L1_TLB_MISS   BIT(2)
#define DATA3_L2_TLB_MISS   BIT(3)
#define DATA3_MISS	    BIT(7)
#define DATA3_UNCACHED	    BIT(14)
#define DATA3_LOCKED	    BIT(15)
#define DATA3_MAB_HIT	    BIT(16) /* missed, and the line was on its way already */
#define DATA3_LINEAR	    BIT(17)
#define DATA3_PHYSICAL	    BIT(18)
#define DATA3_L2_MISS	    BIT(20)
#define DATA3_PREFETCH	    BIT(21)
#define DATA3_LATENCY_SHIFT 32 /* 16 bits */

bool ibs_raw_decode(struct cursor raw, struct ibs_op *op)
{
	op->caps = cursor_u32(&raw);
	op->ctl = cursor_u64(&raw);
	op->rip = cursor_u64(&raw);
	op->data = cursor_u64(&raw);
	op->data2 = cursor_u64(&raw);
	op->data3 = cursor_u64(&raw);
	op->linear = cursor_u64(&raw);
	op->physical = cursor_u64(&raw);
	return !raw.bad && (op->ctl & CTL_VALID);
}

struct ibs_cpu ibs_cpu_of(const char *cpuid)
{
	struct ibs_cpu cpu = { 0 };

	if (!cpuid || sscanf(cpuid, "%*[^,],%u,%u", &cpu.family, &cpu.model) != 2)
		return (struct ibs_cpu){ 0 };
	return cpu;
}

static bool touches_memory(const struct ibs_op *op)
{
	return op->data3 & (DATA3_LOAD | DATA3_STORE);
}

static bool is_load(const struct ibs_op *op)
{
	return op->data3 & DATA3_LOAD;
}

/* Erratum 1293 of Zen 3: IbsOpData2 and L2 misses of such ops are not to be believed. */
static bool is_unreliable(const struct ibs_op *op, struct ibs_cpu cpu)
{
	return cpu.family == 0x19 && cpu.model <= 0xf &&
	       (op->data3 & (DATA3_PREFETCH | DATA3_MAB_HIT));
}

/* ---- Where a load was served from */

#define LVL(x)	(PERF_MEM_S(LVL, x) | PERF_MEM_S(LVL, HIT))
#define NUM(x)	PERF_MEM_S(LVLNUM, x)
#define HOPS(x) ((uint64_t)(x) << PERF_MEM_HOPS_SHIFT)
#define REMOTE	PERF_MEM_S(REMOTE, REMOTE)
/* lvl_num of later kernels than these headers are of */
#define NUM_UNCACHED ((uint64_t)0x8 << PERF_MEM_LVLNUM_SHIFT)
#define NUM_CXL	     ((uint64_t)0x9 << PERF_MEM_LVLNUM_SHIFT)

#define OTHER_NODE (REMOTE | HOPS(PERF_MEM_HOPS_1))

struct source {
	uint64_t word;	      /* 0: no such code */
	uint64_t remote_word; /* when it is memory of another node */
	bool cache;	      /* of another core, which may have modified the line */
};

static const struct source coarse_sources[] = {
	[2] = { LVL(L3) | LVL(REM_CCE1) | NUM(ANY_CACHE) | HOPS(PERF_MEM_HOPS_0), 0, true },
	[3] = { LVL(LOC_RAM) | NUM(RAM), LVL(REM_RAM1) | NUM(RAM) | OTHER_NODE, false },
	/* The kernel takes no HITM from this one. */
	[4] = { LVL(REM_CCE2) | NUM(ANY_CACHE) | OTHER_NODE, 0, false },
	[7] = { LVL(IO) | NUM(IO), 0, false },
};

static const struct source zen4_sources[] = {
	[1] = { LVL(L3) | NUM(L3), 0, true },
	/* another core complex of this node */
	[2] = { LVL(REM_CCE1) | NUM(ANY_CACHE) | REMOTE | HOPS(PERF_MEM_HOPS_0), 0, true },
	[3] = { LVL(LOC_RAM) | NUM(RAM), LVL(REM_RAM1) | NUM(RAM) | OTHER_NODE, false },
	[5] = { LVL(REM_CCE2) | NUM(ANY_CACHE) | OTHER_NODE, 0, true },
	[6] = { NUM(PMEM), NUM(PMEM) | OTHER_NODE, false },
	[7] = { LVL(IO) | NUM(IO), 0, false },
	[8] = { NUM_CXL, NUM_CXL | OTHER_NODE, false },
};

static const struct source *find_source(const struct source *table, size_t count, unsigned code)
{
	return code < count && table[code].word ? &table[code] : NULL;
}

static const struct source *source_of(const struct ibs_op *op, struct ibs_cpu cpu)
{
	unsigned low = op->data2 & 7, high = op->data2 >> 6 & 3;

	if (!is_load(op) || is_unreliable(op, cpu))
		return NULL;
	if (op->caps & CAP_ZEN4)
		return find_source(zen4_sources, ARRAY_SIZE(zen4_sources), high << 3 | low);
	return find_source(coarse_sources, ARRAY_SIZE(coarse_sources), low);
}

/* Both tables have the same code for it. */
static bool is_io(const struct source *source)
{
	return source && source->word == (LVL(IO) | NUM(IO));
}

/* The nearest level that had it. Of what is not cached neither misses nor sources are valid. */
static uint64_t level_of(const struct ibs_op *op, struct ibs_cpu cpu, const struct source *source)
{
	if ((op->data3 & DATA3_UNCACHED) && !is_io(source))
		return LVL(UNC) | NUM_UNCACHED;
	if (!(op->data3 & DATA3_MISS))
		return LVL(L1) | NUM(L1);
	if (!(op->data3 & DATA3_L2_MISS) && !is_unreliable(op, cpu))
		return LVL(L2) | NUM(L2);
	if (source)
		return source->remote_word && (op->data2 & DATA2_REMOTE) ? source->remote_word
									 : source->word;
	if (op->data3 & DATA3_MAB_HIT)
		return LVL(LFB) | NUM(LFB);
	return PERF_MEM_S(LVL, NA) | NUM(NA);
}

/* Zen 3 does not have the bit that tells modified from owned. */
static bool tells_modified(struct ibs_cpu cpu)
{
	return cpu.family != 0x19 ||
	       !(cpu.model <= 0xf || (cpu.model >= 0x20 && cpu.model <= 0x5f));
}

static uint64_t snoop_of(const struct ibs_op *op, struct ibs_cpu cpu, const struct source *source,
			 uint64_t level)
{
	bool from_source = source && level == source->word;

	if (from_source && source->cache && !(op->data2 & DATA2_OWNED) && tells_modified(cpu))
		return PERF_MEM_S(SNOOP, HITM);
	return PERF_MEM_S(SNOOP, NA);
}

static uint64_t tlb_of(const struct ibs_op *op)
{
	if (!(op->data3 & DATA3_LINEAR))
		return PERF_MEM_S(TLB, NA);
	if (!(op->data3 & DATA3_L1_TLB_MISS))
		return PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, HIT);
	if (!(op->data3 & DATA3_L2_TLB_MISS))
		return PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, HIT);
	return PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, MISS);
}

uint64_t ibs_data_src(const struct ibs_op *op, struct ibs_cpu cpu)
{
	const struct source *source = source_of(op, cpu);
	uint64_t level;

	if (!touches_memory(op))
		return ALL_NA;
	level = level_of(op, cpu, source);
	return (is_load(op) ? PERF_MEM_S(OP, LOAD) : PERF_MEM_S(OP, STORE)) | level |
	       snoop_of(op, cpu, source, level) | tlb_of(op) |
	       (op->data3 & DATA3_LOCKED ? PERF_MEM_S(LOCK, LOCKED) : PERF_MEM_S(LOCK, NA));
}

uint64_t ibs_latency(const struct ibs_op *op)
{
	if (!is_load(op) || !(op->data3 & DATA3_MISS))
		return 0;
	return op->data3 >> DATA3_LATENCY_SHIFT & 0xffff;
}

static bool is_recorded(uint64_t data_src)
{
	union perf_mem_data_src word = { .val = data_src };

	return word.mem_op & ~PERF_MEM_OP_NA;
}

void ibs_complete(struct cursor raw, const char *cpuid, struct sample *s)
{
	struct ibs_op op;

	if (is_recorded(s->data_src) || !ibs_raw_decode(raw, &op) || !touches_memory(&op))
		return;
	s->data_src = ibs_data_src(&op, ibs_cpu_of(cpuid));
	if (!s->addr && (op.data3 & DATA3_LINEAR))
		s->addr = op.linear;
	if (!s->phys_addr && (op.data3 & DATA3_PHYSICAL))
		s->phys_addr = op.physical;
	if (!s->weight)
		s->weight = ibs_latency(&op);
}
