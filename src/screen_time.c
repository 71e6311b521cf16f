// SPDX-License-Identifier: GPL-2.0-only
/* Heat over the run: all lines together as a graph, and a strip each line. */
#include "label.h"
#include "mem.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH_ROWS 4
#define LEAST_NAME 20
#define NUMBER	   9

static const char *const SIDE_NAMES[] = { "before", "after" };

struct time_row {
	const struct paired_line *pair;
	double heat[SCREEN_SIDES][TALLY_SLICES];
};

struct time_view {
	struct scene *scene;
	struct time_row *rows;
	uint32_t count;
	uint32_t slices[SCREEN_SIDES];
	double all[SCREEN_SIDES][TALLY_SLICES];
	double hottest, most; /* of a line's slice; of a slice of all lines */
	uint32_t name, width; /* columns */
	bool sides[SCREEN_SIDES];
};

static const struct tally *tally_of(const struct scene *s, int side)
{
	return s->in->side[side].view ? s->in->side[side].tally : NULL;
}

static bool has_times(const struct scene *s, int side)
{
	return tally_of(s, side) && tally_of(s, side)->slices;
}

/* Heat falls into columns: "count" slices of it in "width" columns. What falls into one is taken
 * as that many slices on average, or columns with one slice more would stand out. */
static double column_heat(const double *heat, uint32_t count, uint32_t at, uint32_t width)
{
	uint32_t from = (uint64_t)at * count / width, to = (uint64_t)(at + 1) * count / width;
	double sum = 0;

	to = to > from ? to : from + 1;
	for (uint32_t i = from; i < to && i < count; i++)
		sum += heat[i];
	return sum / (to - from) * fmax(1, (double)count / width);
}

static void add_row(struct time_view *t, const struct paired_line *p)
{
	struct time_row *r = &t->rows[t->count++];

	*r = (struct time_row){ .pair = p };
	for (int side = 0; side < SCREEN_SIDES; side++) {
		uint32_t count = p->side[side]
					 ? scene_times(t->scene, p->side[side], side, r->heat[side])
					 : 0;

		for (uint32_t i = 0; i < count; i++)
			t->all[side][i] += r->heat[side][i];
	}
}

static void find_most(struct time_view *t)
{
	for (int side = 0; side < SCREEN_SIDES; side++)
		for (uint32_t at = 0; t->slices[side] && at < t->width; at++) {
			t->most = fmax(t->most,
				       column_heat(t->all[side], t->slices[side], at, t->width));
			for (uint32_t i = 0; i < t->count; i++)
				t->hottest = fmax(t->hottest,
						  column_heat(t->rows[i].heat[side],
							      t->slices[side], at, t->width));
		}
}

static void time_init(struct time_view *t, struct scene *s)
{
	uint32_t columns = s->canvas->columns;

	*t = (struct time_view){ .scene = s };
	t->rows = mem_zalloc((s->pairing.line_count + 1) * sizeof(*t->rows));
	t->name = columns * 28 / 100 < LEAST_NAME ? LEAST_NAME : columns * 28 / 100;
	for (int side = 0; side < SCREEN_SIDES; side++) {
		t->sides[side] = has_times(s, side);
		t->slices[side] = t->sides[side] ? tally_of(s, side)->slices : 0;
	}
	t->width = columns - t->name - NUMBER - 4; /* the strip's edges and two gaps */
	if (t->sides[0] && t->sides[1])
		t->width = (t->width - 3) / 2;
	for (uint32_t i = 0; i < s->pairing.line_count; i++)
		if (!scene_line_matches(s, &s->pairing.lines[i]))
			continue;
		else if (scene_line_is_speck(s, &s->pairing.lines[i]))
			s->hidden++;
		else
			add_row(t, &s->pairing.lines[i]);
	find_most(t);
}

static uint32_t strip_x(const struct time_view *t, int side)
{
	return t->name + 1 + (side && t->sides[0] ? t->width + 3 : 0);
}

/* ---- Drawing */

/* Eighths of a row each column, from the bottom up. */
static void draw_graph(struct time_view *t, int side, uint32_t y)
{
	struct canvas *c = t->scene->canvas;

	for (uint32_t at = 0; at < t->width; at++) {
		double heat = column_heat(t->all[side], t->slices[side], at, t->width);
		uint32_t eighths = t->most > 0 ? (uint32_t)ceil(8 * GRAPH_ROWS * heat / t->most)
					       : 0;

		for (uint32_t row = 0; row < GRAPH_ROWS; row++) {
			uint32_t below = 8 * (GRAPH_ROWS - 1 - row);
			uint32_t part = eighths > below ? eighths - below : 0;
			enum heat_shade shade = scale_shade(heat, t->most);

			if (part)
				canvas_rune(c, strip_x(t, side) + 1 + at, y + row,
					    STYLE_HEAT_LIGHT + shade - SHADE_LIGHT,
					    0x2580 + (part < 8 ? part : 8));
		}
	}
}

static double slice_seconds(const struct time_view *t, int side)
{
	return tally_of(t->scene, side)->slice / 1e9;
}

static void draw_axis(struct time_view *t, int side, uint32_t y)
{
	struct scene *s = t->scene;
	double seconds = t->slices[side] * slice_seconds(t, side);
	char text[FIGURE_TEXT_BYTES], label[FIGURE_TEXT_BYTES];
	uint32_t x = strip_x(t, side);

	canvas_name(s->canvas, x + 1, y, t->width / 2, STYLE_HEAD,
		    s->both ? SIDE_NAMES[side] : scene_title(s, side));
	snprintf(label, sizeof(label), s->in->live ? "%.60s to now" : "0..%.60s",
		 scale_seconds(text, seconds));
	canvas_right(s->canvas, x + 1 + t->width / 2, y, t->width - t->width / 2, STYLE_HEAD,
		     label);
}

static void draw_strip(struct time_view *t, const struct time_row *r, int side, uint32_t y)
{
	struct canvas *c = t->scene->canvas;
	uint32_t x = strip_x(t, side);

	x = canvas_rune(c, x, y, STYLE_DIM, 0x2595);
	for (uint32_t at = 0; at < t->width; at++)
		x = scale_heat(c, x, y, column_heat(r->heat[side], t->slices[side], at, t->width),
			       t->hottest);
	canvas_rune(c, x, y, STYLE_DIM, 0x258f);
}

static void draw_row(struct time_view *t, const struct time_row *r, uint32_t y)
{
	struct scene *s = t->scene;
	int side = r->pair->side[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE;
	char text[FIGURE_TEXT_BYTES];

	scene_line_name(s, 0, y, t->name, paired_shown(r->pair));
	for (int of = 0; of < SCREEN_SIDES; of++)
		if (t->sides[of])
			draw_strip(t, r, of, y);
	canvas_right(s->canvas, s->canvas->columns - NUMBER, y, NUMBER, STYLE_PLAIN,
		     scale_value(text, &s->scale,
				 scene_heat(s, side, &r->pair->side[side]->line->counts)));
}

static void draw_rows(struct time_view *t, uint32_t y, uint32_t page)
{
	struct scene *s = t->scene;
	struct scene_row *rows = mem_zalloc((t->count + 1) * sizeof(*rows));
	uint32_t first;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct paired_line *p = t->rows[i].pair;

		rows[i] = (struct scene_row){ .id = p->id,
					      .line = p->id,
					      .object = s->pairing.objects[p->object].id };
	}
	first = scene_choose(s, rows, t->count, page);
	free(rows);
	for (uint32_t i = first; i < t->count && i - first < page; i++) {
		draw_row(t, &t->rows[i], y + i - first);
		scene_mark(s, i, y + i - first);
	}
}

static void draw_legend(struct time_view *t, uint32_t y)
{
	struct scene *s = t->scene;
	int side = t->sides[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE;
	double seconds = t->slices[side] * slice_seconds(t, side) / t->width;
	char text[FIGURE_TEXT_BYTES];
	uint32_t x;

	x = canvas_printf(s->canvas, 1, y, STYLE_DIM, "%s in a column: ", s->scale.measure->name);
	x = scale_legend(s->canvas, x, y, t->hottest, false);
	x = canvas_printf(s->canvas, x, y, STYLE_DIM, "   of %s", scale_seconds(text, seconds));
	scene_hidden(s, x, y, s->hidden, "line", 0);
}

static void draw_heads(struct time_view *t, uint32_t y)
{
	struct scene *s = t->scene;
	char text[FIGURE_TEXT_BYTES];

	canvas_fill(s->canvas, 0, y, s->canvas->columns, STYLE_HEAD, ' ');
	canvas_text(s->canvas, 0, y, STYLE_HEAD, "line");
	canvas_right(s->canvas, s->canvas->columns - NUMBER, y, NUMBER, STYLE_HEAD,
		     scale_title(text, &s->scale));
	canvas_text(s->canvas, 1, y + 1, STYLE_DIM, "all lines");
	for (int side = 0; side < SCREEN_SIDES; side++) {
		if (!t->sides[side])
			continue;
		draw_axis(t, side, y);
		draw_graph(t, side, y + 1);
	}
}

void screen_time(struct scene *s)
{
	uint32_t rows = s->bottom - s->top;
	struct time_view t;

	if (!s->pairing.line_count) {
		scene_nothing(s);
		return;
	}
	if (!has_times(s, 0) && !has_times(s, 1)) {
		canvas_text(s->canvas, 2, s->top + 1, STYLE_STRONG, "Times are not known");
		canvas_text(s->canvas, 2, s->top + 2, STYLE_DIM,
			    s->in->live ? "yet: the lines are watched from now on."
					: "The samples carry none, or the recording cannot be read "
					  "a second time.");
		return;
	}
	time_init(&t, s);
	draw_heads(&t, s->top);
	draw_rows(&t, s->top + 1 + GRAPH_ROWS, rows > GRAPH_ROWS + 2 ? rows - GRAPH_ROWS - 2 : 1);
	draw_legend(&t, s->bottom - 1);
	free(t.rows);
}

void screen_time_json(struct scene *s, struct json_writer *w)
{
	struct time_view t;

	time_init(&t, s);
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (t.sides[side])
			json_double(w, side ? "slice_seconds" : "before_slice_seconds",
				    slice_seconds(&t, side));
	json_begin_array(w, "lines");
	for (uint32_t i = 0; i < t.count; i++) {
		json_begin_object(w, NULL);
		json_string(w, "object", paired_shown(t.rows[i].pair)->name);
		for (int side = 0; side < SCREEN_SIDES; side++) {
			if (!t.sides[side])
				continue;
			json_begin_array(w, SIDE_NAMES[side]);
			for (uint32_t k = 0; k < t.slices[side]; k++)
				json_double(w, NULL, t.rows[i].heat[side][k]);
			json_end(w);
		}
		json_end(w);
	}
	json_end(w);
	free(t.rows);
}
