// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream FILE PASSES SECONDS RATE: a recording (pipe form) again and again on standard output, as
 * one that goes on: times of its samples advance from pass to pass, everything else but samples and
 * marks of rounds comes once. Ends after PASSES or, when they are 0, SECONDS; RATE: samples a
 * second, 0: as fast as they are taken. Prints passes and samples to standard error.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIPE_HEADER  16
#define RECORD_ATTR  64 /* PERF_RECORD_HEADER_ATTR */
#define RECORD_ROUND 68 /* PERF_RECORD_FINISHED_ROUND */
#define BUFFER	     (1 << 16)

static uint8_t *bytes, *again;
static size_t size, again_size, *sample; /* sample: where each begins in "again" */
static size_t sample_count;
static size_t time_at; /* of a sample, bytes from its record's start */
static uint64_t first = UINT64_MAX, last;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void put(const uint8_t *at, size_t left)
{
	while (left) {
		ssize_t done = write(STDOUT_FILENO, at, left);

		if (done <= 0)
			exit(1);
		at += done;
		left -= done;
	}
}

static int read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t room = 64 << 20;

	bytes = malloc(room);
	again = malloc(room);
	sample = malloc(room / 8 * sizeof(*sample));
	size = f ? fread(bytes, 1, room, f) : 0;
	return f && size > PIPE_HEADER && size < room;
}

static void note_attr(const uint8_t *at)
{
	struct perf_event_attr attr;

	memcpy(&attr, at + sizeof(struct perf_event_header), PERF_ATTR_SIZE_VER0);
	time_at = sizeof(struct perf_event_header) +
		  8 * (!!(attr.sample_type & PERF_SAMPLE_IDENTIFIER) +
		       !!(attr.sample_type & PERF_SAMPLE_IP) +
		       !!(attr.sample_type & PERF_SAMPLE_TID));
}

/* The first pass, as it is but for ends of tasks, which go on; what is repeated goes to "again". */
static void divide(void)
{
	struct perf_event_header h;
	uint64_t at_time;

	put(bytes, PIPE_HEADER);
	for (size_t at = PIPE_HEADER; at + sizeof(h) <= size; at += h.size) {
		memcpy(&h, bytes + at, sizeof(h));
		if (h.size < sizeof(h) || at + h.size > size)
			break;
		if (h.type == RECORD_ATTR)
			note_attr(bytes + at);
		if (h.type != PERF_RECORD_EXIT)
			put(bytes + at, h.size);
		if (h.type != PERF_RECORD_SAMPLE && h.type != RECORD_ROUND)
			continue;
		if (h.type == PERF_RECORD_SAMPLE) {
			memcpy(&at_time, bytes + at + time_at, sizeof(at_time));
			first = at_time < first ? at_time : first;
			last = at_time > last ? at_time : last;
			sample[sample_count++] = again_size;
		}
		memcpy(again + again_size, bytes + at, h.size);
		again_size += h.size;
	}
}

static void advance(void)
{
	uint64_t by = last - first + 1000, at_time;

	for (size_t i = 0; i < sample_count; i++) {
		memcpy(&at_time, again + sample[i] + time_at, sizeof(at_time));
		at_time += by;
		memcpy(again + sample[i] + time_at, &at_time, sizeof(at_time));
	}
}

/* One pass in pieces; "rate" 0: at once. */
static void pass(double rate)
{
	double start = now();

	for (size_t at = 0; at < again_size;) {
		size_t piece = rate > 0 ? 4096 : BUFFER;

		if (piece > again_size - at)
			piece = again_size - at;
		put(again + at, piece);
		at += piece;
		if (rate > 0) {
			double due = start + (double)at / again_size * sample_count / rate;
			double left = due - now();

			if (left > 0)
				usleep((useconds_t)(left * 1e6));
		}
	}
}

int main(int argc, char **argv)
{
	static const struct perf_event_header round = { RECORD_ROUND, 0, sizeof(round) };
	long passes = argc == 5 ? atol(argv[2]) : 0, done = 1; /* divide() makes the first */
	double seconds = argc == 5 ? atof(argv[3]) : 0, start = now();

	if (argc != 5 || !read_file(argv[1]))
		return 2;
	divide();
	if (!sample_count)
		return 1;
	while (passes ? done < passes : now() - start < seconds) {
		advance();
		pass(atof(argv[4]));
		put((const uint8_t *)&round, sizeof(round));
		done++;
	}
	fprintf(stderr, "%ld %zu\n", done, done * sample_count);
	return 0;
}
