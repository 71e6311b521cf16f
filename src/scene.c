// SPDX-License-Identifier: GPL-2.0-only
#include "scene.h"
#include "column.h"
#include "label.h"

#include <ctype.h>
#include <string.h>

const struct scene_view_row scene_views[SCENE_VIEWS] = {
	[VIEW_LINES] = { "lines", "the contended lines, the most costly first", 1, screen_lines,
			 screen_lines_json },
	[VIEW_HEATMAP] = { "heatmap", "fields of an object by CPU or node; before, after, change",
			   2, screen_heatmap, screen_heatmap_json },
	[VIEW_FUNCTIONS] = { "functions", "who causes it and who pays", 3, screen_functions,
			     screen_functions_json },
	[VIEW_TIME] = { "time", "heat over the run, so that phases show", 4, screen_time,
			screen_time_json },
	[VIEW_OBJECTS] = { "objects", "all lines of an object together", 5, screen_objects,
			   screen_objects_json },
	[VIEW_LINE] = { "details", "one line: its fields, their CPUs and their code", 6,
			screen_line, screen_line_json },
	[VIEW_DOCTOR] = { "doctor", "what this machine can record", 7, screen_doctor,
			  screen_doctor_json },
	[VIEW_HELP] = { "help", "keys", 0, screen_help, screen_help_json },
};

/* ---- Filter */

bool scene_matches(const struct scene *s, const char *name)
{
	size_t length = strlen(s->filtered);

	if (!length)
		return true;
	for (; name && *name; name++)
		if (strncasecmp(name, s->filtered, length) == 0)
			return true;
	return false;
}

static bool cell_matches(const struct scene *s, const struct view_cell *c)
{
	if (scene_matches(s, c->name))
		return true;
	for (uint32_t i = 0; i < c->code_count; i++)
		if (scene_matches(s, c->codes[i].name))
			return true;
	return false;
}

bool scene_line_matches(const struct scene *s, const struct paired_line *l)
{
	for (int side = 0; side < SCREEN_SIDES; side++) {
		const struct view_line *line = l->side[side];

		if (line && scene_matches(s, line->name))
			return true;
		for (uint32_t i = 0; line && i < line->cell_count; i++)
			if (cell_matches(s, &line->cells[i]))
				return true;
	}
	return false;
}

/* ---- What is too small */

#define SPECK 0.001 /* of a side's heat, latency and samples */

static bool is_part(double part, double whole)
{
	return part > 0 && part >= SPECK * whole;
}

/* Stores and peers may have no heat: then samples count. */
static bool matters(const struct scene *s, int side, const struct counts *c)
{
	const struct counts *all = &s->in->side[side].view->profile->total;

	if (is_part(scene_heat(s, side, c), scene_heat(s, side, all)) ||
	    is_part(c->latency_sum, all->latency_sum))
		return true;
	return !counts_hitm(c) && is_part(c->samples, all->samples);
}

bool scene_is_speck(const struct scene *s, const struct counts counts[SCREEN_SIDES])
{
	if (s->screen->all || s->filtered[0])
		return false;
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (s->in->side[side].view && matters(s, side, &counts[side]))
			return false;
	return true;
}

bool scene_line_is_speck(const struct scene *s, const struct paired_line *l)
{
	struct counts counts[SCREEN_SIDES] = { 0 };

	for (int side = 0; side < SCREEN_SIDES; side++)
		if (l->side[side])
			counts[side] = l->side[side]->line->counts;
	return scene_is_speck(s, counts);
}

void scene_hidden(struct scene *s, uint32_t x, uint32_t y, uint32_t count, const char *what,
		  double heat)
{
	char text[FIGURE_TEXT_BYTES], number[FIGURE_TEXT_BYTES], part[32] = "";
	uint32_t columns;

	if (!count)
		return;
	if (heat >= SPECK)
		snprintf(part, sizeof(part), " with %.1f %%", 100 * heat);
	snprintf(text, sizeof(text), "  %s more %.40s%s%s%s", figure_count(number, count), what,
		 count == 1 ? "" : "s", part, s->screen->all ? "" : " (a: all)");
	columns = strlen(text);
	if (x + columns <= s->canvas->columns)
		canvas_text(s->canvas, s->canvas->columns - columns, y, STYLE_DIM, text);
}

/* ---- Choosing */

static uint32_t find_row(const struct scene_row *rows, uint32_t count, uint64_t id,
			 uint32_t otherwise)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].id == id)
			return i;
	return otherwise;
}

uint32_t scene_choose(struct scene *s, const struct scene_row *rows, uint32_t count, uint32_t page)
{
	struct scene_choice *c = scene_choice(s);

	if (!c->moved)
		c->at = find_row(rows, count, c->row.id, c->at);
	if (c->at >= count)
		c->at = count ? count - 1 : 0;
	c->row = count ? rows[c->at] : (struct scene_row){ 0 };
	c->moved = false;
	c->count = count;
	c->page = page;
	if (page && c->at < c->first)
		c->first = c->at;
	if (page && c->at >= c->first + page)
		c->first = c->at - page + 1;
	if (page && c->first && c->first + page > count)
		c->first = count > page ? count - page : 0;
	return c->first;
}

void scene_mark(struct scene *s, uint32_t at, uint32_t y)
{
	if (y < CANVAS_MOST)
		s->screen->row_at[y] = at + 1;
	if (scene_choice(s)->at == at)
		canvas_select(s->canvas, 0, y, s->canvas->columns);
}

/* ---- Figures */

void scene_line_name(struct scene *s, uint32_t x, uint32_t y, uint32_t width,
		     const struct view_line *l)
{
	char text[FIGURE_TEXT_BYTES];

	if (label_columns(l->name) <= width || !l->place.object || !l->place.object[0]) {
		canvas_name(s->canvas, x, y, width, STYLE_PLAIN, l->name);
		return;
	}
	snprintf(text, sizeof(text), l->object_offset ? "%.90s+0x%llx" : "%.90s", l->place.object,
		 (unsigned long long)l->object_offset);
	canvas_name(s->canvas, x, y, width, STYLE_PLAIN, text);
}

void scene_words(const struct scene *s, const struct view_line *l, int side,
		 double heat[LINE_WORDS])
{
	uint32_t size = s->in->side[side].view->profile->line_size;

	memset(heat, 0, LINE_WORDS * sizeof(*heat));
	for (uint32_t i = 0; i < l->cell_count; i++) {
		uint32_t word = l->cells[i].offset * LINE_WORDS / size;

		heat[word % LINE_WORDS] += scale_counts(&s->scale, side, &l->cells[i].counts);
	}
}

uint32_t scene_times(const struct scene *s, const struct view_line *l, int side,
		     double heat[TALLY_SLICES])
{
	const struct tally *t = s->in->side[side].tally;
	const struct tally_line *line = t ? tally_find(t, l->line->addr, l->line->pid) : NULL;
	double all = s->scale.measure->of_counts(&l->line->counts), sum = 0;

	if (!line)
		return 0;
	for (uint32_t i = 0; i < t->slices; i++) {
		heat[i] = s->scale.measure->of_tally(&line->slices[i]);
		sum += heat[i];
	}
	/* Two lines of one address, mapped one after the other, are one in a tally. */
	for (uint32_t i = 0; i < t->slices && !s->in->live && sum > all; i++)
		heat[i] *= all / sum;
	return t->slices;
}

const char *scene_column(const struct scene *s, const struct view_line *l, int side,
			 const char *key, char text[FIGURE_TEXT_BYTES])
{
	struct view_row row = { .view = s->in->side[side].view, .line = l };

	for (const struct column *c = line_columns; c->get; c++) {
		struct figure f;

		if (!c->key || strcmp(c->key, key))
			continue;
		f = c->get(&row);
		if (!f.known)
			return NULL;
		return c->kind == FIGURE_TEXT ? f.text : figure_text(text, c->kind, &f);
	}
	return NULL;
}

/* ---- Words */

const char *scene_title(const struct scene *s, int side)
{
	const struct screen_side *of = &s->in->side[side];
	const char *path = of->view ? of->view->recording->path : NULL;

	if (of->title)
		return of->title;
	if (s->in->live)
		return side == SCREEN_AFTER ? "now" : "before";
	return path ? path : side == SCREEN_AFTER ? "after" : "before";
}

static uint64_t usable_samples(const struct scene *s)
{
	uint64_t samples = 0;

	for (int side = 0; side < SCREEN_SIDES; side++)
		if (s->in->side[side].view)
			samples += s->in->side[side].view->profile->total.samples;
	return samples;
}

void scene_nothing(struct scene *s)
{
	uint64_t samples = usable_samples(s);
	char text[FIGURE_TEXT_BYTES];
	uint32_t x = 2, y = s->top + 1;

	if (samples) {
		x = canvas_printf(s->canvas, x, y, STYLE_STRONG, "No contention");
		canvas_printf(s->canvas, x, y, STYLE_PLAIN,
			      " in %s usable samples: no line was seen "
			      "to move between caches",
			      figure_count(text, samples));
		canvas_text(s->canvas, 2, y + 1, STYLE_DIM,
			    "while one thread wrote what another one used.");
		return;
	}
	canvas_text(s->canvas, x, y, STYLE_STRONG,
		    s->in->live ? "No samples yet" : "No memory samples");
	canvas_text(s->canvas, 2, y + 1, STYLE_DIM,
		    s->in->live ? "Lines appear as soon as two threads fight over them."
				: "hitmap report says what the recording holds.");
}
