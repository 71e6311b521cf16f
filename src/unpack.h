/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A zstd stream that comes in pieces, as "perf record -z" writes it: each PERF_RECORD_COMPRESSED
 * holds a piece, and what is in them goes on from one to the next, in the middle of a record too.
 */
#ifndef HITMAP_UNPACK_H
#define HITMAP_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpack;

struct unpack *unpack_new(void);
void unpack_free(struct unpack *u); /* NULL is fine */

/* The next piece; its bytes must stay until unpack_read() has given 0. */
void unpack_piece(struct unpack *u, const void *bytes, size_t size);
/* An input's feed: 0 when the piece is used up, or when the stream is damaged. */
size_t unpack_read(void *u, uint8_t *to, size_t room);
/* What is wrong with the stream; NULL while it is well. Nothing more can be read of it then. */
const char *unpack_error(const struct unpack *u);

#endif
