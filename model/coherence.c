// SPDX-License-Identifier: GPL-2.0-only
#include "coherence.h"

#include <string.h>

unsigned int bitset_next(const struct bitset *s, unsigned int from)
{
	for (unsigned int i = from / 64; i < MODEL_CPUS / 64; i++) {
		uint64_t rest = s->word[i];

		if (i == from / 64)
			rest &= ~0ULL << (from % 64);
		if (rest)
			return i * 64 + (unsigned int)__builtin_ctzll(rest);
	}
	return MODEL_CPUS;
}

static bool bitset_meets(const struct bitset *a, const struct bitset *b)
{
	for (unsigned int i = 0; i < MODEL_CPUS / 64; i++)
		if (a->word[i] & b->word[i])
			return true;
	return false;
}

static bool bitset_within(const struct bitset *a, const struct bitset *b)
{
	for (unsigned int i = 0; i < MODEL_CPUS / 64; i++)
		if (a->word[i] & ~b->word[i])
			return false;
	return true;
}

static void bitset_only(struct bitset *s, unsigned int i)
{
	memset(s, 0, sizeof(*s));
	bitset_add(s, i);
}

void topology_init(struct topology *t, const struct model_machine *machine)
{
	memset(t, 0, sizeof(*t));
	t->machine = machine;
	for (unsigned int a = 0; a < machine->cpus; a++) {
		unsigned int core = 0;

		while (machine->core[core] != machine->core[a])
			core++;
		t->core[a] = (uint16_t)core;
		for (unsigned int b = 0; b < machine->cpus; b++) {
			if (machine->llc[a] == machine->llc[b])
				bitset_add(&t->same_llc[a], b);
			if (machine->node[a] == machine->node[b])
				bitset_add(&t->same_node[a], b);
		}
	}
}

void coherence_line_init(struct coherence_line *l, uint16_t home)
{
	memset(l, 0, sizeof(*l));
	l->owner = l->first = l->last = -1;
	l->home = home;
}

void coherence_init(struct coherence *c, const struct topology *topology, uint32_t hold,
		    uint64_t seed)
{
	const struct model_machine *m = topology->machine;

	memset(c, 0, sizeof(*c));
	c->topology = topology;
	c->hold = hold;
	for (unsigned int i = 0; i < MODEL_THREADS; i++) {
		struct coherence_thread *t = &c->thread[i];

		t->position = t->queue_next = -1;
		t->cpu = m->order[i % m->cpus];
		t->random = (seed + i + 1) * 0x9e3779b97f4a7c15ULL;
	}
}

/* ---- The heap: threads by key; at equal keys, who waits for a line before who arrives. */

static bool heap_before(const struct coherence *c, int a, int b)
{
	const struct coherence_thread *x = &c->thread[a], *y = &c->thread[b];
	bool x_waits = x->state == COHERENCE_QUEUED, y_waits = y->state == COHERENCE_QUEUED;

	if (x->key != y->key)
		return x->key < y->key;
	return x_waits != y_waits ? x_waits : a < b;
}

static void heap_set(struct coherence *c, unsigned int at, int thread)
{
	c->heap[at] = (int16_t)thread;
	c->thread[thread].position = (int16_t)at;
}

static unsigned int heap_rise(struct coherence *c, unsigned int at, int thread)
{
	while (at && heap_before(c, thread, c->heap[(at - 1) / 2])) {
		heap_set(c, at, c->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	return at;
}

static unsigned int heap_sink(struct coherence *c, unsigned int at, int thread)
{
	for (unsigned int child = 2 * at + 1; child < c->running; child = 2 * at + 1) {
		if (child + 1 < c->running && heap_before(c, c->heap[child + 1], c->heap[child]))
			child++;
		if (!heap_before(c, c->heap[child], thread))
			break;
		heap_set(c, at, c->heap[child]);
		at = child;
	}
	return at;
}

static void heap_place(struct coherence *c, unsigned int at, int thread)
{
	heap_set(c, heap_sink(c, heap_rise(c, at, thread), thread), thread);
}

void coherence_enter(struct coherence *c, unsigned int thread, uint64_t key)
{
	struct coherence_thread *t = &c->thread[thread];

	t->key = key;
	heap_place(c, t->position < 0 ? c->running++ : (unsigned int)t->position, (int)thread);
}

void coherence_leave(struct coherence *c, unsigned int thread)
{
	int at = c->thread[thread].position, last;

	if (at < 0)
		return;
	c->thread[thread].position = -1;
	last = c->heap[--c->running];
	if (last != (int)thread)
		heap_place(c, (unsigned int)at, last);
}

uint64_t coherence_second(const struct coherence *c)
{
	uint64_t key = UINT64_MAX;

	for (unsigned int i = 1; i < 3 && i < c->running; i++)
		if (c->thread[c->heap[i]].key < key)
			key = c->thread[c->heap[i]].key;
	return key;
}

/* ---- Outcomes and what they cost */

static enum model_outcome line_outcome(const struct coherence_line *l, unsigned int core,
				       enum model_op op)
{
	struct bitset alone;

	if (coherence_hits(l, core, op))
		return MODEL_HIT;
	if (l->owner >= 0)
		return MODEL_HITM;
	if (bitset_empty(&l->sharers))
		return MODEL_COLD;
	if (op == MODEL_READ)
		return MODEL_CLEAN;
	bitset_only(&alone, core);
	return bitset_within(&l->sharers, &alone) ? MODEL_HIT : MODEL_UPGRADE;
}

static enum model_distance owner_distance(const struct topology *t, unsigned int core,
					  unsigned int other)
{
	if (bitset_has(&t->same_llc[core], other))
		return MODEL_SAME_LLC;
	return bitset_has(&t->same_node[core], other) ? MODEL_SAME_NODE : MODEL_OTHER_NODE;
}

/* A write waits for the farthest sharer to drop its copy; a read is served by the nearest. */
static enum model_distance sharer_distance(const struct topology *t, unsigned int core,
					   const struct bitset *sharers, bool farthest)
{
	bool (*in)(const struct bitset *, const struct bitset *) = farthest ? bitset_within
									    : bitset_meets;

	if (in(sharers, &t->same_llc[core]))
		return MODEL_SAME_LLC;
	return in(sharers, &t->same_node[core]) ? MODEL_SAME_NODE : MODEL_OTHER_NODE;
}

static uint32_t transfer_latency(const struct topology *t, const struct coherence_line *l,
				 unsigned int core, struct coherence_result *r)
{
	const struct model_machine *m = t->machine;

	switch (r->outcome) {
	case MODEL_HITM:
		r->distance = owner_distance(t, core, (unsigned int)l->owner);
		if (r->distance == MODEL_OTHER_NODE && m->hitm_reader_home &&
		    l->home == m->node[core])
			return m->hitm_reader_home;
		return m->hitm[r->distance];
	case MODEL_UPGRADE:
		r->distance = sharer_distance(t, core, &l->sharers, true);
		return m->upgrade[r->distance];
	case MODEL_CLEAN:
		r->distance = sharer_distance(t, core, &l->sharers, false);
		return m->clean[r->distance];
	case MODEL_COLD:
		return m->memory;
	default:
		return 0;
	}
}

/* xorshift64: good enough to break phase locks, and cheap. Uniform in 0..limit. */
static uint32_t thread_random(struct coherence_thread *t, uint32_t limit)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return (uint32_t)(t->random >> 33) % (limit + 1);
}

static uint32_t thread_jitter(struct coherence_thread *t, uint32_t latency, uint32_t percent)
{
	uint32_t most = (uint32_t)((uint64_t)latency * percent / 100);

	return most ? latency - most + thread_random(t, 2 * most) : latency;
}

static void line_take(struct coherence_line *l, unsigned int core, enum model_op op)
{
	if (op == MODEL_READ) {
		bitset_add(&l->sharers, core);
		if (l->owner != (int)core)
			l->owner = -1;
	} else {
		bitset_only(&l->sharers, core);
		l->owner = (int16_t)core;
	}
}

static bool outcome_occupies(enum model_outcome o)
{
	return o == MODEL_HITM || o == MODEL_UPGRADE;
}

static uint64_t line_free(const struct coherence_line *l)
{
	return l->busy > l->held ? l->busy : l->held;
}

/* ---- Events */

/* The access has its line from "start" on: it completes. */
static void access_complete(struct coherence *c, unsigned int thread, enum model_outcome outcome,
			    uint64_t start)
{
	struct coherence_thread *t = &c->thread[thread];
	struct coherence_line *l = t->line;
	unsigned int core = c->topology->core[t->cpu];
	struct coherence_result r = { .outcome = outcome, .issued = t->clock };
	uint32_t latency = transfer_latency(c->topology, l, core, &r);

	latency = thread_jitter(t, latency, c->topology->machine->jitter_percent);
	r.completed = start + latency + coherence_cost(c->topology, t->op);
	r.waited = (uint32_t)(start - t->clock) + latency;
	line_take(l, core, t->op);
	if (outcome_occupies(outcome)) {
		l->busy = r.completed;
		l->held = r.completed + (c->hold ? thread_random(t, 2 * c->hold) : 0);
	}
	t->clock = r.completed;
	t->state = COHERENCE_NEXT;
	coherence_enter(c, thread, t->clock);
	c->done(c->context, thread, &r);
}

static void queue_join(struct coherence *c, unsigned int thread)
{
	struct coherence_thread *t = &c->thread[thread];
	struct coherence_line *l = t->line;
	uint64_t free = line_free(l);

	t->state = COHERENCE_QUEUED;
	t->queue_next = -1;
	if (l->first < 0) {
		l->first = l->last = (int16_t)thread;
		coherence_enter(c, thread, free > t->clock ? free : t->clock);
	} else {
		c->thread[l->last].queue_next = (int16_t)thread;
		l->last = (int16_t)thread;
		coherence_leave(c, thread);
	}
}

/* The head of the queue has acted; the next one is due when the line is free. */
static void queue_pop(struct coherence *c, struct coherence_line *l)
{
	l->first = c->thread[l->first].queue_next;
	if (l->first < 0)
		l->last = -1;
}

static void queue_schedule(struct coherence *c, const struct coherence_line *l)
{
	uint64_t free = line_free(l);

	if (l->first >= 0) {
		uint64_t clock = c->thread[l->first].clock;

		coherence_enter(c, (unsigned int)l->first, free > clock ? free : clock);
	}
}

static void event_ready(struct coherence *c, unsigned int thread)
{
	struct coherence_thread *t = &c->thread[thread];
	struct coherence_line *l = t->line;
	enum model_outcome o = line_outcome(l, c->topology->core[t->cpu], t->op);

	if (o == MODEL_HIT)
		access_complete(c, thread, o, t->clock);
	else if (!outcome_occupies(o)) /* clean copies are handed out side by side */
		access_complete(c, thread, o, t->clock > l->busy ? t->clock : l->busy);
	else if (l->first < 0 && line_free(l) <= t->clock)
		access_complete(c, thread, o, t->clock);
	else
		queue_join(c, thread);
}

static void event_queued(struct coherence *c, unsigned int thread)
{
	struct coherence_thread *t = &c->thread[thread];
	struct coherence_line *l = t->line;
	uint64_t start = t->key;

	if (line_free(l) > start) {
		coherence_enter(c, thread, line_free(l));
		return;
	}
	queue_pop(c, l);
	access_complete(c, thread, line_outcome(l, c->topology->core[t->cpu], t->op), start);
	queue_schedule(c, l);
}

bool coherence_step(struct coherence *c)
{
	unsigned int thread = (unsigned int)c->heap[0];
	struct coherence_thread *t = &c->thread[thread];
	enum coherence_next next;

	if (t->state == COHERENCE_NEXT) {
		next = c->next(c->context, thread);
		if (next == COHERENCE_NOTHING)
			return false;
		if (next == COHERENCE_ACCESS) {
			t->state = COHERENCE_READY;
			coherence_enter(c, thread, t->clock);
		}
		return true;
	}
	c->now = t->key;
	if (t->state == COHERENCE_READY)
		event_ready(c, thread);
	else
		event_queued(c, thread);
	return true;
}
