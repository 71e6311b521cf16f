// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks: recognised from what threads do, and enforced in the replay. The data that they guard
 * moves about once a section, whatever the quantum and the host.
 */
#include "actor.h"

static void fields_add(struct actor *a, uint64_t *line)
{
	for (unsigned int f = 0; f < 8; f++) {
		uint64_t v = load(a, &line[f], SITE(2));

		store(a, &line[f], v + 1, SITE(2));
	}
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

/* A mutex as C libraries make it: 0 free, 1 taken, 2 taken and waited for. */
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

/* A word that was a lock, and then counts. */
static void lock_then_counter(struct actor *a)
{
	for (unsigned int i = 0; i < 20; i++) {
		spin_lock(a, &memory[0][0]);
		fields_add(a, memory[1]);
		spin_unlock(a, &memory[0][0]);
	}
	__atomic_fetch_add(&memory[2][0], 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&memory[2][0], __ATOMIC_SEQ_CST) < a->count)
		model_run(a->thread, 10);
	for (unsigned int i = 0; i < a->turns; i++)
		report(a, &memory[0][0], MODEL_RMW, SITE(20, .may_lock = 1),
		       __atomic_add_fetch(&memory[0][0], 1, __ATOMIC_SEQ_CST));
}

static void lock_that_becomes_a_counter_is_seen(void **state)
{
	struct result r = program_run(lock_then_counter, 2, 20000, &shapes[0]);

	print_message("note: lock, then counter: %lu accesses, abandoned %lu\n",
		      r.line[0].accesses, r.total.abandoned);
	assert_in_range(r.line[0].accesses, 38000, 41000);
	assert_in_range(r.total.abandoned, 1, 100);
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
	assert_int_equal(r.total.threads, MANY + 1);
}

static void mutex_repeats(void **state)
{
	struct result r;

	assert_repeats("mutex", mutex_fields, 3, 5000, EXPECT({ 0, 1 }, { 1, 1 }), &r);
	assert_in_range(line_hitm(&r, 1), 14700, 15300);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spin_lock_repeats),
		cmocka_unit_test(ticket_lock_repeats),
		cmocka_unit_test(nested_locks_repeat),
		cmocka_unit_test(sections_move_the_data_once),
		cmocka_unit_test(lock_that_becomes_a_counter_is_seen),
		cmocka_unit_test(crowd_repeats),
		cmocka_unit_test(mutex_repeats),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
