// SPDX-License-Identifier: GPL-2.0-only
#include "input.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* At least a record. The fuzzer makes it small. */
#ifndef INPUT_CHUNK_SIZE
#define INPUT_CHUNK_SIZE (256 << 10)
#endif

struct input_chunk {
	struct input *home;
	size_t holders;
	size_t filled;
	uint8_t bytes[INPUT_CHUNK_SIZE];
};

static struct err *open_descriptor(const char *path, int *fd)
{
	struct err *e;
	int reason;

	if (!strcmp(path, "-")) {
		*fd = dup(STDIN_FILENO);
		return *fd >= 0 ? NULL : err_errno(ERR_FAILED, errno, "perf.data: standard input");
	}
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return NULL;
	reason = errno;
	e = err_errno(ERR_FAILED, reason, "perf.data: %s", path);
	if (reason == ENOENT)
		err_next(e, "record one first: hitmap record -o %s -- COMMAND", path);
	return e;
}

struct err *input_open(const char *path, struct input *in)
{
	struct stat st;
	struct err *e;

	*in = (struct input){ .fd = -1, .end = UINT64_MAX };
	e = open_descriptor(path, &in->fd);
	if (e)
		return e;
	if (fstat(in->fd, &st)) {
		e = err_errno(ERR_FAILED, errno, "perf.data: %s", path);
	} else if (S_ISDIR(st.st_mode)) {
		e = err_new(ERR_FAILED, "perf.data: %s: is a directory", path);
		err_next(
			e,
			"name the file in it; what \"perf record --threads\" makes cannot be read");
	} else {
		in->file = S_ISREG(st.st_mode);
		in->file_size = in->file ? st.st_size : 0;
	}
	if (e)
		input_close(in);
	return e;
}

void input_open_feed(struct input *in, struct input_feed feed)
{
	*in = (struct input){ .fd = -1, .end = UINT64_MAX, .feed = feed };
}

struct err *input_replace(struct input *in, int fd)
{
	struct stat st;

	input_close(in);
	*in = (struct input){ .fd = fd, .end = UINT64_MAX, .file = true };
	if (fstat(fd, &st))
		return err_errno(ERR_FAILED, errno, "perf.data: a temporary file");
	in->file_size = st.st_size;
	input_seek(in, 0);
	return NULL;
}

void input_move(struct input *to, struct input *from)
{
	*to = *from;
	if (to->chunk)
		to->chunk->home = to;
	*from = (struct input){ .fd = -1 };
}

void input_close(struct input *in)
{
	if (in->chunk)
		input_release(in->chunk);
	in->chunk = NULL;
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

struct input_chunk *input_hold(struct input *in)
{
	in->chunk->holders++;
	return in->chunk;
}

void input_release(struct input_chunk *chunk)
{
	if (--chunk->holders)
		return;
	chunk->home->held -= sizeof(*chunk);
	free(chunk);
}

/* Makes room: what is left of the chunk moves to the front, of a new chunk when records hold this
 * one. */
static void make_room(struct input *in)
{
	struct input_chunk *old = in->chunk, *chunk = old;
	size_t left = old ? old->filled - in->at : 0;

	if (!old || old->holders > 1) {
		chunk = mem_realloc(NULL, 1, sizeof(*chunk));
		chunk->home = in;
		chunk->holders = 1;
		in->held += sizeof(*chunk);
	}
	if (left)
		memmove(chunk->bytes, old->bytes + in->at, left);
	chunk->filled = left;
	if (old && chunk != old)
		input_release(old);
	in->chunk = chunk;
	in->at = 0;
}

static size_t buffered(const struct input *in)
{
	return in->chunk ? in->chunk->filled - in->at : 0;
}

static size_t get(struct input *in, uint8_t *to, size_t room)
{
	ssize_t got;

	if (in->feed.read)
		return in->feed.read(in->feed.from, to, room);
	do {
		got = read(in->fd, to, room);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		in->errno_value = errno;
	return got > 0 ? got : 0;
}

/* Reads more, once; false at the end. A pipe gives what it has: nobody waits for a full chunk. */
static bool fill(struct input *in)
{
	uint64_t position = in->offset + buffered(in), want;
	size_t got;

	if (position >= in->end)
		return false;
	if (!in->chunk || in->chunk->filled == INPUT_CHUNK_SIZE)
		make_room(in);
	want = INPUT_CHUNK_SIZE - in->chunk->filled;
	if (want > in->end - position)
		want = in->end - position;
	got = get(in, in->chunk->bytes + in->chunk->filled, want);
	in->chunk->filled += got;
	return got;
}

size_t input_left(struct input *in, size_t size)
{
	while (buffered(in) < size) {
		/* The bytes asked for must fit behind "at". */
		if (in->chunk && in->at + size > INPUT_CHUNK_SIZE)
			make_room(in);
		if (!fill(in))
			return buffered(in);
	}
	return size;
}

const uint8_t *input_peek(struct input *in, size_t size)
{
	if (input_left(in, size) < size)
		return NULL;
	return in->chunk ? in->chunk->bytes + in->at : (const uint8_t *)"";
}

const uint8_t *input_span(const struct input *in, size_t *size)
{
	*size = buffered(in);
	return *size ? in->chunk->bytes + in->at : (const uint8_t *)"";
}

void input_seek(struct input *in, uint64_t offset)
{
	if (in->chunk)
		in->at = in->chunk->filled;
	in->offset = offset;
	if (lseek(in->fd, offset, SEEK_SET) < 0)
		in->errno_value = errno;
}

bool input_skip(struct input *in, uint64_t size)
{
	uint64_t end = in->file && in->file_size < in->end ? in->file_size : in->end;

	while (size > buffered(in)) {
		if (in->file) {
			if (end < in->offset || size > end - in->offset)
				return false;
			input_seek(in, in->offset + size);
			return true;
		}
		size -= buffered(in);
		in->offset += buffered(in);
		in->at = in->chunk ? in->chunk->filled : 0;
		if (!fill(in))
			return false;
	}
	in->at += size;
	in->offset += size;
	return true;
}

uint8_t *input_section(const struct input *in, uint64_t offset, uint64_t size)
{
	uint8_t *bytes;
	size_t done = 0;

	if (!in->file || size > INPUT_SECTION_MAX || offset > in->file_size ||
	    size > in->file_size - offset)
		return NULL;
	bytes = mem_zalloc(size);
	while (done < size) {
		ssize_t got = pread(in->fd, bytes + done, size - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			free(bytes);
			return NULL;
		}
		done += got;
	}
	return bytes;
}
