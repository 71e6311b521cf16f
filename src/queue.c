// SPDX-License-Identifier: GPL-2.0-only
#include "queue.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD 8 /* records */

void queue_deinit(struct queue *q)
{
	free(q->entry);
	free(q->spare);
	*q = (struct queue){ 0 };
}

/* Entries that were taken leave their place. */
static void compact(struct queue *q)
{
	if (!q->head)
		return;
	memmove(q->entry, q->entry + q->head, (q->count - q->head) * sizeof(*q->entry));
	q->count -= q->head;
	q->ready -= q->head;
	q->head = 0;
}

void queue_add(struct queue *q, const struct queue_entry *entry)
{
	if (q->head == q->count)
		q->head = q->ready = q->count = 0;
	mem_grow(&q->entry, &q->room, q->count);
	q->entry[q->count++] = *entry;
	if (entry->time > q->newest)
		q->newest = entry->time;
}

static size_t run_end(const struct queue_entry *e, size_t from, size_t count)
{
	if (from == count)
		return count;
	while (++from < count && e[from - 1].time <= e[from].time)
		;
	return from;
}

static void merge(struct queue_entry *to, const struct queue_entry *a, size_t a_count,
		  const struct queue_entry *b, size_t b_count)
{
	while (a_count && b_count) {
		if (a->time <= b->time) {
			*to++ = *a++;
			a_count--;
		} else {
			*to++ = *b++;
			b_count--;
		}
	}
	memcpy(to, a, a_count * sizeof(*a));
	memcpy(to + a_count, b, b_count * sizeof(*b));
}

/* One pass: pairs of neighbouring runs become one. Returns how many runs there were. */
static size_t merge_runs(struct queue_entry *to, const struct queue_entry *from, size_t count)
{
	size_t runs = 0;

	for (size_t start = 0, middle, end; start < count; start = end) {
		middle = run_end(from, start, count);
		end = run_end(from, middle, count);
		merge(to + start, from + start, middle - start, from + middle, end - middle);
		runs += 1 + (end > middle);
	}
	return runs;
}

/* A natural merge sort: each ring is in order by itself, so there are as many runs as rings. */
static void sort(struct queue *q)
{
	if (run_end(q->entry, 0, q->count) == q->count)
		return;
	if (q->spare_room < q->room) {
		q->spare = mem_realloc(q->spare, q->room, sizeof(*q->spare));
		q->spare_room = q->room;
	}
	for (size_t runs = 3; runs > 2;) {
		struct queue_entry *sorted = q->spare;
		size_t room = q->spare_room;

		runs = merge_runs(sorted, q->entry, q->count);
		q->spare = q->entry;
		q->spare_room = q->room;
		q->entry = sorted;
		q->room = room;
	}
}

static size_t count_until(const struct queue *q, uint64_t limit)
{
	size_t low = 0, high = q->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (q->entry[middle].time <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void queue_round(struct queue *q)
{
	uint64_t limit = q->round_newest;

	q->round_newest = q->newest;
	compact(q);
	sort(q);
	q->ready = count_until(q, limit);
}

void queue_flush(struct queue *q)
{
	compact(q);
	if (q->count)
		sort(q);
	q->ready = q->count;
}

void queue_flush_half(struct queue *q)
{
	queue_flush(q);
	q->ready = (q->count + 1) / 2;
}

bool queue_take(struct queue *q, struct queue_entry *entry)
{
	if (q->head == q->ready)
		return false;
	/* A record was read two rounds ago, and its bytes may have left the cache. */
	if (q->head + AHEAD < q->ready) {
		__builtin_prefetch(q->entry[q->head + AHEAD].record);
		__builtin_prefetch(q->entry[q->head + AHEAD].record + 64);
	}
	*entry = q->entry[q->head++];
	return true;
}
