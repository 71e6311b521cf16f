// SPDX-License-Identifier: GPL-2.0-only
/* The contended lines, and below them the fields of the chosen one. */
#include "column.h"
#include "fields.h"
#include "label.h"
#include "list.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_ROWS 8 /* of the part below the list, its heading among them */

struct line_row {
	struct list_row list;
	const struct paired_line *pair;
	uint32_t rank;
	double heat[SCREEN_SIDES];
	char hot[96]; /* its hottest fields */
};

static const struct line_row *row_of(const struct list_row *r)
{
	return (const struct line_row *)r;
}

/* ---- Columns */

static double line_rank(const struct scene *s, const struct list_row *r)
{
	return row_of(r)->rank;
}

static double line_before(const struct scene *s, const struct list_row *r)
{
	return row_of(r)->pair->side[SCREEN_BEFORE] ? row_of(r)->heat[SCREEN_BEFORE] : 0;
}

static double line_after(const struct scene *s, const struct list_row *r)
{
	return row_of(r)->pair->side[SCREEN_AFTER] ? row_of(r)->heat[SCREEN_AFTER] : 0;
}

static double line_shown(const struct scene *s, const struct list_row *r)
{
	return row_of(r)->pair->side[SCREEN_AFTER] ? line_after(s, r) : line_before(s, r);
}

static double line_change(const struct scene *s, const struct list_row *r)
{
	return line_after(s, r) - line_before(s, r);
}

static const char *line_change_text(const struct scene *s, const struct list_row *r, char *text)
{
	return scale_change(text, line_before(s, r), line_after(s, r));
}

static int shown_side(const struct paired_line *l)
{
	return l->side[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE;
}

static double line_cost(const struct scene *s, const struct list_row *r)
{
	int side = shown_side(row_of(r)->pair);
	const struct view_line *l = row_of(r)->pair->side[side];
	double all = s->in->side[side].view->profile->total.latency_sum;

	return all > 0 && l->line->counts.latency_samples ? l->line->counts.latency_sum / all : NAN;
}

static const char *line_cost_text(const struct scene *s, const struct list_row *r, char *text)
{
	struct figure f = { .real = line_cost(s, r) };

	f.known = !isnan(f.real);
	return figure_text(text, FIGURE_SHARE, &f);
}

static const char *line_name(const struct scene *s, const struct list_row *r, char *text)
{
	return paired_shown(row_of(r)->pair)->name;
}

static const char *line_hot(const struct scene *s, const struct list_row *r, char *text)
{
	return row_of(r)->hot;
}

/* "root_user: sigpending, __count": the object's own name, to have room. */
static const char *line_both(const struct scene *s, const struct list_row *r, char *text)
{
	const struct view_line *l = paired_shown(row_of(r)->pair);
	const char *object = s->pairing.objects[row_of(r)->pair->object].name;

	snprintf(text, FIGURE_TEXT_BYTES, "%.60s: %.60s", l->place.object ? object : l->name,
		 row_of(r)->hot);
	return text;
}

static const char *line_verdict(const struct scene *s, const struct list_row *r, char *text)
{
	int side = shown_side(row_of(r)->pair);
	const char *verdict = scene_column(s, row_of(r)->pair->side[side], side, "verdict", text);

	return verdict ? verdict : "";
}

static bool has_verdicts(const struct scene *s)
{
	for (const struct column *c = line_columns; c->get; c++)
		if (c->key && strcmp(c->key, "verdict") == 0)
			return true;
	return false;
}

static void draw_strip(struct scene *s, const struct line_row *r, int side, uint32_t x, uint32_t y)
{
	const struct view_line *l = r->pair->side[side];
	double heat[LINE_WORDS] = { 0 };

	if (l)
		scene_words(s, l, side, heat);
	scale_strip(s->canvas, x, y, heat, s->hottest_word);
}

static void draw_name(struct scene *s, const struct list_row *r, uint32_t x, uint32_t y,
		      uint32_t width)
{
	scene_line_name(s, x, y, width, paired_shown(row_of(r)->pair));
}

static void strip_before(struct scene *s, const struct list_row *r, uint32_t x, uint32_t y,
			 uint32_t width)
{
	draw_strip(s, row_of(r), SCREEN_BEFORE, x, y);
}

static void strip_after(struct scene *s, const struct list_row *r, uint32_t x, uint32_t y,
			uint32_t width)
{
	draw_strip(s, row_of(r), SCREEN_AFTER, x, y);
}

static void draw_times(struct scene *s, const struct list_row *r, uint32_t x, uint32_t y,
		       uint32_t width)
{
	int side = shown_side(row_of(r)->pair);
	double heat[TALLY_SLICES], most = 0;
	uint32_t count = scene_times(s, row_of(r)->pair->side[side], side, heat);

	for (uint32_t i = 0; i < count; i++)
		most = heat[i] > most ? heat[i] : most;
	if (count)
		scale_spark(s->canvas, x, y, width, heat, count, most);
	else
		canvas_text(s->canvas, x, y, STYLE_DIM, "n/a");
}

static const struct list_column COLUMNS[] = {
	{ .key = "rank",
	  .title = "#",
	  .width = 3,
	  .when = LIST_ONE_SIDE,
	  .number = line_rank,
	  .rising = true },
	{ .key = "rank",
	  .title = "#",
	  .width = 3,
	  .least = 90,
	  .when = LIST_TWO_SIDES,
	  .number = line_rank,
	  .rising = true },
	{ .key = "cost",
	  .title = "cost",
	  .width = 7,
	  .when = LIST_ONE_SIDE,
	  .number = line_cost,
	  .text = line_cost_text },
	{ .title = "lower┆upper",
	  .width = HEAT_STRIP_COLUMNS,
	  .when = LIST_ONE_SIDE,
	  .draw = strip_after },
	{ .title = "before",
	  .width = HEAT_STRIP_COLUMNS,
	  .when = LIST_TWO_SIDES,
	  .draw = strip_before },
	{ .title = "after",
	  .width = HEAT_STRIP_COLUMNS,
	  .when = LIST_TWO_SIDES,
	  .draw = strip_after },
	{ .title = "object: hot fields", .most = 99, .left = true, .text = line_both },
	{ .key = "object",
	  .title = "object",
	  .least = 100,
	  .left = true,
	  .text = line_name,
	  .draw = draw_name },
	{ .key = "hot_fields",
	  .title = "hot fields",
	  .least = 100,
	  .left = true,
	  .text = line_hot },
	{ .key = "verdict",
	  .title = "verdict",
	  .exists = has_verdicts,
	  .width = 14,
	  .least = 90,
	  .left = true,
	  .text = line_verdict },
	{ .key = "heat",
	  .heat = true,
	  .title = "%s",
	  .width = 9,
	  .when = LIST_ONE_SIDE,
	  .number = line_shown },
	{ .key = "before",
	  .heat = true,
	  .title = "before",
	  .width = 8,
	  .when = LIST_TWO_SIDES,
	  .number = line_before },
	{ .key = "after",
	  .heat = true,
	  .title = "after",
	  .width = 8,
	  .when = LIST_TWO_SIDES,
	  .number = line_after },
	{ .key = "change",
	  .change = true,
	  .title = "change",
	  .width = 7,
	  .when = LIST_TWO_SIDES,
	  .number = line_change,
	  .text = line_change_text },
	{ .title = "over time", .width = 16, .least = 110, .draw = draw_times },
	{ .title = "time",
	  .width = 6,
	  .least = 70,
	  .most = 109,
	  .when = LIST_ONE_SIDE,
	  .draw = draw_times },
	{ 0 },
};

/* ---- Rows */

/* The fields of one row, the hottest of both sides first: ".sigpending .__count". */
static void name_hot(const struct scene *s, struct line_row *r, uint32_t line)
{
	uint32_t count, hot[2] = { UINT32_MAX, UINT32_MAX };
	struct paired_field *f = pairing_line_fields(&s->pairing, line, &count);

	field_mark(s, f, count);
	for (int n = 0; n < 2; n++)
		for (uint32_t i = 0; i < count; i++) {
			double heat = field_heat(s, &f[i], 0) + field_heat(s, &f[i], 1);

			if (i == hot[0] || !f[i].matters)
				continue;
			if (hot[n] == UINT32_MAX ||
			    heat > field_heat(s, &f[hot[n]], 0) + field_heat(s, &f[hot[n]], 1))
				hot[n] = i;
		}
	for (int n = 0; n < 2 && hot[n] != UINT32_MAX; n++)
		snprintf(r->hot + strlen(r->hot), sizeof(r->hot) / 2, "%s%.40s", n ? ", " : "",
			 f[hot[n]].name);
	pairing_fields_free(f, count);
}

static void find_hottest(struct scene *s)
{
	for (uint32_t i = 0; i < s->pairing.line_count; i++)
		for (int side = 0; side < SCREEN_SIDES; side++) {
			const struct view_line *l = s->pairing.lines[i].side[side];
			double heat[LINE_WORDS] = { 0 };

			if (l)
				scene_words(s, l, side, heat);
			for (int w = 0; w < LINE_WORDS; w++)
				if (heat[w] > s->hottest_word)
					s->hottest_word = heat[w];
		}
}

static struct line_row *make_rows(struct scene *s, struct list *l)
{
	struct line_row *rows = mem_zalloc((s->pairing.line_count + 1) * sizeof(*rows));

	l->rows = mem_zalloc((s->pairing.line_count + 1) * sizeof(*l->rows));
	for (uint32_t i = 0; i < s->pairing.line_count; i++) {
		const struct paired_line *p = &s->pairing.lines[i];
		struct line_row *r = &rows[l->count];

		if (!scene_line_matches(s, p))
			continue;
		if (scene_line_is_speck(s, p)) {
			s->hidden++;
			continue;
		}
		*r = (struct line_row){ .pair = p, .rank = i + 1 };
		r->list.row = (struct scene_row){ .id = p->id,
						  .line = p->id,
						  .object = s->pairing.objects[p->object].id };
		for (int side = 0; side < SCREEN_SIDES; side++)
			if (p->side[side])
				r->heat[side] = scene_heat(s, side, &p->side[side]->line->counts);
		name_hot(s, r, i);
		l->rows[l->count++] = &r->list;
	}
	find_hottest(s);
	return rows;
}

/* ---- The fields below */

#define FIELD_X 18

static uint32_t figures_x(const struct scene *s)
{
	return FIELD_X + (s->canvas->columns - FIELD_X) * (s->both ? 40 : 48) / 100;
}

/* Heat, or before, after and change; the column behind them. */
static uint32_t draw_figures(struct scene *s, const struct counts counts[SCREEN_SIDES], uint32_t y)
{
	double heat[SCREEN_SIDES] = { scene_heat(s, 0, &counts[0]), scene_heat(s, 1, &counts[1]) };
	uint32_t x = figures_x(s);
	char text[FIGURE_TEXT_BYTES];

	if (!s->both)
		return canvas_right(s->canvas, x, y, 9, STYLE_PLAIN,
				    scale_value(text, &s->scale, heat[0] + heat[1]));
	x = canvas_right(s->canvas, x, y, 9, STYLE_PLAIN, scale_value(text, &s->scale, heat[0]));
	x = canvas_right(s->canvas, x, y, 9, STYLE_PLAIN, scale_value(text, &s->scale, heat[1]));
	return canvas_right(s->canvas, x, y, 8, STYLE_STRONG, scale_change(text, heat[0], heat[1]));
}

/* "read and written by 8 CPUs", or "8 CPUs" where there is no room. */
static void role_text(const struct scene *s, const struct paired_field *f, uint32_t columns,
		      char text[256])
{
	uint32_t cpus = field_cpus(f, field_side(s, f));
	bool wide = columns >= 28;

	snprintf(text, 256, "%s%s%u CPU%s", wide ? field_role(s, f) : "", wide ? " by " : "", cpus,
		 cpus == 1 ? "" : "s");
}

static void draw_field(struct scene *s, const struct paired_field *f, uint32_t y, bool story)
{
	char text[256];
	struct canvas *c = s->canvas;
	uint32_t x;

	canvas_printf(c, 3, y, STYLE_DIM, "%s +%u", line_half_name(line_half(f->line_offset)),
		      f->offset);
	canvas_name(c, FIELD_X, y, figures_x(s) - FIELD_X, STYLE_STRONG,
		    field_label(s, f, text, sizeof(text)));
	x = draw_figures(s, f->counts, y) + 2;
	if (x >= c->columns)
		return;
	if (story)
		field_story(s, f, c->columns - x, text, sizeof(text));
	else
		role_text(s, f, c->columns - x, text);
	canvas_name(c, x, y, c->columns - x, STYLE_PLAIN, text);
}

static void draw_reason(struct scene *s, const struct line_row *r, uint32_t y)
{
	char text[FIGURE_TEXT_BYTES];
	int side = shown_side(r->pair);
	const char *why = scene_column(s, r->pair->side[side], side, "reason", text);
	uint32_t x;

	if (!why)
		return;
	x = canvas_text(s->canvas, 4, y, STYLE_DIM, "why: ");
	canvas_name(s->canvas, x, y, s->canvas->columns - x, STYLE_PLAIN, why);
}

#define CODES 3 /* of a field, where there is room */

static void draw_code(struct scene *s, const struct field_code *code, uint32_t y)
{
	uint32_t width = figures_x(s) - FIELD_X - 2;
	char text[256];

	snprintf(text, sizeof(text), "%.150s %.60s:%u", code->name, code->source, code->line);
	if (code->source && label_columns(text) > width)
		snprintf(text, sizeof(text), "%.150s:%u", code->name, code->line);
	if (!code->source || label_columns(text) > width)
		snprintf(text, sizeof(text), "%.200s", code->name);
	canvas_name(s->canvas, FIELD_X + 2, y, width, STYLE_DIM, text);
	draw_figures(s, code->counts, y);
}

/* The places in the code of one field, in "room" rows at most; the row behind them. */
static uint32_t draw_codes(struct scene *s, const struct paired_field *f, uint32_t y, uint32_t room)
{
	uint32_t count;
	struct field_code *codes = field_codes(s, f, &count);

	for (uint32_t i = 0; i < count && i < room; i++)
		if (!i ||
		    scene_heat(s, 0, &codes[i].counts[0]) + scene_heat(s, 1, &codes[i].counts[1]) >
			    0)
			draw_code(s, &codes[i], y++);
	free(codes);
	return y;
}

static void draw_fields(struct scene *s, const struct line_row *r, uint32_t y, uint32_t bottom)
{
	uint32_t line = r->pair - s->pairing.lines, count, shown = 0, room;
	struct paired_field *f = pairing_line_fields(&s->pairing, line, &count);

	field_mark(s, f, count);
	canvas_fill(s->canvas, 0, y, s->canvas->columns, STYLE_DIM, 0x2500);
	canvas_printf(s->canvas, 1, y++, STYLE_STRONG, " %s ", paired_shown(r->pair)->name);
	for (uint32_t i = 0; i < count; i++)
		shown += f[i].matters;
	room = bottom > y + shown + 1 ? (bottom - y - shown - 1) / (shown ? shown : 1) : 0;
	for (uint32_t i = 0; i < count && y + 1 < bottom; i++) {
		if (!f[i].matters)
			continue;
		draw_field(s, &f[i], y++, !room);
		y = draw_codes(s, &f[i], y, room < CODES ? room : CODES);
	}
	if (y < bottom)
		draw_reason(s, r, y);
	pairing_fields_free(f, count);
}

/* ---- What is not shown: specks, and lines that are in no view */

static uint32_t hidden_lines(const struct scene *s, uint32_t shown)
{
	int side = s->in->side[SCREEN_AFTER].view ? SCREEN_AFTER : SCREEN_BEFORE;
	uint32_t all = s->in->side[side].view->profile->contended_count;

	return s->filtered[0] || all < shown ? 0 : all - shown;
}

static double hidden_heat(const struct scene *s, const struct list *l)
{
	int side = s->in->side[SCREEN_AFTER].view ? SCREEN_AFTER : SCREEN_BEFORE;
	double all = scene_heat(s, side, &s->in->side[side].view->profile->total), shown = 0;

	for (uint32_t i = 0; i < l->count; i++)
		shown += row_of(l->rows[i])->heat[side];
	return all > shown ? (all - shown) / all : 0;
}

/* ---- The view */

void screen_lines(struct scene *s)
{
	struct list l = { .columns = COLUMNS, .nothing = "no line has that in a name" };
	uint32_t rows = s->bottom - s->top, below = rows > 14 ? FIELD_ROWS : rows > 9 ? 4 : 0;
	struct line_row *made;
	char title[FIGURE_TEXT_BYTES];
	uint32_t x;

	if (!s->pairing.line_count) {
		scene_nothing(s);
		return;
	}
	if (rows > 24)
		below = rows / 3;
	made = make_rows(s, &l);
	if (below && l.count + 2 < rows - below - 1) /* a short list leaves room */
		below = rows - l.count - 3;
	list_draw(s, &l, rows - below - 1);
	if (below && list_chosen(s, &l))
		draw_fields(s, row_of(list_chosen(s, &l)), s->bottom - below - 1, s->bottom - 1);
	x = canvas_printf(s->canvas, 1, s->bottom - 1, STYLE_DIM,
			  "%s of a word: ", scale_title(title, &s->scale));
	x = scale_legend(s->canvas, x, s->bottom - 1, s->hottest_word, false);
	scene_hidden(s, x, s->bottom - 1, hidden_lines(s, l.count), "line", hidden_heat(s, &l));
	free(l.rows);
	free(made);
}

void screen_lines_json(struct scene *s, struct json_writer *w)
{
	struct list l = { .columns = COLUMNS };
	struct line_row *made = make_rows(s, &l);

	list_json(s, &l, "lines", w);
	free(l.rows);
	free(made);
}
