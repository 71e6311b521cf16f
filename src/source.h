/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source is a stream of events in order of time, whatever they come from: a perf.data file, a
 * pipe, a ring. Every analysis consumes this and nothing else.
 */
#ifndef HITMAP_SOURCE_H
#define HITMAP_SOURCE_H

#include "chain.h"
#include "err.h"
#include "note.h"
#include "sample.h"

enum event_kind {
	EVENT_SAMPLE,
	EVENT_MAP,
	EVENT_COMM,
	EVENT_FORK, /* a thread or process starts */
	EVENT_EXIT,
	EVENT_LOST,	/* records were lost before they reached the file */
	EVENT_NOTE,	/* a private record of hitmap */
	EVENT_SYMBOL,	/* what the recording itself says of a code address */
	EVENT_BUILD_ID, /* of a file that is mapped already: its path and build id, in "map" */
};

struct event_map {
	uint64_t start, size, offset; /* offset: bytes into the file */
	uint64_t inode;		      /* 0 when not recorded */
	uint32_t major, minor;
	uint32_t prot; /* PROT_ bits; PROT_EXEC alone for PERF_RECORD_MMAP of code */
	bool kernel;
	bool shared;	  /* MAP_SHARED: other processes may have the same memory */
	const char *path; /* interned; "//anon", "[heap]", "[kernel.kallsyms]_text", ... */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0 when not recorded */
};

struct event {
	enum event_kind kind;
	uint64_t time; /* ns, 0 when not recorded */
	uint32_t pid, tid;
	union {
		struct sample sample;
		struct event_map map;
		struct {
			const char *name; /* interned */
			bool exec;	  /* the program changed: old maps are gone */
		} comm;
		struct {
			uint32_t parent_pid, parent_tid;
		} fork;
		struct {
			uint64_t count; /* records */
		} lost;
		struct note note;
		struct {
			uint64_t addr, offset; /* offset: of addr in what is named */
			const char *name;      /* interned, or NULL */
			const char *file;      /* interned */
		} symbol;
	};
};

static inline struct event event_of_sample(const struct sample *s)
{
	return (struct event){
		.kind = EVENT_SAMPLE, .time = s->time, .pid = s->pid, .tid = s->tid, .sample = *s
	};
}

struct recording_event {
	const char *name; /* interned; "event 0" when not recorded */
	uint32_t type;	  /* perf_event_attr.type */
	uint64_t config, config1;
	uint64_t period; /* fixed, of samples that do not carry theirs; 0 when there is none */
	struct sample_layout layout;
	uint64_t samples; /* seen so far */
};

/* Physical memory of one node. */
struct recording_memory {
	uint64_t start, size; /* bytes */
	uint32_t node;
};

/* Of Arm SPE's data. */
struct recording_spe {
	bool recorded;
	uint64_t records;    /* each became one sample */
	uint64_t collisions; /* buffers in which operations were lost to others being sampled */
	uint64_t truncated;  /* buffers that were too small */
	uint64_t lost_bytes; /* of records that were cut off or damaged */
	uint64_t unknown;    /* packets of a later architecture, in records */
};

/* What is known of a whole recording. Strings are interned, NULL when not recorded. */
struct recording {
	const char *path; /* "-" for standard input */
	const char *host, *kernel, *arch, *cpu, *cpuid, *command, *recorder;
	uint32_t cpus;	    /* 0 when not recorded */
	uint32_t *cpu_node; /* by CPU, "cpu_nodes" of them; UINT32_MAX: unknown */
	uint32_t cpu_nodes;
	struct recording_memory *memory; /* no two overlap */
	uint32_t memory_count;
	struct recording_event *events;
	uint32_t event_count;
	struct chain_set *chains;	/* of callers; NULL when no sample has any */
	uint64_t first_time, last_time; /* of samples, ns */
	uint64_t lost;			/* records and samples lost, as far as recorded */
	uint64_t throttled;		/* times the kernel paused an event that came too often */
	uint64_t aux_bytes;		/* of AUX area data (Intel PT, ...), skipped */
	const char *aux_kind;		/* what made AUX data; NULL when not recorded */
	struct recording_spe spe;
	uint64_t unknown_records;   /* skipped by their size */
	uint64_t malformed_records; /* samples shorter than their layout, skipped */
	bool truncated;		    /* cut off or damaged: its end could not be read */
	const char *damage;	    /* where and how, NULL when not known */
};

struct source;

struct source_ops {
	const char *name;
	/* The next event, or "*end". An error ends the stream; what was given before is good. */
	struct err *(*next)(struct source *s, struct event *ev, bool *end);
	/* Samples that come next, up to "room"; 0: ask next(). NULL where next() gives all. */
	size_t (*samples)(struct source *s, struct sample *to, size_t room);
	void (*close)(struct source *s);
};

struct source {
	const struct source_ops *ops;
	bool loose; /* set by who does not care in which order samples come between two events */
	struct recording recording; /* complete once the stream has ended */
};

static inline struct err *source_next(struct source *s, struct event *ev, bool *end)
{
	return s->ops->next(s, ev, end);
}

static inline size_t source_samples(struct source *s, struct sample *to, size_t room)
{
	return s->ops->samples ? s->ops->samples(s, to, room) : 0;
}

static inline void source_close(struct source *s)
{
	if (s)
		s->ops->close(s);
}

#endif
