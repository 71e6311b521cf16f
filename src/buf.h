/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one way to read untrusted bytes: a cursor that knows where it is in the file and never leaves
 * its range. A read past the end sets "bad" and gives zero, so that a decoder reads a whole
 * structure and checks once.
 */
#ifndef HITMAP_BUF_H
#define HITMAP_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	uint64_t offset; /* of "at" in the file, for messages */
	bool bad;	 /* something was read that is not there */
	bool swap;	 /* the bytes are of the other endianness */
};

static inline struct cursor cursor_of(const void *bytes, size_t size, uint64_t offset)
{
	const uint8_t *at = bytes;

	return (struct cursor){ .at = at, .end = size ? at + size : at, .offset = offset };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->end - c->at;
}

/* "size" bytes to look at in place, or NULL (and bad). */
static inline const void *cursor_bytes(struct cursor *c, size_t size)
{
	const void *at = c->at;

	if (c->bad || size > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->at += size;
	c->offset += size;
	return at;
}

static inline void cursor_skip(struct cursor *c, uint64_t size)
{
	if (size > cursor_left(c))
		c->bad = true;
	else
		cursor_bytes(c, size);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const void *at = cursor_bytes(c, 8);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, 8);
	return c->swap ? __builtin_bswap64(v) : v;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const void *at = cursor_bytes(c, 4);
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, 4);
	return c->swap ? __builtin_bswap32(v) : v;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const void *at = cursor_bytes(c, 2);
	uint16_t v = 0;

	if (at)
		memcpy(&v, at, 2);
	return c->swap ? __builtin_bswap16(v) : v;
}

/* A cursor over the next "size" bytes, which this one steps over. */
static inline struct cursor cursor_part(struct cursor *c, uint64_t size)
{
	struct cursor part = *c;
	const uint8_t *at = size > cursor_left(c) ? NULL : cursor_bytes(c, size);

	if (!at) {
		c->bad = part.bad = true;
		part.end = part.at;
		return part;
	}
	part.end = at + size;
	return part;
}

/* A NUL-terminated string in a field of "size" bytes; NULL (and bad) when no NUL ends it. */
static inline const char *cursor_string(struct cursor *c, size_t size)
{
	const char *s = cursor_bytes(c, size);

	if (s && !memchr(s, 0, size)) {
		c->bad = true;
		return NULL;
	}
	return s;
}

#endif
