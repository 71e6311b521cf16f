// SPDX-License-Identifier: GPL-2.0-only
/* The same eight fields under a pthread mutex. */
#include "threads.h"

static struct {
	LINE pthread_mutex_t lock;
	LINE volatile long field[8];
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++) {
		pthread_mutex_lock(&shared.lock);
		for (int f = 0; f < 8; f++)
			shared.field[f]++;
		pthread_mutex_unlock(&shared.lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	return shared.field[7] != thread_count * operations;
}
