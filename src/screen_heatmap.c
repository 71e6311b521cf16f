// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fields by CPU: a strip each side and one for the difference, all on one scale. Objects stand
 * below each other, the target's first, or one by itself; of big arrays also a block of their
 * elements.
 */
#include "axis.h"
#include "fields.h"
#include "label.h"
#include "matrix.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PANES	     3 /* before, after, difference */
#define NUMBER	     9 /* columns of a figure */
#define LEAST_NAME   20
#define MOST_NAME    48
#define BLOCK_ROWS   6 /* of an array's elements */
#define MOST_OBJECTS 12

/* ---- What a target is made of */

/* "struct page", "page", "futex_hash_bucket[256]" */
static bool is_type(const char *type, const char *wanted)
{
	size_t length = strlen(wanted);

	if (!type)
		return false;
	if (strncmp(type, "struct ", 7) == 0)
		type += 7;
	return strncmp(type, wanted, length) == 0 && (!type[length] || type[length] == '[');
}

/* In any kernel: replicas of old structures run on new ones. */
static bool is_of_target(const struct scene *s, const struct paired_object *o)
{
	const struct target *t = s->in->target;

	for (size_t i = 0; t && i < t->types; i++)
		if (is_type(o->type, t->type[i].type))
			return true;
	return false;
}

/* ---- Rows */

enum map_kind { MAP_OBJECT, MAP_BLOCK, MAP_FIELD, MAP_HALF, MAP_HIDDEN };

struct map_row {
	enum map_kind kind;
	uint32_t object, field; /* field: of the object's; of MAP_HALF: its first one */
	uint32_t number;     /* of MAP_BLOCK: which of its rows; of MAP_HIDDEN: how many fields */
	uint32_t selectable; /* its number among those that can be chosen */
	double *heat[SCREEN_SIDES];
};

struct map_object {
	uint32_t object;
	struct paired_field *fields;
	uint32_t count;
	struct matrix matrix; /* lines 0: none */
	uint32_t each;
	double most; /* of the block */
};

struct map_view {
	struct scene *scene;
	struct axis axis;
	struct map_object objects[MOST_OBJECTS];
	uint32_t object_count;
	struct map_row *rows;
	uint32_t row_count, row_room, selectable;
	double hottest;
	/* Columns of the canvas: */
	uint32_t name, pane, strip; /* strip 0: there is no room for any */
	bool narrow;		    /* none for the change */
	uint32_t pane_x[PANES];
};

static struct map_row *add_row(struct map_view *m, enum map_kind kind, uint32_t object,
			       uint32_t number)
{
	mem_grow(&m->rows, &m->row_room, m->row_count);
	m->rows[m->row_count] = (struct map_row){
		.kind = kind, .object = object, .number = number, .selectable = UINT32_MAX
	};
	return &m->rows[m->row_count++];
}

static void heat_row(struct map_view *m, struct map_row *r, const struct paired_field *f)
{
	for (int side = 0; side < SCREEN_SIDES; side++) {
		r->heat[side] = mem_zalloc((m->axis.count + 1) * sizeof(double));
		axis_add(&m->axis, m->scene, f, side, r->heat[side]);
		for (uint32_t i = 0; i < m->axis.count; i++)
			m->hottest = fmax(m->hottest, r->heat[side][i]);
	}
}

/* A rule where a half of a line begins. */
static void add_rule(struct map_view *m, uint32_t object, const struct paired_field *last,
		     const struct paired_field *f)
{
	bool same_line = last && (last->line == f->line || m->objects[object].matrix.lines);

	if (!same_line || line_half(last->line_offset) != line_half(f->line_offset))
		add_row(m, MAP_HALF, object, 0)->field = f - m->objects[object].fields;
}

static double both_heats(const struct scene *s, const struct paired_field *f)
{
	return field_heat(s, f, SCREEN_BEFORE) + field_heat(s, f, SCREEN_AFTER);
}

static int by_heat(const void *a, const void *b, void *context)
{
	const struct paired_field *x = *(struct paired_field *const *)a;
	const struct paired_field *y = *(struct paired_field *const *)b;
	int order = CMP(both_heats(context, y), both_heats(context, x));

	return order ? order : CMP(x->offset, y->offset);
}

/* The fields in the order of their offsets, or of their heat; to be freed. */
static const struct paired_field **sort_fields(const struct map_view *m, const struct map_object *o)
{
	const struct paired_field **sorted = mem_zalloc((o->count + 1) * sizeof(*sorted));

	for (uint32_t i = 0; i < o->count; i++)
		sorted[i] = &o->fields[i];
	if (m->scene->screen->choice[VIEW_HEATMAP].order % 2)
		qsort_r(sorted, o->count, sizeof(*sorted), by_heat, m->scene);
	return sorted;
}

static void add_fields(struct map_view *m, uint32_t object)
{
	const struct map_object *o = &m->objects[object];
	const struct paired_field **sorted = sort_fields(m, o), *last = NULL;
	uint32_t hidden = 0;

	for (uint32_t i = 0; i < o->count; i++) {
		struct map_row *r;

		if (!sorted[i]->matters) {
			hidden++;
			continue;
		}
		add_rule(m, object, last, sorted[i]);
		r = add_row(m, MAP_FIELD, object, 0);
		r->field = sorted[i] - o->fields;
		r->selectable = m->selectable++;
		heat_row(m, r, sorted[i]);
		last = sorted[i];
	}
	if (hidden)
		add_row(m, MAP_HIDDEN, object, hidden);
	free(sorted);
}

static bool field_or_function_matches(const struct scene *s, const struct paired_object *o,
				      uint32_t object)
{
	if (scene_matches(s, o->name) || scene_matches(s, o->type))
		return true;
	for (uint32_t i = 0; i < s->pairing.line_count; i++)
		if (s->pairing.lines[i].object == object &&
		    scene_line_matches(s, &s->pairing.lines[i]))
			return true;
	return false;
}

static void add_object(struct map_view *m, uint32_t object)
{
	const struct paired_object *p = &m->scene->pairing.objects[object];
	struct map_object *o = &m->objects[m->object_count];

	*o = (struct map_object){ .object = object };
	o->fields = pairing_object_fields(&m->scene->pairing, object, &o->count);
	add_row(m, MAP_OBJECT, m->object_count, 0);
	if (p->array && m->strip > 2) {
		matrix_init(&o->matrix, m->scene, p);
		o->each = matrix_each(&o->matrix, m->strip - 2, BLOCK_ROWS);
		o->most = matrix_most(&o->matrix, o->each);
		matrix_fields(&o->matrix, o->fields, o->count);
		for (uint32_t i = 0; i < BLOCK_ROWS; i++)
			add_row(m, MAP_BLOCK, m->object_count, i);
	}
	field_mark(m->scene, o->fields, o->count);
	add_fields(m, m->object_count++);
}

/* Left and right go from all objects to the first, the second ... */
static void step_object(struct scene *s)
{
	struct screen *screen = s->screen;
	const struct pairing *p = &s->pairing;
	int64_t at = screen->object ? (int64_t)pairing_find_object(p, screen->object) : -1;

	if (!screen->step || !p->object_count)
		return;
	at = at == UINT32_MAX ? -1 : at;
	at += screen->step;
	at = at >= p->object_count ? -1 : at < -1 ? p->object_count - 1 : at;
	screen->object = at < 0 ? 0 : p->objects[at].id;
	screen->choice[VIEW_HEATMAP] = (struct scene_choice){ 0 };
}

/* The objects to show: the one that was asked for, or the target's and then all others. */
static void add_objects(struct map_view *m)
{
	struct scene *s = m->scene;
	const struct pairing *p = &s->pairing;
	uint32_t one = s->screen->object ? pairing_find_object(p, s->screen->object) : UINT32_MAX;

	if (one != UINT32_MAX) {
		add_object(m, one);
		return;
	}
	for (int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < p->object_count && m->object_count < MOST_OBJECTS; i++)
			if (is_of_target(s, &p->objects[i]) == !others &&
			    (!others || !scene_is_speck(s, p->objects[i].counts)) &&
			    field_or_function_matches(s, &p->objects[i], i))
				add_object(m, i);
}

/* ---- Widths */

static uint32_t pane_count(const struct map_view *m)
{
	return m->scene->both ? PANES : 1;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#define NARROW 72 /* columns below which a change is a figure only */

/*
 *	name   |strip| figure   |strip| figure   |strip| change
 */
static void lay_out(struct map_view *m)
{
	uint32_t columns = m->scene->canvas->columns, panes = pane_count(m), room;

	m->name = columns * (panes > 1 ? 27 : 30) / 100;
	m->name = m->name < LEAST_NAME ? LEAST_NAME : least(m->name, MOST_NAME);
	m->narrow = panes > 1 && columns < NARROW;
	room = columns - m->name - 1 - (m->narrow ? NUMBER : 0);
	m->pane = room / (panes - m->narrow);
	room = m->pane > NUMBER + 3 ? m->pane - NUMBER - 2 : 1;
	if (panes == 1) /* leaves room to say who touches the field */
		room = room * 3 / 5;
	axis_init(&m->axis, m->scene, room);
	m->strip = axis_width(&m->axis) <= m->pane - NUMBER ? axis_width(&m->axis) : 0;
	for (uint32_t i = 0; i < panes; i++)
		m->pane_x[i] = m->name + 1 + i * m->pane;
}

/* Of the pane: whether there is a strip in it, and where its figure begins. */
static bool has_strip(const struct map_view *m, uint32_t pane)
{
	return m->strip && !(m->narrow && pane == PANES - 1);
}

static uint32_t figure_x(const struct map_view *m, uint32_t pane)
{
	return m->pane_x[pane] + (has_strip(m, pane) ? m->strip : 0);
}

static int pane_side(const struct map_view *m, uint32_t pane)
{
	if (m->scene->both)
		return pane;
	return m->scene->in->side[SCREEN_AFTER].view ? SCREEN_AFTER : SCREEN_BEFORE;
}

/* ---- Drawing */

static void draw_heads(struct map_view *m, uint32_t y)
{
	struct scene *s = m->scene;
	char words[FIGURE_TEXT_BYTES];

	canvas_fill(s->canvas, 0, y, s->canvas->columns, STYLE_HEAD, ' ');
	canvas_text(s->canvas, 0, y, STYLE_HEAD, "object and its fields");
	canvas_text(s->canvas, 0, y + 1, STYLE_DIM, axis_words(&m->axis, words));
	for (uint32_t i = 0; i < pane_count(m); i++) {
		static const char *const NAMES[PANES] = { "before", "after", "change" };
		const char *title = m->scene->both ? NAMES[i] : scene_title(s, pane_side(m, i));
		char unit[FIGURE_TEXT_BYTES];

		if (m->narrow)
			canvas_right(s->canvas, figure_x(m, i), y, NUMBER, STYLE_HEAD, title);
		else
			canvas_name(s->canvas, m->pane_x[i], y, m->strip, STYLE_HEAD, title);
		if (!m->narrow && i < PANES - 1)
			canvas_right(s->canvas, figure_x(m, i), y, NUMBER, STYLE_HEAD,
				     scale_title(unit, &s->scale));
		if (has_strip(m, i))
			axis_labels(&m->axis, s->canvas, m->pane_x[i], y + 1);
	}
}

static double object_heat(const struct map_view *m, const struct map_object *o, int side)
{
	return scene_heat(m->scene, side, &m->scene->pairing.objects[o->object].counts[side]);
}

static void draw_figures(struct map_view *m, uint32_t y, double before, double after, bool strong)
{
	struct canvas *c = m->scene->canvas;
	char text[FIGURE_TEXT_BYTES];
	double side[SCREEN_SIDES] = { before, after };

	for (uint32_t i = 0; i < pane_count(m); i++)
		canvas_right(c, figure_x(m, i), y, NUMBER,
			     strong || i == PANES - 1 ? STYLE_STRONG : STYLE_PLAIN,
			     i == PANES - 1
				     ? scale_change(text, before, after)
				     : scale_value(text, &m->scene->scale, side[pane_side(m, i)]));
}

static void draw_object(struct map_view *m, const struct map_row *r, uint32_t y)
{
	const struct map_object *of = &m->objects[r->object];
	const struct paired_object *o = &m->scene->pairing.objects[of->object];
	struct canvas *c = m->scene->canvas;

	canvas_name(c, 0, y, m->name, STYLE_STRONG, o->name);
	draw_figures(m, y, object_heat(m, of, 0), object_heat(m, of, 1), true);
	if (o->type && pane_count(m) == 1 && m->pane_x[0] + m->strip + NUMBER + 2 < c->columns)
		canvas_name(c, m->pane_x[0] + m->strip + NUMBER + 2, y,
			    c->columns - m->pane_x[0] - m->strip - NUMBER - 2, STYLE_DIM, o->type);
}

static void draw_field(struct map_view *m, const struct map_row *r, uint32_t y)
{
	struct scene *s = m->scene;
	const struct paired_field *f = &m->objects[r->object].fields[r->field];
	uint32_t x = canvas_printf(s->canvas, 1, y, STYLE_DIM, "+%-4u", f->offset);
	char label[256];

	canvas_name(s->canvas, x + 1, y, m->name > x + 1 ? m->name - x - 1 : 0, STYLE_PLAIN,
		    field_label(s, f, label, sizeof(label)));
	for (uint32_t i = 0; i < pane_count(m); i++) {
		double change[m->axis.count + 1];

		if (!has_strip(m, i))
			continue;
		for (uint32_t k = 0; k < m->axis.count; k++)
			change[k] = i < PANES - 1 ? r->heat[pane_side(m, i)][k]
						  : r->heat[1][k] - r->heat[0][k];
		axis_strip(&m->axis, s->canvas, m->pane_x[i], y, change, m->hottest,
			   i < PANES - 1 ? AXIS_HEAT : AXIS_DIFFERENCE);
	}
	draw_figures(m, y, field_heat(s, f, 0), field_heat(s, f, 1), false);
	if (pane_count(m) == 1) {
		char story[256];

		x = m->pane_x[0] + m->strip + NUMBER + 2;
		if (x < s->canvas->columns)
			canvas_name(
				s->canvas, x, y, s->canvas->columns - x, STYLE_DIM,
				field_story(s, f, s->canvas->columns - x, story, sizeof(story)));
	}
	scene_mark(s, r->selectable, y);
}

static void draw_block(struct map_view *m, const struct map_row *r, uint32_t y)
{
	struct canvas *c = m->scene->canvas;
	struct map_object *o = &m->objects[r->object];
	char text[FIGURE_TEXT_BYTES];

	if (!r->number)
		canvas_printf(c, 1, y, STYLE_DIM, "%s lines", figure_count(text, o->matrix.lines));
	if (r->number == 1)
		canvas_printf(c, 1, y, STYLE_DIM, "a cell: %s line%s", figure_count(text, o->each),
			      o->each == 1 ? "" : "s");
	if (r->number == 2)
		canvas_printf(c, 1, y, STYLE_DIM, "\u2588: %s+",
			      scale_value(text, &m->scene->scale, o->most / 2));
	for (uint32_t i = 0; i < pane_count(m) && has_strip(m, i); i++)
		matrix_row(&o->matrix, c, m->pane_x[i], y, m->strip - 2, r->number, o->each,
			   i < PANES - 1 ? pane_side(m, i) : SCREEN_SIDES, o->most);
}

/* "lower half", and of which line where the object has several. */
static void draw_half(struct map_view *m, const struct map_row *r, uint32_t y)
{
	const struct map_object *o = &m->objects[r->object];
	const struct paired_field *f = &o->fields[r->field];
	uint32_t line = (f->offset - f->line_offset) / 64, x;
	struct canvas *c = m->scene->canvas;
	char where[32] = "";

	if (f->offset >= f->line_offset && line && !o->matrix.lines)
		snprintf(where, sizeof(where), " of line +%u", f->offset - f->line_offset);
	x = canvas_printf(c, 1, y, STYLE_DIM, "%s half%s%s ",
			  line_half_name(line_half(f->line_offset)), where,
			  f->moved ? ", before: the other" : "");
	canvas_fill(c, x, y, c->columns - x, STYLE_DIM, 0x2504);
}

static void draw_hidden(struct map_view *m, const struct map_row *r, uint32_t y)
{
	canvas_printf(m->scene->canvas, 1, y, STYLE_DIM,
		      "%u more field%s, each below 0.5 %% of the hottest", r->number,
		      r->number == 1 ? "" : "s");
}

static void (*const DRAW[])(struct map_view *m, const struct map_row *r, uint32_t y) = {
	[MAP_OBJECT] = draw_object, [MAP_BLOCK] = draw_block,	[MAP_FIELD] = draw_field,
	[MAP_HALF] = draw_half,	    [MAP_HIDDEN] = draw_hidden,
};

/* ---- The bottom: the scale, the chosen field */

static void draw_legend(struct map_view *m, uint32_t y)
{
	struct scene *s = m->scene;
	uint32_t x = scale_legend(s->canvas, 1, y, m->hottest, s->both);

	if (m->axis.guessed)
		canvas_text(s->canvas, x, y, STYLE_WARN,
			    "  spread evenly: counts by CPU are not known");
}

static void draw_hottest_element(struct map_view *m, const struct map_object *o, uint32_t y)
{
	char text[FIGURE_TEXT_BYTES], number[FIGURE_TEXT_BYTES];
	uint32_t x = 1;

	for (uint32_t i = 0; i < pane_count(m) && i < SCREEN_SIDES; i++) {
		int side = pane_side(m, i);
		double heat = o->matrix.heat[side] ? o->matrix.heat[side][o->matrix.hottest[side]]
						   : 0;
		double all = object_heat(m, o, side);

		if (!(all > 0))
			continue;
		x = canvas_printf(m->scene->canvas, x, y, STYLE_DIM, "%s: hottest line %s, ",
				  m->scene->both ? (i ? "after" : "before")
						 : scene_title(m->scene, side),
				  figure_count(number, o->matrix.hottest[side]));
		x = canvas_printf(m->scene->canvas, x, y, STYLE_PLAIN, "%s of %s",
				  scale_value(number, &m->scene->scale, heat),
				  scale_value(text, &m->scene->scale, all));
		x = canvas_printf(m->scene->canvas, x, y, STYLE_DIM, " (%.1f %%)   ",
				  100 * heat / all);
	}
}

static void draw_chosen(struct map_view *m, uint32_t y)
{
	struct scene *s = m->scene;
	char story[256];
	uint32_t x;

	for (uint32_t i = 0; i < m->row_count; i++) {
		const struct map_row *r = &m->rows[i];
		const struct paired_field *f;
		const char *type;

		if (r->kind != MAP_FIELD || r->selectable != scene_choice(s)->at)
			continue;
		if (m->objects[r->object].matrix.lines)
			draw_hottest_element(m, &m->objects[r->object], y - 1);
		f = &m->objects[r->object].fields[r->field];
		type = s->pairing.objects[f->object].type;
		x = canvas_name(s->canvas, 1, y, least(label_columns(f->name), 40), STYLE_STRONG,
				f->name);
		x = canvas_printf(s->canvas, x, y, STYLE_DIM, "  %s%s+%u %s half%s  ",
				  type ? type : "", type ? " " : "", f->offset,
				  line_half_name(line_half(f->line_offset)),
				  f->moved ? " (was in the other one)" : "");
		if (x < s->canvas->columns)
			canvas_text(
				s->canvas, x, y, STYLE_PLAIN,
				field_story(s, f, s->canvas->columns - x, story, sizeof(story)));
		return;
	}
}

/* ---- The view */

static void choose(struct map_view *m, uint32_t page)
{
	struct scene *s = m->scene;
	struct scene_row *rows = mem_zalloc((m->selectable + 1) * sizeof(*rows));
	struct scene_choice *c = scene_choice(s);
	uint32_t at = 0;

	for (uint32_t i = 0; i < m->row_count; i++) {
		const struct paired_field *f =
			&m->objects[m->rows[i].object].fields[m->rows[i].field];

		if (m->rows[i].kind == MAP_FIELD)
			rows[m->rows[i].selectable] =
				(struct scene_row){ .id = f->id,
						    .line = s->pairing.lines[f->line].id,
						    .object = s->pairing.objects[f->object].id,
						    .field = f->id };
	}
	scene_choose(s, rows, m->selectable, 0);
	free(rows);
	while (at < m->row_count && m->rows[at].selectable != c->at)
		at++;
	if (c->first > at || (!c->at && at < page))
		c->first = c->at ? at : 0;
	if (at >= c->first + page)
		c->first = at - page + 1;
	if (c->first + page > m->row_count)
		c->first = m->row_count > page ? m->row_count - page : 0;
	c->page = page;
}

static void map_init(struct map_view *m, struct scene *s)
{
	*m = (struct map_view){ .scene = s };
	step_object(s);
	lay_out(m);
	add_objects(m);
}

static void map_deinit(struct map_view *m)
{
	for (uint32_t i = 0; i < m->row_count; i++) {
		free(m->rows[i].heat[0]);
		free(m->rows[i].heat[1]);
	}
	for (uint32_t i = 0; i < m->object_count; i++) {
		pairing_fields_free(m->objects[i].fields, m->objects[i].count);
		matrix_deinit(&m->objects[i].matrix);
	}
	axis_deinit(&m->axis);
	free(m->rows);
}

void screen_heatmap(struct scene *s)
{
	uint32_t page = s->bottom - s->top > 6 ? s->bottom - s->top - 5 : 1, first;
	struct map_view m;

	if (!s->pairing.line_count) {
		scene_nothing(s);
		return;
	}
	map_init(&m, s);
	choose(&m, page);
	first = scene_choice(s)->first;
	draw_heads(&m, s->top);
	for (uint32_t i = first; i < m.row_count && i < first + page; i++)
		DRAW[m.rows[i].kind](&m, &m.rows[i], s->top + 2 + i - first);
	if (!m.row_count)
		canvas_text(s->canvas, 2, s->top + 2, STYLE_DIM, "no object has such a name in it");
	draw_chosen(&m, s->bottom - 2);
	draw_legend(&m, s->bottom - 1);
	map_deinit(&m);
}

/* ---- JSON */

static void put_columns(const struct map_view *m, struct json_writer *w)
{
	json_begin_array(w, "columns");
	for (uint32_t i = 0; i < m->axis.count; i++) {
		const struct axis_column *c = &m->axis.columns[i];

		json_begin_object(w, NULL);
		json_u64(w, "first_cpu", c->first);
		json_u64(w, "last_cpu", c->last);
		json_u64(w, "cpus", c->cpus);
		if (c->node == AXIS_NO_NODE)
			json_null(w, "node");
		else
			json_u64(w, "node", c->node);
		json_end(w);
	}
	json_end(w);
	json_boolean(w, "spread", m->axis.guessed);
}

static void put_side(const struct map_view *m, const struct map_row *r,
		     const struct paired_field *f, int side, struct json_writer *w)
{
	json_begin_object(w, side == SCREEN_BEFORE ? "before" : "after");
	json_double(w, "heat", field_heat(m->scene, f, side));
	json_begin_array(w, "columns");
	for (uint32_t i = 0; i < m->axis.count; i++)
		json_double(w, NULL, r->heat[side][i]);
	json_end(w);
	json_end(w);
}

void screen_heatmap_json(struct scene *s, struct json_writer *w)
{
	struct map_view m;

	map_init(&m, s);
	put_columns(&m, w);
	json_begin_array(w, "fields");
	for (uint32_t i = 0; i < m.row_count; i++) {
		const struct map_row *r = &m.rows[i];
		const struct paired_field *f = &m.objects[r->object].fields[r->field];

		if (r->kind != MAP_FIELD)
			continue;
		json_begin_object(w, NULL);
		json_string(w, "object", s->pairing.objects[f->object].name);
		json_string(w, "type", s->pairing.objects[f->object].type);
		json_string(w, "field", f->name);
		json_u64(w, "offset", f->offset);
		json_string(w, "half", line_half_name(line_half(f->line_offset)));
		for (int side = 0; side < SCREEN_SIDES; side++)
			if (s->in->side[side].view)
				put_side(&m, r, f, side, w);
		json_end(w);
	}
	json_end(w);
	map_deinit(&m);
}
