/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings for tests, built in memory, and what reading them gave. */
#ifndef HITMAP_TEST_RECORDING_IMAGE_H
#define HITMAP_TEST_RECORDING_IMAGE_H

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
	bool swap; /* of a machine of the other byte order */
};

static inline void put(struct image *im, const void *bytes, size_t size)
{
	while (im->size + size > im->room) {
		im->room = im->room ? 2 * im->room : 4096;
		im->bytes = mem_realloc(im->bytes, im->room, 1);
	}
	if (size)
		memcpy(im->bytes + im->size, bytes, size);
	im->size += size;
}

static inline void put_u64(struct image *im, uint64_t v)
{
	v = im->swap ? __builtin_bswap64(v) : v;
	put(im, &v, 8);
}

static inline void put_u32(struct image *im, uint32_t v)
{
	v = im->swap ? __builtin_bswap32(v) : v;
	put(im, &v, 4);
}

static inline void put_u16(struct image *im, uint16_t v)
{
	v = im->swap ? __builtin_bswap16(v) : v;
	put(im, &v, 2);
}

static inline void put_zeros(struct image *im, size_t size)
{
	while (size--)
		put(im, "", 1);
}

static inline void put_text(struct image *im, const char *s, size_t size)
{
	size_t length = strlen(s) < size ? strlen(s) : size;

	put(im, s, length);
	put_zeros(im, size - length);
}

static inline void set_u64(struct image *im, size_t at, uint64_t v)
{
	v = im->swap ? __builtin_bswap64(v) : v;
	memcpy(im->bytes + at, &v, 8);
}

static inline void put_record(struct image *im, uint32_t type, uint16_t misc,
			      const struct image *body)
{
	put_u32(im, type);
	put_u16(im, misc);
	put_u16(im, 8 + body->size);
	put(im, body->bytes, body->size);
}

/* A record with a body that is built by statements. */
#define RECORD(im, type, misc, ...)                                                                \
	do {                                                                                       \
		struct image b = { .swap = (im)->swap };                                           \
		__VA_ARGS__;                                                                       \
		put_record(im, type, misc, &b);                                                    \
		free(b.bytes);                                                                     \
	} while (0)

/* As the other machine lays it out; of the flags, their bits in each byte too. */
static inline void swap_attr(struct perf_event_attr *attr)
{
	uint8_t *flag = (uint8_t *)&attr->read_format + 8;

	attr->type = __builtin_bswap32(attr->type);
	attr->size = __builtin_bswap32(attr->size);
	attr->config = __builtin_bswap64(attr->config);
	attr->sample_period = __builtin_bswap64(attr->sample_period);
	attr->sample_type = __builtin_bswap64(attr->sample_type);
	for (int i = 0; i < 8; i++) {
		uint8_t bits = 0;

		for (int bit = 0; bit < 8; bit++)
			bits |= (flag[i] >> bit & 1) << (7 - bit);
		flag[i] = bits;
	}
}

static inline void put_attr(struct image *im, size_t size, uint64_t sample_type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = size,
		.config = config,
		.sample_period = 1000,
		.sample_type = sample_type,
		.sample_id_all = 1,
	};

	if (im->swap)
		swap_attr(&attr);
	put(im, &attr, size < sizeof(attr) ? size : sizeof(attr));
	for (size_t i = sizeof(attr); i < size; i++)
		put(im, "\xff", 1); /* of a later kernel: must not matter */
}

static inline void put_trailer(struct image *b, uint32_t pid, uint64_t time, uint64_t id)
{
	put_u32(b, pid);
	put_u32(b, pid + 1);
	put_u64(b, time);
	put_u64(b, id);
	put_u32(b, 3); /* CPU */
	put_u32(b, 0);
}

static inline void put_sample(struct image *im, uint64_t time, uint64_t addr, uint64_t id)
{
	RECORD(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, {
		put_u64(&b, 0x400100);
		put_u32(&b, 10);
		put_u32(&b, 11);
		put_u64(&b, time);
		put_u64(&b, addr);
		put_u64(&b, id);
		put_u32(&b, 3);
		put_u32(&b, 0);
		put_u64(&b, 7);
		put_u64(&b, 90);
		put_u64(&b, 0x668100842);
	});
}

static inline void put_mmap2(struct image *im, uint64_t time)
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

static inline void put_comm(struct image *im, uint64_t time)
{
	RECORD(im, PERF_RECORD_COMM, 1 << 13, {
		put_u32(&b, 10);
		put_u32(&b, 11);
		put_text(&b, "program", 8);
		put_trailer(&b, 10, time, 1);
	});
}

static inline void put_round(struct image *im)
{
	RECORD(im, PERF_RECORD_FINISHED_ROUND, 0, put_zeros(&b, 0));
}

static inline void put_note(struct image *im)
{
	RECORD(im, NOTE_RECORD_TYPE, 0,
	       put_text(&b, "{\"note\": \"remark\", \"text\": \"x\"}", 32));
}

/* The records most tests use; two rings, so samples come out of order. */
static inline void put_records(struct image *im, uint64_t id)
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
	bool swap; /* of a machine of the other byte order */
};

static inline struct image begin_with_magic(const struct shape *s)
{
	struct image im = { .swap = s->swap };

	put_u64(&im, 0x32454c4946524550ULL); /* "PERFILE2" */
	return im;
}

static inline struct image begin_pipe(const struct shape *s)
{
	struct image im = begin_with_magic(s);

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
static inline struct image begin_file(const struct shape *s)
{
	struct image im = begin_with_magic(s);

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

static inline struct image begin(const struct shape *s)
{
	return s->pipe ? begin_pipe(s) : begin_file(s);
}

static inline void end(struct image *im, const struct shape *s)
{
	size_t start = FILE_HEADER + s->events * (s->attr_size + 24);

	if (!s->pipe)
		set_u64(im, 48, im->size - start);
}

static inline struct image build(const struct shape *s)
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

static inline struct reading *read_path(const char *path)
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

static inline struct reading *read_bytes(const void *bytes, size_t size)
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

static inline struct reading *read_image(struct image *im)
{
	struct reading *r = read_bytes(im->bytes, im->size);

	free(im->bytes);
	if (r->e)
		fail_msg("%s", err_text(r->e));
	return r;
}

static inline void done(struct reading *r)
{
	source_close(r->source);
	err_free(r->e);
	intern_free(r->pool);
	free(r);
}

static inline size_t count_kind(const struct reading *r, enum event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += r->event[i].kind == kind;
	return n;
}

static inline const struct event *find_kind(const struct reading *r, enum event_kind kind,
					    size_t nth)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->event[i].kind == kind && !nth--)
			return &r->event[i];
	fail_msg("no event %d of kind %d", (int)nth, kind);
	return NULL;
}

static inline void expect_times_rise(const struct reading *r)
{
	uint64_t last = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->event[i].time && r->event[i].time < last)
			fail_msg("event %zu at %llu comes after one at %llu", i,
				 (unsigned long long)r->event[i].time, (unsigned long long)last);
		last = r->event[i].time ? r->event[i].time : last;
	}
}

#endif
