/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks at the kernel's objects again while a recording goes on: those of a program, such as its
 * futex buckets, are made when it runs. A look takes a tenth of a second of a CPU, so that it is
 * taken on a thread of its own, and ever more seldom.
 */
#ifndef HITMAP_OBJECT_WATCH_H
#define HITMAP_OBJECT_WATCH_H

#include "note.h"

typedef struct err *(*object_put)(void *to, const struct note *n);
typedef struct err *(*object_look)(object_put put, void *to);

/* What is found is put to "to", always by the caller's thread, and every object once. */
struct object_watch *object_watch_new(object_look look, object_put put, void *to);
void object_watch_free(struct object_watch *w); /* waits for a look that is under way; or NULL */

/* Looks now. */
struct err *object_watch_now(struct object_watch *w);
/* To be called from time to time; "ms": since the recording began. */
struct err *object_watch_tick(struct object_watch *w, uint64_t ms);

#endif
