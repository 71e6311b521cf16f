// SPDX-License-Identifier: GPL-2.0-only
#include "data_source.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *describe(const struct data_source *d, char *text, size_t size)
{
	static const char *const kind[] = { "none", "load", "store" };
	static const char *const level[] = { "unknown", "L1",  "LFB", "L2",	  "L3",
					     "cache",	"RAM", "IO",  "uncached", "miss" };
	static const char *const distance[] = { "same LLC", "same node", "other node" };

	snprintf(text, size, "%s %s %s%s%s%s%s%s", kind[d->kind], level[d->level],
		 distance[d->distance], d->hitm ? " HITM" : "", d->peer ? " peer" : "",
		 d->forward ? " forward" : "", d->miss ? " miss" : "", d->locked ? " locked" : "");
	return text;
}

/* One text says all of a data source, and a failure shows it whole. */
static void expect(uint64_t word, const char *wanted, const char *what)
{
	struct data_source d = data_source_decode(word);
	char text[100];

	describe(&d, text, sizeof(text));
	if (strcmp(text, wanted))
		fail_msg("%s: %#llx is \"%s\", not \"%s\"", what, (unsigned long long)word, text,
			 wanted);
}

struct row {
	uint64_t word;
	const char *meaning;
	const char *seen_on;
};

static void words_of_real_machines_are_decoded(void **state)
{
	static const struct row row[] = {
		{ 0x68100142, "load L1 same LLC", "Ivy Bridge-EP" },
		{ 0x268100142, "load L1 same LLC", "Coffee Lake" },
		{ 0x26a100142, "load L1 same LLC locked", "Coffee Lake" },
		{ 0x252100142, "load L1 same LLC locked", "Coffee Lake, TLB miss" },
		{ 0x1868100242, "load LFB same LLC", "Coffee Lake" },
		{ 0x668100842, "load L3 same LLC", "Coffee Lake" },
		{ 0x668200842, "load L3 same LLC", "Coffee Lake, snoop hit" },
		{ 0x1a68201042, "load RAM same node", "Coffee Lake" },
		{ 0x5080144, "store L1 same LLC", "Coffee Lake" },
		{ 0x5080184, "store miss same LLC miss", "Coffee Lake" },
		{ 0x10268100142, "load L1 same LLC", "Skylake-SP" },
		{ 0x1026a100142, "load L1 same LLC locked", "Skylake-SP" },
		{ 0x10468100442, "load L2 same LLC", "Skylake-SP" },
		{ 0x10668100842, "load L3 same LLC", "Skylake-SP" },
		{ 0x11868100242, "load LFB same LLC", "Skylake-SP" },
		{ 0x20268100142, "load L1 same LLC", "Alder Lake, store-forward blocked" },
		{ 0x40268100142, "load L1 same LLC", "Alder Lake, address conflict" },
		{ 0x4026a100142, "load L1 same LLC locked", "Alder Lake" },
		{ 0x88000182, "load miss same LLC", "Arm SPE" },
		{ 0x8688000842, "load L3 same LLC peer", "Neoverse, SPE" },
		{ 0x629800842, "load L3 same LLC HITM", "AMD IBS" },
		{ 0x229080142, "load L1 same LLC", "AMD IBS" },
		{ 0x5080021, "none unknown same LLC", "a cycles event recorded with -d" },
		{ 0, "none unknown same LLC", "not recorded" },
	};

	for (size_t i = 0; i < COUNT(row); i++)
		expect(row[i].word, row[i].meaning, row[i].seen_on);
}

#define OP(x)	  ((uint64_t)PERF_MEM_OP_##x << PERF_MEM_OP_SHIFT)
#define LVL(x)	  ((uint64_t)PERF_MEM_LVL_##x << PERF_MEM_LVL_SHIFT)
#define NUM(x)	  ((uint64_t)PERF_MEM_LVLNUM_##x << PERF_MEM_LVLNUM_SHIFT)
#define SNOOP(x)  ((uint64_t)PERF_MEM_SNOOP_##x << PERF_MEM_SNOOP_SHIFT)
#define SNOOPX(x) ((uint64_t)PERF_MEM_SNOOPX_##x << PERF_MEM_SNOOPX_SHIFT)
#define HOPS(n)	  ((uint64_t)PERF_MEM_HOPS_##n << PERF_MEM_HOPS_SHIFT)
#define REMOTE	  ((uint64_t)1 << PERF_MEM_REMOTE_SHIFT)
#define HIT	  (OP(LOAD) | LVL(HIT))
#define STORE_HIT (OP(STORE) | LVL(HIT))

/* What each CPU family's table gives, arch/x86/events/intel/ds.c and arch/x86/events/amd/ibs.c. */
static void each_family_gives_one_class_a_sample(void **state)
{
	static const struct row row[] = {
		{ OP(LOAD) | LVL(MISS) | NUM(L3) | SNOOP(NA), "load miss same LLC", "Intel 0" },
		{ HIT | LVL(L3) | NUM(L3) | SNOOP(HITM), "load L3 same LLC HITM", "SNB 7" },
		{ HIT | LVL(REM_CCE1) | NUM(L3) | REMOTE | SNOOP(HITM), "load L3 other node HITM",
		  "SNB 9" },
		{ HIT | LVL(REM_CCE1) | SNOOP(HITM), "load cache other node HITM", "SNB 9, 3.x" },
		{ HIT | LVL(LOC_RAM) | NUM(RAM) | SNOOP(NONE), "load RAM same node", "SNB a" },
		{ HIT | LVL(REM_RAM1) | NUM(RAM) | REMOTE, "load RAM other node", "SNB b" },
		{ HIT | LVL(REM_RAM1), "load RAM other node", "SNB b, 3.x" },
		{ HIT | LVL(IO) | NUM(NA), "load IO same LLC", "SNB e" },
		{ HIT | LVL(UNC) | NUM(NA), "load uncached same LLC", "SNB f" },
		{ HIT | NUM(ANY_CACHE) | REMOTE | SNOOP(HITM), "load cache other node HITM",
		  "Skylake d" },
		{ HIT | NUM(ANY_CACHE) | REMOTE | SNOOPX(FWD), "load cache other node forward",
		  "Skylake c" },
		{ HIT | NUM(RAM) | REMOTE | SNOOP(NONE), "load RAM other node", "Skylake b" },
		{ HIT | NUM(PMEM) | REMOTE | SNOOP(HIT), "load RAM other node", "Skylake 9" },
		{ HIT | NUM(L4) | SNOOP(HIT), "load RAM same node", "Skylake 8" },
		{ HIT | NUM(RAM) | REMOTE | SNOOP(HITM), "load cache other node HITM",
		  "Crestmont d" },
		{ HIT | LVL(L3) | NUM(L3) | SNOOPX(FWD), "load L3 same LLC forward",
		  "Lion Cove c" },
		{ OP(LOAD) | LVL(MISS) | LVL(L3) | NUM(L3) | SNOOP(HITM),
		  "load cache same node HITM", "Lion Cove f" },
		{ HIT | (uint64_t)5 << PERF_MEM_LVLNUM_SHIFT, "load LFB same LLC", "Lion Cove 6" },
		{ HIT | (uint64_t)7 << PERF_MEM_LVLNUM_SHIFT, "load L1 same LLC",
		  "Panther Cove 1" },
		{ STORE_HIT | LVL(L3) | NUM(L3) | SNOOP(HITM), "store L3 same LLC HITM miss",
		  "Sapphire Rapids store" },
		{ HIT | LVL(L3) | LVL(REM_CCE1) | SNOOP(HITM), "load L3 same LLC HITM", "Zen 2" },
		{ HIT | LVL(REM_CCE1) | REMOTE | HOPS(0) | SNOOP(HITM), "load cache same node HITM",
		  "Zen 4 near CCX" },
		{ HIT | LVL(REM_CCE2) | REMOTE | HOPS(1) | SNOOP(HITM),
		  "load cache other node HITM", "Zen 4 far CCX" },
		{ HIT | NUM(ANY_CACHE) | REMOTE | HOPS(0) | SNOOP(HITM),
		  "load cache same node HITM", "Zen 4 near CCX, 6.5" },
		{ STORE_HIT | LVL(LFB) | SNOOP(NA), "store LFB same LLC miss", "IBS store" },
		{ OP(STORE) | LVL(NA) | NUM(NA), "store unknown same LLC", "SPE store" },
		{ OP(LOAD) | LVL(NA) | NUM(NA) | REMOTE | SNOOPX(PEER),
		  "load cache other node peer", "SPE remote" },
		{ HIT | LVL(L2) | NUM(L2) | SNOOP(NONE) | SNOOPX(PEER), "load L2 same LLC peer",
		  "SPE peer core" },
		{ HIT | LVL(L3) | NUM(L3) | SNOOPX(PEER) | SNOOP(HITM), "load L3 same LLC HITM",
		  "SPE with its HITM event" },
		{ HIT | NUM(L2) | REMOTE | HOPS(2), "load L2 other node", "POWER" },
		{ OP(LOAD) | OP(STORE) | LVL(HIT) | LVL(L1), "load L1 same LLC", "both" },
		{ OP(PFETCH) | LVL(HIT) | LVL(L1), "none unknown same LLC", "prefetch" },
		{ OP(EXEC), "none unknown same LLC", "execution" },
	};

	for (size_t i = 0; i < COUNT(row); i++)
		expect(row[i].word, row[i].meaning, row[i].seen_on);
}

static void expect_same(const struct data_source *a, const struct data_source *b, uint64_t word)
{
	char text_a[100], text_b[100];

	describe(a, text_a, sizeof(text_a));
	describe(b, text_b, sizeof(text_b));
	if (strcmp(text_a, text_b))
		fail_msg("%#llx: \"%s\" became \"%s\"", (unsigned long long)word, text_a, text_b);
}

/* Whatever a word means, its encoding means the same. */
static void encoding_keeps_the_meaning_of_any_word(void **state)
{
	uint64_t word = 1;

	for (int i = 0; i < 2000000; i++) {
		struct data_source d, again;

		word = word * 6364136223846793005ULL + 1442695040888963407ULL;
		d = data_source_decode(word ^ word >> 29);
		again = data_source_decode(data_source_encode(&d));
		expect_same(&d, &again, word ^ word >> 29);
	}
}

/* perf c2c's counters, restated from its documentation of c2c_decode_stats(); a set bit is a count.
 */
enum c2c {
	FB = 1,
	L1H = 2,
	L2H = 4,
	LLCHIT = 8,
	LCL_HITM = 16,
	LCL_DRAM = 32,
	RMT_DRAM = 64,
	RMT_HIT = 128,
	RMT_HITM = 256,
	LD_MISS = 512,
	ST_L1H = 1024,
	ST_L1M = 2048,
	ST_NA = 4096,
	LOCKED = 8192,
	RMT_PEER = 16384,
	LCL_PEER = 32768
};

static unsigned c2c_counts_load(union perf_mem_data_src w)
{
	bool hit = w.mem_lvl & PERF_MEM_LVL_HIT, mrem = w.mem_remote && !w.mem_hops;
	bool hitm = w.mem_snoop & PERF_MEM_SNOOP_HITM, peer = w.mem_snoopx & PERF_MEM_SNOOPX_PEER;
	unsigned c = 0;

	if (hit && (w.mem_lvl & PERF_MEM_LVL_LFB))
		c |= FB;
	if (hit && (w.mem_lvl & PERF_MEM_LVL_L1))
		c |= L1H;
	if (hit && (w.mem_lvl & PERF_MEM_LVL_L2))
		c |= L2H | (peer ? LCL_PEER : 0);
	if (hit && (w.mem_lvl & PERF_MEM_LVL_L3))
		c |= hitm ? LCL_HITM : LLCHIT | (peer ? LCL_PEER : 0);
	if (hit && (w.mem_lvl & PERF_MEM_LVL_LOC_RAM))
		c |= LCL_DRAM;
	if (hit && ((w.mem_lvl & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2)) || mrem))
		c |= RMT_DRAM;
	if ((w.mem_lvl & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)) || mrem)
		c |= w.mem_snoop & PERF_MEM_SNOOP_HIT ? RMT_HIT
		     : hitm			      ? RMT_HITM
		     : peer			      ? RMT_HIT | RMT_PEER
						      : 0;
	return c | (w.mem_lvl & PERF_MEM_LVL_MISS ? LD_MISS : 0);
}

static unsigned c2c_counts(uint64_t word)
{
	union perf_mem_data_src w = { .val = word };
	unsigned c = w.mem_lock & PERF_MEM_LOCK_LOCKED ? LOCKED : 0;

	if (w.mem_op & PERF_MEM_OP_LOAD)
		return c | c2c_counts_load(w);
	if ((w.mem_lvl & PERF_MEM_LVL_L1) && (w.mem_lvl & PERF_MEM_LVL_HIT))
		c |= ST_L1H;
	if ((w.mem_lvl & PERF_MEM_LVL_L1) && (w.mem_lvl & PERF_MEM_LVL_MISS))
		c |= ST_L1M;
	return c | (w.mem_lvl & PERF_MEM_LVL_NA ? ST_NA : 0);
}

#define LD   MEMORY_LOAD
#define ST   MEMORY_STORE
#define LLC  DISTANCE_SAME_LLC
#define NODE DISTANCE_SAME_NODE
#define FAR  DISTANCE_OTHER_NODE
#define D(k, l, ...)                                                                               \
	{                                                                                          \
		.kind = k, .level = l, .distance = __VA_ARGS__                                     \
	}

static void perf_c2c_counts_encodings_once_and_right(void **state)
{
	static const struct {
		struct data_source d;
		unsigned counts;
	} row[] = {
		{ D(LD, LEVEL_L3, LLC, .hitm = true), LCL_HITM },
		{ D(LD, LEVEL_CACHE, LLC, .hitm = true), LCL_HITM },
		{ D(LD, LEVEL_CACHE, NODE, .hitm = true), RMT_HITM },
		{ D(LD, LEVEL_L3, NODE, .hitm = true), RMT_HITM },
		{ D(LD, LEVEL_CACHE, FAR, .hitm = true), RMT_HITM },
		{ D(LD, LEVEL_CACHE, FAR, .hitm = true, .locked = true), RMT_HITM | LOCKED },
		{ D(LD, LEVEL_L3, LLC, .forward = true), LLCHIT },
		{ D(LD, LEVEL_CACHE, FAR, .forward = true), RMT_HIT },
		{ D(LD, LEVEL_CACHE, FAR), RMT_HIT },
		{ D(LD, LEVEL_CACHE, FAR, .peer = true), RMT_HIT | RMT_PEER },
		{ D(LD, LEVEL_L3, LLC, .peer = true), LLCHIT | LCL_PEER },
		{ D(LD, LEVEL_L1, LLC), L1H },
		{ D(LD, LEVEL_LFB, LLC), FB },
		{ D(LD, LEVEL_L2, LLC), L2H },
		{ D(LD, LEVEL_L3, LLC), LLCHIT },
		{ D(LD, LEVEL_RAM, NODE), LCL_DRAM },
		{ D(LD, LEVEL_RAM, FAR), RMT_DRAM },
		{ D(LD, LEVEL_MISS, LLC), LD_MISS },
		{ D(ST, LEVEL_L1, LLC), ST_L1H },
		{ D(ST, LEVEL_L1, LLC, .locked = true), ST_L1H | LOCKED },
		{ D(ST, LEVEL_MISS, LLC, .miss = true), ST_L1M },
		{ D(ST, LEVEL_L3, LLC, .hitm = true, .miss = true), ST_L1M },
		{ D(ST, LEVEL_CACHE, FAR, .hitm = true, .miss = true), ST_L1M },
		{ D(ST, LEVEL_RAM, FAR, .miss = true), ST_L1M },
		{ D(ST, LEVEL_UNKNOWN, LLC), ST_NA },
	};

	for (size_t i = 0; i < COUNT(row); i++) {
		uint64_t word = data_source_encode(&row[i].d);
		struct data_source again = data_source_decode(word);
		char text[100];

		expect_same(&row[i].d, &again, word);
		if (c2c_counts(word) != row[i].counts)
			fail_msg("%s, %#llx: perf c2c counts %#x, not %#x",
				 describe(&row[i].d, text, sizeof(text)), (unsigned long long)word,
				 c2c_counts(word), row[i].counts);
	}
}

static void cpus_that_cannot_tell_say_so(void **state)
{
	static const struct {
		const char *cpuid, *text; /* NULL: nothing to say */
	} row[] = {
		{ NULL, NULL },
		{ "", NULL },
		{ "GenuineIntel", NULL },
		{ "GenuineIntel,6", NULL },
		{ "GenuineIntel,6,106,6", "forwarded clean" },	/* Ice Lake-SP */
		{ "GenuineIntel,6,143,8", "forwarded clean" },	/* Sapphire Rapids */
		{ "GenuineIntel,6,173,1", "forwarded clean" },	/* Granite Rapids */
		{ "GenuineIntel,6,85,7", NULL },		/* Cascade Lake */
		{ "GenuineIntel,6,62,4", NULL },		/* Ivy Bridge-EP */
		{ "GenuineIntel,6,47,2", "samples loads only" }, /* Westmere-EX */
		{ "GenuineIntel,6,26,5", "samples loads only" }, /* Nehalem */
		{ "GenuineIntel,15,106,6", NULL },
		{ "AuthenticAMD,25,1,1", "HITM is not usable" },  /* Zen 3, Milan */
		{ "AuthenticAMD,25,33,0", "HITM is not usable" }, /* Zen 3, Vermeer */
		{ "AuthenticAMD,25,17,1", NULL },		  /* Zen 4, Genoa */
		{ "AuthenticAMD,25,97,2", NULL },		  /* Zen 4, Raphael */
		{ "AuthenticAMD,23,49,0", NULL },		  /* Zen 2 */
		{ "0x00000000410fd0c0", "Arm SPE" },		  /* Neoverse N1 */
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const char *text = data_source_caveat(row[i].cpuid);

		if (!text != !row[i].text || (text && !strstr(text, row[i].text)))
			fail_msg("%s: \"%s\", not \"%s\"", row[i].cpuid, text, row[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_that_cannot_tell_say_so),
		cmocka_unit_test(words_of_real_machines_are_decoded),
		cmocka_unit_test(each_family_gives_one_class_a_sample),
		cmocka_unit_test(encoding_keeps_the_meaning_of_any_word),
		cmocka_unit_test(perf_c2c_counts_encodings_once_and_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
