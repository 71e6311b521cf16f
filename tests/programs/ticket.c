// SPDX-License-Identifier: GPL-2.0-only
/* A ticket lock. */
#include "threads.h"

static struct {
	LINE unsigned int next, serving;
	LINE volatile long field[8];
} shared;

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++) {
		unsigned int ticket = __atomic_fetch_add(&shared.next, 1, __ATOMIC_RELAXED);

		while (__atomic_load_n(&shared.serving, __ATOMIC_ACQUIRE) != ticket)
			__builtin_ia32_pause();
		for (int f = 0; f < 8; f++)
			shared.field[f]++;
		__atomic_store_n(&shared.serving, ticket + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	return shared.field[7] != thread_count * operations;
}
