/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile: every count that any report shows, by line and cell. Filled from a stream of events,
 * sealed once, const from then on.
 */
#ifndef HITMAP_PROFILE_H
#define HITMAP_PROFILE_H

#include "attrib.h"
#include "data_source.h"
#include "line.h"
#include "map.h"
#include "source.h"

/* A set of small numbers (CPUs, threads), as much as is needed to count its members. */
struct idset {
	uint32_t *id; /* ascending */
	uint32_t count, room;
};

struct counts {
	uint64_t samples, loads, stores;
	uint64_t hitm[MEMORY_DISTANCES];
	uint64_t store_misses; /* stores that missed the first level */
	uint64_t peer;
	uint64_t locked;
	uint64_t latency_sum, latency_samples; /* cycles; only samples that carry one */
	uint64_t accesses; /* sum of the samples' periods */
};

/* One code address touching one offset of a line. */
struct cell {
	uint32_t offset; /* in the line */
	uint64_t ip;
	const struct mapping *code; /* of ip */
	struct counts counts;
	struct idset cpus, threads;
};

struct contended_line {
	uint64_t addr; /* of its first byte, as first seen */
	uint32_t pid;
	const struct mapping *data;
	struct counts counts;
	struct counts halves[LINE_HALVES];
	uint64_t word_heat[LINE_WORDS]; /* sampled cycles by eighth of the line */
	struct idset cpus, threads;
	struct cell *cells; /* sorted by offset, then by latency, falling */
	uint32_t cell_count;
	uint32_t writers, readers; /* threads that write, that read and never write */
	bool contended; /* touched by two threads, written by one at least, and moved between caches */
	const struct note_line *exact; /* the model's totals, or NULL */
};

struct profile {
	struct counts total;
	uint64_t unusable_no_source; /* not memory samples: data_src absent or N/A */
	uint64_t unusable_no_address;
	uint64_t without_mapping; /* usable, but no mapping is known */
	uint32_t line_size; /* bytes */
	struct contended_line *lines; /* sorted: contended first, by cost, then HITM, then address */
	uint32_t line_count, contended_count;
	struct idset cpus, threads;
	/* From notes: */
	struct note_model *model; /* NULL when measured */
	struct note_operation *operations;
	uint32_t operation_count;
	struct note_thread *model_threads;
	uint32_t model_thread_count;
	const char **remarks;
	uint32_t remark_count;
};

struct profile_builder;

struct profile_builder *profile_builder_new(struct attrib *attrib, uint32_t line_size);
void profile_add(struct profile_builder *b, const struct event *ev);
/* Seals: computes what needs all samples, sorts. Frees the builder. */
struct profile *profile_seal(struct profile_builder *b);
void profile_free(struct profile *p);

/* All of the above for a source: reads it to its end. On an error the profile holds what came before
 * it ("*profile" is set all the same). */
struct err *profile_read(struct source *s, struct attrib *attrib, struct profile **profile);

static inline uint64_t counts_hitm(const struct counts *c)
{
	return c->hitm[0] + c->hitm[1] + c->hitm[2];
}

#endif
