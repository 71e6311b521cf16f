// SPDX-License-Identifier: GPL-2.0-only
/* Two mutexes, one taken inside the other. */
#include "threads.h"

static struct {
	LINE pthread_mutex_t outer;
	LINE volatile long outside;
	LINE pthread_mutex_t inner;
	LINE volatile long inside;
} shared = { .outer = PTHREAD_MUTEX_INITIALIZER, .inner = PTHREAD_MUTEX_INITIALIZER };

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++) {
		pthread_mutex_lock(&shared.outer);
		shared.outside++;
		pthread_mutex_lock(&shared.inner);
		shared.inside++;
		pthread_mutex_unlock(&shared.inner);
		pthread_mutex_unlock(&shared.outer);
		pthread_mutex_lock(&shared.inner);
		shared.inside++;
		pthread_mutex_unlock(&shared.inner);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	return shared.inside != 2 * thread_count * operations;
}
