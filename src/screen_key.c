// SPDX-License-Identifier: GPL-2.0-only
/* What keys and the mouse do to a screen. */
#include "mem.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

/* ---- Keys: moving about */

static void move_to(struct screen *s, int64_t at)
{
	struct scene_choice *c = &s->choice[s->view];
	int64_t last = c->count ? (int64_t)c->count - 1 : 0;

	c->at = at < 0 ? 0 : at > last ? last : at;
	c->moved = true;
}

static void move_by(struct screen *s, int64_t rows)
{
	move_to(s, s->choice[s->view].at + rows);
}

static int64_t page_of(const struct screen *s)
{
	uint32_t page = s->choice[s->view].page;

	return page > 1 ? page - 1 : 1;
}

static void show(struct screen *s, enum scene_view view)
{
	s->view = view;
	s->choice[view].moved = false;
}

static void open_line(struct screen *s)
{
	const struct scene_row *row = &s->choice[s->view].row;

	if (!row->line)
		return;
	s->line = row->line;
	s->from = s->view;
	s->choice[VIEW_LINE] = (struct scene_choice){ .row.id = row->field };
	show(s, VIEW_LINE);
}

static void open_object(struct screen *s)
{
	const struct scene_row *row = &s->choice[s->view].row;

	if (!row->object)
		return;
	s->object = row->object;
	s->choice[VIEW_HEATMAP] = (struct scene_choice){ 0 };
	show(s, VIEW_HEATMAP);
}

/* To the view that a number or Tab means. */
static void go_to(struct screen *s, int view)
{
	if (view == VIEW_LINE && s->view != VIEW_LINE) {
		if (s->choice[s->view].row.line)
			s->line = s->choice[s->view].row.line;
		s->from = s->view < VIEW_LINE ? s->view : VIEW_LINES;
	}
	show(s, view);
}

static void turn_view(struct screen *s, int step, const struct screen_input *in)
{
	int view = s->view;

	do {
		view = (view + step + SCENE_VIEWS) % SCENE_VIEWS;
	} while (!scene_can_show(in, view));
	go_to(s, view);
}

/* False when there is nothing to go back from. */
static bool go_back(struct screen *s)
{
	if (s->view == VIEW_HELP)
		show(s, s->below);
	else if (s->view == VIEW_LINE)
		show(s, s->from);
	else
		return false;
	return true;
}

static void ask(struct screen *s, enum scene_prompt prompt, const char *text)
{
	s->prompt = prompt;
	snprintf(s->text, sizeof(s->text), "%s", text ? text : "");
}

/* ---- Keys: each action */

typedef enum screen_request action_function(struct screen *s, uint32_t key,
					    const struct screen_input *in);

#define ACTION(name, statement)                                                                    \
	static enum screen_request do_##name(struct screen *s, uint32_t key,                       \
					     const struct screen_input *in)                        \
	{                                                                                          \
		statement;                                                                         \
		return REQUEST_NONE;                                                               \
	}

ACTION(up, move_by(s, -1))
ACTION(down, move_by(s, 1))
ACTION(page_up, move_by(s, -page_of(s)))
ACTION(page_down, move_by(s, page_of(s)))
ACTION(first, move_to(s, 0))
ACTION(last, move_to(s, INT32_MAX))
ACTION(left, s->step--)
ACTION(right, s->step++)
ACTION(next_view, turn_view(s, 1, in))
ACTION(previous_view, turn_view(s, -1, in))
ACTION(nodes, s->nodes = !s->nodes)
ACTION(full_names, s->full_names = !s->full_names)
ACTION(sort, s->choice[s->view].order++)
ACTION(measure, s->measure++)
ACTION(all, s->all = !s->all)
ACTION(filter, ask(s, PROMPT_FILTER, s->filter))

static enum screen_request do_open(struct screen *s, uint32_t key, const struct screen_input *in)
{
	if (s->view == VIEW_OBJECTS)
		open_object(s);
	else if (s->view != VIEW_LINE)
		open_line(s);
	return REQUEST_NONE;
}

static enum screen_request do_details(struct screen *s, uint32_t key, const struct screen_input *in)
{
	if (s->view != VIEW_LINE || !go_back(s))
		open_line(s);
	return REQUEST_NONE;
}

static enum screen_request do_view(struct screen *s, uint32_t key, const struct screen_input *in)
{
	for (int v = 0; v < SCENE_VIEWS; v++)
		if (scene_can_show(in, v) && scene_views[v].number == key - '0')
			go_to(s, v);
	return REQUEST_NONE;
}

static enum screen_request do_help(struct screen *s, uint32_t key, const struct screen_input *in)
{
	if (s->view == VIEW_HELP) {
		go_back(s);
		return REQUEST_NONE;
	}
	s->below = s->view;
	show(s, VIEW_HELP);
	return REQUEST_NONE;
}

static enum screen_request do_back(struct screen *s, uint32_t key, const struct screen_input *in)
{
	if (s->filter[0])
		s->filter[0] = '\0';
	else
		go_back(s);
	return REQUEST_NONE;
}

static enum screen_request do_quit(struct screen *s, uint32_t key, const struct screen_input *in)
{
	return go_back(s) ? REQUEST_NONE : REQUEST_QUIT;
}

static enum screen_request do_quit_at_once(struct screen *s, uint32_t key,
					   const struct screen_input *in)
{
	return REQUEST_QUIT;
}

static enum screen_request do_redraw(struct screen *s, uint32_t key, const struct screen_input *in)
{
	return REQUEST_REPAINT;
}

static enum screen_request do_pause(struct screen *s, uint32_t key, const struct screen_input *in)
{
	return REQUEST_PAUSE;
}

static enum screen_request do_mark_before(struct screen *s, uint32_t key,
					  const struct screen_input *in)
{
	return REQUEST_MARK_BEFORE;
}

static enum screen_request do_record(struct screen *s, uint32_t key, const struct screen_input *in)
{
	s->argument[0] = '\0';
	if (in->live->recording)
		return REQUEST_RECORD;
	ask(s, PROMPT_RECORD, "hitmap.data");
	return REQUEST_NONE;
}

static enum screen_request do_write(struct screen *s, uint32_t key, const struct screen_input *in)
{
	char name[64];

	snprintf(name, sizeof(name), "hitmap-%s.html", scene_views[s->view].name);
	ask(s, PROMPT_WRITE, name);
	return REQUEST_NONE;
}

static enum screen_request do_restart(struct screen *s, uint32_t key, const struct screen_input *in)
{
	return REQUEST_RESTART;
}

static enum screen_request do_run(struct screen *s, uint32_t key, const struct screen_input *in)
{
	ask(s, PROMPT_RUN, in->live->command);
	return REQUEST_NONE;
}

static enum screen_request do_window_shorter(struct screen *s, uint32_t key,
					     const struct screen_input *in)
{
	return REQUEST_WINDOW_SHORTER;
}

static enum screen_request do_window_longer(struct screen *s, uint32_t key,
					    const struct screen_input *in)
{
	return REQUEST_WINDOW_LONGER;
}

static action_function *const ACTIONS[KEY_ACTIONS] = {
	[ACTION_UP] = do_up,
	[ACTION_DOWN] = do_down,
	[ACTION_LEFT] = do_left,
	[ACTION_RIGHT] = do_right,
	[ACTION_PAGE_UP] = do_page_up,
	[ACTION_PAGE_DOWN] = do_page_down,
	[ACTION_FIRST] = do_first,
	[ACTION_LAST] = do_last,
	[ACTION_OPEN] = do_open,
	[ACTION_BACK] = do_back,
	[ACTION_VIEW] = do_view,
	[ACTION_NEXT_VIEW] = do_next_view,
	[ACTION_PREVIOUS_VIEW] = do_previous_view,
	[ACTION_DETAILS] = do_details,
	[ACTION_NODES] = do_nodes,
	[ACTION_FULL_NAMES] = do_full_names,
	[ACTION_SORT] = do_sort,
	[ACTION_MEASURE] = do_measure,
	[ACTION_ALL] = do_all,
	[ACTION_FILTER] = do_filter,
	[ACTION_HELP] = do_help,
	[ACTION_QUIT] = do_quit,
	[ACTION_QUIT_AT_ONCE] = do_quit_at_once,
	[ACTION_REDRAW] = do_redraw,
	[ACTION_PAUSE] = do_pause,
	[ACTION_MARK_BEFORE] = do_mark_before,
	[ACTION_RECORD] = do_record,
	[ACTION_WRITE] = do_write,
	[ACTION_RESTART] = do_restart,
	[ACTION_RUN] = do_run,
	[ACTION_WINDOW_SHORTER] = do_window_shorter,
	[ACTION_WINDOW_LONGER] = do_window_longer,
};

/* ---- Keys: typing */

static void type_rune(struct screen *s, uint32_t rune)
{
	char text[5];
	uint32_t bytes = canvas_utf8(text, rune);
	size_t length = strlen(s->text);

	if (length + bytes < sizeof(s->text))
		memcpy(s->text + length, text, bytes + 1);
}

static void rub_out(struct screen *s)
{
	size_t length = strlen(s->text);

	while (length && (s->text[--length] & 0xc0) == 0x80)
		;
	s->text[length] = '\0';
}

static const enum screen_request PROMPTED[SCENE_PROMPTS] = {
	[PROMPT_FILTER] = REQUEST_NONE,
	[PROMPT_WRITE] = REQUEST_WRITE,
	[PROMPT_RECORD] = REQUEST_RECORD,
	[PROMPT_RUN] = REQUEST_RUN,
};

static enum screen_request prompt_accept(struct screen *s)
{
	enum scene_prompt prompt = s->prompt;
	char *to = prompt == PROMPT_FILTER ? s->filter : s->argument;

	s->prompt = PROMPT_NONE;
	memcpy(to, s->text, SCENE_TEXT);
	if (prompt != PROMPT_FILTER && !s->text[0])
		return REQUEST_NONE; /* an empty name is no name */
	return PROMPTED[prompt];
}

static enum screen_request prompt_key(struct screen *s, uint32_t key)
{
	if (key == PRESSED_INTERRUPT)
		return REQUEST_QUIT;
	if (key == PRESSED_ENTER)
		return prompt_accept(s);
	if (key == PRESSED_ESCAPE)
		s->prompt = PROMPT_NONE;
	else if (key == PRESSED_BACKSPACE || key == PRESSED_DELETE)
		rub_out(s);
	else if (key >= ' ' && key < PRESSED_UP)
		type_rune(s, key);
	return REQUEST_NONE;
}

enum screen_request screen_key(struct screen *s, uint32_t key, const struct screen_input *in)
{
	enum key_action action;

	if (s->prompt)
		return prompt_key(s, key);
	action = key_action(key, s->view == VIEW_LINE, in->live != NULL);
	return ACTIONS[action] ? ACTIONS[action](s, key, in) : REQUEST_NONE;
}

/* ---- Mouse */

static enum screen_request click(struct screen *s, bool twice, uint32_t x, uint32_t y,
				 const struct screen_input *in)
{
	for (int v = 0; v < SCENE_VIEWS && y == 0; v++)
		if (x >= s->tab_from[v] && x < s->tab_to[v])
			go_to(s, v);
	if (y == 0 || y >= CANVAS_MOST || !s->row_at[y])
		return REQUEST_NONE;
	if (twice && s->choice[s->view].at == s->row_at[y] - 1u)
		return do_open(s, PRESSED_ENTER, in);
	move_to(s, s->row_at[y] - 1);
	return REQUEST_NONE;
}

enum screen_request screen_mouse(struct screen *s, enum screen_button button, uint32_t x,
				 uint32_t y, const struct screen_input *in)
{
	if (s->prompt)
		return REQUEST_NONE;
	if (button == BUTTON_WHEEL_UP || button == BUTTON_WHEEL_DOWN)
		move_by(s, button == BUTTON_WHEEL_UP ? -3 : 3);
	else
		return click(s, button == BUTTON_DOUBLE_CLICK, x, y, in);
	return REQUEST_NONE;
}
