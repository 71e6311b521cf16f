// SPDX-License-Identifier: GPL-2.0-only
#include "collect_stat.h"
#include "cpulist.h"
#include "mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LOSS_SMALL 0.05 /* of all: larger rings alone are enough */
#define TIMES	   4	/* what is tried first */
#define DEFAULT_KB 512	/* of a ring */
#define LATE_PART  4	/* late one time in so many: rings are not what is too small */

struct collect_cpu *collect_stat_cpu(struct collect_stat *s, uint32_t cpu)
{
	if (cpu >= s->cpus) {
		s->cpu = mem_realloc(s->cpu, cpu + 1, sizeof(*s->cpu));
		while (s->cpus <= cpu)
			s->cpu[s->cpus++] = (struct collect_cpu){ 0 };
	}
	return &s->cpu[cpu];
}

void collect_stat_deinit(struct collect_stat *s)
{
	free(s->cpu);
	*s = (struct collect_stat){ 0 };
}

static uint64_t get_lost(const struct collect_cpu *c)
{
	return c->lost;
}

static uint64_t get_throttled(const struct collect_cpu *c)
{
	return c->throttled;
}

/* "CPU 3" or "CPUs 0-2,7". */
static char *where(const struct collect_stat *s, uint64_t (*get)(const struct collect_cpu *c))
{
	struct cpulist cpus = { 0 };
	char *list, *text;

	for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
		if (get(&s->cpu[cpu]))
			cpulist_add(&cpus, cpu, cpu);
	list = cpulist_text(&cpus);
	text = mem_printf("CPU%s %s", cpulist_count(&cpus) == 1 ? "" : "s", list);
	free(list);
	return text;
}

static double loss(const struct collect_stat *s)
{
	uint64_t all = s->all.samples + s->all.lost;

	return all ? (double)s->all.lost / all : 0;
}

char *collect_stat_lost(const struct collect_stat *s)
{
	char *cpus, *text;

	if (!s->all.lost)
		return NULL;
	cpus = where(s, get_lost);
	text = mem_printf("lost %" PRIu64 " records (%.2g %%) on %s: rings were full", s->all.lost,
			  100 * loss(s), cpus);
	free(cpus);
	return text;
}

char *collect_stat_throttled(const struct collect_stat *s)
{
	char *cpus, *text;

	if (!s->all.throttled)
		return NULL;
	cpus = where(s, get_throttled);
	text = mem_printf("the kernel paused events %" PRIu64 " times on %s: they came too often",
			  s->all.throttled, cpus);
	free(cpus);
	return text;
}

/* Fewer samples: as the user asked for them. */
static char *rarer(const struct collect_setting *how)
{
	if (how->frequency)
		return mem_printf("-F %" PRIu32,
				  how->frequency > TIMES ? how->frequency / TIMES : 1);
	return mem_printf("-c %" PRIu64, how->period * TIMES);
}

/* Not below what is taken without -m. */
static char *larger(const struct collect_setting *how)
{
	uint32_t kb = how->ring_kb * TIMES;

	if (kb < DEFAULT_KB)
		kb = DEFAULT_KB;
	return mem_printf("-m %" PRIu32 " (rings of %" PRIu32 " kB)", kb / how->page_kb, kb);
}

static bool is_late(const struct collect_setting *how)
{
	return LATE_PART * how->late > how->ticks;
}

/* Throttled: only fewer samples help. Lost: larger rings, and fewer samples when it was much. */
char *collect_stat_advice(const struct collect_stat *s, const struct collect_setting *how)
{
	char *fewer, *rings, *text = NULL;

	if (!s->all.lost && !s->all.throttled)
		return NULL;
	fewer = rarer(how);
	rings = larger(how);
	if (s->all.lost && is_late(how))
		text = mem_printf("hitmap was stopped or what it writes to is slow: it came late "
				  "%" PRIu64 " of %" PRIu64 " times; another -o FILE, or %s",
				  how->late, how->ticks, fewer);
	else if (s->all.lost && s->all.throttled)
		text = mem_printf("%s, and %s", fewer, rings);
	else if (s->all.lost && loss(s) < LOSS_SMALL)
		text = mem_printf("%s", rings);
	else if (s->all.lost)
		text = mem_printf("%s, or %s", rings, fewer);
	else
		text = mem_printf("%s", fewer);
	free(fewer);
	free(rings);
	return text;
}
