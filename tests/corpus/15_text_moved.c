// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 15, class X: 09c60546f04f. Code moved, data did not. A negative control: before and after,
 * each thread counts in a line of its own, by a function that lies elsewhere. Expected: nothing in
 * the data changed.
 */
#include "corpus.h"

struct counter {
	volatile long n;
} ALIGNED(2 * LINE);

static struct counter counters[MOST_THREADS];

static NOINLINE __attribute__((aligned(64))) void count_aligned(volatile long *n)
{
	++*n;
}

static NOINLINE void count_moved(volatile long *n)
{
	++*n;
}

static void count(int thread)
{
	for (long i = 0; i < rounds; i++)
		(after ? count_moved : count_aligned)(&counters[thread].n);
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	for (int t = 0; t < 4; t++)
		truth("none", "counters", &counters[t], "n");
	run(4, count);
	return 0;
}
