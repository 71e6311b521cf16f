// SPDX-License-Identifier: GPL-2.0-only
/* Forms of recordings that are not the plain one: compressed, of other machines, old, wrapped. */
#include "recording_image.h"
#include "map.h"

#include <zstd.h>

static const struct shape plain = { 112, SAMPLE_TYPE, 2, .ids = true };

static bool events_equal(const struct event *a, const struct event *b)
{
	const struct sample *x = &a->sample, *y = &b->sample;

	if (a->kind != b->kind || a->time != b->time || a->pid != b->pid || a->tid != b->tid)
		return false;
	return a->kind != EVENT_SAMPLE ||
	       (x->ip == y->ip && x->addr == y->addr && x->id == y->id && x->cpu == y->cpu &&
		x->period == y->period && x->weight == y->weight && x->data_src == y->data_src &&
		x->event == y->event && x->cpumode == y->cpumode);
}

/* Both hold the same, event for event. */
static void expect_same(const struct reading *got, const struct reading *wanted)
{
	if (got->e)
		fail_msg("%s", err_text(got->e));
	assert_int_equal(got->count, wanted->count);
	for (size_t i = 0; i < wanted->count; i++)
		if (!events_equal(&got->event[i], &wanted->event[i]))
			fail_msg("event %zu: kind %d at %llu, not kind %d at %llu", i,
				 got->event[i].kind, (unsigned long long)got->event[i].time,
				 wanted->event[i].kind, (unsigned long long)wanted->event[i].time);
}

/* ---- Compressed records */

/* One stream for the whole recording, flushed after each piece, as perf does. */
struct packer {
	ZSTD_CStream *stream;
	uint32_t type;
};

static void put_packed(struct image *im, struct packer *p, const void *bytes, size_t size)
{
	uint8_t room[8192];
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_outBuffer out = { room, sizeof(room), 0 };

	assert_int_equal(ZSTD_compressStream2(p->stream, &out, &in, ZSTD_e_flush), 0);
	RECORD(im, p->type, 0, {
		if (p->type == 83)
			put_u64(&b, out.pos);
		put(&b, room, out.pos);
		if (p->type == 83)
			put_zeros(&b, -out.pos & 7);
	});
}

/* As build(), with records in pieces of "piece" bytes that do not care where a record ends. */
static struct image build_packed(const struct shape *s, uint32_t type, size_t piece)
{
	struct packer p = { ZSTD_createCStream(), type };
	struct image im = begin(s), records = { .swap = s->swap };

	put_mmap2(&records, 100);
	put_comm(&records, 110);
	for (uint64_t i = 0; i < 200; i++)
		put_sample(&records, 200 + i * 7 % 100, 0x1000 + i, s->events);
	for (size_t at = 0; at < records.size; at += piece)
		put_packed(&im, &p, records.bytes + at,
			   records.size - at < piece ? records.size - at : piece);
	put_round(&im);
	end(&im, s);
	free(records.bytes);
	ZSTD_freeCStream(p.stream);
	return im;
}

static struct reading *read_unpacked_twin(const struct shape *s)
{
	struct image im = begin(s);

	put_mmap2(&im, 100);
	put_comm(&im, 110);
	for (uint64_t i = 0; i < 200; i++)
		put_sample(&im, 200 + i * 7 % 100, 0x1000 + i, s->events);
	end(&im, s);
	return read_image(&im);
}

static void compressed_records_are_those_that_went_in(void **state)
{
	static const size_t pieces[] = { 1, 7, 8, 100, 4000, 1 << 20 };
	struct reading *wanted = read_unpacked_twin(&plain);

	assert_int_equal(wanted->count, 202);
	for (size_t i = 0; i < 8 * ARRAY_SIZE(pieces); i++) {
		struct shape s = plain;
		struct image im;
		struct reading *r;

		s.pipe = i & 1;
		s.swap = i & 2;
		im = build_packed(&s, i & 4 ? 83 : PERF_RECORD_COMPRESSED, pieces[i / 8]);
		r = read_image(&im);
		expect_same(r, wanted);
		assert_false(r->source->recording.truncated);
		done(r);
	}
	done(wanted);
}

static void a_compressed_stream_cut_anywhere_keeps_what_came(void **state)
{
	struct image im = build_packed(&plain, PERF_RECORD_COMPRESSED, 500);
	struct reading *whole = read_bytes(im.bytes, im.size);
	size_t last = 0;

	assert_int_equal(whole->count, 202);
	for (size_t size = FILE_HEADER; size < im.size; size++) {
		struct reading *r = read_bytes(im.bytes, size);

		if (r->e)
			assert_int_equal(r->count, 0);
		else
			assert_true(r->source->recording.truncated);
		if (r->count < last)
			fail_msg("%zu bytes gave %zu events, fewer %zu", size, last, r->count);
		last = r->count;
		done(r);
	}
	assert_true(last > 190);
	done(whole);
	free(im.bytes);
}

static void a_damaged_stream_ends_the_recording_where_it_is_damaged(void **state)
{
	struct image im = build_packed(&plain, PERF_RECORD_COMPRESSED, 2000);
	size_t third = FILE_HEADER + plain.events * (plain.attr_size + 24);
	struct reading *r;

	for (int i = 0; i < 3; i++) {
		uint16_t size;

		memcpy(&size, im.bytes + third + 6, 2);
		third += i < 2 ? size : 8;
	}
	for (size_t i = 0; i < 8; i++)
		im.bytes[third + i] = 0xff;
	r = read_bytes(im.bytes, im.size);
	assert_null(r->e);
	assert_true(r->source->recording.truncated);
	assert_non_null(strstr(r->source->recording.damage, "zstd stream is damaged"));
	assert_in_range(r->count, 20, 60); /* of the first two pieces: 4000 bytes */
	done(r);
	free(im.bytes);
}

static void any_byte_of_a_compressed_recording_changed_does_no_harm(void **state)
{
	struct image im = build_packed(&plain, 83, 900);

	for (size_t i = 0; i < im.size; i++) {
		struct reading *r;

		im.bytes[i] ^= 0x55;
		r = read_bytes(im.bytes, im.size);
		im.bytes[i] ^= 0x55;
		if (r->e)
			assert_non_null(err_advice(r->e));
		done(r);
	}
	free(im.bytes);
}

/* 3 GB of zeros in a few pieces: given up early, in little memory. */
static void a_stream_that_grows_beyond_reason_is_given_up(void **state)
{
	static const uint8_t zeros[1 << 20];
	struct packer p = { ZSTD_createCStream(), PERF_RECORD_COMPRESSED };
	struct image im = begin(&plain), piece = { 0 };
	struct reading *r;

	for (int i = 0; i < 3000; i++) {
		uint8_t room[8192];
		ZSTD_inBuffer in = { zeros, sizeof(zeros), 0 };
		ZSTD_outBuffer out = { room, sizeof(room), 0 };

		ZSTD_compressStream2(p.stream, &out, &in, ZSTD_e_flush);
		put(&piece, room, out.pos);
	}
	assert_true(piece.size < 1 << 20);
	put_comm(&im, 1);
	for (size_t at = 0; at < piece.size; at += 32768)
		RECORD(&im, PERF_RECORD_COMPRESSED, 0,
		       put(&b, piece.bytes + at,
			   piece.size - at < 32768 ? piece.size - at : 32768));
	end(&im, &plain);
	r = read_image(&im);
	assert_int_equal(r->count, 1);
	assert_true(r->source->recording.truncated);
	done(r);
	free(piece.bytes);
	ZSTD_freeCStream(p.stream);
}

/* ---- The other byte order */

static void all_records_are_read_in_the_other_byte_order(void **state)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct shape s = plain;
		struct image native, other;
		struct reading *a, *b;

		s.pipe = pipe;
		native = build(&s);
		s.swap = true;
		other = build(&s);
		assert_int_equal(native.size, other.size);
		assert_int_not_equal(memcmp(native.bytes, other.bytes, native.size), 0);
		a = read_image(&native);
		b = read_image(&other);
		expect_same(b, a);
		assert_int_equal(find_kind(b, EVENT_MAP, 0)->map.inode, 4242);
		assert_int_equal(find_kind(b, EVENT_MAP, 0)->map.major, 8);
		assert_true(find_kind(b, EVENT_SAMPLE, 0)->sample.data_src == 0x668100842);
		assert_string_equal(find_kind(b, EVENT_NOTE, 0)->note.remark.text, "x");
		assert_int_equal(b->source->recording.events[0].period, 1000);
		done(a);
		done(b);
	}
}

/* The set of features was an array of "unsigned long": its halves are exchanged when the other
 * machine had 32 bits. */
static void features_of_other_machines_are_found(void **state)
{
	for (int bits32 = 0; bits32 < 2; bits32++) {
		struct shape s = plain;
		struct image im;
		struct reading *r;
		size_t table;

		s.swap = true;
		im = build(&s);
		table = im.size;
		put_u64(&im, table + 16);
		put_u64(&im, 20);
		put_u32(&im, 16);
		put_text(&im, "bigendian", 16);
		set_u64(&im, 72, bits32 ? 8ULL << 32 : 8); /* HEADER_HOSTNAME */
		r = read_image(&im);
		assert_string_equal(r->source->recording.host, "bigendian");
		done(r);
	}
}

/* ---- Old recordings */

/* Before Linux 3.4: another magic, which is the same on all machines. Before 2.6.33: no features.
 */
static void recordings_of_old_perf_are_read(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct shape s = plain;
		struct image im;
		struct reading *r;

		s.swap = i & 1;
		s.pipe = i & 2;
		im = build(&s);
		memcpy(im.bytes, "PERFFILE", 8);
		r = read_image(&im);
		assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
		assert_int_equal(find_kind(r, EVENT_SAMPLE, 0)->sample.event, 1);
		done(r);
	}
}

static void a_header_without_features_is_enough(void **state)
{
	struct image im = build(&plain);
	struct reading *r;

	memcpy(im.bytes, "PERFFILE", 8);
	set_u64(&im, 8, 72);
	memset(im.bytes + 72, 0xff, 32); /* not of the header any more */
	r = read_image(&im);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
	done(r);
}

/* ---- Wrapped recordings */

/* What "PROGRAM -c" makes of the bytes. */
static struct image wrap(const struct image *im, const char *program)
{
	char plain_name[] = "/tmp/hitmap-test-XXXXXX", buffer[4096], *command;
	int fd = mkstemp(plain_name);
	struct image out = { 0 };
	FILE *pipe;
	size_t got;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, im->bytes, im->size), im->size);
	command = mem_printf("%s -c <%s", program, plain_name);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((got = fread(buffer, 1, sizeof(buffer), pipe)))
		put(&out, buffer, got);
	assert_int_equal(pclose(pipe), 0);
	close(fd);
	unlink(plain_name);
	free(command);
	return out;
}

static const char *const programs[] = { "gzip", "xz", "zstd", "bzip2" };

static bool have(const char *program)
{
	char *command = mem_printf("command -v %s >/dev/null", program);
	bool found = !system(command);

	free(command);
	return found;
}

static void wrapped_recordings_are_unwrapped(void **state)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(programs); i++) {
		struct shape s = plain;
		struct image im, wrapped;
		struct reading *wanted, *r;

		if (!have(programs[i / 2]))
			continue;
		s.pipe = i & 1;
		im = build(&s);
		wrapped = wrap(&im, programs[i / 2]);
		wanted = read_image(&im);
		r = read_image(&wrapped);
		expect_same(r, wanted);
		assert_false(r->source->recording.truncated);
		done(wanted);
		done(r);
	}
}

static void wrapped_twice_is_unwrapped_twice_but_not_forever(void **state)
{
	struct image im = build(&plain);
	struct reading *r;

	for (int layers = 1; layers < 6; layers++) {
		struct image wrapped = wrap(&im, "gzip");

		free(im.bytes);
		im = wrapped;
		r = read_bytes(im.bytes, im.size);
		if (layers <= 4) {
			assert_null(r->e);
			assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
		} else {
			assert_non_null(strstr(err_text(r->e), "more than 4 times"));
			assert_non_null(err_advice(r->e));
		}
		done(r);
	}
	free(im.bytes);
}

static void a_wrapped_recording_cut_off_keeps_what_came(void **state)
{
	struct image im = begin(&plain), wrapped;
	struct reading *r;

	for (uint64_t i = 0; i < 3000; i++)
		put_sample(&im, map_hash(i) >> 8, map_hash(i), 1);
	end(&im, &plain);
	wrapped = wrap(&im, "gzip");
	r = read_bytes(wrapped.bytes, wrapped.size / 2);
	assert_null(r->e);
	assert_true(r->source->recording.truncated);
	assert_in_range(count_kind(r, EVENT_SAMPLE), 500, 2900);
	done(r);
	free(im.bytes);
	free(wrapped.bytes);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_records_are_those_that_went_in),
		cmocka_unit_test(a_compressed_stream_cut_anywhere_keeps_what_came),
		cmocka_unit_test(a_damaged_stream_ends_the_recording_where_it_is_damaged),
		cmocka_unit_test(any_byte_of_a_compressed_recording_changed_does_no_harm),
		cmocka_unit_test(a_stream_that_grows_beyond_reason_is_given_up),
		cmocka_unit_test(all_records_are_read_in_the_other_byte_order),
		cmocka_unit_test(features_of_other_machines_are_found),
		cmocka_unit_test(recordings_of_old_perf_are_read),
		cmocka_unit_test(a_header_without_features_is_enough),
		cmocka_unit_test(wrapped_recordings_are_unwrapped),
		cmocka_unit_test(wrapped_twice_is_unwrapped_twice_but_not_forever),
		cmocka_unit_test(a_wrapped_recording_cut_off_keeps_what_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
