// SPDX-License-Identifier: GPL-2.0-only
#include "blob.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

void blob_bytes(struct blob *b, const void *bytes, size_t size)
{
	if (b->size + size > b->room) {
		b->room = 2 * (b->size + size);
		b->bytes = mem_realloc(b->bytes, b->room, 1);
	}
	if (size)
		memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
}

void blob_u64(struct blob *b, uint64_t v)
{
	blob_bytes(b, &v, sizeof(v));
}

void blob_u32(struct blob *b, uint32_t v)
{
	blob_bytes(b, &v, sizeof(v));
}

void blob_padded(struct blob *b, const char *s, size_t length, size_t unit)
{
	static const char zeroes[64];

	blob_bytes(b, s, length);
	blob_bytes(b, zeroes, unit - length % unit);
}

void blob_align(struct blob *b, size_t unit)
{
	static const char zeroes[64];

	blob_bytes(b, zeroes, (unit - b->size % unit) % unit);
}

void blob_deinit(struct blob *b)
{
	free(b->bytes);
	*b = (struct blob){ 0 };
}
