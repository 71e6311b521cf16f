// SPDX-License-Identifier: GPL-2.0-only
#include "queue.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* One that waits, while all are sorted: a sample of "before", or a record. */
struct queue_order {
	uint64_t time;
	uint32_t index;
	bool is_record;
};

static void samples_free(struct queue_samples *s)
{
	mem_free_enlarged(s->sample, s->room * sizeof(*s->sample));
}

void queue_deinit(struct queue *q)
{
	samples_free(&q->current);
	samples_free(&q->before);
	samples_free(&q->due);
	samples_free(&q->spare);
	free(q->records.record);
	free(q->due_records.record);
	free(q->order);
	free(q->sorted);
	*q = (struct queue){ 0 };
}

/* ---- What waits */

static struct sample *make_room(struct queue_samples *s, size_t count)
{
	size_t was = s->room;

	if (s->count + count > s->room) {
		s->room = 2 * was > s->count + count ? 2 * was : s->count + count;
		s->sample = mem_enlarge(s->sample, was * sizeof(*s->sample),
					s->room * sizeof(*s->sample));
	}
	return s->sample + s->count;
}

struct sample *queue_room(struct queue *q, size_t count)
{
	return make_room(&q->current, count);
}

void queue_add(struct queue *q, size_t count)
{
	const struct sample *s = q->current.sample + q->current.count;
	uint64_t oldest = q->current.count ? q->current.oldest : UINT64_MAX;

	for (size_t i = 0; i < count; i++) {
		if (s[i].time > q->newest)
			q->newest = s[i].time;
		if (s[i].time < oldest)
			oldest = s[i].time;
	}
	q->current.count += count;
	q->current.oldest = oldest;
}

static void add_record(struct queue_records *to, const struct queue_record *record, size_t behind)
{
	mem_grow(&to->record, &to->room, to->count);
	to->record[to->count] = *record;
	to->record[to->count++].behind = behind;
}

void queue_record(struct queue *q, const struct queue_record *record)
{
	add_record(&q->records, record, q->before.count + q->current.count);
	if (record->time > q->newest)
		q->newest = record->time;
}

size_t queue_size(const struct queue *q)
{
	return (q->before.count + q->current.count) *
		       (sizeof(struct sample) + 2 * sizeof(struct queue_order)) +
	       q->records.count * (sizeof(struct queue_record) + 2 * sizeof(struct queue_order));
}

/* ---- Order */

static size_t run_end(const struct queue_order *o, size_t from, size_t count)
{
	if (from == count)
		return count;
	while (++from < count && o[from - 1].time <= o[from].time)
		;
	return from;
}

static void merge(struct queue_order *to, const struct queue_order *a, size_t a_count,
		  const struct queue_order *b, size_t b_count)
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

/* Merges each two runs; how many there are afterwards. */
static size_t merge_runs(struct queue_order *to, const struct queue_order *from, size_t count)
{
	size_t runs = 0;

	for (size_t start = 0, middle, end; start < count; start = end, runs++) {
		middle = run_end(from, start, count);
		end = run_end(from, middle, count);
		merge(to + start, from + start, middle - start, from + middle, end - middle);
	}
	return runs;
}

static void order_room(struct queue_order **order, size_t *room, size_t count)
{
	if (count <= *room)
		return;
	*room = count;
	*order = mem_realloc(*order, count, sizeof(**order));
}

/* A natural merge sort: each ring is in order by itself, so there are as many runs as rings. */
static void sort(struct queue *q, size_t count)
{
	if (run_end(q->order, 0, count) == count)
		return;
	order_room(&q->sorted, &q->sorted_room, count);
	for (size_t runs = 2; runs > 1;) {
		struct queue_order *sorted = q->sorted;
		size_t room = q->sorted_room;

		runs = merge_runs(sorted, q->order, count);
		q->sorted = q->order;
		q->sorted_room = q->order_room;
		q->order = sorted;
		q->order_room = room;
	}
}

/* All that waits as it was added, then by time; how many. */
static size_t order_all(struct queue *q)
{
	size_t count = 0, record = 0;

	order_room(&q->order, &q->order_room, q->before.count + q->records.count);
	for (size_t i = 0; i <= q->before.count; i++) {
		for (; record < q->records.count && q->records.record[record].behind <= i; record++)
			q->order[count++] = (struct queue_order){ q->records.record[record].time,
								  (uint32_t)record, true };
		if (i < q->before.count)
			q->order[count++] = (struct queue_order){ q->before.sample[i].time,
								  (uint32_t)i, false };
	}
	sort(q, count);
	return count;
}

/* ---- What is due */

static void begin_due(struct queue *q)
{
	q->due.count = q->taken = 0;
	q->due_records.count = q->taken_records = 0;
}

static void swap(struct queue_samples *a, struct queue_samples *b)
{
	struct queue_samples was = *a;

	*a = *b;
	*b = was;
}

static void join_current(struct queue *q)
{
	if (!q->current.count)
		return;
	memcpy(make_room(&q->before, q->current.count), q->current.sample,
	       q->current.count * sizeof(*q->current.sample));
	if (!q->before.count || q->current.oldest < q->before.oldest)
		q->before.oldest = q->current.oldest;
	q->before.count += q->current.count;
	q->current.count = 0;
}

/* Those of the order from "first" up to "end". */
static void move_samples(const struct queue *q, size_t first, size_t end,
			 struct queue_samples *samples, struct queue_records *records)
{
	if (first < end)
		make_room(samples, end - first);
	for (size_t i = first; i < end; i++) {
		const struct queue_order *o = &q->order[i];

		if (o->is_record)
			add_record(records, &q->records.record[o->index], samples->count);
		else
			samples->sample[samples->count++] = q->before.sample[o->index];
	}
	samples->oldest = first < end ? q->order[first].time : 0;
}

/* Sorts all that waits; the first so many become due. */
static void free_first(struct queue *q, size_t ordered, size_t first)
{
	struct queue_records rest = { 0 };

	begin_due(q);
	move_samples(q, 0, first, &q->due, &q->due_records);
	q->spare.count = 0;
	move_samples(q, first, ordered, &q->spare, &rest);
	swap(&q->before, &q->spare);
	free(q->records.record);
	q->records = rest;
}

static size_t count_until(const struct queue *q, size_t count, uint64_t limit)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (q->order[middle].time <= limit)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

static uint64_t oldest_sample(const struct queue *q)
{
	uint64_t oldest = q->before.count ? q->before.oldest : UINT64_MAX;

	return q->current.count && q->current.oldest < oldest ? q->current.oldest : oldest;
}

/* Whether samples can become due as they are: the records that do so with them come before all. */
static bool is_loose(const struct queue *q, uint64_t limit)
{
	uint64_t oldest = oldest_sample(q);

	for (size_t i = 0; i < q->records.count; i++)
		if (q->records.record[i].time <= limit && q->records.record[i].time >= oldest)
			return false;
	return q->loose;
}

/* The records up to "limit" become due, before any sample. */
static void free_records(struct queue *q, uint64_t limit)
{
	size_t count = 0, left = 0;

	order_room(&q->order, &q->order_room, q->records.count);
	for (size_t i = 0; i < q->records.count; i++)
		if (q->records.record[i].time <= limit)
			q->order[count++] = (struct queue_order){ q->records.record[i].time,
								  (uint32_t)i, true };
	sort(q, count);
	for (size_t i = 0; i < count; i++)
		add_record(&q->due_records, &q->records.record[q->order[i].index], 0);
	for (size_t i = 0; i < q->records.count; i++)
		if (q->records.record[i].time > limit)
			q->records.record[left++] = q->records.record[i];
	q->records.count = left;
}

/* The samples before the last mark, all of which are complete by now, become due, and what
 * free_records() does. The other records that wait are newer than they. */
static void free_before(struct queue *q, uint64_t limit)
{
	begin_due(q);
	if (q->records.count)
		free_records(q, limit);
	for (size_t i = 0; i < q->records.count; i++)
		q->records.record[i].behind -= q->records.record[i].behind > q->before.count
						       ? q->before.count
						       : q->records.record[i].behind;
	swap(&q->due, &q->before);
	swap(&q->before, &q->current);
}

void queue_round(struct queue *q)
{
	uint64_t limit = q->round_newest;

	q->round_newest = q->newest;
	if (is_loose(q, limit)) {
		free_before(q, limit);
	} else {
		size_t count;

		join_current(q);
		count = order_all(q);
		free_first(q, count, count_until(q, count, limit));
	}
}

void queue_flush(struct queue *q)
{
	size_t count;

	join_current(q);
	if (q->loose && !q->records.count) {
		free_before(q, 0);
		return;
	}
	count = order_all(q);
	free_first(q, count, count);
}

void queue_flush_half(struct queue *q)
{
	size_t count;

	join_current(q);
	count = order_all(q);
	free_first(q, count, (count + 1) / 2);
}

/* ---- Taking */

size_t queue_take(struct queue *q, struct sample *to, size_t room)
{
	size_t end = q->due.count;

	if (q->taken_records < q->due_records.count)
		end = q->due_records.record[q->taken_records].behind;
	if (room > end - q->taken)
		room = end - q->taken;
	if (room)
		memcpy(to, q->due.sample + q->taken, room * sizeof(*to));
	q->taken += room;
	return room;
}

bool queue_take_record(struct queue *q, struct queue_record *record)
{
	if (q->taken_records == q->due_records.count ||
	    q->due_records.record[q->taken_records].behind > q->taken)
		return false;
	*record = q->due_records.record[q->taken_records++];
	return true;
}

bool queue_drop_record(struct queue *q, struct queue_record *record)
{
	if (q->taken_records < q->due_records.count)
		*record = q->due_records.record[q->taken_records++];
	else if (q->records.count)
		*record = q->records.record[--q->records.count];
	else
		return false;
	return true;
}
