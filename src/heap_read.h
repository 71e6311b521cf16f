/* SPDX-License-Identifier: GPL-2.0-only */
/* The log that libhitmap-heap.so wrote of a program's heap: model/heap_log.h. */
#ifndef HITMAP_HEAP_READ_H
#define HITMAP_HEAP_READ_H

#include "err.h"
#include "note.h"

#include <stdint.h>

/* Makes an empty log, which the library will fill. */
struct err *heap_log_create(const char *path);

struct heap_log_result {
	uint64_t records;  /* 0: the library was not loaded, or nothing was asked for */
	uint64_t blocks;   /* noted */
	uint64_t left_out; /* blocks that there was no room for */
	bool full;	   /* the log's end is not the program's */
};

/*
 * Gives a NOTE_BLOCK for each block to "note" until that fails; returns its error. Where blocks
 * came after one another at the same place, the one that was there longest stands for all. No file
 * is no error.
 */
struct err *heap_log_read(const char *path,
			  struct err *(*note)(void *context, const struct note *n), void *context,
			  struct heap_log_result *result);

/* What a report should say of it, or NULL; to be freed. */
char *heap_log_remark(const struct heap_log_result *result);

#endif
