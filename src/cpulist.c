// SPDX-License-Identifier: GPL-2.0-only
#include "cpulist.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>

void cpulist_add(struct cpulist *l, uint32_t first, uint32_t last)
{
	for (uint32_t cpu = first; cpu <= last && cpu < CPULIST_CPUS; cpu++)
		l->bits[cpu / 64] |= 1ULL << cpu % 64;
}

bool cpulist_has(const struct cpulist *l, uint32_t cpu)
{
	return cpu < CPULIST_CPUS && l->bits[cpu / 64] >> cpu % 64 & 1;
}

uint32_t cpulist_count(const struct cpulist *l)
{
	uint32_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(l->bits); i++)
		count += __builtin_popcountll(l->bits[i]);
	return count;
}

struct cpulist cpulist_both(const struct cpulist *a, const struct cpulist *b)
{
	struct cpulist both;

	for (size_t i = 0; i < ARRAY_SIZE(both.bits); i++)
		both.bits[i] = a->bits[i] & b->bits[i];
	return both;
}

/* A CPU's number at "*text", which is moved behind it. */
static bool take_cpu(const char **text, uint32_t *cpu)
{
	const char *at = *text;
	uint32_t value = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		value = 10 * value + (*at - '0');
		if (value >= CPULIST_CPUS)
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	*cpu = value;
	return true;
}

/* "4" or "4-7". */
static bool take_range(const char **text, struct cpulist *l)
{
	uint32_t first, last;

	if (!take_cpu(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		++*text;
		if (!take_cpu(text, &last) || last < first)
			return false;
	}
	cpulist_add(l, first, last);
	return true;
}

bool cpulist_parse(const char *text, struct cpulist *l)
{
	bool good = true;

	*l = (struct cpulist){ 0 };
	if (!*text)
		return true;
	while ((good = take_range(&text, l)) && *text == ',')
		text++;
	good = good && !*text;
	if (!good)
		*l = (struct cpulist){ 0 };
	return good;
}

char *cpulist_text(const struct cpulist *l)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *comma = "";

	if (!out)
		mem_exhausted();
	for (uint32_t cpu = 0; cpu < CPULIST_CPUS; cpu++) {
		uint32_t last = cpu;

		if (!cpulist_has(l, cpu))
			continue;
		while (cpulist_has(l, last + 1))
			last++;
		fprintf(out, last == cpu ? "%s%u" : "%s%u-%u", comma, cpu, last);
		comma = ",";
		cpu = last;
	}
	if (fclose(out) || !text)
		mem_exhausted();
	return text;
}
