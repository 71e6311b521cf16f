// SPDX-License-Identifier: GPL-2.0-only
/* Recordings with hardware's own data: Arm SPE behind AUXTRACE records, registers of IBS in
 * samples. */
#include "recording_image.h"
#include "data_source.h"

#define PMU_TYPE    9
#define NEOVERSE_N1 0x413fd0c1
#define AMPERE_A    0xc00fac40
#define NO_CPU	    UINT32_MAX

static const struct shape file_form = { 112, SAMPLE_TYPE, 1, .ids = true };
static const struct shape pipe_form = { 112, SAMPLE_TYPE, 1, .pipe = true, .ids = true };

/* AUXTRACE_INFO of perf before Linux 6.13: the PMU's type, and whether there is a buffer each CPU.
 */
static void put_info(struct image *im)
{
	RECORD(im, PERF_RECORD_AUXTRACE_INFO, 0, {
		put_u32(&b, 4);
		put_u32(&b, 0);
		put_u64(&b, PERF_TYPE_RAW); /* the type of the events here */
		put_u64(&b, 1);
	});
}

/* ns = 1000 + cycles * 10 */
static void put_clock(struct image *im)
{
	RECORD(im, PERF_RECORD_TIME_CONV, 0, {
		put_u64(&b, 2);
		put_u64(&b, 40);
		put_u64(&b, 1000);
		put_u64(&b, 0);
		put_u64(&b, 0);
		put_zeros(&b, 8);
	});
}

static void put_byte(struct image *b, uint8_t v)
{
	put(b, &v, 1);
}

/* Little endian, whatever the recording's byte order is. */
static void put_little(struct image *b, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put_byte(b, v >> (8 * i));
}

/* PC, load, latency, data source, address, and where they are wanted context and timestamp: 34
 * bytes, 40 with a context. */
static void put_load(struct image *b, uint32_t tid, uint64_t addr, uint8_t source, uint64_t cycles)
{
	put_byte(b, 0xb0);
	put_little(b, 0x8000000000400100, 8);
	if (tid) {
		put_byte(b, 0x64);
		put_little(b, tid, 4);
	}
	put_byte(b, 0x49);
	put_byte(b, 0);
	put_byte(b, 0x98);
	put_little(b, 90, 2);
	put_byte(b, 0x43);
	put_byte(b, source);
	put_byte(b, 0xb2);
	put_little(b, addr, 8);
	put_byte(b, cycles ? 0x71 : 0x01);
	if (cycles)
		put_little(b, cycles, 8);
}

/* Data that is built by statements, of a CPU or a thread. */
#define TRACE(im, with_cpu, with_tid, ...)                                                         \
	do {                                                                                       \
		struct image d = { 0 };                                                            \
		__VA_ARGS__;                                                                       \
		RECORD(im, PERF_RECORD_AUXTRACE, 0, {                                              \
			put_u64(&b, d.size);                                                       \
			put_u64(&b, 0);                                                            \
			put_u64(&b, 0);                                                            \
			put_u32(&b, 0);                                                            \
			put_u32(&b, with_tid);                                                     \
			put_u32(&b, with_cpu);                                                     \
			put_u32(&b, 0);                                                            \
		});                                                                                \
		put(im, d.bytes, d.size);                                                          \
		free(d.bytes);                                                                     \
	} while (0)

static struct image begin_spe(const struct shape *s)
{
	struct image im = begin(s);

	put_info(&im);
	put_clock(&im);
	return im;
}

static struct reading *read_spe(struct image *im, const struct shape *s)
{
	end(im, s);
	return read_image(im);
}

static const struct sample *sample_at(const struct reading *r, size_t nth)
{
	return &find_kind(r, EVENT_SAMPLE, nth)->sample;
}

static void data_becomes_samples(void **state)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		const struct shape *s = pipe ? &pipe_form : &file_form;
		struct image im = begin_spe(s);
		const struct sample *sample;
		struct reading *r;

		TRACE(&im, 2, UINT32_MAX, put_load(&d, 77, 0x1000, 0, 50));
		r = read_spe(&im, s);
		assert_int_equal(count_kind(r, EVENT_SAMPLE), 1);
		sample = sample_at(r, 0);
		assert_int_equal(sample->ip, 0x400100);
		assert_int_equal(sample->addr, 0x1000);
		assert_int_equal(sample->time, 1500);
		assert_int_equal(sample->weight, 90);
		assert_int_equal(sample->cpu, 2);
		assert_int_equal(sample->tid, 77);
		assert_int_equal(sample->event, 0);
		assert_int_equal(sample->period, 1000); /* the event's */
		assert_int_equal(sample->cpumode, PERF_RECORD_MISC_USER);
		assert_int_equal(r->source->recording.spe.records, 1);
		assert_int_equal(r->source->recording.events[0].samples, 1);
		assert_int_equal(r->source->recording.first_time, 1500);
		assert_int_equal(r->source->recording.aux_bytes, 0);
		done(r);
	}
}

static void samples_and_other_records_come_in_order_of_time(void **state)
{
	struct image im = begin_spe(&file_form);
	struct reading *r;

	put_mmap2(&im, 1200);
	put_round(&im);
	put_mmap2(&im, 1600);
	put_sample(&im, 1700, 0x9000, 1);
	put_round(&im);
	put_round(&im);
	/* long after what it tells of */
	TRACE(&im, 0, UINT32_MAX, put_load(&d, 7, 0x1000, 0, 10); put_load(&d, 7, 0x1001, 0, 65));
	TRACE(&im, 1, UINT32_MAX, put_load(&d, 8, 0x2000, 0, 30); put_load(&d, 8, 0x2001, 0, 90));
	r = read_spe(&im, &file_form);
	expect_times_rise(r);
	assert_int_equal(r->count, 7);
	assert_int_equal(r->event[0].sample.addr, 0x1000); /* 1100 */
	assert_int_equal(r->event[1].kind, EVENT_MAP);	   /* 1200 */
	assert_int_equal(r->event[2].sample.addr, 0x2000); /* 1300 */
	assert_int_equal(r->event[3].kind, EVENT_MAP);	   /* 1600 */
	assert_int_equal(r->event[4].sample.addr, 0x1001); /* 1650 */
	assert_int_equal(r->event[5].sample.addr, 0x9000); /* 1700 */
	assert_int_equal(r->event[6].sample.addr, 0x2001); /* 1900 */
	done(r);
}

static void records_are_whole_across_the_pieces_of_a_buffer(void **state)
{
	enum { RECORDS = 3000 }; /* of 34 bytes: more than three pieces */
	struct image im = begin_spe(&file_form);
	struct reading *r;

	TRACE(&im, 0, 5, {
		for (uint64_t i = 0; i < RECORDS; i++)
			put_load(&d, 0, 0x1000 + i, 0, 1 + i);
	});
	r = read_spe(&im, &file_form);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), RECORDS);
	for (size_t i = 0; i < RECORDS; i++)
		assert_int_equal(r->event[i].sample.addr, 0x1000 + i);
	assert_int_equal(r->source->recording.spe.lost_bytes, 0);
	done(r);
}

/* A SWITCH_CPU_WIDE record's body: the process and thread that comes or went. */
static void put_switch(struct image *im, uint16_t misc, uint32_t tid, uint32_t other, uint64_t time)
{
	RECORD(im, PERF_RECORD_SWITCH_CPU_WIDE, misc, {
		put_u32(&b, other);
		put_u32(&b, other);
		put_trailer(&b, tid - 1, time, 1); /* of thread "tid" on CPU 3 */
	});
}

static void threads_are_told_by_context_buffer_or_switches(void **state)
{
	struct image im = begin_spe(&file_form);
	struct reading *r;

	put_switch(&im, 0, 21, 0, 2000);
	put_switch(&im, PERF_RECORD_MISC_SWITCH_OUT, 21, 22, 3000);
	TRACE(&im, 3, UINT32_MAX, {
		put_load(&d, 0, 1, 0, 50);  /* 1500: before any switch */
		put_load(&d, 0, 2, 0, 150); /* 2500 */
		put_load(&d, 9, 3, 0, 160); /* 2600, with a context */
		put_load(&d, 0, 4, 0, 250); /* 3500 */
	});
	TRACE(&im, NO_CPU, 31, put_load(&d, 0, 5, 0, 400));
	r = read_spe(&im, &file_form);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
	assert_int_equal(sample_at(r, 0)->tid, UINT32_MAX);
	assert_int_equal(sample_at(r, 1)->tid, 21);
	assert_int_equal(sample_at(r, 2)->tid, 9);
	assert_int_equal(sample_at(r, 3)->tid, 22);
	assert_int_equal(sample_at(r, 4)->tid, 31);
	assert_int_equal(sample_at(r, 4)->cpu, SAMPLE_NO_CPU);
	done(r);
}

static void processes_are_told_by_records_of_their_threads(void **state)
{
	struct image im = begin_spe(&file_form);
	struct reading *r;

	put_comm(&im, 0);    /* thread 11 of process 10; without a time, as of what ran before */
	put_comm(&im, 1100); /* the same */
	TRACE(&im, 0, UINT32_MAX, put_load(&d, 11, 1, 0, 50); put_load(&d, 12, 2, 0, 60));
	r = read_spe(&im, &file_form);
	assert_int_equal(sample_at(r, 0)->pid, 10);
	assert_int_equal(find_kind(r, EVENT_SAMPLE, 0)->pid, 10);
	assert_int_equal(sample_at(r, 1)->pid, 12); /* nothing names it */
	done(r);
}

static void samples_without_a_time_follow_what_was_before_their_data(void **state)
{
	struct image im = begin_spe(&file_form);
	struct reading *r;

	put_mmap2(&im, 1200);
	TRACE(&im, 0, 5, put_load(&d, 0, 0x1000, 0, 0));
	put_mmap2(&im, 1300);
	r = read_spe(&im, &file_form);
	assert_int_equal(r->count, 3);
	assert_int_equal(r->event[1].kind, EVENT_SAMPLE);
	assert_int_equal(r->event[1].time, 1200);
	done(r);
}

static void a_counter_that_wraps_is_continued(void **state)
{
	struct image im = begin(&file_form);
	struct reading *r;

	put_info(&im);
	RECORD(&im, PERF_RECORD_TIME_CONV, 0, {
		put_u64(&b, 0);
		put_u64(&b, 1);
		put_u64(&b, 0);
		put_u64(&b, 0x1fff0); /* cycles when it was read */
		put_u64(&b, 0xffff);
		put_byte(&b, 1);
		put_byte(&b, 1); /* cap_user_time_short */
		put_zeros(&b, 6);
	});
	TRACE(&im, 0, 5, put_load(&d, 0, 1, 0, 0xfff8); put_load(&d, 0, 2, 0, 0x0004));
	r = read_spe(&im, &file_form);
	assert_int_equal(sample_at(r, 0)->time, 0x1fff8);
	assert_int_equal(sample_at(r, 1)->time, 0x20004);
	done(r);
}

static void large_counters_do_not_overflow(void **state)
{
	struct image im = begin(&file_form);
	struct reading *r;

	put_info(&im);
	RECORD(&im, PERF_RECORD_TIME_CONV, 0, {
		put_u64(&b, 32);
		put_u64(&b, 40ULL << 32);
		put_u64(&b, 7);
		put_zeros(&b, 24);
	});
	TRACE(&im, 0, 5, put_load(&d, 0, 1, 0, 1ULL << 50 | 1));
	r = read_spe(&im, &file_form);
	assert_int_equal(sample_at(r, 0)->time, (40ULL << 50) + 40 + 7);
	done(r);
}

static void put_cpu(struct image *b, uint64_t cpu, uint64_t midr)
{
	put_u64(b, 0x1010101010101010);
	put_u64(b, cpu);
	put_u64(b, 2); /* words that follow */
	put_u64(b, midr);
	put_u64(b, PERF_TYPE_RAW);
}

static void every_cpu_has_its_own_codes(void **state)
{
	struct image im = begin(&file_form);
	struct reading *r;

	RECORD(&im, PERF_RECORD_AUXTRACE_INFO, 0, {
		put_u32(&b, 4);
		put_u32(&b, 0);
		put_u64(&b, 2); /* version */
		put_u64(&b, 2);
		put_u64(&b, PERF_TYPE_RAW);
		put_u64(&b, 2); /* CPUs */
		put_cpu(&b, 0, NEOVERSE_N1);
		put_cpu(&b, 1, AMPERE_A);
	});
	put_clock(&im);
	TRACE(&im, 0, 5, put_load(&d, 0, 1, 8, 10));
	TRACE(&im, 1, 5, put_load(&d, 0, 2, 8, 20));
	TRACE(&im, 2, 5, put_load(&d, 0, 3, 8, 30));
	r = read_spe(&im, &file_form);
	assert_int_equal(data_source_decode(sample_at(r, 0)->data_src).level, LEVEL_L2);
	assert_int_equal(data_source_decode(sample_at(r, 1)->data_src).level, LEVEL_L1);
	assert_int_equal(data_source_decode(sample_at(r, 2)->data_src).level, LEVEL_UNKNOWN);
	done(r);
}

/* A header that promises more than there is: what is there is used. */
static void damaged_info_is_used_as_far_as_it_goes(void **state)
{
	static const uint64_t words[] = { 0, 1, 3, UINT64_MAX, UINT64_MAX / 8 };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct image im = begin(&file_form);
		struct reading *r;

		RECORD(&im, PERF_RECORD_AUXTRACE_INFO, 0, {
			put_u32(&b, 4);
			put_u32(&b, 0);
			put_u64(&b, 2);
			put_u64(&b, words[i]);
			put_u64(&b, PERF_TYPE_RAW);
			put_u64(&b, UINT64_MAX);
			put_cpu(&b, 0, NEOVERSE_N1);
		});
		TRACE(&im, 0, 5, put_load(&d, 0, 1, 8, 10));
		r = read_spe(&im, &file_form);
		assert_int_equal(count_kind(r, EVENT_SAMPLE), 1);
		done(r);
	}
}

static void what_was_lost_is_counted(void **state)
{
	struct image im = begin_spe(&file_form);
	static const uint64_t flags[] = { PERF_AUX_FLAG_COLLISION, PERF_AUX_FLAG_TRUNCATED, 0,
					  PERF_AUX_FLAG_COLLISION | PERF_AUX_FLAG_PARTIAL };
	const struct recording_spe *spe;
	struct reading *r;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		RECORD(&im, PERF_RECORD_AUX, 0, {
			put_u64(&b, 0);
			put_u64(&b, 64);
			put_u64(&b, flags[i]);
			put_trailer(&b, 10, 1000 + i, 1);
		});
	TRACE(&im, 0, 5, {
		put_load(&d, 0, 1, 0, 10);
		put_byte(&d, 0xff); /* no packet */
		put_load(&d, 0, 2, 0, 20);
		put_byte(&d, 0xb0); /* cut off */
	});
	r = read_spe(&im, &file_form);
	spe = &r->source->recording.spe;
	assert_int_equal(spe->records, 2);
	assert_int_equal(spe->collisions, 2);
	assert_int_equal(spe->truncated, 2);
	assert_int_equal(spe->lost_bytes, 2);
	assert_int_equal(r->source->recording.unknown_records, 0);
	done(r);
}

static void data_that_is_cut_off_gives_its_whole_records(void **state)
{
	struct image im = begin_spe(&file_form);
	struct reading *r;

	TRACE(&im, 0, 5, put_load(&d, 0, 1, 0, 10); put_load(&d, 0, 2, 0, 20));
	im.size -= 10;
	r = read_spe(&im, &file_form);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 1);
	assert_true(r->source->recording.truncated);
	assert_non_null(strstr(r->source->recording.damage, "its data is cut off"));
	done(r);
}

static void data_is_little_endian_in_a_recording_that_is_not(void **state)
{
	struct shape other = file_form;
	struct image im;
	struct reading *r;

	other.swap = true;
	im = begin_spe(&other);
	TRACE(&im, 2, 5, put_load(&d, 0, 0x1000, 0, 50));
	r = read_spe(&im, &other);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 1);
	assert_int_equal(sample_at(r, 0)->addr, 0x1000);
	assert_int_equal(sample_at(r, 0)->time, 1500);
	assert_int_equal(sample_at(r, 0)->cpu, 2);
	done(r);
}

/* ---- IBS */

#define RAW_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN)

/* An op that loads modified data from the L3, 300 cycles, of a Zen 4. */
static void put_ibs_sample(struct image *im)
{
	RECORD(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, {
		put_u64(&b, 0x400100);
		put_u64(&b, 500);
		put_u64(&b, 1); /* a call chain of one */
		put_u64(&b, 0x400100);
		put_u32(&b, 4 + 7 * 8);
		put_u32(&b, 0xbff);    /* capabilities */
		put_u64(&b, 1 << 18);  /* IbsOpCtl: valid */
		put_u64(&b, 0x400100); /* IbsOpRip */
		put_u64(&b, 0);	       /* IbsOpData */
		put_u64(&b, 1);	       /* IbsOpData2: this complex's caches */
		put_u64(&b, 300ULL << 32 | 1 << 20 | 3 << 17 | 1 << 7 | 1);
		put_u64(&b, 0x601040);	 /* IbsDcLinAd */
		put_u64(&b, 0x81601040); /* IbsDcPhysAd */
	});
}

static struct reading *read_ibs(const char *event)
{
	struct shape s = { 112, RAW_TYPE, 1, .pipe = true, .ids = true };
	struct image im = begin(&s);

	RECORD(&im, PERF_RECORD_EVENT_UPDATE, 0, {
		put_u64(&b, 2); /* a name */
		put_u64(&b, 1);
		put_text(&b, event, 16);
	});
	put_ibs_sample(&im);
	return read_image(&im);
}

static void registers_of_ibs_are_a_data_source(void **state)
{
	struct reading *r = read_ibs("ibs_op//");
	const struct sample *s = sample_at(r, 0);

	assert_true(data_source_decode(s->data_src).hitm);
	assert_int_equal(s->addr, 0x601040);
	assert_int_equal(s->phys_addr, 0x81601040);
	assert_int_equal(s->weight, 300);
	done(r);
}

static void raw_data_of_other_events_is_none(void **state)
{
	struct reading *r = read_ibs("sched:switch");

	assert_int_equal(sample_at(r, 0)->data_src, 0);
	assert_int_equal(sample_at(r, 0)->addr, 0);
	done(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_becomes_samples),
		cmocka_unit_test(samples_and_other_records_come_in_order_of_time),
		cmocka_unit_test(records_are_whole_across_the_pieces_of_a_buffer),
		cmocka_unit_test(threads_are_told_by_context_buffer_or_switches),
		cmocka_unit_test(processes_are_told_by_records_of_their_threads),
		cmocka_unit_test(samples_without_a_time_follow_what_was_before_their_data),
		cmocka_unit_test(a_counter_that_wraps_is_continued),
		cmocka_unit_test(large_counters_do_not_overflow),
		cmocka_unit_test(every_cpu_has_its_own_codes),
		cmocka_unit_test(damaged_info_is_used_as_far_as_it_goes),
		cmocka_unit_test(what_was_lost_is_counted),
		cmocka_unit_test(data_that_is_cut_off_gives_its_whole_records),
		cmocka_unit_test(data_is_little_endian_in_a_recording_that_is_not),
		cmocka_unit_test(registers_of_ibs_are_a_data_source),
		cmocka_unit_test(raw_data_of_other_events_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
