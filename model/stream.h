/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams: the program's threads on their way to the replays. The functions of model.h are here
 * too. */
#ifndef HITMAP_STREAM_H
#define HITMAP_STREAM_H

#include "state.h"

/* A record of the thread, its time since the last one filled in; then ring_publish(). */
struct record *stream_append(struct model_thread *t, enum record_kind kind);
void stream_publish(struct model_thread *t, struct record *r);

/* A thread that only yielded or was away, and now does something, goes on where the others are. */
void stream_return(struct model_thread *t);
/* Gives up the locks that the thread seems to hold. */
void stream_unlock(struct model_thread *t);

/* A new thread's quantum, in instructions; it grows with what the thread has run. */
#define STREAM_RAMP 256

/* Under the gate: the thread ends. */
void stream_stop(struct model_thread *t);
/* Under the gate: lets all replays go on, and whoever waits for them. */
void stream_replay(struct model *m);

#endif
