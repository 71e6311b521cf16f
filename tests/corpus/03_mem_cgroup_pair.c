// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 3, class A: bd0b230fe145, cured by 4df910620beb. Hot members of struct mem_cgroup came into
 * two neighbouring lines of one 128-byte pair. Expected: nothing shared within 64 bytes; a pair
 * candidate before, which matters only where the adjacent-line prefetcher moves pairs; after, lines
 * apart. Fields: vmstats, memory_events.
 */
#include "corpus.h"

struct cgroup {
	volatile long vmstats;
	char pad[LINE - sizeof(long)];
	volatile long memory_events;
	char rest[LINE - sizeof(long)];
	volatile long moved_events; /* where memory_events are after */
};

static struct cgroup memcg ALIGNED(2 * LINE);

static NOINLINE void mod_state(void)
{
	for (long i = 0; i < rounds; i++)
		memcg.vmstats++;
}

static NOINLINE void count_events(volatile long *events)
{
	for (long i = 0; i < rounds; i++)
		++*events;
}

static void charge(int thread)
{
	if (thread)
		count_events(after ? &memcg.moved_events : &memcg.memory_events);
	else
		mod_state();
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	truth(after ? "none" : "pair", "vmstats", &memcg.vmstats, "vmstats:0:8:rw@mod_state");
	if (!after)
		truth("pair", "memory_events", &memcg.memory_events,
		      "memory_events:0:8:rw@count_events");
	else
		truth("none", "moved_events", &memcg.moved_events,
		      "moved_events:0:8:rw@count_events");
	run(2, charge);
	return 0;
}
