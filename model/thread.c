// SPDX-License-Identifier: GPL-2.0-only
/* Threads: their places, their lives as the replays reach them, their beginning and end. */
#include "replay.h"
#include "spin.h"
#include "stream.h"

#include <string.h>

/* Index of a life, 0 when replays lag so far behind that there is none free. */
static uint32_t life_open(struct model *m, uint32_t tid)
{
	uint32_t index = m->life_free;

	if (index)
		m->life_free = m->life[index].left;
	else if (m->lives < LIVES)
		index = m->lives++;
	else
		return 0;
	memset(&m->life[index], 0, sizeof(m->life[index]));
	m->life[index].total.tid = tid;
	m->life[index].left = MODEL_HOLDS;
	m->life[index].open = true;
	return index;
}

static void thread_init(struct model *m, struct model_thread *t, uint32_t tid, uint32_t life)
{
	uint64_t appended = t->appended;
	struct ring ring = t->ring;
	uint32_t nudge = t->nudge;

	memset(t, 0, sizeof(*t));
	t->model = m;
	t->slot = (unsigned int)(t - m->thread);
	t->ring = ring;
	t->appended = appended;
	t->nudge = nudge;
	t->tid = tid;
	t->life = life;
	t->fast = (struct model_fast){ .shadow = m->shadow.word,
				       .shadow_mask = m->shadow.mask,
				       .mine = (t->slot + 1) | MODEL_WRITTEN,
				       .line_shift = m->shadow.line_shift,
				       .locked = m->config.machine.locked };
	t->fast.limit = m->config.quantum < STREAM_RAMP ? m->config.quantum : STREAM_RAMP;
}

/* The lowest place that no living thread has; NULL when there is none. */
static struct model_thread *slot_take(struct model *m)
{
	unsigned int i = 0;
	struct model_thread *t;

	while (i < MODEL_THREADS && m->thread[i].alive)
		i++;
	if (i == MODEL_THREADS)
		return NULL;
	t = &m->thread[i];
	if (i < m->slots)
		return t;
	if (!ring_init(&t->ring, &m->pool))
		return NULL;
	t->slot = i;
	t->model = m;
	m->slots = i + 1;
	for (int h = 0; h < MODEL_HOLDS; h++)
		replay_join(&m->replay[h], i);
	return t;
}

static void thread_begin(struct model_thread *t, struct model_thread *parent)
{
	struct model *m = t->model;
	uint64_t wake = parent ? ++m->wakes : 0;
	struct record *r;

	if (parent) {
		r = stream_append(parent, RECORD_WAKE);
		r->value = wake;
		stream_publish(parent, r);
	}
	r = stream_append(t, RECORD_START);
	r->value = wake;
	r->line = t->life;
	stream_publish(t, r);
	t->alive = true;
	m->alive++;
	m->total.threads++;
	if (m->total.most_threads < m->alive)
		m->total.most_threads = m->alive;
}

struct model_thread *model_thread_start(struct model *m, struct model_thread *parent, uint32_t tid)
{
	struct model_thread *t;
	uint32_t life = 0;

	if (__atomic_load_n(&m->closed, __ATOMIC_RELAXED))
		return NULL;
	if (parent)
		stream_return(parent);
	gate_lock(&m->gate);
	stream_replay(m);
	t = slot_take(m);
	if (t)
		life = life_open(m, tid);
	if (life) {
		thread_init(m, t, tid, life);
		thread_begin(t, parent);
	}
	gate_unlock(&m->gate);
	return life ? t : NULL;
}

static void life_count(struct model_thread *t)
{
	struct life *l = &t->model->life[t->life];

	l->total.instructions = t->fast.instructions;
	l->total.accesses = t->fast.accesses;
	t->model->total.instructions += t->fast.instructions;
	t->model->total.accesses += t->fast.accesses;
}

/* Locks that the thread still seems to hold are given back: nobody else could. */
void stream_stop(struct model_thread *t)
{
	stream_unlock(t);
	life_count(t);
	stream_publish(t, stream_append(t, RECORD_END));
	spin_stop(t);
	t->alive = t->blocked = t->yielding = false;
	t->model->alive--;
}

void model_thread_end(struct model_thread *t)
{
	struct model *m = t->model;

	if (__atomic_load_n(&m->closed, __ATOMIC_RELAXED))
		return;
	stream_return(t);
	gate_lock(&m->gate);
	stream_stop(t);
	stream_replay(m);
	gate_unlock(&m->gate);
}

void model_miss(struct model *m, uint64_t accesses)
{
	__atomic_fetch_add(&m->total.unplaced, accesses, __ATOMIC_RELAXED);
}
