// SPDX-License-Identifier: GPL-2.0-only
/*
 * grid rw|ww true|false|none STRIDE heap|static THREADS ITERATIONS: threads that use words of one
 * array, so that what they share is known.
 *
 *	true	all use words 0 and STRIDE
 *	false	each uses a word of its own, STRIDE apart: falsely shared below 64
 *	none	rw: all read words that nobody writes; ww: each has lines of its own
 *	rw	the first thread stores, the others load
 *	ww	all load, add and store
 *
 * Prints a GRID line for each line of the array that is used: its address and what is right.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE	64
#define THREADS 8
#define BYTES	(THREADS * 256)

typedef volatile uint32_t word;

static unsigned char fixed[BYTES] __attribute__((aligned(LINE)));
static unsigned char *array;
static int write_write, threads, stride;
static long iterations;
static const char *kind;
static pthread_barrier_t start __attribute__((aligned(LINE)));

/* The words of a thread, as offsets; returns how many. */
static int words_of(int thread, int offset[2])
{
	if (strcmp(kind, "true") == 0) {
		offset[0] = 0;
		offset[1] = stride;
		return 2;
	}
	if (strcmp(kind, "false") == 0) {
		offset[0] = thread * stride;
		return 1;
	}
	offset[0] = write_write ? thread * (stride < LINE ? LINE : stride) : 0;
	offset[1] = stride;
	return write_write ? 1 : 2;
}

static int writes(int thread)
{
	return write_write || (thread == 0 && strcmp(kind, "none") != 0);
}

static __attribute__((noinline)) void add(word *w)
{
	*w += 1;
}

static __attribute__((noinline)) void store(word *w, uint32_t value)
{
	*w = value;
}

static __attribute__((noinline)) uint32_t load(word *w)
{
	return *w;
}

static void use(word *w, int thread, long i)
{
	if (write_write)
		add(w);
	else if (writes(thread))
		store(w, (uint32_t)i);
	else
		load(w);
}

static void *run(void *argument)
{
	int thread = (int)(intptr_t)argument, offset[2], count = words_of(thread, offset);

	pthread_barrier_wait(&start);
	for (long i = 0; i < iterations; i++)
		for (int k = 0; k < count; k++)
			use((word *)(array + offset[k]), thread, i);
	return NULL;
}

/* What a line is: two threads use it, one of them writes; the same words or different ones. NULL:
 * nobody uses it. */
static const char *truth(int line)
{
	int users = 0, writers = 0;

	for (int t = 0; t < threads; t++) {
		int offset[2], count = words_of(t, offset), inside = 0;

		for (int k = 0; k < count; k++)
			inside += offset[k] / LINE == line;
		users += inside != 0;
		writers += inside && writes(t);
	}
	if (!users)
		return NULL;
	if (users < 2 || !writers)
		return "none";
	return strcmp(kind, "true") == 0 ? "true" : "false";
}

int main(int argc, char **argv)
{
	pthread_t id[THREADS];

	if (argc < 7)
		return 2;
	write_write = strcmp(argv[1], "ww") == 0;
	kind = argv[2];
	stride = atoi(argv[3]);
	array = strcmp(argv[4], "heap") ? fixed : aligned_alloc(LINE, BYTES);
	threads = atoi(argv[5]);
	iterations = atol(argv[6]);
	if (!array || stride < 4 || stride > 128 || threads < 2 || threads > THREADS)
		return 2;
	pthread_barrier_init(&start, NULL, (unsigned int)threads);
	for (int t = 0; t < threads; t++)
		if (pthread_create(&id[t], NULL, run, (void *)(intptr_t)t))
			return 1;
	for (int t = 0; t < threads; t++)
		pthread_join(id[t], NULL);
	for (int line = 0; line < BYTES / LINE; line++)
		if (truth(line))
			printf("GRID %#lx %s\n", (unsigned long)(array + line * LINE), truth(line));
	return 0;
}
