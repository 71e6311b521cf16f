/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a file or pipe, read once from front to back in chunks. What was read stays where it
 *is for as long as its chunk is held, so records wait for their turn without being copied:
 *
 *	chunk  [ record record record rec- ]  held by the records that wait, and while it is filled
 *	chunk  [ -ord record ...           ]  starts with what the one before it was too short for
 */
#ifndef HITMAP_INPUT_H
#define HITMAP_INPUT_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_PEEK_MAX	  65536	     /* at once; a record's size has 16 bits */
#define INPUT_SECTION_MAX (64 << 20) /* bytes of one section; ids of 8 million events */

struct input_chunk;

/* Makes the bytes of an input that is no file: puts up to "room" of them to "to" and returns how
 * many; 0 when there are none for now, so that the input can be asked again later. */
struct input_feed {
	size_t (*read)(void *from, uint8_t *to, size_t room);
	void *from;
};

struct input {
	int fd;
	bool file;		/* a regular file: it has a size and can be read at any place */
	struct input_feed feed; /* where the bytes come from when there is no file */
	uint64_t file_size;	/* as it was when opened */
	uint64_t offset;	/* in the file, of the next byte */
	uint64_t end; /* where reading stops, also when there is more; UINT64_MAX at first */
	struct input_chunk *chunk;
	size_t at;	 /* of the next byte, in "chunk" */
	size_t held;	 /* bytes in all chunks alive */
	int errno_value; /* of a read that failed; it looks like the end */
};

/* "path" may be "-". Directories are refused. */
struct err *input_open(const char *path, struct input *in);
void input_open_feed(struct input *in, struct input_feed feed);
/* Goes on with another regular file, from its start; owns "fd" now. Nothing must be held. */
struct err *input_replace(struct input *in, int fd);
void input_move(struct input *to, struct input *from); /* "from" is closed then */
void input_close(struct input *in);		       /* all chunks must have been released */

/* The next "size" bytes, NULL when there are not so many. Good until the next input_...() call,
 * longer when input_hold() is called first. */
const uint8_t *input_peek(struct input *in, size_t size);
/* What is there of the next bytes without reading more. */
const uint8_t *input_span(const struct input *in, size_t *size);
/* How many bytes, up to "size", are left. */
size_t input_left(struct input *in, size_t size);
/* Steps over "size" bytes; false when there are not so many. */
bool input_skip(struct input *in, uint64_t size);
/* Goes to a place in a regular file. */
void input_seek(struct input *in, uint64_t offset);

struct input_chunk *input_hold(struct input *in); /* the chunk of the bytes peeked last */
void input_release(struct input_chunk *chunk);

/* A copy of a regular file's bytes, to be freed; NULL when they are not all there or too many. */
uint8_t *input_section(const struct input *in, uint64_t offset, uint64_t size);

#endif
