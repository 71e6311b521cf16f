/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes: what a recording of hitmap holds beyond perf's own records. Each travels as a JSON text in
 * a record of type 65 (PERF_RECORD_HEADER_EVENT_TYPE, obsolete), which every perf reader skips
 * without a word; a reader of notes skips kinds and names it does not know.
 */
#ifndef HITMAP_NOTE_H
#define HITMAP_NOTE_H

#include "err.h"
#include "intern.h"

#include <stdbool.h>
#include <stdint.h>

#define NOTE_RECORD_TYPE 65
#define NOTE_HOLDS	 3 /* low, typical, high */
#define NOTE_DISTANCES	 3 /* same LLC, same node, other node */

enum note_kind {
	NOTE_UNKNOWN,
	NOTE_MODEL,
	NOTE_THREAD,
	NOTE_LINE,
	NOTE_OBJECT,
	NOTE_OPERATION,
	NOTE_REMARK,
	NOTE_BLOCK
};

/* The run under the software model. */
struct note_model {
	const char *machine, *door; /* door: "qemu" or "hooks", with its version */
	uint32_t mhz, cpus, nodes, llcs, threads;
	uint64_t hold[NOTE_HOLDS];   /* cycles */
	uint64_t cycles[NOTE_HOLDS]; /* of the whole run, by hold */
	uint64_t hitm[NOTE_HOLDS], transfers[NOTE_HOLDS];
	uint64_t instructions, accesses;
	uint64_t forced, breaks, abandoned, unplaced;
	bool complete; /* false: the program or its model did not end by itself */
};

struct note_thread {
	uint32_t pid, tid, cpu;
	uint64_t cycles[NOTE_HOLDS];
	uint64_t instructions, accesses;
};

/* Exact totals of one contended line. */
struct note_line {
	uint32_t pid;
	uint64_t addr, accesses;
	uint64_t hitm[NOTE_HOLDS], transfers[NOTE_HOLDS], cycles[NOTE_HOLDS];
};

/* An object the program or a finder named: "size" bytes at "addr" are a "type" called "name". */
struct note_object {
	uint32_t pid;
	uint64_t addr, size;
	const char *type, *name; /* type: "" when none */
};

/* A block of a heap, as its log tells. */
struct note_block {
	uint32_t pid;
	uint64_t addr, size; /* bytes that were asked for */
	uint64_t caller;     /* return address into what asked for them */
	uint32_t number;     /* of its caller's blocks, from 1 */
	uint32_t others;     /* blocks that were in the same place before or after, for shorter */
};

/* What costs are divided by. */
struct note_operation {
	const char *name; /* "signal queued and freed" */
	uint64_t count;
	const char *event; /* that the kernel counted; NULL or "": the program itself counted */
	uint64_t duration; /* ns that were counted for; 0: not known */
};

/* By the kernel, not by the program. */
static inline bool note_operation_counted(const struct note_operation *o)
{
	return o->event && *o->event;
}

struct note {
	enum note_kind kind;
	union {
		struct note_model model;
		struct note_thread thread;
		struct note_line line;
		struct note_object object;
		struct note_operation operation;
		struct note_block block;
		struct {
			const char *text;
		} remark;
	};
};

/* The JSON text of a note, to be freed. */
char *note_format(const struct note *n);

/* Reads a note; strings go to "pool". An unknown kind is NOTE_UNKNOWN and no error. "size" bytes at
 * "text", NULs at the end are padding. */
struct err *note_parse(struct intern *pool, const char *text, size_t size, struct note *n);

#endif
