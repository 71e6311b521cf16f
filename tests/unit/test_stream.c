// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model as a front door uses it. What it says must not depend on the quantum nor on what the
 * host does meanwhile.
 */
#include "actor.h"

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

/* All meet at a count that each of them waits for to be complete. */
static void barrier_rounds(struct actor *a)
{
	uint64_t *arrived = &memory[0][0];

	for (uint64_t i = 1; i <= a->turns; i++) {
		for (unsigned int n = 0; n < 10; n++)
			add(a, &memory[1][0], 1, SITE(20));
		add(a, arrived, 1, SITE(3, .fetch_add = 1));
		while (load(a, arrived, SITE(3)) < i * a->count)
			sched_yield();
	}
}

/* The last thread sleeps in a way that nobody reports. */
static void unreported_sleep(struct actor *a)
{
	if (a->index == a->count - 1) {
		add(a, &memory[0][0], 1, SITE(20));
		usleep(700000);
		add(a, &memory[0][0], 1, SITE(20));
	} else {
		counter(a);
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

/* Makes threads that live shortly: far more of them than there are places. */
static void churn(struct actor *a)
{
	for (unsigned int i = 0; i < a->turns; i++) {
		struct actor child[2];

		for (unsigned int c = 0; c < 2; c++) {
			child[c] =
				(struct actor){ .model = a->model, .program = worker, .turns = 20 };
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

/* One thread uses the word alone for long after both have: it becomes private again, and not for
 * good. */
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

/*
 * How many slots the consumer finds filled at once is the host's doing, and what it then does is
 * not held to the producer's clock: the lines of the slots, a tenth of the HITMs, repeat less well.
 */
static void ring_repeats(void **state)
{
	struct result r;

	assert_repeats("ring", ring, 2, 20000, EXPECT({ 0, 3 }, { 1, 3 }, { ALL, 3 }, { SLOTS, 0 }),
		       &r);
}

static void yield_repeats(void **state)
{
	struct result r;

	assert_repeats("yield", yield_turns, 2, 5000, EXPECT({ 0, 1 }, { 1, 1 }), &r);
}

static void sleepers_go_on_after_their_waker(void **state)
{
	struct result r;

	assert_repeats("sleepers", sleep_turns, 3, 2000, EXPECT({ 0, 1 }, { 1, 6 }), &r);
	/* The counter moves once a turn. On a busy host a few turns come out of order. */
	assert_in_range(line_hitm(&r, 1), 5300, 6000);
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

/*
 * A thread that comes late on the host finds the count beyond the number that it waits for, and the
 * replay lets it wait for what it found: rounds overlap less, and the line used in them moves less.
 */
static void barrier_repeats(void **state)
{
	struct result r;

	assert_repeats("barrier", barrier_rounds, 3, 2000, EXPECT({ 0, 1 }, { 1, 10 }), &r);
}

static void unreported_sleep_holds_nobody_up_for_ever(void **state)
{
	struct result r = program_run(unreported_sleep, 3, 20000, &shapes[0]);

	assert_in_range(r.total.breaks, 1, 20);
	assert_in_range(line_hitm(&r, 0), 20000, 40002);
}

static struct model *model_small(struct result *r, bool two_nodes)
{
	struct model_config config = { .quantum = 1 << 30, .hit_period = 100 };
	struct model_sink sink = { r, take_sample, take_thread };
	struct model *m;

	machine_small(&config.machine);
	config.machine.jitter_percent = 0;
	memset(config.machine.hold, 0, sizeof(config.machine.hold));
	if (two_nodes)
		config.machine.order[1] = 96;
	m = model_new(&config, &sink);
	assert_non_null(m);
	return m;
}

/*
 * A write by CPU 0, then the first conflicting access, a read by CPU 96 on the other node: HITM,
 * 300 cycles and 1 for the load.
 */
static void first_conflict_knows_the_owner(void **state)
{
	struct result r = { 0 };
	struct model *m = model_small(&r, true);
	struct model_thread *t0 = model_thread_start(m, NULL, 100);
	struct model_thread *t1 = model_thread_start(m, t0, 101);
	struct actor a0 = { .thread = t0 }, a1 = { .thread = t1 };

	store(&a0, &memory[5][3], 7, SITE(5));
	load(&a1, &memory[5][3], SITE(5));
	model_thread_end(t0);
	model_thread_end(t1);
	model_finish(m, take_line, &r, &r.total);
	assert_int_equal(r.samples[MODEL_HITM], 1);
	assert_int_equal(r.last.tid, 101);
	assert_int_equal(r.last.cpu, 96);
	assert_int_equal(r.last.addr, (uintptr_t)&memory[5][3]);
	assert_int_equal(r.last.size, 8);
	assert_int_equal(r.last.op, MODEL_READ);
	assert_int_equal(r.last.distance, MODEL_OTHER_NODE);
	assert_int_equal(r.last.latency, 301);
	assert_int_equal(r.last.period, 1);
}

/* Eight bytes, four in each of two lines that another thread has written. */
static void split_access_counts_in_both_lines(void **state)
{
	struct result r = { 0 };
	struct model *m = model_small(&r, false);
	struct model_thread *t0 = model_thread_start(m, NULL, 100);
	struct model_thread *t1 = model_thread_start(m, t0, 101);
	struct actor a0 = { .thread = t0 };

	store(&a0, &memory[5][7], 7, SITE(5));
	store(&a0, &memory[6][0], 7, SITE(5));
	model_access(t1, (uintptr_t)&memory[5][7] + 4, 8, MODEL_READ, SITE(1), NULL);
	model_thread_end(t0);
	model_thread_end(t1);
	model_finish(m, take_line, &r, &r.total);
	assert_int_equal(r.line[5].hitm[MODEL_HOLD_TYPICAL][0], 1);
	assert_int_equal(r.line[6].hitm[MODEL_HOLD_TYPICAL][0], 1);
	assert_int_equal(r.last.addr, (uintptr_t)&memory[6][0]);
	assert_int_equal(r.last.size, 4);
}

static void threads_beyond_the_places_are_refused(void **state)
{
	struct result r = { 0 };
	struct model *m = model_small(&r, false);
	struct model_thread *t[MODEL_THREADS];

	for (unsigned int i = 0; i < MODEL_THREADS; i++) {
		t[i] = model_thread_start(m, i ? t[0] : NULL, 100 + i);
		assert_non_null(t[i]);
	}
	assert_null(model_thread_start(m, t[0], 999));
	model_miss(m, 5);
	model_thread_end(t[7]);
	assert_ptr_equal(model_thread_start(m, t[0], 999), t[7]);
	for (unsigned int i = 0; i < MODEL_THREADS; i++)
		model_thread_end(t[i]);
	model_finish(m, NULL, NULL, &r.total);
	assert_int_equal(r.total.unplaced, 5);
	assert_int_equal(r.ended, MODEL_THREADS + 1);
}

/* Less address space than the shadow needs: no model, and errno says why. */
static void small_address_space_is_refused(void **state)
{
	struct model_config config = { .quantum = 4096 };
	struct rlimit limit = { 1 << 30, 1 << 30 };
	int status;
	pid_t child = fork();

	machine_small(&config.machine);
	if (child == 0) {
		setrlimit(RLIMIT_AS, &limit);
		_exit(model_new(&config, NULL) == NULL && errno == ENOMEM ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
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
		cmocka_unit_test(neighbours_repeat),
		cmocka_unit_test(counter_repeats),
		cmocka_unit_test(ring_repeats),
		cmocka_unit_test(yield_repeats),
		cmocka_unit_test(sleepers_go_on_after_their_waker),
		cmocka_unit_test(short_threads_reuse_places),
		cmocka_unit_test(samples_stand_for_all_accesses),
		cmocka_unit_test(quiet_line_becomes_private_and_comes_back),
		cmocka_unit_test(three_holds_are_replayed_at_once),
		cmocka_unit_test(barrier_repeats),
		cmocka_unit_test(unreported_sleep_holds_nobody_up_for_ever),
		cmocka_unit_test(first_conflict_knows_the_owner),
		cmocka_unit_test(split_access_counts_in_both_lines),
		cmocka_unit_test(threads_beyond_the_places_are_refused),
		cmocka_unit_test(small_address_space_is_refused),
		cmocka_unit_test(forked_child_forgets),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
