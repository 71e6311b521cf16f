// SPDX-License-Identifier: GPL-2.0-only
#include "ahead.h"
#include "mem.h"

#include <pthread.h>
#include <stdlib.h>

#define BATCHES	     3	 /* one read, one counted, one between them */
#define BATCH_EVENTS 512 /* together they stay in a second-level cache */

struct batch {
	struct event *events;
	uint32_t count;
};

/* Batches go round: "filled" counts those the reader has given, "emptied" those the consumer gave
 * back. */
struct ahead {
	struct source *source;
	struct batch batch[BATCHES];
	uint64_t filled, emptied;
	bool ended;   /* no more will be filled */
	bool stopped; /* nobody wants more */
	bool holds;   /* the consumer has a batch */
	bool threaded;
	struct err *error;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* True when the stream has ended. */
static bool fill(struct ahead *a, struct batch *b)
{
	bool end = false;

	b->count = 0;
	while (b->count < BATCH_EVENTS) {
		a->error = source_next(a->source, &b->events[b->count], &end);
		if (a->error || end)
			return true;
		b->count++;
	}
	return false;
}

static bool wait_for_room(struct ahead *a)
{
	bool stopped;

	pthread_mutex_lock(&a->lock);
	while (a->filled - a->emptied == BATCHES && !a->stopped)
		pthread_cond_wait(&a->changed, &a->lock);
	stopped = a->stopped;
	pthread_mutex_unlock(&a->lock);
	return !stopped;
}

static void *read_ahead(void *argument)
{
	struct ahead *a = argument;
	bool end = false;

	while (!end && wait_for_room(a)) {
		end = fill(a, &a->batch[a->filled % BATCHES]);
		pthread_mutex_lock(&a->lock);
		a->filled++;
		a->ended = end;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

struct ahead *ahead_open(struct source *s)
{
	struct ahead *a = mem_zalloc(sizeof(*a));

	a->source = s;
	for (int i = 0; i < BATCHES; i++)
		a->batch[i].events = mem_zalloc(BATCH_EVENTS * sizeof(struct event));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	a->threaded = !pthread_create(&a->thread, NULL, read_ahead, a);
	return a;
}

/* Where no thread can be had, the consumer reads. */
static const struct event *next_here(struct ahead *a, uint32_t *count)
{
	if (a->ended)
		return NULL;
	a->ended = fill(a, &a->batch[0]);
	*count = a->batch[0].count;
	return *count ? a->batch[0].events : NULL;
}

const struct event *ahead_next(struct ahead *a, uint32_t *count)
{
	const struct batch *b = NULL;

	if (!a->threaded)
		return next_here(a, count);
	pthread_mutex_lock(&a->lock);
	if (a->holds) {
		a->emptied++;
		pthread_cond_signal(&a->changed);
	}
	while (a->filled == a->emptied && !a->ended)
		pthread_cond_wait(&a->changed, &a->lock);
	a->holds = a->filled != a->emptied;
	if (a->holds)
		b = &a->batch[a->emptied % BATCHES];
	pthread_mutex_unlock(&a->lock);
	*count = b ? b->count : 0;
	return b && b->count ? b->events : NULL;
}

struct err *ahead_close(struct ahead *a)
{
	struct err *e;

	if (a->threaded) {
		pthread_mutex_lock(&a->lock);
		a->stopped = true;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
	}
	e = a->error;
	for (int i = 0; i < BATCHES; i++)
		free(a->batch[i].events);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
	return e;
}
