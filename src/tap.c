// SPDX-License-Identifier: GPL-2.0-only
#include "tap.h"
#include "blob.h"
#include "buf.h"
#include "mem.h"

#include <errno.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIPE_HEADER	   16 /* bytes: magic and size */
#define RECORD_HEADER	   8
#define BEGINNING_MOST	   (16u << 20) /* bytes that are kept of what came before */
#define RECORD_COMPRESSED  81
#define RECORD_COMPRESSED2 83

struct tap {
	struct blob beginning; /* header and records that are no samples */
	struct blob pending;   /* of a record that is not whole yet */
	uint64_t data_left;    /* that follows a record of AUX data */
	bool compressed, full; /* reasons why nothing can be recorded */
	bool headed;	       /* the stream's header has come */
	FILE *out;
	char *path;
	int error; /* errno of a write */
};

struct tap *tap_new(void)
{
	return mem_zalloc(sizeof(struct tap));
}

void tap_free(struct tap *t)
{
	if (!t)
		return;
	err_free(tap_stop(t));
	blob_deinit(&t->beginning);
	blob_deinit(&t->pending);
	free(t);
}

static void put(struct tap *t, const void *bytes, size_t size)
{
	if (t->out && !t->error && fwrite(bytes, 1, size, t->out) != size)
		t->error = errno;
}

static bool is_wanted_later(uint32_t type)
{
	return type != PERF_RECORD_SAMPLE && type != PERF_RECORD_FINISHED_ROUND &&
	       type != PERF_RECORD_AUXTRACE && type != PERF_RECORD_LOST;
}

/* One whole record. */
static void take_record(struct tap *t, const uint8_t *bytes, size_t size)
{
	struct perf_event_header h;

	memcpy(&h, bytes, sizeof(h));
	put(t, bytes, size);
	t->compressed |= h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2;
	if (h.type == PERF_RECORD_AUXTRACE && size >= 2 * RECORD_HEADER)
		memcpy(&t->data_left, bytes + RECORD_HEADER, sizeof(t->data_left));
	if (!is_wanted_later(h.type))
		return;
	t->full |= t->beginning.size + size > BEGINNING_MOST;
	if (!t->full)
		blob_bytes(&t->beginning, bytes, size);
}

/* What of the pending bytes is complete; how many bytes that was. */
static size_t take_next(struct tap *t, const uint8_t *bytes, size_t left)
{
	struct perf_event_header h;

	if (!t->headed) {
		if (left < PIPE_HEADER)
			return 0;
		put(t, bytes, PIPE_HEADER);
		blob_bytes(&t->beginning, bytes, PIPE_HEADER);
		t->headed = true;
		return PIPE_HEADER;
	}
	if (left < RECORD_HEADER)
		return 0;
	memcpy(&h, bytes, sizeof(h));
	if (h.size < RECORD_HEADER) { /* damaged: the reader says so */
		t->full = true;
		return left;
	}
	if (left < h.size)
		return 0;
	take_record(t, bytes, h.size);
	return h.size;
}

static size_t take_data(struct tap *t, const uint8_t *bytes, size_t left)
{
	size_t part = left < t->data_left ? left : t->data_left;

	put(t, bytes, part);
	t->data_left -= part;
	return part;
}

void tap_bytes(struct tap *t, const uint8_t *bytes, size_t size)
{
	size_t at = 0, step = 1;

	blob_bytes(&t->pending, bytes, size);
	while (at < t->pending.size && step) {
		const uint8_t *next = t->pending.bytes + at;
		size_t left = t->pending.size - at;

		step = t->data_left ? take_data(t, next, left) : take_next(t, next, left);
		at += step;
	}
	memmove(t->pending.bytes, t->pending.bytes + at, t->pending.size - at);
	t->pending.size -= at;
}

static struct err *check(const struct tap *t)
{
	if (t->compressed)
		return err_next(
			err_new(ERR_FAILED, "live: the stream is compressed: it can be recorded "
					    "from its start only"),
			"record beside it: perf c2c record -o - ... | tee FILE | hitmap live "
			"-i -");
	if (t->full)
		return err_next(err_new(ERR_FAILED, "live: the stream began too long ago: what its "
						    "samples refer to is not kept any more"),
				"start hitmap live again and record at once");
	return NULL;
}

struct err *tap_start(struct tap *t, const char *path)
{
	struct err *e = check(t);

	if (e)
		return e;
	t->out = fopen(path, "we");
	if (!t->out)
		return err_errno(ERR_FAILED, errno, "live: %s", path);
	t->path = mem_strdup(path);
	t->error = 0;
	put(t, t->beginning.bytes, t->beginning.size);
	return NULL;
}

bool tap_writes(const struct tap *t)
{
	return t->out;
}

struct err *tap_stop(struct tap *t)
{
	struct err *e = NULL;

	if (!t->out)
		return NULL;
	if (fclose(t->out) && !t->error)
		t->error = errno;
	t->out = NULL;
	if (t->error)
		e = err_errno(ERR_FAILED, t->error, "live: writing %s", t->path);
	free(t->path);
	t->path = NULL;
	return e;
}
