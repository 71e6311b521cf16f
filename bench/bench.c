// SPDX-License-Identifier: GPL-2.0-only
#include "bench.h"
#include "hitmap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct crew {
	const struct bench_workload *workload;
	const struct bench_options *options;
	struct bench_thread *threads;
	pthread_t *ids;
	pthread_barrier_t barrier; /* all threads and the one that made them */
	uint32_t started;
};

struct member {
	struct crew *crew;
	uint32_t number;
};

void *bench_object(size_t bytes, uint32_t base, void **block)
{
	/* A line before and behind: nothing else shares the object's lines. */
	size_t size = (base + bytes + 2 * BENCH_LINE - 1) / BENCH_LINE * BENCH_LINE;

	*block = aligned_alloc(BENCH_LINE, size);
	if (!*block)
		return NULL;
	memset(*block, 0, size);
	return (char *)*block + base;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void *thread_main(void *argument)
{
	struct member *m = argument;
	struct crew *crew = m->crew;

	pthread_barrier_wait(&crew->barrier);
	crew->workload->run(&crew->threads[m->number]);
	return NULL;
}

/* A crew that is not complete never passes the barrier, so it is told to stop by not starting at
 * all: the threads made so far are cancelled while they wait. */
static void dismiss(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->started; i++)
		pthread_cancel(crew->ids[i]);
}

static bool start_threads(struct crew *crew, struct member *members, void *shared)
{
	pthread_attr_t attr;
	int error = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10); /* 192 of them under an emulator */
	for (uint32_t i = 0; !error && i < crew->options->threads; i++) {
		members[i] = (struct member){ crew, i };
		crew->threads[i] = (struct bench_thread){ crew->options, shared, i };
		error = pthread_create(&crew->ids[i], &attr, thread_main, &members[i]);
		crew->started += !error;
	}
	pthread_attr_destroy(&attr);
	errno = error;
	return !error;
}

static void run_crew(struct crew *crew, struct bench_result *result)
{
	uint64_t start;

	pthread_barrier_wait(&crew->barrier);
	start = now_ns();
	for (uint32_t i = 0; i < crew->started; i++)
		pthread_join(crew->ids[i], NULL);
	result->nanoseconds = now_ns() - start;
	result->ops = crew->options->ops * crew->options->threads;
}

bool bench_run(const struct bench_workload *w, const struct bench_options *o,
	       struct bench_result *result)
{
	struct crew crew = { .workload = w, .options = o };
	struct member *members = calloc(o->threads, sizeof(*members));
	void *shared = w->start(o);
	bool good;

	crew.threads = calloc(o->threads, sizeof(*crew.threads));
	crew.ids = calloc(o->threads, sizeof(*crew.ids));
	*result = (struct bench_result){ .operation = w->operation };
	pthread_barrier_init(&crew.barrier, NULL, o->threads + 1);
	good = members && shared && crew.threads && crew.ids &&
	       start_threads(&crew, members, shared);
	if (!good) {
		dismiss(&crew);
		return false; /* its threads still hold the memory; the program is about to end */
	}
	run_crew(&crew, result);
	hitmap_note("operation %llu %s", (unsigned long long)result->ops, w->operation);
	pthread_barrier_destroy(&crew.barrier);
	w->stop(shared, o);
	free(crew.threads);
	free(crew.ids);
	free(members);
	return true;
}
