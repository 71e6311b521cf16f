/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Brings samples and other records of several rings into the order of time. A recorder empties its
 * rings one after the other and marks the end of each round; what comes later may be older than the
 * end of a round, but never older than the end of the round before it. So at each mark everything
 * up to the newest time of the rounds before is complete, and the queue holds two rounds.
 *
 *	queue_room(), queue_record() -> current --mark--> before --mark--> due -> queue_take_...()
 *
 * Whoever only counts samples does not care for their order among each other, but for which of them
 * came before a record that changes what is mapped. With "loose" they are put in order only where a
 * record stands between them, which is seldom after the first second of a recording. The maps that
 *a recording begins with stand before all samples.
 */
#ifndef HITMAP_QUEUE_H
#define HITMAP_QUEUE_H

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A record that is no sample; its bytes belong to "owner" and stay until it is taken. */
struct queue_record {
	uint64_t time;
	uint64_t offset; /* of the record in its file */
	const uint8_t *record;
	void *owner;
	size_t behind; /* the queue's: how many samples come before it, of those with it */
};

struct queue_samples {
	struct sample *sample;
	size_t count, room;
	uint64_t oldest; /* no sample is older; undefined when there is none */
};

struct queue_records {
	struct queue_record *record;
	size_t count, room;
};

struct queue {
	bool loose;
	struct queue_samples current; /* since the last mark */
	struct queue_samples before;  /* and before it */
	struct queue_records records; /* that wait; "behind" counts from the first of "before" */
	struct queue_samples due;     /* what can be taken */
	struct queue_records due_records;
	size_t taken, taken_records;
	struct queue_samples spare;
	struct queue_order *order, *sorted; /* room for sorting */
	size_t order_room, sorted_room;
	uint64_t newest;       /* time seen */
	uint64_t round_newest; /* "newest" at the last mark */
};

void queue_deinit(struct queue *q); /* a queue starts zeroed */

/* Room for "count" more samples, to be filled from the first on; then how many there are now. */
struct sample *queue_room(struct queue *q, size_t count);
void queue_add(struct queue *q, size_t count);
void queue_record(struct queue *q, const struct queue_record *record);

/*
 * What is complete can be taken: at a mark; all of it at the end; and, to bound what waits in a
 * recording without marks, the older half. What became due earlier must have been taken. Samples
 * and records of one time stay in the order they were added.
 */
void queue_round(struct queue *q);
void queue_flush(struct queue *q);
void queue_flush_half(struct queue *q);

/* The next in order are samples: up to "room" of them are moved to "to". 0: a record is next, or
 * nothing. */
size_t queue_take(struct queue *q, struct sample *to, size_t room);
/* False: the next is a sample, or nothing. */
bool queue_take_record(struct queue *q, struct queue_record *record);

/* Whether there is something to take. */
static inline bool queue_is_due(const struct queue *q)
{
	return q->taken < q->due.count || q->taken_records < q->due_records.count;
}
/* For the end, in no order: a record that has not been taken. */
bool queue_drop_record(struct queue *q, struct queue_record *record);

/* Bytes that all that waits takes. */
size_t queue_size(const struct queue *q);

#endif
