// SPDX-License-Identifier: GPL-2.0-only
/* Help: made from the table of keys and the table of views. */
#include "label.h"
#include "scene.h"

#include <string.h>

#define KEY_COLUMNS 11

struct help {
	struct scene *scene;
	uint32_t row, first; /* row: the next one; first: the first that is visible */
};

static void put(struct help *h, const char *key, const char *text)
{
	struct scene *s = h->scene;
	uint32_t y = s->top + h->row - h->first;

	if (h->row >= h->first && y < s->bottom) {
		canvas_text(s->canvas, 2, y, STYLE_KEY, key);
		canvas_text(s->canvas, 2 + KEY_COLUMNS, y, STYLE_PLAIN, text);
	}
	h->row++;
}

static void put_heading(struct help *h, const char *text)
{
	struct scene *s = h->scene;
	uint32_t y = s->top + h->row - h->first;

	if (h->row >= h->first && y < s->bottom)
		canvas_text(s->canvas, 1, y, STYLE_STRONG, text);
	h->row++;
}

static void put_keys(struct help *h, bool live)
{
	for (const struct key_row *r = key_rows; r->action; r++)
		if (r->help && (r->place == KEY_LIVE) == live)
			put(h, r->name, r->help);
}

static void put_views(struct help *h)
{
	for (int v = 0; v < SCENE_VIEWS; v++) {
		char text[128], number[4] = "";

		if (!scene_can_show(h->scene->in, v))
			continue;
		number[0] = (char)('0' + scene_views[v].number);
		snprintf(text, sizeof(text), "%s: %s", scene_views[v].name, scene_views[v].what);
		put(h, number, text);
	}
}

static void put_all(struct help *h)
{
	put_heading(h, "What is seen");
	put(h, "HITM", "an access to a line that another core has just changed");
	put(h, "heat", "shades and strips: the fuller, the more; see the scale below");
	put(h, "far", "llc/node/far: from the same last-level cache, node, another node");
	put(h, "half", "bytes 0 to 31 (lower), 32 to 63 (upper) of a line");
	put_heading(h, "Views");
	put_views(h);
	put_heading(h, "Keys");
	put_keys(h, false);
	if (h->scene->in->live) {
		put_heading(h, "While it runs");
		put_keys(h, true);
	}
	put(h, "mouse", "click: choose; twice: open; wheel: move");
}

void screen_help(struct scene *s)
{
	struct scene_choice *c = scene_choice(s);
	uint32_t page = s->bottom - s->top;
	struct help h = { .scene = s, .first = UINT32_MAX };

	put_all(&h); /* counts */
	c->count = h.row > page ? h.row - page + 1 : 1;
	c->page = page;
	c->at = c->at < c->count ? c->at : c->count - 1;
	h = (struct help){ .scene = s, .first = c->at };
	put_all(&h);
	if (c->at + page < h.row)
		canvas_printf(s->canvas, s->canvas->columns - 10, s->bottom - 1, STYLE_DIM,
			      "↓ %u more", h.row - c->at - page);
}

void screen_help_json(struct scene *s, struct json_writer *w)
{
	json_begin_array(w, "keys");
	for (const struct key_row *r = key_rows; r->action; r++) {
		if (!r->help)
			continue;
		json_begin_object(w, NULL);
		json_string(w, "key", r->name);
		json_string(w, "does", r->help);
		json_boolean(w, "live", r->place == KEY_LIVE);
		json_end(w);
	}
	json_end(w);
}
