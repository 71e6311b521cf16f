/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two kernel changes as user-space workloads: the kernel's own structures and the order of its
 * memory accesses, without the kernel; and the same through the running kernel. Each thread does
 * the same operations; all start together.
 */
#ifndef HITMAP_BENCH_H
#define HITMAP_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_LINE    64
#define BENCH_THREADS 256
/* The kernel's functions stay functions, so that reports name them. */
#define BENCH_PATH __attribute__((noinline))

struct bench_options {
	bool after; /* the new code, else the old */
	uint32_t threads;
	uint64_t ops;	  /* by each thread */
	uint32_t base;	  /* of the object in its line, bytes */
	uint32_t work;	  /* instructions between operations, all of them private */
	uint32_t futexes; /* of each thread; futex only */
};

struct bench_result {
	uint64_t ops;	       /* in all */
	uint64_t nanoseconds;  /* of real time, from the start together to the last one's end */
	const char *operation; /* "signal queued and freed" */
};

struct bench_thread {
	const struct bench_options *options;
	void *shared;	 /* the workload's */
	uint32_t number; /* 0..threads-1 */
};

struct bench_workload {
	const char *name;
	const char *summary, *operation;
	uint32_t default_work;
	uint64_t default_ops;
	uint32_t alignment; /* "base" is a multiple of it ... */
	uint32_t base_most; /* ... up to this, so that the object's hot part stays in one line */
	/* Makes what the threads share, announces its objects; NULL when memory is short. */
	void *(*start)(const struct bench_options *o);
	void (*run)(const struct bench_thread *t); /* one thread, all its operations */
	void (*stop)(void *shared, const struct bench_options *o);
};

extern const struct bench_workload bench_signal, bench_futex;
/* Through the running kernel; they take no "base", "work" and "after". */
extern const struct bench_workload bench_signal_real, bench_futex_real;

/* False when a thread or memory could not be had; errno says why. */
bool bench_run(const struct bench_workload *w, const struct bench_options *o,
	       struct bench_result *result);

/* "bytes" zeroed bytes, "base" bytes behind the start of a line of their own. "*block" is to be
 * freed. */
void *bench_object(size_t bytes, uint32_t base, void **block);

/* About "instructions" instructions that touch registers only. */
static inline void bench_work(uint32_t instructions)
{
	uint64_t x = instructions;

	/* Straight-line blocks of 64, so that an emulator runs few blocks: 61 dependent steps and
	 * the loop's own three. The rest of a division by 64 is left out. */
	for (uint32_t i = 0; i < instructions / 64; i++)
		__asm__ volatile(".rept 61\n\tlea 1(%0), %0\n\t.endr" : "+r"(x));
}

static inline void bench_pause(void)
{
	__asm__ volatile("pause" ::: "memory");
}

#endif
