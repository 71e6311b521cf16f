// SPDX-License-Identifier: GPL-2.0-only
#include "sample.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define FORMAT_LOST (1ULL << 4)
#define COUNTERS    (1ULL << 19) /* PERF_SAMPLE_BRANCH_COUNTERS */
#define SAMPLE_BITS ((1ULL << 25) - 1)
#define FORMAT_BITS 0x1f

static uint64_t seed;

static uint64_t next_random(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed >> 20;
}

/* A record's body, built by the text of the manual page and not by the decoder's. */
struct body {
	uint8_t bytes[8192];
	size_t size;
};

static void put(struct body *b, uint64_t v, size_t size)
{
	memcpy(b->bytes + b->size, &v, size);
	b->size += size;
}

static void put_words(struct body *b, size_t count)
{
	while (count--)
		put(b, next_random() * 0x123456789abcdULL, 8);
}

static void put_read(struct body *b, uint64_t format)
{
	uint64_t values = 1;

	if (format & PERF_FORMAT_GROUP) {
		values = next_random() % 4;
		put(b, values, 8);
	} else {
		put_words(b, 1);
	}
	put_words(b, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED));
	put_words(b, !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	for (uint64_t i = 0; i < values; i++) {
		put_words(b, !!(format & PERF_FORMAT_GROUP));
		put_words(b, !!(format & PERF_FORMAT_ID));
		put_words(b, !!(format & FORMAT_LOST));
	}
}

static void put_branches(struct body *b, uint64_t branch_type)
{
	uint64_t count = next_random() % 5;

	put(b, count, 8);
	put_words(b, !!(branch_type & PERF_SAMPLE_BRANCH_HW_INDEX));
	put_words(b, 3 * count);
	put_words(b, branch_type & COUNTERS ? count : 0);
}

static void put_registers(struct body *b, uint64_t mask)
{
	uint64_t abi = next_random() % 3;

	put(b, abi, 8);
	put_words(b, abi ? __builtin_popcountll(mask) : 0);
}

static void put_stack(struct body *b)
{
	uint64_t words = next_random() % 4;

	put(b, 8 * words, 8);
	put_words(b, words);
	put_words(b, words ? 1 : 0);
}

static void put_sized(struct body *b)
{
	uint64_t words = next_random() % 4;

	put(b, 8 * words, 8);
	put_words(b, words);
}

static void put_raw(struct body *b)
{
	uint32_t words = next_random() % 3;

	put(b, 8 * words + 4, 4);
	put(b, 0, 4);
	put_words(b, words);
}

static void put_list(struct body *b)
{
	uint64_t count = next_random() % 6;

	put(b, count, 8);
	put_words(b, count);
}

/* perf_event_open(2), "PERF_RECORD_SAMPLE", from top to bottom. */
static void put_sample(struct body *b, const struct sample_layout *l, const struct sample *s)
{
	uint64_t t = l->sample_type;

#define IF(bit, what)                                                                              \
	do {                                                                                       \
		if (t & PERF_SAMPLE_##bit)                                                         \
			what;                                                                      \
	} while (0)
	IF(IDENTIFIER, put(b, s->id, 8));
	IF(IP, put(b, s->ip, 8));
	IF(TID, put(b, s->pid, 4));
	IF(TID, put(b, s->tid, 4));
	IF(TIME, put(b, s->time, 8));
	IF(ADDR, put(b, s->addr, 8));
	IF(ID, put(b, s->id, 8));
	IF(STREAM_ID, put_words(b, 1));
	IF(CPU, put(b, s->cpu, 4));
	IF(CPU, put(b, 0xdead, 4));
	IF(PERIOD, put(b, s->period, 8));
	IF(READ, put_read(b, l->read_format));
	IF(CALLCHAIN, put_list(b));
	IF(RAW, put_raw(b));
	IF(BRANCH_STACK, put_branches(b, l->branch_sample_type));
	IF(REGS_USER, put_registers(b, l->regs_user));
	IF(STACK_USER, put_stack(b));
	if (t & PERF_SAMPLE_WEIGHT)
		put(b, s->weight, 8);
	else if (t & PERF_SAMPLE_WEIGHT_STRUCT)
		put(b, s->weight | 0xabcd1234ULL << 32, 8);
	IF(DATA_SRC, put(b, s->data_src, 8));
	IF(TRANSACTION, put_words(b, 1));
	IF(REGS_INTR, put_registers(b, l->regs_intr));
	IF(PHYS_ADDR, put(b, s->phys_addr, 8));
	IF(CGROUP, put_words(b, 1));
	IF(DATA_PAGE_SIZE, put_words(b, 1));
	IF(CODE_PAGE_SIZE, put_words(b, 1));
	IF(AUX, put_sized(b));
}

static const struct sample full = {
	.ip = 0xffffffff81000001,
	.addr = 0xffff888100000040,
	.time = 1234567890123,
	.id = 77,
	.period = 4000,
	.weight = 321,
	.data_src = 0x668100842,
	.phys_addr = 0x12345678,
	.pid = 100,
	.tid = 101,
	.cpu = 191,
};

static void expect_word(const char *what, uint64_t type, uint64_t got, bool recorded,
			uint64_t value, uint64_t absent)
{
	if (got != (recorded ? value : absent))
		fail_msg("sample_type %#llx: %s is %#llx, not %#llx", (unsigned long long)type,
			 what, (unsigned long long)got,
			 (unsigned long long)(recorded ? value : absent));
}

static void expect_sample(const struct sample *s, uint64_t t)
{
#define EXPECT(member, bits, absent)                                                               \
	expect_word(#member, t, s->member, t &(bits), full.member, absent)
	EXPECT(ip, PERF_SAMPLE_IP, 0);
	EXPECT(pid, PERF_SAMPLE_TID, UINT32_MAX);
	EXPECT(tid, PERF_SAMPLE_TID, UINT32_MAX);
	EXPECT(time, PERF_SAMPLE_TIME, 0);
	EXPECT(addr, PERF_SAMPLE_ADDR, 0);
	EXPECT(id, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, 0);
	EXPECT(cpu, PERF_SAMPLE_CPU, SAMPLE_NO_CPU);
	EXPECT(period, PERF_SAMPLE_PERIOD, 1);
	EXPECT(weight, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, 0);
	EXPECT(data_src, PERF_SAMPLE_DATA_SRC, 0);
	EXPECT(phys_addr, PERF_SAMPLE_PHYS_ADDR, 0);
}

#define VARIABLE                                                                                   \
	(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |   \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX)

/* What is of a fixed size is decoded by its places to the same, and takes just its bytes. */
static void check_places(const struct sample_layout *l, const struct body *b)
{
	struct sample_places places;
	struct sample s;

	if (sample_places_of(l, &places) != !(l->sample_type & VARIABLE))
		fail_msg("sample_type %#llx: its size is %s",
			 (unsigned long long)l->sample_type,
			 l->sample_type & VARIABLE ? "taken for fixed" : "not known to be fixed");
	if (l->sample_type & VARIABLE)
		return;
	assert_int_equal(places.size, b->size);
	sample_decode_places(b->bytes, &places, &s);
	expect_sample(&s, l->sample_type);
	assert_int_equal(s.event, SAMPLE_NO_EVENT);
}

/* Complete: decoded as it was built. A word shorter: refused, so not a word was skipped too few or
 * too many, as every layout ends with something else. */
static void check_layout(const struct sample_layout *l)
{
	struct body b = { .size = 0 };
	struct sample s;

	put_sample(&b, l, &full);
	if (!sample_decode(cursor_of(b.bytes, b.size, 0), l, &s))
		fail_msg("sample_type %#llx: %zu bytes were found too short",
			 (unsigned long long)l->sample_type, b.size);
	expect_sample(&s, l->sample_type);
	check_places(l, &b);
	if (b.size && sample_decode(cursor_of(b.bytes, b.size - 1, 0), l, &s))
		fail_msg("sample_type %#llx: %zu of %zu bytes were enough",
			 (unsigned long long)l->sample_type, b.size - 1, b.size);
}

static struct sample_layout random_layout(uint64_t sample_type)
{
	return (struct sample_layout){ .sample_type = sample_type,
				       .read_format = next_random() & FORMAT_BITS,
				       .branch_sample_type = next_random() & 0xfffff,
				       .regs_user = next_random() & 0xff0fff,
				       .regs_intr = next_random() & 0xff0fff };
}

static void each_bit_alone_is_used_or_skipped_exactly(void **state)
{
	seed = 1;
	for (int bit = 0; bit < 25; bit++)
		for (int i = 0; i < 64; i++) {
			struct sample_layout l = random_layout(1ULL << bit);

			check_layout(&l);
		}
}

static void any_mix_of_bits_is_decoded(void **state)
{
	seed = 2;
	for (int i = 0; i < 100000; i++) {
		struct sample_layout l = random_layout(next_random() & SAMPLE_BITS);

		check_layout(&l);
	}
}

static void counts_beyond_the_record_are_refused(void **state)
{
	static const uint64_t types[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
					  PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX,
					  PERF_SAMPLE_READ };
	static const uint64_t counts[] = { 1000,       1ULL << 61,     1ULL << 63,
					   UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 24 + 1 };

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct sample_layout l = { .sample_type = types[t],
						   .read_format = PERF_FORMAT_GROUP };
			struct body b = { .size = 0 };
			struct sample s;

			put(&b, counts[i], 8);
			put_words(&b, 16);
			assert_false(sample_decode(cursor_of(b.bytes, b.size, 0), &l, &s));
		}
}

static void the_trailer_is_read_from_the_end(void **state)
{
	for (uint64_t bits = 0; bits < 1 << 9; bits++) {
		uint64_t t = (bits & 0xff) | (bits >> 8 ? PERF_SAMPLE_IDENTIFIER : 0);
		struct sample_layout l = { .sample_type = t, .id_all = true };
		struct body b = { .size = 0 };
		struct sample s;

		put_words(&b, 5); /* the record's own */
		IF(TID, put(&b, full.pid, 4));
		IF(TID, put(&b, full.tid, 4));
		IF(TIME, put(&b, full.time, 8));
		IF(ID, put(&b, full.id, 8));
		IF(STREAM_ID, put_words(&b, 1));
		IF(CPU, put(&b, full.cpu, 8));
		IF(IDENTIFIER, put(&b, full.id, 8));
		assert_true(sample_decode_trailer(cursor_of(b.bytes, b.size, 0), &l, &s));
		expect_word("pid", t, s.pid, t & PERF_SAMPLE_TID, full.pid, UINT32_MAX);
		expect_word("tid", t, s.tid, t & PERF_SAMPLE_TID, full.tid, UINT32_MAX);
		expect_word("time", t, s.time, t & PERF_SAMPLE_TIME, full.time, 0);
		expect_word("cpu", t, s.cpu, t & PERF_SAMPLE_CPU, full.cpu, SAMPLE_NO_CPU);
		expect_word("id", t, s.id, t & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER), full.id,
			    0);
	}
}

static void a_record_without_room_for_its_trailer_has_none(void **state)
{
	struct sample_layout l = { .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	uint64_t words[2] = { 1, 2 };
	struct sample s;

	assert_false(sample_decode_trailer(cursor_of(words, 16, 0), &l, &s));
	l.id_all = true;
	assert_true(sample_decode_trailer(cursor_of(words, 16, 0), &l, &s));
	assert_false(sample_decode_trailer(cursor_of(words, 15, 0), &l, &s));
}

/* The places that are known before the layout agree with the layout. */
static void id_and_time_are_where_the_layout_puts_them(void **state)
{
	for (uint64_t bits = 0; bits < 1 << 10; bits++) {
		uint64_t t = (bits & 0x1ff) | (bits >> 9 ? PERF_SAMPLE_IDENTIFIER : 0);
		struct sample_layout l = { .sample_type = t & ~(uint64_t)PERF_SAMPLE_READ };
		struct body b = { .size = 0 };
		int id = sample_id_place(&l), time = sample_time_place(&l);
		uint64_t word = 0;

		put_sample(&b, &l, &full);
		assert_int_equal(id >= 0, !!(t & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)));
		assert_int_equal(time >= 0, !!(t & PERF_SAMPLE_TIME));
		if (id >= 0)
			memcpy(&word, b.bytes + id, 8);
		assert_int_equal(word, id >= 0 ? full.id : 0);
		word = 0;
		if (time >= 0)
			memcpy(&word, b.bytes + time, 8);
		assert_int_equal(word, time >= 0 ? full.time : 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bit_alone_is_used_or_skipped_exactly),
		cmocka_unit_test(any_mix_of_bits_is_decoded),
		cmocka_unit_test(counts_beyond_the_record_are_refused),
		cmocka_unit_test(the_trailer_is_read_from_the_end),
		cmocka_unit_test(a_record_without_room_for_its_trailer_has_none),
		cmocka_unit_test(id_and_time_are_where_the_layout_puts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
