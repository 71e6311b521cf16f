/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts records of several rings in order of time. A recorder empties its rings one after the other
 * and marks the end of each round; what comes later may be older than the end of a round, but never
 * older than the end of the round before it. So at each mark everything up to the newest time of
 * the round before is complete, and the queue holds two rounds.
 */
#ifndef HITMAP_QUEUE_H
#define HITMAP_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue_entry {
	uint64_t time;
	uint64_t offset; /* of the record in its file */
	const uint8_t *record;
	void *owner; /* of the record's bytes */
};

struct queue {
	struct queue_entry
		*entry; /* [head, ready): in order, to be taken; [ready, count): waiting */
	struct queue_entry *spare; /* room for sorting, as large as "entry" */
	size_t head, ready, count, room, spare_room;
	uint64_t newest;       /* time seen */
	uint64_t round_newest; /* "newest" at the last mark */
};

void queue_deinit(struct queue *q); /* a queue starts zeroed */
void queue_add(struct queue *q, const struct queue_entry *entry);

/* What is complete becomes ready: at a mark, when all was read, and, to bound what waits in a
 * recording without marks, the older half. Entries of one time stay in the order they were added.
 */
void queue_round(struct queue *q);
void queue_flush(struct queue *q);
void queue_flush_half(struct queue *q);

bool queue_take(struct queue *q, struct queue_entry *entry); /* false: nothing is ready */

#endif
