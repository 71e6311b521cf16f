/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How styles look: by colours of the terminal, on a dark or a light background. Heat goes from
 * little to much in lightness as well as in hue, away from the background, and differences are blue
 * against orange: both can be told apart by colour-blind people. Nothing is said by colour alone:
 * shades and signs are characters.
 */
#ifndef HITMAP_PALETTE_H
#define HITMAP_PALETTE_H

#include "canvas.h"

enum palette_depth { PALETTE_MONO, PALETTE_16, PALETTE_256, PALETTE_DEPTHS };

#define PALETTE_DEFAULT (-1) /* the terminal's own colour */

struct palette_look {
	int16_t ink, paper; /* numbers of xterm's 256 colours, or PALETTE_DEFAULT */
	bool bold, dim, reverse, underline;
};

struct palette {
	enum palette_depth depth;
	bool light; /* the background */
};

struct palette_look palette_look(const struct palette *p, enum canvas_style style, bool selected);

/* 0xrrggbb of one of the 256 colours. */
uint32_t palette_rgb(uint8_t colour);

/* A page of HTML that looks as the terminal does with "p" (256 colours), complete in itself. */
void palette_write_html(const struct palette *p, const struct canvas *c, const char *title,
			FILE *out);

#endif
