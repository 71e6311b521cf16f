// SPDX-License-Identifier: GPL-2.0-only
#include "report_diff.h"
#include "diff_column.h"
#include "heatmap.h"
#include "label.h"

#include <math.h>
#include <string.h>

#define NAME_COLUMNS	36
#define TITLE_COLUMNS	27
#define SIDE_COLUMNS	32
#define STORY_COLUMNS	(REPORT_COLUMNS - 3)
#define DEFAULT_OBJECTS 10
#define MOST_MOVED	5 /* rows named of what went, and of what came */

struct drawing {
	FILE *out;
	const struct diff *diff;
	const struct report_options *options;
	uint64_t hottest; /* of all strips, in the before side's scale */
};

static const char *const SHORT_UNIT[] = {
	[DIFF_PER_OPERATION] = "op", [DIFF_PER_SECOND] = "s", [DIFF_PER_SAMPLE] = "sample"
};

static const char *rate_text(char text[FIGURE_TEXT_BYTES], double rate)
{
	struct figure f = { .known = isfinite(rate), .real = rate };

	return figure_text(text, FIGURE_RATE, &f);
}

static const char *range_text(char text[FIGURE_TEXT_BYTES], const struct diff_range *r)
{
	struct figure f = { .known = r->known };

	f.range.typical = r->at[1];
	f.range.low = diff_range_low(r);
	f.range.high = diff_range_high(r);
	return figure_text(text, FIGURE_RATE_RANGE, &f);
}

/* And a space. */
static void put_label(struct drawing *d, const char *text, int columns)
{
	label_put(d->out, text, columns - 1, d->options->unicode);
	fputc(' ', d->out);
}

static void head_row(struct drawing *d, const char *title, const char *before, const char *after,
		     const char *change)
{
	fprintf(d->out, "%-*s", TITLE_COLUMNS, title);
	put_label(d, before, SIDE_COLUMNS);
	put_label(d, after, SIDE_COLUMNS);
	fprintf(d->out, "%s\n", change);
}

/* ---- The head */

static const char *recording_name(const struct recording *r)
{
	return r->command ? r->command : r->path;
}

/* "record ... -- CMD" of hitmap's own recordings is told by what follows the dashes, without
 * folder. */
static void program_name(const struct recording *r, char text[LABEL_BYTES])
{
	const char *name = recording_name(r), *dashes = strstr(name, " -- "), *end, *slash;

	name = dashes ? dashes + 4 : name;
	end = name + strcspn(name, " ");
	slash = memrchr(name, '/', end - name);
	snprintf(text, LABEL_BYTES, "%s", slash ? slash + 1 : name);
}

static void draw_names(struct drawing *d)
{
	char text[DIFF_SIDES][LABEL_BYTES];
	uint32_t *runs = (uint32_t[]){ d->diff->side_runs[0], d->diff->side_runs[1] };

	head_row(d, "", "before", "after", "change");
	for (int s = 0; s < DIFF_SIDES; s++)
		program_name(d->diff->first[s]->recording, text[s]);
	head_row(d, "program", text[0], text[1], "");
	if (runs[0] == 1 && runs[1] == 1)
		return;
	for (int s = 0; s < DIFF_SIDES; s++)
		snprintf(text[s], sizeof(text[s]), "%u", runs[s]);
	head_row(d, "recordings", text[0], text[1], "");
}

static void draw_model(struct drawing *d)
{
	const struct note_model *m[DIFF_SIDES];
	char text[DIFF_SIDES][FIGURE_TEXT_BYTES];

	for (int s = 0; s < DIFF_SIDES; s++) {
		m[s] = d->diff->first[s]->profile->model;
		snprintf(text[s], sizeof(text[s]), "%s", m[s] ? m[s]->machine : "a real machine");
	}
	if (!m[0] && !m[1])
		return;
	head_row(d, "modelled on", text[0], text[1], "");
	fputs("Modelled, not measured; ranges in brackets: from the lowest to the highest hold.\n",
	      d->out);
}

static void range_row(struct drawing *d, const char *title, const struct diff_range r[DIFF_SIDES])
{
	char before[FIGURE_TEXT_BYTES], after[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES] = "";

	if (!r[0].known || !r[1].known)
		return;
	if (r[0].at[1] > 0)
		snprintf(change, sizeof(change), "%+.0f %%", 100 * (r[1].at[1] / r[0].at[1] - 1));
	head_row(d, title, range_text(before, &r[0]), range_text(after, &r[1]), change);
}

static void rate_row(struct drawing *d, const char *title, const double rate[DIFF_SIDES])
{
	char before[FIGURE_TEXT_BYTES], after[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES] = "";

	if (!isfinite(rate[0]) || !isfinite(rate[1]))
		return;
	if (rate[0] > 0)
		snprintf(change, sizeof(change), "%+.0f %%", 100 * (rate[1] / rate[0] - 1));
	head_row(d, title, rate_text(before, rate[0]), rate_text(after, rate[1]), change);
}

static const char *evidence(const struct drawing *d)
{
	return d->diff->peers ? "peers" : "HITM";
}

static void draw_counts(struct drawing *d)
{
	const struct diff *f = d->diff;
	char before[FIGURE_TEXT_BYTES], after[FIGURE_TEXT_BYTES], title[TITLE_COLUMNS];
	const struct counts *c = f->total.counts;

	snprintf(title, sizeof(title), "%s samples", evidence(d));
	head_row(d, title, figure_count(before, f->peers ? c[0].peer : counts_hitm(&c[0])),
		 figure_count(after, f->peers ? c[1].peer : counts_hitm(&c[1])), "");
	if (f->operations[0] && f->operations[1])
		head_row(d, "operations", figure_count(before, f->operations[0]),
			 figure_count(after, f->operations[1]), "");
}

static void draw_rates(struct drawing *d)
{
	const struct diff *f = d->diff;
	char title[TITLE_COLUMNS];

	if (f->hitm_per_operation[0].known && f->hitm_per_operation[1].known) {
		range_row(d, "HITM per operation", f->hitm_per_operation);
	} else if (f->operations[0] && f->operations[1]) {
		snprintf(title, sizeof(title), "%s per operation", evidence(d));
		rate_row(d, title, f->total.rate[DIFF_PER_OPERATION]);
	}
	snprintf(title, sizeof(title), "%s per second", evidence(d));
	rate_row(d, title, f->total.rate[DIFF_PER_SECOND]);
	if (f->unit == DIFF_PER_SAMPLE) {
		snprintf(title, sizeof(title), "%s per sample", evidence(d));
		rate_row(d, title, f->total.rate[DIFF_PER_SAMPLE]);
	}
	range_row(d, "cycles between operations", f->cycles_per_operation);
	if (f->speedup.known)
		fprintf(d->out, "%-*s%.2fx at the typical hold, %.2fx..%.2fx over all holds\n",
			TITLE_COLUMNS, "operations per time", f->speedup.at[1],
			diff_range_low(&f->speedup), diff_range_high(&f->speedup));
}

static void draw_significance(struct drawing *d)
{
	const struct diff_row *t = &d->diff->total;

	if (!t->ratio.known)
		return;
	if (isfinite(t->ratio.ratio))
		fprintf(d->out, "%-*s%s: after / before is %.2f, 95 %% interval %.2f..%.2f\n",
			TITLE_COLUMNS, "the whole", diff_significance(t), t->ratio.ratio,
			t->ratio.low, t->ratio.high);
	else
		fprintf(d->out, "%-*s%s: none before\n", TITLE_COLUMNS, "the whole",
			diff_significance(t));
	fprintf(d->out, "%-*snoise is that %s\n", TITLE_COLUMNS, "",
		d->diff->by_runs ? "between the recordings of a side"
				 : "of sampling, and 5 % for what two runs differ by");
}

static void draw_warnings(struct drawing *d)
{
	char label[LABEL_BYTES];

	for (uint32_t i = 0; i < d->diff->warning_count; i++)
		fprintf(d->out, "differs: %s\n",
			label_fit(label, d->diff->warnings[i], REPORT_COLUMNS - 9,
				  d->options->unicode));
}

/* ---- Objects and fields */

/* Heat that makes up for what the sides are divided by: strips of both share one scale. */
static void scaled_heat(const struct drawing *d, const struct contended_line *line, int side,
			uint64_t heat[LINE_WORDS])
{
	const struct diff_run *const *r = d->diff->first;
	double scale = 1;

	if (side && d->diff->unit == DIFF_PER_OPERATION)
		scale = (double)r[0]->operations / r[1]->operations;
	else if (side && d->diff->unit == DIFF_PER_SECOND)
		scale = r[0]->seconds / r[1]->seconds;
	for (int i = 0; i < LINE_WORDS; i++)
		heat[i] = line ? (uint64_t)llround(line->word_heat[i] * scale) : 0;
}

static void find_hottest(struct drawing *d)
{
	uint64_t heat[LINE_WORDS];

	for (uint32_t i = 0; i < d->diff->object_count; i++)
		for (int s = 0; s < DIFF_SIDES; s++) {
			scaled_heat(d, d->diff->objects[i].line[s], s, heat);
			for (int w = 0; w < LINE_WORDS; w++)
				d->hottest = heat[w] > d->hottest ? heat[w] : d->hottest;
		}
}

static void draw_row_rates(struct drawing *d, const struct diff_row *row)
{
	char a[FIGURE_TEXT_BYTES], b[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES];
	const double *rate = row->rate[d->diff->unit];

	fprintf(d->out, "%10s %10s %8s%s\n", rate_text(a, rate[0]), rate_text(b, rate[1]),
		diff_change_text(change, row), row->significant ? " *" : "");
}

static void draw_story(struct drawing *d, const struct diff_row *row, int indent)
{
	char label[LABEL_BYTES];

	if (row->word == DIFF_SAME)
		return;
	fprintf(d->out, "%*s%s\n", indent, "",
		label_fit(label, row->story, STORY_COLUMNS - indent, d->options->unicode));
}

static void draw_object(struct drawing *d, const struct diff_object *o)
{
	struct heat_style style = { d->options->unicode, d->options->colour };
	char strip[HEAT_STRIP_BYTES];
	uint64_t heat[LINE_WORDS];

	put_label(d, o->row.name, NAME_COLUMNS);
	for (int s = 0; s < DIFF_SIDES; s++) {
		scaled_heat(d, o->line[s], s, heat);
		heat_strip(strip, heat, d->hottest, &style);
		fprintf(d->out, "%s   ", strip);
	}
	draw_row_rates(d, &o->row);
	draw_story(d, &o->row, 1);
}

static const char *half_text(const struct diff_field *f, int side)
{
	if (f->line_offset[side] == DIFF_ABSENT)
		return "-";
	return line_half_name(line_half(f->line_offset[side]));
}

static void draw_field(struct drawing *d, const struct diff_field *f)
{
	char name[LABEL_BYTES];

	snprintf(name, sizeof(name), "   +%-4u %s", f->offset,
		 f->row.name[0] == '+' ? "" : f->row.name);
	put_label(d, name, NAME_COLUMNS);
	fprintf(d->out, "  %-*s   %-*s ", HEAT_STRIP_COLUMNS, half_text(f, 0), HEAT_STRIP_COLUMNS,
		half_text(f, 1));
	draw_row_rates(d, &f->row);
	draw_story(d, &f->row, 9);
}

static bool is_shown(const struct drawing *d, const struct diff_row *row)
{
	return d->options->all || diff_worth_showing(d->diff, row);
}

static void draw_fields(struct drawing *d, const struct diff_object *o)
{
	uint32_t hidden = 0;

	for (uint32_t i = 0; i < o->field_count; i++)
		if (is_shown(d, &o->fields[i].row))
			draw_field(d, &o->fields[i]);
		else
			hidden++;
	if (hidden)
		fprintf(d->out, "   %u more field%s with a small part of both sides' (--all)\n",
			hidden, hidden > 1 ? "s" : "");
}

static void draw_objects(struct drawing *d)
{
	uint32_t top = d->options->top ? d->options->top : DEFAULT_OBJECTS, shown = 0;
	char rate[FIGURE_TEXT_BYTES];

	snprintf(rate, sizeof(rate), "%s/%s", evidence(d), SHORT_UNIT[d->diff->unit]);
	fprintf(d->out, "\n%-*s%-*s   %-*s   %10s %10s %8s\n", NAME_COLUMNS,
		"object and its fields", HEAT_STRIP_COLUMNS, "before", HEAT_STRIP_COLUMNS, "after",
		rate, rate, "change");
	for (uint32_t i = 0; i < d->diff->object_count; i++) {
		const struct diff_object *o = &d->diff->objects[i];

		if (!is_shown(d, &o->row) || (!d->options->all && shown == top))
			continue;
		draw_object(d, o);
		draw_fields(d, o);
		shown++;
	}
	fprintf(d->out, "*: significant: chance makes a row look so in one diff of %.0f\n",
		1 / DIFF_LEVEL);
	if (shown < d->diff->object_count)
		fprintf(d->out, "%u more object%s not shown (--all)\n",
			d->diff->object_count - shown,
			d->diff->object_count - shown > 1 ? "s" : "");
}

/* ---- What went, and what came in its place */

static double gain(const struct drawing *d, const struct diff_row *row)
{
	const double *rate = row->rate[d->diff->unit];

	return rate[DIFF_AFTER] - rate[DIFF_BEFORE];
}

/* Fields whose rate changed to one side beyond noise; objects are in order of pain. */
static void draw_moved(struct drawing *d, const char *title, int sign)
{
	char total[FIGURE_TEXT_BYTES];
	uint32_t named = 0;
	double sum = 0;

	fputs(title, d->out);
	for (uint32_t i = 0; i < d->diff->object_count; i++) {
		const struct diff_object *o = &d->diff->objects[i];

		for (uint32_t k = 0; k < o->field_count; k++) {
			const struct diff_row *row = &o->fields[k].row;
			char name[LABEL_BYTES], label[LABEL_BYTES], rate[FIGURE_TEXT_BYTES];

			if (!row->significant || gain(d, row) * sign <= 0)
				continue;
			sum += gain(d, row);
			if (named++ >= MOST_MOVED)
				continue;
			snprintf(name, sizeof(name), "%s%s%s", o->row.name, diff_joint(row),
				 row->name);
			fprintf(d->out, "\n   %s%-10s %s", sign > 0 ? "+" : "-",
				rate_text(rate, fabs(gain(d, row))),
				label_fit(label, name, STORY_COLUMNS - 14, d->options->unicode));
		}
	}
	if (named > MOST_MOVED)
		fprintf(d->out, "\n   ... and %u more", named - MOST_MOVED);
	if (named)
		fprintf(d->out, "\n   %s%s %s per %s in all\n", sum < 0 ? "-" : "+",
			rate_text(total, fabs(sum)), evidence(d), diff_unit_name(d->diff->unit));
	else
		fputs(" none beyond noise\n", d->out);
}

void report_diff(FILE *out, const struct diff *diff, const struct report_options *options)
{
	struct drawing d = { .out = out, .diff = diff, .options = options };

	find_hottest(&d);
	draw_names(&d);
	draw_model(&d);
	draw_counts(&d);
	draw_rates(&d);
	draw_significance(&d);
	draw_warnings(&d);
	if (!diff->object_count) {
		fputs("\nNo contended line on either side.\n", out);
		return;
	}
	draw_objects(&d);
	fputc('\n', out);
	draw_moved(&d, "pain that went:", -1);
	draw_moved(&d, "pain that came:", 1);
}
