/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a source on a thread of its own, so that its records are decoded while those before them
 * are still being counted. The events, and their order, are the source's.
 *
 *	reader	source_next() -> batch -+-> batch -> ahead_next()	consumer
 *				<- empty -------+
 */
#ifndef HITMAP_AHEAD_H
#define HITMAP_AHEAD_H

#include "source.h"

struct ahead;

/* Until ahead_close() the source, its recording and the pool of its strings are the reader's. */
struct ahead *ahead_open(struct source *s);

/* A stretch of the stream: samples, and the other events that stand between them. */
struct ahead_batch {
	struct sample *sample; /* whose step is known */
	struct event *event;
	uint32_t *behind; /* by event: how many of the samples come before it */
	uint32_t samples, events;
};

/* The next of the stream, good until the next call; NULL at its end. */
const struct ahead_batch *ahead_next(struct ahead *a);

/* After the end, or before it. Returns the error that ended the stream. */
struct err *ahead_close(struct ahead *a);

#endif
