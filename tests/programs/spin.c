// SPDX-License-Identifier: GPL-2.0-only
/* A test-and-set lock on one line, eight fields that it protects on the next. */
#include "threads.h"

static struct {
	LINE int lock;
	LINE volatile long field[8];
} shared;

static void lock(int *word)
{
	while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(word, __ATOMIC_RELAXED))
			__builtin_ia32_pause();
}

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++) {
		lock(&shared.lock);
		for (int f = 0; f < 8; f++)
			shared.field[f]++;
		__atomic_store_n(&shared.lock, 0, __ATOMIC_RELEASE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	return shared.field[7] != thread_count * operations;
}
