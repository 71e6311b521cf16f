/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shadow: one word for each line of the address space, and the table of contended lines.
 *
 *	0                                            untouched
 *	owner + 1 (| MODEL_WRITTEN)                  one thread only
 *	reader + 1 | second + 1 << 16 | READ_SHARED  several readers, no writer
 *	MODEL_CONTENDED | index                      in the table: every access is a record
 *
 * A line is promoted into the table by the first access that conflicts, and demoted to its owner
 *when only that one has used it for long; promoted again it gets the same place.
 */
#ifndef HITMAP_SHADOW_H
#define HITMAP_SHADOW_H

#include "coherence.h"
#include "gate.h"

#include <stddef.h>

#define MODEL_CONTENDED (1ULL << 63)
#define LINE_LOCKS	8 /* lock words of one line that are followed */
#define LINE_PAST	8 /* values of the latest writes that are remembered */

/* A lock word. A ticket lock has two: "addr" gives the tickets, "serving" is served. */
struct lock_word {
	uint64_t addr, serving;
	struct model_site *spin; /* where its waiters spin, for samples; NULL: unknown */
	uint8_t good;		 /* one thread took and released it: it is a lock */
	uint8_t fifo;		 /* a ticket lock */
};

struct lock_replay {
	uint64_t released; /* when last */
	struct bitset waiters;
	int16_t holder; /* -1: free */
};

/* What is known of synchronisation through a line; allotted when there is some. */
struct sync {
	uint32_t versions; /* counted writes, in the order of the host */
	uint32_t locks;	   /* used of word[] */
	uint8_t spun;	   /* some thread spins on plain loads of it */
	uint64_t acquisitions, releases;
	struct lock_word word[LINE_LOCKS];
	struct sync_replay {
		struct lock_replay lock[LINE_LOCKS];
		struct bitset spinners;	   /* threads parked until the next write */
		uint32_t versions, latest; /* counted writes so far; the newest of them */
		uint32_t past;		   /* writes remembered so far */
		uint32_t past_value[LINE_PAST];
		uint8_t past_offset[LINE_PAST];
	} replay[MODEL_HOLDS];
};

struct line {
	uint64_t addr;
	uint64_t accesses;
	uint32_t sync;	/* index; 0: none */
	uint32_t quiet; /* accesses in a row by quiet_thread that were hits */
	int16_t quiet_thread;
	struct line_replay {
		struct coherence_line line;
		uint64_t hitm[MODEL_DISTANCES], transfers, cycles;
	} replay[MODEL_HOLDS];
};

struct shadow {
	struct gate gate; /* of promotion and of the tables */
	uint64_t *word;
	uint64_t mask; /* of line numbers */
	uint32_t line_shift;
	const struct topology *topology;
	struct line *line; /* 1..lines-1 */
	struct sync *sync; /* 1..syncs-1 */
	uint32_t *find;	   /* hash table: index of the line, 0 empty */
	uint32_t lines, syncs;
};

bool shadow_init(struct shadow *s, const struct topology *topology);
void shadow_deinit(struct shadow *s);

/*
 * What an access by "thread" makes of the word of its line. True: the line stays private or clean.
 * False: it is contended, with index "*line" (0 when the table is full: the access is lost).
 */
bool shadow_note(struct shadow *s, unsigned int thread, uint64_t addr, enum model_op op,
		 uint32_t *line);

/* The index of the address's line if it is contended, else 0. */
uint32_t shadow_find(const struct shadow *s, uint64_t addr);

/* Gives a quiet line back to its owner; the caller has seen that all replays agree on it. */
void shadow_demote(struct shadow *s, struct line *l, unsigned int thread);

/* The line's sync, made when it has none; NULL when the table is full. */
struct sync *shadow_sync(struct shadow *s, struct line *l);

static inline struct sync *shadow_sync_get(const struct shadow *s, const struct line *l)
{
	uint32_t i = __atomic_load_n(&l->sync, __ATOMIC_ACQUIRE);

	return i ? &s->sync[i] : NULL;
}

#endif
