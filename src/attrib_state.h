/* SPDX-License-Identifier: GPL-2.0-only */
/* What attribution keeps, for the files that are parts of it: attrib.c (mappings), spot.c (files),
 * data_place.c and code_place.c (names). */
#ifndef HITMAP_ATTRIB_STATE_H
#define HITMAP_ATTRIB_STATE_H

#include "attrib.h"
#include "backing.h"
#include "binary.h"
#include "map.h"
#include "object_set.h"
#include "range.h"
#include "told.h"

#define ATTRIB_ANCESTORS 16 /* forked from forked from ... */

#define ATTRIB_LAST 4 /* ranges of a process that are tried first */

struct process;

struct mapping {
	struct event_map map;
	uint64_t end;
	struct process *owner;
	struct mapping *previous;     /* of the same file in the same process */
	struct mapping *below;	      /* what ended where this one starts, when it is no file */
	const struct mapping *memory; /* the first mapping of the same memory, perhaps itself */
	const char *shared; /* names what other processes can map, too; NULL when private */
};

/* The thread-local variables of one thread. */
struct thread_block {
	uint64_t pointer;	    /* the thread pointer */
	const struct mapping *code; /* of the program whose instruction told */
	uint32_t tid;		    /* UINT32_MAX: unknown */
};

struct process {
	struct process *parent; /* whose memory it had when it was forked */
	struct process *older;	/* in the list of all */
	struct range_set ranges;
	struct range last[ATTRIB_LAST]; /* found last; code and data take turns */
	uint32_t oldest;		/* of them */
	struct map last_of_path;	/* path -> its last mapping */
	struct mapping **file;		/* the first mapping of each file, as they came */
	uint32_t files, file_room;
	struct object_set objects, heap;
	struct jit_map *jit; /* of code it made; NULL: none, or not looked for */
	bool jit_sought;
	uint32_t pid;
	struct thread_block *block;
	uint32_t blocks, block_room;
	bool guessed; /* the maps are the parent's, though the fork was not recorded live */
};

struct attrib {
	struct intern *pool;
	struct intern *backings; /* its own: a source may use "pool" while events are noted */
	struct range_pool ranges;
	struct process kernel;
	struct process *processes; /* the last first */
	struct map process_of_pid;
	struct process *last_process;
	uint32_t last_pid;
	struct told told;
	struct binary_places places;
	const char *jit_folder; /* besides /tmp; NULL: none */
	struct map comms;	/* pid << 32 | tid -> interned name */
	struct mapping **mapping;
	uint32_t mappings, mapping_room;
	struct map binaries; /* path -> struct binary */
	struct map biases;   /* mapping -> load bias, or NO_BIAS */
	struct map changed;  /* binaries that are not the recorded ones */
	const char *first_changed;
	struct map bare; /* binaries without debug information */
	const char *first_bare;
	struct map operands; /* of code addresses: index in "operand" */
	struct operand *operand;
	uint32_t operand_count, operand_room;
	struct map repeated; /* callers that asked for several blocks */
	const struct kernel_names *kernel_names; /* NULL: none */
};

static inline bool mapping_is_file(const struct mapping *m)
{
	return !backing_pseudo(m->map.path);
}

struct process *process_find(struct attrib *a, uint32_t pid); /* NULL when not known */

/* The last part of a path, without "(deleted)"; interned. */
const char *attrib_base_name(struct attrib *a, const char *path);
/* The name of the kernel's file that is mapped there: "[kernel]", or a module. */
const char *attrib_kernel_file(struct attrib *a, const struct mapping *m);

/* Of "b", which is remembered when it has none. */
struct dwarf *attrib_dwarf(struct attrib *a, struct binary *b);

#endif
