// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same two paths through the running kernel, as its own benchmarks take them. What they print
 * is what they did: every signal was handled, every call returned as it had to.
 *
 * signal: a thread queues a signal for itself and handles it, as will-it-scale's signal1 does. Real
 * time signals are queued one by one, where others may be merged with one that is pending.
 * futex: FUTEX_WAIT with a wrong value, as perf bench futex hash.
 */
#include "bench.h"
#include "hitmap.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- signal */

struct handled {
	uint64_t count;
	char apart[BENCH_LINE - sizeof(uint64_t)];
};

struct real_signals {
	struct handled *handled; /* by thread */
	struct sigaction before;
};

/* The signal brings the place of its thread's count along. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(*(volatile uint64_t *)info->si_value.sival_ptr)++;
}

static void *signals_start(const struct bench_options *o)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct real_signals *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->handled = aligned_alloc(BENCH_LINE, o->threads * sizeof(*b->handled));
	if (!b->handled) {
		free(b);
		return NULL;
	}
	for (uint32_t i = 0; i < o->threads; i++)
		b->handled[i].count = 0;
	sigaction(SIGRTMIN, &action, &b->before);
	return b;
}

/* A user's queue that is full (EAGAIN) has room again when another thread has handled its signal.
 */
static void queue_one(pid_t process, pid_t thread, uint64_t *count)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	info.si_pid = process;
	info.si_uid = getuid();
	info.si_value.sival_ptr = count;
	while (syscall(SYS_rt_tgsigqueueinfo, process, thread, SIGRTMIN, &info)) {
		if (errno != EAGAIN)
			abort();
		sched_yield();
	}
}

static void signals_run(const struct bench_thread *t)
{
	struct real_signals *b = t->shared;
	pid_t process = getpid(), thread = gettid();

	for (uint64_t i = 0; i < t->options->ops; i++)
		queue_one(process, thread, &b->handled[t->number].count);
}

static void signals_stop(void *shared, const struct bench_options *o)
{
	struct real_signals *b = shared;

	for (uint32_t i = 0; i < o->threads; i++)
		if (b->handled[i].count != o->ops)
			abort();
	sigaction(SIGRTMIN, &b->before, NULL);
	free(b->handled);
	free(b);
}

const struct bench_workload bench_signal_real = {
	.name = "signal",
	.summary = "queue one signal and handle it",
	.operation = "signal queued",
	.default_ops = 50000,
	.start = signals_start,
	.run = signals_run,
	.stop = signals_stop,
};

/* ---- futex */

static void *futexes_start(const struct bench_options *o)
{
	return calloc((size_t)o->threads * o->futexes, sizeof(uint32_t));
}

static void futexes_run(const struct bench_thread *t)
{
	const struct bench_options *o = t->options;
	uint32_t *mine = (uint32_t *)t->shared + (size_t)t->number * o->futexes;

	for (uint64_t i = 0; i < o->ops; i++)
		if (syscall(SYS_futex, &mine[i % o->futexes], FUTEX_WAIT_PRIVATE, 1, NULL) != -1 ||
		    errno != EAGAIN)
			abort();
}

static void futexes_stop(void *shared, const struct bench_options *o)
{
	free(shared);
}

const struct bench_workload bench_futex_real = {
	.name = "futex",
	.summary = "wait on a futex whose value has changed",
	.operation = "futex call",
	.default_ops = 200000,
	.start = futexes_start,
	.run = futexes_run,
	.stop = futexes_stop,
};
