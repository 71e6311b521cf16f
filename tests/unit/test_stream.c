// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model as a front door uses it: real threads run small programs on real memory and report each
 * access. What the model says must not depend on the quantum nor on what the host does meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE	64
#define LINES	64
#define THREADS 16

/* Memory of the programs under test: lines of eight words. */
static uint64_t memory[LINES][8] __attribute__((aligned(4096)));

struct result {
	struct model_total total;
	struct model_line_total line[LINES];
	uint64_t samples[MODEL_OUTCOMES], periods, bad;
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

static void host_disturbs(struct actor *a)
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

static void report(struct actor *a, const uint64_t *word, enum model_op op, struct model_site *site,
		   uint64_t value)
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

static uint64_t load(struct actor *a, uint64_t *word, struct model_site *site)
{
	uint64_t value = __atomic_load_n(word, __ATOMIC_SEQ_CST);

	report(a, word, MODEL_READ, site, value);
	return value;
}

static void store(struct actor *a, uint64_t *word, uint64_t value, struct model_site *site)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	report(a, word, MODEL_WRITE, site, value);
}

static uint64_t add(struct actor *a, uint64_t *word, uint64_t n, struct model_site *site)
{
	uint64_t before = __atomic_fetch_add(word, n, __ATOMIC_SEQ_CST);

	report(a, word, MODEL_RMW, site, before + n);
	return before;
}

static uint64_t exchange(struct actor *a, uint64_t *word, uint64_t value, struct model_site *site)
{
	uint64_t before = __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);

	report(a, word, MODEL_RMW, site, value);
	return before;
}

/* ---- Programs */

static void neighbours(struct actor *a)
{
	uint64_t *mine = &memory[0][a->index];

	for (unsigned int i = 0; i < a->turns; i++) {
		uint64_t v = load(a, mine, SITE(3));

		store(a, mine, v + 1, SITE(2));
	}
}

static void counter(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++)
		add(a, &memory[0][0], 1, SITE(20));
}

static void spin_lock(struct actor *a, uint64_t *lock)
{
	while (exchange(a, lock, 1, SITE(3, .may_lock = 1)))
		while (load(a, lock, SITE(3)))
			sched_yield();
}

static void spin_unlock(struct actor *a, uint64_t *lock)
{
	store(a, lock, 0, SITE(2));
}

static void fields_add(struct actor *a, uint64_t *line)
{
	for (unsigned int f = 0; f < 8; f++) {
		uint64_t v = load(a, &line[f], SITE(2));

		store(a, &line[f], v + 1, SITE(2));
	}
}

static void locked_fields(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++) {
		spin_lock(a, &memory[0][0]);
		fields_add(a, memory[1]);
		spin_unlock(a, &memory[0][0]);
		model_run(a->thread, 50);
	}
}

static void ticket_lock(struct actor *a, uint64_t *lock)
{
	uint64_t mine = add(a, &lock[0], 1, SITE(3, .fetch_add = 1));

	while (load(a, &lock[1], SITE(3)) != mine)
		sched_yield();
}

static void ticket_unlock(struct actor *a, uint64_t *lock)
{
	uint64_t now = load(a, &lock[1], SITE(2));

	store(a, &lock[1], now + 1, SITE(2));
}

static void ticket_fields(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++) {
		ticket_lock(a, memory[0]);
		fields_add(a, memory[1]);
		ticket_unlock(a, memory[0]);
		model_run(a->thread, 50);
	}
}

static void nested_fields(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++) {
		spin_lock(a, &memory[0][0]);
		fields_add(a, memory[1]);
		spin_lock(a, &memory[2][0]);
		fields_add(a, memory[3]);
		spin_unlock(a, &memory[2][0]);
		spin_unlock(a, &memory[0][0]);
		model_run(a->thread, 50);
	}
}

/* One producer, one consumer; head and tail on lines of their own, eight slots a line. */
#define RING 64
static void ring(struct actor *a)
{
	uint64_t *head = &memory[0][0], *tail = &memory[1][0], *slot = memory[8];

	for (uint64_t i = 0; i < a->turns; i++) {
		uint64_t v;

		if (a->index == 0) {
			while (i - load(a, tail, SITE(4)) >= RING)
				sched_yield();
			store(a, &slot[i % RING], i, SITE(4));
			store(a, head, i + 1, SITE(3));
		} else {
			while (load(a, head, SITE(4)) == i)
				sched_yield();
			v = load(a, &slot[i % RING], SITE(4));
			assert_int_equal(v, i);
			store(a, tail, i + 1, SITE(3));
		}
	}
}

/* Two threads hand a flag to and fro, giving up the CPU while it is the other's turn. */
static void yield_turns(struct actor *a)
{
	for (uint64_t i = 0; i < a->turns; i++) {
		while (load(a, &memory[0][0], SITE(4)) % a->count != a->index) {
			model_yield(a->thread);
			sched_yield();
		}
		store(a, &memory[1][a->index], i, SITE(40));
		store(a, &memory[0][0], i * a->count + a->index + 1, SITE(3));
	}
}

/* ---- Running a program */

static void take_sample(void *context, const struct model_sample *s)
{
	struct result *r = context;

	r->samples[s->outcome]++;
	r->periods += s->period;
	r->bad += s->size != 8 || s->ip == 0 || s->tid < 100;
}

static void take_thread(void *context, const struct model_thread_total *t)
{
	struct result *r = context;

	r->ended++;
	(void)t;
}

static void take_line(void *context, const struct model_line_total *l)
{
	struct result *r = context;
	uint64_t i = (l->addr - (uintptr_t)memory) / LINE;

	if (i < LINES)
		r->line[i] = *l;
}

static void machine_small(struct model_machine *m)
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

static void *actor_run(void *context)
{
	struct actor *a = context;

	a->program(a);
	model_thread_end(a->thread);
	return NULL;
}

static void actors_run(struct model *m, struct model_thread *main_thread, struct actor *actor,
		       unsigned int count)
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

static struct result program_run(program *p, unsigned int count, unsigned int turns,
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

/* ---- Repeatability */

static uint64_t line_hitm(const struct result *r, unsigned int line)
{
	const uint64_t *h = r->line[line].hitm[MODEL_HOLD_TYPICAL];

	return h[0] + h[1] + h[2];
}

static const struct machine_shape shapes[] = {
	{ 4096, false, 1 },  { 16384, false, 1 },  { 65536, false, 1 },
	{ 4096, true, 1 },   { 16384, true, 1 },   { 65536, true, 1 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* Runs the program in all shapes; the lines' HITMs may spread by "percent" around their middle. */
static void assert_repeats(const char *name, program *p, unsigned int count, unsigned int turns,
			   const unsigned int *lines, double percent, struct result *last)
{
	uint64_t least[LINES], most[LINES] = { 0 }, forced = 0, breaks = 0, abandoned = 0;

	memset(least, 0xff, sizeof(least));
	for (unsigned int i = 0; i < SHAPES; i++) {
		*last = program_run(p, count, turns, &shapes[i]);
		for (const unsigned int *l = lines; *l < LINES; l++) {
			uint64_t n = line_hitm(last, *l);

			least[*l] = n < least[*l] ? n : least[*l];
			most[*l] = n > most[*l] ? n : most[*l];
		}
		if (getenv("TEST_VERBOSE"))
			print_message("  %s q %u dist %d: hitm0 %lu cycles %lu rec %lu acc %lu forced %lu breaks %lu\n", name, shapes[i].quantum, shapes[i].disturbed, line_hitm(last, lines[0]), last->total.cycles[1], last->total.records, last->total.accesses, last->total.forced, last->total.breaks);
		forced += last->total.forced;
		breaks += last->total.breaks;
		abandoned += last->total.abandoned;
		assert_int_equal(last->bad, 0);
	}
	for (const unsigned int *l = lines; *l < LINES; l++) {
		double middle = (double)(least[*l] + most[*l]) / 2;
		double spread = middle > 0 ? 100 * (double)(most[*l] - least[*l]) / 2 / middle : 0;

		print_message("note: %s line %u: HITM %lu..%lu, +-%.2f %%; forced %lu breaks %lu "
			      "abandoned %lu\n",
			      name, *l, least[*l], most[*l], spread, forced, breaks, abandoned);
		assert_true(least[*l] > 0);
		assert_true(spread <= percent);
	}
}

static void neighbours_repeat(void **state)
{
	struct result r;

	assert_repeats("neighbours", neighbours, 2, 50000, (unsigned int[]){ 0, LINES }, 1, &r);
	assert_int_equal(r.ended, 3);
}

static void counter_repeats(void **state)
{
	struct result r;

	assert_repeats("counter", counter, 4, 20000, (unsigned int[]){ 0, LINES }, 1, &r);
}

static void spin_lock_repeats(void **state)
{
	struct result r;

	assert_repeats("spin lock", locked_fields, 2, 10000, (unsigned int[]){ 0, 1, LINES }, 1, &r);
	assert_int_equal(r.line[0].acquisitions, r.line[0].releases);
}

static void ticket_lock_repeats(void **state)
{
	struct result r;

	assert_repeats("ticket lock", ticket_fields, 3, 5000, (unsigned int[]){ 0, 1, LINES }, 1, &r);
}

static void nested_locks_repeat(void **state)
{
	struct result r;

	assert_repeats("nested locks", nested_fields, 3, 3000,
		       (unsigned int[]){ 0, 1, 2, 3, LINES }, 1, &r);
}

static void ring_repeats(void **state)
{
	struct result r;

	assert_repeats("ring", ring, 2, 20000, (unsigned int[]){ 0, 1, 8, LINES }, 3, &r);
}

static void yield_repeats(void **state)
{
	struct result r;

	assert_repeats("yield", yield_turns, 2, 5000, (unsigned int[]){ 0, 1, LINES }, 1, &r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_repeat), cmocka_unit_test(counter_repeats),
		cmocka_unit_test(spin_lock_repeats), cmocka_unit_test(ticket_lock_repeats),
		cmocka_unit_test(nested_locks_repeat), cmocka_unit_test(ring_repeats),
		cmocka_unit_test(yield_repeats),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
