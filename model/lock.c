// SPDX-License-Identifier: GPL-2.0-only
#include "lock.h"

#include "replay.h"
#include "spin.h"

#include <string.h>

/* A word that rises at so many attempts in a row of one thread is a counter, not a lock. */
#define LOCK_RISES 64

/* ---- Recognition, on the thread's side */

static struct lock_word *word_find(struct sync *y, uint64_t addr, uint8_t *lock)
{
	uint32_t n = __atomic_load_n(&y->locks, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (y->word[i].addr == addr || y->word[i].serving == addr) {
			*lock = (uint8_t)i;
			return &y->word[i];
		}
	return NULL;
}

/* NULL when the line has too many. */
static struct lock_word *word_make(struct model *m, struct sync *y, uint64_t addr, uint8_t *lock)
{
	struct lock_word *w;

	gate_lock(&m->shadow.gate);
	w = word_find(y, addr, lock);
	if (!w && y->locks < LINE_LOCKS) {
		*lock = (uint8_t)y->locks;
		w = &y->word[y->locks];
		w->addr = addr;
		__atomic_store_n(&y->locks, y->locks + 1, __ATOMIC_RELEASE);
	}
	gate_unlock(&m->shadow.gate);
	return w;
}

static void site_count(struct model_site *site, uint64_t value)
{
	__atomic_fetch_add(value ? &site->others : &site->zeroes, 1, __ATOMIC_RELAXED);
}

/* More often than not the word is 0 after it. */
static bool site_releases(const struct model_site *site)
{
	return __atomic_load_n(&site->zeroes, __ATOMIC_RELAXED) >
	       __atomic_load_n(&site->others, __ATOMIC_RELAXED);
}

static struct held_lock *held_find(struct model_thread *t, uint32_t line, uint8_t lock)
{
	for (unsigned int i = 0; i < t->locks; i++)
		if (t->held[i].line == line && t->held[i].lock == lock)
			return &t->held[i];
	return NULL;
}

static void held_drop(struct model_thread *t, struct held_lock *h)
{
	*h = t->held[--t->locks];
}

static enum lock_meaning held_take(struct model_thread *t, const struct access *a, uint8_t lock)
{
	if (t->locks == LOCKS_HELD)
		return LOCK_NOTHING;
	t->held[t->locks++] = (struct held_lock){
		.line = a->index,
		.lock = lock,
		.attempting = true,
		.looked = a->op == MODEL_READ,
		.addr = a->addr,
		.value = a->value,
	};
	t->lock_since = t->fast.instructions;
	return LOCK_ACQUIRE;
}

/* Anything that is not an attempt: the locks tried before are now held. */
static void held_settle(struct model_thread *t)
{
	for (unsigned int i = 0; i < t->locks; i++)
		t->held[i].attempting = t->held[i].again = false;
}

bool lock_attempting(const struct model_thread *t)
{
	return t->locks && t->held[t->locks - 1].attempting;
}

bool lock_failed(const struct model_thread *t)
{
	return lock_attempting(t) && t->held[t->locks - 1].again;
}

bool lock_attempting_at(const struct model_thread *t, uint64_t addr)
{
	return lock_attempting(t) && t->held[t->locks - 1].addr == addr;
}

/* The word was a lock once; it is given up with all that the thread seems to hold. */
static bool attempt_counts(struct lock_word *w, struct held_lock *h, const struct access *a)
{
	if (a->op == MODEL_READ || !a->known)
		return false;
	h->rises = a->value > h->value ? h->rises + 1 : 0;
	h->value = a->value;
	if (h->rises >= LOCK_RISES)
		w->good = false;
	return h->rises >= LOCK_RISES;
}

/* It only waited until the lock was free. */
bool lock_looked(const struct model_thread *t, unsigned int i)
{
	return t->held[i].looked && !t->held[i].attempting;
}

static enum lock_meaning attempt_again(struct model_thread *t, struct lock_word *w,
				       struct held_lock *h, const struct access *a)
{
	if (a->op == MODEL_READ)
		__atomic_store_n(&w->spin, a->site, __ATOMIC_RELAXED);
	h->attempting = h->again = true;
	h->looked &= a->op == MODEL_READ;
	t->lock_since = t->fast.instructions;
	if (attempt_counts(w, h, a)) {
		t->lock_since -= LOCK_LONG;
		t->fast.limit = t->fast.instructions;
	}
	return LOCK_ATTEMPT;
}

/*
 * The thread spins on a lock that it has not tried to take, or not since that is known to be one:
 * its place is that of one who waits for the lock, however long the host lets it spin.
 */
static bool attempt_looks(const struct model_thread *t, const struct lock_word *w,
			  const struct access *a)
{
	return w->good && spin_repeats(t, a);
}

static enum lock_meaning test_and_set_note(struct model_thread *t, struct lock_word *w,
					   const struct access *a, uint8_t lock)
{
	struct held_lock *h = held_find(t, a->index, lock);
	bool release;

	if (a->op == MODEL_READ && !h)
		return attempt_looks(t, w, a) ? held_take(t, a, lock) : LOCK_NOTHING;
	if (a->op == MODEL_READ)
		return h->attempting ? attempt_again(t, w, h, a) : LOCK_NOTHING;
	if (a->known)
		site_count(a->site, a->value);
	release = a->known && site_releases(a->site);
	if (!release && a->op == MODEL_RMW && a->site->may_lock) {
		if (h)
			return attempt_again(t, w, h, a);
		if (w->good)
			return held_take(t, a, lock);
		t->candidate = a->addr;
	} else if (release && h) {
		held_drop(t, h);
		return LOCK_RELEASE;
	} else if (release && t->candidate == a->addr) {
		w->good = true;
	}
	return LOCK_NOTHING;
}

/*
 * While the ticket is not served the reads of "serving" are attempts; so is the one that finds it
 * served, which the replay makes itself when the lock is handed over.
 */
static enum lock_meaning ticket_note(struct model_thread *t, struct lock_word *w,
				     const struct access *a, uint8_t lock)
{
	struct held_lock *h = held_find(t, a->index, lock);

	if (a->addr == w->addr)
		return !h && a->op == MODEL_RMW && a->site->fetch_add ? held_take(t, a, lock)
								      : LOCK_NOTHING;
	if (!h)
		return LOCK_NOTHING;
	if (a->op == MODEL_READ)
		return h->attempting ? attempt_again(t, w, h, a) : LOCK_NOTHING;
	held_drop(t, h);
	return LOCK_RELEASE;
}

static uint64_t ticket_mask(uint32_t size)
{
	return size >= 8 ? ~0ULL : (1ULL << size * 8) - 1;
}

static void ticket_draw(struct model_thread *t, const struct access *a)
{
	t->ticket = (struct ticket){ .addr = a->addr,
				     .number = (a->value - 1) & ticket_mask(a->size),
				     .line = a->index,
				     .size = a->size };
}

/* Follows a number that may be a ticket; makes the lock word when it was one. */
static void ticket_learn(struct model_thread *t, struct sync *y, const struct access *a)
{
	struct ticket *k = &t->ticket;
	struct lock_word *w;
	uint8_t lock;

	if (a->op == MODEL_RMW && a->site->fetch_add && a->addr != k->served)
		ticket_draw(t, a);
	if (k->line != a->index || k->addr == a->addr || k->size != a->size)
		return;
	if (a->op == MODEL_READ) {
		if (a->value == k->number)
			k->served = a->addr;
	} else if (k->served == a->addr && a->value == ((k->number + 1) & ticket_mask(a->size))) {
		w = word_make(t->model, y, k->addr, &lock);
		k->served = 0;
		if (!w || w->good)
			return;
		w->serving = a->addr;
		w->fifo = w->good = true;
	}
}

enum lock_meaning lock_note(struct model_thread *t, const struct access *a, uint8_t *lock)
{
	struct sync *y = shadow_sync_get(&t->model->shadow, a->line);
	enum lock_meaning meaning = LOCK_NOTHING;
	bool may_lock = a->op == MODEL_RMW && a->site->may_lock;
	struct lock_word *w;

	if (!y && (may_lock || (a->op == MODEL_RMW && a->site->fetch_add)))
		y = shadow_sync(&t->model->shadow, a->line);
	if (y) {
		w = word_find(y, a->addr, lock);
		if (!w && may_lock)
			w = word_make(t->model, y, a->addr, lock);
		if (w)
			meaning = w->fifo ? ticket_note(t, w, a, *lock)
					  : test_and_set_note(t, w, a, *lock);
		if (a->known && meaning == LOCK_NOTHING)
			ticket_learn(t, y, a);
	}
	if (meaning == LOCK_NOTHING || meaning == LOCK_RELEASE)
		held_settle(t);
	else if (meaning == LOCK_ACQUIRE) /* the outer locks are held for sure */
		for (unsigned int i = 0; i + 1 < t->locks; i++)
			t->held[i].attempting = false;
	return meaning;
}

/* ---- Enforcement, at the replay */

static struct lock_replay *lock_of(struct replay *r, const struct record *record,
				   struct lock_word **word)
{
	struct shadow *s = &r->model->shadow;
	struct sync *y = shadow_sync_get(s, &s->line[record->line]);

	*word = &y->word[record->lock];
	return &y->replay[r->hold].lock[record->lock];
}

/* The lock is another's: one failed attempt is made, then the thread waits for the release. */
static enum coherence_next lock_refuse(struct replay *r, unsigned int thread, struct lock_replay *k)
{
	struct replay_thread *x = &r->thread[thread];

	if (x->phase == PHASE_FRESH) {
		x->phase = PHASE_TRIED;
		x->extra = true;
		return COHERENCE_ACCESS;
	}
	x->phase = PHASE_WAITED;
	bitset_add(&k->waiters, thread);
	replay_park(r, thread, PARK_LOCK);
	return COHERENCE_AGAIN;
}

enum coherence_next lock_enter(struct replay *r, unsigned int thread, const struct record *record)
{
	struct replay_thread *x = &r->thread[thread];
	struct lock_word *word;
	struct lock_replay *k = lock_of(r, record, &word);

	if (k->holder >= 0 && k->holder != (int)thread)
		return lock_refuse(r, thread, k);
	if (x->phase == PHASE_WAITED) { /* the spinning read that sees the release */
		x->phase = PHASE_SEEN;
		x->extra = true;
		r->coherence.thread[thread].op = MODEL_READ;
		return COHERENCE_ACCESS;
	}
	if (r->coherence.thread[thread].clock < k->released) {
		replay_delay(r, thread, k->released);
		return COHERENCE_AGAIN;
	}
	k->holder = (int16_t)thread;
	if (x->phase == PHASE_SEEN && word->fifo) { /* its ticket was drawn before it waited */
		replay_finish(r, thread, record, r->coherence.thread[thread].clock);
		return COHERENCE_AGAIN;
	}
	return COHERENCE_ACCESS;
}

/* Of the waiters, the one that came first. */
static int lock_first_waiter(struct replay *r, const struct lock_replay *k)
{
	const struct coherence_thread *t = r->coherence.thread;
	int best = -1;

	for (unsigned int i = bitset_next(&k->waiters, 0); i < MODEL_CPUS;
	     i = bitset_next(&k->waiters, i + 1))
		if (best < 0 || t[i].clock < t[best].clock)
			best = (int)i;
	return best;
}

/*
 * A lock that is waited for is handed over in order of arrival. Machines are less fair than that to
 * test-and-set locks, by how much nobody has published: the other extreme, in which the thread that
 * released is back before the waiter has seen it, starves waiters altogether.
 */
void lock_leave(struct replay *r, unsigned int thread, const struct record *record, uint64_t cycles)
{
	struct lock_word *word;
	struct lock_replay *k = lock_of(r, record, &word);
	int waiter;

	if (k->holder != (int)thread)
		return;
	k->holder = -1;
	k->released = cycles;
	waiter = lock_first_waiter(r, k);
	if (waiter < 0)
		return;
	bitset_remove(&k->waiters, (unsigned int)waiter);
	k->holder = (int16_t)waiter;
	replay_unpark(r, (unsigned int)waiter, cycles);
}

void lock_force(struct replay *r, unsigned int thread, const struct record *record)
{
	struct lock_word *word;
	struct lock_replay *k = lock_of(r, record, &word);

	bitset_remove(&k->waiters, thread);
	k->holder = (int16_t)thread;
}

void lock_tell(struct replay *r, struct record *record)
{
	struct lock_word *word;
	struct model_site *spin;

	lock_of(r, record, &word);
	spin = __atomic_load_n(&word->spin, __ATOMIC_RELAXED);
	if (spin)
		record->site = spin;
	if (word->fifo)
		record->offset =
			(uint8_t)(word->serving - r->model->shadow.line[record->line].addr);
}
