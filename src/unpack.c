// SPDX-License-Identifier: GPL-2.0-only
#include "unpack.h"
#include "mem.h"

#include <stdlib.h>
#include <zstd.h>

/* Records shrink to a tenth, perhaps a fiftieth. Bytes that claim far more are made to keep a
 * reader busy: a few bytes can stand for 128 KiB of zeros. */
#define EXPANSION_MAX	1024
#define EXPANSION_SLACK (16 << 20) /* bytes */

struct unpack {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	uint64_t packed, unpacked; /* bytes so far */
	bool pending;		   /* the room was used up: there may be more without new bytes */
	const char *error;
};

struct unpack *unpack_new(void)
{
	struct unpack *u = mem_zalloc(sizeof(*u));

	u->stream = ZSTD_createDStream();
	if (!u->stream)
		mem_exhausted();
	return u;
}

void unpack_free(struct unpack *u)
{
	if (!u)
		return;
	ZSTD_freeDStream(u->stream);
	free(u);
}

void unpack_piece(struct unpack *u, const void *bytes, size_t size)
{
	u->in = (ZSTD_inBuffer){ .src = bytes, .size = size };
	u->packed += size;
}

size_t unpack_read(void *unpack, uint8_t *to, size_t room)
{
	struct unpack *u = unpack;
	ZSTD_outBuffer out = { .dst = to, .size = room };

	while (!out.pos && !u->error && (u->pending || u->in.pos < u->in.size)) {
		size_t result = ZSTD_decompressStream(u->stream, &out, &u->in);

		u->pending = out.pos == out.size;
		if (ZSTD_isError(result))
			u->error = "its zstd stream is damaged";
	}
	u->unpacked += out.pos;
	if (u->unpacked > EXPANSION_SLACK + EXPANSION_MAX * u->packed)
		u->error = "its zstd stream grows beyond reason";
	return out.pos;
}

const char *unpack_error(const struct unpack *u)
{
	return u->error;
}
