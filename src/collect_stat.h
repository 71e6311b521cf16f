/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording from rings got and what it did not, by CPU, and what to change. */
#ifndef HITMAP_COLLECT_STAT_H
#define HITMAP_COLLECT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collect_cpu {
	uint64_t samples, lost, throttled;
};

struct collect_stat {
	struct collect_cpu *cpu;
	uint32_t cpus;
	struct collect_cpu all;
};

struct collect_cpu *collect_stat_cpu(struct collect_stat *s, uint32_t cpu);
void collect_stat_deinit(struct collect_stat *s);

/* How the recording was made. */
struct collect_setting {
	uint32_t frequency; /* samples a second and CPU; 0: "period" holds */
	uint64_t period;
	uint32_t ring_kb, page_kb;
	uint64_t ticks, late; /* of the reader's clock; those at which it was not there to read */
};

/* Sentences on loss and throttling; the caller's, NULL when there was none. */
char *collect_stat_lost(const struct collect_stat *s);
char *collect_stat_throttled(const struct collect_stat *s);
/* What to change; the caller's, NULL when nothing. */
char *collect_stat_advice(const struct collect_stat *s, const struct collect_setting *how);

#endif
