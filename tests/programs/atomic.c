// SPDX-License-Identifier: GPL-2.0-only
/* True sharing: one atomic counter. */
#include "threads.h"

LINE static unsigned long counter;

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	return counter != (unsigned long)(thread_count * operations);
}
