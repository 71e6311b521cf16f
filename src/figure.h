/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures: a value of a kind, or none. What text and JSON print is decided by the kind alone. */
#ifndef HITMAP_FIGURE_H
#define HITMAP_FIGURE_H

#include "data_source.h"

#include <stdbool.h>
#include <stdint.h>

enum figure_kind {
	FIGURE_COUNT,
	FIGURE_FLAG,
	FIGURE_TEXT,
	FIGURE_ADDRESS,
	FIGURE_OFFSET,	  /* bytes, within something */
	FIGURE_SHARE,	  /* 0..1, shown in percent */
	FIGURE_CYCLES,	  /* a mean */
	FIGURE_DISTANCES, /* by enum memory_distance; text shows their sum */
	FIGURE_PARTS,	  /* parts of a whole in percent, "0/48/52"; text only */
	FIGURE_COUNT_RANGE,
	FIGURE_RATE_RANGE,
	FIGURE_RATE, /* a real, not negative */
	FIGURE_HEAT, /* a line's words; text draws a strip */
};

struct figure {
	bool known; /* else "n/a" and null */
	union {
		uint64_t count;
		double real;
		const char *text;
		uint64_t by_distance[MEMORY_DISTANCES];
		struct {
			uint64_t part[MEMORY_DISTANCES];
			uint32_t count; /* of parts; their sum is not 0 */
		} parts;
		struct {
			double typical, low, high;
		} range;
		const uint64_t *heat; /* LINE_WORDS of them */
	};
};

#define FIGURE_TEXT_BYTES 128

/* The figure as people read it: "1,021,442", "88.1 %", "+8", "3.97 (2.01..3.97)", "n/a". Neither
 * FIGURE_TEXT nor FIGURE_HEAT: these have no text of a bounded size. Returns "text". */
const char *figure_text(char text[FIGURE_TEXT_BYTES], enum figure_kind kind,
			const struct figure *f);

/* A number with its thousands apart; returns "text". */
const char *figure_count(char text[FIGURE_TEXT_BYTES], uint64_t n);

#endif
