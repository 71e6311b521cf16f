/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks. On the thread's side they are recognised from its own accesses; at the replay their
 * sections may be in another order than on the host, but never overlap.
 *
 * A test-and-set lock: an exchange, compare-and-exchange or bit-test-and-set is a candidate; a
 * write after which the word is 0 is a release. A word is a lock once one thread did the one and
 * then the other. A ticket lock: a thread draws number n from one word, reads n in another word of
 * the line, and later writes n + 1 there.
 */
#ifndef HITMAP_LOCK_H
#define HITMAP_LOCK_H

#include "state.h"

#define LOCK_LONG (1u << 20) /* instructions after which a lock is taken for abandoned */

enum lock_meaning { LOCK_NOTHING, LOCK_ATTEMPT, LOCK_ACQUIRE, LOCK_RELEASE };

/* Thread's side: what the access means; for ACQUIRE and RELEASE "*lock" says of which word. */
enum lock_meaning lock_note(struct model_thread *t, const struct access *a, uint8_t *lock);

/* Whether the thread only tries to take a lock: it must not be stopped, nor be charged for it. */
bool lock_attempting(const struct model_thread *t);
/* ... and its first attempt was in vain. */
bool lock_failed(const struct model_thread *t);
/* ... at this word. */
bool lock_attempting_at(const struct model_thread *t, uint64_t addr);
/* Whether the thread never tried to take held lock "i", but only spun on it. */
bool lock_looked(const struct model_thread *t, unsigned int i);

/* Replay's side. The first record of "thread" takes a lock: ACCESS when it may go on to its access,
 * or to one more that a waiter makes; AGAIN when it is parked. */
enum coherence_next lock_enter(struct replay *r, unsigned int thread, const struct record *record);
void lock_leave(struct replay *r, unsigned int thread, const struct record *record,
		uint64_t cycles);
/* A forced thread no longer waits; it takes the lock. */
void lock_force(struct replay *r, unsigned int thread, const struct record *record);
/* Makes the taking record that of a waiter's read: its site and its word. */
void lock_tell(struct replay *r, struct record *record);

#endif
