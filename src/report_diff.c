// SPDX-License-Identifier: GPL-2.0-only
#include "report_diff.h"
#include "figure.h"
#include "heatmap.h"
#include "label.h"

#include <math.h>
#include <string.h>

#define NAME_COLUMNS	34
#define TITLE_COLUMNS	27
#define SIDE_COLUMNS	32
#define DEFAULT_OBJECTS 10
/* Of a side's HITM; objects and fields below it are counted, not shown. */
#define LEAST_SHARE 0.005

struct drawing {
	FILE *out;
	const struct diff *diff;
	const struct recording *const *recording;
	const struct report_options *options;
	uint64_t hottest; /* of all strips, in the before side's scale */
	bool rates;	  /* both sides count operations: figures are per operation */
};

/* Relative change in percent, "new" and "gone" where a side has nothing, "" where both have. */
static const char *change_text(char text[FIGURE_TEXT_BYTES], double before, double after)
{
	if (!(before > 0) && !(after > 0))
		return "";
	if (!(before > 0))
		return "new";
	if (!(after > 0))
		return "gone";
	snprintf(text, FIGURE_TEXT_BYTES, "%+.0f %%", 100 * (after - before) / before);
	return text;
}

static const char *range_text(char text[FIGURE_TEXT_BYTES], const struct diff_range *r)
{
	struct figure f = { .known = r->known };

	f.range.typical = r->at[1];
	f.range.low = diff_range_low(r);
	f.range.high = diff_range_high(r);
	return figure_text(text, FIGURE_RATE_RANGE, &f);
}

static void put_label(struct drawing *d, const char *text, int columns)
{
	char label[LABEL_BYTES];

	label_fit(label, text, columns - 1, d->options->unicode);
	fprintf(d->out, "%s%*s", label, columns - (int)label_columns(label), "");
}

static void head_row(struct drawing *d, const char *title, const char *before, const char *after,
		     const char *change)
{
	fprintf(d->out, "%-*s", TITLE_COLUMNS, title);
	put_label(d, before, SIDE_COLUMNS);
	put_label(d, after, SIDE_COLUMNS);
	fprintf(d->out, "%s\n", change);
}

static const char *recording_name(const struct recording *r)
{
	return r->command ? r->command : r->path;
}

/* "record ... -- CMD" of hitmap's own recordings is told by what follows the dashes, without
 * folder. */
static const char *program_name(const struct recording *r)
{
	const char *name = recording_name(r), *dashes = strstr(name, " -- "), *end, *slash;

	name = dashes ? dashes + 4 : name;
	end = name + strcspn(name, " ");
	slash = memrchr(name, '/', end - name);
	return slash ? slash + 1 : name;
}

static void draw_model(struct drawing *d)
{
	const struct note_model *m[DIFF_SIDES];
	char text[DIFF_SIDES][FIGURE_TEXT_BYTES];

	for (int s = 0; s < DIFF_SIDES; s++) {
		m[s] = d->diff->profile[s]->model;
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
	char before[FIGURE_TEXT_BYTES], after[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES];

	if (!r[0].known || !r[1].known)
		return;
	head_row(d, title, range_text(before, &r[0]), range_text(after, &r[1]),
		 change_text(change, r[0].at[1], r[1].at[1]));
}

static void draw_head(struct drawing *d)
{
	const struct diff *f = d->diff;
	char before[FIGURE_TEXT_BYTES], after[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES];
	uint64_t hitm[DIFF_SIDES] = { counts_hitm(&f->profile[0]->total),
				      counts_hitm(&f->profile[1]->total) };

	head_row(d, "", "before", "after", "change");
	head_row(d, "program", program_name(d->recording[0]), program_name(d->recording[1]), "");
	draw_model(d);
	head_row(d, "HITM samples", figure_count(before, hitm[0]), figure_count(after, hitm[1]),
		 d->rates ? "" : change_text(change, hitm[0], hitm[1]));
	if (d->rates)
		head_row(d, "operations", figure_count(before, f->operations[0]),
			 figure_count(after, f->operations[1]), "");
	range_row(d, "HITM per operation", f->hitm_per_operation);
	range_row(d, "cycles between operations", f->cycles_per_operation);
	if (f->speedup.known)
		fprintf(d->out, "%-*s%.2fx at the typical hold, %.2fx..%.2fx over all holds\n",
			TITLE_COLUMNS, "operations per time", f->speedup.at[1],
			diff_range_low(&f->speedup), diff_range_high(&f->speedup));
}

/* A side's heat in the scale of the before side: per operation where these are counted. */
static void scaled_heat(const struct drawing *d, const struct contended_line *line, int side,
			uint64_t heat[LINE_WORDS])
{
	double scale = d->rates && side ? (double)d->diff->operations[0] / d->diff->operations[1]
					: 1;

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

static double per_operation(const struct drawing *d, const struct counts *c, int side)
{
	return d->rates ? (double)counts_hitm(c) / d->diff->operations[side]
			: (double)counts_hitm(c);
}

static void draw_rates(struct drawing *d, const struct counts counts[DIFF_SIDES])
{
	double before = per_operation(d, &counts[0], 0), after = per_operation(d, &counts[1], 1);
	char a[FIGURE_TEXT_BYTES], b[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES];

	if (d->rates) {
		snprintf(a, sizeof(a), "%.2f", before);
		snprintf(b, sizeof(b), "%.2f", after);
	} else {
		figure_count(a, before);
		figure_count(b, after);
	}
	fprintf(d->out, "%11s %11s %8s\n", a, b, change_text(change, before, after));
}

static void draw_object(struct drawing *d, const struct diff_object *o)
{
	struct heat_style style = { d->options->unicode, d->options->colour };
	char strip[HEAT_STRIP_BYTES];
	uint64_t heat[LINE_WORDS];

	put_label(d, o->name, NAME_COLUMNS);
	for (int s = 0; s < DIFF_SIDES; s++) {
		scaled_heat(d, o->line[s], s, heat);
		heat_strip(strip, heat, d->hottest, &style);
		fprintf(d->out, "%s    ", strip);
	}
	draw_rates(d, o->counts);
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

	snprintf(name, sizeof(name), "   +%-4u %s", f->offset, f->name[0] == '+' ? "" : f->name);
	put_label(d, name, NAME_COLUMNS);
	fprintf(d->out, "   %-*s    %-*s ", HEAT_STRIP_COLUMNS, half_text(f, 0), HEAT_STRIP_COLUMNS,
		half_text(f, 1));
	draw_rates(d, f->counts);
}

static bool worth_showing(const struct drawing *d, const struct counts counts[DIFF_SIDES])
{
	for (int s = 0; s < DIFF_SIDES; s++)
		if (counts_hitm(&counts[s]) &&
		    counts_hitm(&counts[s]) >=
			    LEAST_SHARE * counts_hitm(&d->diff->profile[s]->total))
			return true;
	return d->options->all;
}

static void draw_fields(struct drawing *d, const struct diff_object *o)
{
	uint32_t hidden = 0;

	for (uint32_t i = 0; i < o->field_count; i++)
		if (worth_showing(d, o->fields[i].counts))
			draw_field(d, &o->fields[i]);
		else
			hidden++;
	if (hidden)
		fprintf(d->out, "   %u more field%s, each below %.1f %% of HITM (--all)\n", hidden,
			hidden > 1 ? "s" : "", 100 * LEAST_SHARE);
}

static void draw_objects(struct drawing *d)
{
	uint32_t top = d->options->top ? d->options->top : DEFAULT_OBJECTS, shown = 0;
	uint64_t hidden_hitm = 0;
	char text[FIGURE_TEXT_BYTES];

	fprintf(d->out, "\n%-*s%-*s    %-*s    %11s %11s %8s\n", NAME_COLUMNS,
		"object and its fields", HEAT_STRIP_COLUMNS, "before", HEAT_STRIP_COLUMNS, "after",
		d->rates ? "HITM/op" : "HITM", d->rates ? "HITM/op" : "HITM", "change");
	for (uint32_t i = 0; i < d->diff->object_count; i++) {
		const struct diff_object *o = &d->diff->objects[i];

		if (!worth_showing(d, o->counts) || (!d->options->all && shown == top)) {
			hidden_hitm += counts_hitm(&o->counts[0]) + counts_hitm(&o->counts[1]);
			continue;
		}
		draw_object(d, o);
		draw_fields(d, o);
		shown++;
	}
	if (shown < d->diff->object_count)
		fprintf(d->out, "%u more objects with %s HITM of both sides not shown (--all)\n",
			d->diff->object_count - shown, figure_count(text, hidden_hitm));
}

void report_diff(FILE *out, const struct diff *diff,
		 const struct recording *const recording[DIFF_SIDES],
		 const struct report_options *options)
{
	struct drawing d = {
		.out = out,
		.diff = diff,
		.recording = recording,
		.options = options,
		.rates = diff->operations[0] && diff->operations[1],
	};

	find_hottest(&d);
	draw_head(&d);
	if (!diff->object_count)
		fputs("\nNo contended line on either side.\n", out);
	else
		draw_objects(&d);
}
