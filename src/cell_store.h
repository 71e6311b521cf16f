/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that is counted while samples come in: cells, each of one code address and one data
 * address, packed into a cache line, as most are touched a few times by a few threads and a
 * recording may have millions of them. Which cells make a line is asked only at the end.
 *
 *	packed, 64 bytes	eight-bit counts, a bit each for the first 63 CPUs and threads,
 *				roughly when its first and last samples were
 *	and more, on demand	what the counts had when they were full, sets of the CPUs and
 *				threads that have no bit
 *
 * Cells are numbered in the order they came.
 */
#ifndef HITMAP_CELL_STORE_H
#define HITMAP_CELL_STORE_H

#include "profile.h"

#define CELL_NONE UINT32_MAX

struct cell_store;

/* What tells a cell from others. */
struct cell_key {
	uint64_t ip, addr;
	uint64_t phys_addr;		   /* 0 when not recorded */
	const struct mapping *data, *code; /* of "addr" and "ip"; NULL when unknown */
	uint32_t pid;			   /* of the address; 0: the kernel's */
	uint32_t site; /* as cell_key() gives it: the same for one "ip" in the same memory */
};

/* What a group of cells has in all. */
struct cell_sum {
	struct counts counts;
	uint32_t writers, actors; /* threads, or CPUs where threads are not known */
	uint64_t unmapped;	  /* samples whose mapping was not known when they came */
};

struct cell_store *cell_store_new(void);
void cell_store_free(struct cell_store *s);
uint32_t cell_store_count(const struct cell_store *s);
/* No cell will be looked for any more: frees what that needs. */
void cell_store_close(struct cell_store *s);

/*
 * The cell of a key, which is made when there is none. With millions of cells nearly every step
 * waits for memory; the steps for several keys are to be taken side by side, so that they wait
 * together: cell_place() of each, cell_prefetch() of each, cell_find() of each.
 */
struct cell_place {
	uint32_t hash, site, data;
};
struct cell_place cell_place(struct cell_store *s, const struct cell_key *key);
void cell_prefetch(const struct cell_store *s, const struct cell_place *place);
uint32_t cell_find(struct cell_store *s, const struct cell_key *key,
		   const struct cell_place *place);
/* A sample on its way to its cell. */
struct cell_sample {
	const struct sample *sample; /* whose step is known */
	uint32_t cell;
};

void cell_count(struct cell_store *s, const struct cell_sample *samples, uint32_t count);

/* ---- When all is counted */

struct cell_key cell_key(const struct cell_store *s, uint32_t cell);
void cell_touch(const struct cell_store *s, uint32_t cell); /* a hint: it will be asked for */
/* One cell from "count" of them, which are of one line, one offset and one code address. */
void cell_unpack(const struct cell_store *s, const uint32_t *cells, uint32_t count,
		 struct cell *cell);
/*
 * Who writes, and how many there are. An instruction that was seen to store or to lock does so for
 * every thread that runs it, whichever half of it was sampled.
 */
struct cell_sum cell_add_up(const struct cell_store *s, const uint32_t *cells, uint32_t count);
struct counts cell_total(const struct cell_store *s); /* of all cells */

/* All CPUs and threads that were seen. */
void cell_actors(const struct cell_store *s, struct idset *cpus, struct idset *threads);

#endif
