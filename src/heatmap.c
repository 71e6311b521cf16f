// SPDX-License-Identifier: GPL-2.0-only
#include "heatmap.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *unicode, *ascii, *colour;
	uint32_t part; /* reached from 1/part of the hottest word on */
	const char *means;
} SHADES[HEAT_SHADES] = {
	[SHADE_NONE] = { " ", " ", "", 0, "none" },
	[SHADE_LIGHT] = { "░", ".", "\033[38;5;226m", UINT32_MAX, "less" },
	[SHADE_MEDIUM] = { "▒", "-", "\033[38;5;214m", 32, "1/32" },
	[SHADE_DARK] = { "▓", "+", "\033[38;5;208m", 8, "1/8" },
	[SHADE_FULL] = { "█", "#", "\033[38;5;196m", 2, "1/2" },
};
#define COLOUR_END "\033[0m"

enum heat_shade heat_shade(uint64_t heat, uint64_t hottest)
{
	enum heat_shade shade = SHADE_FULL;

	if (!heat)
		return SHADE_NONE;
	while (shade > SHADE_LIGHT &&
	       heat < hottest / SHADES[shade].part + (hottest % SHADES[shade].part != 0))
		shade--;
	return shade;
}

/* Appends; strips and legends are far shorter than their buffer. */
static void put(char text[HEAT_STRIP_BYTES], const char *more)
{
	strncat(text, more, HEAT_STRIP_BYTES - strlen(text) - 1);
}

static void put_shade(char text[HEAT_STRIP_BYTES], enum heat_shade shade,
		      const struct heat_style *style)
{
	bool colour = style->colour && shade != SHADE_NONE;

	put(text, colour ? SHADES[shade].colour : "");
	put(text, style->unicode ? SHADES[shade].unicode : SHADES[shade].ascii);
	put(text, colour ? COLOUR_END : "");
}

void heat_strip(char strip[HEAT_STRIP_BYTES], const uint64_t heat[LINE_WORDS], uint64_t hottest,
		const struct heat_style *style)
{
	strip[0] = '\0';
	put(strip, style->unicode ? "▕" : "[");
	for (int w = 0; w < LINE_WORDS; w++) {
		if (w == LINE_WORDS / 2)
			put(strip, style->unicode ? "┆" : "|");
		put_shade(strip, heat_shade(heat[w], hottest), style);
	}
	put(strip, style->unicode ? "▏" : "]");
}

void heat_cell(char cell[HEAT_STRIP_BYTES], uint64_t heat, uint64_t hottest,
	       const struct heat_style *style)
{
	cell[0] = '\0';
	put_shade(cell, heat_shade(heat, hottest), style);
}

void heat_legend(char legend[HEAT_STRIP_BYTES], const struct heat_style *style)
{
	legend[0] = '\0';
	for (int s = SHADE_FULL; s > SHADE_NONE; s--) {
		put_shade(legend, s, style);
		put(legend, " ");
		put(legend, SHADES[s].means);
		put(legend, s > SHADE_LIGHT ? "  " : "");
	}
}
