/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams: the program's threads on their way to the replays. The functions of model.h are here
 * too. */
#ifndef HITMAP_STREAM_H
#define HITMAP_STREAM_H

#include "state.h"

/* A record of the thread, its time since the last one filled in; then ring_publish(). */
struct record *stream_append(struct model_thread *t, enum record_kind kind);
void stream_publish(struct model_thread *t, struct record *r);

/* Under the gate: the thread ends. */
void stream_stop(struct model_thread *t);
/* Under the gate: lets all replays go on, and whoever waits for them. */
void stream_replay(struct model *m);

#endif
