/* SPDX-License-Identifier: GPL-2.0-only */
/* What heat is on a screen: which count, and of what unit, so that two sides can be compared. */
#ifndef HITMAP_SCALE_H
#define HITMAP_SCALE_H

#include "canvas.h"
#include "figure.h"
#include "heatmap.h"
#include "screen.h"

struct measure {
	const char *name;  /* "HITM" */
	const char *words; /* "loads of lines modified elsewhere" */
	double (*of_counts)(const struct counts *c);
	double (*of_tally)(const struct tally_count *c);
	bool (*known)(const struct view *v);
};

struct scale {
	const struct measure *measure;
	double factor[SCREEN_SIDES]; /* from samples to the unit */
	const char *unit;	     /* behind the measure's name: "/op", "/s", "" */
	bool comparable;	     /* false: two sides, and nothing that both can be divided by */
};

/* "choice": how often the user asked for another measure than the first that is known. */
struct scale scale_of(const struct screen_input *in, uint32_t choice);

static inline double scale_counts(const struct scale *s, int side, const struct counts *c)
{
	return s->factor[side] * s->measure->of_counts(c);
}

static inline double scale_tally(const struct scale *s, int side, const struct tally_count *c)
{
	return s->factor[side] * s->measure->of_tally(c);
}

/* "HITM/op"; returns "text". */
const char *scale_title(char text[FIGURE_TEXT_BYTES], const struct scale *s);
/* A value in the scale's unit, three figures that matter: "0.021", "3.97", "12,345"; "<0.0001";
 * "0". Returns "text". */
const char *scale_value(char text[FIGURE_TEXT_BYTES], const struct scale *s, double value);
/* A count, in seven columns at most: "12,345", "12 M". Returns "text". */
const char *scale_count(char text[FIGURE_TEXT_BYTES], double count);
/* A time in seconds: "9.4 ms". Returns "text". */
const char *scale_seconds(char text[FIGURE_TEXT_BYTES], double seconds);
/* "-49 %", "new", "gone", "12x" where percents get long, "" where both are nothing. */
const char *scale_change(char text[FIGURE_TEXT_BYTES], double before, double after);

/* ---- Drawing heat */

enum heat_shade scale_shade(double heat, double hottest);
/* One cell of heat; of none: a space. */
uint32_t scale_heat(struct canvas *c, uint32_t x, uint32_t y, double heat, double hottest);
/* One cell of a difference: nothing up to 1/32 of the hottest. */
uint32_t scale_difference(struct canvas *c, uint32_t x, uint32_t y, double change, double hottest);
/* A strip of eight words with its halves apart; HEAT_STRIP_COLUMNS wide. */
uint32_t scale_strip(struct canvas *c, uint32_t x, uint32_t y, const double heat[LINE_WORDS],
		     double hottest);
/* A graph one row high, of "count" values in "width" columns. */
uint32_t scale_spark(struct canvas *c, uint32_t x, uint32_t y, uint32_t width, const double *value,
		     uint32_t count, double most);
/* From which figure on each shade is used; "difference": also those of differences. */
uint32_t scale_legend(struct canvas *c, uint32_t x, uint32_t y, double hottest, bool difference);

#endif
