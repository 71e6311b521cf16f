/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of the corpus share. Each is a small user-space likeness of a change to the
 * Linux kernel that made programs slower or faster: the layout of the objects and who touches what,
 * no more. It takes "before" or "after", what the change was applied to, and a number of rounds,
 * and prints TRUTH lines as tests/check_truth.py reads them.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE	     64
#define NOINLINE     __attribute__((noinline))
#define ALIGNED(n)   __attribute__((aligned(n)))
#define MOST_THREADS 8

static int after;
static long rounds = 1500;
static pthread_barrier_t start ALIGNED(LINE);
static void (*work)(int thread);

static void setup(int argc, char **argv)
{
	after = argc > 1 && strcmp(argv[1], "after") == 0;
	if (argc > 2)
		rounds = atol(argv[2]);
}

static void *run_one(void *thread)
{
	pthread_barrier_wait(&start);
	work((int)(intptr_t)thread);
	return NULL;
}

static void run(int threads, void (*what)(int thread))
{
	pthread_t id[MOST_THREADS];

	work = what;
	pthread_barrier_init(&start, NULL, (unsigned int)threads);
	for (intptr_t t = 0; t < threads; t++)
		if (pthread_create(&id[t], NULL, run_one, (void *)t))
			abort();
	for (int t = 0; t < threads; t++)
		pthread_join(id[t], NULL);
}

/* kind: true, false, mixed, none, pair; fields: NAME:OFFSET:SIZE:ACCESS@FUNCTION, offsets from "at"
 */
static inline void truth(const char *kind, const char *name, const volatile void *at,
			 const char *fields)
{
	uintptr_t a = (uintptr_t)at;

	printf("TRUTH kind=%s sym=%s line=%#lx addr=%#lx off=%#lx half=%s fields=%s\n", kind, name,
	       (unsigned long)(a & ~(uintptr_t)(LINE - 1)), (unsigned long)a,
	       (unsigned long)(a & (LINE - 1)), a & 32 ? "hi" : "lo", fields);
}

#endif
