/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording, read to its end, as one side of a screen. */
#ifndef HITMAP_RECORDED_H
#define HITMAP_RECORDED_H

#include "screen.h"

struct recorded {
	struct source *source;
	struct attrib *attrib;
	struct profile *profile;
	struct view view;
	struct tally *tally;
	bool viewed;
	double seconds;
};

/* Files are read twice, the second time for what happened on which CPU and when; a pipe only once.
 * "command": for messages. */
struct err *recorded_open(struct recorded *r, const char *command, const char *path,
			  struct intern *pool);
void recorded_close(struct recorded *r);

struct screen_side recorded_side(const struct recorded *r);

#endif
