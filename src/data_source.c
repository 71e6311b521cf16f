// SPDX-License-Identifier: GPL-2.0-only
#include "data_source.h"
#include "spe_sample.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LVL_OUTCOME (PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS)
#define LVL_REMOTE                                                                                 \
	(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2 | PERF_MEM_LVL_REM_CCE1 |                   \
	 PERF_MEM_LVL_REM_CCE2)

/* mem_lvl_num; 5 to 9 came after 6.1's header. LEVEL_UNKNOWN: the field says nothing, see mem_lvl.
 */
static const enum memory_level level_of_num[16] = {
	[PERF_MEM_LVLNUM_L1] = LEVEL_L1,
	[PERF_MEM_LVLNUM_L2] = LEVEL_L2,
	[PERF_MEM_LVLNUM_L3] = LEVEL_L3,
	[PERF_MEM_LVLNUM_L4] = LEVEL_RAM, /* a cache on the memory's side of the LLC */
	[0x5] = LEVEL_LFB,		  /* L2 miss handling buffer */
	[0x6] = LEVEL_RAM,		  /* memory-side cache */
	[0x7] = LEVEL_L1,		  /* L0 */
	[0x8] = LEVEL_UNCACHED,
	[0x9] = LEVEL_RAM, /* CXL */
	[PERF_MEM_LVLNUM_IO] = LEVEL_IO,
	[PERF_MEM_LVLNUM_ANY_CACHE] = LEVEL_CACHE,
	[PERF_MEM_LVLNUM_LFB] = LEVEL_LFB,
	[PERF_MEM_LVLNUM_RAM] = LEVEL_RAM,
	[PERF_MEM_LVLNUM_PMEM] = LEVEL_RAM,
};

/* mem_lvl, the first bit that is set: Zen 2's L3|REM_CCE1 is one local hit, not two. */
static const struct {
	uint16_t bits;
	enum memory_level level;
} level_of_bits[] = {
	{ PERF_MEM_LVL_L1, LEVEL_L1 },
	{ PERF_MEM_LVL_LFB, LEVEL_LFB },
	{ PERF_MEM_LVL_L2, LEVEL_L2 },
	{ PERF_MEM_LVL_L3, LEVEL_L3 },
	{ PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2, LEVEL_CACHE },
	{ PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2, LEVEL_RAM },
	{ PERF_MEM_LVL_IO, LEVEL_IO },
	{ PERF_MEM_LVL_UNC, LEVEL_UNCACHED },
};

static enum memory_level level_named(unsigned lvl)
{
	for (unsigned i = 0; i < sizeof(level_of_bits) / sizeof(level_of_bits[0]); i++)
		if (lvl & level_of_bits[i].bits)
			return level_of_bits[i].level;
	return LEVEL_UNKNOWN;
}

static enum memory_kind decode_kind(unsigned op)
{
	if (op & PERF_MEM_OP_LOAD)
		return MEMORY_LOAD;
	return op & PERF_MEM_OP_STORE ? MEMORY_STORE : MEMORY_NONE;
}

/* A miss names the level that was missed; where the data then came from is said only when
 * mem_lvl_num names another one (Sapphire Rapids stores: missed L1, served by mem_lvl_num). */
static enum memory_level decode_level(union perf_mem_data_src word)
{
	enum memory_level named = level_named(word.mem_lvl);
	enum memory_level number = level_of_num[word.mem_lvl_num];

	if ((word.mem_lvl & LVL_OUTCOME) != PERF_MEM_LVL_MISS)
		return number ? number : named;
	return number && named && number != named ? number : LEVEL_MISS;
}

static enum memory_distance decode_distance(union perf_mem_data_src word, enum memory_level level)
{
	bool number = level_of_num[word.mem_lvl_num];

	if (word.mem_hops)
		return word.mem_hops == PERF_MEM_HOPS_0 ? DISTANCE_SAME_NODE : DISTANCE_OTHER_NODE;
	if (word.mem_remote)
		return DISTANCE_OTHER_NODE;
	if (!number && level != LEVEL_L3 && (word.mem_lvl & LVL_REMOTE))
		return DISTANCE_OTHER_NODE;
	return level == LEVEL_RAM ? DISTANCE_SAME_NODE : DISTANCE_SAME_LLC;
}

static bool is_transfer(const struct data_source *d)
{
	return d->hitm || d->peer || d->forward;
}

static bool is_cache(enum memory_level level)
{
	return level >= LEVEL_L1 && level <= LEVEL_CACHE;
}

/* What another core's cache supplied came from a cache, whatever level the word names: Crestmont
 * says "remote RAM, HITM", Lion Cove "L3 miss, HITM", which is a line beyond this L3. */
static void settle_transfer(struct data_source *d, union perf_mem_data_src word)
{
	enum memory_level missed = level_named(word.mem_lvl);

	if (!is_transfer(d) || is_cache(d->level))
		return;
	if (d->level == LEVEL_MISS && d->distance == DISTANCE_SAME_LLC &&
	    (missed == LEVEL_L3 || missed == LEVEL_UNKNOWN))
		d->distance = DISTANCE_SAME_NODE;
	d->level = LEVEL_CACHE;
}

static bool store_missed(enum memory_level level)
{
	static const bool missed[MEMORY_LEVELS] = {
		[LEVEL_LFB] = true,   [LEVEL_L2] = true,  [LEVEL_L3] = true,
		[LEVEL_CACHE] = true, [LEVEL_RAM] = true, [LEVEL_MISS] = true,
	};

	return missed[level];
}

struct data_source data_source_decode(uint64_t value)
{
	union perf_mem_data_src word = { .val = value };
	struct data_source d = { .kind = decode_kind(word.mem_op) };

	if (d.kind == MEMORY_NONE)
		return d;
	d.level = decode_level(word);
	d.distance = decode_distance(word, d.level);
	d.locked = word.mem_lock & PERF_MEM_LOCK_LOCKED;
	d.hitm = word.mem_snoop & PERF_MEM_SNOOP_HITM;
	d.peer = !d.hitm && (word.mem_snoopx & PERF_MEM_SNOOPX_PEER);
	d.forward = !d.hitm && !d.peer && (word.mem_snoopx & PERF_MEM_SNOOPX_FWD);
	settle_transfer(&d, word);
	d.miss = d.kind == MEMORY_STORE && store_missed(d.level);
	return d;
}

/*
 * Encoding. perf c2c takes a load's class from mem_lvl: L3|HIT with HITM is a local HITM,
 * REM_CCE1|HIT with HITM a remote one. It takes remote without hops for remote DRAM as well, so
 * hops are always set beside it. Level and distance themselves are in mem_lvl_num, mem_remote and
 * mem_hops.
 */
static const struct {
	uint16_t lvl; /* of a load under the same LLC */
	uint8_t num;
} code_of_level[MEMORY_LEVELS] = {
	[LEVEL_UNKNOWN] = { PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA },
	[LEVEL_L1] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1, PERF_MEM_LVLNUM_L1 },
	[LEVEL_LFB] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_LFB, PERF_MEM_LVLNUM_LFB },
	[LEVEL_L2] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L2, PERF_MEM_LVLNUM_L2 },
	[LEVEL_L3] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_L3 },
	[LEVEL_CACHE] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_ANY_CACHE },
	[LEVEL_RAM] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM, PERF_MEM_LVLNUM_RAM },
	[LEVEL_IO] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_IO, PERF_MEM_LVLNUM_IO },
	[LEVEL_UNCACHED] = { PERF_MEM_LVL_HIT | PERF_MEM_LVL_UNC, 0x8 },
	[LEVEL_MISS] = { PERF_MEM_LVL_MISS, PERF_MEM_LVLNUM_NA },
};

static unsigned encode_load_lvl(const struct data_source *d)
{
	if (d->distance != DISTANCE_SAME_LLC && is_cache(d->level))
		return PERF_MEM_LVL_HIT |
		       (d->distance == DISTANCE_SAME_NODE ? PERF_MEM_LVL_REM_CCE1
							  : PERF_MEM_LVL_REM_CCE2);
	if (d->distance == DISTANCE_OTHER_NODE && d->level == LEVEL_RAM)
		return PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_RAM1;
	return code_of_level[d->level].lvl;
}

static unsigned encode_store_lvl(const struct data_source *d)
{
	if (d->miss || store_missed(d->level))
		return PERF_MEM_LVL_MISS | PERF_MEM_LVL_L1;
	return code_of_level[d->level].lvl;
}

static unsigned encode_snoop(const struct data_source *d)
{
	if (d->hitm)
		return PERF_MEM_SNOOP_HITM;
	if (d->kind == MEMORY_STORE || !is_cache(d->level))
		return PERF_MEM_SNOOP_NA;
	/* perf c2c counts a clean remote line only by this bit. */
	if (d->forward || (d->distance != DISTANCE_SAME_LLC && !d->peer))
		return PERF_MEM_SNOOP_HIT;
	return PERF_MEM_SNOOP_NONE;
}

static void encode_distance(const struct data_source *d, union perf_mem_data_src *word)
{
	static const uint8_t hops[MEMORY_DISTANCES] = {
		[DISTANCE_SAME_NODE] = PERF_MEM_HOPS_0,
		[DISTANCE_OTHER_NODE] = PERF_MEM_HOPS_2,
	};

	if (d->level == LEVEL_RAM && d->distance != DISTANCE_OTHER_NODE)
		return; /* its own node's memory is not remote */
	word->mem_hops = hops[d->distance];
	word->mem_remote = word->mem_hops ? 1 : 0;
}

uint64_t data_source_encode(const struct data_source *d)
{
	union perf_mem_data_src word = {
		.mem_op = PERF_MEM_OP_NA,
		.mem_lvl = PERF_MEM_LVL_NA,
		.mem_snoop = PERF_MEM_SNOOP_NA,
		.mem_lock = PERF_MEM_LOCK_NA,
		.mem_dtlb = PERF_MEM_TLB_NA,
		.mem_lvl_num = PERF_MEM_LVLNUM_NA,
		.mem_blk = PERF_MEM_BLK_NA,
	};

	if (d->kind == MEMORY_NONE)
		return word.val;
	word.mem_op = d->kind == MEMORY_LOAD ? PERF_MEM_OP_LOAD : PERF_MEM_OP_STORE;
	word.mem_lvl = d->kind == MEMORY_LOAD ? encode_load_lvl(d) : encode_store_lvl(d);
	word.mem_lvl_num = code_of_level[d->level].num;
	word.mem_snoop = encode_snoop(d);
	word.mem_snoopx = d->forward ? PERF_MEM_SNOOPX_FWD : d->peer ? PERF_MEM_SNOOPX_PEER : 0;
	word.mem_lock = d->locked ? PERF_MEM_LOCK_LOCKED : 0;
	encode_distance(d, &word);
	return word.val;
}

/* ---- What CPUs cannot tell */

#define CLEAN_FORWARDS                                                                             \
	"this CPU counts a line that another core under the same last-level cache forwarded "      \
	"clean "                                                                                   \
	"as HITM: where nobody is seen to store, the line may only be read by many"
#define NO_HITM                                                                                    \
	"this CPU does not tell whether a line that came from another core was modified: HITM is " \
	"not usable"
#define LOADS_ONLY "this CPU samples loads only: who writes is not seen"
#define SPE                                                                                        \
	"Arm SPE tells that a line came from another core, not that it was modified; its stores "  \
	"carry no data source"
#define SPE_HITM "Arm SPE's stores carry no data source"

/* Models of family 6: arch/x86/include/asm/intel-family.h. Codes of the data source by core:
 * arch/x86/events/intel/ds.c, arch/x86/events/amd/ibs.c. */
static const struct {
	const char *vendor;
	unsigned family, first, last; /* models */
	const char *text;
} caveats[] = {
	{ "GenuineIntel", 6, 0x1a, 0x1a, LOADS_ONLY }, /* Nehalem */
	{ "GenuineIntel", 6, 0x1e, 0x1f, LOADS_ONLY },
	{ "GenuineIntel", 6, 0x2e, 0x2e, LOADS_ONLY },
	{ "GenuineIntel", 6, 0x25, 0x25, LOADS_ONLY }, /* Westmere */
	{ "GenuineIntel", 6, 0x2c, 0x2c, LOADS_ONLY },
	{ "GenuineIntel", 6, 0x2f, 0x2f, LOADS_ONLY },
	{ "GenuineIntel", 6, 0x6a, 0x6a, CLEAN_FORWARDS }, /* Ice Lake, servers */
	{ "GenuineIntel", 6, 0x6c, 0x6c, CLEAN_FORWARDS },
	{ "GenuineIntel", 6, 0x7d, 0x7e, CLEAN_FORWARDS }, /* Ice Lake */
	{ "GenuineIntel", 6, 0x8c, 0x8d, CLEAN_FORWARDS }, /* Tiger Lake */
	{ "GenuineIntel", 6, 0xa7, 0xa7, CLEAN_FORWARDS }, /* Rocket Lake */
	{ "GenuineIntel", 6, 0x97, 0x97, CLEAN_FORWARDS }, /* Alder Lake, the P cores */
	{ "GenuineIntel", 6, 0x9a, 0x9a, CLEAN_FORWARDS },
	{ "GenuineIntel", 6, 0xb7, 0xb7, CLEAN_FORWARDS }, /* Raptor Lake, the P cores */
	{ "GenuineIntel", 6, 0xba, 0xba, CLEAN_FORWARDS },
	{ "GenuineIntel", 6, 0xbf, 0xbf, CLEAN_FORWARDS },
	{ "GenuineIntel", 6, 0x8f, 0x8f, CLEAN_FORWARDS }, /* Sapphire Rapids */
	{ "GenuineIntel", 6, 0xcf, 0xcf, CLEAN_FORWARDS }, /* Emerald Rapids */
	{ "GenuineIntel", 6, 0xad, 0xae, CLEAN_FORWARDS }, /* Granite Rapids */
	{ "AuthenticAMD", 0x19, 0x00, 0x0f, NO_HITM },	   /* Zen 3 */
	{ "AuthenticAMD", 0x19, 0x20, 0x5f, NO_HITM },
};

const char *data_source_caveat(const char *cpuid)
{
	char vendor[16];
	unsigned family, model;

	if (!cpuid)
		return NULL;
	if (!strncmp(cpuid, "0x", 2)) /* MIDR_EL1 */
		return spe_family_of(strtoull(cpuid, NULL, 16)) == SPE_FAMILY_HISI ? SPE_HITM : SPE;
	if (sscanf(cpuid, "%15[^,],%u,%u", vendor, &family, &model) != 3)
		return NULL;
	for (size_t i = 0; i < sizeof(caveats) / sizeof(caveats[0]); i++)
		if (!strcmp(vendor, caveats[i].vendor) && family == caveats[i].family &&
		    model >= caveats[i].first && model <= caveats[i].last)
			return caveats[i].text;
	return NULL;
}
