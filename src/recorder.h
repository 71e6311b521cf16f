/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of the software model in the making: what the front doors say goes in, a perf.data
 * comes out. */
#ifndef HITMAP_RECORDER_H
#define HITMAP_RECORDER_H

#include "door_read.h"
#include "map.h"
#include "perfdata_write.h"

struct recorder {
	struct intern *pool;
	struct perfdata_writer *writer;
	struct door_output output; /* for doors */
	const struct model_machine *machine;
	struct door **doors; /* every one that connected, in the order they did */
	uint32_t door_count, door_room;
	uint64_t samples;	   /* written */
	struct symtab *map_symtab; /* of the file that was mapped last */
	const char *map_path;
	struct map identified; /* paths whose build id was looked for */
};

/* Creates the file; it is removed again by no one. */
struct err *recorder_open(struct recorder *r, const char *path, const struct model_machine *machine,
			  const struct perfdata_features *features);

/* A door for a connection; its clock starts where the recording is now. */
struct door *recorder_door(struct recorder *r);
/* Announces the process of a door that has greeted. "name": the program's when this is the process
 * that was started, NULL for one that was forked from it. */
struct err *recorder_process(struct recorder *r, const struct door *d, uint32_t parent,
			     const char *name);
/* Tells readers how far they may sort; "open" says of each door whether it may still send. */
struct err *recorder_round(struct recorder *r, bool (*open)(void *context, const struct door *d),
			   void *context);

struct err *recorder_note(struct recorder *r, const struct note *n);
struct err *recorder_remark(struct recorder *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The note on the whole run; a later one replaces it. "complete": it ended by itself. */
struct err *recorder_total(struct recorder *r, bool complete);

/* Finishes the file and frees all; "*bytes" is its size. */
struct err *recorder_close(struct recorder *r, uint64_t *bytes);

#endif
