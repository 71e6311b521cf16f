// SPDX-License-Identifier: GPL-2.0-only
#include "calibrate_probe.h"
#include "mem.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINES	      128
#define LINE_DISTANCE 256 /* bytes: beyond what prefetchers of neighbours fetch along */
#define TURNS	      500 /* of a batch of compare-and-swap */
#define BATCHES	      4096
#define BURST	      1000	  /* operations between two looks at the clock */
#define CHASE_BYTES   (64u << 20) /* larger than most last-level caches' share of a core */
#define CHASE_LOADS   4000

/* ---- Clock, CPUs, values */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int pin(uint32_t cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPULIST_CPUS);
	cpu_set_t *set = CPU_ALLOC(CPULIST_CPUS);
	int error;

	if (!set)
		mem_exhausted();
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	error = sched_setaffinity(0, size, set) ? errno : 0;
	CPU_FREE(set);
	return error;
}

/* A spinning CPU's hint. */
static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

struct values {
	double value[BATCHES];
	uint32_t count;
};

static void take(struct values *v, double value)
{
	if (v->count < BATCHES)
		v->value[v->count++] = value;
}

static struct calibrate_spread spread_of(struct values *v)
{
	return calibrate_spread(v->value, v->count);
}

/* ---- Two CPUs */

/* Linked in an order that no prefetcher guesses. "word" is what the writer changes: the links stay
 * as they are. */
struct link {
	struct link *next;
	_Atomic uint64_t word;
};

enum turn { TURN_READY, TURN_WRITE, TURN_READ, TURN_CLEAN, TURN_READ_CLEAN, TURN_END };

/* What the two share is apart from what is measured. */
struct duel {
	_Alignas(256) _Atomic int turn;
	_Alignas(256) _Atomic uint64_t ball;
	_Alignas(256) _Atomic int failed;
	uint32_t cpu[2];
	double until;
	char *memory;
	struct values hitm, clean, upgrade, locked;
};

static struct link *link_at(const struct duel *d, uint32_t i)
{
	return (struct link *)(d->memory + (size_t)i * LINE_DISTANCE);
}

static void make_links(struct duel *d)
{
	uint32_t order[LINES];
	uint64_t seed = 1;

	for (uint32_t i = 0; i < LINES; i++)
		order[i] = i;
	for (uint32_t i = LINES; i > 1; i--) {
		uint32_t k, swapped = order[i - 1];

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		k = (seed >> 33) % i;
		order[i - 1] = order[k];
		order[k] = swapped;
	}
	for (uint32_t i = 0; i < LINES; i++)
		link_at(d, order[i])->next = link_at(d, order[(i + 1) % LINES]);
}

/* ns a load. */
static double chase(const struct duel *d)
{
	struct link *at = link_at(d, 0);
	double from = now();

	for (uint32_t i = 0; i < LINES; i++)
		at = *(struct link *volatile *)&at->next;
	__asm__ volatile("" ::"r"(at));
	return (now() - from) / LINES;
}

static void modify(const struct duel *d)
{
	for (uint32_t i = 0; i < LINES; i++)
		atomic_store_explicit(&link_at(d, i)->word, i, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

/* ns an operation, on lines that both CPUs have. */
static double upgrade(const struct duel *d)
{
	double from = now();

	for (uint32_t i = 0; i < LINES; i++)
		atomic_fetch_add(&link_at(d, i)->word, 1);
	return (now() - from) / LINES;
}

/* Leaves the lines unmodified in this CPU's caches alone. False: it cannot be done here. */
static bool own_clean(const struct duel *d)
{
#if defined(__x86_64__)
	for (uint32_t i = 0; i < LINES; i++)
		__builtin_ia32_clflush(link_at(d, i));
	__builtin_ia32_mfence();
	chase(d);
	return true;
#else
	return false;
#endif
}

static bool wait_turn(struct duel *d, int turn)
{
	int is;

	while ((is = atomic_load_explicit(&d->turn, memory_order_acquire)) != turn) {
		if (is == TURN_END || atomic_load_explicit(&d->failed, memory_order_relaxed))
			return false;
		relax();
	}
	return true;
}

static void give(struct duel *d, int turn)
{
	atomic_store_explicit(&d->turn, turn, memory_order_release);
}

/* Both in turns: value 2n is this one's to make 2n + 1, and so on. */
static void play(struct duel *d, uint32_t side)
{
	for (uint32_t i = 0; i < TURNS; i++) {
		uint64_t mine = 2 * i + side;

		while (!atomic_compare_exchange_weak(&d->ball, &mine, 2 * i + side + 1)) {
			if (atomic_load_explicit(&d->failed, memory_order_relaxed))
				return;
			mine = 2 * i + side;
			relax();
		}
	}
}

static void *write_lines(void *argument)
{
	struct duel *d = argument;

	if (pin(d->cpu[0])) {
		d->failed = 1;
		return NULL;
	}
	while (wait_turn(d, TURN_WRITE)) {
		modify(d);
		give(d, TURN_READ);
		if (!wait_turn(d, TURN_CLEAN))
			break;
		take(&d->upgrade, upgrade(d));
		give(d, own_clean(d) ? TURN_READ_CLEAN : TURN_READY);
		play(d, 0);
	}
	return NULL;
}

static void *read_lines(void *argument)
{
	struct duel *d = argument;
	double from;

	if (pin(d->cpu[1])) {
		d->failed = 1;
		return NULL;
	}
	while (now() < d->until) {
		atomic_store(&d->ball, 0);
		give(d, TURN_WRITE);
		if (!wait_turn(d, TURN_READ))
			break;
		take(&d->hitm, chase(d));
		give(d, TURN_CLEAN);
		while (atomic_load(&d->turn) == TURN_CLEAN && !d->failed)
			relax();
		if (atomic_load(&d->turn) == TURN_READ_CLEAN)
			take(&d->clean, chase(d));
		from = now(); /* the other one has begun already */
		play(d, 1);
		take(&d->locked, (now() - from) / (2 * TURNS - 1));
	}
	give(d, TURN_END);
	return NULL;
}

/* Where memory of a node is wanted, it must not have been touched. */
static char *map_lines(uint32_t home)
{
	size_t size = LINES * LINE_DISTANCE;
	unsigned long mask[16] = { 0 };
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		mem_exhausted();
	if (home < 8 * sizeof(mask)) {
		mask[home / (8 * sizeof(*mask))] = 1ul << home % (8 * sizeof(*mask));
		/* MPOL_BIND is 2: include/uapi/linux/mempolicy.h */
		if (syscall(SYS_mbind, p, size, 2, mask, 8 * sizeof(mask), 0)) {
			munmap(p, size);
			return NULL;
		}
	}
	return p;
}

int probe_pair(uint32_t cpu_a, uint32_t cpu_b, uint32_t home, double seconds, struct probe_pair *p)
{
	struct duel *d = aligned_alloc(256, (sizeof(*d) + 255) & ~(size_t)255);
	pthread_t thread[2];
	int error;

	if (!d)
		mem_exhausted();
	memset(d, 0, sizeof(*d));
	memset(p, 0, sizeof(*p));
	d->cpu[0] = cpu_a;
	d->cpu[1] = cpu_b;
	d->memory = map_lines(home);
	if (!d->memory) {
		error = errno;
		free(d);
		return error;
	}
	make_links(d);
	d->until = now() + seconds * 1e9;
	error = pthread_create(&thread[0], NULL, write_lines, d);
	if (!error) {
		error = pthread_create(&thread[1], NULL, read_lines, d);
		d->failed = error != 0;
		if (!error)
			pthread_join(thread[1], NULL);
		pthread_join(thread[0], NULL);
	}
	if (!error && d->failed)
		error = EINVAL;
	p->hitm = spread_of(&d->hitm);
	p->clean = spread_of(&d->clean);
	p->upgrade = spread_of(&d->upgrade);
	p->locked = spread_of(&d->locked);
	munmap(d->memory, LINES * LINE_DISTANCE);
	free(d);
	return error;
}

/* ---- One CPU */

/* Multiplications that wait for each other take 3 cycles on x86-64 since Nehalem and Zen
 * (uops.info). */
static double measure_mhz(void)
{
#if defined(__x86_64__)
	double best = 0;

	for (int i = 0; i < 20; i++) {
		uint64_t x = 3;
		double from = now(), mhz;

		for (int k = 0; k < 10000; k++)
			__asm__ volatile("imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0"
					 : "+r"(x));
		mhz = 4 * 10000 * 3 / (now() - from) * 1000;
		best = mhz > best ? mhz : best;
	}
	return best;
#else
	return 0;
#endif
}

struct alone {
	uint32_t cpu;
	double seconds;
	int error;
	struct probe_alone *result;
};

static void measure_hits(struct values *hit, struct values *locked)
{
	_Alignas(256) _Atomic uint64_t word = 0;

	for (int i = 0; i < 200; i++) {
		double from = now();

		for (int k = 0; k < BURST; k++)
			(void)atomic_load_explicit(&word, memory_order_relaxed);
		take(hit, (now() - from) / BURST);
		from = now();
		for (int k = 0; k < BURST; k++)
			atomic_fetch_add(&word, 1);
		take(locked, (now() - from) / BURST);
	}
}

/* One load waits for the other, all over a large block. */
static void measure_memory(double until, struct values *memory)
{
	size_t count = CHASE_BYTES / LINE_DISTANCE, at = 0;
	char *block = mmap(NULL, CHASE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (block == MAP_FAILED)
		return;
	madvise(block, CHASE_BYTES, MADV_HUGEPAGE);
	/* One cycle through all, as "count" is a power of two (Hull and Dobell, 1962). */
	for (size_t i = 0, n; i < count; i++) {
		n = (i * 1664525 + 1013904223) % count;
		*(size_t *)(block + i * LINE_DISTANCE) = n;
	}
	while (now() < until) {
		double from = now();

		for (int k = 0; k < CHASE_LOADS; k++)
			at = *(volatile size_t *)(block + at * LINE_DISTANCE);
		take(memory, (now() - from) / CHASE_LOADS);
	}
	munmap(block, CHASE_BYTES);
}

static void *measure_alone(void *argument)
{
	struct alone *a = argument;
	struct values *v = mem_zalloc(3 * sizeof(*v));
	double until = now() + a->seconds * 1e9;

	a->error = pin(a->cpu);
	if (!a->error) {
		a->result->mhz = measure_mhz();
		measure_hits(&v[0], &v[1]);
		measure_memory(until, &v[2]);
	}
	a->result->hit = spread_of(&v[0]);
	a->result->locked = spread_of(&v[1]);
	a->result->memory = spread_of(&v[2]);
	free(v);
	return NULL;
}

int probe_alone(uint32_t cpu, double seconds, struct probe_alone *p)
{
	struct alone a = { .cpu = cpu, .seconds = seconds, .result = p };
	pthread_t thread;
	int error;

	memset(p, 0, sizeof(*p));
	error = pthread_create(&thread, NULL, measure_alone, &a);
	if (error)
		return error;
	pthread_join(thread, NULL);
	return a.error;
}

/* ---- Many CPUs on one counter */

struct crowd {
	_Alignas(256) _Atomic uint64_t counter;
	_Alignas(256) _Atomic uint32_t here;
	_Alignas(256) _Atomic int failed;
	uint32_t count;
	double seconds;
};

struct member {
	struct crowd *crowd;
	uint32_t cpu;
	uint32_t *runs;
	uint64_t operations;
	double took; /* ns */
};

static void *join_crowd(void *argument)
{
	struct member *m = argument;
	struct crowd *c = m->crowd;
	uint64_t *value = mem_zalloc(BURST * sizeof(*value));
	double from, at;

	if (pin(m->cpu))
		c->failed = 1;
	atomic_fetch_add(&c->here, 1);
	while (atomic_load(&c->here) < c->count && !c->failed)
		relax();
	from = at = now();
	while (!c->failed && at - from < c->seconds * 1e9) {
		for (uint32_t i = 0; i < BURST; i++)
			value[i] = atomic_fetch_add(&c->counter, 1);
		at = now();
		m->operations += BURST;
		calibrate_count_runs(value, BURST, m->runs, PROBE_RUNS);
	}
	m->took = at - from;
	free(value);
	return NULL;
}

static void finish_crowd(const struct crowd *c, struct member *m, struct probe_crowd *p)
{
	uint32_t *runs = mem_zalloc((PROBE_RUNS + 1) * sizeof(*runs));

	for (uint32_t i = 0; i < c->count; i++) {
		for (uint32_t k = 0; k <= PROBE_RUNS; k++)
			runs[k] += m[i].runs[k];
		p->million += m[i].took > 0 ? m[i].operations / m[i].took * 1000 : 0;
	}
	p->hold = calibrate_runs(runs, PROBE_RUNS);
	free(runs);
}

int probe_crowd(const uint32_t *cpu, uint32_t count, double seconds, struct probe_crowd *p)
{
	struct crowd *c = aligned_alloc(256, (sizeof(*c) + 255) & ~(size_t)255);
	struct member *m = mem_zalloc(count * sizeof(*m));
	pthread_t *thread = mem_zalloc(count * sizeof(*thread));
	uint32_t started = 0;
	int error = 0;

	if (!c)
		mem_exhausted();
	memset(c, 0, sizeof(*c));
	memset(p, 0, sizeof(*p));
	c->count = count;
	c->seconds = seconds;
	for (; started < count && !error; started += !error) {
		m[started] = (struct member){ .crowd = c, .cpu = cpu[started] };
		m[started].runs = mem_zalloc((PROBE_RUNS + 1) * sizeof(*m->runs));
		error = pthread_create(&thread[started], NULL, join_crowd, &m[started]);
	}
	if (error)
		c->failed = 1;
	for (uint32_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	if (!error && c->failed)
		error = EINVAL;
	if (!error)
		finish_crowd(c, m, p);
	for (uint32_t i = 0; i < count; i++)
		free(m[i].runs);
	free(m);
	free(thread);
	free(c);
	return error;
}
