/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys, and what each does: one table, which help and documentation are made from. */
#ifndef HITMAP_KEY_H
#define HITMAP_KEY_H

#include <stdbool.h>
#include <stdint.h>

/* A key is a character, or one of these. */
enum key_code {
	PRESSED_NONE = 0,
	PRESSED_TAB = '\t',
	PRESSED_ENTER = '\n', /* '\r' and the keypad's are given as this one, too */
	PRESSED_ESCAPE = 0x1b,
	PRESSED_SPACE = ' ',
	PRESSED_UP = 0x110000, /* behind Unicode */
	PRESSED_DOWN,
	PRESSED_LEFT,
	PRESSED_RIGHT,
	PRESSED_PAGE_UP,
	PRESSED_PAGE_DOWN,
	PRESSED_HOME,
	PRESSED_END,
	PRESSED_BACK_TAB,
	PRESSED_BACKSPACE,
	PRESSED_DELETE,
	PRESSED_F1,
	PRESSED_INTERRUPT, /* Ctrl-C */
	PRESSED_REDRAW,	   /* Ctrl-L */
};

enum key_action {
	ACTION_NONE,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_LEFT,
	ACTION_RIGHT,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_FIRST,
	ACTION_LAST,
	ACTION_OPEN,
	ACTION_BACK,
	ACTION_VIEW, /* the view whose number was pressed */
	ACTION_NEXT_VIEW,
	ACTION_PREVIOUS_VIEW,
	ACTION_DETAILS,
	ACTION_NODES,
	ACTION_FULL_NAMES,
	ACTION_SORT,
	ACTION_MEASURE,
	ACTION_ALL,
	ACTION_FILTER,
	ACTION_HELP,
	ACTION_QUIT,
	ACTION_QUIT_AT_ONCE,
	ACTION_REDRAW,
	ACTION_PAUSE,
	ACTION_MARK_BEFORE,
	ACTION_RECORD,
	ACTION_WRITE,
	ACTION_RESTART,
	ACTION_RUN,
	ACTION_WINDOW_SHORTER,
	ACTION_WINDOW_LONGER,
	KEY_ACTIONS
};

/* Where a row of the table applies. */
enum key_place {
	KEY_ANYWHERE,
	KEY_IN_LINE, /* the details of one line only; comes before KEY_ANYWHERE there */
	KEY_LIVE,    /* anywhere, with a live source */
};

struct key_row {
	uint32_t key;
	enum key_action action;
	enum key_place place;
	const char *name; /* of the key: "Enter", "d" */
	const char *help; /* NULL: as the row before it */
	const char *hint; /* in the bar at the bottom; NULL: not there */
};

/* Ends with a row without action. */
extern const struct key_row key_rows[];

enum key_action key_action(uint32_t key, bool in_line, bool live);

#endif
