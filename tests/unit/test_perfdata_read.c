// SPDX-License-Identifier: GPL-2.0-only
#include "recording_image.h"

/* ---- Tests */

static void every_attr_size_is_read_in_both_forms_and_byte_orders(void **state)
{
	static const size_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 200, 1024 };

	for (size_t i = 0; i < 8 * ARRAY_SIZE(sizes); i++) {
		struct shape s = { .attr_size = sizes[i / 8],
				   .sample_type = SAMPLE_TYPE,
				   .pipe = i & 1,
				   .events = i & 2 ? 3 : 1,
				   .swap = i & 4,
				   .ids = true };
		struct image im = build(&s);
		struct reading *r = read_image(&im);
		const struct sample *sample = &find_kind(r, EVENT_SAMPLE, 0)->sample;

		assert_int_equal(r->source->recording.event_count, s.events);
		assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
		assert_int_equal(sample->event, s.events - 1);
		assert_int_equal(r->source->recording.events[s.events - 1].samples, 5);
		assert_int_equal(sample->addr, 0x1000);
		assert_int_equal(sample->ip, 0x400100);
		assert_int_equal(sample->cpu, 3);
		assert_int_equal(sample->period, 7);
		assert_int_equal(sample->weight, 90);
		assert_int_equal(sample->tid, 11);
		assert_int_equal(sample->cpumode, PERF_RECORD_MISC_USER);
		assert_true(sample->data_src == 0x668100842);
		assert_false(r->source->recording.truncated);
		assert_int_equal(r->source->recording.malformed_records, 0);
		assert_int_equal(r->source->recording.unknown_records, 0);
		done(r);
	}
}

static void records_become_events_in_order_of_time(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = build(&s);
	struct reading *r = read_image(&im);
	const struct event *map = find_kind(r, EVENT_MAP, 0), *comm = find_kind(r, EVENT_COMM, 0);

	expect_times_rise(r);
	assert_int_equal(r->count, 8);
	assert_int_equal(map->pid, 10);
	assert_int_equal(map->map.start, 0x400000);
	assert_int_equal(map->map.size, 0x1000);
	assert_int_equal(map->map.offset, 0x2000);
	assert_int_equal(map->map.inode, 4242);
	assert_int_equal(map->map.major, 8);
	assert_int_equal(map->map.prot, PROT_READ | PROT_WRITE);
	assert_false(map->map.kernel);
	assert_false(map->map.shared);
	assert_string_equal(map->map.path, "/bin/program");
	assert_string_equal(comm->comm.name, "program");
	assert_true(comm->comm.exec);
	assert_string_equal(find_kind(r, EVENT_NOTE, 0)->note.remark.text, "x");
	assert_int_equal(r->source->recording.first_time, 200);
	assert_int_equal(r->source->recording.last_time, 400);
	done(r);
}

/* Rings of 8 CPUs, emptied one after the other, each round a bit into the time of the next. */
static void many_rings_are_merged(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };

	for (int rounds = 0; rounds < 2; rounds++) {
		struct image im = begin(&s);
		struct reading *r;

		for (uint64_t round = 0; round < 10; round++) {
			for (uint64_t cpu = 0; cpu < 8; cpu++)
				for (uint64_t i = 0; i < 20; i++)
					put_sample(&im, 1000 + 160 * round + 8 * i + cpu + cpu * 4,
						   i, 1);
			if (rounds)
				put_round(&im);
		}
		end(&im, &s);
		r = read_image(&im);
		assert_int_equal(count_kind(r, EVENT_SAMPLE), 1600);
		expect_times_rise(r);
		done(r);
	}
}

static void records_of_one_time_keep_their_order(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = begin(&s);
	struct reading *r;

	for (uint64_t i = 0; i < 50; i++)
		put_sample(&im, i % 2 ? 500 : 400, i, 1);
	end(&im, &s);
	r = read_image(&im);
	for (uint64_t i = 0; i < 50; i++)
		assert_int_equal(r->event[i].sample.addr, i < 25 ? 2 * i : 2 * (i - 25) + 1);
	done(r);
}

static void without_cpu_or_id_samples_belong_to_the_first_event(void **state)
{
	struct shape s = { .attr_size = 112,
			   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
			   .events = 2 };

	for (int pipe = 0; pipe < 2; pipe++) {
		struct image im;
		struct reading *r;

		s.pipe = pipe;
		im = begin(&s);
		RECORD(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, {
			put_u64(&b, 0xffffffff81000000);
			put_u64(&b, 0);
			put_u64(&b, 0x1000);
		});
		end(&im, &s);
		r = read_image(&im);
		assert_int_equal(r->count, 1);
		assert_int_equal(r->event[0].sample.cpu, SAMPLE_NO_CPU);
		assert_int_equal(r->event[0].sample.event, 0);
		assert_int_equal(r->event[0].sample.cpumode, PERF_RECORD_MISC_KERNEL);
		assert_int_equal(r->event[0].sample.period, 1000); /* the attribute's */
		done(r);
	}
}

static void ids_that_nobody_announced_are_of_no_event(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 2, .ids = true };
	struct image im = begin(&s);
	struct reading *r;

	put_sample(&im, 1, 0x1000, 99);
	put_sample(&im, 2, 0x1000, 2);
	put_sample(&im, 3, 0x1000, 0);
	end(&im, &s);
	r = read_image(&im);
	assert_int_equal(r->event[0].sample.event, SAMPLE_NO_EVENT);
	assert_int_equal(r->event[1].sample.event, 1);
	assert_int_equal(r->event[2].sample.event, 0);
	done(r);
}

/* Two events with other things in their samples: the id decides the layout. */
static void events_may_have_layouts_of_their_own(void **state)
{
	struct image im = { 0 };
	struct reading *r;

	put(&im, "PERFILE2", 8);
	put_u64(&im, 16);
	for (uint64_t i = 0; i < 2; i++)
		RECORD(&im, PERF_RECORD_HEADER_ATTR, 0, {
			put_attr(&b, 112,
				 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME |
					 (i ? PERF_SAMPLE_ADDR : PERF_SAMPLE_PHYS_ADDR),
				 i);
			put_u64(&b, 70 + i);
		});
	for (uint64_t i = 0; i < 4; i++)
		RECORD(&im, PERF_RECORD_SAMPLE, 0, {
			put_u64(&b, 70 + i % 2);
			put_u64(&b, 100 - i);
			put_u64(&b, 0x1000 + i);
		});
	r = read_image(&im);
	assert_int_equal(r->count, 4);
	expect_times_rise(r);
	for (uint64_t i = 0; i < 4; i++) {
		const struct sample *sample = &r->event[3 - i].sample;

		assert_int_equal(sample->event, i % 2);
		assert_int_equal(sample->addr, i % 2 ? 0x1000 + i : 0);
		assert_int_equal(sample->phys_addr, i % 2 ? 0 : 0x1000 + i);
	}
	done(r);
}

static void put_task(struct image *b, uint64_t time)
{
	put_u32(b, 10);
	put_u32(b, 5);
	put_u32(b, 12);
	put_u32(b, 6);
	put_u64(b, time);
	put_trailer(b, 10, time, 1);
}

static void tasks_losses_and_pauses_are_told(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = begin(&s);
	struct reading *r;

	RECORD(&im, PERF_RECORD_FORK, 0, put_task(&b, 10));
	RECORD(&im, PERF_RECORD_EXIT, 0, put_task(&b, 20));
	RECORD(&im, PERF_RECORD_LOST, 0, put_u64(&b, 1); put_u64(&b, 55);
	       put_trailer(&b, 10, 30, 1));
	RECORD(&im, PERF_RECORD_LOST_SAMPLES, 0, put_u64(&b, 5); put_trailer(&b, 10, 40, 1));
	RECORD(&im, PERF_RECORD_LOST_SAMPLES, 1 << 15, put_u64(&b, 7); put_trailer(&b, 10, 41, 1));
	RECORD(&im, PERF_RECORD_THROTTLE, 0, put_zeros(&b, 24); put_trailer(&b, 10, 50, 1));
	RECORD(&im, 63, 0, put_zeros(&b, 16));
	RECORD(&im, 12345, 0, put_zeros(&b, 16));
	RECORD(&im, PERF_RECORD_COMM, 0, put_zeros(&b, 4));
	RECORD(&im, PERF_RECORD_SAMPLE, 0, put_zeros(&b, 24));
	end(&im, &s);
	r = read_image(&im);
	assert_int_equal(r->count, 4);
	assert_int_equal(find_kind(r, EVENT_FORK, 0)->fork.parent_pid, 5);
	assert_int_equal(find_kind(r, EVENT_FORK, 0)->fork.parent_tid, 6);
	assert_int_equal(find_kind(r, EVENT_FORK, 0)->tid, 12);
	assert_int_equal(find_kind(r, EVENT_EXIT, 0)->time, 20);
	assert_int_equal(find_kind(r, EVENT_LOST, 0)->lost.count, 55);
	assert_int_equal(find_kind(r, EVENT_LOST, 1)->lost.count, 5);
	assert_int_equal(r->source->recording.lost, 60);
	assert_int_equal(r->source->recording.throttled, 1);
	assert_int_equal(r->source->recording.unknown_records, 2);
	assert_int_equal(r->source->recording.malformed_records, 2);
	done(r);
}

static void maps_tell_build_ids_and_the_kernel(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = begin(&s);
	const struct event_map *map;
	struct reading *r;

	for (uint8_t size = 20; size < 22; size++)
		RECORD(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | 1 << 14, {
			put_zeros(&b, 32);
			put_u32(&b, size);
			put_text(&b, "abcdefghijklmnopqrst", 20);
			put_u32(&b, PROT_EXEC);
			put_u32(&b, 2);
			put_text(&b, "/lib/x.so", 16);
			put_trailer(&b, 10, 1, 1);
		});
	for (int data = 0; data < 2; data++)
		RECORD(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL | data << 13, {
			put_zeros(&b, 32);
			put_text(&b, "[kernel.kallsyms]_text", 24);
			put_trailer(&b, 10, 2, 1);
		});
	end(&im, &s);
	r = read_image(&im);
	map = &find_kind(r, EVENT_MAP, 0)->map;
	assert_int_equal(map->build_id_size, 20);
	assert_memory_equal(map->build_id, "abcdefghijklmnopqrst", 20);
	assert_int_equal(map->prot, PROT_EXEC);
	assert_string_equal(map->path, "/lib/x.so");
	assert_int_equal(find_kind(r, EVENT_MAP, 1)->map.build_id_size, 0); /* 21 is too much */
	map = &find_kind(r, EVENT_MAP, 2)->map;
	assert_true(map->kernel);
	assert_int_equal(map->prot, PROT_EXEC);
	assert_string_equal(map->path, "[kernel.kallsyms]_text");
	assert_int_equal(find_kind(r, EVENT_MAP, 3)->map.prot, PROT_READ);
	done(r);
}

static void put_build_id(struct image *im, uint16_t misc, uint8_t size, const char *path)
{
	RECORD(im, PERF_RECORD_HEADER_BUILD_ID, misc, {
		put_u32(&b, -1);
		put_text(&b, "abcdefghijklmnopqrst", 20);
		put(&b, &size, 1);
		put_zeros(&b, 3);
		put_text(&b, path, 16);
	});
}

static void expect_build_id(struct reading *r, uint8_t size)
{
	const struct event_map *map = &find_kind(r, EVENT_MAP, 0)->map;

	assert_string_equal(map->path, "/bin/program");
	assert_int_equal(map->build_id_size, size);
	assert_memory_equal(map->build_id, "abcdefghijklmnopqrst", size);
	done(r);
}

/* In a file they are a feature, in a pipe records before the mappings; the size came later. */
static void build_ids_told_apart_from_mappings_are_theirs(void **state)
{
	for (int i = 0; i < 8; i++) {
		struct shape s = { 112, SAMPLE_TYPE, 1, .pipe = i & 1, .ids = true, .swap = i & 2 };
		struct image im = begin(&s);
		uint16_t misc = i & 4 ? 1 << 15 : 0;
		size_t table;

		if (s.pipe) {
			put_build_id(&im, misc, 16, "/bin/other");
			put_build_id(&im, misc, 16, "/bin/program");
		}
		put_mmap2(&im, 100);
		end(&im, &s);
		table = im.size;
		if (!s.pipe) {
			put_zeros(&im, 16);
			put_build_id(&im, misc, 16, "/bin/other");
			put_build_id(&im, misc, 16, "/bin/program");
			set_u64(&im, table, table + 16);
			set_u64(&im, table + 8, im.size - table - 16);
			set_u64(&im, 72, 1 << 2);
		}
		expect_build_id(read_image(&im), misc ? 16 : 20);
	}
}

/* perf knows them only when it has seen all, and a pipe cannot go back. */
static void build_ids_at_the_end_of_a_pipe_are_told_by_path(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .pipe = true, .ids = true };
	struct image im = begin(&s);
	const struct event *told;
	struct reading *r;

	put_mmap2(&im, 100);
	put_build_id(&im, 0, 16, "/bin/program");
	end(&im, &s);
	r = read_image(&im);
	told = find_kind(r, EVENT_BUILD_ID, 0);
	assert_ptr_equal(told->map.path, find_kind(r, EVENT_MAP, 0)->map.path);
	assert_int_equal(told->map.build_id_size, 20);
	assert_memory_equal(told->map.build_id, "abcdefghijklmnopqrst", 20);
	done(r);
}

static void payloads_behind_records_are_stepped_over(void **state)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct shape s = { 112, SAMPLE_TYPE, 1, .pipe = pipe, .ids = true };
		struct image im = begin(&s);
		struct reading *r;

		RECORD(&im, PERF_RECORD_AUXTRACE_INFO, 0, put_u32(&b, 1); put_zeros(&b, 12));
		RECORD(&im, PERF_RECORD_AUXTRACE, 0, put_u64(&b, 3000000); put_zeros(&b, 32));
		put_zeros(&im, 3000000);
		RECORD(&im, PERF_RECORD_HEADER_TRACING_DATA, 0, put_u32(&b, 13); put_u32(&b, 0));
		put_zeros(&im, 16);
		put_sample(&im, 5, 0x1000, 1);
		end(&im, &s);
		r = read_image(&im);
		assert_int_equal(r->count, 1);
		assert_int_equal(r->event[0].sample.addr, 0x1000);
		assert_int_equal(r->source->recording.aux_bytes, 3000000);
		assert_string_equal(r->source->recording.aux_kind, "Intel PT");
		assert_false(r->source->recording.truncated);
		done(r);
	}
}

/* ---- Features */

static void put_string(struct image *b, const char *s)
{
	put_u32(b, 64);
	put_text(b, s, 64);
}

static void put_nodes(struct image *b)
{
	put_u32(b, 2);
	for (uint32_t node = 0; node < 2; node++) {
		put_u32(b, node + 4);
		put_zeros(b, 16);
		put_string(b, node ? "1-2,7" : "0,3-4");
	}
}

static void put_event_names(struct image *b)
{
	put_u32(b, 1);
	put_u32(b, 112);
	put_zeros(b, 112);
	put_u32(b, 1);
	put_string(b, "cpu/mem-loads,ldlat=30/P");
	put_u64(b, 1);
}

static void put_feature(struct image *b, unsigned bit)
{
	switch (bit) {
	case 3:
		put_string(b, "host");
		break;
	case 4:
		put_string(b, "6.1.0");
		break;
	case 7:
		put_u32(b, 8);
		put_u32(b, 6);
		break;
	case 11:
		put_u32(b, 2);
		put_string(b, "perf");
		put_string(b, "record");
		break;
	case 12:
		put_event_names(b);
		break;
	case 14:
		put_nodes(b);
		break;
	}
}

static const unsigned feature_bits[] = { 3, 4, 7, 11, 12, 14 };

static void expect_features(const struct recording *r)
{
	static const uint32_t node[] = { 4, 5, 5, 4, 4, UINT32_MAX, UINT32_MAX, 5 };

	assert_string_equal(r->host, "host");
	assert_string_equal(r->kernel, "6.1.0");
	assert_null(r->arch);
	assert_int_equal(r->cpus, 8);
	assert_string_equal(r->command, "perf record");
	assert_string_equal(r->events[0].name, "cpu/mem-loads,ldlat=30/P");
	assert_int_equal(r->cpu_nodes, 8);
	assert_memory_equal(r->cpu_node, node, sizeof(node));
}

/* The table of sections, then the sections. */
static void put_features(struct image *im)
{
	size_t table = im->size;
	uint64_t bits = 0;

	put_zeros(im, 16 * ARRAY_SIZE(feature_bits));
	for (size_t i = 0; i < ARRAY_SIZE(feature_bits); i++) {
		size_t start = im->size;

		put_feature(im, feature_bits[i]);
		bits |= 1ULL << feature_bits[i];
		set_u64(im, table + 16 * i, start);
		set_u64(im, table + 16 * i + 8, im->size - start);
	}
	set_u64(im, 72, bits);
}

static void features_of_a_file_are_read(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = build(&s);
	struct reading *r;

	put_features(&im);
	r = read_image(&im);
	expect_features(&r->source->recording);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
	done(r);
}

static void features_and_names_of_a_pipe_are_read(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .pipe = true, .ids = true };
	struct image im = begin(&s);
	struct reading *r;

	for (size_t i = 0; i < ARRAY_SIZE(feature_bits); i++)
		if (feature_bits[i] != 12)
			RECORD(&im, PERF_RECORD_HEADER_FEATURE, 0, put_u64(&b, feature_bits[i]);
			       put_feature(&b, feature_bits[i]));
	RECORD(&im, PERF_RECORD_HEADER_FEATURE, 0, put_u64(&b, UINT64_MAX));
	RECORD(&im, PERF_RECORD_EVENT_UPDATE, 0, put_u64(&b, PERF_EVENT_UPDATE__NAME);
	       put_u64(&b, 1); put_text(&b, "cpu/mem-loads,ldlat=30/P", 32));
	r = read_image(&im);
	expect_features(&r->source->recording);
	done(r);
}

/* Each byte of the features is replaced, one after the other: the samples are read all the same. */
static void a_damaged_feature_harms_nothing_else(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = build(&s);
	size_t start = im.size;

	put_features(&im);
	for (size_t i = start; i < im.size; i++) {
		uint8_t kept = im.bytes[i];
		struct reading *r;

		im.bytes[i] = kept ^ 0xff;
		r = read_bytes(im.bytes, im.size);
		im.bytes[i] = kept;
		assert_null(r->e);
		assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
		done(r);
	}
	free(im.bytes);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attr_size_is_read_in_both_forms_and_byte_orders),
		cmocka_unit_test(records_become_events_in_order_of_time),
		cmocka_unit_test(many_rings_are_merged),
		cmocka_unit_test(records_of_one_time_keep_their_order),
		cmocka_unit_test(without_cpu_or_id_samples_belong_to_the_first_event),
		cmocka_unit_test(ids_that_nobody_announced_are_of_no_event),
		cmocka_unit_test(events_may_have_layouts_of_their_own),
		cmocka_unit_test(tasks_losses_and_pauses_are_told),
		cmocka_unit_test(maps_tell_build_ids_and_the_kernel),
		cmocka_unit_test(build_ids_told_apart_from_mappings_are_theirs),
		cmocka_unit_test(build_ids_at_the_end_of_a_pipe_are_told_by_path),
		cmocka_unit_test(payloads_behind_records_are_stepped_over),
		cmocka_unit_test(features_of_a_file_are_read),
		cmocka_unit_test(features_and_names_of_a_pipe_are_read),
		cmocka_unit_test(a_damaged_feature_harms_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
