// SPDX-License-Identifier: GPL-2.0-only
/*
 * served TENTHS: four threads serve requests; a request adds once to one shared counter and TENTHS / 10
 * times, on average, to another. The requests are told to the recording.
 */
#include "hitmap.h"

#include <pthread.h>
#include <stdint.h>

#define THREADS	 4
#define REQUESTS 2000

static struct {
	_Alignas(64) long accepted;
	_Alignas(64) long retried;
} served;

static long tenths;

static void *serve(void *argument)
{
	uint64_t seed = (uintptr_t)argument + 1;
	volatile long work = 0;

	for (int i = 0; i < REQUESTS; i++) {
		long times = tenths / 10;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		times += (long)(seed >> 33) % 10 < tenths % 10;
		__atomic_fetch_add(&served.accepted, 1, __ATOMIC_RELAXED);
		for (int k = 0; k < 20; k++)
			work += k;
		for (long k = 0; k < times; k++) {
			__atomic_fetch_add(&served.retried, 1, __ATOMIC_RELAXED);
			for (int w = 0; w < 20; w++)
				work += w;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	tenths = argc > 1 ? atol(argv[1]) : 10;
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, serve, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	hitmap_note("operation %d %s", THREADS * REQUESTS, "request served");
	return 0;
}
