/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heat strips: one line of memory as eight words, its halves set apart.
 *
 *	▕██░ ┆    ▏	[##. |    ]
 */
#ifndef HITMAP_HEATMAP_H
#define HITMAP_HEATMAP_H

#include "line.h"

#include <stdbool.h>
#include <stddef.h>

enum heat_shade { SHADE_NONE, SHADE_LIGHT, SHADE_MEDIUM, SHADE_DARK, SHADE_FULL, HEAT_SHADES };

struct heat_style {
	bool unicode, colour;
};

#define HEAT_STRIP_COLUMNS (LINE_WORDS + 3)
#define HEAT_STRIP_BYTES   256 /* enough for any strip, its colours and the NUL */

/* By how much "heat" falls short of "hottest": each shade is four times the one before. */
enum heat_shade heat_shade(uint64_t heat, uint64_t hottest);

/* Draws a strip; its width on the screen is HEAT_STRIP_COLUMNS. */
void heat_strip(char strip[HEAT_STRIP_BYTES], const uint64_t heat[LINE_WORDS], uint64_t hottest,
		const struct heat_style *style);

/* Draws one cell of a map, one column wide. */
void heat_cell(char cell[HEAT_STRIP_BYTES], uint64_t heat, uint64_t hottest,
	       const struct heat_style *style);

/* What the shades stand for, of the hottest word: "█ 1/2  ▓ 1/8  ▒ 1/32  ░ less". */
void heat_legend(char legend[HEAT_STRIP_BYTES], const struct heat_style *style);

#endif
