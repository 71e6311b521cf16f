// SPDX-License-Identifier: GPL-2.0-only
/* Objects: all lines of one together. Enter shows its heatmap. */
#include "list.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>

struct object_row {
	struct list_row list;
	const struct paired_object *object;
};

static const struct paired_object *object_of(const struct list_row *r)
{
	return ((const struct object_row *)r)->object;
}

static int shown_side(const struct paired_object *o)
{
	return o->lines[SCREEN_AFTER] ? SCREEN_AFTER : SCREEN_BEFORE;
}

static double heat_before(const struct scene *s, const struct list_row *r)
{
	return scene_heat(s, SCREEN_BEFORE, &object_of(r)->counts[SCREEN_BEFORE]);
}

static double heat_after(const struct scene *s, const struct list_row *r)
{
	return scene_heat(s, SCREEN_AFTER, &object_of(r)->counts[SCREEN_AFTER]);
}

static double heat_shown(const struct scene *s, const struct list_row *r)
{
	const struct paired_object *o = object_of(r);

	return scene_heat(s, shown_side(o), &o->counts[shown_side(o)]);
}

static double heat_change(const struct scene *s, const struct list_row *r)
{
	return heat_after(s, r) - heat_before(s, r);
}

static const char *change_text(const struct scene *s, const struct list_row *r, char *text)
{
	return scale_change(text, heat_before(s, r), heat_after(s, r));
}

static double lines(const struct scene *s, const struct list_row *r)
{
	return object_of(r)->lines[shown_side(object_of(r))];
}

static double size(const struct scene *s, const struct list_row *r)
{
	return object_of(r)->size ? object_of(r)->size : NAN;
}

static double stores(const struct scene *s, const struct list_row *r)
{
	return object_of(r)->counts[shown_side(object_of(r))].stores;
}

static double loads(const struct scene *s, const struct list_row *r)
{
	return object_of(r)->counts[shown_side(object_of(r))].loads;
}

static const char *name_text(const struct scene *s, const struct list_row *r, char *text)
{
	return object_of(r)->name;
}

static const char *type_text(const struct scene *s, const struct list_row *r, char *text)
{
	return object_of(r)->type ? object_of(r)->type : "";
}

static void draw_strip(struct scene *s, const struct list_row *r, int side, uint32_t x, uint32_t y)
{
	const struct view_line *l = s->pairing.lines[object_of(r)->costliest].side[side];
	double heat[LINE_WORDS] = { 0 }, hottest = 0;

	for (int of = 0; of < SCREEN_SIDES; of++) {
		const struct view_line *other = s->pairing.lines[object_of(r)->costliest].side[of];

		if (other)
			scene_words(s, other, of, heat);
		for (int w = 0; other && w < LINE_WORDS; w++)
			hottest = fmax(hottest, heat[w]);
	}
	if (l)
		scene_words(s, l, side, heat);
	else
		for (int w = 0; w < LINE_WORDS; w++)
			heat[w] = 0;
	scale_strip(s->canvas, x, y, heat, hottest);
}

static void strip_before(struct scene *s, const struct list_row *r, uint32_t x, uint32_t y,
			 uint32_t width)
{
	draw_strip(s, r, SCREEN_BEFORE, x, y);
}

static void strip_after(struct scene *s, const struct list_row *r, uint32_t x, uint32_t y,
			uint32_t width)
{
	draw_strip(s, r, SCREEN_AFTER, x, y);
}

static const struct list_column COLUMNS[] = {
	{ .key = "object", .title = "object", .left = true, .text = name_text },
	{ .key = "type", .title = "type", .left = true, .text = type_text },
	{ .title = "hottest line", .width = 12, .when = LIST_ONE_SIDE, .draw = strip_after },
	{ .title = "before",
	  .width = HEAT_STRIP_COLUMNS,
	  .least = 76,
	  .when = LIST_TWO_SIDES,
	  .draw = strip_before },
	{ .title = "after",
	  .width = HEAT_STRIP_COLUMNS,
	  .least = 76,
	  .when = LIST_TWO_SIDES,
	  .draw = strip_after },
	{ .key = "heat",
	  .heat = true,
	  .title = "%s",
	  .width = 9,
	  .when = LIST_ONE_SIDE,
	  .number = heat_shown },
	{ .key = "before",
	  .heat = true,
	  .title = "before",
	  .width = 8,
	  .when = LIST_TWO_SIDES,
	  .number = heat_before },
	{ .key = "after",
	  .heat = true,
	  .title = "after",
	  .width = 8,
	  .when = LIST_TWO_SIDES,
	  .number = heat_after },
	{ .key = "change",
	  .change = true,
	  .title = "change",
	  .width = 7,
	  .when = LIST_TWO_SIDES,
	  .number = heat_change,
	  .text = change_text },
	{ .key = "lines", .title = "lines", .width = 6, .number = lines },
	{ .key = "bytes", .title = "bytes", .width = 9, .least = 90, .number = size },
	{ .key = "loads", .title = "loads", .width = 9, .least = 100, .number = loads },
	{ .key = "stores", .title = "stores", .width = 9, .least = 100, .number = stores },
	{ 0 },
};

static struct object_row *make_rows(struct scene *s, struct list *l)
{
	const struct pairing *p = &s->pairing;
	struct object_row *rows = mem_zalloc((p->object_count + 1) * sizeof(*rows));

	l->rows = mem_zalloc((p->object_count + 1) * sizeof(*l->rows));
	for (uint32_t i = 0; i < p->object_count; i++) {
		const struct paired_object *o = &p->objects[i];

		if (!scene_matches(s, o->name) && !scene_matches(s, o->type))
			continue;
		if (scene_is_speck(s, o->counts)) {
			s->hidden++;
			continue;
		}
		rows[l->count].object = o;
		rows[l->count].list.row = (struct scene_row){ .id = o->id,
							      .line = p->lines[o->costliest].id,
							      .object = o->id };
		l->rows[l->count] = &rows[l->count].list;
		l->count++;
	}
	return rows;
}

void screen_objects(struct scene *s)
{
	struct list l = { .columns = COLUMNS, .nothing = "no object has such a name" };
	struct object_row *rows;
	uint32_t x;

	if (!s->pairing.line_count) {
		scene_nothing(s);
		return;
	}
	rows = make_rows(s, &l);
	list_draw(s, &l, s->bottom - s->top - 1);
	x = canvas_text(s->canvas, 1, s->bottom - 1, STYLE_DIM,
			"Enter: its heatmap   d: its hottest line");
	scene_hidden(s, x, s->bottom - 1, s->hidden, "object", 0);
	free(l.rows);
	free(rows);
}

void screen_objects_json(struct scene *s, struct json_writer *w)
{
	struct list l = { .columns = COLUMNS };
	struct object_row *rows = make_rows(s, &l);

	list_json(s, &l, "objects", w);
	free(l.rows);
	free(rows);
}
