/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The software model: what a coherent machine would have done with the memory accesses of a real
 * program. A front door (QEMU plugin, compile-time hooks, a test) reports the accesses of each
 *thread in program order; the model keeps one clock a thread, replays accesses to write-shared
 *lines in the order of those clocks, and gives the samples that a precise-memory PMU would have
 *given.
 *
 *	front door --accesses--> thread stream --records--> merge by clock --> coherence --> sink
 *
 * Everything here is modelled, not measured. All latencies are in cycles of the modelled machine.
 */
#ifndef HITMAP_MODEL_H
#define HITMAP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_CPUS    256 /* most CPUs of a modelled machine */
#define MODEL_THREADS 256 /* most threads of a program alive at one time */
#define MODEL_HOLDS   3	  /* the replay runs for three holds at once: low, typical, high */
#define MODEL_VERSION 1	  /* of the structures that cross a process border */

enum model_distance { MODEL_SAME_LLC, MODEL_SAME_NODE, MODEL_OTHER_NODE, MODEL_DISTANCES };
enum model_hold { MODEL_HOLD_LOW, MODEL_HOLD_TYPICAL, MODEL_HOLD_HIGH };

/* A machine, as configs/machines/NAME.conf describes it. Plain data: it is sent to the front door.
 */
struct model_machine {
	char name[48];
	uint32_t mhz;	    /* cycles of virtual time per microsecond */
	uint32_t line_size; /* bytes, a power of two; 64 */
	uint32_t cpus;	    /* 1..MODEL_CPUS */
	/* By CPU: which core, last-level cache and node it belongs to. CPUs of one core share its
	 * private caches, so no transfer happens between them. */
	uint16_t core[MODEL_CPUS], llc[MODEL_CPUS], node[MODEL_CPUS];
	uint16_t order[MODEL_CPUS];	/* the CPU that the n-th thread of a program is placed on */
	uint32_t hit;			/* an access that needs no transfer */
	uint32_t locked;		/* a locked read-modify-write, on top of any transfer */
	uint32_t hitm[MODEL_DISTANCES]; /* line modified in another core's cache */
	uint32_t upgrade[MODEL_DISTANCES]; /* write to a line that is shared; farthest sharer counts
					    */
	uint32_t clean[MODEL_DISTANCES];   /* read of a line that another cache has clean */
	/* HITM from the other node when the line's home is the requester's node; 0: as
	 * hitm[MODEL_OTHER_NODE]. */
	uint32_t hitm_reader_home;
	uint32_t memory;	    /* no cache has the line */
	uint32_t jitter_percent;    /* transfers vary by this much either way, seeded */
	uint32_t hold[MODEL_HOLDS]; /* mean cycles a new owner keeps a line before it answers */
};

struct model_config {
	uint32_t version, size; /* MODEL_VERSION, sizeof(struct model_config) */
	struct model_machine machine;
	uint32_t quantum;    /* instructions a thread may lead by */
	uint32_t hit_period; /* of hits on contended lines, one in this many becomes a sample */
	uint64_t seed;
};

enum model_op { MODEL_READ = 1, MODEL_WRITE = 2, MODEL_RMW = 3 };

/* What the coherence protocol had to do for an access. */
enum model_outcome {
	MODEL_HIT,     /* own cache, no transfer */
	MODEL_HITM,    /* came from another core's cache, modified there */
	MODEL_UPGRADE, /* was shared; other copies invalidated */
	MODEL_CLEAN,   /* came clean from another cache */
	MODEL_COLD,    /* came from memory */
	MODEL_OUTCOMES
};

/*
 * One instruction that touches memory. The front door makes one per code address, zeroed, and keeps
 * it for the life of the process; the model keeps what it learns about lock words in it.
 */
struct model_site {
	uint64_t ip;
	uint32_t cost; /* instructions since the previous site of this straight-line code, >= 1 */
	uint8_t may_lock;  /* xchg, cmpxchg, bts: an operation that can take a lock */
	uint8_t fetch_add; /* xadd: can draw a ticket */
	/* The model's: times that this load spun; of its runs those that a change ended, those that
	 * went on after a change, and those that ended otherwise. */
	uint32_t spins, ends, counts, drifts;
	uint32_t zeroes, others; /* the model's: writes after which the word was 0, was not 0 */
};

/* One sample, of the replay with the typical hold. */
struct model_sample {
	uint64_t cycles; /* virtual time of the access's completion, since the model started */
	uint64_t ip, addr;
	uint64_t period;  /* accesses like this one that the sample stands for, this one included */
	uint32_t tid;	  /* as given to model_thread_start() */
	uint32_t latency; /* cycles from issue to data: queueing, transfer and operation */
	uint16_t cpu;	  /* modelled */
	uint8_t size;	  /* bytes */
	uint8_t op;	  /* enum model_op */
	uint8_t outcome;  /* enum model_outcome */
	uint8_t distance; /* enum model_distance, for HITM, UPGRADE and CLEAN */
	uint8_t pad[2];
};

/* Totals of one contended line, for each hold. */
struct model_line_total {
	uint64_t addr;
	uint64_t hitm[MODEL_HOLDS][MODEL_DISTANCES];
	uint64_t transfers[MODEL_HOLDS]; /* every outcome but MODEL_HIT */
	uint64_t accesses;
	uint64_t cycles[MODEL_HOLDS];	 /* waited for this line by all threads */
	uint64_t acquisitions, releases; /* of lock words recognised in it */
};

struct model_thread_total {
	uint32_t tid;
	uint16_t cpu;
	uint64_t cycles[MODEL_HOLDS];	 /* the thread's clock when it ended */
	uint64_t started[MODEL_HOLDS];	 /* ... and when it began */
	uint64_t instructions, accesses; /* accesses: private hits included */
};

struct model_total {
	uint64_t cycles[MODEL_HOLDS]; /* of the run: latest clock minus the start of the model */
	uint64_t hitm[MODEL_HOLDS], transfers[MODEL_HOLDS];
	uint64_t instructions, accesses, records;
	uint64_t lines;			/* contended */
	uint32_t threads, most_threads; /* in all, at one time */
	/* What the replay had to give up; all zero in a faithful run. */
	uint64_t forced;    /* steps taken although a lock or a wake-up was still awaited */
	uint64_t breaks;    /* times that threads which sent nothing were waited for in vain */
	uint64_t abandoned; /* lock sections that never saw their release */
	uint64_t unplaced;  /* accesses of threads beyond MODEL_THREADS, not modelled */
};

struct model_sink {
	void *context;
	/* Called under the model's lock, in order of virtual time per thread. Must not block for
	 * long and must not call the model. */
	void (*sample)(void *context, const struct model_sample *s);
	void (*thread)(void *context, const struct model_thread_total *t); /* when it ends */
};

struct model;
struct model_thread;

/* NULL when the address space or the thread limit forbids the shadow; errno says why. */
struct model *model_new(const struct model_config *config, const struct model_sink *sink);

/*
 * Ends the model: replays what is left, ends all threads, then gives every contended line to "line"
 * (may be NULL) and the totals. Call once. The model is freed when all threads had ended; otherwise
 * its memory stays until the process ends, since they may still be running.
 */
void model_finish(struct model *m, void (*line)(void *context, const struct model_line_total *l),
		  void *context, struct model_total *total);

/*
 * After fork(), in the child: drops the parent's model without replaying or reporting anything.
 * Takes no lock.
 */
void model_forget(struct model *m);

/*
 * A thread begins. "parent" is the thread that makes it (NULL for the first), which makes this
 * call: the child's clock starts at the parent's. From here on the others wait for the child, so
 * one that could not be made must be ended. NULL when MODEL_THREADS are alive already; the thread
 * is then not modelled, and model_miss() may count its accesses.
 */
struct model_thread *model_thread_start(struct model *m, struct model_thread *parent, uint32_t tid);
void model_thread_end(struct model_thread *t);
void model_miss(struct model *m, uint64_t accesses);

/*
 * One access, after it happened (QEMU) or just before (hooks). An access across a line border is
 * one call. "value" points to the "size" bytes of the word as they are after the access: the
 * program's own memory will do, it is read only when the line is contended. NULL when unknown: then
 * no lock, ticket or flag is recognised by it. The common case, a hit on a line nobody else writes,
 * costs a load and a compare; see model_access() below.
 */
void model_access_shared(struct model_thread *t, uint64_t addr, uint32_t size, enum model_op op,
			 struct model_site *site, const void *value);

/*
 * Blocking. model_wait(): the thread enters a call that may block, on the futex word or other
 * object "key" (0: nothing that a thread of this program would signal). model_wake(): it wakes up
 * to "n" waiters of "key", in order of their waiting. model_resume(): the thread is back from its
 * call; "woken" false for a time-out, a failed or an interrupted wait.
 */
void model_wait(struct model_thread *t, uint64_t key);
void model_wake(struct model_thread *t, uint64_t key, uint32_t n);
void model_resume(struct model_thread *t, bool woken);
/* The thread gives up its CPU because it waits for others (sched_yield, a spin hint). */
void model_yield(struct model_thread *t);

/*
 * The part of a thread that the fast path reads; first member of struct model_thread.
 * shadow: one word a line, indexed by (addr / line size) & shadow_mask.
 */
struct model_fast {
	uint64_t *shadow;
	uint64_t shadow_mask;
	uint64_t mine;	       /* the word of a line owned and written by this thread */
	uint64_t instructions; /* executed so far */
	uint64_t stall;	       /* cycles beyond one an instruction, of accesses to private lines */
	uint64_t limit;	       /* model_pause() when instructions reach it */
	uint64_t accesses;
	uint32_t line_shift;
	uint32_t locked; /* what a private read-modify-write stalls */
};
#define MODEL_WRITTEN	  (1ULL << 62) /* in a shadow word: the owner has written */
#define MODEL_READ_SHARED (1ULL << 61) /* several threads have read, none has written */

void model_pause(struct model_thread *t);

/* Whether an access hits a line of this thread's own, or reads one that nobody writes. */
static inline bool model_is_private(const struct model_fast *f, uint64_t addr, uint32_t size,
				    enum model_op op)
{
	uint64_t word = __atomic_load_n(&f->shadow[(addr >> f->line_shift) & f->shadow_mask],
					__ATOMIC_RELAXED);

	if (__builtin_expect((addr ^ (addr + size - 1)) >> f->line_shift, 0))
		return false;
	return word == f->mine || (op == MODEL_READ && ((word | MODEL_WRITTEN) == f->mine ||
							(word & MODEL_READ_SHARED)));
}

/* True when the thread has to pause. */
static inline bool model_charge(struct model_fast *f, uint32_t instructions)
{
	f->instructions += instructions;
	return __builtin_expect(f->instructions >= f->limit, 0);
}

static inline void model_access(struct model_thread *t, uint64_t addr, uint32_t size,
				enum model_op op, struct model_site *site, const void *value)
{
	struct model_fast *f = (struct model_fast *)t;
	bool private = model_is_private(f, addr, size, op);

	f->instructions += site->cost;
	f->accesses++;
	if (__builtin_expect(!private, 0))
		model_access_shared(t, addr, size, op, site, value);
	else if (op == MODEL_RMW)
		f->stall += f->locked;
	if (__builtin_expect(f->instructions >= f->limit, 0))
		model_pause(t);
}

/* "n" instructions without a memory access were run. */
static inline void model_run(struct model_thread *t, uint32_t n)
{
	if (model_charge((struct model_fast *)t, n))
		model_pause(t);
}

#endif
