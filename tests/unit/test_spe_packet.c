// SPDX-License-Identifier: GPL-2.0-only
/* Arm SPE: packets, records and the samples they become. The bytes are written out from the tables
 * of the Arm Architecture Reference Manual (DDI 0487, sample record specification). */
#include "spe_sample.h"
#include "data_source.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEOVERSE_N1 0x413fd0c1 /* MIDR_EL1: Arm, r3p1 */
#define AMPERE_A    0xc00fac40
#define HIP12	    0x480fd060
#define UNKNOWN_CPU 0x610f0230

/* A load of a line that another core of the cluster had, user code. */
#define PC_USER	   0xb0, 0x88, 0x3e, 0x7c, 0xc1, 0xaa, 0xaa, 0x00, 0x80 /* EL0, NS */
#define PC_KERNEL  0xb0, 0x10, 0x20, 0x30, 0x10, 0x00, 0x80, 0xff, 0xa0 /* EL1, NS */
#define CONTEXT	   0x64, 0x13, 0x0e, 0x00, 0x00				/* EL1: 3603 */
#define LOAD	   0x49, 0x00
#define STORE	   0x49, 0x01
#define EVENTS	   0x52, 0x1e, 0x03 /* retired, L1 access + refill, TLB access, LLC access + miss */
#define ISSUE	   0x99, 0x04, 0x00
#define TOTAL	   0x98, 0x2c, 0x01					/* 300 cycles */
#define VIRTUAL	   0xb2, 0x40, 0x10, 0xce, 0xea, 0xaa, 0xaa, 0x00, 0x5a /* tagged 0x5a */
#define TRANSLATED 0x9a, 0x02, 0x00
#define PHYSICAL   0xb3, 0x40, 0x10, 0x34, 0x12, 0x08, 0x00, 0x00, 0x80 /* NS */
#define SOURCE(x)  0x43, x
#define TIMESTAMP  0x71, 0x88, 0x77, 0x66, 0x55, 0x44, 0x03, 0x00, 0x00
#define END	   0x01
#define SPACE	   0x00, 0x00, 0x00

#define FULL_RECORD(x)                                                                             \
	PC_USER, CONTEXT, LOAD, EVENTS, ISSUE, TOTAL, VIRTUAL, TRANSLATED, PHYSICAL, SOURCE(x),    \
		TIMESTAMP
#define SMALL_RECORD PC_USER, LOAD, VIRTUAL, END

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static struct spe_record read_one(const uint8_t *bytes, size_t size)
{
	struct cursor c = cursor_of(bytes, size, 0);
	struct spe_record r;

	assert_int_equal(spe_record_read(&c, &r), SPE_OK);
	assert_int_equal(cursor_left(&c), 0);
	return r;
}

static void expect_packet(const uint8_t *bytes, size_t size, struct spe_packet wanted)
{
	struct cursor c = cursor_of(bytes, size, 0);
	struct spe_packet p;

	assert_int_equal(spe_packet_read(&c, &p), SPE_OK);
	assert_int_equal(p.kind, wanted.kind);
	assert_int_equal(p.index, wanted.index);
	assert_int_equal(p.payload, wanted.payload);
	assert_int_equal(cursor_left(&c), 0);
}

/* ---- Packets */

static void every_kind_of_packet_is_known(void **state)
{
	expect_packet(BYTES(0x00), (struct spe_packet){ SPE_PADDING, 0, 0 });
	expect_packet(BYTES(0x01), (struct spe_packet){ SPE_END, 0, 0 });
	expect_packet(BYTES(TIMESTAMP), (struct spe_packet){ SPE_TIMESTAMP, 0, 0x34455667788 });
	expect_packet(BYTES(0x65, 1, 2, 3, 4), (struct spe_packet){ SPE_CONTEXT, 1, 0x04030201 });
	expect_packet(BYTES(0x4a, 0x05), (struct spe_packet){ SPE_OPERATION, SPE_BRANCH, 5 });
	expect_packet(BYTES(0x53, 0x0d, 0x00), (struct spe_packet){ SPE_DATA_SOURCE, 0, 13 });
	expect_packet(BYTES(0x9a, 0xff, 0x0f),
		      (struct spe_packet){ SPE_COUNTER, SPE_TRANSLATION, 0xfff });
	expect_packet(BYTES(0xb4, 1, 0, 0, 0, 0, 0, 0, 0),
		      (struct spe_packet){ SPE_ADDRESS, SPE_PREVIOUS_TARGET, 1 });
}

static void events_have_one_to_eight_bytes(void **state)
{
	expect_packet(BYTES(0x42, 0x81), (struct spe_packet){ SPE_EVENTS, 0, 0x81 });
	expect_packet(BYTES(0x52, 0x81, 0x02), (struct spe_packet){ SPE_EVENTS, 0, 0x281 });
	expect_packet(BYTES(0x62, 1, 2, 3, 4), (struct spe_packet){ SPE_EVENTS, 0, 0x04030201 });
	expect_packet(BYTES(0x72, 1, 2, 3, 4, 5, 6, 7, 8),
		      (struct spe_packet){ SPE_EVENTS, 0, 0x0807060504030201 });
}

static void an_extended_header_has_five_bits_of_index(void **state)
{
	expect_packet(BYTES(0x21, 0x9a, 0x34, 0x12),
		      (struct spe_packet){ SPE_COUNTER, 8 + 2, 0x1234 });
	expect_packet(BYTES(0x23, 0xb7, 1, 0, 0, 0, 0, 0, 0, 0),
		      (struct spe_packet){ SPE_ADDRESS, 24 + 7, 1 });
}

static void packets_of_a_later_architecture_are_stepped_over(void **state)
{
	expect_packet(BYTES(0x44, 0x07), (struct spe_packet){ SPE_UNKNOWN, 0, 7 });
	expect_packet(BYTES(0x90, 0x07, 0x01), (struct spe_packet){ SPE_UNKNOWN, 0, 0x107 });
	expect_packet(BYTES(0x20, 0xa0, 1, 2, 3, 4),
		      (struct spe_packet){ SPE_UNKNOWN, 0, 0x04030201 });
}

static void an_alignment_reaches_to_its_next_multiple(void **state)
{
	static const struct {
		uint64_t at;
		uint8_t header;
		size_t size;
	} cases[] = { { 0, 0x20, 2 },	{ 1, 0x20, 3 },	  { 2, 0x23, 14 },     { 15, 0x23, 17 },
		      { 16, 0x23, 16 }, { 70, 0x25, 58 }, { 0xfff0, 0x2f, 16 } };
	uint8_t bytes[64] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cursor c = cursor_of(bytes, sizeof(bytes), cases[i].at);
		struct spe_packet p;

		bytes[0] = cases[i].header;
		assert_int_equal(spe_packet_read(&c, &p), SPE_OK);
		assert_int_equal(p.kind, SPE_ALIGNMENT);
		assert_int_equal(sizeof(bytes) - cursor_left(&c), cases[i].size);
	}
}

static void a_packet_that_is_cut_off_stays_where_it_is(void **state)
{
	static const uint8_t full[] = { TIMESTAMP };

	for (size_t size = 0; size < sizeof(full); size++) {
		struct cursor c = cursor_of(full, size, 0);
		struct spe_packet p;

		assert_int_equal(spe_packet_read(&c, &p), SPE_SHORT);
		assert_int_equal(cursor_left(&c), size);
	}
}

static void bytes_that_are_no_packet_are_told(void **state)
{
	static const uint8_t none[] = { 0x02, 0x1f, 0x30, 0x3f, 0xc0, 0xff };

	for (size_t i = 0; i < sizeof(none); i++) {
		uint8_t bytes[16] = { none[i], 0x30 };
		struct cursor c = cursor_of(bytes, sizeof(bytes), 0);
		struct spe_packet p;

		assert_int_equal(spe_packet_read(&c, &p), SPE_DAMAGED);
		assert_int_equal(cursor_left(&c), sizeof(bytes));
	}
}

/* ---- Records */

static void a_record_has_all_its_packets(void **state)
{
	struct spe_record r = read_one(BYTES(SPACE, FULL_RECORD(0x09)));

	assert_int_equal(r.has, SPE_HAS_PC | SPE_HAS_ADDR | SPE_HAS_PHYS | SPE_HAS_EVENTS |
					SPE_HAS_SOURCE | SPE_HAS_CONTEXT | SPE_HAS_OPERATION |
					SPE_HAS_TIME);
	assert_int_equal(r.pc, 0xaaaac17c3e88);
	assert_int_equal(r.level, 0);
	assert_int_equal(r.context, 3603);
	assert_int_equal(r.class, SPE_MEMORY);
	assert_int_equal(r.op, 0);
	assert_int_equal(r.events, 0x31e);
	assert_int_equal(r.cycles[SPE_ISSUE], 4);
	assert_int_equal(r.cycles[SPE_TOTAL], 300);
	assert_int_equal(r.cycles[SPE_TRANSLATION], 2);
	assert_int_equal(r.addr, 0xaaaaeace1040);
	assert_int_equal(r.phys_addr, 0x812341040);
	assert_int_equal(r.source, 9);
	assert_int_equal(r.time, 0x34455667788);
}

static void a_kernel_address_has_its_top_byte(void **state)
{
	struct spe_record r =
		read_one(BYTES(PC_KERNEL, LOAD, 0xb2, 0x00, 0x10, 0, 0, 0, 0, 0xff, 0x00, END));

	assert_int_equal(r.pc, 0xffff800010302010);
	assert_int_equal(r.level, 1);
	assert_int_equal(r.addr, 0xffff000000001000);
}

static void the_context_of_the_thread_is_el1s(void **state)
{
	struct spe_record both =
		read_one(BYTES(PC_USER, 0x64, 7, 0, 0, 0, 0x65, 9, 0, 0, 0, LOAD, END));
	struct spe_record swapped =
		read_one(BYTES(PC_USER, 0x65, 9, 0, 0, 0, 0x64, 7, 0, 0, 0, LOAD, END));
	struct spe_record host = read_one(BYTES(PC_USER, 0x65, 9, 0, 0, 0, LOAD, END));

	assert_int_equal(both.context, 7);
	assert_int_equal(swapped.context, 7);
	assert_int_equal(host.context, 9);
}

static void a_record_with_unknown_packets_is_one(void **state)
{
	struct spe_record r =
		read_one(BYTES(PC_USER, 0x44, 1, LOAD, 0x20, 0xa0, 1, 2, 3, 4, VIRTUAL, END));

	assert_int_equal(r.unknown, 2);
	assert_int_equal(r.addr, 0xaaaaeace1040);
}

static void a_record_cut_off_anywhere_is_short_and_stays(void **state)
{
	static const uint8_t full[] = { SPACE, FULL_RECORD(0) };

	for (size_t size = 3; size < sizeof(full); size++) {
		struct cursor c = cursor_of(full, size, 0);
		struct spe_record r;

		assert_int_equal(spe_record_read(&c, &r), SPE_SHORT);
		assert_int_equal(cursor_left(&c), size - 3); /* only the padding is gone */
	}
}

/* Reads all, as the reader of recordings does. */
static void read_all(const uint8_t *bytes, size_t size, size_t *records, size_t *lost)
{
	struct cursor c = cursor_of(bytes, size, 0);
	struct spe_record r;

	*records = *lost = 0;
	while (cursor_left(&c)) {
		const uint8_t *before = c.at;
		enum spe_outcome outcome = spe_record_read(&c, &r);

		if (outcome == SPE_OK)
			++*records;
		if (outcome == SPE_DAMAGED)
			spe_record_resync(&c);
		if (outcome == SPE_SHORT)
			cursor_skip(&c, cursor_left(&c));
		if (outcome != SPE_OK && outcome != SPE_NOTHING)
			*lost += c.at - before;
	}
}

static void expect_all(const uint8_t *bytes, size_t size, size_t records, size_t lost)
{
	size_t got, skipped;

	read_all(bytes, size, &got, &skipped);
	assert_int_equal(got, records);
	assert_int_equal(skipped, lost);
}

static void after_damage_reading_goes_on_at_the_next_record(void **state)
{
	expect_all(BYTES(SMALL_RECORD, SMALL_RECORD), 2, 0);
	/* no packet at all between two records */
	expect_all(BYTES(SMALL_RECORD, 0xff, 0xc1, 0x3f, SMALL_RECORD), 2, 3);
	/* within a record: its first packets and what follows the damage are lost */
	expect_all(BYTES(PC_USER, 0xff, LOAD, VIRTUAL, END, SMALL_RECORD, SMALL_RECORD), 2, 22);
}

static void a_record_that_the_next_one_begins_within_is_lost_alone(void **state)
{
	expect_all(BYTES(PC_USER, CONTEXT, LOAD, SMALL_RECORD), 1, 16);
	expect_all(BYTES(PC_USER, LOAD, SPACE, SMALL_RECORD, SMALL_RECORD), 2, 14);
	expect_all(BYTES(SMALL_RECORD, PC_USER, CONTEXT), 1, 14);
	/* only the end of the first is there */
	expect_all(BYTES(TOTAL, VIRTUAL, END, SMALL_RECORD), 1, 13);
}

static void an_alignment_separates_records(void **state)
{
	/* of 16 bytes: it is at 21 and reaches to 32 */
	expect_all(BYTES(SMALL_RECORD, 0x23, 0x00, 9, 9, 9, 9, 9, 9, 9, 9, 9, SMALL_RECORD), 2, 0);
	expect_all(BYTES(PC_USER, LOAD, 0x23, 0x00, 9, 9, 9, SMALL_RECORD), 1, 16);
}

static void endless_records_end(void **state)
{
	size_t size = 256 << 10, records, lost;
	uint8_t *bytes = mem_zalloc(size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = i % 2 ? 0x55 : 0x48; /* operations, and nothing else */
	read_all(bytes, size, &records, &lost);
	assert_int_equal(records, 0);
	assert_int_equal(lost, size);
	free(bytes);
}

/* ---- Samples */

static uint64_t word_of(uint8_t op, uint8_t source, uint64_t midr)
{
	struct spe_record r = read_one(BYTES(PC_USER, 0x49, op, 0x52, 0x16, 0x00, SOURCE(source),
					     END)); /* retired, L1 access, TLB access */

	return spe_data_src(&r, spe_family_of(midr));
}

static void a_record_becomes_one_sample(void **state)
{
	struct spe_record r = read_one(BYTES(FULL_RECORD(0x0a)));
	struct sample s;

	spe_sample_of(&r, spe_family_of(NEOVERSE_N1), &s);
	assert_int_equal(s.ip, 0xaaaac17c3e88);
	assert_int_equal(s.addr, 0xaaaaeace1040);
	assert_int_equal(s.phys_addr, 0x812341040);
	assert_int_equal(s.weight, 300);
	assert_int_equal(s.cpumode, PERF_RECORD_MISC_USER);
	/* as perf script shows such a record of a Neoverse N1 */
	assert_int_equal(s.data_src, 0x8688000842);
}

static void codes_of_the_data_source_by_cpu(void **state)
{
	static const struct {
		uint64_t midr;
		uint8_t code;
		enum memory_level level;
		enum memory_distance distance;
		bool peer, hitm;
	} cases[] = {
		{ NEOVERSE_N1, 0x0, LEVEL_L1, DISTANCE_SAME_LLC, false, false },
		{ NEOVERSE_N1, 0x8, LEVEL_L2, DISTANCE_SAME_LLC, false, false },
		{ NEOVERSE_N1, 0x9, LEVEL_L2, DISTANCE_SAME_LLC, true, false },
		{ NEOVERSE_N1, 0xa, LEVEL_L3, DISTANCE_SAME_LLC, true, false },
		{ NEOVERSE_N1, 0xb, LEVEL_L3, DISTANCE_SAME_LLC, false, false },
		{ NEOVERSE_N1, 0xc, LEVEL_L3, DISTANCE_SAME_LLC, true, false },
		{ NEOVERSE_N1, 0xd, LEVEL_CACHE, DISTANCE_OTHER_NODE, true, false },
		{ NEOVERSE_N1, 0xe, LEVEL_RAM, DISTANCE_SAME_NODE, false, false },
		{ AMPERE_A, 0x0, LEVEL_L2, DISTANCE_SAME_LLC, true, false },
		{ AMPERE_A, 0x3, LEVEL_L3, DISTANCE_SAME_LLC, false, false },
		{ AMPERE_A, 0x5, LEVEL_CACHE, DISTANCE_OTHER_NODE, true, false },
		{ AMPERE_A, 0x7, LEVEL_RAM, DISTANCE_SAME_NODE, false, false },
		{ AMPERE_A, 0x8, LEVEL_L1, DISTANCE_SAME_LLC, false, false },
		{ AMPERE_A, 0x9, LEVEL_L2, DISTANCE_SAME_LLC, false, false },
		{ HIP12, 0, LEVEL_L2, DISTANCE_SAME_LLC, true, false },
		{ HIP12, 1, LEVEL_L2, DISTANCE_SAME_LLC, false, true },
		{ HIP12, 4, LEVEL_L3, DISTANCE_SAME_LLC, true, false },
		{ HIP12, 6, LEVEL_CACHE, DISTANCE_OTHER_NODE, true, false },
		{ HIP12, 7, LEVEL_CACHE, DISTANCE_OTHER_NODE, false, true },
		{ HIP12, 8, LEVEL_RAM, DISTANCE_SAME_NODE, false, false },
		{ HIP12, 9, LEVEL_RAM, DISTANCE_OTHER_NODE, false, false },
		{ HIP12, 17, LEVEL_L2, DISTANCE_SAME_LLC, false, false },
		{ HIP12, 18, LEVEL_L1, DISTANCE_SAME_LLC, false, false },
		/* no such code, no such table: the events say L1 hit */
		{ NEOVERSE_N1, 0x7, LEVEL_L1, DISTANCE_SAME_LLC, false, false },
		{ NEOVERSE_N1, 0xff, LEVEL_L1, DISTANCE_SAME_LLC, false, false },
		{ UNKNOWN_CPU, 0x9, LEVEL_L1, DISTANCE_SAME_LLC, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct data_source d =
			data_source_decode(word_of(0x00, cases[i].code, cases[i].midr));

		assert_int_equal(d.kind, MEMORY_LOAD);
		assert_int_equal(d.level, cases[i].level);
		assert_int_equal(d.distance, cases[i].distance);
		assert_int_equal(d.peer, cases[i].peer);
		assert_int_equal(d.hitm, cases[i].hitm);
	}
}

static void whether_modified_is_told_is_said_by_cpu(void **state)
{
	assert_non_null(strstr(data_source_caveat("0x00000000413fd0c1"), "not that it was modified"));
	assert_null(strstr(data_source_caveat("0x00000000480fd060"), "modified"));
}

static void stores_have_no_data_source(void **state)
{
	/* whatever the packet says, and the events */
	assert_int_equal(word_of(0x01, 0x9, NEOVERSE_N1), 0x1e88080024);
	assert_int_equal(data_source_decode(word_of(0x01, 0x1, HIP12)).level, LEVEL_UNKNOWN);
	assert_int_equal(data_source_decode(word_of(0x01, 0x1, HIP12)).kind, MEMORY_STORE);
}

static void an_atomic_operation_loads_and_stores(void **state)
{
	union perf_mem_data_src load = { .val = word_of(0x06, 0x9, NEOVERSE_N1) };
	union perf_mem_data_src store = { .val = word_of(0x07, 0x9, NEOVERSE_N1) };
	union perf_mem_data_src exclusive = { .val = word_of(0x0a, 0x9, NEOVERSE_N1) };

	assert_int_equal(load.mem_op, PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE);
	assert_int_equal(load.mem_lock, PERF_MEM_LOCK_LOCKED);
	assert_int_equal(load.mem_snoopx, PERF_MEM_SNOOPX_PEER);
	assert_int_equal(store.mem_op, PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE);
	assert_int_equal(exclusive.mem_op, PERF_MEM_OP_LOAD);
	assert_int_equal(exclusive.mem_lock, PERF_MEM_LOCK_LOCKED);
	/* the same bit of a subclass that is none of these: SIMD */
	assert_int_equal((union perf_mem_data_src){ .val = word_of(0x04, 0, NEOVERSE_N1) }.mem_lock,
			 0);
}

static void other_operations_touch_no_memory(void **state)
{
	struct spe_record branch = read_one(BYTES(PC_USER, 0x4a, 0x01, 0x42, 0x82, END));
	struct spe_record other = read_one(BYTES(PC_USER, 0x48, 0x00, 0x42, 0x02, END));

	assert_int_equal(data_source_decode(spe_data_src(&branch, SPE_FAMILY_ARM)).kind,
			 MEMORY_NONE);
	assert_int_equal(data_source_decode(spe_data_src(&other, SPE_FAMILY_UNKNOWN)).kind,
			 MEMORY_NONE);
}

static struct data_source by_events(uint32_t events)
{
	struct spe_record r = { .has = SPE_HAS_PC | SPE_HAS_OPERATION | SPE_HAS_EVENTS,
				.class = SPE_MEMORY,
				.events = events };

	return data_source_decode(spe_data_src(&r, SPE_FAMILY_UNKNOWN));
}

static void without_codes_the_events_tell_the_level(void **state)
{
	static const struct {
		uint32_t events;
		enum memory_level level;
	} cases[] = {
		{ SPE_L1_ACCESS, LEVEL_L1 },
		{ SPE_L1_ACCESS | SPE_L1_REFILL, LEVEL_MISS },
		{ SPE_L1_ACCESS | SPE_L1_REFILL | SPE_RECENTLY_FETCHED, LEVEL_LFB },
		{ SPE_L1_ACCESS | SPE_L1_REFILL | SPE_L2_ACCESS, LEVEL_L2 },
		{ SPE_L1_ACCESS | SPE_L1_REFILL | SPE_LLC_ACCESS, LEVEL_L3 },
		{ SPE_L1_ACCESS | SPE_L1_REFILL | SPE_LLC_ACCESS | SPE_LLC_MISS, LEVEL_MISS },
		{ SPE_L2_ACCESS | SPE_L2_MISS, LEVEL_MISS },
		{ 0, LEVEL_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(by_events(cases[i].events).level, cases[i].level);
	assert_int_equal(by_events(SPE_LLC_MISS | SPE_REMOTE_ACCESS).distance, DISTANCE_OTHER_NODE);
}

static void only_a_snoop_of_modified_data_is_a_hitm(void **state)
{
	uint32_t hit = SPE_LLC_ACCESS;

	assert_false(by_events(hit | SPE_DATA_SNOOPED).hitm);
	assert_false(by_events(hit | SPE_DATA_MODIFIED).hitm);
	assert_true(by_events(hit | SPE_DATA_SNOOPED | SPE_DATA_MODIFIED).hitm);
}

static void translations_are_told(void **state)
{
	struct spe_record r = { .has = SPE_HAS_OPERATION, .class = SPE_MEMORY };
	union perf_mem_data_src word;

	r.events = SPE_TLB_ACCESS | SPE_TLB_WALK;
	word.val = spe_data_src(&r, SPE_FAMILY_UNKNOWN);
	assert_int_equal(word.mem_dtlb, PERF_MEM_TLB_WK | PERF_MEM_TLB_MISS);
	r.events = SPE_TLB_ACCESS;
	word.val = spe_data_src(&r, SPE_FAMILY_UNKNOWN);
	assert_int_equal(word.mem_dtlb, PERF_MEM_TLB_WK | PERF_MEM_TLB_HIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_packet_is_known),
		cmocka_unit_test(events_have_one_to_eight_bytes),
		cmocka_unit_test(an_extended_header_has_five_bits_of_index),
		cmocka_unit_test(packets_of_a_later_architecture_are_stepped_over),
		cmocka_unit_test(an_alignment_reaches_to_its_next_multiple),
		cmocka_unit_test(a_packet_that_is_cut_off_stays_where_it_is),
		cmocka_unit_test(bytes_that_are_no_packet_are_told),
		cmocka_unit_test(a_record_has_all_its_packets),
		cmocka_unit_test(a_kernel_address_has_its_top_byte),
		cmocka_unit_test(the_context_of_the_thread_is_el1s),
		cmocka_unit_test(a_record_with_unknown_packets_is_one),
		cmocka_unit_test(a_record_cut_off_anywhere_is_short_and_stays),
		cmocka_unit_test(after_damage_reading_goes_on_at_the_next_record),
		cmocka_unit_test(a_record_that_the_next_one_begins_within_is_lost_alone),
		cmocka_unit_test(an_alignment_separates_records),
		cmocka_unit_test(endless_records_end),
		cmocka_unit_test(a_record_becomes_one_sample),
		cmocka_unit_test(codes_of_the_data_source_by_cpu),
		cmocka_unit_test(whether_modified_is_told_is_said_by_cpu),
		cmocka_unit_test(stores_have_no_data_source),
		cmocka_unit_test(an_atomic_operation_loads_and_stores),
		cmocka_unit_test(other_operations_touch_no_memory),
		cmocka_unit_test(without_codes_the_events_tell_the_level),
		cmocka_unit_test(only_a_snoop_of_modified_data_is_a_hitm),
		cmocka_unit_test(translations_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
