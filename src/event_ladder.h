/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is given up, and in which order, when the kernel refuses an event: each rung is a row of a
 * table with the change and the sentence that tells the user.
 */
#ifndef HITMAP_EVENT_LADDER_H
#define HITMAP_EVENT_LADDER_H

#include "event_plan.h"

#define LADDER_ERRORS 3

enum ladder_stage { LADDER_OPEN, LADDER_MAP }; /* perf_event_open(); mmap() of its rings */

struct ladder_rung {
	const char *name;
	enum ladder_stage stage;
	int error[LADDER_ERRORS]; /* errno values that it answers; 0: no more */
	bool whole;		  /* changes every event: those that are open are opened anew */
	bool (*applies)(const struct event_plan *p, const struct plan_event *e);
	void (*change)(struct event_plan *p, struct plan_event *e);
	const char *sentence;
};

/*
 * Takes the next rung for an event that was refused: changes the plan, notes the sentence, and
 * returns the rung. NULL: there is none left.
 */
const struct ladder_rung *event_ladder_step(struct event_plan *p, size_t event,
					    enum ladder_stage stage, int error);

/* Every rung that "event" could still take, in order; at most "room". The plan stays as it is. */
size_t event_ladder_list(const struct event_plan *p, size_t event, const struct ladder_rung **rungs,
			 size_t room);

/*
 * Takes the rungs that this user needs anyway, by perf_event_paranoid. An error when what is left
 * is not allowed either.
 */
struct err *event_ladder_restrict(struct event_plan *p);

/* The error when an event is refused and no rung is left. */
struct err *event_ladder_refusal(const struct event_plan *p, size_t event, int error);

#endif
