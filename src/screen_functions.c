// SPDX-License-Identifier: GPL-2.0-only
/* Functions, with all that they cause and pay on contended lines; below, the fields of the chosen.
 */
#include "fields.h"
#include "list.h"
#include "map.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A field that a function touches. */
struct touched {
	const struct paired_field *field;
	struct counts counts[SCREEN_SIDES];
};

struct function_row {
	struct list_row list;
	const char *name;
	const char *source;
	uint32_t line;
	struct counts counts[SCREEN_SIDES];
	uint32_t cpus;
	struct touched *touched;
	uint32_t touched_count, touched_room;
};

struct functions {
	struct scene *scene;
	struct function_row *rows;
	uint32_t count, room;
	struct paired_field **fields; /* by object */
	uint32_t *field_count;
	struct map known;
};

static const struct function_row *row_of(const struct list_row *r)
{
	return (const struct function_row *)r;
}

/* ---- Columns */

static double heat_before(const struct scene *s, const struct list_row *r)
{
	return scene_heat(s, SCREEN_BEFORE, &row_of(r)->counts[SCREEN_BEFORE]);
}

static double heat_after(const struct scene *s, const struct list_row *r)
{
	return scene_heat(s, SCREEN_AFTER, &row_of(r)->counts[SCREEN_AFTER]);
}

static double heat_shown(const struct scene *s, const struct list_row *r)
{
	return heat_before(s, r) + heat_after(s, r);
}

static double heat_change(const struct scene *s, const struct list_row *r)
{
	return heat_after(s, r) - heat_before(s, r);
}

static const char *change_text(const struct scene *s, const struct list_row *r, char *text)
{
	return scale_change(text, heat_before(s, r), heat_after(s, r));
}

static const struct counts *shown_counts(const struct list_row *r)
{
	const struct function_row *f = row_of(r);

	return &f->counts[f->counts[SCREEN_AFTER].samples ? SCREEN_AFTER : SCREEN_BEFORE];
}

static double loads(const struct scene *s, const struct list_row *r)
{
	return shown_counts(r)->loads;
}

static double stores(const struct scene *s, const struct list_row *r)
{
	return shown_counts(r)->stores;
}

static double latency(const struct scene *s, const struct list_row *r)
{
	const struct counts *c = shown_counts(r);

	return c->latency_samples ? round((double)c->latency_sum / c->latency_samples) : NAN;
}

static double cpus(const struct scene *s, const struct list_row *r)
{
	return row_of(r)->cpus;
}

static const char *name_text(const struct scene *s, const struct list_row *r, char *text)
{
	return row_of(r)->name;
}

static const char *source_text(const struct scene *s, const struct list_row *r, char *text)
{
	snprintf(text, FIGURE_TEXT_BYTES, "%.100s", row_of(r)->source ? row_of(r)->source : "n/a");
	return text;
}

/* The field it is hottest at. */
static const char *field_text(const struct scene *s, const struct list_row *r, char *text)
{
	const struct function_row *f = row_of(r);

	if (!f->touched_count)
		return "";
	snprintf(text, FIGURE_TEXT_BYTES, "%.90s", f->touched[0].field->name);
	if (f->touched_count > 1)
		snprintf(text + strlen(text), 20, " +%u", f->touched_count - 1);
	return text;
}

static const struct list_column COLUMNS[] = {
	{ .key = "function", .title = "function", .left = true, .text = name_text },
	{ .title = "field", .left = true, .text = field_text },
	{ .key = "source",
	  .title = "source",
	  .width = 18,
	  .least = 100,
	  .left = true,
	  .text = source_text },
	{ .key = "heat",
	  .heat = true,
	  .title = "%s",
	  .width = 9,
	  .when = LIST_ONE_SIDE,
	  .number = heat_shown },
	{ .key = "before",
	  .heat = true,
	  .title = "before",
	  .width = 9,
	  .when = LIST_TWO_SIDES,
	  .number = heat_before },
	{ .key = "after",
	  .heat = true,
	  .title = "after",
	  .width = 9,
	  .when = LIST_TWO_SIDES,
	  .number = heat_after },
	{ .key = "change",
	  .change = true,
	  .title = "change",
	  .width = 7,
	  .when = LIST_TWO_SIDES,
	  .number = heat_change,
	  .text = change_text },
	{ .key = "loads", .title = "loads", .width = 9, .when = LIST_ONE_SIDE, .number = loads },
	{ .key = "stores", .title = "stores", .width = 9, .when = LIST_ONE_SIDE, .number = stores },
	{ .key = "loads",
	  .title = "loads",
	  .width = 9,
	  .least = 120,
	  .when = LIST_TWO_SIDES,
	  .number = loads },
	{ .key = "stores",
	  .title = "stores",
	  .width = 9,
	  .least = 120,
	  .when = LIST_TWO_SIDES,
	  .number = stores },
	{ .key = "cycles", .title = "cycles", .width = 7, .least = 76, .number = latency },
	{ .key = "cpus", .title = "CPUs", .width = 5, .least = 90, .number = cpus },
	{ 0 },
};

/* ---- Rows */

static struct function_row *function_of(struct functions *f, const char *name)
{
	bool made;
	uint64_t id = pairing_hash(3, name), *index = map_put(&f->known, id, f->count, &made);

	if (made) {
		mem_grow(&f->rows, &f->room, f->count);
		f->rows[f->count++] = (struct function_row){ .list.row.id = id, .name = name };
	}
	return &f->rows[*index];
}

static void touch(struct functions *f, const struct paired_field *field,
		  const struct field_code *code)
{
	struct function_row *r = function_of(f, code->name);
	struct touched *t;

	if (!r->source && code->source) {
		r->source = code->source;
		r->line = code->line;
	}
	for (int side = 0; side < SCREEN_SIDES; side++) {
		counts_add(&r->counts[side], &code->counts[side]);
		r->cpus = code->cpus[side] > r->cpus ? code->cpus[side] : r->cpus;
	}
	if (!r->touched_count || r->touched[r->touched_count - 1].field != field) {
		mem_grow(&r->touched, &r->touched_room, r->touched_count);
		r->touched[r->touched_count++] = (struct touched){ .field = field };
	}
	t = &r->touched[r->touched_count - 1];
	for (int side = 0; side < SCREEN_SIDES; side++)
		counts_add(&t->counts[side], &code->counts[side]);
}

static void add_field(struct functions *f, const struct paired_field *field)
{
	uint32_t count;
	struct field_code *codes = field_codes(f->scene, field, &count);

	for (uint32_t i = 0; i < count; i++)
		touch(f, field, &codes[i]);
	free(codes);
}

static double touched_heat(const struct scene *s, const struct touched *t)
{
	return scene_heat(s, 0, &t->counts[0]) + scene_heat(s, 1, &t->counts[1]);
}

static int touched_compare(const void *a, const void *b, void *context)
{
	const struct touched *x = a, *y = b;
	int order = CMP(touched_heat(context, y), touched_heat(context, x));

	if (!order)
		order = CMP(y->counts[1].samples + y->counts[0].samples,
			    x->counts[1].samples + x->counts[0].samples);
	return order ? order : CMP(x->field->id, y->field->id);
}

static int function_compare(const void *a, const void *b, void *context)
{
	const struct function_row *x = a, *y = b;
	int order = CMP(heat_shown(context, &y->list), heat_shown(context, &x->list));

	return order ? order : strcmp(x->name, y->name);
}

static void finish(struct functions *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		struct function_row *r = &f->rows[i];
		const struct paired_field *first;

		qsort_r(r->touched, r->touched_count, sizeof(*r->touched), touched_compare,
			f->scene);
		first = r->touched[0].field;
		r->list.row.field = first->id;
		r->list.row.line = f->scene->pairing.lines[first->line].id;
		r->list.row.object = f->scene->pairing.objects[first->object].id;
	}
	if (f->count)
		qsort_r(f->rows, f->count, sizeof(*f->rows), function_compare, f->scene);
}

static void functions_init(struct functions *f, struct scene *s, struct list *l)
{
	uint32_t objects = s->pairing.object_count;

	*f = (struct functions){ .scene = s };
	map_init(&f->known);
	f->fields = mem_zalloc((objects + 1) * sizeof(*f->fields));
	f->field_count = mem_zalloc((objects + 1) * sizeof(*f->field_count));
	for (uint32_t i = 0; i < objects; i++) {
		f->fields[i] = pairing_object_fields(&s->pairing, i, &f->field_count[i]);
		for (uint32_t k = 0; k < f->field_count[i]; k++)
			add_field(f, &f->fields[i][k]);
	}
	finish(f);
	l->rows = mem_zalloc((f->count + 1) * sizeof(*l->rows));
	for (uint32_t i = 0; i < f->count; i++)
		if (!scene_matches(s, f->rows[i].name) && !scene_matches(s, f->rows[i].source))
			continue;
		else if (scene_is_speck(s, f->rows[i].counts))
			s->hidden++;
		else
			l->rows[l->count++] = &f->rows[i].list;
}

static void functions_deinit(struct functions *f, struct list *l)
{
	for (uint32_t i = 0; i < f->scene->pairing.object_count; i++)
		pairing_fields_free(f->fields[i], f->field_count[i]);
	for (uint32_t i = 0; i < f->count; i++)
		free(f->rows[i].touched);
	map_deinit(&f->known);
	free(f->fields);
	free(f->field_count);
	free(f->rows);
	free(l->rows);
}

/* ---- The fields below */

static void draw_touched(struct scene *s, const struct touched *t, uint32_t y)
{
	const struct counts *c = &t->counts[t->counts[1].samples ? SCREEN_AFTER : SCREEN_BEFORE];
	const char *object = s->pairing.objects[t->field->object].name;
	char number[FIGURE_TEXT_BYTES], change[FIGURE_TEXT_BYTES];
	double before = scene_heat(s, 0, &t->counts[0]), after = scene_heat(s, 1, &t->counts[1]);
	uint32_t x, width = s->canvas->columns * 21 / 100;

	x = canvas_name(s->canvas, 4, y, width, STYLE_STRONG, t->field->name) + 1;
	x = canvas_name(s->canvas, x, y, width, STYLE_DIM, object) + 1;
	if (s->both)
		x = canvas_right(s->canvas, x, y, 9, STYLE_PLAIN,
				 scale_value(number, &s->scale, before)) +
		    1;
	x = canvas_right(s->canvas, x, y, 9, STYLE_PLAIN,
			 scale_value(number, &s->scale, s->both ? after : before + after)) +
	    1;
	if (s->both)
		x = canvas_right(s->canvas, x, y, 7, STYLE_STRONG,
				 scale_change(change, before, after)) +
		    1;
	if (x + 14 <= s->canvas->columns)
		canvas_printf(s->canvas, x, y, STYLE_DIM, " %s%s%s", c->loads ? "reads" : "",
			      c->loads && c->stores ? ", " : "", c->stores ? "writes" : "");
}

static void draw_below(struct scene *s, const struct function_row *r, uint32_t y)
{
	canvas_fill(s->canvas, 0, y, s->canvas->columns, STYLE_DIM, 0x2500);
	if (r->source)
		canvas_printf(s->canvas, 1, y++, STYLE_STRONG, " %.80s (%.60s:%u) touches ",
			      r->name, r->source, r->line);
	else
		canvas_printf(s->canvas, 1, y++, STYLE_STRONG, " %.80s touches ", r->name);
	for (uint32_t i = 0; i < r->touched_count && y < s->bottom; i++)
		draw_touched(s, &r->touched[i], y++);
}

/* ---- The view */

/* Of lines that were too small to be read in detail, so that no function is known for them. */
static double hidden_heat(const struct scene *s, const struct functions *f)
{
	double all = 0, known = 0;

	for (int side = 0; side < SCREEN_SIDES; side++) {
		if (s->in->side[side].view)
			all += scene_heat(s, side, &s->in->side[side].view->profile->total);
		for (uint32_t i = 0; i < f->count; i++)
			known += scene_heat(s, side, &f->rows[i].counts[side]);
	}
	return all > known ? (all - known) / all : 0;
}

void screen_functions(struct scene *s)
{
	struct list l = { .columns = COLUMNS, .nothing = "no function has such a name" };
	uint32_t rows = s->bottom - s->top, below = rows > 24 ? rows / 3 : rows > 12 ? 6 : 0;
	struct functions f;

	if (!s->pairing.line_count) {
		scene_nothing(s);
		return;
	}
	functions_init(&f, s, &l);
	if (below && l.count + 3 < rows - below) /* a short list leaves room */
		below = rows - l.count - 3;
	list_draw(s, &l, rows - below);
	scene_hidden(s, 0, s->bottom - below - 1, l.count < rows - below - 1 ? s->hidden : 0,
		     "function", hidden_heat(s, &f));
	if (below && list_chosen(s, &l))
		draw_below(s, row_of(list_chosen(s, &l)), s->bottom - below);
	functions_deinit(&f, &l);
}

void screen_functions_json(struct scene *s, struct json_writer *w)
{
	struct list l = { .columns = COLUMNS };
	struct functions f;

	functions_init(&f, s, &l);
	list_json(s, &l, "functions", w);
	functions_deinit(&f, &l);
}
