/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: shows a canvas, gives keys. The only file that includes curses is tui.c. */
#ifndef HITMAP_TUI_H
#define HITMAP_TUI_H

#include "canvas.h"
#include "err.h"
#include "screen.h"

struct tui;

struct tui_options {
	bool ascii; /* no characters but ASCII */
	bool no_colour;
	bool light; /* the background */
};

/*
 * Takes the terminal over: standard input and output when both are one, else /dev/tty. Where there
 * is none: ERR_USAGE, naming "command". However the program ends from here on, by tui_close(), a
 * signal or a crash, the terminal is as it was.
 */
struct err *tui_open(const char *command, const struct tui_options *options, struct tui **t);
void tui_close(struct tui *t);

/* An empty canvas of the terminal's size. */
void tui_canvas(const struct tui *t, struct canvas *c);
void tui_show(struct tui *t, const struct canvas *c);
void tui_repaint(struct tui *t); /* the terminal's contents are not what was shown last */

enum tui_event_kind {
	TUI_NOTHING, /* time is up */
	TUI_KEY,
	TUI_MOUSE,
	TUI_RESIZE,
	TUI_NEWS, /* "fd" can be read */
	TUI_END,  /* a signal, or the terminal went away */
};

struct tui_event {
	enum tui_event_kind kind;
	uint32_t key; /* see key.h */
	enum screen_button button;
	uint32_t x, y;
	int signal; /* of TUI_END, or 0 */
};

/* The next event. "fd": another descriptor to wait for, -1: none. "timeout_ms": -1: for ever. */
struct tui_event tui_wait(struct tui *t, int fd, int timeout_ms);

#endif
