// SPDX-License-Identifier: GPL-2.0-only
/* False sharing: each thread increments its own word of one line. */
#include "threads.h"

LINE static volatile unsigned long counters[8];

static void *work(void *arg)
{
	volatile unsigned long *mine = &counters[(long)arg & 7];

	for (long i = 0; i < operations; i++)
		++*mine;
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	printf("%lu\n", counters[0]);
	return 0;
}
