// SPDX-License-Identifier: GPL-2.0-only
/* Many short threads, a few of them alive at a time. */
#include "threads.h"

LINE static unsigned long counter;

static void *work(void *arg)
{
	for (int i = 0; i < 10; i++)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	for (long i = 0; i < operations; i++)
		threads_run(work);
	return counter != 10 * (unsigned long)(thread_count * operations);
}
