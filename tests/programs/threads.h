/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs for the front doors: PROGRAM [THREADS] [OPERATIONS]. All threads begin together. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE __attribute__((aligned(64)))

static long thread_count = 2, operations = 20000;

static inline void threads_arguments(int argc, char **argv)
{
	if (argc > 1)
		thread_count = atol(argv[1]);
	if (argc > 2)
		operations = atol(argv[2]);
}

static inline void threads_run(void *(*body)(void *))
{
	pthread_t thread[512];

	for (long i = 0; i < thread_count; i++)
		if (pthread_create(&thread[i], NULL, body, (void *)i))
			abort();
	for (long i = 0; i < thread_count; i++)
		pthread_join(thread[i], NULL);
}

#endif
