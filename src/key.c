// SPDX-License-Identifier: GPL-2.0-only
#include "key.h"

#include <stddef.h>

/* perf c2c's keys mean what they mean there: d, Enter, n, s (in a line's details), q, ?, h, /. */
const struct key_row key_rows[] = {
	{ '?', ACTION_HELP, KEY_ANYWHERE, "? h F1", "this help", "help" },
	{ 'h', ACTION_HELP, KEY_ANYWHERE, NULL, NULL, NULL },
	{ PRESSED_F1, ACTION_HELP, KEY_ANYWHERE, NULL, NULL, NULL },
	{ PRESSED_ESCAPE, ACTION_BACK, KEY_ANYWHERE, "Esc", "back; takes a filter away", NULL },
	{ 'q', ACTION_QUIT, KEY_ANYWHERE, "q", "back from details and help; else quit", "quit" },
	{ 'Q', ACTION_QUIT_AT_ONCE, KEY_ANYWHERE, "Q Ctrl-C", "quit at once", NULL },
	{ PRESSED_INTERRUPT, ACTION_QUIT_AT_ONCE, KEY_ANYWHERE, NULL, NULL, NULL },
	{ PRESSED_UP, ACTION_UP, KEY_ANYWHERE, "↑ ↓", "the row above, below", NULL },
	{ PRESSED_DOWN, ACTION_DOWN, KEY_ANYWHERE, NULL, NULL, NULL },
	{ 'k', ACTION_UP, KEY_ANYWHERE, "k j", "the same", NULL },
	{ 'j', ACTION_DOWN, KEY_ANYWHERE, NULL, NULL, NULL },
	{ PRESSED_PAGE_UP, ACTION_PAGE_UP, KEY_ANYWHERE, "PgUp PgDn", "a page up, down", NULL },
	{ PRESSED_PAGE_DOWN, ACTION_PAGE_DOWN, KEY_ANYWHERE, NULL, NULL, NULL },
	{ PRESSED_HOME, ACTION_FIRST, KEY_ANYWHERE, "Home End", "the first, the last row", NULL },
	{ PRESSED_END, ACTION_LAST, KEY_ANYWHERE, NULL, NULL, NULL },
	{ PRESSED_LEFT, ACTION_LEFT, KEY_ANYWHERE, "← →", "the line or object before, behind",
	  NULL },
	{ PRESSED_RIGHT, ACTION_RIGHT, KEY_ANYWHERE, NULL, NULL, NULL },
	{ PRESSED_ENTER, ACTION_OPEN, KEY_ANYWHERE, "Enter", "open the row: a line's details",
	  "open" },
	{ 'd', ACTION_DETAILS, KEY_ANYWHERE, "d",
	  "details of the row's line (from there: back to the list)", NULL },
	{ PRESSED_TAB, ACTION_NEXT_VIEW, KEY_ANYWHERE, "Tab",
	  "the next view (Shift-Tab: the one before)", "view" },
	{ PRESSED_BACK_TAB, ACTION_PREVIOUS_VIEW, KEY_ANYWHERE, NULL, NULL, NULL },
	{ '1', ACTION_VIEW, KEY_ANYWHERE, "1 .. 7", "the view of that number", NULL },
	{ '2', ACTION_VIEW, KEY_ANYWHERE, NULL, NULL, NULL },
	{ '3', ACTION_VIEW, KEY_ANYWHERE, NULL, NULL, NULL },
	{ '4', ACTION_VIEW, KEY_ANYWHERE, NULL, NULL, NULL },
	{ '5', ACTION_VIEW, KEY_ANYWHERE, NULL, NULL, NULL },
	{ '6', ACTION_VIEW, KEY_ANYWHERE, NULL, NULL, NULL },
	{ '7', ACTION_VIEW, KEY_ANYWHERE, NULL, NULL, NULL },
	{ 'b', ACTION_MARK_BEFORE, KEY_LIVE, "b", "what is seen now is \"before\" from here on",
	  "before" },
	{ 'p', ACTION_PAUSE, KEY_LIVE, "p Space", "pause, go on", "pause" },
	{ PRESSED_SPACE, ACTION_PAUSE, KEY_LIVE, NULL, NULL, NULL },
	{ 'r', ACTION_RECORD, KEY_LIVE, "r", "start, stop recording to a file", "record" },
	{ 'R', ACTION_RESTART, KEY_LIVE, "R", "run the command again", NULL },
	{ '!', ACTION_RUN, KEY_LIVE, "!", "run another command", "run" },
	{ '[', ACTION_WINDOW_SHORTER, KEY_LIVE, "[ ]", "look back a shorter, a longer time", NULL },
	{ ']', ACTION_WINDOW_LONGER, KEY_LIVE, NULL, NULL, NULL },
	{ 'n', ACTION_NODES, KEY_ANYWHERE, "n", "columns are nodes, or CPUs", "nodes" },
	{ 'm', ACTION_MEASURE, KEY_ANYWHERE, "m", "what heat is: HITM, cycles, stores ...",
	  "measure" },
	{ 's', ACTION_FULL_NAMES, KEY_IN_LINE, "s", "in a line's details: whole names, or cut ones",
	  NULL },
	{ 's', ACTION_SORT, KEY_ANYWHERE, "s",
	  "sort by the next column; in the heatmap: by offset, by heat", "sort" },
	{ 'a', ACTION_ALL, KEY_ANYWHERE, "a", "all, also what has less than 0.1 %", NULL },
	{ '/', ACTION_FILTER, KEY_ANYWHERE, "/", "show only what has this text in a name",
	  "filter" },
	{ 'w', ACTION_WRITE, KEY_ANYWHERE, "w", "write the view to a file: .txt, .html or .json",
	  "write" },
	{ PRESSED_REDRAW, ACTION_REDRAW, KEY_ANYWHERE, "Ctrl-L", "draw the screen anew", NULL },
	{ 0 },
};

static bool applies(const struct key_row *r, bool in_line, bool live)
{
	return (r->place != KEY_IN_LINE || in_line) && (r->place != KEY_LIVE || live);
}

enum key_action key_action(uint32_t key, bool in_line, bool live)
{
	for (const struct key_row *r = key_rows; r->action; r++)
		if (r->key == key && applies(r, in_line, live))
			return r->action;
	return ACTION_NONE;
}
