// SPDX-License-Identifier: GPL-2.0-only
#include "screen.h"
#include "label.h"
#include "mem.h"
#include "palette.h"
#include "scene.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_COLUMNS 40
#define LEAST_ROWS    8
#define JSON_COLUMNS  300 /* wide enough for each CPU to be a column */

struct screen *screen_new(void)
{
	return mem_zalloc(sizeof(struct screen));
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	free(s->doctor);
	free(s);
}

const char *screen_argument(const struct screen *s)
{
	return s->argument;
}

/* ---- The bar at the top */

/* Ways to write the tabs, from the widest to the narrowest. */
static const struct tabs {
	bool names;	    /* else only the chosen one has its name */
	const char *behind; /* of each */
	uint32_t gap;
} TABS[] = {
	{ true, " ", 1 },
	{ true, "", 0 },
	{ false, "", 0 },
};

static uint32_t tab_columns(const struct scene *s, int view, const struct tabs *t)
{
	bool named = t->names || view == (int)s->screen->view;

	return 2 + (named ? 1 + strlen(scene_views[view].name) : 0) + strlen(t->behind) + t->gap;
}

static const struct tabs *choose_tabs(const struct scene *s, uint32_t room)
{
	const struct tabs *t = TABS;

	for (; t < TABS + ARRAY_SIZE(TABS) - 1; t++) {
		uint32_t columns = 0;

		for (int v = 0; v < SCENE_VIEWS; v++)
			columns += scene_can_show(s->in, v) ? tab_columns(s, v, t) : 0;
		if (columns <= room)
			break;
	}
	return t;
}

static uint32_t draw_tab(struct scene *s, int view, const struct tabs *t, uint32_t x)
{
	bool chosen = view == (int)s->screen->view;
	enum canvas_style style = chosen ? STYLE_TAB : STYLE_TITLE;
	uint32_t from = x;

	x = canvas_printf(s->canvas, x, 0, style, " %u", scene_views[view].number);
	if (t->names || chosen)
		x = canvas_printf(s->canvas, x, 0, style, " %s", scene_views[view].name);
	x = canvas_text(s->canvas, x, 0, style, t->behind);
	s->screen->tab_from[view] = from;
	s->screen->tab_to[view] = x;
	return x + t->gap;
}

static void draw_title(struct scene *s)
{
	static const char NAME[] = " hitmap ";
	struct canvas *c = s->canvas;
	const struct tabs *t = choose_tabs(s, c->columns - strlen(NAME));
	const char *target = s->in->target ? s->in->target->name : NULL;
	uint32_t x;

	canvas_fill(c, 0, 0, c->columns, STYLE_TITLE, ' ');
	x = canvas_text(c, 0, 0, STYLE_TITLE, NAME);
	for (int v = 0; v < SCENE_VIEWS; v++)
		if (scene_can_show(s->in, v))
			x = draw_tab(s, v, t, x);
	if (target && x + 10 + label_columns(target) < c->columns)
		canvas_printf(c, c->columns - 8 - label_columns(target), 0, STYLE_TITLE,
			      "target %s", target);
}

/* ---- The lines below it */

/* Parts of a line, apart by two spaces; what does not fit is left out. */
static uint32_t put_part(struct scene *s, uint32_t x, uint32_t y, enum canvas_style style,
			 const char *text)
{
	uint32_t columns = label_columns(text);

	if (x + columns > s->canvas->columns)
		return x;
	return canvas_text(s->canvas, x, y, style, text) + 2;
}

/* Of texts that say the same, the first that fits before column "end". */
static uint32_t put_longest(struct scene *s, uint32_t x, uint32_t y, uint32_t end,
			    const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (x + label_columns(texts[i]) <= end)
			return put_part(s, x, y, STYLE_DIM, texts[i]);
	return x;
}

static uint32_t put_live_figures(struct scene *s, uint32_t x, uint32_t y)
{
	const struct screen_live *l = s->in->live;
	char text[FIGURE_TEXT_BYTES + 32], number[FIGURE_TEXT_BYTES];

	snprintf(text, sizeof(text), "%s samples/s",
		 figure_count(number, (uint64_t)l->samples_per_second));
	x = put_part(s, x, y, STYLE_PLAIN, text);
	snprintf(text, sizeof(text), "%.1f %% lost", 100 * l->loss);
	x = put_part(s, x, y, l->loss > 0.01 ? STYLE_WARN : STYLE_PLAIN, text);
	snprintf(text, sizeof(text), "hitmap %.1f %% CPU", 100 * l->own_cpu);
	x = put_part(s, x, y, STYLE_PLAIN, text);
	if (l->window > 0)
		snprintf(text, sizeof(text), "last %.0f s", l->window);
	else
		strcpy(text, "since the start");
	x = put_part(s, x, y, STYLE_PLAIN, text);
	snprintf(text, sizeof(text), "%u:%02u:%02u", (uint32_t)l->seconds / 3600,
		 (uint32_t)l->seconds / 60 % 60, (uint32_t)l->seconds % 60);
	return put_part(s, x, y, STYLE_DIM, text);
}

static void draw_live(struct scene *s, uint32_t y)
{
	const struct screen_live *l = s->in->live;
	uint32_t x = 1;
	char label[LABEL_BYTES];

	if (l->paused)
		x = put_part(s, x, y, STYLE_WARN, "PAUSED");
	else
		x = put_part(s, x, y, STYLE_STRONG, l->ended ? "ended" : "● live");
	if (l->recording) {
		x = canvas_text(s->canvas, x, y, STYLE_WARN, "● writing ");
		x = put_part(s, x, y, STYLE_WARN,
			     label_fit(label, l->recording, 24, s->canvas->unicode));
	}
	x = put_live_figures(s, x, y);
	if (l->command && x + 12 < s->canvas->columns)
		canvas_name(s->canvas, x, y, s->canvas->columns - x, STYLE_DIM, l->command);
}

static const struct note_model *model_of(const struct scene *s)
{
	for (int side = SCREEN_SIDES - 1; side >= 0; side--)
		if (s->in->side[side].view && s->in->side[side].view->profile->model)
			return s->in->side[side].view->profile->model;
	return NULL;
}

static const char MODELLED[] = "modelled, not measured";

/* Modelled figures are never shown without it. */
static void put_modelled(struct scene *s, uint32_t x, uint32_t y)
{
	const struct note_model *m = model_of(s);
	char text[FIGURE_TEXT_BYTES];
	const char *const texts[] = { text, MODELLED, "modelled", "model" };

	if (!m)
		return;
	snprintf(text, sizeof(text), "modelled (%.60s), not measured",
		 m->machine ? m->machine : "a machine without a name");
	if (put_longest(s, x, y, s->canvas->columns, texts, ARRAY_SIZE(texts)) == x)
		canvas_right(s->canvas, s->canvas->columns - 9, y, 9, STYLE_DIM, " modelled");
}

/* Names are missing for a reason. */
static uint32_t put_changed(struct scene *s, uint32_t x, uint32_t y)
{
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (s->in->side[side].view && s->in->side[side].view->changed_files)
			return put_part(s, x, y, STYLE_WARN,
					"no names: programs changed since the recording");
	return x;
}

static double side_total(const struct scene *s, int side)
{
	const struct view *v = s->in->side[side].view;

	return v ? scene_heat(s, side, &v->profile->total) : 0;
}

static uint32_t columns_for_title(const struct scene *s)
{
	return s->both ? s->canvas->columns / 5 : s->canvas->columns / 3;
}

static uint32_t put_side(struct scene *s, uint32_t x, uint32_t y, int side)
{
	char label[LABEL_BYTES], number[FIGURE_TEXT_BYTES];

	label_fit(label, scene_title(s, side), columns_for_title(s), s->canvas->unicode);
	x = canvas_printf(s->canvas, x, y, STYLE_PLAIN, "%s ", label);
	return canvas_text(s->canvas, x, y, STYLE_STRONG,
			   scale_value(number, &s->scale, side_total(s, side)));
}

static uint32_t put_contended(struct scene *s, uint32_t x, uint32_t y)
{
	const struct view *v = s->in->side[SCREEN_AFTER].view;
	char lines[FIGURE_TEXT_BYTES + 32], cost[FIGURE_TEXT_BYTES + 96], number[FIGURE_TEXT_BYTES];
	const struct profile *p = v->profile;
	const char *const texts[] = { cost, lines };
	uint32_t end = s->canvas->columns - (model_of(s) ? strlen(MODELLED) + 2 : 0);

	snprintf(lines, sizeof(lines), "%s contended line%s",
		 figure_count(number, p->contended_count), p->contended_count == 1 ? "" : "s");
	snprintf(cost, sizeof(cost), "%s, %.1f %% of sampled cycles", lines,
		 p->total.latency_sum ? 100.0 * v->contended_latency / p->total.latency_sum : 0);
	return put_longest(s, x, y, end, texts + !p->total.latency_sum,
			   ARRAY_SIZE(texts) - !p->total.latency_sum);
}

static void draw_summary(struct scene *s, uint32_t y)
{
	char title[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES];
	uint32_t x = 1;

	if (s->both) {
		x = put_side(s, x, y, SCREEN_BEFORE);
		x = canvas_text(s->canvas, x, y, STYLE_DIM, " → ");
	}
	x = put_side(s, x, y, s->in->side[SCREEN_AFTER].view != NULL);
	x = canvas_printf(s->canvas, x, y, STYLE_PLAIN, " %s", scale_title(title, &s->scale));
	if (s->both)
		x = canvas_printf(s->canvas, x, y, STYLE_STRONG, " %s",
				  scale_change(change, side_total(s, 0), side_total(s, 1)));
	x += 2;
	if (!s->scale.comparable)
		x = put_part(s, x, y, STYLE_WARN, "counts of runs that may differ in length");
	if (!s->both && s->in->side[SCREEN_AFTER].view)
		x = put_contended(s, x, y);
	x = put_changed(s, x, y);
	put_modelled(s, x, y);
}

/* ---- The line at the bottom */

static const char *const PROMPTS[SCENE_PROMPTS] = {
	[PROMPT_FILTER] = "show only names with: ",
	[PROMPT_WRITE] = "write to (.txt .html .json): ",
	[PROMPT_RECORD] = "record to: ",
	[PROMPT_RUN] = "run: ",
};

static void draw_prompt(struct scene *s, uint32_t y)
{
	const struct screen *screen = s->screen;
	uint32_t x = canvas_text(s->canvas, 1, y, STYLE_PLAIN, PROMPTS[screen->prompt]);
	const char *text = screen->text;

	/* Its end is what is being typed. */
	while (x + label_columns(text) + 2 > s->canvas->columns && *text)
		text++;
	x = canvas_text(s->canvas, x, y, STYLE_INPUT, text);
	canvas_select(s->canvas, x, y, 1);
}

static void draw_hints(struct scene *s, uint32_t y)
{
	bool live = s->in->live != NULL;
	uint32_t x = 1;

	for (const struct key_row *r = key_rows; r->action; r++) {
		uint32_t columns = r->hint ? strcspn(r->name, " ") + 1 + strlen(r->hint) : 0;

		if (!r->hint || (r->place == KEY_LIVE && !live))
			continue;
		if (x + columns > s->canvas->columns)
			return;
		x = canvas_printf(s->canvas, x, y, STYLE_KEY, "%.*s", (int)strcspn(r->name, " "),
				  r->name);
		x = canvas_printf(s->canvas, x, y, STYLE_DIM, " %s", r->hint) + 2;
	}
}

static void draw_bottom(struct scene *s, uint32_t y)
{
	const struct screen_input *in = s->in;
	uint32_t x = 1;

	if (s->screen->prompt) {
		draw_prompt(s, y);
	} else if (in->message) {
		canvas_name(s->canvas, 1, y, s->canvas->columns - 1,
			    in->message_warns ? STYLE_WARN : STYLE_PLAIN, in->message);
	} else if (s->screen->filter[0]) {
		x = canvas_text(s->canvas, x, y, STYLE_WARN, "only names with \"");
		x = canvas_text(s->canvas, x, y, STYLE_WARN, s->screen->filter);
		canvas_text(s->canvas, x, y, STYLE_WARN, "\" (Esc: all)");
	} else {
		draw_hints(s, y);
	}
}

/* ---- All of it */

static void scene_init(struct scene *s, struct screen *screen, struct canvas *c,
		       const struct screen_input *in)
{
	const char *filter = screen->prompt == PROMPT_FILTER ? screen->text : screen->filter;

	*s = (struct scene){ .screen = screen, .canvas = c, .in = in };
	s->both = in->side[0].view && in->side[1].view;
	s->scale = scale_of(in, screen->measure);
	pairing_init(&s->pairing, in);
	snprintf(s->filtered, sizeof(s->filtered), "%s", filter);
	memset(screen->row_at, 0, sizeof(screen->row_at));
	memset(screen->tab_from, 0, sizeof(screen->tab_from));
	memset(screen->tab_to, 0, sizeof(screen->tab_to));
}

static void scene_deinit(struct scene *s)
{
	pairing_deinit(&s->pairing);
}

static void draw_body(struct scene *s)
{
	uint32_t y = 1;

	if (s->in->live)
		draw_live(s, y++);
	if (s->in->side[0].view || s->in->side[1].view)
		draw_summary(s, y++);
	s->top = y;
	s->bottom = s->canvas->rows - 1;
	scene_views[s->screen->view].draw(s);
}

void screen_draw(struct screen *screen, struct canvas *c, const struct screen_input *in)
{
	struct scene s;

	canvas_clear(c);
	if (c->columns < LEAST_COLUMNS || c->rows < LEAST_ROWS) {
		canvas_printf(c, 0, 0, STYLE_WARN, "hitmap needs %u x %u", LEAST_COLUMNS,
			      LEAST_ROWS);
		return;
	}
	scene_init(&s, screen, c, in);
	draw_title(&s);
	draw_body(&s);
	draw_bottom(&s, c->rows - 1);
	screen->step = 0;
	scene_deinit(&s);
}

/* ---- Writing */

static const struct palette PAGE = { PALETTE_256, .light = false };

static void write_html(const struct screen *screen, const struct canvas *c, FILE *out)
{
	char title[64];

	snprintf(title, sizeof(title), "hitmap: %s", scene_views[screen->view].name);
	palette_write_html(&PAGE, c, title, out);
}

static void write_text(const struct screen *screen, const struct canvas *c, FILE *out)
{
	canvas_write_text(c, out);
}

/* The rows up to the last one that shows anything. */
static uint32_t used_rows(const struct canvas *c)
{
	uint32_t rows = c->rows;

	for (; rows; rows--)
		for (uint32_t x = 0; x < c->columns; x++)
			if (canvas_at(c, x, rows - 1)->rune != ' ')
				return rows;
	return rows;
}

/* As it is on the terminal, with as many rows as "rows". */
static void write_drawn(struct screen *screen, const struct screen_input *in, uint32_t columns,
			uint32_t rows,
			void (*write)(const struct screen *s, const struct canvas *c, FILE *out),
			FILE *out)
{
	enum scene_prompt prompt = screen->prompt;
	struct canvas c;

	screen->prompt = PROMPT_NONE;
	canvas_init(&c, columns, rows, true);
	screen_draw(screen, &c, in);
	screen->prompt = prompt;
	if (c.rows) /* a file has no keys */
		canvas_fill(&c, 0, c.rows - 1, c.columns, STYLE_PLAIN, ' ');
	c.rows = used_rows(&c);
	write(screen, &c, out);
	canvas_deinit(&c);
}

static void write_json(struct screen *screen, const struct screen_input *in, FILE *out)
{
	const struct scene_view_row *view = &scene_views[screen->view];
	struct canvas none = { 0 };
	char title[FIGURE_TEXT_BYTES];
	struct json_writer w;
	struct scene s;

	canvas_init(&none, JSON_COLUMNS, LEAST_ROWS, true);
	scene_init(&s, screen, &none, in);
	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_u64(&w, "version", 1);
	json_string(&w, "view", view->name);
	json_string(&w, "measure", scale_title(title, &s.scale));
	json_string(&w, "before", in->side[0].view ? scene_title(&s, SCREEN_BEFORE) : NULL);
	json_string(&w, "after", in->side[1].view ? scene_title(&s, SCREEN_AFTER) : NULL);
	json_string(&w, "target", in->target ? in->target->name : NULL);
	view->json(&s, &w);
	json_end(&w);
	scene_deinit(&s);
	canvas_deinit(&none);
}

static bool ends_with(const char *s, const char *end)
{
	size_t length = strlen(s), ending = strlen(end);

	return length >= ending && strcasecmp(s + length - ending, end) == 0;
}

void screen_write(struct screen *s, const struct screen_input *in, const char *path,
		  uint32_t columns, uint32_t rows, FILE *out)
{
	if (ends_with(path, ".json"))
		write_json(s, in, out);
	else
		write_drawn(s, in, columns, rows,
			    ends_with(path, ".html") ? write_html : write_text, out);
}
