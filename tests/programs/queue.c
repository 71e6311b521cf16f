// SPDX-License-Identifier: GPL-2.0-only
/* A queue of 16 under a mutex and two condition variables; half of the threads fill it. */
#include "threads.h"

static struct {
	LINE pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	LINE volatile long item[16];
	volatile long count;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .filled = PTHREAD_COND_INITIALIZER,
	    .emptied = PTHREAD_COND_INITIALIZER };

static void put(long value)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 16)
		pthread_cond_wait(&queue.emptied, &queue.lock);
	queue.item[queue.count++] = value;
	pthread_cond_signal(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
}

static void take(void)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 0)
		pthread_cond_wait(&queue.filled, &queue.lock);
	queue.count--;
	pthread_cond_signal(&queue.emptied);
	pthread_mutex_unlock(&queue.lock);
}

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++)
		if ((long)arg & 1)
			take();
		else
			put(i);
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	threads_run(work);
	return queue.count != 0;
}
