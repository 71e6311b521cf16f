// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 14, class T: d64696905554. Resource limits came to be counted in one object for all, where
 * each process had its own. Expected: true sharing grew. Fields: rlimit.
 */
#include "corpus.h"

struct ucounts {
	atomic_long count;
	atomic_long rlimit[4];
} ALIGNED(LINE);

static struct ucounts own[MOST_THREADS], shared;

static NOINLINE void inc_rlimit(struct ucounts *u)
{
	atomic_fetch_add(&u->rlimit[2], 1);
}

static NOINLINE void dec_rlimit(struct ucounts *u)
{
	atomic_fetch_sub(&u->rlimit[2], 1);
}

static void signals(int thread)
{
	struct ucounts *u = after ? &shared : &own[thread];

	for (long i = 0; i < rounds; i++) {
		inc_rlimit(u);
		dec_rlimit(u);
	}
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	for (int t = 0; !after && t < 4; t++)
		truth("none", "own", &own[t], "rlimit");
	if (after)
		truth("true", "shared", &shared, "rlimit[2]:24:8:rw@inc_rlimit+rw@dec_rlimit");
	run(4, signals);
	return 0;
}
