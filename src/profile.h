/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile: every count that any report shows, by line and cell. Filled from a stream of events,
 * sealed once, const from then on.
 */
#ifndef HITMAP_PROFILE_H
#define HITMAP_PROFILE_H

#include "attrib.h"
#include "data_source.h"
#include "idset.h"
#include "line.h"
#include "source.h"
#include "step.h"

struct counts {
	uint64_t samples, loads, stores;
	uint64_t hitm[MEMORY_DISTANCES];
	uint64_t store_misses; /* stores that missed the first level */
	uint64_t peer;
	uint64_t locked;
	uint64_t latency_sum, latency_samples; /* cycles; only samples that carry one */
	uint64_t accesses;		       /* sum of the samples' periods */
};

/* Where a call was. */
struct cell_frame {
	const struct mapping *code; /* NULL when unknown */
	uint64_t ip;		    /* in the calling instruction */
};

/* The calls that lead to the samples of a cell, as far as they were recorded. */
struct cell_chain {
	struct cell_frame *frame; /* the innermost first */
	uint32_t frames;
	struct counts counts;
};

/* One code address touching one offset of a line. */
struct cell {
	uint32_t offset; /* in the line */
	uint64_t ip;
	const struct mapping *code; /* of ip; NULL when unknown */
	struct counts counts;
	struct idset cpus, threads;
	uint16_t first, last;	  /* codes of phase.h: its samples; 0: times were not recorded */
	struct cell_chain *chain; /* in no order; one may come several times */
	uint32_t chains;
};

/* What shows that a line moved between caches, from the weakest to the strongest. */
enum evidence {
	EVIDENCE_NONE,
	EVIDENCE_STORES, /* two threads store to it; no load was seen to pay */
	EVIDENCE_PEER,	 /* came from another core's cache, perhaps clean */
	EVIDENCE_HITM,
};

/* A line that two threads touched, or that came from another core's cache. */
struct contended_line {
	uint64_t addr;		    /* of its first byte */
	uint32_t pid;		    /* 0: the kernel's */
	const struct mapping *data; /* NULL when unknown */
	struct counts counts;
	struct counts halves[LINE_HALVES];
	uint64_t word_heat[LINE_WORDS]; /* sampled cycles by eighth of the line; HITM when the
					 * recording has no latency */
	struct idset cpus, threads;
	struct cell *cells; /* sorted by offset, then by latency, falling */
	uint32_t cell_count;
	uint32_t writers, readers; /* threads that write, that read and never write */
	enum evidence evidence;
	bool contended; /* touched by two threads, written by one at least, and moved between caches
			 */
	const struct note_line *exact; /* the model's totals, or NULL */
	uint32_t first; /* tells lines of one address apart: the order they came in */
};

/* Lines 2N and 2N+1, each used by one thread alone, not the same one, and one of them written.
 * Where the adjacent-line prefetcher moves pairs of lines, they disturb each other. */
struct pair_candidate {
	uint64_t addr; /* of line 2N */
	uint32_t pid;  /* 0: the kernel's */
	const struct mapping *data;
	uint64_t samples[2], stores[2];
	uint32_t actor[2];  /* thread, or CPU where threads are not known */
	uint32_t offset[2]; /* in its line, of one access */
};

/* Lines that were only counted. */
struct small_lines {
	uint64_t lines, hitm, latency;
};

struct touched;

struct profile {
	struct counts total;	     /* of usable samples: a load or a store with an address */
	uint64_t unusable_no_source; /* not memory samples: data_src absent or N/A */
	uint64_t unusable_no_address;
	uint64_t without_mapping;     /* usable, but no mapping is known */
	bool stores_cost;	      /* stores carry a latency too */
	uint32_t line_size;	      /* bytes */
	struct contended_line *lines; /* sorted: contended first, stores-only last of these, by
				       * cost, then HITM, then address */
	uint32_t line_count,
		contended_count; /* contended_count: with those that are not in "lines" */
	struct small_lines small_contended, small_quiet; /* not in "lines" */
	uint32_t private_lines;	      /* touched by one thread, never moved: not in "lines" */
	struct pair_candidate *pairs; /* the most sampled first */
	uint32_t pair_count;
	struct idset cpus, threads;
	struct touched *touched; /* NULL when not asked for */
	uint32_t touched_count;
	/* From notes: */
	struct note_model *model;	   /* NULL when measured */
	struct note_operation *operations; /* one each name and event */
	uint32_t operation_count;
	struct note_thread *model_threads;
	uint32_t model_thread_count;
	struct note_line *exact; /* sorted by pid and address; what lines[].exact points into */
	uint32_t exact_count;
	const char **remarks;
	uint32_t remark_count;
};

struct profile_builder;

/* "line_size": a power of two, 8 at least. */
struct profile_builder *profile_builder_new(struct attrib *attrib, uint32_t line_size);
/* Of which samples come, so that their callers can be told; it must stay as long as they come. */
void profile_recording(struct profile_builder *b, const struct recording *recording);
/* Samples, whose step is known, and what stands between them. */
void profile_add(struct profile_builder *b, const struct event *ev);
void profile_add_samples(struct profile_builder *b, const struct sample *samples, uint32_t count);
/* Seals: computes what needs all samples, sorts. Frees the builder. */
struct profile *profile_seal(struct profile_builder *b);
/* What profile_seal() would give now, while more can be added. Lines are kept as profile_least()
 * says. */
struct profile *profile_snapshot(const struct profile_builder *b);
/* Lines that have less than this share of all latency, of all HITM and of all samples are only
 * counted when the builder is sealed; 0, as at first, keeps every line. */
void profile_least(struct profile_builder *b, double least);
/* Cells so far: each takes 64 bytes and more. */
uint32_t profile_cells(const struct profile_builder *b);
void profile_drop(struct profile_builder *b); /* unsealed */
void profile_free(struct profile *p);
/* All that costs are divided by: what the program counted, or else what the kernel counted.
 * "*one_kind": they have one name. */
uint64_t profile_operations(const struct profile *p, bool *one_kind);

/* How long was recorded: of a modelled run its own time; else from the first sample to the last. 0:
 * not known. */
double profile_seconds(const struct profile *p, const struct recording *r);

/* What of a recording is kept. */
struct profile_wish {
	/* Lines that have less than this share of all latency, of all HITM and of all samples are
	 * only counted; 0 keeps every line. */
	double least;
	bool touched; /* what code of the kernel touched of programs */
};

/* All of the above for a source: reads it to its end. On an error the profile holds what came
 * before it ("*profile" is set all the same). */
struct err *profile_read(struct source *s, struct attrib *attrib, struct profile_wish wish,
			 struct profile **profile);

static inline void counts_add(struct counts *c, const struct counts *more)
{
	c->samples += more->samples;
	c->loads += more->loads;
	c->stores += more->stores;
	for (int d = 0; d < MEMORY_DISTANCES; d++)
		c->hitm[d] += more->hitm[d];
	c->store_misses += more->store_misses;
	c->peer += more->peer;
	c->locked += more->locked;
	c->latency_sum += more->latency_sum;
	c->latency_samples += more->latency_samples;
	c->accesses += more->accesses;
}

static inline void counts_add_sample(struct counts *c, const struct sample *s)
{
	c->samples++;
	c->loads += (s->step & STEP_LOAD) != 0;
	c->stores += (s->step & STEP_STORE) != 0;
	for (int d = 0; d < MEMORY_DISTANCES; d++)
		c->hitm[d] += (s->step & STEP_HITM << d) != 0;
	c->store_misses += (s->step & STEP_STORE_MISS) != 0;
	c->peer += (s->step & STEP_PEER) != 0;
	c->locked += (s->step & STEP_LOCKED) != 0;
	c->latency_sum += s->weight;
	c->latency_samples += s->weight != 0;
	c->accesses += s->period;
}

static inline uint64_t counts_hitm(const struct counts *c)
{
	return c->hitm[0] + c->hitm[1] + c->hitm[2];
}

#endif
