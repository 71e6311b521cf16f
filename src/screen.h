/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The views of hitmap live and hitmap tui: drawn into a canvas from const data, steered by keys.
 * A screen keeps what the user chose (view, row, filter, order) and nothing of what it is given:
 *the input may be another one at every call.
 *
 *	screen_draw(s, &canvas, &input);	whenever the input, the size or the state changed
 *	request = screen_key(s, key, &input);	what the screen cannot do itself is asked for
 */
#ifndef HITMAP_SCREEN_H
#define HITMAP_SCREEN_H

#include "canvas.h"
#include "key.h"
#include "report_view.h"
#include "tally.h"
#include "target.h"

/* How a view for a screen is to be made, view_init() with { .top = SCREEN_LINES, .all = true }, of
 * a profile that has its small lines too ("least" 0). */
#define SCREEN_LINES TALLY_LINES

enum screen_which { SCREEN_BEFORE, SCREEN_AFTER, SCREEN_SIDES };

struct screen_side {
	const struct view *view;   /* NULL: there is no such side */
	const struct tally *tally; /* NULL: CPUs are shown without counts, times not at all */
	const char *title;	   /* "before.data"; NULL: what the recording says */
	double seconds;		   /* that its counts were collected in; 0: not known */
};

/* Of a live source. */
struct screen_live {
	double samples_per_second;
	double loss;	/* share of the samples, 0..1 */
	double own_cpu; /* of one core, 0..1 */
	double window;	/* seconds; 0: all since the start */
	double seconds; /* since the start */
	bool paused, ended;
	const char *recording; /* the file that is written now; NULL: none */
	const char *command;   /* what runs; NULL: no command */
};

struct screen_input {
	struct screen_side side[SCREEN_SIDES]; /* one recording alone is SCREEN_AFTER */
	const struct screen_live *live;	       /* NULL: recordings */
	const struct target *target;	       /* its objects come first; NULL: none */
	const char *message; /* shown at the bottom: what a request led to; may be NULL */
	bool message_warns;
	/* Writes the text of hitmap doctor; called when its view is opened. NULL: no such view. */
	void (*doctor)(void *context, FILE *out);
	void *doctor_context;
};

enum screen_request {
	REQUEST_NONE,
	REQUEST_QUIT,
	REQUEST_REPAINT, /* the terminal's contents are to be drawn anew */
	REQUEST_PAUSE,	 /* or go on */
	REQUEST_MARK_BEFORE,
	REQUEST_RECORD,	 /* start, argument: file; when one is written: stop, no argument */
	REQUEST_WRITE,	 /* argument: file; see screen_write() */
	REQUEST_RESTART, /* the same command */
	REQUEST_RUN,	 /* argument: the command line */
	REQUEST_WINDOW_SHORTER,
	REQUEST_WINDOW_LONGER,
};

enum screen_button { BUTTON_CLICK, BUTTON_DOUBLE_CLICK, BUTTON_WHEEL_UP, BUTTON_WHEEL_DOWN };

struct screen;

struct screen *screen_new(void);
void screen_free(struct screen *s);

void screen_draw(struct screen *s, struct canvas *c, const struct screen_input *in);
enum screen_request screen_key(struct screen *s, uint32_t key, const struct screen_input *in);
/* "x" and "y": of the canvas that was drawn last. */
enum screen_request screen_mouse(struct screen *s, enum screen_button button, uint32_t x,
				 uint32_t y, const struct screen_input *in);
/* What the user typed for the last request. */
const char *screen_argument(const struct screen *s);

/*
 * Writes the view as it is: its text, the same as a page of HTML, or its figures as JSON. Decided
 * by the name's end: ".html", ".json", else text. "columns" and "rows": of text and HTML; more rows
 * than the terminal has show more of a list.
 */
void screen_write(struct screen *s, const struct screen_input *in, const char *path,
		  uint32_t columns, uint32_t rows, FILE *out);

#endif
