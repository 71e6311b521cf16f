/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stream of perf.data as it comes: a thread reads and counts it, and about once a second makes a
 * picture of it that does not change any more. Whoever draws takes the newest one.
 *
 *	thread:	 descriptor -> source -> counts --picture-->  live_take()	drawing
 *
 * Everything that changes (source, attribution, counts) is the thread's alone.
 */
#ifndef HITMAP_LIVE_H
#define HITMAP_LIVE_H

#include "report_view.h"
#include "tally.h"

struct live_options {
	double refresh; /* seconds between pictures */
	double window;	/* seconds that are shown; 0: all since the start */
};

/* One picture. */
struct live_shot {
	struct profile *profile;
	struct recording recording;
	struct view view;
	struct tally *tally;
	double seconds;		/* that its counts were collected in */
	uint64_t samples, lost; /* since the start */
	double since_start;	/* seconds */
	double samples_per_second;
	double window;	/* as it was then */
	bool forgetful; /* cells became too many: what was longest ago is not counted any more */
	bool ended;
};

struct live;

/* Reads from "fd", which it closes, in a thread of its own, which alone may use "pool" until the
 * stream is stopped. "name": the stream's, for titles. */
struct err *live_open(int fd, const char *name, struct intern *pool,
		      const struct live_options *options, struct live **l);
void live_close(struct live *l); /* pictures must have been freed */
/* Ends the reading; what was counted stays. */
void live_stop(struct live *l);

/* Becomes readable when there is something to take. */
int live_fd(const struct live *l);
/* The newest picture that was not taken yet, the caller's; NULL: none. */
struct live_shot *live_take(struct live *l);
void live_shot_free(struct live_shot *s);

/* The error that ended the stream; NULL: it goes on, or ended well. The caller's. */
struct err *live_error(struct live *l);

void live_window(struct live *l, double seconds);
/* Records what passes, from the beginning that it needs on; "path" NULL ends that. */
struct err *live_record(struct live *l, const char *path);

#endif
