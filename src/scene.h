/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the views have in common: the screen's state, one drawing of it, rows that are chosen among,
 * and the table of views.
 */
#ifndef HITMAP_SCENE_H
#define HITMAP_SCENE_H

#include "json.h"
#include "pairing.h"
#include "scale.h"
#include "screen.h"

enum scene_view {
	VIEW_LINES,
	VIEW_HEATMAP,
	VIEW_FUNCTIONS,
	VIEW_TIME,
	VIEW_OBJECTS,
	VIEW_LINE,
	VIEW_DOCTOR,
	VIEW_HELP,
	SCENE_VIEWS
};

/* A row that can be chosen, and what Enter leads to. */
struct scene_row {
	uint64_t id;	       /* of the row; never 0 */
	uint64_t line, object; /* ids of the pairing; 0: none */
	uint64_t field;	       /* to be chosen there; 0: none */
};

/* What a view keeps from one drawing to the next. */
struct scene_choice {
	uint32_t at, first;   /* the chosen row, the first one shown */
	uint32_t count, page; /* of rows, at the last drawing; page: how many were visible */
	bool moved;	      /* by a key: "at" counts; else "id" does */
	struct scene_row row; /* the chosen one */
	uint32_t order;	      /* how often "sort" was asked for */
};

enum scene_prompt {
	PROMPT_NONE,
	PROMPT_FILTER,
	PROMPT_WRITE,
	PROMPT_RECORD,
	PROMPT_RUN,
	SCENE_PROMPTS
};

#define SCENE_TEXT 512 /* bytes of what the user types */

struct screen {
	enum scene_view view;
	enum scene_view from, below; /* where q leads from a line's details, and from help */
	int step;		     /* to another line or object, at the next drawing */
	struct scene_choice choice[SCENE_VIEWS];
	uint64_t line;	 /* whose details are shown */
	uint64_t object; /* whose heatmap is shown; 0: the target's, or the first */
	uint32_t measure;
	bool nodes;	 /* columns are nodes */
	bool full_names; /* in a line's details */
	bool all;	 /* specks too */
	char filter[SCENE_TEXT], text[SCENE_TEXT], argument[SCENE_TEXT];
	enum scene_prompt prompt;
	char *doctor; /* its text, once it was asked for */
	/* Where the last drawing put things, for the mouse: row of the canvas to row of the view
	 * and 1; columns where a tab begins and ends. */
	uint16_t row_at[CANVAS_MOST];
	uint16_t tab_from[SCENE_VIEWS], tab_to[SCENE_VIEWS];
};

/* One drawing. */
struct scene {
	struct screen *screen;
	struct canvas *canvas;
	const struct screen_input *in;
	struct scale scale;
	struct pairing pairing;
	uint32_t top, bottom;	   /* rows of the canvas that are the view's: top to bottom - 1 */
	bool both;		   /* there are two sides */
	char filtered[SCENE_TEXT]; /* lower case */
	uint32_t hidden;	   /* specks of this view */
	double hottest_word;	   /* of the lines, on both sides; set by the view of them */
};

struct scene_view_row {
	const char *name; /* "lines" */
	const char *what; /* for help */
	uint32_t number;  /* key; 0: reached otherwise */
	void (*draw)(struct scene *s);
	void (*json)(struct scene *s, struct json_writer *w);
};

extern const struct scene_view_row scene_views[SCENE_VIEWS];

/* Whether there is a way to it: a number, and something to show. */
static inline bool scene_can_show(const struct screen_input *in, int view)
{
	return scene_views[view].number && (view != VIEW_DOCTOR || in->doctor);
}

/* Each of these is one file, screen_NAME.c. */
void screen_lines(struct scene *s);
void screen_lines_json(struct scene *s, struct json_writer *w);
void screen_heatmap(struct scene *s);
void screen_heatmap_json(struct scene *s, struct json_writer *w);
void screen_functions(struct scene *s);
void screen_functions_json(struct scene *s, struct json_writer *w);
void screen_time(struct scene *s);
void screen_time_json(struct scene *s, struct json_writer *w);
void screen_objects(struct scene *s);
void screen_objects_json(struct scene *s, struct json_writer *w);
void screen_line(struct scene *s);
void screen_line_json(struct scene *s, struct json_writer *w);
void screen_doctor(struct scene *s);
void screen_doctor_json(struct scene *s, struct json_writer *w);
void screen_help(struct scene *s);
void screen_help_json(struct scene *s, struct json_writer *w);

/* ---- For the views */

static inline struct scene_choice *scene_choice(struct scene *s)
{
	return &s->screen->choice[s->screen->view];
}

/* Whether a name has the filter's text in it; NULL has nothing. */
bool scene_matches(const struct scene *s, const char *name);
/* Whether the object, a field or a function of a line has. */
bool scene_line_matches(const struct scene *s, const struct paired_line *l);

/* Whether a line or an object is too small to be shown, unless the user asks for all or filters. */
bool scene_is_speck(const struct scene *s, const struct counts counts[SCREEN_SIDES]);
bool scene_line_is_speck(const struct scene *s, const struct paired_line *l);
/* "24 more lines with 2.1 % (a: all)" at the end of a row, where there is room behind "x"; "heat":
 * their share of all, 0: not said. */
void scene_hidden(struct scene *s, uint32_t x, uint32_t y, uint32_t count, const char *what,
		  double heat);

/*
 * Decides which of "count" rows is chosen, and scrolls to it in a window of "page" rows. Returns
 * the first row to be shown. "rows" in the order of the screen.
 */
uint32_t scene_choose(struct scene *s, const struct scene_row *rows, uint32_t count, uint32_t page);
/* Marks row "at" of the view as drawn at "y", and as the chosen one if it is that. */
void scene_mark(struct scene *s, uint32_t at, uint32_t y);

/* The name of a line in "width" columns: its type goes first where there is no room. */
void scene_line_name(struct scene *s, uint32_t x, uint32_t y, uint32_t width,
		     const struct view_line *l);

/* Heat of a line's eight words. */
void scene_words(const struct scene *s, const struct view_line *l, int side,
		 double heat[LINE_WORDS]);
/* Heat of a line or a field of a side; "counts" is of a pairing. */
static inline double scene_heat(const struct scene *s, int side, const struct counts *c)
{
	return scale_counts(&s->scale, side, c);
}

/* Heat over time of a line, TALLY_SLICES values; returns how many there are, 0: no times. */
uint32_t scene_times(const struct scene *s, const struct view_line *l, int side,
		     double heat[TALLY_SLICES]);

/* A figure of a line that the column "key" gives (see column.h), as text; NULL: no such column, or
 * not known. */
const char *scene_column(const struct scene *s, const struct view_line *l, int side,
			 const char *key, char text[FIGURE_TEXT_BYTES]);

/* "Nothing to show", in words and with the reason. */
void scene_nothing(struct scene *s);

/* What a side is called. */
const char *scene_title(const struct scene *s, int side);

#endif
