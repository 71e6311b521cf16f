/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One replay: takes the records of all threads in the order of its own clocks. All functions run
 * under the model's gate.
 */
#ifndef HITMAP_REPLAY_H
#define HITMAP_REPLAY_H

#include "state.h"

void replay_init(struct replay *r, struct model *m, unsigned int hold);
/* A new thread's slot takes part. */
void replay_join(struct replay *r, unsigned int thread);
/* Goes on until the thread that acts next has no record, for "steps" steps at most. */
void replay_run(struct replay *r, uint64_t steps);
/* Nothing can go on although threads wait for each other: lets the earliest pass. */
bool replay_force(struct replay *r);

/* For locks and spins: */
void replay_park(struct replay *r, unsigned int thread, enum replay_park why);
void replay_unpark(struct replay *r, unsigned int thread, uint64_t cycles);
/* Moves the thread's clock to "cycles" if it is before. */
void replay_delay(struct replay *r, unsigned int thread, uint64_t cycles);
/* The access of the thread's first record is done. */
void replay_finish(struct replay *r, unsigned int thread, const struct record *record,
		   uint64_t cycles);
/* The thread's first record is done with. */
void replay_retire(struct replay *r, unsigned int thread, const struct record *record);

#endif
