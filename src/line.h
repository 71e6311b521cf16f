/* SPDX-License-Identifier: GPL-2.0-only */
/* Arithmetic of lines, halves and words. */
#ifndef HITMAP_LINE_H
#define HITMAP_LINE_H

#include <stdint.h>

#define LINE_WORDS 8  /* of a 64-byte line, eight bytes each; what a heat strip shows */
#define HALF_BYTES 32 /* the two halves of a 64-byte line */

enum line_half { HALF_LOWER, HALF_UPPER, LINE_HALVES };

static inline uint64_t line_start(uint64_t addr, uint32_t line_size)
{
	return addr & ~(uint64_t)(line_size - 1);
}

static inline uint32_t line_offset(uint64_t addr, uint32_t line_size)
{
	return addr & (line_size - 1);
}

/* The half of a line that "offset" is in: bytes 0-31 of each 64 are the lower, 32-63 the upper. */
static inline enum line_half line_half(uint32_t offset)
{
	return offset & HALF_BYTES ? HALF_UPPER : HALF_LOWER;
}

static inline const char *line_half_name(enum line_half half)
{
	return half == HALF_UPPER ? "upper" : "lower";
}

#endif
