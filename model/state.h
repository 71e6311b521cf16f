/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model's own structures. A program's thread writes the first part of its struct model_thread
 * and its ring; everything else belongs to whoever holds the model's gate.
 */
#ifndef HITMAP_STATE_H
#define HITMAP_STATE_H

#include "ring.h"
#include "shadow.h"

#define LOCKS_HELD 8	 /* nested locks that are followed */
#define WAKES	   65536 /* wakes whose time is remembered */
#define LIVES	   8192	 /* threads that ran or whose end some replay has not reached */
#define SEEN_WORDS 16	 /* of spun lines, whose value a thread remembers */
#define HIT_CELLS  64	 /* a thread's cells of hits that are being counted */

/* An access to one contended line. */
struct access {
	struct line *line;
	uint32_t index;
	uint64_t addr;
	uint32_t size;
	enum model_op op;
	struct model_site *site;
	bool known; /* "value" is */
	uint64_t value;
};

struct held_lock {
	uint32_t line;
	uint8_t lock;	    /* which of the line's sync */
	uint8_t attempting; /* nothing but attempts since the first one */
	uint8_t again;	    /* ... and more than that one */
	uint8_t looked;	    /* ... and these were reads only */
	uint64_t addr;
	uint64_t value; /* after the latest attempt */
	uint32_t rises; /* attempts in a row that left a larger value than the one before */
};

/*
 * What a thread knows of a word of a line that is spun on: the last value that it read or wrote;
 * and how often it went on after reading it, against how often the line was written since version
 * "base".
 */
struct seen {
	uint64_t addr, value;
	uint32_t base, passes;
	int32_t ahead;	       /* most passes ahead of writes so far, perhaps one too many */
	int32_t most;	       /* least number of them that a wait has shown to be the limit */
	int32_t credit;	       /* the limit, as far as it is known */
	uint32_t fits, strays; /* waits that this credit explains, and that it does not */
};

/* The last load, which could turn out to be a spin, and the run of like loads that it is in. */
struct spin {
	struct model_site *site;
	uint64_t addr, value;
	bool known;
	bool proven;	   /* its run is a spin */
	bool changed;	   /* another value than the load before it in its run */
	bool differed;	   /* some value in the run was another one than its own: "was" */
	uint8_t changes;   /* of the value in its run; 2: or more */
	uint64_t was;	   /* the latest value in the run that was another one */
	uint32_t repeats;  /* loads of the run before it */
	uint32_t versions; /* of the line when it was read */
	uint32_t before;   /* ... when the load before it in the run was read */
	uint32_t failed;   /* ... when the load before that was */
	struct seen *seen; /* what its passes are counted by; NULL: not counted */
	uint64_t instructions, accesses;
};

/* A ticket drawn: what the thread does next tells whether it was one. */
struct ticket {
	uint64_t addr, served; /* served: where the ticket's number was read; 0: nowhere yet */
	uint64_t number;
	uint32_t line, size;
};

struct model_thread {
	struct model_fast fast;
	struct model *model;
	uint32_t tid, life;
	unsigned int slot; /* its place on the machine, too */
	struct ring ring;
	struct record lost; /* stands for records beyond the memory there is */
	uint64_t recorded;  /* own time up to the last record */
	uint64_t appended;  /* cycles in records so far */
	uint64_t shared_at; /* instructions at its latest access to a contended line */
	unsigned int locks;
	uint64_t lock_since; /* instructions at the latest attempt */
	uint64_t released;   /* lock whose sleepers it may be about to wake; 0: none */
	uint64_t candidate;  /* word that this thread may have taken as a lock */
	struct held_lock held[LOCKS_HELD];
	struct ticket ticket;
	struct spin spin;
	struct record pending; /* a load that may turn out to spin, see spin.h */
	bool is_pending;
	struct record look; /* what it reads while it spins */
	struct seen seen[SEEN_WORDS];
	uint32_t show_line, show_version; /* a write that spinners shall see; line 0: none */
	bool yielded;			  /* since the last load */
	uint64_t yield_at;		  /* instructions at the last yield */
	uint64_t yield_written;		  /* records then */
	bool waited;			  /* a spin of it was ended by a change */
	uint32_t probed, probes; /* writes that others could wait for; those they were tried at */
	/* Read by others without the gate. */
	struct model_site *run_site; /* the last load, on a contended line */
	uint32_t run_line, run;	     /* ... of which line; loads of its run before it */
	uint32_t spinning;	     /* index of the line it spins on, 0 none */
	uint32_t passed; /* it has seen that line's writes up to this one, and spins on */
	/* Under the gate. */
	bool alive, blocked, woken, in_call, yielding;
	bool absent; /* sent nothing for so long that it must be in a call that nobody reports */
	uint64_t key, order; /* blocked on, since */
	uint64_t wake;	     /* the wake that ended it */
	uint32_t nudge;	     /* futex word of a thread that waits for the replays */
	uint32_t fruitless;  /* waits for them in a row in which nothing went on */
};

enum replay_phase { PHASE_FRESH, PHASE_TRIED, PHASE_WAITED, PHASE_SEEN };
enum replay_park { PARK_NONE, PARK_LOCK, PARK_WAKE, PARK_SPIN };

struct replay_thread {
	struct ring_cursor cursor;
	uint64_t consumed;  /* cycles of records so far */
	struct record look; /* the read of a spinner that cannot go on yet */
	uint32_t spin_line; /* PARK_SPIN: on what */
	bool timed;	    /* the next record's cycles are in the clock */
	bool extra;	    /* the access under way is not the record's own */
	bool forced;	    /* goes on whatever it waits for */
	uint8_t phase, park;
	uint32_t life; /* of the thread whose records these are */
};

struct wake {
	uint64_t number, cycles;
};

struct replay {
	struct model *model;
	unsigned int hold; /* enum model_hold */
	struct coherence coherence;
	struct replay_thread thread[MODEL_THREADS];
	struct wake wake[WAKES];
	struct bitset out; /* not in the heap: blocked or gone */
	struct bitset resumers, spinners, parked;
	int starved;	   /* thread whose next record is missing; -1 none */
	uint64_t consumed; /* records */
	uint64_t hitm, transfers, latest;
};

/* A thread from start to end, as the replays reach them. */
struct life {
	struct model_thread_total total;
	uint32_t left; /* replays that have not reached its end; in the free list: the next one */
	bool open;
};

/* Hits like each other, of which one in hit_period is told. */
struct hit_cell {
	struct model_site *site;
	uint32_t line;
	uint8_t offset, op, size;
	uint64_t count; /* since the last one told */
	uint32_t latency;
};

struct model {
	struct model_config config;
	struct model_sink sink;
	struct topology topology;
	struct gate gate;
	struct shadow shadow;
	struct ring_pool pool;
	bool closed;
	unsigned int slots; /* ever used */
	struct bitset waiting;
	uint64_t wakes, waits;
	uint32_t lives, life_free;
	uint32_t alive;
	struct model_total total;
	struct replay replay[MODEL_HOLDS];
	struct model_thread thread[MODEL_THREADS];
	struct life life[LIVES];
	struct hit_cell cell[MODEL_THREADS][HIT_CELLS];
};

static inline uint64_t thread_time(const struct model_thread *t)
{
	return t->fast.instructions + t->fast.stall;
}

#endif
