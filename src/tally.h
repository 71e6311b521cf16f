/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a profile does not count: on which CPU, when, and after whose write. Kept only for lines
 * that are looked at, which are known from a profile: of a recording in a second reading of it, of
 * a live source from then on. Bounded: so many lines, cells, pairs and slices of time.
 */
#ifndef HITMAP_TALLY_H
#define HITMAP_TALLY_H

#include "profile.h"

#define TALLY_LINES  256
#define TALLY_CELLS  (1u << 18) /* of all lines */
#define TALLY_SLICES 240
#define TALLY_PAIRS  (1u << 16)

/* Real numbers, as those of a live source decay. */
struct tally_count {
	double samples, stores, hitm, peer, latency; /* latency: cycles, their sum */
};

/* One offset of a line, on one CPU. */
struct tally_cell {
	uint32_t offset, cpu; /* cpu: may be SAMPLE_NO_CPU */
	struct tally_count count;
};

/* HITM at one offset after another CPU's write, the last one that was sampled, to another. */
struct tally_pair {
	uint32_t victim, aggressor; /* offsets */
	double hitm;
};

struct tally_line {
	uint64_t addr; /* of its first byte */
	uint32_t pid;  /* 0: the kernel's */
	struct tally_cell *cells;
	uint32_t cell_count, cell_room;
	struct tally_pair *pairs;
	uint32_t pair_count, pair_room;
	uint32_t writer, written; /* the last write: CPU and offset */
	bool was_written;
	struct tally_count slices[TALLY_SLICES];
};

struct tally {
	struct tally_line *lines;
	uint32_t line_count, line_size;
	uint64_t start, slice;	   /* ns: when slice 0 began, how long each is; slice 0: no times */
	uint32_t slices;	   /* that have begun, TALLY_SLICES at most */
	bool cells_full;	   /* some cells had no room: CPUs are not complete */
	struct tally_index *index; /* finds lines and cells */
};

/* Watches the first lines of a profile, TALLY_LINES at most. "from" and "to": the time it will see
 * samples of, ns; both 0: not known, so that there are no slices. */
struct tally *tally_new(const struct profile *p, uint64_t from, uint64_t to);
/* Of a live source: each slice takes "slice" ns, and what came before the last TALLY_SLICES of them
 * is forgotten. */
struct tally *tally_new_live(uint32_t line_size, uint64_t slice);
void tally_free(struct tally *t);

/* From now on also the lines of "p"; those of before that are not in it any more make room. */
void tally_watch(struct tally *t, const struct profile *p);
/* Multiplies the cells and pairs (not the slices) by "factor", and forgets those with less than
 * "least" samples. */
void tally_decay(struct tally *t, double factor, double least);
/* Samples should come in order of time. "data": the mapping of s->addr, may be NULL. */
void tally_sample(struct tally *t, const struct sample *s, const struct mapping *data);
/* A copy that stays as it is while the original goes on. */
struct tally *tally_copy(const struct tally *t);

/* Reads a source again from its start. "attrib" is the one that the profile was made with: what
 * tells shared memory apart is its own. */
struct err *tally_read(struct tally *t, struct source *s, struct attrib *attrib);

/* The line of "addr" and "pid"; NULL when it is not watched. */
const struct tally_line *tally_find(const struct tally *t, uint64_t addr, uint32_t pid);

#endif
