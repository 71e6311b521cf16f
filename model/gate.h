/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A lock and a timed wait on raw futex calls. The model runs inside other people's programs, whose
 * pthread functions the hooks door replaces by its own: nothing here may call those, allocate, or
 * change errno.
 */
#ifndef HITMAP_GATE_H
#define HITMAP_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct gate {
	uint32_t word; /* 0 free, 1 taken, 2 taken and waited for */
};

void gate_lock(struct gate *g);
bool gate_try(struct gate *g);
void gate_unlock(struct gate *g);

/* Sleeps while *word == value, at most "ms" milliseconds; false when the time ran out. */
bool gate_sleep(uint32_t *word, uint32_t value, unsigned int ms);
void gate_wake(uint32_t *word);
/* Gives the CPU to another thread. */
void gate_yield(void);

#endif
