// SPDX-License-Identifier: GPL-2.0-only
/* Two threads take turns and give their CPU away while they wait. */
#include "threads.h"

#include <sched.h>

LINE static long turn;

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % thread_count != (long)arg)
			sched_yield();
		__atomic_store_n(&turn, turn + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	return turn != thread_count * operations;
}
