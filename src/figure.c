// SPDX-License-Identifier: GPL-2.0-only
#include "figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *figure_count(char text[FIGURE_TEXT_BYTES], uint64_t n)
{
	char digits[24];
	int count = snprintf(digits, sizeof(digits), "%" PRIu64, n), to = 0;

	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			text[to++] = ',';
		text[to++] = digits[i];
	}
	text[to] = '\0';
	return text;
}

static void text_count(char *text, const struct figure *f)
{
	figure_count(text, f->count);
}

static void text_flag(char *text, const struct figure *f)
{
	strcpy(text, f->count ? "yes" : "no");
}

static void text_address(char *text, const struct figure *f)
{
	snprintf(text, FIGURE_TEXT_BYTES, "0x%" PRIx64, f->count);
}

static void text_offset(char *text, const struct figure *f)
{
	snprintf(text, FIGURE_TEXT_BYTES, "+%" PRIu64, f->count);
}

static void text_share(char *text, const struct figure *f)
{
	snprintf(text, FIGURE_TEXT_BYTES, "%.1f %%", 100 * f->real);
}

static void text_cycles(char *text, const struct figure *f)
{
	figure_count(text, llrint(f->real));
}

static void text_distances(char *text, const struct figure *f)
{
	figure_count(text, f->by_distance[0] + f->by_distance[1] + f->by_distance[2]);
}

static void text_parts(char *text, const struct figure *f)
{
	double sum = 0;

	for (uint32_t i = 0; i < f->parts.count; i++)
		sum += f->parts.part[i];
	text[0] = '\0';
	for (uint32_t i = 0; i < f->parts.count; i++)
		snprintf(text + strlen(text), 16, "%s%.0f", i ? "/" : "",
			 100 * f->parts.part[i] / sum);
}

static void text_count_range(char *text, const struct figure *f)
{
	char low[FIGURE_TEXT_BYTES], high[FIGURE_TEXT_BYTES];

	figure_count(text, llrint(f->range.typical));
	if (f->range.low < f->range.high)
		snprintf(text + strlen(text), FIGURE_TEXT_BYTES / 2, " (%.28s..%.28s)",
			 figure_count(low, llrint(f->range.low)),
			 figure_count(high, llrint(f->range.high)));
}

/* Three figures that matter: 0.021, 3.97, 12.3; from a thousand on as a count. */
static void one_rate(char text[FIGURE_TEXT_BYTES], double rate)
{
	if (rate >= 1000)
		figure_count(text, llrint(rate));
	else
		snprintf(text, FIGURE_TEXT_BYTES, "%.*f",
			 rate >= 100		      ? 0
			 : rate >= 10		      ? 1
			 : rate >= 0.1 || !(rate > 0) ? 2
						      : 4,
			 rate);
}

static void text_rate(char *text, const struct figure *f)
{
	if (f->real > 0 && f->real < 0.00005)
		snprintf(text, FIGURE_TEXT_BYTES, "%.0e", f->real);
	else
		one_rate(text, f->real);
}

static void text_rate_range(char *text, const struct figure *f)
{
	char low[FIGURE_TEXT_BYTES], high[FIGURE_TEXT_BYTES];

	one_rate(text, f->range.typical);
	one_rate(low, f->range.low);
	one_rate(high, f->range.high);
	if (strcmp(low, high))
		snprintf(text + strlen(text), FIGURE_TEXT_BYTES / 2, " (%.28s..%.28s)", low, high);
}

static void (*const TEXT[])(char *text, const struct figure *f) = {
	[FIGURE_COUNT] = text_count,
	[FIGURE_FLAG] = text_flag,
	[FIGURE_ADDRESS] = text_address,
	[FIGURE_OFFSET] = text_offset,
	[FIGURE_SHARE] = text_share,
	[FIGURE_CYCLES] = text_cycles,
	[FIGURE_DISTANCES] = text_distances,
	[FIGURE_PARTS] = text_parts,
	[FIGURE_COUNT_RANGE] = text_count_range,
	[FIGURE_RATE_RANGE] = text_rate_range,
	[FIGURE_RATE] = text_rate,
};

const char *figure_text(char text[FIGURE_TEXT_BYTES], enum figure_kind kind, const struct figure *f)
{
	if (f->known)
		TEXT[kind](text, f);
	else
		strcpy(text, "n/a");
	return text;
}
