/* SPDX-License-Identifier: GPL-2.0-only */
/* A screen on the terminal: what "hitmap tui" and "hitmap live" have in common. */
#ifndef HITMAP_SESSION_H
#define HITMAP_SESSION_H

#include "screen.h"
#include "tui.h"

struct session {
	const char *command;
	struct tui *tui;
	struct screen *screen;
	struct screen_input in; /* the caller's to fill, but for target, message and doctor */
	struct target target;
	char message[256];
	bool ended; /* by a signal, or as the terminal went away */
	int signal; /* that ended it, or 0 */
};

struct session_looks {
	bool ascii, light;
	const char *target; /* its name or file; NULL: none */
};

struct err *session_open(struct session *s, const char *command, const struct session_looks *looks);
void session_close(struct session *s);

void session_say(struct session *s, bool warns, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Shows an error at the bottom and frees it; NULL is none. */
void session_say_error(struct session *s, struct err *e);

void session_draw(struct session *s);
/*
 * Waits for a key, for "fd" (-1: none) or "timeout_ms" (-1: for ever). What a screen asks for that
 * is not done here is returned; "*news": "fd" can be read.
 */
enum screen_request session_wait(struct session *s, int fd, int timeout_ms, bool *news);

#endif
