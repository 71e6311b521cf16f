// SPDX-License-Identifier: GPL-2.0-only
#include "palette.h"
#include "mem.h"

#define NONE PALETTE_DEFAULT

/* ---- Looks: of each style by depth; colours of dark and of light backgrounds */

struct row {
	int16_t dark, light; /* ink */
	int16_t dark_paper, light_paper;
	bool bold, dim, reverse, underline;
};

#define INK(on_dark, on_light, ...)                                                                \
	{                                                                                          \
		.dark = (on_dark), .light = (on_light), .dark_paper = NONE, .light_paper = NONE,   \
		##__VA_ARGS__                                                                      \
	}
#define BAR(ink, paper, ink_light, paper_light, ...)                                               \
	{                                                                                          \
		.dark = (ink), .light = (ink_light), .dark_paper = (paper),                        \
		.light_paper = (paper_light), ##__VA_ARGS__                                        \
	}

static const struct row LOOKS[PALETTE_DEPTHS][CANVAS_STYLES] = {
	[PALETTE_MONO] = {
		[STYLE_PLAIN] = INK(NONE, NONE),
		[STYLE_DIM] = INK(NONE, NONE),
		[STYLE_STRONG] = INK(NONE, NONE, .bold = true),
		[STYLE_TITLE] = INK(NONE, NONE, .reverse = true),
		[STYLE_TAB] = INK(NONE, NONE, .bold = true, .underline = true),
		[STYLE_HEAD] = INK(NONE, NONE, .underline = true),
		[STYLE_KEY] = INK(NONE, NONE, .bold = true),
		[STYLE_WARN] = INK(NONE, NONE, .bold = true),
		[STYLE_INPUT] = INK(NONE, NONE, .bold = true),
		[STYLE_HEAT_LIGHT] = INK(NONE, NONE),
		[STYLE_HEAT_MEDIUM] = INK(NONE, NONE),
		[STYLE_HEAT_DARK] = INK(NONE, NONE),
		[STYLE_HEAT_FULL] = INK(NONE, NONE, .bold = true),
		[STYLE_COLDER_LIGHT] = INK(NONE, NONE),
		[STYLE_COLDER_MEDIUM] = INK(NONE, NONE),
		[STYLE_COLDER_DARK] = INK(NONE, NONE),
		[STYLE_COLDER_FULL] = INK(NONE, NONE),
		[STYLE_HOTTER_LIGHT] = INK(NONE, NONE),
		[STYLE_HOTTER_MEDIUM] = INK(NONE, NONE),
		[STYLE_HOTTER_DARK] = INK(NONE, NONE),
		[STYLE_HOTTER_FULL] = INK(NONE, NONE, .bold = true),
	},
	/* 0-7 are dull, 8-15 bright; some terminals have 8 only and show a bright one as its dull
	 * one, so that neighbours differ in more than that. */
	[PALETTE_16] = {
		[STYLE_PLAIN] = INK(NONE, NONE),
		[STYLE_DIM] = INK(NONE, NONE),
		[STYLE_STRONG] = INK(NONE, NONE, .bold = true),
		[STYLE_TITLE] = BAR(15, 4, 15, 4),
		[STYLE_TAB] = BAR(0, 6, 0, 6),
		[STYLE_HEAD] = INK(6, 4, .underline = true),
		[STYLE_KEY] = INK(6, 4, .bold = true),
		[STYLE_WARN] = INK(11, 1, .bold = true),
		[STYLE_INPUT] = INK(NONE, NONE, .bold = true),
		[STYLE_HEAT_LIGHT] = INK(5, 3),
		[STYLE_HEAT_MEDIUM] = INK(9, 1),
		[STYLE_HEAT_DARK] = INK(11, 5),
		[STYLE_HEAT_FULL] = INK(15, 0, .bold = true),
		[STYLE_COLDER_LIGHT] = INK(4, 6),
		[STYLE_COLDER_MEDIUM] = INK(12, 6),
		[STYLE_COLDER_DARK] = INK(6, 4),
		[STYLE_COLDER_FULL] = INK(14, 4, .bold = true),
		[STYLE_HOTTER_LIGHT] = INK(3, 3),
		[STYLE_HOTTER_MEDIUM] = INK(3, 3),
		[STYLE_HOTTER_DARK] = INK(11, 1),
		[STYLE_HOTTER_FULL] = INK(11, 1, .bold = true),
	},
	/* Heat: lightness 28, 48, 70, 90 of 100 on dark; 75, 56, 37, 17 on light. */
	[PALETTE_256] = {
		[STYLE_PLAIN] = INK(NONE, NONE),
		[STYLE_DIM] = INK(245, 242),
		[STYLE_STRONG] = INK(231, 16, .bold = true),
		[STYLE_TITLE] = BAR(252, 236, 235, 253),
		[STYLE_TAB] = BAR(16, 214, 231, 25, .bold = true),
		[STYLE_HEAD] = INK(110, 25, .underline = true),
		[STYLE_KEY] = INK(214, 25, .bold = true),
		[STYLE_WARN] = INK(220, 124, .bold = true),
		[STYLE_INPUT] = INK(231, 16, .bold = true),
		[STYLE_HEAT_LIGHT] = INK(97, 179),
		[STYLE_HEAT_MEDIUM] = INK(168, 172),
		[STYLE_HEAT_DARK] = INK(208, 161),
		[STYLE_HEAT_FULL] = INK(227, 53),
		[STYLE_COLDER_LIGHT] = INK(24, 110),
		[STYLE_COLDER_MEDIUM] = INK(32, 68),
		[STYLE_COLDER_DARK] = INK(75, 26),
		[STYLE_COLDER_FULL] = INK(117, 18),
		[STYLE_HOTTER_LIGHT] = INK(94, 180),
		[STYLE_HOTTER_MEDIUM] = INK(130, 172),
		[STYLE_HOTTER_DARK] = INK(208, 130),
		[STYLE_HOTTER_FULL] = INK(220, 88),
	},
};

/* The chosen row: its papers by depth. Without colours it is reversed. */
static const struct {
	int16_t dark, light;
} CHOSEN[PALETTE_DEPTHS] = {
	[PALETTE_MONO] = { NONE, NONE },
	[PALETTE_16] = { NONE, NONE },
	[PALETTE_256] = { 238, 252 },
};

struct palette_look palette_look(const struct palette *p, enum canvas_style style, bool selected)
{
	const struct row *r = &LOOKS[p->depth][style];
	struct palette_look look = {
		.ink = p->light ? r->light : r->dark,
		.paper = p->light ? r->light_paper : r->dark_paper,
		.bold = r->bold,
		.dim = r->dim,
		.reverse = r->reverse,
		.underline = r->underline,
	};

	if (selected) {
		look.paper = p->light ? CHOSEN[p->depth].light : CHOSEN[p->depth].dark;
		look.reverse = look.paper == NONE;
		if (look.reverse)
			look.ink = NONE;
	}
	return look;
}

/* ---- HTML */

/* The first 16 as xterm has them, a cube of 6x6x6, 24 greys. */
uint32_t palette_rgb(uint8_t colour)
{
	static const uint32_t FIRST[] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00,
					  0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
					  0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
					  0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };
	static const uint8_t STEP[] = { 0, 95, 135, 175, 215, 255 };
	uint32_t n = colour - 16, grey;

	if (colour < ARRAY_SIZE(FIRST))
		return FIRST[colour];
	if (colour < 232)
		return STEP[n / 36] << 16 | STEP[n / 6 % 6] << 8 | STEP[n % 6];
	grey = 8 + 10 * (colour - 232);
	return grey << 16 | grey << 8 | grey;
}

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		static const char *const FORMS['>' + 1] = {
			['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"
		};
		uint8_t c = (uint8_t)*text;

		if (c <= '>' && FORMS[c])
			fputs(FORMS[c], out);
		else if (c >= 0x20)
			fputc(c, out);
	}
}

/* Of the page itself, by background. */
static const struct {
	uint32_t ink, paper;
} PAGE[] = { { 0xd0d0d0, 0x16161a }, { 0x1c1c1c, 0xffffff } };

static void put_rule(FILE *out, const struct palette *p, const char *name,
		     const struct palette_look *l)
{
	fprintf(out, ".%s{", name);
	if (l->ink != NONE)
		fprintf(out, "color:#%06x;", palette_rgb((uint8_t)l->ink));
	if (l->paper != NONE)
		fprintf(out, "background:#%06x;", palette_rgb((uint8_t)l->paper));
	if (l->reverse)
		fprintf(out, "color:#%06x;background:#%06x;", PAGE[p->light].paper,
			PAGE[p->light].ink);
	fprintf(out, "%s%s}\n", l->bold ? "font-weight:bold;" : "",
		l->underline ? "text-decoration:underline;" : "");
}

static void put_head(FILE *out, const struct palette *p, const char *title)
{
	struct palette_look chosen = palette_look(p, STYLE_PLAIN, true);

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
	put_escaped(out, title);
	fprintf(out, "</title>\n<style>\nbody{background:#%06x;color:#%06x}\n",
		PAGE[p->light].paper, PAGE[p->light].ink);
	fputs("pre{font-family:\"DejaVu Sans Mono\",\"Liberation Mono\",monospace;font-size:14px;"
	      "line-height:1.3}\n",
	      out);
	for (int s = STYLE_DIM; s < CANVAS_STYLES; s++) {
		struct palette_look look = palette_look(p, s, false);

		put_rule(out, p, canvas_style_name(s), &look);
	}
	put_rule(out, p, "chosen", &chosen);
	fputs("</style></head><body><pre>\n", out);
}

static bool same_span(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->style == b->style && a->selected == b->selected;
}

static void put_row(FILE *out, const struct canvas *c, uint32_t y)
{
	for (uint32_t x = 0, end; x < c->columns; x = end) {
		const struct canvas_cell *first = canvas_at(c, x, y);
		bool span = first->style || first->selected;

		if (span)
			fprintf(out, "<span class=\"%s%s\">", canvas_style_name(first->style),
				first->selected ? " chosen" : "");
		for (end = x; end < c->columns && same_span(first, canvas_at(c, end, y)); end++) {
			char text[5];

			canvas_utf8(text, canvas_at(c, end, y)->rune);
			put_escaped(out, text);
		}
		fputs(span ? "</span>" : "", out);
	}
	fputc('\n', out);
}

void palette_write_html(const struct palette *p, const struct canvas *c, const char *title,
			FILE *out)
{
	put_head(out, p, title);
	for (uint32_t y = 0; y < c->rows; y++)
		put_row(out, c, y);
	fputs("</pre></body></html>\n", out);
}
