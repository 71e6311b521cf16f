// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_read.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <perf/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)
#define FILE_HEADER 104

/* ---- A builder of recordings */

struct image {
	uint8_t *bytes;
	size_t size, room;
};

static void put(struct image *im, const void *bytes, size_t size)
{
	while (im->size + size > im->room) {
		im->room = im->room ? 2 * im->room : 4096;
		im->bytes = mem_realloc(im->bytes, im->room, 1);
	}
	if (size)
		memcpy(im->bytes + im->size, bytes, size);
	im->size += size;
}

static void put_u64(struct image *im, uint64_t v)
{
	put(im, &v, 8);
}

static void put_u32(struct image *im, uint32_t v)
{
	put(im, &v, 4);
}

static void put_zeros(struct image *im, size_t size)
{
	while (size--)
		put(im, "", 1);
}

static void put_text(struct image *im, const char *s, size_t size)
{
	size_t length = strlen(s) < size ? strlen(s) : size;

	put(im, s, length);
	put_zeros(im, size - length);
}

static void set_u64(struct image *im, size_t at, uint64_t v)
{
	memcpy(im->bytes + at, &v, 8);
}

static void put_record(struct image *im, uint32_t type, uint16_t misc, const struct image *body)
{
	uint16_t size = 8 + body->size;

	put_u32(im, type);
	put(im, &misc, 2);
	put(im, &size, 2);
	put(im, body->bytes, body->size);
}

/* A record with a body that is built by statements. */
#define RECORD(im, type, misc, ...)                                                                \
	do {                                                                                       \
		struct image b = { 0 };                                                            \
		__VA_ARGS__;                                                                       \
		put_record(im, type, misc, &b);                                                    \
		free(b.bytes);                                                                     \
	} while (0)

static void put_attr(struct image *im, size_t size, uint64_t sample_type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = size,
		.config = config,
		.sample_period = 1000,
		.sample_type = sample_type,
		.sample_id_all = 1,
	};

	put(im, &attr, size < sizeof(attr) ? size : sizeof(attr));
	for (size_t i = sizeof(attr); i < size; i++)
		put(im, "\xff", 1); /* of a later kernel: must not matter */
}

static void put_trailer(struct image *b, uint32_t pid, uint64_t time, uint64_t id)
{
	put_u32(b, pid);
	put_u32(b, pid + 1);
	put_u64(b, time);
	put_u64(b, id);
	put_u64(b, 3); /* CPU */
}

static void put_sample(struct image *im, uint64_t time, uint64_t addr, uint64_t id)
{
	RECORD(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, {
		put_u64(&b, 0x400100);
		put_u32(&b, 10);
		put_u32(&b, 11);
		put_u64(&b, time);
		put_u64(&b, addr);
		put_u64(&b, id);
		put_u64(&b, 3);
		put_u64(&b, 7);
		put_u64(&b, 90);
		put_u64(&b, 0x668100842);
	});
}

static void put_mmap2(struct image *im, uint64_t time)
{
	RECORD(im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, {
		put_u32(&b, 10);
		put_u32(&b, 11);
		put_u64(&b, 0x400000);
		put_u64(&b, 0x1000);
		put_u64(&b, 0x2000);
		put_u32(&b, 8);
		put_u32(&b, 1);
		put_u64(&b, 4242);
		put_u64(&b, 0);
		put_u32(&b, PROT_READ | PROT_WRITE);
		put_u32(&b, 2);
		put_text(&b, "/bin/program", 16);
		put_trailer(&b, 10, time, 1);
	});
}

static void put_comm(struct image *im, uint64_t time)
{
	RECORD(im, PERF_RECORD_COMM, 1 << 13, {
		put_u32(&b, 10);
		put_u32(&b, 11);
		put_text(&b, "program", 8);
		put_trailer(&b, 10, time, 1);
	});
}

static void put_round(struct image *im)
{
	RECORD(im, PERF_RECORD_FINISHED_ROUND, 0, put_zeros(&b, 0));
}

static void put_note(struct image *im)
{
	RECORD(im, NOTE_RECORD_TYPE, 0,
	       put_text(&b, "{\"note\": \"remark\", \"text\": \"x\"}", 32));
}

/* The records most tests use; two rings, so samples come out of order. */
static void put_records(struct image *im, uint64_t id)
{
	put_mmap2(im, 100);
	put_comm(im, 110);
	put_note(im);
	put_sample(im, 200, 0x1000, id);
	put_sample(im, 300, 0x1001, id);
	put_sample(im, 250, 0x1002, id);
	put_round(im);
	put_sample(im, 400, 0x1003, id);
	put_sample(im, 280, 0x1004, id);
	put_round(im);
}

struct shape {
	size_t attr_size;
	uint64_t sample_type;
	uint32_t events;
	bool pipe, ids;
};

static struct image begin_pipe(const struct shape *s)
{
	struct image im = { 0 };

	put(&im, "PERFILE2", 8);
	put_u64(&im, 16);
	for (uint32_t i = 0; i < s->events; i++)
		RECORD(&im, PERF_RECORD_HEADER_ATTR, 0, {
			put_attr(&b, s->attr_size, s->sample_type, i);
			if (s->ids)
				put_u64(&b, i + 1);
		});
	return im;
}

/* Header, ids, attributes, records, features: as perf lays a file out. */
static struct image begin_file(const struct shape *s)
{
	struct image im = { 0 };

	put(&im, "PERFILE2", 8);
	put_u64(&im, FILE_HEADER);
	put_u64(&im, s->attr_size + 16);
	put_u64(&im, FILE_HEADER + 8 * s->events);
	put_u64(&im, s->events * (s->attr_size + 16));
	put_u64(&im, FILE_HEADER + s->events * (s->attr_size + 24));
	put_zeros(&im, FILE_HEADER - im.size);
	for (uint32_t i = 0; i < s->events; i++)
		put_u64(&im, i + 1);
	for (uint32_t i = 0; i < s->events; i++) {
		put_attr(&im, s->attr_size, s->sample_type, i);
		put_u64(&im, FILE_HEADER + 8 * i);
		put_u64(&im, s->ids ? 8 : 0);
	}
	return im;
}

static struct image begin(const struct shape *s)
{
	return s->pipe ? begin_pipe(s) : begin_file(s);
}

static void end(struct image *im, const struct shape *s)
{
	size_t start = FILE_HEADER + s->events * (s->attr_size + 24);

	if (!s->pipe)
		set_u64(im, 48, im->size - start);
}

static struct image build(const struct shape *s)
{
	struct image im = begin(s);

	put_records(&im, s->events); /* of the last event */
	end(&im, s);
	return im;
}

/* ---- Reading what was built */

#define EVENTS_MAX 4096

struct reading {
	struct intern *pool;
	struct source *source; /* NULL when it could not be opened */
	struct err *e;
	struct event event[EVENTS_MAX];
	size_t count;
};

static struct reading *read_path(const char *path)
{
	struct reading *r = mem_zalloc(sizeof(*r));
	bool over = false;

	r->pool = intern_new();
	r->e = perfdata_open(path, r->pool, &r->source);
	while (!r->e && !over) {
		assert_true(r->count < EVENTS_MAX);
		r->e = source_next(r->source, &r->event[r->count], &over);
		r->count += !r->e && !over;
	}
	return r;
}

static struct reading *read_bytes(const void *bytes, size_t size)
{
	char path[64];
	int fd = memfd_create("perf.data", 0);
	struct reading *r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = read_path(path);
	close(fd);
	return r;
}

static struct reading *read_image(struct image *im)
{
	struct reading *r = read_bytes(im->bytes, im->size);

	free(im->bytes);
	if (r->e)
		fail_msg("%s", err_text(r->e));
	return r;
}

static void done(struct reading *r)
{
	source_close(r->source);
	err_free(r->e);
	intern_free(r->pool);
	free(r);
}

static size_t count_kind(const struct reading *r, enum event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += r->event[i].kind == kind;
	return n;
}

static const struct event *find_kind(const struct reading *r, enum event_kind kind, size_t nth)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->event[i].kind == kind && !nth--)
			return &r->event[i];
	fail_msg("no event %d of kind %d", (int)nth, kind);
	return NULL;
}

static void expect_times_rise(const struct reading *r)
{
	uint64_t last = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->event[i].time && r->event[i].time < last)
			fail_msg("event %zu at %llu comes after one at %llu", i,
				 (unsigned long long)r->event[i].time, (unsigned long long)last);
		last = r->event[i].time ? r->event[i].time : last;
	}
}

/* ---- Tests */

static void every_attr_size_is_read_in_both_forms(void **state)
{
	static const size_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 200, 1024 };

	for (size_t i = 0; i < 4 * ARRAY_SIZE(sizes); i++) {
		struct shape s = { .attr_size = sizes[i / 4],
				   .sample_type = SAMPLE_TYPE,
				   .pipe = i & 1,
				   .events = i & 2 ? 3 : 1,
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

static void payloads_behind_records_are_stepped_over(void **state)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct shape s = { 112, SAMPLE_TYPE, 1, .pipe = pipe, .ids = true };
		struct image im = begin(&s);
		struct reading *r;

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

/* ---- Damage */

static void truncated_at_any_byte_the_whole_records_are_kept(void **state)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct shape s = { 80, SAMPLE_TYPE, 2, .pipe = pipe, .ids = true };
		struct image im = build(&s);
		size_t last = 0;

		for (size_t size = 0; size <= im.size; size++) {
			struct reading *r = read_bytes(im.bytes, size);

			if (r->e)
				assert_non_null(err_advice(r->e));
			else if (!pipe && size < im.size)
				assert_true(r->source->recording.truncated);
			if (r->count < last)
				fail_msg("%zu bytes gave %zu events, fewer %zu", size, last,
					 r->count);
			last = r->count;
			done(r);
		}
		assert_int_equal(last, 8);
		free(im.bytes);
	}
}

static void any_byte_changed_does_no_harm(void **state)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct shape s = { 80, SAMPLE_TYPE, 2, .pipe = pipe, .ids = true };
		struct image im = build(&s);

		for (size_t i = 0; i < 4 * im.size; i++) {
			static const uint8_t mask[] = { 0xff, 0x80, 0x01, 0x40 };
			struct reading *r;

			im.bytes[i / 4] ^= mask[i % 4];
			r = read_bytes(im.bytes, im.size);
			im.bytes[i / 4] ^= mask[i % 4];
			assert_true(r->count <= 9);
			if (!r->e)
				expect_times_rise(r);
			done(r);
		}
		free(im.bytes);
	}
}

static void a_recorder_that_was_killed_leaves_a_readable_file(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = build(&s);
	struct reading *r;

	set_u64(&im, 48, 0);
	r = read_image(&im);
	assert_true(r->source->recording.truncated);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
	done(r);
}

static void a_record_smaller_than_its_header_ends_the_reading(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = build(&s);
	struct reading *r;

	put_u64(&im, 0x0004000000000009); /* a sample of 4 bytes */
	put_sample(&im, 900, 0x1000, 1);
	end(&im, &s);
	r = read_image(&im);
	assert_true(r->source->recording.truncated);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
	done(r);
}

static void expect_error(const void *bytes, size_t size, const char *text, const char *advice)
{
	struct reading *r = read_bytes(bytes, size);

	if (!r->e)
		fail_msg("no error, \"%s\" was expected", text);
	if (!strstr(err_text(r->e), text))
		fail_msg("\"%s\" does not say \"%s\"", err_text(r->e), text);
	if (!err_advice(r->e) || !strstr(err_advice(r->e), advice))
		fail_msg("\"%s\" does not advise \"%s\"", err_advice(r->e), advice);
	assert_int_equal(r->count, 0);
	done(r);
}

static void what_is_no_recording_is_named_with_advice(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *text, *advice;
	} row[] = {
		{ "", 0, "is empty", "record again" },
		{ "# Samples: 5\n\tcaf\xc3\xa9\n", 20, "looks like text", "perf c2c record" },
		{ "\x1f\x8b\x08\0\0\0", 6, "gzip", "gunzip it first" },
		{ "\xfd"
		  "7zXZ\0",
		  6, "xz", "unxz it first" },
		{ "\x28\xb5\x2f\xfd\0", 5, "zstd", "unzstd it first" },
		{ "BZh91AY", 7, "bzip2", "bunzip2 it first" },
		{ "\x7f"
		  "ELF\2\1\1",
		  7, "a program", "hitmap record -- PROGRAM" },
		{ "PERFFILE\0\0\0", 11, "2.6.32", "record again" },
		{ "2ELIFREP\0\0\0", 11, "other endianness", "its own kind" },
		{ "\1\2\3\4\5\6\7\0\1\2", 10, "no PERFILE2", "perf c2c record" },
		{ "PERFILE2", 8, "cut off in its header", "record again" },
		{ "PERFILE2\x68\0\0\0\0\0\0\0", 16, "cut off in its header", "record again" },
		{ "PERFILE2\x11\0\0\0\0\0\0\0", 16, "its size 17", "damaged" },
		{ "PERFILE2\x10\0\0\0\0\0\0\0", 16, "ends before it", "record again" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		expect_error(row[i].bytes, row[i].size, row[i].text, row[i].advice);
}

static void header_sizes_out_of_bounds_are_refused(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		const char *text;
	} row[] = {
		{ 16, 0, "event attributes of 0 bytes" },
		{ 16, 79, "event attributes of 79 bytes" },
		{ 16, 1 << 20, "event attributes of 1048576 bytes" },
		{ 24, 1 << 30, "the event attributes at 0x40000000" },
		{ 24, UINT64_MAX - 8, "the event attributes at" },
		{ 32, 1 << 30, "the event attributes at" },
		{ 32, UINT64_MAX, "the event attributes at" },
		{ 32, 0, "no events" },
		{ 40, 0, "the data section at 0" },
		{ 40, UINT64_MAX, "the data section at" },
	};
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct image im = build(&s);

		set_u64(&im, row[i].at, row[i].value);
		expect_error(im.bytes, im.size, row[i].text, "damaged");
		free(im.bytes);
	}
}

static void what_cannot_be_read_yet_is_said(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_COMPRESSED, 83 };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
		struct image im = begin(&s);

		RECORD(&im, types[i], 0, put_zeros(&b, 64));
		end(&im, &s);
		expect_error(im.bytes, im.size, "compressed records (perf record -z)",
			     "without -z");
		free(im.bytes);
	}
}

static void files_that_cannot_be_opened_say_why(void **state)
{
	struct reading *r = read_path("/nonexistent/perf.data");

	assert_non_null(strstr(err_text(r->e), "/nonexistent/perf.data: No such file"));
	assert_non_null(strstr(err_advice(r->e), "hitmap record"));
	done(r);
	r = read_path("/");
	assert_non_null(strstr(err_text(r->e), "/: is a directory"));
	done(r);
}

/* Standard input is made a real pipe, filled a few bytes at a time by a child. */
static struct reading *read_stdin(const struct image *im)
{
	int ends[2], saved = dup(STDIN_FILENO);
	struct reading *r;

	assert_int_equal(pipe(ends), 0);
	if (!fork()) {
		for (size_t at = 0; at < im->size; at += 7)
			if (write(ends[1], im->bytes + at, im->size - at < 7 ? im->size - at : 7) <
			    0)
				break;
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	r = read_path("-");
	dup2(saved, STDIN_FILENO);
	close(saved);
	wait(NULL);
	return r;
}

static void standard_input_may_be_a_pipe(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 2, .pipe = true, .ids = true };
	struct image im = build(&s);
	struct reading *r = read_stdin(&im);

	assert_null(r->e);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
	assert_string_equal(r->source->recording.path, "-");
	done(r);
	free(im.bytes);
}

static void the_file_form_through_a_pipe_is_refused_with_advice(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 1, .ids = true };
	struct image im = build(&s);
	struct reading *r = read_stdin(&im);

	assert_non_null(strstr(err_text(r->e), "comes through a pipe"));
	assert_non_null(err_advice(r->e));
	done(r);
	free(im.bytes);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attr_size_is_read_in_both_forms),
		cmocka_unit_test(records_become_events_in_order_of_time),
		cmocka_unit_test(many_rings_are_merged),
		cmocka_unit_test(records_of_one_time_keep_their_order),
		cmocka_unit_test(without_cpu_or_id_samples_belong_to_the_first_event),
		cmocka_unit_test(ids_that_nobody_announced_are_of_no_event),
		cmocka_unit_test(events_may_have_layouts_of_their_own),
		cmocka_unit_test(tasks_losses_and_pauses_are_told),
		cmocka_unit_test(maps_tell_build_ids_and_the_kernel),
		cmocka_unit_test(payloads_behind_records_are_stepped_over),
		cmocka_unit_test(features_of_a_file_are_read),
		cmocka_unit_test(features_and_names_of_a_pipe_are_read),
		cmocka_unit_test(a_damaged_feature_harms_nothing_else),
		cmocka_unit_test(truncated_at_any_byte_the_whole_records_are_kept),
		cmocka_unit_test(any_byte_changed_does_no_harm),
		cmocka_unit_test(a_recorder_that_was_killed_leaves_a_readable_file),
		cmocka_unit_test(a_record_smaller_than_its_header_ends_the_reading),
		cmocka_unit_test(what_is_no_recording_is_named_with_advice),
		cmocka_unit_test(header_sizes_out_of_bounds_are_refused),
		cmocka_unit_test(what_cannot_be_read_yet_is_said),
		cmocka_unit_test(files_that_cannot_be_opened_say_why),
		cmocka_unit_test(standard_input_may_be_a_pipe),
		cmocka_unit_test(the_file_form_through_a_pipe_is_refused_with_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
