// SPDX-License-Identifier: GPL-2.0-only
#include "ahead.h"
#include "mem.h"
#include "step.h"

#include <pthread.h>
#include <stdlib.h>

#define BATCHES	      16
#define BATCH_SAMPLES 2048 /* all of them stay in a last-level cache */
#define BATCH_EVENTS  64
#define SAMPLES_SIZE  (BATCHES * BATCH_SAMPLES * sizeof(struct sample))

/* Batches go round: "filled" counts those the reader has given, "emptied" those the consumer gave
 * back. */
struct ahead {
	struct source *source;
	struct steps steps;	/* seen by the reader */
	struct sample *samples; /* of all batches */
	struct ahead_batch batch[BATCHES];
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

/* Adds the next event, which may be a sample, too. */
static void add_event(struct ahead_batch *b, const struct event *ev)
{
	if (ev->kind == EVENT_SAMPLE) {
		b->sample[b->samples++] = ev->sample;
		return;
	}
	b->behind[b->events] = b->samples;
	b->event[b->events++] = *ev;
}

/* True when the stream has ended. */
static bool fill_batch(struct ahead *a, struct ahead_batch *b)
{
	struct event ev;
	bool end = false;
	size_t count;

	b->samples = b->events = 0;
	while (b->samples < BATCH_SAMPLES && b->events < BATCH_EVENTS) {
		count = source_samples(a->source, b->sample + b->samples,
				       BATCH_SAMPLES - b->samples);
		b->samples += count;
		if (count)
			continue;
		a->error = source_next(a->source, &ev, &end);
		if (a->error || end)
			return true;
		add_event(b, &ev);
	}
	return false;
}

static bool fill(struct ahead *a, struct ahead_batch *b)
{
	bool end = fill_batch(a, b);

	steps_look(&a->steps, b->sample, b->samples);
	return end;
}

static bool wait_for_room(struct ahead *a)
{
	bool stopped;

	pthread_mutex_lock(&a->lock);
	/* Once it had to wait it does so for several, or the two would wake each other for each. */
	if (a->filled - a->emptied == BATCHES)
		while (a->filled - a->emptied > BATCHES / 2 && !a->stopped)
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
	a->samples = mem_enlarge(NULL, 0, SAMPLES_SIZE);
	for (int i = 0; i < BATCHES; i++) {
		a->batch[i].sample = a->samples + i * BATCH_SAMPLES;
		a->batch[i].event = mem_zalloc(BATCH_EVENTS * sizeof(struct event));
		a->batch[i].behind = mem_zalloc(BATCH_EVENTS * sizeof(uint32_t));
	}
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	a->threaded = !pthread_create(&a->thread, NULL, read_ahead, a);
	return a;
}

/* Where no thread can be had, the consumer reads. */
static const struct ahead_batch *next_here(struct ahead *a)
{
	if (a->ended)
		return NULL;
	a->ended = fill(a, &a->batch[0]);
	return &a->batch[0];
}

const struct ahead_batch *ahead_next(struct ahead *a)
{
	const struct ahead_batch *b = NULL;

	if (!a->threaded)
		return next_here(a);
	pthread_mutex_lock(&a->lock);
	if (a->holds) {
		a->emptied++;
		if (a->filled - a->emptied == BATCHES / 2)
			pthread_cond_signal(&a->changed);
	}
	while (a->filled == a->emptied && !a->ended)
		pthread_cond_wait(&a->changed, &a->lock);
	a->holds = a->filled != a->emptied;
	if (a->holds)
		b = &a->batch[a->emptied % BATCHES];
	pthread_mutex_unlock(&a->lock);
	return b;
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
	for (int i = 0; i < BATCHES; i++) {
		free(a->batch[i].event);
		free(a->batch[i].behind);
	}
	mem_free_enlarged(a->samples, SAMPLES_SIZE);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
	return e;
}
