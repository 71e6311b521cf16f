// SPDX-License-Identifier: GPL-2.0-only
#include "stream.h"

#include "lock.h"
#include "replay.h"
#include "spin.h"

#include <string.h>

#define HORIZON_MS    20  /* a wait for the replays that saw no progress for so long is given up */
#define HORIZON_WAITS 5	  /* such waits in a row after which it goes without who is waited for */
#define HORIZON_FIRST 100 /* ... that has not run yet */
#define HORIZON_SLICE 64  /* instructions between two waits in vain */
#define RAMP_PART     16
#define CALM_PART     16	 /* of what it has run since it touched a contended line */
#define CALM_MOST     8		 /* quanta that a thread may lead by which only computes */
#define SPIN_SLICE    512	 /* instructions between two yields to the host of one that spins */
#define HELD_LEAD     (1u << 16) /* instructions that one who holds a lock may lead by */
#define SPIN_STEPS    256	 /* of a replay, that one who spins does for the others */
#define WAKE_SLICE    64	 /* instructions between a release and its wake, more or less */
#define YIELD_NEAR    4096	 /* instructions between two yields of a loop that waits */

/* ---- Records */

/* The thread's own time up to now becomes the record's. */
static void record_begin(struct model_thread *t, struct record *r, enum record_kind kind)
{
	uint64_t now = thread_time(t), own = now - t->recorded;

	/* An access's own instruction is charged by the replay. */
	own -= kind == RECORD_ACCESS && own;
	r->kind = (uint8_t)kind;
	r->cycles = own < UINT32_MAX ? (uint32_t)own : UINT32_MAX;
	t->recorded = now;
}

static struct record *record_reserve(struct model_thread *t)
{
	struct record *r = ring_reserve(&t->ring, &t->model->pool);

	if (!r) {
		r = &t->lost;
		memset(r, 0, sizeof(*r));
	}
	return r;
}

/* The load that was pending went on. */
static void stream_settle(struct model_thread *t)
{
	struct record *r;

	if (!t->is_pending)
		return;
	t->is_pending = false;
	r = record_reserve(t);
	*r = t->pending;
	stream_publish(t, r);
}

struct record *stream_append(struct model_thread *t, enum record_kind kind)
{
	struct record *r;

	stream_settle(t);
	r = record_reserve(t);
	record_begin(t, r, kind);
	return r;
}

void stream_publish(struct model_thread *t, struct record *r)
{
	if (r == &t->lost) {
		__atomic_fetch_add(&t->model->total.breaks, 1, __ATOMIC_RELAXED);
		return;
	}
	__atomic_store_n(&t->appended, t->appended + r->cycles, __ATOMIC_RELAXED);
	ring_publish(&t->ring);
}

static void stream_tick(struct model_thread *t)
{
	stream_publish(t, stream_append(t, RECORD_TICK));
}

/* The thread's time up to now is not modelled: it only waits. */
static void stream_forgive(struct model_thread *t)
{
	t->recorded = thread_time(t);
}

void stream_return(struct model_thread *t)
{
	struct record *r;

	if (!t->yielding && !t->absent)
		return;
	if (t->yielding)
		stream_forgive(t);
	r = stream_append(t, RECORD_RESUME);
	r->flags = RECORD_NOW;
	stream_publish(t, r);
	__atomic_store_n(&t->yielding, false, __ATOMIC_RELEASE);
	__atomic_store_n(&t->absent, false, __ATOMIC_RELEASE);
}

static void access_fill(struct record *r, const struct access *a, const struct look *look)
{
	r->site = a->site;
	r->value = a->value;
	r->line = a->index;
	r->was = look->was;
	r->need = look->need;
	r->op = (uint8_t)a->op;
	r->flags = look->flags | (a->known ? RECORD_VALUE : 0);
	r->lock = 0;
	r->offset = (uint8_t)(a->addr - a->line->addr);
	r->size = (uint8_t)a->size;
}

/* Of a run of loads in vain the last one stands for all, with the time before the first. */
static void access_pend(struct model_thread *t, const struct access *a, const struct look *look)
{
	uint32_t before = t->pending.cycles;
	bool again = look->again && t->is_pending;

	if (look->again)
		stream_forgive(t);
	if (again)
		t->is_pending = false;
	else
		stream_settle(t);
	stream_return(t);
	record_begin(t, &t->pending, RECORD_ACCESS);
	access_fill(&t->pending, a, look);
	t->pending.version = spin_version(t, a);
	if (again)
		t->pending.cycles = before;
	t->is_pending = true;
}

static void access_append(struct model_thread *t, const struct access *a, const struct look *look,
			  uint8_t lock)
{
	uint32_t version = spin_version(t, a);
	struct record *r;

	stream_return(t);
	r = stream_append(t, RECORD_ACCESS);
	access_fill(r, a, look);
	r->version = version;
	r->lock = lock;
	if (!version || a->op == MODEL_READ) {
		stream_publish(t, r);
		if (a->op != MODEL_READ)
			spin_probe(t, a);
		return;
	}
	r->flags |= RECORD_COUNTED;
	stream_publish(t, r);
	spin_show(t, a->index, version, a->known);
}

static void lock_return(struct model_thread *t, const struct held_lock *h)
{
	struct record *r = stream_append(t, RECORD_TICK);

	r->flags = RECORD_RELEASE;
	r->line = h->line;
	r->lock = h->lock;
	stream_publish(t, r);
}

static void locks_not_wanted(struct model_thread *t)
{
	for (unsigned int i = t->locks; i-- > 0;)
		if (lock_looked(t, i)) {
			lock_return(t, &t->held[i]);
			t->held[i] = t->held[--t->locks];
		}
}

static void access_contended(struct model_thread *t, const struct access *a)
{
	static const uint8_t flags[] = {
		[LOCK_ACQUIRE] = RECORD_ACQUIRE, [LOCK_RELEASE] = RECORD_RELEASE
	};
	enum lock_meaning meaning;
	struct look look;
	uint8_t lock = 0;

	meaning = lock_note(t, a, &lock);
	if (meaning == LOCK_ATTEMPT) {
		stream_settle(t);
		stream_forgive(t);
		return;
	}
	locks_not_wanted(t);
	if (meaning == LOCK_RELEASE)
		t->released = a->addr;
	spin_note(t, a, &look);
	if (meaning != LOCK_NOTHING) {
		spin_stop(t);
		look = (struct look){ .flags = flags[meaning] };
	}
	if (look.pends)
		access_pend(t, a, &look);
	else if (look.again)
		stream_forgive(t);
	else
		access_append(t, a, &look, lock);
}

/* It touches a contended line: the longer lead of thread_quantum() ends. */
static void thread_share(struct model_thread *t)
{
	uint64_t limit = t->fast.instructions + t->model->config.quantum;

	t->shared_at = t->fast.instructions;
	if (t->fast.limit > limit)
		t->fast.limit = limit;
}

static void access_part(struct model_thread *t, uint64_t addr, uint32_t size, enum model_op op,
			struct model_site *site, const void *value)
{
	struct model *m = t->model;
	struct access a = { .addr = addr, .size = size, .op = op, .site = site };

	if (shadow_note(&m->shadow, t->slot, addr, op, &a.index)) {
		if (op == MODEL_RMW)
			t->fast.stall += t->fast.locked;
		return;
	}
	if (!a.index) {
		model_miss(m, 1);
		return;
	}
	thread_share(t);
	a.line = &m->shadow.line[a.index];
	a.known = value != NULL;
	if (value)
		memcpy(&a.value, value, size < sizeof(a.value) ? size : sizeof(a.value));
	access_contended(t, &a);
}

void model_access_shared(struct model_thread *t, uint64_t addr, uint32_t size, enum model_op op,
			 struct model_site *site, const void *value)
{
	uint32_t line = 1u << t->fast.line_shift, part;

	if (__atomic_load_n(&t->model->closed, __ATOMIC_RELAXED))
		return;
	spin_show_late(t);
	for (; size; size -= part, addr += part) {
		part = line - (uint32_t)(addr & (line - 1));
		part = part < size ? part : size;
		access_part(t, addr, part, op, site, value);
		value = value ? (const char *)value + part : NULL;
	}
}

/* ---- The horizon: no thread leads the slowest replay by more than its quantum */

/*
 * A thread may be so much ahead. Little at its start: what it does to a line before the second
 * thread comes to it is not seen, and often they all begin with the lines that they share. More
 * while it touches no contended line: nobody can tell when it does what it does, and each stop of
 * all threads for each other costs more than thousands of their instructions.
 */
static uint64_t thread_quantum(const struct model_thread *t)
{
	uint64_t quantum = t->model->config.quantum, most = CALM_MOST * quantum;
	uint64_t ramp = STREAM_RAMP + t->fast.instructions / RAMP_PART;
	uint64_t calm = quantum + (t->fast.instructions - t->shared_at) / CALM_PART;

	if (ramp < quantum)
		return ramp;
	return calm < most ? calm : most;
}

static uint64_t thread_lead(const struct model_thread *t)
{
	uint64_t least = UINT64_MAX;

	for (int h = 0; h < MODEL_HOLDS; h++) {
		uint64_t done = t->model->replay[h].thread[t->slot].consumed;

		least = done < least ? done : least;
	}
	return __atomic_load_n(&t->appended, __ATOMIC_RELAXED) - least;
}

/*
 * A replay that has come to the end of this thread's records needs it, however far it leads the
 * others: clocks differ between replays. Who holds a lock or tries to take it, or spins, is never
 * stopped: others may be unable to go on before it does.
 */
static bool thread_must_wait(const struct model_thread *t)
{
	if (t->model->closed || t->locks || spin_lasts(t) || t->yielding)
		return false;
	for (int h = 0; h < MODEL_HOLDS; h++)
		if (t->model->replay[h].starved == (int)t->slot)
			return false;
	return thread_lead(t) >= thread_quantum(t);
}

static void thread_trim(struct model_thread *t)
{
	uint64_t least = UINT64_MAX;

	for (int h = 0; h < MODEL_HOLDS; h++) {
		uint64_t read = t->model->replay[h].thread[t->slot].cursor.read;

		least = read < least ? read : least;
	}
	ring_trim(&t->ring, &t->model->pool, least);
}

static void thread_nudge(struct model_thread *t)
{
	__atomic_fetch_add(&t->nudge, 1, __ATOMIC_RELEASE);
	gate_wake(&t->nudge);
}

static void replay_some(struct model *m, uint64_t steps)
{
	for (int h = 0; h < MODEL_HOLDS; h++)
		replay_run(&m->replay[h], steps);
	for (unsigned int i = 0; i < m->slots; i++)
		thread_trim(&m->thread[i]);
	for (unsigned int i = bitset_next(&m->waiting, 0); i < MODEL_CPUS;
	     i = bitset_next(&m->waiting, i + 1))
		if (!thread_must_wait(&m->thread[i])) {
			bitset_remove(&m->waiting, i);
			thread_nudge(&m->thread[i]);
		}
}

void stream_replay(struct model *m)
{
	replay_some(m, UINT64_MAX);
}

static uint64_t model_progress(const struct model *m)
{
	uint64_t sum = 0;

	for (int h = 0; h < MODEL_HOLDS; h++)
		sum += m->replay[h].consumed;
	return sum;
}

static bool model_force(struct model *m)
{
	bool forced = false;

	for (int h = 0; h < MODEL_HOLDS; h++)
		forced |= replay_force(&m->replay[h]);
	return forced;
}

/* Under the gate, which is left while asleep. False when nothing went on meanwhile. */
static bool horizon_sleep(struct model_thread *t)
{
	struct model *m = t->model;
	uint64_t before = model_progress(m);
	uint32_t nudge = __atomic_load_n(&t->nudge, __ATOMIC_RELAXED);
	bool woken;

	bitset_add(&m->waiting, t->slot);
	gate_unlock(&m->gate);
	woken = gate_sleep(&t->nudge, nudge, HORIZON_MS);
	gate_lock(&m->gate);
	bitset_remove(&m->waiting, t->slot);
	if (woken)
		return true;
	stream_replay(m);
	return model_progress(m) != before;
}

/*
 * Replays have waited long for threads that send nothing: they sleep in a call that is not
 * reported, or the host is very busy. They are left out until they send something again.
 */
static void starving_leave(struct model *m)
{
	for (int h = 0; h < MODEL_HOLDS; h++)
		if (m->replay[h].starved >= 0)
			m->thread[m->replay[h].starved].absent = true;
	stream_replay(m);
}

/* A thread that has not run yet sleeps nowhere: the host has not come to it. */
static unsigned int starving_patience(const struct model *m)
{
	for (int h = 0; h < MODEL_HOLDS; h++) {
		int starved = m->replay[h].starved;

		if (starved >= 0 && !m->thread[starved].fast.instructions)
			return HORIZON_FIRST;
	}
	return HORIZON_WAITS;
}

/*
 * After a wait in vain the thread goes on for a little before it waits again: whoever is waited for
 * may need it out of this call. (QEMU stops all threads between two blocks of code when it drops
 * what it has translated, as it does when a program makes its first thread.)
 */
static void horizon_wait(struct model_thread *t)
{
	struct model *m = t->model;

	while (thread_must_wait(t)) {
		if (horizon_sleep(t)) {
			t->fruitless = 0;
		} else if (model_force(m)) {
			stream_replay(m);
		} else if (thread_must_wait(t)) {
			if (++t->fruitless < starving_patience(m))
				return;
			m->total.breaks++;
			starving_leave(m);
			break;
		}
	}
	t->fruitless = 0;
}

void stream_unlock(struct model_thread *t)
{
	for (unsigned int i = 0; i < t->locks; i++)
		lock_return(t, &t->held[i]);
	__atomic_fetch_add(&t->model->total.abandoned, t->locks, __ATOMIC_RELAXED);
	t->locks = 0;
}

static bool thread_spins(const struct model_thread *t)
{
	return spin_lasts(t) || t->yielding || lock_attempting(t);
}

static void thread_limit(struct model_thread *t)
{
	uint64_t quantum = thread_quantum(t), lead = thread_lead(t);
	uint64_t more = lead < quantum * 3 / 4 ? quantum - lead : quantum / 4;

	/* It leads some replay by far and yet another one needs it: its clocks differ between them.
	 */
	if (lead >= quantum)
		more = quantum;
	/* Who spins soon gives its CPU to the others again: they may be fewer. */
	if (thread_spins(t))
		more = SPIN_SLICE;
	if (t->fruitless)
		more = HORIZON_SLICE;

	t->fast.limit = t->fast.instructions + (more ? more : 1);
}

/*
 * Who holds a lock, or has just tried to take one, does not stop even for the gate, but at its
 * first access after the release: it could come to sleep with the lock held each time, and whoever
 * spins on the lock would never find it free. In long sections it has to.
 */
static bool pause_later(struct model_thread *t)
{
	if (!t->locks || lock_failed(t) || thread_lead(t) > HELD_LEAD)
		return false;
	t->fast.limit = t->fast.instructions + 1;
	return true;
}

/*
 * Under the gate: a thread that sleeps for the lock just given back has its place in the replays,
 * which wait for it, and it for the wake. Who would stop now would stop for itself.
 */
static bool wake_owed(const struct model_thread *t)
{
	for (unsigned int i = 0; t->released && i < t->model->slots; i++) {
		const struct model_thread *o = &t->model->thread[i];

		if (o->alive && o->in_call && !o->blocked && !o->woken && o->key == t->released)
			return true;
	}
	return false;
}

void model_pause(struct model_thread *t)
{
	struct model *m = t->model;
	bool spins;

	if (__atomic_load_n(&m->closed, __ATOMIC_RELAXED)) {
		t->fast.limit = UINT64_MAX;
		return;
	}
	if (pause_later(t))
		return;
	/* Taken so long ago that their release must have been missed. */
	if (t->locks && t->fast.instructions - t->lock_since >= LOCK_LONG)
		stream_unlock(t);
	if (t->absent || (t->yielding && t->fast.instructions - t->yield_at > YIELD_NEAR))
		stream_return(t);
	spins = thread_spins(t);
	if (spins) {
		stream_forgive(t);
		gate_yield();
	} else {
		stream_tick(t);
	}
	gate_lock(&m->gate);
	/*
	 * The replays do not wait for one who spins: as long as the others send records they would
	 * never end, and it would never see what it spins for.
	 */
	replay_some(m, spins ? SPIN_STEPS : UINT64_MAX);
	if (wake_owed(t)) {
		t->fast.limit = t->fast.instructions + WAKE_SLICE;
	} else {
		t->released = 0;
		horizon_wait(t);
		thread_limit(t);
	}
	gate_unlock(&m->gate);
}

void model_yield(struct model_thread *t)
{
	struct model *m = t->model;
	bool again = t->fast.instructions - t->yield_at <= YIELD_NEAR &&
		     t->ring.written == t->yield_written;

	t->yielded = true;
	t->yield_at = t->fast.instructions;
	t->yield_written = t->ring.written;
	if (again || t->spinning || lock_attempting(t))
		stream_forgive(t);
	if (!again || __atomic_load_n(&m->closed, __ATOMIC_RELAXED))
		return;
	gate_lock(&m->gate);
	/* It waits for something that the model does not see: the others need not wait for it. */
	if (!t->spinning && !t->locks) {
		stream_settle(t);
		t->yielding = true;
	}
	replay_some(m, SPIN_STEPS);
	gate_unlock(&m->gate);
}

/* ---- Blocking */

void model_wait(struct model_thread *t, uint64_t key)
{
	struct model *m = t->model;

	if (__atomic_load_n(&m->closed, __ATOMIC_RELAXED))
		return;
	stream_return(t);
	stream_settle(t);
	/* Who sleeps for a lock is governed by the lock: its section will come. */
	if (key && lock_attempting_at(t, key)) {
		stream_forgive(t);
		gate_lock(&m->gate);
	} else {
		stream_tick(t);
		if (key)
			spin_expect(t, key);
		gate_lock(&m->gate);
		t->blocked = true;
		t->order = ++m->waits;
	}
	t->in_call = true;
	t->woken = false;
	t->key = key;
	stream_replay(m);
	gate_unlock(&m->gate);
}

static void resume_append(struct model_thread *t, uint64_t wake)
{
	struct record *r;

	stream_forgive(t);
	r = stream_append(t, RECORD_RESUME);
	r->value = wake;
	r->flags = wake ? 0 : RECORD_NOW;
	stream_publish(t, r);
	t->blocked = false;
	t->wake = wake;
}

static struct model_thread *first_waiter(struct model *m, uint64_t key)
{
	struct model_thread *best = NULL;

	for (unsigned int i = 0; i < m->slots; i++) {
		struct model_thread *t = &m->thread[i];

		if (t->alive && t->blocked && t->key == key && (!best || t->order < best->order))
			best = t;
	}
	return best;
}

/* The waker makes its wakees count again: there is no moment in which neither holds the others
 * back. */
void model_wake(struct model_thread *t, uint64_t key, uint32_t n)
{
	struct model *m = t->model;
	struct model_thread *w;
	struct record *r;
	uint64_t wake;

	if (__atomic_load_n(&m->closed, __ATOMIC_RELAXED))
		return;
	stream_return(t);
	gate_lock(&m->gate);
	if (t->released == key)
		t->released = 0;
	wake = ++m->wakes;
	for (; n && key && (w = first_waiter(m, key)); n--) {
		resume_append(w, wake);
		w->woken = true;
	}
	r = stream_append(t, RECORD_WAKE);
	r->value = wake;
	stream_publish(t, r);
	gate_unlock(&m->gate);
}

/* The kernel woke this one instead of another that was thought to be: that one waits on. */
static uint64_t wake_swap(struct model *m, struct model_thread *t)
{
	for (unsigned int i = 0; i < m->slots; i++) {
		struct model_thread *o = &m->thread[i];

		if (o != t && o->alive && o->in_call && o->woken && o->key == t->key) {
			o->woken = false;
			o->blocked = true;
			return o->wake;
		}
	}
	return 0;
}

void model_resume(struct model_thread *t, bool woken)
{
	struct model *m = t->model;

	if (__atomic_load_n(&m->closed, __ATOMIC_RELAXED))
		return;
	gate_lock(&m->gate);
	if (t->blocked)
		resume_append(t, woken && t->key ? wake_swap(m, t) : 0);
	else
		stream_forgive(t);
	t->in_call = t->woken = false;
	stream_replay(m);
	gate_unlock(&m->gate);
}
