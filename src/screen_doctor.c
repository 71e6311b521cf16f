// SPDX-License-Identifier: GPL-2.0-only
/* What hitmap doctor says, asked for when the view is first shown. */
#include "mem.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static void ask(struct scene *s)
{
	size_t size;
	FILE *out;

	if (s->screen->doctor || !s->in->doctor)
		return;
	out = open_memstream(&s->screen->doctor, &size);
	if (!out)
		mem_exhausted();
	s->in->doctor(s->in->doctor_context, out);
	if (fclose(out))
		mem_exhausted();
}

static uint32_t count_rows(const char *text)
{
	uint32_t rows = 0;

	for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n')
		rows++;
	return rows;
}

void screen_doctor(struct scene *s)
{
	struct scene_choice *c = scene_choice(s);
	uint32_t page = s->bottom - s->top, rows, y = s->top;
	const char *text;

	ask(s);
	text = s->screen->doctor ? s->screen->doctor : "";
	rows = count_rows(text);
	/* Scrolls as a whole: what can be chosen is the first row. */
	c->count = rows > page ? rows - page + 1 : 1;
	c->page = page;
	c->at = c->at < c->count ? c->at : c->count - 1;
	for (uint32_t i = 0; *text && y < s->bottom; i++) {
		size_t bytes = strcspn(text, "\n");

		if (i >= c->at)
			canvas_printf(s->canvas, 1, y++, STYLE_PLAIN, "%.*s", (int)bytes, text);
		text += bytes + (text[bytes] == '\n');
	}
	if (c->at + page < rows)
		canvas_printf(s->canvas, s->canvas->columns - 10, s->bottom - 1, STYLE_DIM,
			      "↓ %u more", rows - c->at - page);
}

void screen_doctor_json(struct scene *s, struct json_writer *w)
{
	ask(s);
	json_string(w, "text", s->screen->doctor);
}
