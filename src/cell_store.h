/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cells of all lines while they are counted, packed: most are touched a few times by a few
 * threads, and a recording may have millions of them.
 *
 *	packed, 56 bytes	eight-bit counts, a bit each for the first 63 CPUs and threads
 *	and more, on demand	whole counts, sets of the CPUs and threads that have no bit
 *
 * A line's cells are chained; they are found by walking the chain, and through a table once the
 *line has many.
 */
#ifndef HITMAP_CELL_STORE_H
#define HITMAP_CELL_STORE_H

#include "profile.h"
#include "table.h"

#define CELL_NONE UINT32_MAX

struct cell_store;

/* The cells of one line: the newest, and how many. */
struct cell_chain {
	uint32_t first, count;
};

/* What a sealed line needs of its cells, without the cells. */
struct cell_sum {
	struct counts counts;
	uint32_t writers, actors; /* threads, or CPUs where threads are not known */
};

struct cell_store *cell_store_new(void);
void cell_store_free(struct cell_store *s);

/* Counts a sample at "offset" of line "line", whose code lies in "code". */
void cell_count(struct cell_store *s, struct cell_chain *chain, uint32_t line, uint32_t offset,
		const struct mapping *code, const struct sample *sample,
		const struct data_source *source);

/*
 * Hints: the memory that counting of a line will ask for soon. "*at" is CELL_NONE at first; each
 * call goes one cell further along the chain, so that those of many lines come from memory at once.
 */
void cell_prefetch(const struct cell_store *s, const struct cell_chain *chain, uint32_t *at);

/* Writes the cells of a chain, "chain->count" of them, newest first. */
void cell_unpack(const struct cell_store *s, const struct cell_chain *chain, struct cell *cells);
/*
 * Who writes, and how many there are. An instruction that was seen to store or to lock does so for
 * every thread that runs it, whichever half of it was sampled.
 */
struct cell_sum cell_add_up(const struct cell_store *s, const struct cell_chain *chain);

/* All CPUs and threads that were seen. */
void cell_actors(const struct cell_store *s, struct idset *cpus, struct idset *threads);

#endif
