// SPDX-License-Identifier: GPL-2.0-only
#include "replay.h"

#include "lock.h"
#include "sampler.h"
#include "spin.h"

#include <string.h>

/* Hits in a row by one thread after which a contended line is taken for private again. */
#define QUIET 16384

static bool replay_typical(const struct replay *r)
{
	return r->hold == MODEL_HOLD_TYPICAL;
}

static struct line *line_of(struct replay *r, const struct record *record)
{
	return &r->model->shadow.line[record->line];
}

/* ---- Places of threads: in the heap, parked, or out */

void replay_park(struct replay *r, unsigned int thread, enum replay_park why)
{
	r->thread[thread].park = (uint8_t)why;
	bitset_add(&r->parked, thread);
	coherence_leave(&r->coherence, thread);
}

void replay_delay(struct replay *r, unsigned int thread, uint64_t cycles)
{
	struct coherence_thread *y = &r->coherence.thread[thread];

	if (y->clock < cycles)
		y->clock = cycles;
	coherence_enter(&r->coherence, thread, y->clock);
}

void replay_unpark(struct replay *r, unsigned int thread, uint64_t cycles)
{
	r->thread[thread].park = PARK_NONE;
	bitset_remove(&r->parked, thread);
	replay_delay(r, thread, cycles);
}

void replay_retire(struct replay *r, unsigned int thread, const struct record *record)
{
	struct replay_thread *x = &r->thread[thread];

	ring_advance(&x->cursor);
	x->timed = x->forced = false;
	x->phase = PHASE_FRESH;
	r->consumed++;
}

static bool thread_away(const struct model_thread *t)
{
	return !t->alive || t->blocked || t->yielding || t->absent;
}

/* No record: the thread is blocked or gone, it spins, or it must be waited for. */
static enum coherence_next thread_idle(struct replay *r, unsigned int thread)
{
	const struct model_thread *t = &r->model->thread[thread];

	if (thread_away(t)) {
		bitset_add(&r->out, thread);
		coherence_leave(&r->coherence, thread);
		return COHERENCE_AGAIN;
	}
	return spin_idle(r, thread);
}

static bool thread_unread(struct replay *r, unsigned int thread)
{
	return ring_unread(&r->model->thread[thread].ring, &r->thread[thread].cursor) != 0;
}

static void replay_return(struct replay *r)
{
	for (unsigned int i = bitset_next(&r->out, 0); i < MODEL_CPUS;
	     i = bitset_next(&r->out, i + 1)) {
		const struct model_thread *t = &r->model->thread[i];

		if (thread_unread(r, i) || !thread_away(t)) {
			bitset_remove(&r->out, i);
			coherence_enter(&r->coherence, i, r->coherence.thread[i].clock);
		}
	}
}

static void spinner_stop(struct replay *r, unsigned int thread)
{
	struct shadow *s = &r->model->shadow;
	struct sync *y = shadow_sync_get(s, &s->line[r->thread[thread].spin_line]);

	bitset_remove(&y->replay[r->hold].spinners, thread);
}

/* Spinners that were parked without a record and have one now, or are gone. */
static void replay_return_spinners(struct replay *r)
{
	for (unsigned int i = bitset_next(&r->parked, 0); i < MODEL_CPUS;
	     i = bitset_next(&r->parked, i + 1)) {
		struct replay_thread *x = &r->thread[i];

		if (x->park != PARK_SPIN || x->timed)
			continue;
		if (thread_unread(r, i) || !r->model->thread[i].alive) {
			spinner_stop(r, i);
			replay_unpark(r, i, 0);
		}
	}
}

/* ---- Records */

static enum coherence_next record_tick(struct replay *r, unsigned int thread,
				       const struct record *record)
{
	if (record->flags & RECORD_RELEASE)
		lock_leave(r, thread, record, r->coherence.thread[thread].clock);
	replay_retire(r, thread, record);
	return COHERENCE_AGAIN;
}

static enum coherence_next record_wake(struct replay *r, unsigned int thread,
				       const struct record *record)
{
	uint64_t now = r->coherence.thread[thread].clock;

	r->wake[record->value % WAKES] = (struct wake){ record->value, now };
	for (unsigned int i = bitset_next(&r->resumers, 0); i < MODEL_CPUS;
	     i = bitset_next(&r->resumers, i + 1))
		if (ring_peek(&r->thread[i].cursor)->value == record->value) {
			bitset_remove(&r->resumers, i);
			replay_unpark(r, i, now);
		}
	replay_retire(r, thread, record);
	return COHERENCE_AGAIN;
}

/* Whether wake "number" is done, and when. One that has left the table was long ago. */
static bool wake_done(const struct replay *r, uint64_t number, uint64_t *cycles)
{
	const struct wake *w = &r->wake[number % WAKES];

	*cycles = w->number == number ? w->cycles : 0;
	return number == 0 || w->number >= number;
}

/* False: parked until the waker has come to its wake. */
static bool record_woken(struct replay *r, unsigned int thread, const struct record *record)
{
	uint64_t cycles;

	if (record->flags & RECORD_NOW) {
		replay_delay(r, thread, r->coherence.now);
		return true;
	}
	if (!wake_done(r, record->value, &cycles) && !r->thread[thread].forced) {
		bitset_add(&r->resumers, thread);
		replay_park(r, thread, PARK_WAKE);
		return false;
	}
	replay_delay(r, thread, cycles);
	return true;
}

static enum coherence_next record_resume(struct replay *r, unsigned int thread,
					 const struct record *record)
{
	if (record_woken(r, thread, record))
		replay_retire(r, thread, record);
	return COHERENCE_AGAIN;
}

static enum coherence_next record_start(struct replay *r, unsigned int thread,
					const struct record *record)
{
	struct life *l;

	if (!record_woken(r, thread, record))
		return COHERENCE_AGAIN;
	r->thread[thread].life = record->line;
	l = &r->model->life[record->line];
	l->total.started[r->hold] = r->coherence.thread[thread].clock;
	l->total.cpu = r->coherence.thread[thread].cpu;
	replay_retire(r, thread, record);
	return COHERENCE_AGAIN;
}

static void life_close(struct model *m, uint32_t index)
{
	struct life *l = &m->life[index];

	if (m->sink.thread)
		m->sink.thread(m->sink.context, &l->total);
	l->open = false;
	l->left = m->life_free;
	m->life_free = index;
}

static enum coherence_next record_end(struct replay *r, unsigned int thread,
				      const struct record *record)
{
	uint32_t index = r->thread[thread].life;
	struct life *l = &r->model->life[index];
	uint64_t now = r->coherence.thread[thread].clock;

	if (replay_typical(r))
		sampler_flush(r->model, thread);
	l->total.cycles[r->hold] = now;
	if (r->latest < now)
		r->latest = now;
	if (--l->left == 0)
		life_close(r->model, index);
	replay_retire(r, thread, record);
	return COHERENCE_AGAIN;
}

static enum coherence_next record_access(struct replay *r, unsigned int thread,
					 const struct record *record)
{
	struct coherence_thread *y = &r->coherence.thread[thread];

	y->line = &line_of(r, record)->replay[r->hold].line;
	y->op = record->op;
	if (record->flags & RECORD_ACQUIRE)
		return lock_enter(r, thread, record);
	if ((record->flags & RECORD_CHANGED || record->need) && !spin_may_end(r, thread, record))
		return spin_wait(r, thread, record);
	return COHERENCE_ACCESS;
}

typedef enum coherence_next record_taker(struct replay *r, unsigned int thread,
					 const struct record *record);

static record_taker *const record_takers[] = {
	[RECORD_ACCESS] = record_access, [RECORD_TICK] = record_tick,	[RECORD_WAKE] = record_wake,
	[RECORD_RESUME] = record_resume, [RECORD_START] = record_start, [RECORD_END] = record_end,
};

static enum coherence_next replay_next(void *context, unsigned int thread)
{
	struct replay *r = context;
	struct replay_thread *x = &r->thread[thread];
	struct coherence_thread *y = &r->coherence.thread[thread];
	const struct record *record;

	if (!thread_unread(r, thread))
		return thread_idle(r, thread);
	record = ring_peek(&x->cursor);
	if (!x->timed) {
		x->timed = true;
		x->consumed += record->cycles;
		y->clock += record->cycles;
		coherence_enter(&r->coherence, thread, y->clock);
		if (r->coherence.heap[0] != (int)thread)
			return COHERENCE_AGAIN;
	}
	return record_takers[record->kind](r, thread, record);
}

/* ---- What accesses led to */

static void line_quiet(struct replay *r, unsigned int thread, struct line *l)
{
	unsigned int core = r->coherence.topology->core[r->coherence.thread[thread].cpu];

	if (l->quiet_thread != (int)thread) {
		l->quiet_thread = (int16_t)thread;
		l->quiet = 0;
	}
	if (++l->quiet < QUIET)
		return;
	l->quiet = 0;
	if (l->sync)
		return;
	for (int h = 0; h < MODEL_HOLDS; h++)
		if (l->replay[h].line.owner != (int)core || l->replay[h].line.first >= 0)
			return;
	shadow_demote(&r->model->shadow, l, thread);
}

static void hit_count(struct replay *r, unsigned int thread, const struct record *record,
		      enum model_op op, uint32_t latency)
{
	struct line *l = line_of(r, record);

	if (!replay_typical(r))
		return;
	line_quiet(r, thread, l);
	sampler_hit(r->model, thread, record, op, latency);
}

static void transfer_count(struct replay *r, unsigned int thread, const struct record *record,
			   const struct coherence_result *result)
{
	struct line *l = line_of(r, record);
	struct line_replay *p = &l->replay[r->hold];

	p->transfers++;
	r->transfers++;
	if (result->outcome == MODEL_HITM) {
		p->hitm[result->distance]++;
		r->hitm++;
	}
	if (replay_typical(r)) {
		l->quiet = 0;
		sampler_transfer(r->model, thread, record, r->coherence.thread[thread].op, result);
	}
}

void replay_finish(struct replay *r, unsigned int thread, const struct record *record,
		   uint64_t cycles)
{
	struct line *l = line_of(r, record);

	if (replay_typical(r))
		l->accesses++;
	if (record->op != MODEL_READ && l->sync)
		spin_written(r, thread, record, cycles);
	if (record->flags & RECORD_RELEASE)
		lock_leave(r, thread, record, cycles);
	if (replay_typical(r) && record->flags & (RECORD_ACQUIRE | RECORD_RELEASE)) {
		struct sync *y = shadow_sync_get(&r->model->shadow, l);

		if (record->flags & RECORD_ACQUIRE)
			y->acquisitions++;
		else
			y->releases++;
	}
	replay_retire(r, thread, record);
}

/*
 * The record that an access under way is told as: its own, for a spinner's read in vain
 * what it looks at, and for the read that sees a lock's release one at the waiters' loop.
 */
static const struct record *access_record(struct replay *r, unsigned int thread,
					  struct record *copy)
{
	struct replay_thread *x = &r->thread[thread];

	if (x->extra && x->phase == PHASE_FRESH)
		return &x->look;
	if (!x->extra || x->phase != PHASE_SEEN)
		return ring_peek(&x->cursor);
	*copy = *ring_peek(&x->cursor);
	lock_tell(r, copy);
	return copy;
}

static void replay_done(void *context, unsigned int thread, const struct coherence_result *result)
{
	struct replay *r = context;
	struct replay_thread *x = &r->thread[thread];
	struct record copy;
	const struct record *record = access_record(r, thread, &copy);

	line_of(r, record)->replay[r->hold].cycles += result->waited;
	if (result->outcome == MODEL_HIT)
		hit_count(r, thread, record, r->coherence.thread[thread].op,
			  (uint32_t)(result->completed - result->issued));
	else
		transfer_count(r, thread, record, result);
	if (r->latest < result->completed)
		r->latest = result->completed;
	if (x->extra)
		x->extra = false;
	else
		replay_finish(r, thread, record, result->completed);
}

/* ---- Driving */

/* A hit that concerns nobody else: no lock, no spin, no queue. */
static bool record_plain_hit(struct replay *r, unsigned int core, const struct record *record)
{
	const struct line *l = line_of(r, record);

	return record->kind == RECORD_ACCESS && !(record->flags & ~RECORD_VALUE) && !l->sync &&
	       coherence_hits(&l->replay[r->hold].line, core, record->op);
}

/* While the first thread only hits, and is alone up to the second one's key, the heap can wait. */
static void replay_burst(struct replay *r)
{
	unsigned int thread = (unsigned int)r->coherence.heap[0];
	struct replay_thread *x = &r->thread[thread];
	struct coherence_thread *y = &r->coherence.thread[thread];
	unsigned int core = r->coherence.topology->core[y->cpu];
	uint64_t unread = ring_unread(&r->model->thread[thread].ring, &x->cursor);
	uint64_t limit = coherence_second(&r->coherence), before = y->clock;

	if (y->state != COHERENCE_NEXT)
		return;
	for (; unread; unread--) {
		const struct record *record = ring_peek(&x->cursor);
		uint64_t own = x->timed ? 0 : record->cycles;
		uint32_t cost = coherence_cost(r->coherence.topology, record->op);

		if (y->clock + own >= limit || !record_plain_hit(r, core, record))
			break;
		x->consumed += own;
		y->clock += own + cost;
		hit_count(r, thread, record, record->op, cost);
		if (replay_typical(r))
			line_of(r, record)->accesses++;
		replay_retire(r, thread, record);
	}
	if (y->clock != before)
		coherence_enter(&r->coherence, thread, y->clock);
}

void replay_run(struct replay *r, uint64_t steps)
{
	replay_return(r);
	replay_return_spinners(r);
	r->starved = -1;
	while (r->coherence.running && steps--) {
		replay_burst(r);
		if (!coherence_step(&r->coherence)) {
			r->starved = r->coherence.heap[0];
			return;
		}
	}
}

bool replay_force(struct replay *r)
{
	const struct coherence_thread *y = r->coherence.thread;
	int best = -1;

	for (unsigned int i = bitset_next(&r->parked, 0); i < MODEL_CPUS;
	     i = bitset_next(&r->parked, i + 1))
		if (thread_unread(r, i) && (best < 0 || y[i].clock < y[best].clock))
			best = (int)i;
	if (best < 0 || r->coherence.running)
		return false;
	switch (r->thread[best].park) {
	case PARK_LOCK:
		lock_force(r, (unsigned int)best, ring_peek(&r->thread[best].cursor));
		break;
	case PARK_SPIN:
		spinner_stop(r, (unsigned int)best);
		break;
	default:
		bitset_remove(&r->resumers, (unsigned int)best);
		break;
	}
	r->thread[best].forced = true;
	r->model->total.forced++;
	replay_unpark(r, (unsigned int)best, r->coherence.now);
	return true;
}

void replay_init(struct replay *r, struct model *m, unsigned int hold)
{
	r->model = m;
	r->hold = hold;
	r->starved = -1;
	coherence_init(&r->coherence, &m->topology, m->config.machine.hold[hold], m->config.seed);
	r->coherence.context = r;
	r->coherence.next = replay_next;
	r->coherence.done = replay_done;
}

void replay_join(struct replay *r, unsigned int thread)
{
	ring_cursor_init(&r->thread[thread].cursor, &r->model->thread[thread].ring);
	bitset_add(&r->out, thread);
}
