// SPDX-License-Identifier: GPL-2.0-only
/* One line: its words, its fields with their CPUs, the code that touches the chosen field. */
#include "axis.h"
#include "blame.h"
#include "fields.h"
#include "label.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_COLUMNS 5 /* of a word in the picture of the line */
#define PICTURE_ROWS 4 /* headings, a strip a side, an empty row */
#define NUMBER	     9
#define LEAST_CODE   4	/* rows of code, before a matrix gets any */
#define CALLERS	     2	/* ways to be called, a place in the code */
#define LEAST_STRIP  12 /* columns for CPUs, or they are left out */

struct line_view {
	struct scene *scene;
	const struct paired_line *pair;
	uint32_t line, count, shown;
	struct paired_field *fields;
	uint32_t *which; /* the fields that are shown */
	double hottest_word;
	struct blame blame;
};

/* ---- Which line */

/* Left and right go through the lines in their order. */
static uint32_t find_line(struct scene *s)
{
	const struct pairing *p = &s->pairing;
	uint32_t at = s->screen->line ? pairing_find_line(p, s->screen->line) : 0;
	int64_t to = (int64_t)at + s->screen->step;

	if (at >= p->line_count)
		return UINT32_MAX;
	if (s->screen->step)
		s->screen->choice[VIEW_LINE] = (struct scene_choice){ 0 };
	return to < 0 ? 0 : to >= p->line_count ? p->line_count - 1 : to;
}

static void line_init(struct line_view *v, struct scene *s, uint32_t line)
{
	*v = (struct line_view){ .scene = s, .line = line, .pair = &s->pairing.lines[line] };
	s->screen->line = v->pair->id;
	v->fields = pairing_line_fields(&s->pairing, line, &v->count);
	v->which = mem_zalloc((v->count + 1) * sizeof(*v->which));
	for (uint32_t i = 0; i < v->count; i++)
		if (scene_matches(s, v->fields[i].name))
			v->which[v->shown++] = i;
	field_mark(s, v->fields, v->count);
	blame_init(&v->blame, s, v->pair, v->fields, v->count);
	for (int side = 0; side < SCREEN_SIDES; side++) {
		double heat[LINE_WORDS] = { 0 };

		if (v->pair->side[side])
			scene_words(s, v->pair->side[side], side, heat);
		for (int w = 0; w < LINE_WORDS; w++)
			v->hottest_word = fmax(v->hottest_word, heat[w]);
	}
}

static void line_deinit(struct line_view *v)
{
	pairing_fields_free(v->fields, v->count);
	free(v->which);
}

/* ---- The head */

static void draw_name(struct line_view *v, uint32_t y)
{
	struct scene *s = v->scene;
	const struct view_line *l = paired_shown(v->pair);
	uint32_t width = s->canvas->columns / 2;
	uint32_t x = canvas_name(s->canvas, 1, y, width, STYLE_STRONG, l->name);

	canvas_printf(s->canvas, x + 1, y, STYLE_DIM, "0x%llx  line %u of %u (← →)",
		      (unsigned long long)l->line->addr, v->line + 1, s->pairing.line_count);
}

static uint32_t word_x(int word)
{
	return 2 + word * WORD_COLUMNS + 2 * (word >= LINE_WORDS / 2);
}

static void draw_words(struct line_view *v, int side, uint32_t y)
{
	struct canvas *c = v->scene->canvas;
	double heat[LINE_WORDS] = { 0 };
	uint32_t x;

	if (v->pair->side[side])
		scene_words(v->scene, v->pair->side[side], side, heat);
	canvas_rune(c, 1, y, STYLE_DIM, 0x2595);
	canvas_rune(c, word_x(LINE_WORDS / 2) - 2, y, STYLE_DIM, 0x2506);
	for (int w = 0; w < LINE_WORDS; w++)
		for (uint32_t i = 0; i < WORD_COLUMNS - 1; i++)
			scale_heat(c, word_x(w) + i, y, heat[w], v->hottest_word);
	x = canvas_rune(c, word_x(LINE_WORDS) - 1, y, STYLE_DIM, 0x258f);
	if (v->scene->both)
		canvas_name(c, x + 1, y, 12, STYLE_DIM, side ? "after" : "before");
}

/* Bytes of the line; then a strip each side. Returns the row below. */
static uint32_t draw_picture(struct line_view *v, uint32_t y)
{
	struct canvas *c = v->scene->canvas;
	for (int w = 0; w < LINE_WORDS; w++)
		canvas_printf(c, word_x(w), y, STYLE_DIM, "%d", 8 * w);
	canvas_text(c, word_x(LINE_WORDS) + 1, y, STYLE_DIM, "byte");
	y++;
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (v->scene->in->side[side].view)
			draw_words(v, side, y++);
	return y;
}

static void put_fact(struct line_view *v, uint32_t *y, uint32_t bottom, enum canvas_style style,
		     const char *text)
{
	uint32_t x = word_x(LINE_WORDS) + 10;

	if (*y < bottom && x + 12 < v->scene->canvas->columns)
		canvas_name(v->scene->canvas, x, (*y)++, v->scene->canvas->columns - x, style,
			    text);
}

/* Beside the picture: who, how far, what is concluded. */
static void draw_facts(struct line_view *v, uint32_t y, uint32_t bottom)
{
	int side = v->pair->side[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE;
	const struct view_line *l = v->pair->side[side];
	const struct contended_line *c = l->line;
	char text[FIGURE_TEXT_BYTES + 64], buffer[FIGURE_TEXT_BYTES];
	const char *verdict = scene_column(v->scene, l, side, "verdict", buffer);

	if (verdict)
		put_fact(v, &y, bottom, STYLE_STRONG, verdict);
	snprintf(text, sizeof(text), "writers %u, readers %u", c->writers, c->readers);
	put_fact(v, &y, bottom, STYLE_PLAIN, text);
	if (counts_hitm(&c->counts)) {
		struct figure f = { .known = true, .parts.count = MEMORY_DISTANCES };

		memcpy(f.parts.part, c->counts.hitm, sizeof(f.parts.part));
		snprintf(text, sizeof(text), "llc/node/far %s %%",
			 figure_text(buffer, FIGURE_PARTS, &f));
		put_fact(v, &y, bottom, STYLE_PLAIN, text);
	}
}

static uint32_t draw_reason(struct line_view *v, uint32_t y)
{
	static const char *const KEYS[] = { "reason", "advice" };
	int side = v->pair->side[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE;

	for (size_t i = 0; i < ARRAY_SIZE(KEYS); i++) {
		char buffer[FIGURE_TEXT_BYTES];
		const char *text = scene_column(v->scene, v->pair->side[side], side, KEYS[i],
						buffer);
		uint32_t x;

		if (!text)
			continue;
		x = canvas_printf(v->scene->canvas, 1, y, STYLE_DIM, "%s: ", KEYS[i]);
		canvas_name(v->scene->canvas, x, y, v->scene->canvas->columns - x, STYLE_PLAIN,
			    text);
		y++;
	}
	return y;
}

/* ---- Figures that fields and code have in common */

static uint32_t name_columns(const struct scene *s)
{
	uint32_t columns = s->canvas->columns;

	return s->screen->full_names ? columns / 2 : columns * 3 / 10;
}

static uint32_t draw_figure_heads(struct scene *s, uint32_t x, uint32_t y)
{
	char text[FIGURE_TEXT_BYTES];

	if (s->both) {
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_HEAD, "before");
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_HEAD, "after");
		x = canvas_right(s->canvas, x, y, NUMBER - 1, STYLE_HEAD, "change");
	} else {
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_HEAD, scale_title(text, &s->scale));
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_HEAD, "loads");
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_HEAD, "stores");
	}
	x = canvas_right(s->canvas, x, y, NUMBER - 1, STYLE_HEAD, "cycles");
	return canvas_right(s->canvas, x, y, NUMBER - 4, STYLE_HEAD, "CPUs");
}

static uint32_t draw_latency(struct scene *s, uint32_t x, uint32_t y, const struct counts *c)
{
	struct figure f = { .known = c->latency_samples > 0 };
	char text[FIGURE_TEXT_BYTES];

	if (f.known)
		f.real = (double)c->latency_sum / c->latency_samples;
	return canvas_right(s->canvas, x, y, NUMBER - 1, STYLE_PLAIN,
			    figure_text(text, FIGURE_CYCLES, &f));
}

static uint32_t draw_figures(struct scene *s, uint32_t x, uint32_t y,
			     const struct counts counts[SCREEN_SIDES],
			     const uint32_t cpus[SCREEN_SIDES])
{
	double heat[SCREEN_SIDES] = { scene_heat(s, 0, &counts[0]), scene_heat(s, 1, &counts[1]) };
	/* Latency and CPUs of the side that is hot. */
	int side = counts[SCREEN_AFTER].samples && (heat[1] > 0 || !(heat[0] > 0));
	char text[FIGURE_TEXT_BYTES];

	if (s->both) {
		for (int of = 0; of < SCREEN_SIDES; of++)
			x = canvas_right(s->canvas, x, y, NUMBER, STYLE_PLAIN,
					 scale_value(text, &s->scale, heat[of]));
		x = canvas_right(s->canvas, x, y, NUMBER - 1, STYLE_STRONG,
				 scale_change(text, heat[0], heat[1]));
	} else {
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_STRONG,
				 scale_value(text, &s->scale, heat[side]));
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_PLAIN,
				 scale_count(text, counts[side].loads));
		x = canvas_right(s->canvas, x, y, NUMBER, STYLE_PLAIN,
				 scale_count(text, counts[side].stores));
	}
	x = draw_latency(s, x, y, &counts[side]);
	return canvas_right(s->canvas, x, y, NUMBER - 4, STYLE_PLAIN,
			    scale_count(text, cpus[side]));
}

/* ---- The fields */

static void draw_field(struct line_view *v, struct axis *axis, double *const heat[], uint32_t at,
		       uint32_t y, double hottest)
{
	struct scene *s = v->scene;
	const struct paired_field *f = &v->fields[v->which[at]];
	uint32_t cpus[SCREEN_SIDES] = { field_cpus(f, 0), field_cpus(f, 1) }, x;
	char label[256];

	x = canvas_printf(s->canvas, 1, y, STYLE_DIM, "%s +%-4u ",
			  line_half_name(line_half(f->line_offset)), f->offset);
	canvas_name(s->canvas, x, y, name_columns(s) - x, STYLE_PLAIN,
		    field_label(s, f, label, sizeof(label)));
	x = draw_figures(s, name_columns(s), y, f->counts, cpus);
	if (axis->count && heat[at])
		axis_strip(axis, s->canvas, x + 1, y, heat[at], hottest, AXIS_HEAT);
	scene_mark(s, at, y);
}

/* Rows of heat by CPU, of two sides after's; "*hottest" of all. */
static double **field_heats(struct line_view *v, struct axis *axis, double *hottest)
{
	double **heat = mem_zalloc((v->shown + 1) * sizeof(*heat));

	for (uint32_t i = 0; i < v->shown; i++) {
		const struct paired_field *f = &v->fields[v->which[i]];
		int side = v->scene->both ? SCREEN_AFTER : field_side(v->scene, f);

		heat[i] = mem_zalloc((axis->count + 1) * sizeof(double));
		axis_add(axis, v->scene, f, side, heat[i]);
		for (uint32_t k = 0; k < axis->count; k++)
			*hottest = fmax(*hottest, heat[i][k]);
	}
	return heat;
}

static void draw_field_rows(struct line_view *v, uint32_t y, uint32_t first, uint32_t page)
{
	struct scene *s = v->scene;
	uint32_t used = draw_figure_heads(s, name_columns(s), y) + 1;
	uint32_t room = s->canvas->columns > used ? s->canvas->columns - used : 0;
	struct axis axis = { 0 };
	double hottest = 0, **heat;

	if (room >= LEAST_STRIP) {
		axis_init(&axis, s, room);
		canvas_printf(s->canvas, used + 1, y, STYLE_HEAD, "by %s%s",
			      s->screen->nodes ? "node" : "CPU", s->both ? ", after" : "");
	}
	heat = field_heats(v, &axis, &hottest);
	for (uint32_t i = first; i < v->shown && i - first < page; i++)
		draw_field(v, &axis, heat, i, y + 1 + i - first, hottest);
	for (uint32_t i = 0; i < v->shown; i++)
		free(heat[i]);
	free(heat);
	axis_deinit(&axis);
}

static void draw_fields(struct line_view *v, uint32_t y, uint32_t page)
{
	struct scene *s = v->scene;
	struct scene_row *rows = mem_zalloc((v->shown + 1) * sizeof(*rows));
	struct scene_choice *c = scene_choice(s);

	for (uint32_t i = 0; i < v->shown; i++)
		rows[i] = (struct scene_row){ .id = v->fields[v->which[i]].id,
					      .line = v->pair->id,
					      .object = s->pairing.objects[v->pair->object].id };
	if (!c->row.id) /* the hottest one, at first */
		for (uint32_t i = 0; i < v->shown; i++) {
			const struct paired_field *f = &v->fields[v->which[i]];
			const struct paired_field *best = &v->fields[v->which[c->at]];

			if (c->at >= v->shown ||
			    field_heat(s, f, 0) + field_heat(s, f, 1) >
				    field_heat(s, best, 0) + field_heat(s, best, 1))
				c->at = i;
		}
	scene_choose(s, rows, v->shown, page);
	free(rows);
	canvas_fill(s->canvas, 0, y, s->canvas->columns, STYLE_HEAD, ' ');
	canvas_text(s->canvas, 1, y, STYLE_HEAD, "half  offset field");
	draw_field_rows(v, y, c->first, page);
}

/* ---- The code of the chosen field */

static void draw_code(struct line_view *v, const struct field_code *code, uint32_t y)
{
	struct scene *s = v->scene;
	char place[FIGURE_TEXT_BYTES] = "";
	uint32_t width = name_columns(s), source;

	if (code->source)
		snprintf(place, sizeof(place), "%.100s:%u", code->source, code->line);
	source = label_columns(place);
	source = source > width / 2 ? width / 2 : source;
	canvas_name(s->canvas, 1, y, width - source - 2, STYLE_PLAIN, code->name);
	canvas_name(s->canvas, width - source, y, source, STYLE_DIM, place);
	draw_figures(s, width, y, code->counts, code->cpus);
}

/* Who calls it, the most costly first, each in a row. Returns the row below. */
static uint32_t draw_callers(struct line_view *v, const struct view_stacks *callers, uint32_t y,
			     uint32_t bottom)
{
	struct scene *s = v->scene;
	uint32_t width = s->canvas->columns;

	for (uint32_t i = 0; callers && i < callers->count && i < CALLERS && y < bottom; i++) {
		const struct view_stack *stack = &callers->stack[i];
		char share[32], *names;

		if (!stack->names)
			continue;
		names = view_stack_text(stack);
		snprintf(share, sizeof(share), "%3.0f %% from",
			 100 * view_stack_share(callers, stack));
		canvas_text(s->canvas, 3, y, STYLE_DIM, share);
		canvas_name(s->canvas, 14, y++, width - 15, STYLE_DIM, names);
		free(names);
	}
	return y;
}

/* Returns the row below. */
static uint32_t draw_codes(struct line_view *v, uint32_t y, uint32_t bottom)
{
	struct scene *s = v->scene;
	const struct paired_field *f;
	struct field_code *codes;
	char title[512];
	uint32_t count;

	if (scene_choice(s)->at >= v->shown || y >= bottom)
		return y;
	f = &v->fields[v->which[scene_choice(s)->at]];
	codes = field_codes(s, f, &count);
	canvas_fill(s->canvas, 0, y, s->canvas->columns, STYLE_HEAD, ' ');
	snprintf(title, sizeof(title), "code at %s", f->name);
	canvas_name(s->canvas, 1, y, name_columns(s) - 2, STYLE_HEAD, title);
	draw_figure_heads(s, name_columns(s), y);
	y++;
	for (uint32_t i = 0; i < count && y < bottom; i++) {
		draw_code(v, &codes[i], y++);
		y = draw_callers(v, codes[i].callers, y, bottom);
	}
	free(codes);
	return y;
}

/* ---- The view */

void screen_line(struct scene *s)
{
	uint32_t line = find_line(s), y = s->top, page, room, blame;
	struct line_view v;

	if (line == UINT32_MAX) {
		if (!s->pairing.line_count)
			scene_nothing(s);
		else
			canvas_text(s->canvas, 2, s->top + 1, STYLE_DIM,
				    "this line is not seen any more (q: back)");
		return;
	}
	line_init(&v, s, line);
	draw_name(&v, y++);
	if (s->bottom - s->top > 14) {
		uint32_t end = draw_picture(&v, y);

		draw_facts(&v, y, end);
		y = draw_reason(&v, end) + 1;
	}
	room = s->bottom > y + 2 ? s->bottom - y - 2 : 1;
	page = v.shown < room / 2 ? v.shown : (room + 1) / 2;
	draw_fields(&v, y, page);
	y += page + 1 + (room > 8); /* an empty row, where there is room */
	blame = y + blame_rows(&v.blame) + LEAST_CODE < s->bottom ? blame_rows(&v.blame) : 0;
	y = draw_codes(&v, y, s->bottom - blame - (blame > 0));
	if (blame)
		blame_draw(&v.blame, s, y + 1);
	line_deinit(&v);
}

/* ---- JSON */

static void put_counts(const struct scene *s, const struct counts counts[SCREEN_SIDES],
		       struct json_writer *w)
{
	for (int side = 0; side < SCREEN_SIDES; side++) {
		if (!s->in->side[side].view)
			continue;
		json_begin_object(w, side == SCREEN_BEFORE ? "before" : "after");
		json_double(w, "heat", scene_heat(s, side, &counts[side]));
		json_u64(w, "loads", counts[side].loads);
		json_u64(w, "stores", counts[side].stores);
		json_end(w);
	}
}

static void put_codes(const struct scene *s, const struct paired_field *f, struct json_writer *w)
{
	uint32_t count;
	struct field_code *codes = field_codes(s, f, &count);

	json_begin_array(w, "code");
	for (uint32_t i = 0; i < count; i++) {
		json_begin_object(w, NULL);
		json_string(w, "function", codes[i].name);
		json_string(w, "source", codes[i].source);
		if (codes[i].source)
			json_u64(w, "line", codes[i].line);
		else
			json_null(w, "line");
		put_counts(s, codes[i].counts, w);
		json_end(w);
	}
	json_end(w);
	free(codes);
}

void screen_line_json(struct scene *s, struct json_writer *w)
{
	uint32_t line = find_line(s);
	struct line_view v;

	if (line == UINT32_MAX) {
		json_null(w, "object");
		return;
	}
	line_init(&v, s, line);
	json_string(w, "object", paired_shown(v.pair)->name);
	json_begin_array(w, "fields");
	for (uint32_t i = 0; i < v.shown; i++) {
		const struct paired_field *f = &v.fields[v.which[i]];

		json_begin_object(w, NULL);
		json_string(w, "field", f->name);
		json_u64(w, "offset", f->offset);
		json_string(w, "half", line_half_name(line_half(f->line_offset)));
		put_counts(s, f->counts, w);
		put_codes(s, f, w);
		json_end(w);
	}
	json_end(w);
	blame_json(&v.blame, w);
	line_deinit(&v);
}
