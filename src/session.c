// SPDX-License-Identifier: GPL-2.0-only
#include "session.h"
#include "doctor_show.h"
#include "mem.h"
#include "output.h"
#include "paths.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_COLUMNS 100
#define WRITE_ROWS    200

/* "15;0": ink and paper, as some terminals say; paper 7 and above 8 is light. */
static bool is_light(void)
{
	const char *colours = getenv("COLORFGBG"), *paper = colours ? strrchr(colours, ';') : NULL;
	int number = paper ? atoi(paper + 1) : 0;

	return number == 7 || number > 8;
}

/* What "hitmap doctor" says, for its view. */
static void write_doctor(void *context, FILE *out)
{
	const char *path = getenv("PATH");
	struct paths paths = { 0 };
	struct doctor_ask ask = { .root = "" };
	struct err *e = paths_find(&paths);
	struct doctor d;

	ask.emulator = (struct emulator_places){
		.path = path && *path ? path : "/usr/local/bin:/usr/bin:/bin",
		.spare = (const char *const *)paths.spare_qemu,
		.plugin_folder = paths.lib,
	};
	if (e) {
		err_print(e, out);
		err_free(e);
		return;
	}
	doctor_examine(&ask, &d);
	doctor_show_text(&d, out);
	doctor_deinit(&d);
	paths_deinit(&paths);
}

static struct err *open_target(struct session *s, const char *name)
{
	struct paths paths = { 0 };
	struct err *e = paths_find(&paths);

	if (!e)
		e = target_load(paths.targets, name, &s->target);
	if (!e)
		s->in.target = &s->target;
	paths_deinit(&paths);
	return e ? err_within(e, "%s", s->command) : NULL;
}

struct err *session_open(struct session *s, const char *command, const struct session_looks *looks)
{
	struct output out = { .file = stdout, .command = command };
	struct report_options drawn = output_options(&out, 0, false, looks->ascii);
	const char *no_colour = getenv("NO_COLOR");
	struct tui_options options = { .ascii = !drawn.unicode,
				       .no_colour = no_colour && *no_colour,
				       .light = looks->light || is_light() };
	struct err *e = NULL;

	*s = (struct session){ .command = command };
	s->in.message = s->message;
	s->in.doctor = write_doctor;
	s->screen = screen_new();
	if (looks->target)
		e = open_target(s, looks->target);
	return e ? e : tui_open(command, &options, &s->tui);
}

void session_close(struct session *s)
{
	tui_close(s->tui);
	screen_free(s->screen);
	if (s->in.target)
		target_deinit(&s->target);
	*s = (struct session){ .signal = s->signal };
}

void session_say(struct session *s, bool warns, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->message, sizeof(s->message), fmt, ap);
	va_end(ap);
	s->in.message_warns = warns;
}

void session_say_error(struct session *s, struct err *e)
{
	if (e)
		session_say(s, true, "%s", err_text(e));
	err_free(e);
}

void session_draw(struct session *s)
{
	struct canvas c;

	tui_canvas(s->tui, &c);
	s->in.message = s->message[0] ? s->message : NULL;
	screen_draw(s->screen, &c, &s->in);
	tui_show(s->tui, &c);
	canvas_deinit(&c);
}

static void write_view(struct session *s)
{
	const char *path = screen_argument(s->screen);
	struct output out;
	struct err *e = output_open(&out, s->command, path);

	if (!e) {
		screen_write(s->screen, &s->in, path, WRITE_COLUMNS, WRITE_ROWS, out.file);
		e = output_close(&out);
	}
	if (!e)
		session_say(s, false, "written to %s", path);
	session_say_error(s, e);
}

static enum screen_request serve(struct session *s, enum screen_request request)
{
	if (request == REQUEST_REPAINT)
		tui_repaint(s->tui);
	else if (request == REQUEST_WRITE)
		write_view(s);
	else
		return request;
	return REQUEST_NONE;
}

enum screen_request session_wait(struct session *s, int fd, int timeout_ms, bool *news)
{
	struct tui_event ev = tui_wait(s->tui, fd, timeout_ms);
	enum screen_request request = REQUEST_NONE;

	*news = ev.kind == TUI_NEWS;
	if (ev.kind == TUI_KEY || ev.kind == TUI_MOUSE)
		s->message[0] = 0;
	if (ev.kind == TUI_KEY)
		request = screen_key(s->screen, ev.key, &s->in);
	else if (ev.kind == TUI_MOUSE)
		request = screen_mouse(s->screen, ev.button, ev.x, ev.y, &s->in);
	else if (ev.kind == TUI_END)
		s->ended = true;
	s->signal = ev.kind == TUI_END ? ev.signal : s->signal;
	return serve(s, request);
}
