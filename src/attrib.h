/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attribution: which mapping an address belonged to when it was sampled, and, later and only for
 * rows that are shown, the name its owner would use for it.
 */
#ifndef HITMAP_ATTRIB_H
#define HITMAP_ATTRIB_H

#include "source.h"

struct attrib;
struct mapping; /* lives as long as its attrib, also after it was unmapped or its process ended */

struct attrib *attrib_new(struct intern *pool);
void attrib_free(struct attrib *a);

/* Files that a recording names are looked for below "folder", which stays the caller's. To be
 * called before anything is named. */
void attrib_set_root(struct attrib *a, const char *folder);
/* Debug information that is not found here is asked of servers: see debuginfod.h. */
void attrib_set_fetch(struct attrib *a, bool fetch);
/* Where perf-PID.map files are, besides /tmp. */
void attrib_set_jit_folder(struct attrib *a, const char *folder);

/* Notes EVENT_MAP, EVENT_SYMBOL, EVENT_BUILD_ID, EVENT_COMM, EVENT_FORK, EVENT_EXIT and object
 * notes; ignores the others. */
void attrib_event(struct attrib *a, const struct event *ev);

/* The mapping that holds "addr" in process "pid" now; NULL when none is known. Fast. "cpumode"
 * tells kernel addresses (PERF_RECORD_MISC_KERNEL) from user ones. */
const struct mapping *attrib_mapping(struct attrib *a, uint32_t pid, uint8_t cpumode,
				     uint64_t addr);

/*
 * The first mapping of the same memory as "m" (may be NULL). A recording tells of a mapping again
 * when it grows or changes its rights, and never of its end: what follows at an address, of the
 * same file and offset or of the same name without a file, counts as the same memory.
 */
const struct mapping *attrib_memory(const struct mapping *m);

/* What the recording said of a mapping. */
const struct event_map *attrib_map(const struct mapping *m);

/*
 * What tells memory that other processes may have mapped too, perhaps at other addresses, from
 * other such memory: one pointer each file (or shared anonymous memory), NULL for private memory.
 * "*place": of "addr" in it, bytes.
 */
const void *attrib_shared(const struct mapping *m, uint64_t addr, uint64_t *place);

/* The objects of the kernel that notes named, in no order; with the process each is of, or 0. */
struct object;
const struct object *attrib_kernel_objects(const struct attrib *a, uint32_t *count);

/* The name of a thread, or NULL. */
const char *attrib_comm(const struct attrib *a, uint32_t pid, uint32_t tid);

/* How the name of data was found; several may have a part in one. */
enum attrib_route {
	ROUTE_SYMBOL = 1 << 0,	    /* a symbol of the file holds the address */
	ROUTE_INSTRUCTION = 1 << 1, /* what the instruction's registers point to */
	ROUTE_ALLOCATION = 1 << 2,  /* a block of the heap's log */
	ROUTE_NOTE = 1 << 3,	    /* the recording says so */
	ROUTE_STACK = 1 << 4,	    /* a variable in a stack frame */
	ROUTE_SHARED = 1 << 5,	    /* memory that processes share, by its name and offset */
};

enum attrib_confidence {
	CONFIDENCE_NONE,    /* nothing was named */
	CONFIDENCE_UNSURE,  /* what was found contradicts itself */
	CONFIDENCE_LIKELY,  /* follows from the code: true unless that casts its pointers */
	CONFIDENCE_CERTAIN, /* follows from the address */
};

/* Where a data address lies. Strings are interned; NULL where unknown. */
struct data_place {
	const char *object; /* the object's own name: "root_user", "shared_pool", "[heap]" ... */
	uint64_t object_offset;		   /* of the address in it, bytes */
	uint64_t object_size;		   /* 0 when unknown */
	const char *type;		   /* "struct user_struct" */
	const char *field;		   /* "sigpending", "used[3].count" */
	uint32_t field_offset, field_size; /* of the field in the object */
	const char *section;		   /* ".bss", ".data" */
	const char *file;		   /* base name of the mapped file */
	uint8_t routes;			   /* ROUTE_, together */
	enum attrib_confidence confidence;
};

/* Where a code address lies. */
struct code_place {
	const char *function;	  /* demangled; the innermost that is the program's own */
	const char *inlined_in;	  /* the function whose code it became part of, or NULL */
	uint64_t function_offset; /* of the address in it; without a function, in the file */
	const char *file;	  /* base name of the mapped file */
	const char *source;	  /* base name of the source file, NULL without DWARF */
	uint32_t line;
};

/* What names kernel addresses from now on; moved to where the recording's kernel was. "names" must
 * live as long as places are asked for. False when its symbols are of another kernel, by its build
 * id or by where the recording has the image: they are dropped then. */
struct kernel_names;
bool attrib_kernel_names(struct attrib *a, struct kernel_names *names);

/* Both fill "place" as far as they can; false when nothing at all is known. "m" is the mapping
 * found when the sample was taken (may be NULL). */
bool attrib_data(struct attrib *a, const struct mapping *m, uint32_t pid, uint64_t addr,
		 struct data_place *place);
/* What "place" lacks, by the instruction at "ip" that touched "addr". Instructions that do not
 * agree make it unsure. */
void attrib_data_by_code(struct attrib *a, const struct mapping *code, uint64_t ip, uint64_t addr,
			 struct data_place *place);
/* To be called for all data before any is named by the above: learns from instructions that touch
 * thread-local data where the threads' blocks are. "tid": of the thread, UINT32_MAX when unknown.
 * "m": the mapping of "addr". */
void attrib_learn(struct attrib *a, const struct mapping *m, const struct mapping *code,
		  uint64_t ip, uint32_t pid, uint32_t tid, uint64_t addr);
bool attrib_code(struct attrib *a, const struct mapping *m, uint64_t addr,
		 struct code_place *place);

/* How many of the files that names were asked of are not those that were recorded any more (another
 * build id), so that they give no names; "*first" (may be NULL) is the path of one, NULL for none.
 */
uint64_t attrib_changed_files(const struct attrib *a, const char **first);

/* The same of files without debug information: no fields, no source lines. */
uint64_t attrib_bare_files(const struct attrib *a, const char **first);

#endif
