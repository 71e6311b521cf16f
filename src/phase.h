/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times in twelve bits: a floating-point number of ns since a recording's start, six bits of it
 * after the leading one, so exact to 1.6 %. Greater codes are later times; 0 stands for none.
 */
#ifndef HITMAP_PHASE_H
#define HITMAP_PHASE_H

#include <stdint.h>

#define PHASE_FRACTION 6 /* bits */

static inline uint32_t phase_code(uint64_t ns)
{
	uint32_t shift;

	if (ns < 1U << PHASE_FRACTION)
		return (uint32_t)ns + 1;
	shift = 63 - __builtin_clzll(ns) - PHASE_FRACTION;
	return (((shift + 1) << PHASE_FRACTION) | (ns >> shift & ((1U << PHASE_FRACTION) - 1))) + 1;
}

/* The first of the times that a code, which is not 0, stands for. */
static inline uint64_t phase_start(uint32_t code)
{
	uint32_t shift = (code - 1) >> PHASE_FRACTION;
	uint64_t fraction = (code - 1) & ((1U << PHASE_FRACTION) - 1);

	return shift ? ((1ULL << PHASE_FRACTION) | fraction) << (shift - 1) : fraction;
}

#endif
