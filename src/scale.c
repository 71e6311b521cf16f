// SPDX-License-Identifier: GPL-2.0-only
#include "scale.h"
#include "mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Measures */

#define MEASURE(name, counts_expression, tally_member)                                             \
	static double name##_of_counts(const struct counts *c)                                     \
	{                                                                                          \
		return counts_expression;                                                          \
	}                                                                                          \
	static double name##_of_tally(const struct tally_count *c)                                 \
	{                                                                                          \
		return c->tally_member;                                                            \
	}

MEASURE(hitm, counts_hitm(c), hitm)
MEASURE(peer, c->peer, peer)
MEASURE(cycles, c->latency_sum, latency)
MEASURE(stores, c->stores, stores)
MEASURE(samples, c->samples, samples)

static bool hitm_known(const struct view *v)
{
	return v->hitm_known && counts_hitm(&v->profile->total);
}

static bool peer_known(const struct view *v)
{
	return v->profile->total.peer;
}

static bool cycles_known(const struct view *v)
{
	return v->profile->total.latency_samples;
}

static bool stores_known(const struct view *v)
{
	return v->profile->total.stores;
}

static bool samples_known(const struct view *v)
{
	return true;
}

/* The first that is known shows contention best. */
static const struct measure MEASURES[] = {
	{ "HITM", "loads and stores of lines modified in another core's cache", hitm_of_counts,
	  hitm_of_tally, hitm_known },
	{ "peer", "loads from another core's cache, perhaps not modified", peer_of_counts,
	  peer_of_tally, peer_known },
	{ "cycles", "latency of all sampled accesses", cycles_of_counts, cycles_of_tally,
	  cycles_known },
	{ "stores", "sampled stores", stores_of_counts, stores_of_tally, stores_known },
	{ "samples", "sampled accesses", samples_of_counts, samples_of_tally, samples_known },
};

static bool is_known(const struct measure *m, const struct screen_input *in)
{
	for (int s = 0; s < SCREEN_SIDES; s++)
		if (in->side[s].view && m->known(in->side[s].view))
			return true;
	return false;
}

static const struct measure *choose_measure(const struct screen_input *in, uint32_t choice)
{
	const struct measure *known[ARRAY_SIZE(MEASURES)] = { MEASURES };
	uint32_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(MEASURES); i++)
		if (is_known(&MEASURES[i], in))
			known[count++] = &MEASURES[i];
	return known[count ? choice % count : 0];
}

/* ---- Units */

static double operations_of(const struct screen_side *side)
{
	return side->view->operations;
}

static double seconds_of(const struct screen_side *side)
{
	return side->seconds;
}

static const struct unit {
	const char *name;
	double (*of)(const struct screen_side *side); /* 0: not known */
	bool alone;				      /* also for one recording by itself */
} UNITS[] = {
	{ "/op", operations_of, true },
	{ "/s", seconds_of, false },
};

static uint32_t count_sides(const struct screen_input *in)
{
	return (in->side[0].view != NULL) + (in->side[1].view != NULL);
}

/* Whether all sides can be divided by it. */
static bool unit_fits(const struct unit *u, const struct screen_input *in)
{
	if (!u->alone && !in->live && count_sides(in) < SCREEN_SIDES)
		return false;
	for (int s = 0; s < SCREEN_SIDES; s++)
		if (in->side[s].view && !(u->of(&in->side[s]) > 0))
			return false;
	return count_sides(in) > 0;
}

struct scale scale_of(const struct screen_input *in, uint32_t choice)
{
	struct scale s = { .measure = choose_measure(in, choice),
			   .factor = { 1, 1 },
			   .unit = "",
			   .comparable = count_sides(in) < SCREEN_SIDES };

	for (size_t i = 0; i < ARRAY_SIZE(UNITS); i++) {
		if (!unit_fits(&UNITS[i], in))
			continue;
		s.unit = UNITS[i].name;
		s.comparable = true;
		for (int side = 0; side < SCREEN_SIDES; side++)
			if (in->side[side].view)
				s.factor[side] = 1 / UNITS[i].of(&in->side[side]);
		break;
	}
	return s;
}

/* ---- Texts */

const char *scale_title(char text[FIGURE_TEXT_BYTES], const struct scale *s)
{
	snprintf(text, FIGURE_TEXT_BYTES, "%s%s", s->measure->name, s->unit);
	return text;
}

const char *scale_count(char text[FIGURE_TEXT_BYTES], double count)
{
	static const struct {
		double least, divisor;
		char suffix;
	} BIG[] = {
		{ 1e16, 1e15, 'P' }, { 1e13, 1e12, 'T' }, { 1e10, 1e9, 'G' }, { 1e7, 1e6, 'M' }
	};

	for (size_t i = 0; i < ARRAY_SIZE(BIG); i++)
		if (count >= BIG[i].least) {
			snprintf(text, FIGURE_TEXT_BYTES, "%.0f %c", count / BIG[i].divisor,
				 BIG[i].suffix);
			return text;
		}
	return figure_count(text, (uint64_t)round(count));
}

const char *scale_value(char text[FIGURE_TEXT_BYTES], const struct scale *s, double value)
{
	struct figure f = { .known = true, .range = { value, value, value } };

	if (!s->unit[0] || value >= 1000 || !(value > 0))
		return scale_count(text, value);
	if (value < 0.00005)
		return strcpy(text, "<0.0001");
	return figure_text(text, FIGURE_RATE_RANGE, &f);
}

const char *scale_seconds(char text[FIGURE_TEXT_BYTES], double seconds)
{
	static const struct {
		double least, factor;
		const char *suffix;
	} UNIT[] = {
		{ 60, 1.0 / 60, "min" }, { 1, 1, "s" }, { 1e-3, 1e3, "ms" }, { 0, 1e6, "us" }
	};

	for (size_t i = 0; i < ARRAY_SIZE(UNIT); i++)
		if (seconds >= UNIT[i].least) {
			snprintf(text, FIGURE_TEXT_BYTES, "%.3g %s", seconds * UNIT[i].factor,
				 UNIT[i].suffix);
			break;
		}
	return text;
}

const char *scale_change(char text[FIGURE_TEXT_BYTES], double before, double after)
{
	double percent = before > 0 ? 100 * (after - before) / before : 0;

	text[0] = '\0';
	if (before > 0 && after >= 10 * before)
		snprintf(text, FIGURE_TEXT_BYTES, "%.0fx", after / before);
	else if (before > 0 && after > 0)
		snprintf(text, FIGURE_TEXT_BYTES, fabs(percent) < 0.5 ? "0 %%" : "%+.0f %%",
			 percent);
	else if (before > 0 || after > 0)
		strcpy(text, before > 0 ? "gone" : "new");
	return text;
}

/* ---- Drawing heat */

#define FINE 1000000 /* of the hottest */

static const struct {
	uint32_t rune, colder; /* "colder": of differences, so that the sign needs no colour */
	double part;	       /* of the hottest from which on it is used; see heatmap.h */
} SHADES[HEAT_SHADES] = {
	[SHADE_NONE] = { ' ', ' ', 0 },
	[SHADE_LIGHT] = { 0x2591, 0x00b7, 0 },	       /* ░ · */
	[SHADE_MEDIUM] = { 0x2592, 0x25bf, 1.0 / 32 }, /* ▒ ▿ */
	[SHADE_DARK] = { 0x2593, 0x25bd, 1.0 / 8 },    /* ▓ ▽ */
	[SHADE_FULL] = { 0x2588, 0x25bc, 1.0 / 2 },    /* █ ▼ */
};

enum heat_shade scale_shade(double heat, double hottest)
{
	double share = hottest > 0 ? heat / hottest : 0;

	if (!(share > 0))
		return SHADE_NONE;
	return heat_shade(share >= 1 ? FINE : (uint64_t)ceil(FINE * share), FINE);
}

static enum canvas_style shade_style(enum canvas_style lightest, enum heat_shade shade)
{
	return shade == SHADE_NONE ? STYLE_PLAIN : lightest + shade - SHADE_LIGHT;
}

static uint32_t put_shade(struct canvas *c, uint32_t x, uint32_t y, enum heat_shade shade)
{
	return canvas_rune(c, x, y, shade_style(STYLE_HEAT_LIGHT, shade), SHADES[shade].rune);
}

uint32_t scale_heat(struct canvas *c, uint32_t x, uint32_t y, double heat, double hottest)
{
	return put_shade(c, x, y, scale_shade(heat, hottest));
}

uint32_t scale_difference(struct canvas *c, uint32_t x, uint32_t y, double change, double hottest)
{
	enum heat_shade shade = scale_shade(fabs(change), hottest);

	if (shade <= SHADE_LIGHT)
		return canvas_rune(c, x, y, STYLE_PLAIN, ' ');
	if (change < 0)
		return canvas_rune(c, x, y, shade_style(STYLE_COLDER_LIGHT, shade),
				   SHADES[shade].colder);
	return canvas_rune(c, x, y, shade_style(STYLE_HOTTER_LIGHT, shade), SHADES[shade].rune);
}

uint32_t scale_strip(struct canvas *c, uint32_t x, uint32_t y, const double heat[LINE_WORDS],
		     double hottest)
{
	x = canvas_rune(c, x, y, STYLE_DIM, 0x2595);
	for (int w = 0; w < LINE_WORDS; w++) {
		if (w == LINE_WORDS / 2)
			x = canvas_rune(c, x, y, STYLE_DIM, 0x2506);
		x = scale_heat(c, x, y, heat[w], hottest);
	}
	return canvas_rune(c, x, y, STYLE_DIM, 0x258f);
}

/* The values that fall into column "at" of "width", on average. */
static double spark_value(const double *value, uint32_t count, uint32_t at, uint32_t width)
{
	uint32_t from = (uint64_t)at * count / width, to = (uint64_t)(at + 1) * count / width;
	double sum = 0;

	to = to > from ? to : from + 1;
	for (uint32_t i = from; i < to; i++)
		sum += value[i];
	return sum / (to - from);
}

uint32_t scale_spark(struct canvas *c, uint32_t x, uint32_t y, uint32_t width, const double *value,
		     uint32_t count, double most)
{
	for (uint32_t i = 0; i < width && count; i++) {
		double v = spark_value(value, count, i, width);
		uint32_t step = most > 0 && v > 0 ? (uint32_t)ceil(8 * fmin(v / most, 1)) : 0;

		canvas_rune(c, x + i, y,
			    step ? shade_style(STYLE_HEAT_LIGHT, scale_shade(v, most))
				 : STYLE_PLAIN,
			    step ? 0x2580 + step : ' ');
	}
	return x + width;
}

static uint32_t legend_differences(struct canvas *c, uint32_t x, uint32_t y)
{
	x = canvas_text(c, x, y, STYLE_DIM, "  change ");
	for (int s = SHADE_FULL; s > SHADE_LIGHT; s--)
		x = canvas_rune(c, x, y, shade_style(STYLE_COLDER_LIGHT, s), SHADES[s].colder);
	x = canvas_text(c, x, y, STYLE_DIM, " less ");
	for (int s = SHADE_FULL; s > SHADE_LIGHT; s--)
		x = canvas_rune(c, x, y, shade_style(STYLE_HOTTER_LIGHT, s), SHADES[s].rune);
	return canvas_text(c, x, y, STYLE_DIM, " more");
}

uint32_t scale_legend(struct canvas *c, uint32_t x, uint32_t y, double hottest, bool difference)
{
	for (int s = SHADE_FULL; s > SHADE_NONE; s--) {
		double from = SHADES[s].part * hottest;

		x = put_shade(c, x, y, s);
		if (s > SHADE_LIGHT)
			x = canvas_printf(c, x, y, STYLE_DIM, from < 10 ? " %.2g+ " : " %.0f+ ",
					  from);
		else
			x = canvas_text(c, x, y, STYLE_DIM, " less");
	}
	return difference ? legend_differences(c, x, y) : x;
}
