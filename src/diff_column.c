// SPDX-License-Identifier: GPL-2.0-only
#include "diff_column.h"
#include "line.h"

#include <math.h>
#include <stdio.h>

/* Of a side's hits; objects and fields below it are counted, not shown. */
#define LEAST_SHARE 0.005

static struct figure text(const char *s)
{
	return (struct figure){ .known = s != NULL, .text = s };
}

static struct figure count_if(bool known, uint64_t n)
{
	return (struct figure){ .known = known, .count = n };
}

static struct figure real(double x)
{
	return (struct figure){ .known = isfinite(x), .real = x };
}

static struct figure range(const struct diff_range *r)
{
	struct figure f = { .known = r->known };

	f.range.typical = r->at[1];
	f.range.low = diff_range_low(r);
	f.range.high = diff_range_high(r);
	return f;
}

#define GET(name, expression)                                                                      \
	static struct figure name(const struct diff_at *at)                                        \
	{                                                                                          \
		return expression;                                                                 \
	}

static uint64_t hits(const struct diff_at *at, enum diff_side side)
{
	const struct counts *c = &at->row->counts[side];

	return at->diff->peers ? c->peer : counts_hitm(c);
}

static double rate(const struct diff_at *at, enum diff_unit unit, enum diff_side side)
{
	return at->row->rate[unit][side];
}

static struct figure ratio(const struct diff_at *at)
{
	const struct stat_ratio *r = &at->row->ratio;
	struct figure f = { .known = r->known && isfinite(r->ratio) };

	f.range.typical = r->ratio;
	f.range.low = r->low;
	f.range.high = r->high;
	return f;
}

/* ---- The whole */

GET(unit, text(diff_unit_name(at->diff->unit)))
GET(evidence, text(at->diff->peers ? "peer" : "hitm"))
GET(runs_before, count_if(true, at->diff->side_runs[0]))
GET(runs_after, count_if(true, at->diff->side_runs[1]))
GET(operations_before, count_if(at->diff->operations[0], at->diff->operations[0]))
GET(operations_after, count_if(at->diff->operations[1], at->diff->operations[1]))
GET(exact_before, range(&at->diff->hitm_per_operation[0]))
GET(exact_after, range(&at->diff->hitm_per_operation[1]))
GET(cycles_before, range(&at->diff->cycles_per_operation[0]))
GET(cycles_after, range(&at->diff->cycles_per_operation[1]))
GET(speedup, range(&at->diff->speedup))

#define COLUMN(name, heading, what, function)                                                      \
	{                                                                                          \
		.key = (name), .title = (heading), .kind = FIGURE_##what, .get = (function)        \
	}

const struct diff_column diff_whole_columns[] = {
	COLUMN("unit", NULL, TEXT, unit),
	COLUMN("evidence", NULL, TEXT, evidence),
	COLUMN("runs_before", "recordings before", COUNT, runs_before),
	COLUMN("runs_after", "recordings after", COUNT, runs_after),
	COLUMN("operations_before", "operations before", COUNT, operations_before),
	COLUMN("operations_after", "operations after", COUNT, operations_after),
	COLUMN("hitm_per_operation_before", "HITM per operation before", RATE_RANGE, exact_before),
	COLUMN("hitm_per_operation_after", "HITM per operation after", RATE_RANGE, exact_after),
	COLUMN("cycles_per_operation_before", "cycles between operations before", RATE_RANGE,
	       cycles_before),
	COLUMN("cycles_per_operation_after", "cycles between operations after", RATE_RANGE,
	       cycles_after),
	COLUMN("speedup", "operations per time, after by before", RATE_RANGE, speedup),
	{ 0 },
};

/* ---- Any row */

GET(samples_before, count_if(true, hits(at, DIFF_BEFORE)))
GET(samples_after, count_if(true, hits(at, DIFF_AFTER)))
GET(per_operation_before, real(rate(at, DIFF_PER_OPERATION, DIFF_BEFORE)))
GET(per_operation_after, real(rate(at, DIFF_PER_OPERATION, DIFF_AFTER)))
GET(per_second_before, real(rate(at, DIFF_PER_SECOND, DIFF_BEFORE)))
GET(per_second_after, real(rate(at, DIFF_PER_SECOND, DIFF_AFTER)))
GET(per_sample_before, real(rate(at, DIFF_PER_SAMPLE, DIFF_BEFORE)))
GET(per_sample_after, real(rate(at, DIFF_PER_SAMPLE, DIFF_AFTER)))
GET(p, real(at->row->adjusted))
GET(significance, text(diff_significance(at->row)))
GET(significant, count_if(true, at->row->significant))
GET(word, text(diff_word_name(at->row->word)))
GET(story, text(at->row->story))

#define RATE_COLUMN(name, heading, unit_, function)                                                \
	{                                                                                          \
		.key = (name), .title = (heading), .kind = FIGURE_RATE, .get = (function),         \
		.units = 1u << (unit_)                                                             \
	}

const struct diff_column diff_row_columns[] = {
	COLUMN("samples_before", "samples before", COUNT, samples_before),
	COLUMN("samples_after", "samples after", COUNT, samples_after),
	RATE_COLUMN("per_operation_before", "per operation before", DIFF_PER_OPERATION,
		    per_operation_before),
	RATE_COLUMN("per_operation_after", "per operation after", DIFF_PER_OPERATION,
		    per_operation_after),
	RATE_COLUMN("per_second_before", "per second before", DIFF_PER_SECOND, per_second_before),
	RATE_COLUMN("per_second_after", "per second after", DIFF_PER_SECOND, per_second_after),
	RATE_COLUMN("per_sample_before", "per sample before", DIFF_PER_SAMPLE, per_sample_before),
	RATE_COLUMN("per_sample_after", "per sample after", DIFF_PER_SAMPLE, per_sample_after),
	COLUMN("ratio", "after by before (95 %)", RATE_RANGE, ratio),
	COLUMN("p", NULL, RATE, p),
	COLUMN("significant", NULL, FLAG, significant),
	COLUMN("significance", "beyond noise?", TEXT, significance),
	COLUMN("word", NULL, TEXT, word),
	COLUMN("story", "what happened", TEXT, story),
	{ 0 },
};

/* ---- Objects and fields */

GET(object_name, text(at->object->row.name))
GET(lines_before, count_if(true, at->object->lines[0]))
GET(lines_after, count_if(true, at->object->lines[1]))

const struct diff_column diff_object_columns[] = {
	COLUMN("object", "object", TEXT, object_name),
	COLUMN("lines_before", NULL, COUNT, lines_before),
	COLUMN("lines_after", NULL, COUNT, lines_after),
	{ 0 },
};

static struct figure place(const struct diff_at *at, enum diff_side side)
{
	uint32_t offset = at->field->line_offset[side];

	return count_if(offset != DIFF_ABSENT, offset);
}

static struct figure half(const struct diff_at *at, enum diff_side side)
{
	uint32_t offset = at->field->line_offset[side];

	return text(offset == DIFF_ABSENT ? NULL : line_half_name(line_half(offset)));
}

GET(field_name, text(at->field->row.name))
GET(field_offset, count_if(true, at->field->offset))
GET(place_before, place(at, DIFF_BEFORE))
GET(place_after, place(at, DIFF_AFTER))
GET(half_before, half(at, DIFF_BEFORE))
GET(half_after, half(at, DIFF_AFTER))

const struct diff_column diff_field_columns[] = {
	COLUMN("field", "field", TEXT, field_name),
	COLUMN("offset", "offset", OFFSET, field_offset),
	COLUMN("line_offset_before", NULL, OFFSET, place_before),
	COLUMN("half_before", "half before", TEXT, half_before),
	COLUMN("line_offset_after", NULL, OFFSET, place_after),
	COLUMN("half_after", "half after", TEXT, half_after),
	{ 0 },
};

/* ---- For people */

const char *diff_change_text(char out[FIGURE_TEXT_BYTES], const struct diff_row *row)
{
	if (!row->ratio.known)
		return "";
	if (isinf(row->ratio.ratio))
		return "new";
	if (!(row->ratio.ratio > 0))
		return "gone";
	snprintf(out, FIGURE_TEXT_BYTES, "%+.0f %%", 100 * (row->ratio.ratio - 1));
	return out;
}

bool diff_is_titled(const struct diff *d, const struct diff_column *c)
{
	return c->title && (!c->units || c->units & 1u << d->unit);
}

const char *diff_joint(const struct diff_row *field)
{
	return field->name[0] == '[' || field->name[0] == '+' ? "" : ".";
}

const char *diff_significance(const struct diff_row *row)
{
	if (isnan(row->adjusted))
		return "too few samples";
	return row->significant ? "significant" : "not significant";
}

static uint64_t row_hits(const struct diff *d, const struct diff_row *row, int side)
{
	return d->peers ? row->counts[side].peer : counts_hitm(&row->counts[side]);
}

bool diff_worth_showing(const struct diff *d, const struct diff_row *row)
{
	for (int s = 0; s < DIFF_SIDES; s++) {
		uint64_t hits = row_hits(d, row, s);

		if (hits && hits >= LEAST_SHARE * row_hits(d, &d->total, s))
			return true;
	}
	return false;
}
