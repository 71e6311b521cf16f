// SPDX-License-Identifier: GPL-2.0-only
/* Two threads that wait for each other for ever. */
#include "threads.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *work(void *arg)
{
	pthread_mutex_lock(arg ? &first : &second);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(arg ? &second : &first);
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	threads_run(work);
	return 0;
}
