// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signal accounting before and after "signal: avoid double atomic counter increments for user
 * accounting" (kernel commit fda31c50292a, v5.7). One operation queues a signal and frees it again,
 * as raise() with a handler does: __sigqueue_alloc() and __sigqueue_free() of kernel/signal.c,
 * get_uid() and free_uid() of kernel/user.c. All threads act for one user, as in will-it-scale's
 * signal1: root, whose user_struct is the static root_user.
 */
#include "bench.h"
#include "hitmap.h"

#include <assert.h>
#include <stdlib.h>

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

typedef struct {
	atomic_t refs;
} refcount_t;

/* As in v5.0 to v5.13, include/linux/sched/user.h, with the options of a distribution's kernel. */
struct user_struct {
	refcount_t __count;
	atomic_t processes;
	atomic_t sigpending;
	atomic_t fanotify_listeners;
	atomic_long_t epoll_watches;
	unsigned long mq_bytes;
	unsigned long locked_shm;
	unsigned long unix_inflight;
	atomic_long_t pipe_bufs;
	struct {
		void *next, **pprev;
	} uidhash_node;
	unsigned int uid;
	atomic_long_t locked_vm;
};

static_assert(offsetof(struct user_struct, __count) == 0, "reference count");
static_assert(offsetof(struct user_struct, processes) == 4, "processes");
static_assert(offsetof(struct user_struct, sigpending) == 8, "pending signals");

struct signal_bench {
	void *block;
	struct user_struct *root_user;
};

#define RLIMIT_SIGPENDING 127456 /* never reached */

static void atomic_inc(atomic_t *v)
{
	__asm__ volatile("lock incl %0" : "+m"(v->counter)::"memory");
}

static void atomic_dec(atomic_t *v)
{
	__asm__ volatile("lock decl %0" : "+m"(v->counter)::"memory");
}

static int atomic_inc_return(atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}

static bool atomic_dec_and_test(atomic_t *v)
{
	bool zero;

	__asm__ volatile("lock decl %0" : "+m"(v->counter), "=@ccz"(zero)::"memory");
	return zero;
}

static int atomic_read(const atomic_t *v)
{
	return *(const volatile int *)&v->counter;
}

/* refcount_inc() with full checking, as of v5.5: fetch-and-add and a test of the old value. */
static BENCH_PATH void get_uid(struct user_struct *up)
{
	if (__atomic_fetch_add(&up->__count.refs.counter, 1, __ATOMIC_RELAXED) <= 0)
		abort();
}

/*
 * free_uid() is refcount_dec_and_lock_irqsave(): as long as others hold a reference it is
 * refcount_dec_not_one(), a read and a compare-and-exchange that is tried again when another CPU
 * came between. The last reference would take the uid hash's lock; root's is never dropped.
 */
static BENCH_PATH void free_uid(struct user_struct *up)
{
	int old = atomic_read(&up->__count.refs);

	do {
		if (old <= 1)
			abort();
	} while (!__atomic_compare_exchange_n(&up->__count.refs.counter, &old, old - 1, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Returns false at the limit, like a queue that is full. */
static BENCH_PATH bool sigqueue_alloc_before(struct user_struct *user)
{
	get_uid(user);
	atomic_inc(&user->sigpending);
	return atomic_read(&user->sigpending) <= RLIMIT_SIGPENDING;
}

static BENCH_PATH void sigqueue_free_before(struct user_struct *user)
{
	atomic_dec(&user->sigpending);
	free_uid(user);
}

/* The first pending signal takes the reference, the last one drops it. */
static BENCH_PATH bool sigqueue_alloc_after(struct user_struct *user)
{
	int pending = atomic_inc_return(&user->sigpending);

	if (pending == 1)
		get_uid(user);
	return pending <= RLIMIT_SIGPENDING;
}

static BENCH_PATH void sigqueue_free_after(struct user_struct *user)
{
	if (atomic_dec_and_test(&user->sigpending))
		free_uid(user);
}

static void run_before(struct user_struct *user, uint64_t ops, uint32_t work)
{
	for (uint64_t i = 0; i < ops; i++) {
		if (!sigqueue_alloc_before(user))
			abort();
		bench_work(work / 2);
		sigqueue_free_before(user);
		bench_work(work / 2);
	}
}

static void run_after(struct user_struct *user, uint64_t ops, uint32_t work)
{
	for (uint64_t i = 0; i < ops; i++) {
		if (!sigqueue_alloc_after(user))
			abort();
		bench_work(work / 2);
		sigqueue_free_after(user);
		bench_work(work / 2);
	}
}

static void signal_run(const struct bench_thread *t)
{
	struct signal_bench *b = t->shared;
	const struct bench_options *o = t->options;

	if (o->after)
		run_after(b->root_user, o->ops, o->work);
	else
		run_before(b->root_user, o->ops, o->work);
}

static void *signal_start(const struct bench_options *o)
{
	struct signal_bench *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->root_user = bench_object(sizeof(*b->root_user), o->base, &b->block);
	if (!b->root_user) {
		free(b);
		return NULL;
	}
	b->root_user->__count.refs.counter = 1 + o->threads; /* its own and one a process */
	b->root_user->processes.counter = o->threads;
	hitmap_note("object %p %zu user_struct root_user", (void *)b->root_user,
		    sizeof(*b->root_user));
	return b;
}

static void signal_stop(void *shared, const struct bench_options *o)
{
	struct signal_bench *b = shared;

	/* Every reference and pending signal was given back, or the replica is wrong. */
	if (atomic_read(&b->root_user->sigpending) ||
	    atomic_read(&b->root_user->__count.refs) != 1 + (int)o->threads)
		abort();
	free(b->block);
	free(b);
}

/*
 * Work: raise() with a handler took 5,264 ns on the virtual machine this was written on (five times
 * 200,000, 5,254 to 5,436), which makes four entries into the kernel of 986 ns each (getppid()), a
 * cost of its hypervisor. What remains, 1,320 ns at 3.5 GHz, is 4,600 cycles; the model counts one
 * for an instruction. With many threads the lines decide and the work does not matter.
 */
const struct bench_workload bench_signal = {
	.name = "signal",
	.summary = "queue and free one signal, for one user",
	.operation = "signal queued and freed",
	.default_work = 4600,
	.default_ops = 500,
	.alignment = 4,
	.base_most = BENCH_LINE - 12, /* __count to sigpending stay in one line */
	.start = signal_start,
	.run = signal_run,
	.stop = signal_stop,
};
