/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that are put together for a file, in this machine's byte order. */
#ifndef HITMAP_BLOB_H
#define HITMAP_BLOB_H

#include <stddef.h>
#include <stdint.h>

struct blob {
	uint8_t *bytes;
	size_t size, room;
};

void blob_bytes(struct blob *b, const void *bytes, size_t size);
void blob_u32(struct blob *b, uint32_t v);
void blob_u64(struct blob *b, uint64_t v);
/* The string with its NUL, filled up with NULs to a multiple of "unit", which is 64 at most. */
void blob_padded(struct blob *b, const char *s, size_t length, size_t unit);
void blob_align(struct blob *b, size_t unit); /* fills up with NULs */
void blob_deinit(struct blob *b);

#endif
