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

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* A mutex as C libraries make it: 0 free, 1 taken, 2 taken and waited for. */
static void futex_wait(struct actor *a, uint64_t *word, uint32_t value)
{
	long failed;

	model_wait(a->thread, (uintptr_t)word);
	failed = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
	model_resume(a->thread, failed == 0);
}

static void futex_wake(struct actor *a, uint64_t *word, uint32_t n)
{
	model_wake(a->thread, (uintptr_t)word, n);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void mutex_lock(struct actor *a, uint64_t *mutex)
{
	uint64_t before = 0;

	__atomic_compare_exchange_n(mutex, &before, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	report(a, mutex, MODEL_RMW, SITE(5, .may_lock = 1), before ? before : 1);
	if (!before)
		return;
	while (exchange(a, mutex, 2, SITE(5, .may_lock = 1)))
		futex_wait(a, mutex, 2);
}

static void mutex_unlock(struct actor *a, uint64_t *mutex)
{
	if (exchange(a, mutex, 0, SITE(5, .may_lock = 1)) == 2)
		futex_wake(a, mutex, 1);
}

static void mutex_fields(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++) {
		mutex_lock(a, &memory[0][0]);
		fields_add(a, memory[1]);
		mutex_unlock(a, &memory[0][0]);
		model_run(a->thread, 50);
	}
}

/* Thread i sleeps until the word says that it is its turn, works, and wakes the others. */
static void sleep_turns(struct actor *a)
{
	uint64_t *turn = &memory[0][0];

	for (uint64_t i = 0; i < a->turns; i++) {
		for (;;) {
			uint64_t now = load(a, turn, SITE(4));

			if (now % a->count == a->index)
				break;
			futex_wait(a, turn, (uint32_t)now);
		}
		add(a, &memory[1][0], 1, SITE(20));
		store(a, turn, i * a->count + a->index + 1, SITE(10));
		futex_wake(a, turn, 1000);
	}
}

static void worker(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++)
		add(a, &memory[1][0], 1, SITE(20));
}

static void *actor_run(void *context);

/* Makes threads that live shortly: far more of them than there are places. */
static void churn(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++) {
		struct actor child[2];

		for (unsigned int c = 0; c < 2; c++) {
			child[c] = (struct actor){ .model = a->model, .program = worker, .turns = 20 };
			child[c].thread = model_thread_start(a->model, a->thread, 1000 + i);
			assert_non_null(child[c].thread);
			pthread_create(&child[c].pthread, NULL, actor_run, &child[c]);
		}
		model_wait(a->thread, 0);
		for (unsigned int c = 0; c < 2; c++)
			pthread_join(child[c].pthread, NULL);
		model_resume(a->thread, true);
	}
}

/* One thread uses the word alone for long after both have: it becomes private again, and not for good. */
static void take_over(struct actor *a)
{
	uint64_t *word = &memory[0][0];

	for (unsigned int i = 0; i < 100; i++)
		add(a, word, 1, SITE(20));
	if (a->index == 0)
		for (unsigned int i = 0; i < a->turns; i++)
			add(a, word, 1, SITE(20));
	else
		model_run(a->thread, 45 * a->turns);
	for (unsigned int i = 0; i < 100; i++)
		add(a, word, 1, SITE(20));
}

/* ---- Running a program */

static void take_sample(void *context, const struct model_sample *s)
{
	struct result *r = context;

	r->samples[s->outcome]++;
	r->periods += s->period;
	r->bad += s->cycles < r->latest[s->tid % 256];
	r->latest[s->tid % 256] = s->cycles;
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

/* ---- Repeatability: quanta of 4096 to 65536 instructions, with a quiet host and a disturbing one */

/* For line_hitm(): all lines of the ring's slots, all lines of the program together. */
#define SLOTS (LINES - 1)
#define ALL   (LINES - 2)

static uint64_t line_hitm(const struct result *r, unsigned int line)
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
	{ 4096, false, 1 },  { 16384, false, 1 },  { 65536, false, 1 },
	{ 4096, true, 1 },   { 16384, true, 1 },   { 65536, true, 1 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct expected {
	unsigned int line; /* LINES ends a list */
	double percent;	   /* its HITMs may be so far from the middle of all runs */
};
#define EXPECT(...) (const struct expected[]){ __VA_ARGS__, { LINES, 0 } }

/* Runs the program in all shapes. */
static void assert_repeats(const char *name, program *p, unsigned int count, unsigned int turns,
			   const struct expected *expected, struct result *last)
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
			      name, e->line == ALL ? "all lines" : e->line == SLOTS ? "slots" : "line",
			      e->line, low, high, spread, forced, breaks, abandoned);
		assert_true(low > 0);
		assert_true(spread <= e->percent);
	}
}

static void neighbours_repeat(void **state)
{
	struct result r;

	assert_repeats("neighbours", neighbours, 2, 50000, EXPECT({ 0, 1 }), &r);
	assert_int_equal(r.ended, 3);
}

static void counter_repeats(void **state)
{
	struct result r;

	assert_repeats("counter", counter, 4, 20000, EXPECT({ 0, 1 }), &r);
}

static void spin_lock_repeats(void **state)
{
	struct result r;

	assert_repeats("spin lock", locked_fields, 2, 10000, EXPECT({ 0, 1 }, { 1, 1 }), &r);
	assert_int_equal(r.line[0].acquisitions, r.line[0].releases);
}

static void ticket_lock_repeats(void **state)
{
	struct result r;

	assert_repeats("ticket lock", ticket_fields, 3, 5000, EXPECT({ 0, 1 }, { 1, 1 }), &r);
}

static void nested_locks_repeat(void **state)
{
	struct result r;

	assert_repeats("nested locks", nested_fields, 3, 3000,
		       EXPECT({ 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 }), &r);
}

/*
 * How many slots the consumer finds filled at once is the host's doing, and what it then does is not
 * held to the producer's clock: the lines of the slots, a tenth of the HITMs, repeat less well.
 */
static void ring_repeats(void **state)
{
	struct result r;

	assert_repeats("ring", ring, 2, 20000, EXPECT({ 0, 3 }, { 1, 3 }, { ALL, 3 }, { SLOTS, 20 }), &r);
}

static void yield_repeats(void **state)
{
	struct result r;

	assert_repeats("yield", yield_turns, 2, 5000, EXPECT({ 0, 1 }, { 1, 1 }), &r);
}

static void sections_move_the_data_once(void **state)
{
	struct result r = program_run(locked_fields, 8, 2000, &shapes[1]);

	print_message("note: 8 threads, 2000 sections each: data HITM %lu, acquired %lu\n",
		      line_hitm(&r, 1), r.line[0].acquisitions);
	assert_in_range(line_hitm(&r, 1), 15840, 16160);
	assert_in_range(r.line[0].acquisitions, 15900, 16000);
}

#define MANY 192

/* As many threads as the machine has CPUs, on one lock. */
static void crowd_repeats(void **state)
{
	struct result r;

	assert_repeats("192 threads, mutex", mutex_fields, MANY, 20, EXPECT({ 1, 5 }), &r);
	assert_int_equal(r.total.most_threads, MANY + 1);
}

static void mutex_repeats(void **state)
{
	struct result r;

	assert_repeats("mutex", mutex_fields, 3, 5000, EXPECT({ 0, 1 }, { 1, 1 }), &r);
	assert_in_range(line_hitm(&r, 1), 14850, 15150);
}

static void sleepers_go_on_after_their_waker(void **state)
{
	struct result r;

	assert_repeats("sleepers", sleep_turns, 3, 2000, EXPECT({ 0, 1 }, { 1, 1 }), &r);
	assert_in_range(line_hitm(&r, 1), 5940, 6000); /* the counter moves once a turn */
}

static void short_threads_reuse_places(void **state)
{
	struct result r = program_run(churn, 2, 1000, &shapes[1]);

	assert_int_equal(r.total.threads, 2 * 2 * 1000 + 3);
	assert_int_equal(r.ended, r.total.threads);
	assert_in_range(r.total.most_threads, 5, 7);
	assert_int_equal(memory[1][0], 2 * 2 * 1000 * 20);
	print_message("note: %u threads, forced %lu breaks %lu\n", r.total.threads, r.total.forced,
		      r.total.breaks);
}

static void samples_stand_for_all_accesses(void **state)
{
	struct result r = program_run(counter, 4, 20000, &shapes[1]);
	uint64_t transfers = 0;

	for (unsigned int o = MODEL_HIT + 1; o < MODEL_OUTCOMES; o++)
		transfers += r.samples[o];
	assert_int_equal(transfers, r.line[0].transfers[MODEL_HOLD_TYPICAL]);
	assert_int_equal(r.periods, r.line[0].accesses);
	assert_in_range(r.periods, 79900, 80000); /* few were not seen before the line was shared */
	assert_int_equal(r.samples[MODEL_HITM], r.total.hitm[MODEL_HOLD_TYPICAL]);
}

static void quiet_line_becomes_private_and_comes_back(void **state)
{
	struct result r = program_run(take_over, 2, 200000, &shapes[0]);

	print_message("note: quiet line: %lu of 200400 accesses replayed, HITM %lu\n",
		      r.line[0].accesses, line_hitm(&r, 0));
	assert_in_range(r.line[0].accesses, 16384, 60000);
	assert_in_range(line_hitm(&r, 0), 2, 400);
	assert_int_equal(r.total.lines, 1);
}

static void three_holds_are_replayed_at_once(void **state)
{
	struct result r = program_run(counter, 4, 20000, &shapes[1]);

	assert_true(r.total.hitm[MODEL_HOLD_LOW] > r.total.hitm[MODEL_HOLD_TYPICAL]);
	assert_true(r.total.hitm[MODEL_HOLD_TYPICAL] > r.total.hitm[MODEL_HOLD_HIGH]);
	/* hold 0: each of the 80000 additions moves the line but those before it was shared. */
	assert_in_range(r.total.hitm[MODEL_HOLD_LOW], 79200, 80000);
}

/* In a forked child the parent's threads are gone, perhaps with the gate closed. */
static void forked_child_forgets(void **state)
{
	struct model_config config = { .quantum = 4096 };
	struct model *m;
	int status;
	pid_t child;

	machine_small(&config.machine);
	m = model_new(&config, NULL);
	assert_non_null(m);
	assert_non_null(model_thread_start(m, NULL, 1));
	child = fork();
	if (child == 0) {
		model_forget(m);
		m = model_new(&config, NULL);
		_exit(m ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	model_forget(m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_repeat), cmocka_unit_test(counter_repeats),
		cmocka_unit_test(spin_lock_repeats), cmocka_unit_test(ticket_lock_repeats),
		cmocka_unit_test(nested_locks_repeat), cmocka_unit_test(ring_repeats),
		cmocka_unit_test(yield_repeats), cmocka_unit_test(sections_move_the_data_once),
		cmocka_unit_test(crowd_repeats), cmocka_unit_test(mutex_repeats), cmocka_unit_test(sleepers_go_on_after_their_waker),
		cmocka_unit_test(short_threads_reuse_places),
		cmocka_unit_test(samples_stand_for_all_accesses),
		cmocka_unit_test(quiet_line_becomes_private_and_comes_back),
		cmocka_unit_test(three_holds_are_replayed_at_once),
		cmocka_unit_test(forked_child_forgets),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
