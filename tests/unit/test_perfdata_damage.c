// SPDX-License-Identifier: GPL-2.0-only
#include "recording_image.h"

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
		{ "\x1f\x8b\x08\0\0\0", 6, "compressed (gzip) and damaged", "copy or record" },
		{ "\xfd"
		  "7zXZ\0",
		  6, "compressed (xz) and damaged", "copy or record" },
		{ "\x28\xb5\x2f\xfd\0", 5, "compressed (zstd) and damaged", "copy or record" },
		{ "BZh91AY", 7, "compressed (bzip2) and damaged", "copy or record" },
		{ "\x7f"
		  "ELF\2\1\1",
		  7, "a program", "hitmap record -- PROGRAM" },
		{ "PERFFILE\0\0\0", 11, "cut off in its header", "record again" },
		{ "2ELIFREP\0\0\0", 11, "cut off in its header", "record again" },
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

static void the_file_form_may_come_through_a_pipe(void **state)
{
	struct shape s = { 112, SAMPLE_TYPE, 2, .ids = true };
	struct image im = build(&s);
	struct reading *r = read_stdin(&im);

	assert_null(r->e);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 5);
	assert_int_equal(find_kind(r, EVENT_SAMPLE, 0)->sample.event, 1);
	assert_false(r->source->recording.truncated);
	done(r);
	free(im.bytes);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_at_any_byte_the_whole_records_are_kept),
		cmocka_unit_test(any_byte_changed_does_no_harm),
		cmocka_unit_test(a_recorder_that_was_killed_leaves_a_readable_file),
		cmocka_unit_test(a_record_smaller_than_its_header_ends_the_reading),
		cmocka_unit_test(what_is_no_recording_is_named_with_advice),
		cmocka_unit_test(header_sizes_out_of_bounds_are_refused),
		cmocka_unit_test(files_that_cannot_be_opened_say_why),
		cmocka_unit_test(standard_input_may_be_a_pipe),
		cmocka_unit_test(the_file_form_may_come_through_a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
