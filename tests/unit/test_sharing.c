// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_attrib.h"
#include "fake_source.h"
#include "phase.h"
#include "sharing.h"

#include <string.h>

/* A word that lies over a line's end, and one that is read and written in two parts. */
const struct fake_data fake_data[] = {
	{ 0x203c, 8, { .object = "packed", .type = "struct p", .field = "word", .field_size = 8 } },
	{ 0x3000, 8, { .object = "wide", .type = "struct w", .field = "count", .field_size = 8 } },
	{ 0 },
};
const struct fake_code fake_code[] = { { 0 } };

#define LINE 0x1000

struct fixture {
	struct fake_source source;
	struct attrib *attrib;
	struct intern *pool;
	struct profile *profile;
	struct sharing sharing;
};

static int setup(void **state)
{
	struct fixture *f = mem_zalloc(sizeof(*f));

	fake_init(&f->source);
	f->attrib = attrib_new(NULL);
	f->pool = intern_new();
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sharing_deinit(&f->sharing);
	profile_free(f->profile);
	attrib_free(f->attrib);
	intern_free(f->pool);
	source_close(&f->source.source);
	free(f);
	return 0;
}

/* "times" samples of thread "tid" at "offset" of the line; each thread has code of its own. */
static void touch(struct fixture *f, uint32_t tid, uint64_t addr, struct data_source what,
		  uint32_t times)
{
	if (times)
		FAKE_TOUCH(&f->source, 9, tid, tid, 0x400000 + tid * 16 + (addr & 63), addr,
			   what.kind == MEMORY_LOAD ? 200 : 0, what, .times = times);
}

#define HITM LOAD_HITM(DISTANCE_SAME_NODE)

static const struct data_source LOCKED = { .kind = MEMORY_LOAD,
					   .level = LEVEL_CACHE,
					   .distance = DISTANCE_SAME_NODE,
					   .hitm = true,
					   .locked = true };

/* The verdict on the profile's costliest line. */
static const struct sharing *judge(struct fixture *f)
{
	assert_null(profile_read(&f->source.source, f->attrib, (struct profile_wish){ 0 },
				 &f->profile));
	assert_true(f->profile->line_count > 0);
	sharing_init(&f->sharing, f->profile, &f->profile->lines[0], f->attrib, f->pool);
	return &f->sharing;
}

static void assert_verdict(const struct sharing *s, enum verdict want)
{
	assert_string_equal(verdict_name(s->verdict), verdict_name(want));
}

static void threads_that_write_neighbouring_words_share_falsely(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;

	for (uint32_t t = 1; t <= 4; t++) {
		touch(f, t, LINE + 8 * t, HITM, 20);
		touch(f, t, LINE + 8 * t, STORE_L1, 20);
	}
	s = judge(f);
	assert_verdict(s, VERDICT_FALSE);
	assert_int_equal(s->spot_count, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(s->spots[i].role, ROLE_BOTH);
	assert_non_null(strstr(s->advice, "+192 bytes, +3 lines"));
}

static void threads_that_write_one_word_share_truly(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;

	for (uint32_t t = 1; t <= 4; t++) {
		touch(f, t, LINE + 8, HITM, 20);
		touch(f, t, LINE + 8, STORE_L1, 20);
	}
	s = judge(f);
	assert_verdict(s, VERDICT_TRUE);
	assert_non_null(strstr(s->advice, "shard"));
}

static void who_reads_beside_the_written_word_is_a_victim_only(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;

	touch(f, 1, LINE, STORE_L1, 50);
	touch(f, 2, LINE + 40, HITM, 50);
	touch(f, 3, LINE + 40, HITM, 50);
	s = judge(f);
	assert_verdict(s, VERDICT_FALSE);
	assert_int_equal(s->spots[0].role, ROLE_AGGRESSOR);
	assert_int_equal(s->spots[1].role, ROLE_VICTIM);
	assert_non_null(strstr(s->advice, "+0 to a line of its own"));
}

static void who_reads_the_written_word_shares_truly(void **state)
{
	struct fixture *f = *state;

	touch(f, 1, LINE, STORE_L1, 50);
	touch(f, 2, LINE, HITM, 50);
	assert_verdict(judge(f), VERDICT_TRUE);
}

/* The writer misses because readers took copies. */
static void writer_waits_for_those_who_read(void **state)
{
	struct fixture *f = *state;
	const struct data_source miss = { .kind = MEMORY_STORE, .miss = true };
	const struct sharing *s;

	touch(f, 1, LINE, miss, 40);
	touch(f, 2, LINE + 32, HITM, 40);
	s = judge(f);
	assert_true(s->moves == 80);
	assert_true(s->other > 79.999);
	assert_int_equal(s->spots[0].role, ROLE_BOTH);
}

static void stray_sample_does_not_make_sharing_mixed(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 2; t++) {
		touch(f, t, LINE, HITM, 50);
		touch(f, t, LINE, STORE_L1, 50);
	}
	touch(f, 3, LINE + 16, HITM, 1);
	assert_verdict(judge(f), VERDICT_TRUE);
}

static void three_samples_that_agree_are_not_enough(void **state)
{
	struct fixture *f = *state;

	touch(f, 1, LINE, STORE_L1, 3);
	touch(f, 2, LINE + 8, HITM, 3);
	assert_verdict(judge(f), VERDICT_UNSURE);
}

static void both_kinds_in_one_line_are_mixed(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;

	for (uint32_t t = 1; t <= 2; t++) {
		touch(f, t, LINE, HITM, 50);
		touch(f, t, LINE, STORE_L1, 50);
	}
	touch(f, 3, LINE + 16, HITM, 30);
	s = judge(f);
	assert_verdict(s, VERDICT_MIXED);
	assert_non_null(strstr(s->advice, "+16 to another line"));
}

/* A reader that pays at one field of a record for the writes to all that it reads. */
static void reader_of_a_whole_record_shares_truly(void **state)
{
	struct fixture *f = *state;

	for (uint32_t field = 0; field < 3; field++) {
		touch(f, 1, LINE + 8 * field, STORE_L1, 30);
		touch(f, 2, LINE + 8 * field, field ? LOAD_L1 : HITM, 30);
	}
	assert_verdict(judge(f), VERDICT_TRUE);
}

static void initial_store_does_not_make_sharing_true(void **state)
{
	struct fixture *f = *state;

	touch(f, 7, LINE + 40, STORE_L1, 1); /* the main thread's, once */
	touch(f, 1, LINE, STORE_L1, 400);
	touch(f, 2, LINE + 40, HITM, 100);
	assert_verdict(judge(f), VERDICT_FALSE);
}

static void field_pays_for_what_its_threads_write_beside_it(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;

	touch(f, 7, LINE, STORE_L1, 1); /* the main thread's, once */
	for (uint32_t t = 1; t <= 4; t++) {
		touch(f, t, LINE, HITM, 30); /* read first, not written any more */
		touch(f, t, LINE + 8, STORE_L1, 60);
	}
	s = judge(f);
	assert_verdict(s, VERDICT_FALSE);
	assert_int_equal(s->spots[0].role, ROLE_VICTIM);
	assert_non_null(strstr(s->reason, "the wait moves on"));
	assert_null(s->advice); /* moving the field would help nobody */
}

static void read_only_lines_have_no_verdict_but_none(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 4; t++)
		touch(f, t, LINE, LOAD_L1, 50);
	assert_verdict(judge(f), VERDICT_NONE);
	assert_null(f->sharing.advice);
}

static void few_samples_are_unsure(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;

	touch(f, 1, LINE, STORE_L1, 1);
	touch(f, 2, LINE + 8, HITM, 2);
	s = judge(f);
	assert_verdict(s, VERDICT_UNSURE);
	assert_true(s->confidence == 0);
}

static void confidence_grows_with_samples(void **state)
{
	struct fixture *f = *state;
	double few;

	touch(f, 1, LINE, STORE_L1, 10);
	touch(f, 2, LINE + 8, HITM, 10);
	few = judge(f)->confidence;
	assert_true(few > 0.72 && few < 0.7225); /* Wilson's limit of 10 in 10: 10 / (10 + z^2) */
	teardown(state);
	setup(state);
	f = *state;
	touch(f, 1, LINE, STORE_L1, 100);
	touch(f, 2, LINE + 8, HITM, 100);
	assert_true(judge(f)->confidence > 0.96);
}

static void writes_that_were_not_sampled_are_unsure(void **state)
{
	struct fixture *f = *state;

	touch(f, 1, LINE, HITM, 50);
	touch(f, 2, LINE + 8, HITM, 50);
	assert_verdict(judge(f), VERDICT_UNSURE);
}

static void stores_alone_are_judged_too(void **state)
{
	struct fixture *f = *state;

	touch(f, 1, LINE, STORE_L1, 50);
	touch(f, 2, LINE + 32, STORE_L1, 50);
	assert_verdict(judge(f), VERDICT_FALSE);
	assert_int_equal(f->sharing.basis, BASIS_STORES);
}

static void locked_access_over_the_end_of_a_line_is_split(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 2; t++)
		touch(f, t, 0x203c, LOCKED, 50);
	assert_verdict(judge(f), VERDICT_SPLIT);
	assert_int_equal(f->sharing.neighbour, 0x2040);
}

static void both_parts_of_a_split_access_are_found_by_its_code(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 2; t++) {
		FAKE_TOUCH(&f->source, 9, t, t, 0x500, 0x503d, 900, LOCKED, .times = 50);
		FAKE_TOUCH(&f->source, 9, t, t, 0x500, 0x5040, 900, LOCKED, .times = 50);
	}
	assert_verdict(judge(f), VERDICT_SPLIT);
}

static void split_access_of_one_thread_is_split_all_the_same(void **state)
{
	struct fixture *f = *state;

	FAKE_TOUCH(&f->source, 9, 1, 1, 0x500, 0x503d, 900, LOCKED, .times = 50);
	FAKE_TOUCH(&f->source, 9, 1, 1, 0x500, 0x5040, 900, LOCKED, .times = 50);
	assert_verdict(judge(f), VERDICT_SPLIT);
}

static void neighbouring_locks_of_one_function_are_no_split_access(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 2; t++)
		for (uint64_t at = 0x5038; at <= 0x5044; at += 4)
			FAKE_TOUCH(&f->source, 9, t, t, 0x500, at, 90, LOCKED, .times = 50);
	assert_verdict(judge(f), VERDICT_TRUE);
}

static void parts_of_one_field_are_the_same_bytes(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;

	touch(f, 1, 0x3000, STORE_L1, 50);
	touch(f, 2, 0x3004, HITM, 50); /* the upper half of what the other writes whole */
	s = judge(f);
	assert_int_equal(s->spot_count, 1);
	assert_verdict(s, VERDICT_TRUE);
}

/* ---- As hardware samples: few, and of loads and stores at rates of their own */

struct pattern {
	const char *name;
	bool all_write, one_word;
	enum verdict want;
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*seed >> 33) % below;
}

/* One sample of a program of "threads" threads, each with a word of its own or all with one. */
static void sample_pattern(struct fixture *f, const struct pattern *p, uint32_t threads,
			   uint64_t *seed)
{
	uint32_t t = draw(seed, threads), at = p->one_word ? 0 : 4 * t;
	bool can_write = p->all_write || !t, can_read = p->all_write || t;

	if (can_write && (!can_read || draw(seed, 4) == 0))
		touch(f, t + 1, LINE + at, STORE_L1, 1);
	else if (can_read)
		touch(f, t + 1, LINE + at, draw(seed, 3) ? HITM : LOAD_L1, 1);
}

static enum verdict sampled_verdict(struct fixture **f, void **state, const struct pattern *p,
				    uint32_t samples, uint64_t *seed)
{
	uint32_t threads = 2 + draw(seed, 7);

	teardown(state);
	setup(state);
	*f = *state;
	for (uint32_t i = 0; i < samples; i++)
		sample_pattern(*f, p, threads, seed);
	assert_null(profile_read(&(*f)->source.source, (*f)->attrib, (struct profile_wish){ 0 },
				 &(*f)->profile));
	if (!(*f)->profile->line_count)
		return VERDICT_NONE;
	sharing_init(&(*f)->sharing, (*f)->profile, &(*f)->profile->lines[0], (*f)->attrib,
		     (*f)->pool);
	return (*f)->sharing.verdict;
}

/* Whatever the number of samples a verdict is right or unsure, and with 100 it is right. */
static void few_samples_never_make_a_wrong_verdict(void **state)
{
	static const struct pattern PATTERNS[] = {
		{ "all write words of their own", true, false, VERDICT_FALSE },
		{ "all write one word", true, true, VERDICT_TRUE },
		{ "one writes beside the others", false, false, VERDICT_FALSE },
		{ "one writes what the others read", false, true, VERDICT_TRUE },
	};
	static const uint32_t SAMPLES[] = { 4, 8, 15, 30, 60, 100, 200 };
	struct fixture *f = *state;
	uint64_t seed = 1;

	for (size_t k = 0; k < ARRAY_SIZE(PATTERNS) * ARRAY_SIZE(SAMPLES) * 50; k++) {
		const struct pattern *p = &PATTERNS[k % ARRAY_SIZE(PATTERNS)];
		uint32_t samples = SAMPLES[k / ARRAY_SIZE(PATTERNS) % ARRAY_SIZE(SAMPLES)];
		enum verdict got = sampled_verdict(&f, state, p, samples, &seed);
		bool open = got == VERDICT_UNSURE || got == VERDICT_NONE;

		if (got != p->want && (!open || samples >= 100))
			fail_msg("%s, %u samples: %s, not %s", p->name, samples, verdict_name(got),
				 verdict_name(p->want));
	}
}

static void touch_at(struct fixture *f, uint32_t tid, uint64_t time, struct data_source what)
{
	FAKE_TOUCH(&f->source, 9, tid, tid, 0x400000 + tid, LINE, 100, what, .time = time);
}

static void what_is_written_and_then_read_is_transient(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 1; i <= 10; i++)
		touch_at(f, 1, i * 1000000, STORE_L1);
	for (uint64_t i = 11; i <= 20; i++)
		touch_at(f, 2 + i % 2, i * 1000000, i < 13 ? HITM : LOAD_L1);
	assert_verdict(judge(f), VERDICT_TRANSIENT);
	assert_true(f->sharing.confidence > 0.99);
	assert_null(f->sharing.advice);
}

static void one_write_among_the_reads_is_no_handover(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 1; i <= 10; i++)
		touch_at(f, 1, i * 1000000, STORE_L1);
	for (uint64_t i = 11; i <= 20; i++)
		touch_at(f, 2, i * 1000000, HITM);
	touch_at(f, 1, 15000000, STORE_L1);
	assert_verdict(judge(f), VERDICT_TRUE);
}

static void order_of_a_few_samples_is_chance(void **state)
{
	struct fixture *f = *state;

	touch_at(f, 1, 1000000, STORE_L1);
	touch_at(f, 1, 2000000, STORE_L1);
	for (uint64_t i = 3; i <= 6; i++)
		touch_at(f, 2, i * 1000000, HITM);
	assert_verdict(judge(f), VERDICT_TRUE); /* 1 in 15 */
}

static void times_are_kept_in_order(void **state)
{
	uint32_t last = 0;

	for (uint64_t ns = 0; ns < UINT64_MAX / 3; ns += ns / 50 + 1) {
		uint32_t code = phase_code(ns);

		assert_true(code > 0 && code < 4096 && code >= last);
		assert_true(phase_start(code) <= ns && ns - phase_start(code) <= ns / 64);
		last = code;
	}
}

static void moves_are_shared_out_whole(void **state)
{
	struct fixture *f = *state;
	const struct sharing *s;
	double sum = 0;

	touch(f, 1, LINE, STORE_L1, 30);
	touch(f, 2, LINE + 8, STORE_L1, 10);
	touch(f, 3, LINE + 16, HITM, 40);
	s = judge(f);
	for (uint32_t i = 0; i < s->pair_count; i++)
		sum += s->pairs[i].moves;
	assert_true(sum > 39.999 && sum < 40.001);
	assert_true(s->spots[0].blame > 29.999 && s->spots[0].blame < 30.001);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(threads_that_write_neighbouring_words_share_falsely),
		TEST(threads_that_write_one_word_share_truly),
		TEST(who_reads_beside_the_written_word_is_a_victim_only),
		TEST(who_reads_the_written_word_shares_truly),
		TEST(writer_waits_for_those_who_read),
		TEST(stray_sample_does_not_make_sharing_mixed),
		TEST(three_samples_that_agree_are_not_enough),
		TEST(both_kinds_in_one_line_are_mixed),
		TEST(reader_of_a_whole_record_shares_truly),
		TEST(initial_store_does_not_make_sharing_true),
		TEST(field_pays_for_what_its_threads_write_beside_it),
		TEST(read_only_lines_have_no_verdict_but_none),
		TEST(few_samples_are_unsure),
		TEST(confidence_grows_with_samples),
		TEST(writes_that_were_not_sampled_are_unsure),
		TEST(stores_alone_are_judged_too),
		TEST(locked_access_over_the_end_of_a_line_is_split),
		TEST(both_parts_of_a_split_access_are_found_by_its_code),
		TEST(split_access_of_one_thread_is_split_all_the_same),
		TEST(neighbouring_locks_of_one_function_are_no_split_access),
		TEST(parts_of_one_field_are_the_same_bytes),
		TEST(few_samples_never_make_a_wrong_verdict),
		TEST(what_is_written_and_then_read_is_transient),
		TEST(one_write_among_the_reads_is_no_handover),
		TEST(order_of_a_few_samples_is_chance),
		TEST(times_are_kept_in_order),
		TEST(moves_are_shared_out_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
