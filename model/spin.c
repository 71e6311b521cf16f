// SPDX-License-Identifier: GPL-2.0-only
#include "spin.h"

#include "replay.h"

/* A loop that waits does nothing else: no other access and few instructions between its loads, or a
 * yield. A loop that works while it polls is not a spin, and its time counts. */
#define SPIN_NEAR	64
#define SPIN_YIELD_NEAR 4096
/* A load that spins less often than once in so many passes seldom waits. */
#define SPIN_RARE 8
/*
 * A load that repeats itself may be a spin or a loop that reads one word for its own ends. It is a
 * spin when such runs end by a change, or when the word is a lock; until a load has shown that, and
 * unless it yields in between, its runs are what they seem, for a while.
 */
#define SPIN_PROOF  2
#define SPIN_LONG   (1u << 18) /* repeats of a run that is no loop any more */
#define SHOW_YIELDS 16	       /* of the host's CPU, that a writer grants those who spin */

/* ---- Thread's side */

static bool spin_near(const struct model_thread *t)
{
	uint64_t since = t->fast.instructions - t->spin.instructions;

	if (t->yielded)
		return since <= SPIN_YIELD_NEAR;
	return since <= SPIN_NEAR && t->fast.accesses == t->spin.accesses + 1;
}

static bool spin_repeats(const struct model_thread *t, const struct access *a, uint32_t versions)
{
	const struct spin *s = &t->spin;

	if (a->op != MODEL_READ || s->site != a->site || s->addr != a->addr || !spin_near(t))
		return false;
	return s->known && a->known ? s->value == a->value : s->versions == versions;
}

static bool word_is_lock(const struct sync *y, uint64_t addr)
{
	uint32_t n = y ? __atomic_load_n(&y->locks, __ATOMIC_ACQUIRE) : 0;

	for (uint32_t i = 0; i < n; i++)
		if (y->word[i].good && y->word[i].addr == addr)
			return true;
	return false;
}

static bool spin_proven(const struct model_thread *t, const struct model_site *site,
			const struct sync *y, uint64_t addr)
{
	uint32_t ends = __atomic_load_n(&site->ends, __ATOMIC_RELAXED);

	return t->spinning || t->yielded || t->spin.repeats >= SPIN_LONG || word_is_lock(y, addr) ||
	       (ends >= SPIN_PROOF && ends > 2 * __atomic_load_n(&site->drifts, __ATOMIC_RELAXED));
}

/* What the access "a", which repeats nothing, tells of the run before it. */
static bool spin_judge(struct model_thread *t, const struct access *a)
{
	struct spin *s = &t->spin;
	bool same = s->site && a->op == MODEL_READ && s->site == a->site && s->addr == a->addr;

	if (!s->site || (!s->changed && !s->repeats))
		return false;
	if (!same)
		__atomic_fetch_add(s->changed ? &s->site->ends : &s->site->drifts, 1,
				   __ATOMIC_RELAXED);
	return same && s->repeats;
}

static void spin_begin(struct model_thread *t, const struct access *a, struct sync *y)
{
	if (!y)
		y = shadow_sync(&t->model->shadow, a->line);
	if (!y)
		return;
	__atomic_fetch_add(&a->site->spins, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&y->spun, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&y->looking, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&t->passed, t->spin.versions, __ATOMIC_RELAXED);
	__atomic_store_n(&t->spinning, a->index, __ATOMIC_RELEASE);
}

void spin_stop(struct model_thread *t)
{
	struct shadow *s = &t->model->shadow;

	if (!t->spinning)
		return;
	__atomic_fetch_sub(&shadow_sync_get(s, &s->line[t->spinning])->looking, 1,
			   __ATOMIC_RELAXED);
	__atomic_store_n(&t->spinning, 0, __ATOMIC_RELEASE);
}

static void spin_remember(struct model_thread *t, const struct access *a, uint32_t versions)
{
	t->spin = (struct spin){ .site = a->op == MODEL_READ ? a->site : NULL,
				 .addr = a->addr,
				 .value = a->value,
				 .known = a->known,
				 .versions = versions,
				 .instructions = t->fast.instructions,
				 .accesses = t->fast.accesses };
	t->yielded = false;
}

/*
 * A change since the thread's last look at the word. Within a lock's section changes are no news:
 * the replay may have the sections in another order.
 */
static void seen_note(struct model_thread *t, const struct access *a, uint8_t *changed,
		      uint32_t *was)
{
	struct seen *s = &t->seen[a->addr / 8 % SEEN_WORDS];

	if (!*changed && a->op == MODEL_READ && s->addr == a->addr && s->value != a->value &&
	    !t->locks) {
		*changed = RECORD_CHANGED;
		*was = (uint32_t)s->value;
	}
	if (s->addr != a->addr)
		*s = (struct seen){ .addr = a->addr };
	s->value = a->value;
}

/* The change that ended a spin was not the one waited for: its value mattered. */
static void spin_learn(struct model_thread *t, const struct access *a)
{
	if (t->spin.ended && t->spin.site == a->site && t->spin.addr == a->addr && spin_near(t))
		a->site->counts = 1;
}

bool spin_note(struct model_thread *t, const struct access *a, uint8_t *changed, uint32_t *was)
{
	struct sync *y = shadow_sync_get(&t->model->shadow, a->line);
	uint32_t versions = y ? __atomic_load_n(&y->versions, __ATOMIC_ACQUIRE) : 0;
	bool ends = t->spinning && a->op == MODEL_READ && a->addr == t->spin.addr;
	uint32_t repeats = t->spin.repeats + 1;
	bool over;

	*changed = 0;
	*was = (uint32_t)t->spin.value;
	spin_learn(t, a);
	if (spin_repeats(t, a, versions)) {
		if (!spin_proven(t, a->site, y, a->addr)) {
			spin_remember(t, a, versions);
			t->spin.repeats = repeats;
			return false;
		}
		/* The load came after the writes that were counted when the one before it returned.
		 */
		if (t->spinning)
			__atomic_store_n(&t->passed, t->spin.versions, __ATOMIC_RELEASE);
		else
			spin_begin(t, a, y);
		spin_remember(t, a, versions);
		t->spin.repeats = repeats;
		return true;
	}
	over = spin_judge(t, a);
	spin_stop(t);
	if (ends)
		*changed = RECORD_CHANGED | (a->site->counts ? RECORD_SPUN : 0);
	if (y && y->spun && a->known)
		seen_note(t, a, changed, was);
	spin_remember(t, a, versions);
	t->spin.ended = ends;
	t->spin.changed = over;
	return false;
}

uint32_t spin_need(struct model_thread *t, const struct access *a)
{
	struct sync *y = shadow_sync_get(&t->model->shadow, a->line);
	struct seen *s = &t->seen[a->addr / 8 % SEEN_WORDS];
	uint32_t versions;
	int32_t ahead;

	if (!y || !y->spun || !a->known || a->op != MODEL_READ || t->locks || !a->site->spins)
		return 0;
	__atomic_fetch_add(&a->site->passes, 1, __ATOMIC_RELAXED);
	versions = __atomic_load_n(&y->versions, __ATOMIC_ACQUIRE);
	if (!s->passes)
		s->base = versions;
	ahead = (int32_t)(++s->passes - (versions - s->base));
	s->credit = ahead > s->credit ? ahead : s->credit;
	if (a->site->passes / SPIN_RARE > a->site->spins)
		return 0;
	return s->base + s->passes - (uint32_t)s->credit;
}

void spin_expect(struct model_thread *t, uint64_t addr)
{
	struct shadow *s = &t->model->shadow;
	uint32_t index = shadow_find(s, addr);
	struct sync *y = index ? shadow_sync(s, &s->line[index]) : NULL;

	if (y)
		__atomic_store_n(&y->spun, 1, __ATOMIC_RELAXED);
}

uint32_t spin_version(struct model_thread *t, const struct access *a)
{
	struct sync *y = shadow_sync_get(&t->model->shadow, a->line);

	if (!y || !__atomic_load_n(&y->spun, __ATOMIC_RELAXED))
		return 0;
	if (a->op == MODEL_READ)
		return __atomic_load_n(&y->versions, __ATOMIC_ACQUIRE);
	return __atomic_add_fetch(&y->versions, 1, __ATOMIC_ACQ_REL);
}

static bool spin_unseen(struct model *m, uint32_t index, uint32_t version)
{
	for (unsigned int i = 0; i < m->slots; i++) {
		const struct model_thread *o = &m->thread[i];

		if (__atomic_load_n(&o->spinning, __ATOMIC_ACQUIRE) == index &&
		    (int32_t)(__atomic_load_n(&o->passed, __ATOMIC_ACQUIRE) - version) < 0)
			return true;
	}
	return false;
}

static void spin_wait_seen(struct model_thread *t, uint32_t index, uint32_t version)
{
	struct shadow *s = &t->model->shadow;
	struct sync *y = shadow_sync_get(s, &s->line[index]);

	if (t->locks || !__atomic_load_n(&y->looking, __ATOMIC_RELAXED))
		return;
	for (int i = 0; i < SHOW_YIELDS && spin_unseen(t->model, index, version); i++)
		gate_yield();
}

void spin_show(struct model_thread *t, uint32_t index, uint32_t version, bool done)
{
	if (done) {
		spin_wait_seen(t, index, version);
		return;
	}
	t->show_line = index;
	t->show_version = version;
}

void spin_show_late(struct model_thread *t)
{
	uint32_t index = t->show_line;

	t->show_line = 0;
	if (index)
		spin_wait_seen(t, index, t->show_version);
}

/* ---- Replay's side */

static struct sync *sync_at(struct replay *r, uint32_t line)
{
	struct shadow *s = &r->model->shadow;

	return shadow_sync_get(s, &s->line[line]);
}

/* Numbers of writes wrap: "a" is not before "b". */
static bool version_reached(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) >= 0;
}

static void spinner_add(struct replay *r, unsigned int thread, uint32_t line)
{
	bitset_add(&sync_at(r, line)->replay[r->hold].spinners, thread);
	r->thread[thread].spin_line = line;
	replay_park(r, thread, PARK_SPIN);
}

bool spin_park(struct replay *r, unsigned int thread)
{
	struct model_thread *t = &r->model->thread[thread];
	uint32_t line = __atomic_load_n(&t->spinning, __ATOMIC_ACQUIRE);
	uint32_t passed = __atomic_load_n(&t->passed, __ATOMIC_ACQUIRE);
	struct sync *y = line ? sync_at(r, line) : NULL;

	if (!y || !version_reached(passed, y->replay[r->hold].latest))
		return false;
	/* Looked at last: a record since then belongs to the end of this spin. */
	if (ring_unread(&t->ring, &r->thread[thread].cursor))
		return false;
	spinner_add(r, thread, line);
	return true;
}

/*
 * When all writes that the reader may have seen are done, it may go on. It may before, if the
 * word's latest values, newest first, say that it is no longer the one before the change. Most
 * readers are content with any change: had the reader been slower on the host, or the writer
 * faster, it would have seen a later value, and gone on all the same. Where a spin was seen to go
 * on after a change (a count that has to reach some number) the very value is needed.
 */
static bool spin_ended(const struct sync_replay *p, const struct record *record)
{
	uint32_t n = p->past < LINE_PAST ? p->past : LINE_PAST;
	bool any = !(record->flags & RECORD_SPUN);

	if (version_reached(p->versions, record->version))
		return true;
	for (uint32_t i = 1; i <= n && record->flags & RECORD_VALUE; i++) {
		uint32_t at = (p->past - i) % LINE_PAST;

		if (p->past_offset[at] != record->offset)
			continue;
		if (p->past_value[at] == record->was)
			return false;
		if (any || p->past_value[at] == (uint32_t)record->value)
			return true;
	}
	return false;
}

bool spin_may_end(struct replay *r, unsigned int thread, const struct record *record)
{
	struct sync *y = sync_at(r, record->line);

	const struct sync_replay *p;

	if (!y || r->thread[thread].forced)
		return true;
	p = &y->replay[r->hold];
	if ((!record->need || version_reached(p->versions, record->need)) &&
	    (!(record->flags & RECORD_CHANGED) || spin_ended(p, record)))
		return true;
	spinner_add(r, thread, record->line);
	return false;
}

static void past_add(struct sync_replay *p, const struct record *record)
{
	p->past_value[p->past % LINE_PAST] = (uint32_t)record->value;
	p->past_offset[p->past % LINE_PAST] = record->offset;
	p->past++;
}

void spin_written(struct replay *r, unsigned int thread, const struct record *record,
		  uint64_t cycles)
{
	struct sync_replay *p = &sync_at(r, record->line)->replay[r->hold];

	if (record->flags & RECORD_COUNTED) {
		p->versions++;
		if (!version_reached(p->latest, record->version))
			p->latest = record->version;
	}
	if (record->flags & RECORD_VALUE)
		past_add(p, record);
	for (unsigned int i = bitset_next(&p->spinners, 0); i < MODEL_CPUS;
	     i = bitset_next(&p->spinners, i + 1)) {
		bitset_remove(&p->spinners, i);
		r->thread[i].glance = true;
		replay_unpark(r, i, cycles);
	}
}
