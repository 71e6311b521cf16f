/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coherence: MESI states of contended lines, what a transfer costs, and the order of events. One
 * struct coherence is one replay of the program for one hold: each thread has a clock, and the
 *thread with the smallest one acts next. Where accesses come from is the caller's business
 *("next"); what they led to is told to it ("done").
 *
 *	        NEXT --next()--> READY --hit, or line free--> NEXT, clock at completion
 *	                           |
 *	                           +--line busy or held--> QUEUED --its turn--> NEXT
 *
 * A thread outside the heap (position < 0) takes no part until coherence_enter(): it is queued
 *behind another, or its owner has taken it out because it waits for something.
 */
#ifndef HITMAP_COHERENCE_H
#define HITMAP_COHERENCE_H

#include "model.h"

struct bitset {
	uint64_t word[MODEL_CPUS / 64];
};

static inline bool bitset_has(const struct bitset *s, unsigned int i)
{
	return s->word[i / 64] >> (i % 64) & 1;
}

static inline void bitset_add(struct bitset *s, unsigned int i)
{
	s->word[i / 64] |= 1ULL << (i % 64);
}

static inline void bitset_remove(struct bitset *s, unsigned int i)
{
	s->word[i / 64] &= ~(1ULL << (i % 64));
}

static inline bool bitset_empty(const struct bitset *s)
{
	return !(s->word[0] | s->word[1] | s->word[2] | s->word[3]);
}

/* The smallest member that is at least "from"; MODEL_CPUS when there is none. */
unsigned int bitset_next(const struct bitset *s, unsigned int from);

/* A machine as the replay needs it. A core's number is that of its lowest CPU. */
struct topology {
	const struct model_machine *machine;
	uint16_t core[MODEL_CPUS];				   /* by CPU */
	struct bitset same_llc[MODEL_CPUS], same_node[MODEL_CPUS]; /* cores, by core */
};

void topology_init(struct topology *t, const struct model_machine *machine);

/* One line in one replay. */
struct coherence_line {
	struct bitset sharers; /* cores that have a copy, the owner included */
	uint64_t busy;	       /* a transfer is under way until then */
	uint64_t held;	       /* its new owner does not give it up before */
	int16_t owner;	       /* core that has it modified; -1: none */
	int16_t first, last;   /* queue of threads that want it; -1: empty */
	uint16_t home;	       /* node of its memory */
};

void coherence_line_init(struct coherence_line *l, uint16_t home);

enum coherence_state { COHERENCE_NEXT, COHERENCE_READY, COHERENCE_QUEUED };

struct coherence_thread {
	uint64_t clock;	 /* of the thread; while READY or QUEUED, when it issued the access */
	uint64_t key;	 /* when it acts next; at least the clock */
	uint64_t random; /* state of its own generator: threads do not disturb each other's */
	struct coherence_line *line;
	int16_t position;   /* in the heap */
	int16_t queue_next; /* in the line's queue */
	uint16_t cpu;
	uint8_t op;    /* enum model_op */
	uint8_t state; /* enum coherence_state */
};

struct coherence_result {
	enum model_outcome outcome;
	enum model_distance distance;
	uint64_t issued, completed;
	uint32_t waited; /* cycles for the line: queue and transfer; the operation itself is not in
			    it */
};

enum coherence_next {
	COHERENCE_NOTHING, /* the thread runs, but what it does next is not known yet */
	COHERENCE_AGAIN,   /* its clock or its place was changed: choose again */
	COHERENCE_ACCESS,  /* line and op are set; issued at its clock */
};

struct coherence {
	const struct topology *topology;
	uint32_t hold; /* mean */
	uint64_t now;  /* of the last event */
	void *context;
	enum coherence_next (*next)(void *context, unsigned int thread);
	void (*done)(void *context, unsigned int thread, const struct coherence_result *r);
	unsigned int running; /* threads in the heap */
	int16_t heap[MODEL_THREADS];
	struct coherence_thread thread[MODEL_THREADS];
};

void coherence_init(struct coherence *c, const struct topology *topology, uint32_t hold,
		    uint64_t seed);

/* Puts the thread into the heap, or moves it there, to act at "key". */
void coherence_enter(struct coherence *c, unsigned int thread, uint64_t key);
void coherence_leave(struct coherence *c, unsigned int thread);

/* The key of the second thread to act: up to there the first one is alone. */
uint64_t coherence_second(const struct coherence *c);

/* One event. False when the first thread's next() had NOTHING; heap[0] is that thread. */
bool coherence_step(struct coherence *c);

/* Whether an access would need no transfer now, and what a hit does to the line. */
static inline bool coherence_hits(const struct coherence_line *l, unsigned int core,
				  enum model_op op)
{
	return op == MODEL_READ ? bitset_has(&l->sharers, core) : l->owner == (int)core;
}

static inline uint32_t coherence_cost(const struct topology *t, enum model_op op)
{
	return op == MODEL_RMW ? t->machine->locked : t->machine->hit;
}

#endif
