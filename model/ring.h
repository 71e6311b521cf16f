/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of one thread, in program order: written by the thread (or, while it blocks, by its
 * waker under the model's gate), read by every replay at its own pace. A ring is a chain of chunks
 * from one pool; a chunk goes back when the slowest replay has left it, so memory follows the lead
 * of threads over replays and not the length of the run.
 */
#ifndef HITMAP_RING_H
#define HITMAP_RING_H

#include "gate.h"
#include "model.h"

#define CHUNK_RECORDS 512

enum record_kind {
	RECORD_ACCESS,
	RECORD_TICK,
	RECORD_WAKE,
	RECORD_RESUME,
	RECORD_START,
	RECORD_END
};

enum record_flag {
	RECORD_ACQUIRE = 1,  /* takes lock word "lock" of the line's sync */
	RECORD_RELEASE = 2,  /* gives it back; with TICK: it never was, as far as we saw */
	RECORD_FIFO = 4,     /* ACQUIRE: the lock is handed over in order of arrival */
	RECORD_CHANGED = 8,  /* a read that saw a change: "was" is the value before */
	RECORD_SPUN = 128,   /* with CHANGED: it waits for "value" itself */
	RECORD_COUNTED = 16, /* a write counted in the line's sync, "version" being its number */
	RECORD_VALUE = 32,   /* "value" is known */
	RECORD_NOW = 64,     /* RESUME: nobody woke it; it goes on when the others are */
};

struct record {
	struct model_site *site;
	uint64_t value;	 /* of the word after the access; WAKE, RESUME, START: number of the wake */
	uint32_t line;	 /* index; START: of its life */
	uint32_t cycles; /* of the thread's own time before this record */
	uint32_t version; /* of the line's writes */
	uint32_t was;
	uint32_t need; /* a read goes on when the line has had so many writes; 0: no such condition
			*/
	uint8_t kind, op, flags, lock;
	uint8_t offset, size, spare[2];
};

struct chunk {
	struct chunk *next;
	struct record record[CHUNK_RECORDS];
};

struct ring_pool {
	struct gate gate;
	struct chunk *free;
	struct chunk *base;
	uint32_t used, most; /* chunks ever taken from base; chunks that there are */
};

/* "bytes" of address space; touched only as needed. */
bool ring_pool_init(struct ring_pool *p, uint64_t bytes);
void ring_pool_deinit(struct ring_pool *p, uint64_t bytes);

struct ring {
	struct chunk *tail, *head; /* oldest and newest chunk */
	uint64_t written;	   /* records; published with release order */
	uint64_t freed;		   /* records in chunks that went back */
};

/* A replay's place in a ring. */
struct ring_cursor {
	struct chunk *chunk;
	uint64_t read;
};

bool ring_init(struct ring *r, struct ring_pool *p);
void ring_cursor_init(struct ring_cursor *c, const struct ring *r);

/* Room for one record, not yet visible; NULL when the pool is exhausted. Then ring_publish(). */
struct record *ring_reserve(struct ring *r, struct ring_pool *p);
static inline void ring_publish(struct ring *r)
{
	__atomic_store_n(&r->written, r->written + 1, __ATOMIC_RELEASE);
}

static inline uint64_t ring_unread(const struct ring *r, const struct ring_cursor *c)
{
	return __atomic_load_n(&r->written, __ATOMIC_ACQUIRE) - c->read;
}

/* The next record of a ring that has unread ones. */
static inline const struct record *ring_peek(struct ring_cursor *c)
{
	return &c->chunk->record[c->read % CHUNK_RECORDS];
}

static inline void ring_advance(struct ring_cursor *c)
{
	if (++c->read % CHUNK_RECORDS == 0)
		c->chunk = c->chunk->next;
}

/* Gives back chunks before record "read", which no replay has still to read. */
void ring_trim(struct ring *r, struct ring_pool *p, uint64_t read);

#endif
