/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs, and the lists that the kernel writes them as: "0-15,32". */
#ifndef HITMAP_CPULIST_H
#define HITMAP_CPULIST_H

#include <stdbool.h>
#include <stdint.h>

#define CPULIST_CPUS 8192 /* the largest NR_CPUS that a kernel can be built with */

struct cpulist {
	uint64_t bits[CPULIST_CPUS / 64];
};

/* False when "text" is no such list or names a CPU beyond the limit; "*l" is empty then. An empty
 * text is an empty set. */
bool cpulist_parse(const char *text, struct cpulist *l);
void cpulist_add(struct cpulist *l, uint32_t first, uint32_t last);
bool cpulist_has(const struct cpulist *l, uint32_t cpu);
uint32_t cpulist_count(const struct cpulist *l);
struct cpulist cpulist_both(const struct cpulist *a, const struct cpulist *b);
char *cpulist_text(const struct cpulist *l); /* the caller's */

#endif
