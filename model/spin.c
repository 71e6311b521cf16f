// SPDX-License-Identifier: GPL-2.0-only
#include "spin.h"

#include "replay.h"

/* A loop that waits does nothing else: no other access and few instructions between its loads, or a
 * yield. A loop that works while it polls is not a spin, and its time counts. */
#define SPIN_NEAR	64
#define SPIN_YIELD_NEAR 4096
/*
 * A load that repeats itself may be a spin or a loop that reads one word for its own ends. It is a
 * spin when such runs end by a change, or when the word is a lock; until a load has shown that, and
 * unless it yields in between, its runs are what they seem, for a while.
 */
#define SPIN_PROOF    2
#define SPIN_LONG     (1u << 18) /* repeats of a run that is no loop any more */
#define SPIN_COUNTS   64 /* one run in so many that went on after a change: its value matters */
#define CREDIT_NEAR   1	 /* a write may be counted just before or after it is seen */
#define CREDIT_FITS   4	 /* of the waits that a credit explains, to each that it does not */
#define CREDIT_MOST   (1 << 30)
#define PROBES	      8
#define PROBE_FIRST   256u /* writes before the first one; as many as all before, to each other */
#define PROBE_REPEATS 64   /* loads alike by which one who waits shows it */
#define PROBE_MS      10
#define SHOW_YIELDS   16 /* of the host's CPU, that a writer grants those who spin */

/* ---- Thread's side */

static bool spin_near(const struct model_thread *t)
{
	uint64_t since = t->fast.instructions - t->spin.instructions;

	if (t->yielded)
		return since <= SPIN_YIELD_NEAR;
	return since <= SPIN_NEAR && t->fast.accesses == t->spin.accesses + 1;
}

bool spin_lasts(const struct model_thread *t)
{
	return t->spinning && !t->spin.changed;
}

/* Whatever the value: a loop that waits for a number sees others. */
bool spin_repeats(const struct model_thread *t, const struct access *a)
{
	return a->op == MODEL_READ && t->spin.site && t->spin.addr == a->addr && spin_near(t);
}

static bool spin_same(const struct spin *s, const struct access *a, uint32_t versions)
{
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

	return t->spin.proven || t->yielded || t->spin.repeats >= SPIN_LONG ||
	       word_is_lock(y, addr) ||
	       (ends >= SPIN_PROOF && ends > 2 * __atomic_load_n(&site->drifts, __ATOMIC_RELAXED));
}

static void count(uint32_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* The thread went on after its last load, at the end of a run of repeats. */
static void run_judge(const struct spin *s)
{
	if (!s->changed)
		count(&s->site->drifts);
	else
		count(&s->site->ends);
	if (s->changed && s->changes > 1)
		count(&s->site->counts);
}

/* Most waits were due to a want of writes. */
static bool credit_explains(const struct seen *w)
{
	return w->fits > w->strays * CREDIT_FITS;
}

/*
 * A pass that waited tells more than the least that was needed: with the writes up to "failed" the
 * load before it was still in vain.
 */
static void credit_learn(struct seen *w, const struct spin *s)
{
	int32_t ahead = (int32_t)(w->passes - (s->versions - w->base));
	int32_t most = (int32_t)(w->passes - (s->failed - w->base)) - 1;

	if (w->ahead < ahead)
		w->ahead = ahead;
	if (s->proven && s->repeats > 1) {
		bool stray = w->ahead > most + CREDIT_NEAR;

		if (!stray && (!w->fits || most < w->most))
			w->most = most;
		*(stray ? &w->strays : &w->fits) += 1;
	}
	w->credit = w->ahead;
	if (w->fits && credit_explains(w))
		w->credit = w->most > w->ahead - CREDIT_NEAR ? w->most : w->ahead - CREDIT_NEAR;
	if (ahead < -CREDIT_MOST || ahead > CREDIT_MOST)
		*w = (struct seen){ .addr = w->addr, .value = w->value };
}

/* What the thread does next shows that it went on after its last load. */
static void spin_settle(struct model_thread *t)
{
	struct spin *s = &t->spin;

	if (s->seen && s->seen->addr == s->addr)
		credit_learn(s->seen, s);
	if (s->site && s->repeats)
		run_judge(s);
	t->waited |= s->proven && s->changed;
}

static void spin_begin(struct model_thread *t, const struct access *a, struct sync *y)
{
	if (!y)
		y = shadow_sync(&t->model->shadow, a->line);
	if (!y)
		return;
	count(&a->site->spins);
	__atomic_store_n(&y->spun, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&y->looking, 1, __ATOMIC_RELAXED);
	t->look = (struct record){ .site = a->site,
				   .line = a->index,
				   .op = MODEL_READ,
				   .offset = (uint8_t)(a->addr - a->line->addr),
				   .size = (uint8_t)a->size };
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

/* The load is in a run with the one before it, "last". */
static void spin_continue(struct spin *s, const struct spin *last, bool same)
{
	s->repeats = last->repeats + 1;
	s->before = last->versions;
	s->failed = last->before;
	s->seen = last->seen;
	s->changed = !same;
	s->changes = (uint8_t)(last->changes + (!same && last->changes < 2));
	s->differed = last->differed || !same;
	s->was = same ? last->was : last->value;
}

static struct seen *seen_find(struct model_thread *t, const struct access *a)
{
	struct seen *w = &t->seen[a->addr / 8 % SEEN_WORDS];

	if (w->addr != a->addr)
		*w = (struct seen){ .addr = a->addr, .value = a->value };
	return w;
}

/* A pass, or another try for the one that is counted already. */
static uint32_t seen_pass(struct seen *w, struct spin *s)
{
	int32_t ahead;

	if (!w->passes)
		w->base = s->versions;
	if (s->seen != w || !w->passes)
		w->passes++;
	s->seen = w;
	ahead = (int32_t)(w->passes - (s->versions - w->base));
	return w->base + w->passes - (uint32_t)(ahead > w->credit ? ahead : w->credit);
}

/*
 * A change since the thread's last look at the word. Within a lock's section changes are no news:
 * the replay may have the sections in another order. Where the writes needed are known they say
 * all there is to say.
 */
static void seen_note(struct model_thread *t, const struct access *a, struct look *look)
{
	struct seen *w = seen_find(t, a);

	if (a->op == MODEL_READ && !t->locks) {
		if (a->site->spins)
			look->need = seen_pass(w, &t->spin);
		if (!look->flags && w->value != a->value && !credit_explains(w)) {
			look->flags = RECORD_CHANGED;
			look->was = (uint32_t)w->value;
		}
	}
	w->value = a->value;
}

/* The thread looks again: only the replays care whether it has seen the latest write. */
static void spin_again(struct model_thread *t, const struct access *a, struct sync *y,
		       const struct spin *last)
{
	/* It may have gone on: "passed" stays behind the change, and the replays wait there. */
	if (t->spin.changed)
		return;
	if (t->spinning)
		/* The load came after the writes that were counted when the last one returned. */
		__atomic_store_n(&t->passed, last->versions, __ATOMIC_RELEASE);
	else
		spin_begin(t, a, y);
}

static uint8_t spin_flags(const struct spin *s)
{
	uint32_t counts = __atomic_load_n(&s->site->counts, __ATOMIC_RELAXED);
	uint32_t ends = __atomic_load_n(&s->site->ends, __ATOMIC_RELAXED);

	if (!s->differed)
		return 0;
	return RECORD_CHANGED | (counts * SPIN_COUNTS > ends ? RECORD_SPUN : 0);
}

void spin_note(struct model_thread *t, const struct access *a, struct look *look)
{
	struct sync *y = shadow_sync_get(&t->model->shadow, a->line);
	uint32_t versions = y ? __atomic_load_n(&y->versions, __ATOMIC_ACQUIRE) : 0;
	bool repeats = spin_repeats(t, a);
	bool again = repeats && spin_proven(t, a->site, y, a->addr);
	struct spin last = t->spin;

	*look = (struct look){ .again = again };
	if (!repeats) {
		spin_settle(t);
		spin_stop(t);
	}
	spin_remember(t, a, versions);
	if (repeats)
		spin_continue(&t->spin, &last, spin_same(&last, a, versions));
	__atomic_store_n(&t->run_site, t->spin.site, __ATOMIC_RELAXED);
	__atomic_store_n(&t->run_line, a->index, __ATOMIC_RELAXED);
	__atomic_store_n(&t->run, t->spin.repeats, __ATOMIC_RELAXED);
	if (again) {
		t->spin.proven = true;
		spin_again(t, a, y, &last);
		look->flags = spin_flags(&t->spin);
		look->was = (uint32_t)t->spin.was;
		y = shadow_sync_get(&t->model->shadow, a->line);
	}
	if (!y || !y->spun)
		return;
	if (a->known)
		seen_note(t, a, look);
	look->pends = a->op == MODEL_READ && a->site->spins;
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

/* Whether somebody waits for the line, as far as one can see: then its load is taken for a spin. */
static bool probe_answered(struct model_thread *t, uint32_t line)
{
	for (unsigned int i = 0; i < t->model->slots; i++) {
		const struct model_thread *o = &t->model->thread[i];
		struct model_site *site = __atomic_load_n(&o->run_site, __ATOMIC_RELAXED);

		if (o == t || !o->alive ||
		    __atomic_load_n(&o->run_line, __ATOMIC_RELAXED) != line ||
		    __atomic_load_n(&o->run, __ATOMIC_RELAXED) < PROBE_REPEATS)
			continue;
		if (site && __atomic_load_n(&site->ends, __ATOMIC_RELAXED) < SPIN_PROOF)
			__atomic_store_n(&site->ends, SPIN_PROOF, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

/* Nobody is left who could come to wait. */
static bool probe_idle(const struct model_thread *t)
{
	for (unsigned int i = 0; i < t->model->slots; i++) {
		const struct model_thread *o = &t->model->thread[i];

		if (o != t && o->alive && !o->blocked &&
		    !__atomic_load_n(&o->spinning, __ATOMIC_RELAXED))
			return false;
	}
	return true;
}

void spin_probe(struct model_thread *t, const struct access *a)
{
	struct sync *y = shadow_sync_get(&t->model->shadow, a->line);
	uint32_t never = 0;

	if (!t->waited || t->locks || (y && (y->spun || y->locks)) || t->probes == PROBES ||
	    ++t->probed < PROBE_FIRST << t->probes)
		return;
	t->probes++;
	for (int ms = 0; ms < PROBE_MS && !probe_answered(t, a->index) && !probe_idle(t); ms++)
		gate_sleep(&never, 0, 1);
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

enum coherence_next spin_wait(struct replay *r, unsigned int thread, const struct record *record)
{
	struct coherence_thread *y = &r->coherence.thread[thread];
	struct coherence_line *line = &r->model->shadow.line[record->line].replay[r->hold].line;

	if (coherence_hits(line, r->coherence.topology->core[y->cpu], MODEL_READ)) {
		spinner_add(r, thread, record->line);
		return COHERENCE_AGAIN;
	}
	r->thread[thread].look = *record;
	r->thread[thread].extra = true;
	y->line = line;
	y->op = MODEL_READ;
	return COHERENCE_ACCESS;
}

enum coherence_next spin_idle(struct replay *r, unsigned int thread)
{
	struct model_thread *t = &r->model->thread[thread];
	uint32_t line = __atomic_load_n(&t->spinning, __ATOMIC_ACQUIRE);
	uint32_t passed = __atomic_load_n(&t->passed, __ATOMIC_ACQUIRE);
	struct record look = t->look;
	struct sync *y = line ? sync_at(r, line) : NULL;

	if (!y || !version_reached(passed, y->replay[r->hold].latest))
		return COHERENCE_NOTHING;
	/* Looked at last: a record since then belongs to the end of this spin. */
	if (look.line != line || ring_unread(&t->ring, &r->thread[thread].cursor))
		return COHERENCE_NOTHING;
	return spin_wait(r, thread, &look);
}

/*
 * When all writes that the reader may have seen are done, it may go on. It may before, if the
 * word's latest values, newest first, say that it is no longer the one before the change. Most
 * readers are content with any change: had the reader been slower on the host, or the writer
 * faster, it would have seen a later value, and gone on all the same. Where a spin was seen to go
 * on after a change (a count that has to reach some number) a value is needed that lies behind the
 * one that was in vain, as far as the one it went on with: the number is somewhere between them.
 */
static bool spin_ended(const struct sync_replay *p, const struct record *record)
{
	uint32_t n = p->past < LINE_PAST ? p->past : LINE_PAST;
	bool any = !(record->flags & RECORD_SPUN);
	uint32_t most = (uint32_t)record->value - record->was;

	if (version_reached(p->versions, record->version))
		return true;
	for (uint32_t i = 1; i <= n && record->flags & RECORD_VALUE; i++) {
		uint32_t at = (p->past - i) % LINE_PAST;

		if (p->past_offset[at] != record->offset)
			continue;
		if (p->past_value[at] == record->was)
			return false;
		if (any || p->past_value[at] - record->was <= most)
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
	return (!record->need || version_reached(p->versions, record->need)) &&
	       (!(record->flags & RECORD_CHANGED) || spin_ended(p, record));
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
		replay_unpark(r, i, cycles);
	}
}
