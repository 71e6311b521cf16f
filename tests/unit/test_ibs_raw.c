// SPDX-License-Identifier: GPL-2.0-only
/* Registers of AMD IBS as data sources. Bits are written out from the Processor Programming
 * References; the words are those that the kernel makes of the same registers
 * (arch/x86/events/amd/ibs.c). */
#include "ibs_raw.h"
#include "data_source.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ZEN2_CAPS 0x3ff
#define ZEN4_CAPS 0xbff /* with bit 11: data sources of five bits */

static const struct ibs_cpu zen2 = { 0x17, 0x31 }, zen3 = { 0x19, 0x01 },
			    zen3_desktop = { 0x19, 0x21 }, zen4 = { 0x19, 0x11 };

/* Of IbsOpData3 */
#define LOAD	 (1ULL << 0)
#define STORE	 (1ULL << 1)
#define L1_TLB	 (1ULL << 2) /* missed */
#define L2_TLB	 (1ULL << 3)
#define MISS	 (1ULL << 7)
#define UNCACHED (1ULL << 14)
#define LOCKED	 (1ULL << 15)
#define MAB	 (1ULL << 16)
#define LINEAR	 (1ULL << 17)
#define PHYSICAL (1ULL << 18)
#define L2_MISS	 (1ULL << 20)
#define PREFETCH (1ULL << 21)
#define FAR_LOAD (LOAD | MISS | L2_MISS | LINEAR)
/* Of IbsOpData2: bits 2-0 and 7-6 are the data source */
#define SOURCE(n)   (((n)&7) | (uint64_t)((n) >> 3) << 6)
#define REMOTE_NODE (1ULL << 4)
#define OWNED	    (1ULL << 5)

/* What of a sample with raw registers lies behind the raw part's size, of a Zen 4 or later: caps,
 * IbsOpCtl, IbsOpRip, IbsOpData, 2, 3, IbsDcLinAd, IbsDcPhysAd, IbsBrTarget. */
static const uint8_t recorded[] = {
	0xff, 0x0b, 0x00, 0x00, 0x24, 0xf4, 0x07, 0x00, 0x41, 0x05, 0x00, 0x00, 0x26, 0x35,
	0x14, 0x81, 0xff, 0xff, 0xff, 0xff, 0x00, 0x02, 0xf7, 0x04, 0x00, 0x00, 0x00, 0x00,
	0x23, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa1, 0x00, 0xd7, 0x14, 0xdc, 0x01,
	0x00, 0x00, 0x84, 0x57, 0x3b, 0x7c, 0x9f, 0x89, 0xff, 0xff, 0x84, 0x57, 0x3b, 0x7c,
	0x1f, 0x01, 0x00, 0x00, 0x34, 0x35, 0x14, 0x81, 0xff, 0xff, 0xff, 0xff,
};

static uint64_t word(uint32_t caps, struct ibs_cpu cpu, uint64_t data2, uint64_t data3)
{
	struct ibs_op op = { .caps = caps, .data2 = data2, .data3 = data3 };

	return ibs_data_src(&op, cpu);
}

static void a_recorded_op_is_a_load_from_memory(void **state)
{
	struct ibs_op op;
	struct data_source d;

	assert_true(ibs_raw_decode(cursor_of(recorded, sizeof(recorded), 0), &op));
	assert_int_equal(op.caps, 0xbff);
	assert_int_equal(op.rip, 0xffffffff81143526);
	assert_int_equal(op.linear, 0xffff899f7c3b5784);
	assert_int_equal(op.physical, 0x11f7c3b5784);
	assert_int_equal(ibs_latency(&op), 476);
	d = data_source_decode(ibs_data_src(&op, zen4));
	assert_int_equal(d.kind, MEMORY_LOAD);
	assert_int_equal(d.level, LEVEL_RAM);
	assert_int_equal(d.distance, DISTANCE_SAME_NODE);
	assert_false(d.hitm);
}

static void what_is_no_op_is_refused(void **state)
{
	uint8_t invalid[sizeof(recorded)];
	struct ibs_op op;

	for (size_t size = 0; size < 60; size++)
		assert_false(ibs_raw_decode(cursor_of(recorded, size, 0), &op));
	assert_true(ibs_raw_decode(cursor_of(recorded, 60, 0), &op));
	memcpy(invalid, recorded, sizeof(invalid));
	invalid[6] &= ~0x04; /* IbsOpVal, bit 18 of the control */
	assert_false(ibs_raw_decode(cursor_of(invalid, sizeof(invalid), 0), &op));
}

struct expected {
	unsigned op, lvl, num, snoop, lock, tlb, remote, hops;
};

static void expect(uint64_t got, struct expected e)
{
	union perf_mem_data_src w = { .val = got };

	assert_int_equal(w.mem_op, e.op);
	assert_int_equal(w.mem_lvl, e.lvl);
	assert_int_equal(w.mem_lvl_num, e.num);
	assert_int_equal(w.mem_snoop, e.snoop ? e.snoop : PERF_MEM_SNOOP_NA);
	assert_int_equal(w.mem_lock, e.lock ? e.lock : PERF_MEM_LOCK_NA);
	assert_int_equal(w.mem_dtlb, e.tlb ? e.tlb : PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT);
	assert_int_equal(w.mem_remote, e.remote);
	assert_int_equal(w.mem_hops, e.hops);
}

#define HIT(x)	   (PERF_MEM_LVL_##x | PERF_MEM_LVL_HIT)
#define IS_LOAD	   .op = PERF_MEM_OP_LOAD
#define IS_STORE   .op = PERF_MEM_OP_STORE
#define AT(l, n)   .lvl = HIT(l), .num = PERF_MEM_LVLNUM_##n
#define IS_HITM	   .snoop = PERF_MEM_SNOOP_HITM
#define NEAR_CCX   .remote = 1, .hops = PERF_MEM_HOPS_0
#define OTHER_NODE .remote = 1, .hops = PERF_MEM_HOPS_1

static void words_of_real_samples_are_made(void **state)
{
	assert_int_equal(word(ZEN4_CAPS, zen4, 0, LOAD | LINEAR), 0x229080142);
	assert_int_equal(word(ZEN4_CAPS, zen4, SOURCE(1), FAR_LOAD), 0x629800842);
	assert_int_equal(word(ZEN4_CAPS, zen4, SOURCE(1), LINEAR), 0x5080021);
}

static void the_nearest_level_that_hit_is_told(void **state)
{
	expect(word(ZEN4_CAPS, zen4, SOURCE(5), LOAD | LINEAR),
	       (struct expected){ IS_LOAD, AT(L1, L1) });
	expect(word(ZEN4_CAPS, zen4, SOURCE(5), LOAD | MISS | LINEAR),
	       (struct expected){ IS_LOAD, AT(L2, L2) });
	expect(word(ZEN4_CAPS, zen4, 0, FAR_LOAD | MAB),
	       (struct expected){ IS_LOAD, AT(LFB, LFB) });
	expect(word(ZEN4_CAPS, zen4, 0, FAR_LOAD),
	       (struct expected){ IS_LOAD, .lvl = PERF_MEM_LVL_NA, .num = PERF_MEM_LVLNUM_NA });
	expect(word(ZEN4_CAPS, zen4, SOURCE(1), FAR_LOAD | UNCACHED),
	       (struct expected){ IS_LOAD, .lvl = HIT(UNC), .num = 8 });
}

static void zen4_tells_where_a_line_came_from(void **state)
{
	expect(word(ZEN4_CAPS, zen4, SOURCE(1) | OWNED, FAR_LOAD),
	       (struct expected){ IS_LOAD, AT(L3, L3) });
	expect(word(ZEN4_CAPS, zen4, SOURCE(2), FAR_LOAD),
	       (struct expected){ IS_LOAD, AT(REM_CCE1, ANY_CACHE), NEAR_CCX, IS_HITM });
	expect(word(ZEN4_CAPS, zen4, SOURCE(5), FAR_LOAD | MAB),
	       (struct expected){ IS_LOAD, AT(REM_CCE2, ANY_CACHE), OTHER_NODE, IS_HITM });
	expect(word(ZEN4_CAPS, zen4, SOURCE(3), FAR_LOAD),
	       (struct expected){ IS_LOAD, AT(LOC_RAM, RAM) });
	expect(word(ZEN4_CAPS, zen4, SOURCE(3) | REMOTE_NODE, FAR_LOAD),
	       (struct expected){ IS_LOAD, AT(REM_RAM1, RAM), OTHER_NODE });
	expect(word(ZEN4_CAPS, zen4, SOURCE(6), FAR_LOAD),
	       (struct expected){ IS_LOAD, .num = PERF_MEM_LVLNUM_PMEM });
	expect(word(ZEN4_CAPS, zen4, SOURCE(8) | REMOTE_NODE, FAR_LOAD),
	       (struct expected){ IS_LOAD, .num = 9, OTHER_NODE });
	expect(word(ZEN4_CAPS, zen4, SOURCE(7), FAR_LOAD | UNCACHED),
	       (struct expected){ IS_LOAD, AT(IO, IO) });
}

static void before_zen4_sources_are_coarse(void **state)
{
	const struct expected local = { IS_LOAD, .lvl = HIT(L3) | PERF_MEM_LVL_REM_CCE1,
					.num = PERF_MEM_LVLNUM_ANY_CACHE, .hops = PERF_MEM_HOPS_0 };
	struct expected local_hitm = local;

	local_hitm.snoop = PERF_MEM_SNOOP_HITM;
	expect(word(ZEN2_CAPS, zen2, SOURCE(2), FAR_LOAD), local_hitm);
	expect(word(ZEN2_CAPS, zen2, SOURCE(2) | OWNED, FAR_LOAD), local);
	/* the high bits are of no meaning there */
	expect(word(ZEN2_CAPS, zen2, SOURCE(8 + 2) | OWNED, FAR_LOAD), local);
	expect(word(ZEN2_CAPS, zen2, SOURCE(4), FAR_LOAD),
	       (struct expected){ IS_LOAD, AT(REM_CCE2, ANY_CACHE), OTHER_NODE });
	expect(word(ZEN2_CAPS, zen2, SOURCE(3) | REMOTE_NODE, FAR_LOAD),
	       (struct expected){ IS_LOAD, AT(REM_RAM1, RAM), OTHER_NODE });
}

static void zen3_has_no_hitm(void **state)
{
	assert_false(data_source_decode(word(ZEN2_CAPS, zen3, SOURCE(2), FAR_LOAD)).hitm);
	assert_false(data_source_decode(word(ZEN2_CAPS, zen3_desktop, SOURCE(2), FAR_LOAD)).hitm);
	assert_true(data_source_decode(word(ZEN2_CAPS, zen2, SOURCE(2), FAR_LOAD)).hitm);
}

/* With erratum 1293 such ops of the first Zen 3 have no valid source, nor L2 hits. */
static void zen3_is_not_believed_about_ops_in_flight(void **state)
{
	const struct expected in_flight = { IS_LOAD, AT(LFB, LFB) };

	expect(word(ZEN2_CAPS, zen3, SOURCE(3), FAR_LOAD | MAB), in_flight);
	expect(word(ZEN2_CAPS, zen3, SOURCE(3), LOAD | MISS | LINEAR | MAB), in_flight);
	expect(word(ZEN2_CAPS, zen3, SOURCE(3), FAR_LOAD | PREFETCH),
	       (struct expected){ IS_LOAD, .lvl = PERF_MEM_LVL_NA, .num = PERF_MEM_LVLNUM_NA });
	expect(word(ZEN2_CAPS, zen3_desktop, SOURCE(3), FAR_LOAD | MAB),
	       (struct expected){ IS_LOAD, AT(LOC_RAM, RAM) });
}

static void stores_have_no_source(void **state)
{
	expect(word(ZEN4_CAPS, zen4, SOURCE(1), STORE | LINEAR),
	       (struct expected){ IS_STORE, AT(L1, L1) });
	expect(word(ZEN4_CAPS, zen4, SOURCE(1), STORE | MISS | L2_MISS | LINEAR | MAB),
	       (struct expected){ IS_STORE, AT(LFB, LFB) });
	expect(word(ZEN4_CAPS, zen4, SOURCE(1), STORE | MISS | L2_MISS | LINEAR),
	       (struct expected){ IS_STORE, .lvl = PERF_MEM_LVL_NA, .num = PERF_MEM_LVLNUM_NA });
}

static void locks_and_translations_are_told(void **state)
{
	expect(word(ZEN4_CAPS, zen4, 0, LOAD | LINEAR | LOCKED),
	       (struct expected){ IS_LOAD, AT(L1, L1), .lock = PERF_MEM_LOCK_LOCKED });
	expect(word(ZEN4_CAPS, zen4, 0, LOAD | LINEAR | L1_TLB),
	       (struct expected){ IS_LOAD, AT(L1, L1), .tlb = PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT });
	expect(word(ZEN4_CAPS, zen4, 0, LOAD | LINEAR | L1_TLB | L2_TLB),
	       (struct expected){ IS_LOAD, AT(L1, L1),
				  .tlb = PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS });
	expect(word(ZEN4_CAPS, zen4, 0, LOAD),
	       (struct expected){ IS_LOAD, AT(L1, L1), .tlb = PERF_MEM_TLB_NA });
}

static void only_loads_that_missed_have_a_latency(void **state)
{
	const uint64_t latency = 0x1dcULL << 32;

	assert_int_equal(ibs_latency(&(struct ibs_op){ .data3 = LOAD | MISS | latency }), 476);
	assert_int_equal(ibs_latency(&(struct ibs_op){ .data3 = LOAD | latency }), 0);
	assert_int_equal(ibs_latency(&(struct ibs_op){ .data3 = STORE | MISS | latency }), 0);
}

static void a_cpu_is_told_by_its_id(void **state)
{
	struct ibs_cpu cpu = ibs_cpu_of("AuthenticAMD,25,33,0");

	assert_int_equal(cpu.family, 25);
	assert_int_equal(cpu.model, 33);
	assert_int_equal(ibs_cpu_of(NULL).family, 0);
	assert_int_equal(ibs_cpu_of("0x00000000410fd0c0").family, 0);
}

static void a_sample_gets_what_it_lacks(void **state)
{
	struct sample s = { .data_src = 0x5080021 };

	ibs_complete(cursor_of(recorded, sizeof(recorded), 0), "AuthenticAMD,25,17,1", &s);
	assert_int_equal(data_source_decode(s.data_src).level, LEVEL_RAM);
	assert_int_equal(s.addr, 0xffff899f7c3b5784);
	assert_int_equal(s.phys_addr, 0x11f7c3b5784);
	assert_int_equal(s.weight, 476);
}

static void what_was_recorded_stays(void **state)
{
	struct sample all = { .data_src = 0x229080142, .addr = 0x1000 };
	struct sample some = { .data_src = 0x5080021, .addr = 0x1000, .weight = 7 };

	ibs_complete(cursor_of(recorded, sizeof(recorded), 0), NULL, &all);
	assert_int_equal(all.data_src, 0x229080142);
	assert_int_equal(all.weight, 0);
	ibs_complete(cursor_of(recorded, sizeof(recorded), 0), NULL, &some);
	assert_int_equal(data_source_decode(some.data_src).level, LEVEL_RAM);
	assert_int_equal(some.addr, 0x1000);
	assert_int_equal(some.weight, 7);
}

static void an_op_without_memory_changes_nothing(void **state)
{
	uint8_t other[sizeof(recorded)];
	struct sample s = { .data_src = 0x5080021 };

	memcpy(other, recorded, sizeof(other));
	other[36] &= ~0x03; /* neither load nor store */
	ibs_complete(cursor_of(other, sizeof(other), 0), NULL, &s);
	assert_int_equal(s.data_src, 0x5080021);
	assert_int_equal(s.addr, 0);
	ibs_complete(cursor_of(recorded, 8, 0), NULL, &s); /* cut off */
	assert_int_equal(s.data_src, 0x5080021);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_op_is_a_load_from_memory),
		cmocka_unit_test(what_is_no_op_is_refused),
		cmocka_unit_test(words_of_real_samples_are_made),
		cmocka_unit_test(the_nearest_level_that_hit_is_told),
		cmocka_unit_test(zen4_tells_where_a_line_came_from),
		cmocka_unit_test(before_zen4_sources_are_coarse),
		cmocka_unit_test(zen3_has_no_hitm),
		cmocka_unit_test(zen3_is_not_believed_about_ops_in_flight),
		cmocka_unit_test(stores_have_no_source),
		cmocka_unit_test(locks_and_translations_are_told),
		cmocka_unit_test(only_loads_that_missed_have_a_latency),
		cmocka_unit_test(a_cpu_is_told_by_its_id),
		cmocka_unit_test(a_sample_gets_what_it_lacks),
		cmocka_unit_test(what_was_recorded_stays),
		cmocka_unit_test(an_op_without_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
