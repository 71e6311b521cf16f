// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads, then two processes, fight over fields that are everywhere a variable can be. Prints
 * what each field must be called: "NAME object/type/field text, route".
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 10000

struct slot {
	int id;
	_Atomic int hits;
};

struct ring {
	_Atomic long head;
	_Atomic long tail;
	struct slot slot[2];
} __attribute__((aligned(64)));

static struct ring fixed;
static _Thread_local struct ring own;

struct job {
	struct ring *heap, *stack, *thread;
	pthread_barrier_t *start;
};

__attribute__((noinline)) static void touch(struct ring *r)
{
	atomic_fetch_add(&r->tail, 1);
}

__attribute__((noinline)) static void touch_slot(struct ring *r, int i)
{
	atomic_fetch_add(&r->slot[i].hits, 1);
}

static inline __attribute__((always_inline)) void bump(struct ring *r)
{
	atomic_fetch_add(&r->head, 1);
}

__attribute__((noinline)) static void touch_fixed(int i)
{
	atomic_fetch_add(&fixed.tail, i);
}

static void work(struct job *j)
{
	for (int i = 0; i < ROUNDS; i++) {
		touch(j->heap);
		touch(j->stack);
		touch_slot(j->stack, i & 1);
		bump(j->thread);
		touch_fixed(i);
	}
}

static void *run(void *argument)
{
	struct job *j = argument;

	pthread_barrier_wait(j->start);
	work(j);
	return NULL;
}

/* The thread's own block is touched by its owner through %fs, and by the other by a pointer. */
static void *run_owner(void *argument)
{
	struct job *j = argument;

	j->thread = &own;
	pthread_barrier_wait(j->start);
	for (int i = 0; i < ROUNDS; i++)
		atomic_fetch_add(&own.head, 1);
	work(j);
	return NULL;
}

static void threads(void)
{
	struct ring *heap = aligned_alloc(64, sizeof(*heap));
	struct ring local = { 0 };
	pthread_barrier_t start;
	struct job job = { .heap = heap, .stack = &local, .start = &start };
	pthread_t t[2];

	*heap = (struct ring){ 0 };
	pthread_barrier_init(&start, NULL, 2);
	pthread_create(&t[0], NULL, run_owner, &job);
	pthread_create(&t[1], NULL, run, &job);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static void processes(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct ring *r;
	pid_t child;

	if (fd < 0 || ftruncate(fd, 8192))
		exit(1);
	r = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r == MAP_FAILED)
		exit(1);
	r += 64; /* 4096 bytes into the file */
	child = fork();
	for (int i = 0; i < ROUNDS; i++)
		touch_slot(r, 1);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	threads();
	if (argc > 1)
		processes(argv[1]);
	return 0;
}
