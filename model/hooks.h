/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compile-time hooks: the runtime that "hitmap cc" links into a program in place of the thread
 * sanitizer's. Without WIRE_ENVIRONMENT in the environment it does nothing: every hook then costs a
 * load of a thread-local pointer and a branch.
 */
#ifndef HITMAP_HOOKS_H
#define HITMAP_HOOKS_H

#include "door.h"

#define EXPORT __attribute__((visibility("default")))

/* An access's kind, beside enum model_op. */
enum hook_kind { HOOK_PLAIN, HOOK_ATOMIC, HOOK_MAY_LOCK, HOOK_FETCH_ADD };

/* This thread; NULL when it is not modelled. */
extern __thread struct door_thread *hooks_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

struct door *hooks_door(void); /* NULL when the hooks are inert */

/* "t" has entered the model. "value": the word after the access, or NULL. */
void hooks_report(struct door_thread *t, const void *addr, uint32_t size, enum model_op op,
		  uint64_t ip, enum hook_kind kind, const void *value);

/* As door_enter(), for the calling thread; NULL: not modelled, or inside already. */
static inline struct door_thread *hooks_enter(void)
{
	struct door_thread *t = hooks_self;

	return t && door_enter(t) ? t : NULL;
}

/* A signal handler has interrupted the model on this thread: the door's locks may be its own. */
static inline bool hooks_interrupted(void)
{
	return hooks_self && hooks_self->inside == DOOR_INSIDE;
}

/* The parent's side of pthread_create(): NULL when the child will not be modelled. */
struct door_thread *hooks_thread_new(void);
void hooks_thread_run(struct door_thread *t);
void hooks_thread_end(void);
/* The thread could not be created. */
void hooks_thread_cancel(struct door_thread *t);
/* The process is about to end or to become another program. Nothing happens in a signal handler
 * that interrupted the model: totals are then missing. */
void hooks_finish(void);

#endif
