// SPDX-License-Identifier: GPL-2.0-only
#include "canvas.h"
#include "label.h"
#include "mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const STYLE_NAMES[CANVAS_STYLES] = {
	[STYLE_PLAIN] = "",
	[STYLE_DIM] = "dim",
	[STYLE_STRONG] = "strong",
	[STYLE_TITLE] = "title",
	[STYLE_TAB] = "tab",
	[STYLE_HEAD] = "head",
	[STYLE_KEY] = "key",
	[STYLE_WARN] = "warn",
	[STYLE_INPUT] = "input",
	[STYLE_HEAT_LIGHT] = "heat-light",
	[STYLE_HEAT_MEDIUM] = "heat-medium",
	[STYLE_HEAT_DARK] = "heat-dark",
	[STYLE_HEAT_FULL] = "heat-full",
	[STYLE_COLDER_LIGHT] = "colder-light",
	[STYLE_COLDER_MEDIUM] = "colder-medium",
	[STYLE_COLDER_DARK] = "colder-dark",
	[STYLE_COLDER_FULL] = "colder-full",
	[STYLE_HOTTER_LIGHT] = "hotter-light",
	[STYLE_HOTTER_MEDIUM] = "hotter-medium",
	[STYLE_HOTTER_DARK] = "hotter-dark",
	[STYLE_HOTTER_FULL] = "hotter-full",
};

const char *canvas_style_name(enum canvas_style style)
{
	return STYLE_NAMES[style];
}

/* ---- Size */

void canvas_init(struct canvas *c, uint32_t columns, uint32_t rows, bool unicode)
{
	*c = (struct canvas){ .unicode = unicode };
	canvas_resize(c, columns, rows);
}

void canvas_deinit(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){ 0 };
}

void canvas_resize(struct canvas *c, uint32_t columns, uint32_t rows)
{
	c->columns = columns < CANVAS_MOST ? columns : CANVAS_MOST;
	c->rows = rows < CANVAS_MOST ? rows : CANVAS_MOST;
	c->cells = mem_realloc(c->cells, (size_t)c->columns * c->rows + 1, sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	for (size_t i = 0; i < (size_t)c->columns * c->rows; i++)
		c->cells[i] = (struct canvas_cell){ .rune = ' ' };
}

/* ---- Characters */

/* Those that do not take one column, or turn the order of those beside them: from the blocks of
 * Unicode 15, wider rather than exact. */
static const struct {
	uint32_t first, last;
} ODD[] = {
	{ 0x0000, 0x001f },    { 0x007f, 0x009f }, { 0x00ad, 0x00ad }, { 0x0300, 0x036f },
	{ 0x0483, 0x0489 },    { 0x0590, 0x08ff }, { 0x0900, 0x0dff }, { 0x0e31, 0x0e4e },
	{ 0x0eb1, 0x0ece },    { 0x0f00, 0x109f }, { 0x1100, 0x11ff }, { 0x1712, 0x17ff },
	{ 0x180b, 0x180f },    { 0x1920, 0x1cff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e },    { 0x2060, 0x206f }, { 0x20d0, 0x20ff }, { 0x231a, 0x231b },
	{ 0x2329, 0x232a },    { 0x23e9, 0x23f3 }, { 0x25fd, 0x25fe }, { 0x2614, 0x2615 },
	{ 0x2648, 0x2653 },    { 0x267f, 0x267f }, { 0x2693, 0x2693 }, { 0x26a1, 0x26a1 },
	{ 0x26aa, 0x26ab },    { 0x26bd, 0x26be }, { 0x26c4, 0x26c5 }, { 0x26ce, 0x26ce },
	{ 0x26d4, 0x26d4 },    { 0x26ea, 0x26fd }, { 0x2705, 0x2757 }, { 0x2795, 0x2797 },
	{ 0x27b0, 0x27bf },    { 0x2b1b, 0x2b1c }, { 0x2b50, 0x2b55 }, { 0x2cef, 0x2cf1 },
	{ 0x2e80, 0x303e },    { 0x3041, 0xa4cf }, { 0xa66f, 0xa69f }, { 0xa802, 0xabff },
	{ 0xac00, 0xfaff },    { 0xfb1d, 0xffef }, { 0xfff0, 0xfffb }, { 0x10000, 0x1ffff },
	{ 0x20000, 0x10ffff },
};

/* What stands for the characters that views draw with where there is only ASCII. */
static const struct {
	uint32_t rune;
	char ascii;
} PLAIN_FORMS[] = {
	{ 0x2591, '.' }, { 0x2592, '-' }, { 0x2593, '+' }, { 0x2588, '#' }, /* ░▒▓█ */
	{ 0x2581, '.' }, { 0x2582, ':' }, { 0x2583, '-' }, { 0x2584, '=' }, /* ▁▂▃▄ */
	{ 0x2585, '+' }, { 0x2586, '*' }, { 0x2587, '%' },		    /* ▅▆▇ */
	{ 0x2595, '[' }, { 0x258f, ']' }, { 0x2506, '|' }, { 0x2502, '|' }, /* ▕▏┆│ */
	{ 0x2500, '-' }, { 0x2504, '-' }, { 0x250c, '+' }, { 0x2510, '+' }, /* ─┄┌┐ */
	{ 0x2514, '+' }, { 0x2518, '+' }, { 0x251c, '+' }, { 0x2524, '+' }, /* └┘├┤ */
	{ 0x252c, '+' }, { 0x2534, '+' }, { 0x253c, '+' },		    /* ┬┴┼ */
	{ 0x00b7, '.' }, { 0x25bf, ',' }, { 0x25bd, 'v' }, { 0x25bc, 'V' }, /* ·▿▽▼ */
	{ 0x25b2, '^' }, { 0x25b8, '>' }, { 0x25cf, '*' }, { 0x2026, '~' }, /* ▲▸●… */
	{ 0x2192, '>' }, { 0x2190, '<' }, { 0x2191, '^' }, { 0x2193, 'v' }, /* →←↑↓ */
	{ 0x00d7, 'x' }, { 0x2212, '-' }, { 0x2265, '>' },		    /* ×−≥ */
};

static bool is_odd(uint32_t rune)
{
	for (size_t i = 0; i < ARRAY_SIZE(ODD) && ODD[i].first <= rune; i++)
		if (rune <= ODD[i].last)
			return true;
	return rune > 0x10ffff;
}

static uint32_t plain_form(uint32_t rune)
{
	for (size_t i = 0; i < ARRAY_SIZE(PLAIN_FORMS); i++)
		if (PLAIN_FORMS[i].rune == rune)
			return PLAIN_FORMS[i].ascii;
	return '?';
}

static uint32_t storable(const struct canvas *c, uint32_t rune)
{
	if (is_odd(rune))
		return '?';
	return rune < 0x80 || c->unicode ? rune : plain_form(rune);
}

/* The character at "*s", which is stepped over; '?' for bytes that are none. */
static uint32_t next_rune(const char **s)
{
	static const struct {
		uint8_t mask, lead, bytes;
		uint32_t least; /* what needs so many bytes */
	} FORMS[] = {
		{ 0x80, 0x00, 1, 0 },
		{ 0xe0, 0xc0, 2, 0x80 },
		{ 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};
	const uint8_t *at = (const uint8_t *)*s;

	for (size_t f = 0; f < ARRAY_SIZE(FORMS); f++) {
		uint32_t rune = at[0] & (uint8_t)~FORMS[f].mask, i;

		if ((at[0] & FORMS[f].mask) != FORMS[f].lead)
			continue;
		for (i = 1; i < FORMS[f].bytes && (at[i] & 0xc0) == 0x80; i++)
			rune = rune << 6 | (at[i] & 0x3f);
		if (i < FORMS[f].bytes)
			break;
		*s += i;
		return rune < FORMS[f].least ? '?' : rune;
	}
	*s += 1;
	return '?';
}

uint32_t canvas_utf8(char to[5], uint32_t rune)
{
	static const uint8_t LEAD[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	uint32_t bytes = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;

	to[bytes] = '\0';
	for (uint32_t i = bytes - 1; i; i--, rune >>= 6)
		to[i] = (char)(0x80 | (rune & 0x3f));
	to[0] = (char)(LEAD[bytes] | rune);
	return bytes;
}

/* ---- Drawing */

static struct canvas_cell *cell_at(struct canvas *c, uint32_t x, uint32_t y)
{
	return x < c->columns && y < c->rows ? &c->cells[(size_t)y * c->columns + x] : NULL;
}

uint32_t canvas_rune(struct canvas *c, uint32_t x, uint32_t y, enum canvas_style style,
		     uint32_t rune)
{
	struct canvas_cell *cell = cell_at(c, x, y);

	if (cell) {
		cell->rune = storable(c, rune);
		cell->style = style;
	}
	return x < UINT32_MAX ? x + 1 : x;
}

uint32_t canvas_text(struct canvas *c, uint32_t x, uint32_t y, enum canvas_style style,
		     const char *utf8)
{
	while (*utf8)
		x = canvas_rune(c, x, y, style, next_rune(&utf8));
	return x;
}

uint32_t canvas_printf(struct canvas *c, uint32_t x, uint32_t y, enum canvas_style style,
		       const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_exhausted();
	va_end(ap);
	x = canvas_text(c, x, y, style, text);
	free(text);
	return x;
}

uint32_t canvas_name(struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		     enum canvas_style style, const char *utf8)
{
	char label[LABEL_BYTES];
	uint32_t end = x + width;

	label_fit(label, utf8, width, true); /* canvas_rune() has the last word */
	x = canvas_text(c, x, y, style, label);
	return x < end ? canvas_fill(c, x, y, end - x, style, ' ') : end;
}

uint32_t canvas_right(struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		      enum canvas_style style, const char *utf8)
{
	uint32_t columns = label_columns(utf8);

	for (; columns > width; columns--)
		next_rune(&utf8);
	x = canvas_fill(c, x, y, width - columns, style, ' ');
	return canvas_text(c, x, y, style, utf8);
}

uint32_t canvas_fill(struct canvas *c, uint32_t x, uint32_t y, uint32_t count,
		     enum canvas_style style, uint32_t rune)
{
	uint32_t end = x + count;

	for (; x < end && x < c->columns; x++)
		canvas_rune(c, x, y, style, rune);
	return end;
}

void canvas_box(struct canvas *c, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
		const char *title)
{
	uint32_t right = x + width - 1, bottom = y + height - 1;

	if (width < 2 || height < 2)
		return;
	canvas_fill(c, x + 1, y, width - 2, STYLE_DIM, 0x2500);
	canvas_fill(c, x + 1, bottom, width - 2, STYLE_DIM, 0x2500);
	for (uint32_t row = y + 1; row < bottom; row++) {
		canvas_rune(c, x, row, STYLE_DIM, 0x2502);
		canvas_fill(c, x + 1, row, width - 2, STYLE_PLAIN, ' ');
		canvas_rune(c, right, row, STYLE_DIM, 0x2502);
	}
	canvas_rune(c, x, y, STYLE_DIM, 0x250c);
	canvas_rune(c, right, y, STYLE_DIM, 0x2510);
	canvas_rune(c, x, bottom, STYLE_DIM, 0x2514);
	canvas_rune(c, right, bottom, STYLE_DIM, 0x2518);
	if (title && width > 6)
		canvas_printf(c, x + 2, y, STYLE_STRONG, " %.*s ", (int)width - 6, title);
}

void canvas_select(struct canvas *c, uint32_t x, uint32_t y, uint32_t width)
{
	for (uint32_t end = x + width; x < end && x < c->columns; x++) {
		struct canvas_cell *cell = cell_at(c, x, y);

		if (cell)
			cell->selected = true;
	}
}

void canvas_restyle(struct canvas *c, uint32_t x, uint32_t y, uint32_t width,
		    enum canvas_style style)
{
	for (uint32_t end = x + width; x < end && x < c->columns; x++) {
		struct canvas_cell *cell = cell_at(c, x, y);

		if (cell)
			cell->style = style;
	}
}

/* ---- Reading */

/* The columns of a row up to the last one that shows anything. */
static uint32_t row_columns(const struct canvas *c, uint32_t y, bool marked)
{
	uint32_t columns = c->columns;

	for (; columns; columns--) {
		const struct canvas_cell *cell = canvas_at(c, columns - 1, y);

		if (cell->rune != ' ' || (marked && (cell->style || cell->selected)))
			break;
	}
	return columns;
}

void canvas_write_text(const struct canvas *c, FILE *out)
{
	char text[5];

	for (uint32_t y = 0; y < c->rows; y++) {
		uint32_t columns = row_columns(c, y, false);

		for (uint32_t x = 0; x < columns; x++) {
			canvas_utf8(text, canvas_at(c, x, y)->rune);
			fputs(text, out);
		}
		fputc('\n', out);
	}
}

static bool same_look(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->style == b->style && a->selected == b->selected;
}

static void write_marked_row(const struct canvas *c, uint32_t y, FILE *out)
{
	struct canvas_cell plain = { 0 };
	const struct canvas_cell *last = &plain;
	uint32_t columns = row_columns(c, y, true);
	char text[5];

	for (uint32_t x = 0; x < columns; x++) {
		const struct canvas_cell *cell = canvas_at(c, x, y);

		if (!same_look(cell, last))
			fprintf(out, "{%s%s}", cell->selected ? ">" : "", STYLE_NAMES[cell->style]);
		canvas_utf8(text, cell->rune);
		fprintf(out, "%s%s", cell->rune == '{' ? "{" : "", text);
		last = cell;
	}
	fputs(same_look(last, &plain) ? "\n" : "{}\n", out);
}

void canvas_write_marked(const struct canvas *c, FILE *out)
{
	for (uint32_t y = 0; y < c->rows; y++)
		write_marked_row(c, y, out);
}
