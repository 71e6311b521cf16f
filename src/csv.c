// SPDX-License-Identifier: GPL-2.0-only
#include "csv.h"
#include "line.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void begin_value(struct csv *c)
{
	if (c->begun)
		fputc(',', c->out);
	c->begun = true;
}

/* A spreadsheet takes a text that begins so for a formula, and names come from files. "+8" is none.
 */
static bool looks_like_formula(const char *s)
{
	if (s[0] == '+' || s[0] == '-')
		return s[1 + strspn(s + 1, "0123456789")] != '\0';
	return s[0] && strchr("=@\t\r", s[0]);
}

void csv_text(struct csv *c, const char *s)
{
	begin_value(c);
	if (!s)
		return;
	if (!strpbrk(s, ",\"\r\n") && !looks_like_formula(s)) {
		fputs(s, c->out);
		return;
	}
	fputc('"', c->out);
	if (looks_like_formula(s))
		fputc('\'', c->out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', c->out);
		fputc(*s, c->out);
	}
	fputc('"', c->out);
}

static void put_u64(struct csv *c, uint64_t n)
{
	begin_value(c);
	fprintf(c->out, "%" PRIu64, n);
}

/* Fewest digits that read back as the same value; programs run in the C locale for numbers. */
static void put_double(struct csv *c, double x)
{
	char text[32];

	begin_value(c);
	if (!isfinite(x))
		return;
	for (int digits = 1; digits <= 17; digits++) {
		double back;

		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (sscanf(text, "%lf", &back) == 1 && back == x)
			break;
	}
	fputs(text, c->out);
}

/* ---- Figures */

static void put_count(struct csv *c, const struct figure *f)
{
	put_u64(c, f->count);
}

static void put_flag(struct csv *c, const struct figure *f)
{
	csv_text(c, f->count ? "true" : "false");
}

static void put_text(struct csv *c, const struct figure *f)
{
	csv_text(c, f->text);
}

static void put_address(struct csv *c, const struct figure *f)
{
	begin_value(c);
	fprintf(c->out, "0x%" PRIx64, f->count);
}

static void put_real(struct csv *c, const struct figure *f)
{
	put_double(c, f->real);
}

static void put_distances(struct csv *c, const struct figure *f)
{
	for (int i = 0; i < MEMORY_DISTANCES; i++)
		put_u64(c, f->by_distance[i]);
}

static void put_range(struct csv *c, const struct figure *f)
{
	put_double(c, f->range.typical);
	put_double(c, f->range.low);
	put_double(c, f->range.high);
}

static void put_heat(struct csv *c, const struct figure *f)
{
	for (int i = 0; i < LINE_WORDS; i++)
		put_u64(c, f->heat[i]);
}

#define ONE                                                                                        \
	(const char *const[])                                                                      \
	{                                                                                          \
		"", NULL                                                                           \
	}
#define RANGE                                                                                      \
	(const char *const[])                                                                      \
	{                                                                                          \
		"", "_low", "_high", NULL                                                          \
	}

static const struct {
	void (*put)(struct csv *c, const struct figure *f);
	const char *const *names; /* of the values: what follows the column's key */
} KINDS[] = {
	[FIGURE_COUNT] = { put_count, ONE },
	[FIGURE_FLAG] = { put_flag, ONE },
	[FIGURE_TEXT] = { put_text, ONE },
	[FIGURE_ADDRESS] = { put_address, ONE },
	[FIGURE_OFFSET] = { put_count, ONE },
	[FIGURE_SHARE] = { put_real, ONE },
	[FIGURE_CYCLES] = { put_real, ONE },
	[FIGURE_RATE] = { put_real, ONE },
	[FIGURE_DISTANCES] = { put_distances, (const char *const[]){ "_same_llc", "_same_node",
								     "_other_node", NULL } },
	[FIGURE_COUNT_RANGE] = { put_range, RANGE },
	[FIGURE_RATE_RANGE] = { put_range, RANGE },
	[FIGURE_HEAT] = { put_heat, (const char *const[]){ "_0", "_1", "_2", "_3", "_4", "_5", "_6",
							   "_7", NULL } },
};

void csv_names(struct csv *c, const char *key, enum figure_kind kind)
{
	char name[96];

	for (const char *const *n = KINDS[kind].names; *n; n++) {
		snprintf(name, sizeof(name), "%s%s", key, *n);
		csv_text(c, name);
	}
}

void csv_figure(struct csv *c, enum figure_kind kind, const struct figure *f)
{
	if (f->known) {
		KINDS[kind].put(c, f);
		return;
	}
	for (const char *const *n = KINDS[kind].names; *n; n++)
		csv_text(c, NULL);
}

void csv_end(struct csv *c)
{
	fputc('\n', c->out);
	c->begun = false;
}
