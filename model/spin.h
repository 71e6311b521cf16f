/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spinning on plain loads. How often the host lets a thread read a flag before it changes says
 * nothing about the modelled machine: loads in vain are dropped with their time. At the replay who
 * cannot go on yet reads the line in vain, is parked, and reads again after each write to the line,
 * as a machine would, until what the thread went on with on the host has been written. Any other
 * read of such a word that sees a change waits for it, too: what the thread does next follows from
 * it.
 *
 * The replay must not run past the moment at which a spinner would go on: after a write it waits
 * until the spinner either has a record or says that it has seen that write and spins on
 * ("passed").
 */
#ifndef HITMAP_SPIN_H
#define HITMAP_SPIN_H

#include "state.h"

/*
 * Whether a load went on or has to be made again is known only when the thread does something else.
 * So a load that spins at times is pending until then, and of a run of them the last one becomes
 * the record: what the replay sees does not depend on how often the host let the thread look.
 */
struct look {
	bool again;    /* it repeats the last load, which was in vain: its time does not count */
	bool pends;    /* ... and it may be in vain itself */
	uint8_t flags; /* RECORD_CHANGED when the read saw a change since the thread's last look;
			* with RECORD_SPUN where the value seen matters */
	uint32_t was;  /* CHANGED: the value before */
	/*
	 * How many writes the line must have had before it goes on; 0: any. Each write lets a load
	 * that spins pass once more, as with a ring's head or a semaphore; the passes that it was
	 * ahead of writes at most are its credit, as a ring's empty slots are the producer's.
	 */
	uint32_t need;
};

/* Whether the thread spins, and its last load was in vain for sure. */
bool spin_lasts(const struct model_thread *t);
/* Whether the read is one more of the run that the thread's last load was in. */
bool spin_repeats(const struct model_thread *t, const struct access *a);
/* Thread's side: what the access means, "*look" for a read. */
void spin_note(struct model_thread *t, const struct access *a, struct look *look);
/* The thread sleeps until the word changes: what others then read of it counts as with a spin. */
void spin_expect(struct model_thread *t, uint64_t addr);
/* The number of a counted write, or of the latest one that a read may have seen; 0 when none spins.
 */
uint32_t spin_version(struct model_thread *t, const struct access *a);

/*
 * After write number "version" of a line that threads spin on: lets these look at it, for a short
 * time at most. A writer whose host never lets them run would go on for long as if alone. "done"
 * false: the write is about to happen, and is shown at the thread's next access.
 */
void spin_show(struct model_thread *t, uint32_t index, uint32_t version, bool done);
/* What is still to be shown. */
void spin_show_late(struct model_thread *t);
/*
 * After a write of a line that nobody has been seen to wait for: stops a thread that waits itself
 * at times, now and then, so that those who would wait for it come to show that they do. On the
 * host they may never have to, as a ring's producer whose consumer is always close behind.
 */
void spin_probe(struct model_thread *t, const struct access *a);
/* The thread spins no more. */
void spin_stop(struct model_thread *t);

/* Replay's side. A spinner without a record reads its line or is parked; NOTHING when it must be
 * waited for. */
enum coherence_next spin_idle(struct replay *r, unsigned int thread);
/* Whether a read may take place that saw a change, or that needs writes. */
bool spin_may_end(struct replay *r, unsigned int thread, const struct record *record);
/* It may not: a read in vain, unless the thread has the line, or is parked. */
enum coherence_next spin_wait(struct replay *r, unsigned int thread, const struct record *record);
/* A write was done: spinners read the line again. */
void spin_written(struct replay *r, unsigned int thread, const struct record *record,
		  uint64_t cycles);

#endif
