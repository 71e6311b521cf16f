// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 9, class T: f95bdb700b. A read side whose counters were spread over the CPUs came to change
 * one that all share. Expected: true sharing grew; not false sharing. Fields: lock_count,
 * unlock_count.
 */
#include "corpus.h"

struct counts {
	atomic_long lock_count, unlock_count;
} ALIGNED(LINE);

static struct counts per_cpu[MOST_THREADS], shared;

static NOINLINE void read_lock(struct counts *c)
{
	atomic_fetch_add(&c->lock_count, 1);
}

static NOINLINE void read_unlock(struct counts *c)
{
	atomic_fetch_add(&c->unlock_count, 1);
}

static void shrink(int thread)
{
	struct counts *c = after ? &shared : &per_cpu[thread];

	for (long i = 0; i < rounds; i++) {
		read_lock(c);
		read_unlock(c);
	}
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	for (int t = 0; !after && t < 4; t++)
		truth("none", "per_cpu", &per_cpu[t], "lock_count,unlock_count");
	if (after)
		truth("true", "shared", &shared,
		      "lock_count:0:8:rw@read_lock,unlock_count:8:8:rw@read_unlock");
	run(4, shrink);
	return 0;
}
