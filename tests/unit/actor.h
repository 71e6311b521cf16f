/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Actors: real threads that run small programs on real memory and report each access to the model,
 * as a front door would. A header, since each test is one file.
 */
#ifndef HITMAP_ACTOR_H
#define HITMAP_ACTOR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE	64
#define LINES	64
#define THREADS 192

/* Memory of the programs under test: lines of eight words. */
static uint64_t memory[LINES][8] __attribute__((aligned(4096)));

struct result {
	struct model_total total;
	struct model_line_total line[LINES];
	uint64_t samples[MODEL_OUTCOMES], periods, bad;
	struct model_sample last;
	uint64_t latest[256]; /* time of the last sample, by thread */
	unsigned int ended;
};

struct machine_shape {
	uint32_t quantum;
	bool disturbed; /* the host stops threads at random */
	uint64_t seed;
};

struct actor; /* one thread of a program */
typedef void program(struct actor *a);

struct actor {
	struct model_thread *thread;
	struct model *model;
	program *program;
	unsigned int index, count; /* which thread, of how many */
	unsigned int turns;
	bool disturbed;
	uint64_t random;
	pthread_t pthread;
};

/* ---- A front door: performs the access and reports it with its value */

static inline void host_disturbs(struct actor *a)
{
	if (!a->disturbed)
		return;
	a->random ^= a->random << 13;
	a->random ^= a->random >> 7;
	a->random ^= a->random << 17;
	if (a->random % 1024 == 0)
		sched_yield();
	if (a->random % 16384 == 1)
		usleep(100);
}

static inline void report(struct actor *a, const uint64_t *word, enum model_op op,
			  struct model_site *site, uint64_t value)
{
	model_access(a->thread, (uintptr_t)word, sizeof(*word), op, site, &value);
	host_disturbs(a);
}

#define SITE(cost_, ...)                                                                           \
	({                                                                                         \
		static struct model_site site_ = { .cost = (cost_), __VA_ARGS__ };                 \
		site_.ip = (uintptr_t)&site_;                                                      \
		&site_;                                                                            \
	})

static inline uint64_t load(struct actor *a, uint64_t *word, struct model_site *site)
{
	uint64_t value = __atomic_load_n(word, __ATOMIC_SEQ_CST);

	report(a, word, MODEL_READ, site, value);
	return value;
}

static inline void store(struct actor *a, uint64_t *word, uint64_t value, struct model_site *site)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	report(a, word, MODEL_WRITE, site, value);
}

static inline uint64_t add(struct actor *a, uint64_t *word, uint64_t n, struct model_site *site)
{
	uint64_t before = __atomic_fetch_add(word, n, __ATOMIC_SEQ_CST);

	report(a, word, MODEL_RMW, site, before + n);
	return before;
}

static inline uint64_t exchange(struct actor *a, uint64_t *word, uint64_t value,
				struct model_site *site)
{
	uint64_t before = __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);

	report(a, word, MODEL_RMW, site, value);
	return before;
}

static inline void futex_wait(struct actor *a, uint64_t *word, uint32_t value)
{
	long failed;

	model_wait(a->thread, (uintptr_t)word);
	failed = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
	model_resume(a->thread, failed == 0);
}

static inline void futex_wake(struct actor *a, uint64_t *word, uint32_t n)
{
	model_wake(a->thread, (uintptr_t)word, n);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* ---- Running a program */

static inline void take_sample(void *context, const struct model_sample *s)
{
	struct result *r = context;

	r->last = *s;
	r->samples[s->outcome]++;
	r->periods += s->period;
	r->bad += s->cycles < r->latest[s->tid % 256];
	r->latest[s->tid % 256] = s->cycles;
	r->bad += s->size != 8 || s->ip == 0 || s->tid < 100;
}

static inline void take_thread(void *context, const struct model_thread_total *t)
{
	struct result *r = context;

	r->ended++;
	(void)t;
}

static inline void take_line(void *context, const struct model_line_total *l)
{
	struct result *r = context;
	uint64_t i = (l->addr - (uintptr_t)memory) / LINE;

	if (i < LINES)
		r->line[i] = *l;
}

static inline void machine_small(struct model_machine *m)
{
	memset(m, 0, sizeof(*m));
	m->mhz = 2300;
	m->line_size = LINE;
	m->cpus = 192;
	for (unsigned int i = 0; i < m->cpus; i++) {
		m->core[i] = m->order[i] = (uint16_t)i;
		m->llc[i] = m->node[i] = i / 96;
	}
	m->hit = 1;
	m->locked = 18;
	m->hitm[0] = m->hitm[1] = 115;
	m->hitm[2] = 300;
	m->upgrade[0] = m->upgrade[1] = 70;
	m->upgrade[2] = 250;
	m->clean[0] = m->clean[1] = 60;
	m->clean[2] = 250;
	m->memory = 200;
	m->jitter_percent = 10;
	m->hold[1] = 20;
	m->hold[2] = 60;
}

static inline void *actor_run(void *context)
{
	struct actor *a = context;

	a->program(a);
	model_thread_end(a->thread);
	return NULL;
}

static inline void actors_run(struct model *m, struct model_thread *main_thread,
			      struct actor *actor, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		actor[i].thread = model_thread_start(m, main_thread, 101 + i);
		assert_non_null(actor[i].thread);
		assert_int_equal(pthread_create(&actor[i].pthread, NULL, actor_run, &actor[i]), 0);
		model_run(main_thread, 100);
	}
	model_wait(main_thread, 0);
	for (unsigned int i = 0; i < count; i++)
		pthread_join(actor[i].pthread, NULL);
	model_resume(main_thread, true);
}

static inline struct result program_run(program *p, unsigned int count, unsigned int turns,
					const struct machine_shape *shape)
{
	struct result r = { 0 };
	struct model_config config = { .version = MODEL_VERSION,
				       .size = sizeof(config),
				       .quantum = shape->quantum,
				       .hit_period = 100,
				       .seed = shape->seed };
	struct model_sink sink = { &r, take_sample, take_thread };
	struct actor actor[THREADS] = { 0 };
	struct model_thread *main_thread;
	struct model *m;

	memset(memory, 0, sizeof(memory));
	machine_small(&config.machine);
	m = model_new(&config, &sink);
	assert_non_null(m);
	main_thread = model_thread_start(m, NULL, 100);
	for (unsigned int i = 0; i < count; i++)
		actor[i] = (struct actor){ .model = m,
					   .program = p,
					   .index = i,
					   .count = count,
					   .turns = turns,
					   .disturbed = shape->disturbed,
					   .random = 88172645463325252ULL + i * 977 + shape->seed };
	actors_run(m, main_thread, actor, count);
	model_thread_end(main_thread);
	model_finish(m, take_line, &r, &r.total);
	return r;
}

/* ---- Repeatability: quanta of 4096 to 65536 instructions, with a quiet host and a disturbing one
 */

/* For line_hitm(): all lines of the ring's slots, all lines of the program together. */
#define SLOTS (LINES - 1)
#define ALL   (LINES - 2)

static inline uint64_t line_hitm(const struct result *r, unsigned int line)
{
	const uint64_t *h = r->line[line].hitm[MODEL_HOLD_TYPICAL];
	uint64_t sum = h[0] + h[1] + h[2];

	for (unsigned int i = 8; line == SLOTS && i < 16; i++)
		sum += line_hitm(r, i);
	if (line == ALL)
		sum = r->total.hitm[MODEL_HOLD_TYPICAL];
	return sum;
}

static const struct machine_shape shapes[] = {
	{ 4096, false, 1 }, { 16384, false, 1 }, { 65536, false, 1 },
	{ 4096, true, 1 },  { 16384, true, 1 },	 { 65536, true, 1 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct expected {
	unsigned int line; /* LINES ends a list */
	double percent;	   /* its HITMs may be so far from the middle of all runs; 0: told only */
};
#define EXPECT(...)                                                                                \
	(const struct expected[])                                                                  \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			LINES, 0                                                                   \
		}                                                                                  \
	}

/* Runs the program in all shapes. */
static inline void assert_repeats(const char *name, program *p, unsigned int count,
				  unsigned int turns, const struct expected *expected,
				  struct result *last)
{
	uint64_t least[LINES], most[LINES] = { 0 }, forced = 0, breaks = 0, abandoned = 0;

	memset(least, 0xff, sizeof(least));
	for (unsigned int i = 0; i < SHAPES; i++) {
		*last = program_run(p, count, turns, &shapes[i]);
		for (const struct expected *e = expected; e->line < LINES; e++) {
			uint64_t n = line_hitm(last, e->line);

			least[e->line] = n < least[e->line] ? n : least[e->line];
			most[e->line] = n > most[e->line] ? n : most[e->line];
		}
		forced += last->total.forced;
		breaks += last->total.breaks;
		abandoned += last->total.abandoned;
		assert_int_equal(last->bad, 0);
	}
	for (const struct expected *e = expected; e->line < LINES; e++) {
		uint64_t low = least[e->line], high = most[e->line];
		double spread = 100 * (double)(high - low) / (double)(high + low + !high);

		print_message("note: %s, %s %u: HITM %lu..%lu, +-%.2f %%; forced %lu breaks %lu "
			      "abandoned %lu\n",
			      name,
			      e->line == ALL	 ? "all lines"
			      : e->line == SLOTS ? "slots"
						 : "line",
			      e->line, low, high, spread, forced, breaks, abandoned);
		assert_true(low > 0);
		if (e->percent > 0 && spread > e->percent)
			fail_msg("%s: spread %.2f %%, at most %.2f %%", name, spread, e->percent);
	}
}

#endif
