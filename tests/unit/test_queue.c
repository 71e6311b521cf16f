// SPDX-License-Identifier: GPL-2.0-only
#include "queue.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void add(struct queue *q, uint64_t time, uint64_t offset)
{
	queue_add(q, &(struct queue_entry){ .time = time, .offset = offset });
}

/* Takes all that is ready and holds it against "times", which ends with 0. */
static void expect_ready(struct queue *q, const uint64_t *times)
{
	struct queue_entry e;

	while (queue_take(q, &e))
		assert_int_equal(e.time, *times++);
	assert_int_equal(*times, 0);
}

static void expect_nothing(struct queue *q)
{
	struct queue_entry e;

	assert_false(queue_take(q, &e));
}

#define EXPECT(q, ...) expect_ready(q, (const uint64_t[]){ __VA_ARGS__, 0 })

static void a_round_frees_what_the_round_before_completed(void **state)
{
	struct queue q = { 0 };

	add(&q, 10, 0);
	add(&q, 30, 0);
	add(&q, 20, 0);
	expect_nothing(&q);
	queue_round(&q); /* nothing is known to be complete yet */
	expect_nothing(&q);
	add(&q, 25, 0);
	add(&q, 50, 0);
	queue_round(&q); /* up to 30 */
	EXPECT(&q, 10, 20, 25, 30);
	add(&q, 40, 0);
	queue_round(&q); /* up to 50 */
	EXPECT(&q, 40, 50);
	add(&q, 60, 0);
	queue_flush(&q);
	EXPECT(&q, 60);
	queue_deinit(&q);
}

static void an_empty_queue_gives_nothing(void **state)
{
	struct queue q = { 0 };

	queue_round(&q);
	queue_flush(&q);
	queue_flush_half(&q);
	expect_nothing(&q);
	queue_deinit(&q);
}

static void half_of_what_waits_can_be_freed(void **state)
{
	struct queue q = { 0 };

	for (uint64_t i = 5; i > 0; i--)
		add(&q, i, 0);
	queue_flush_half(&q);
	EXPECT(&q, 1, 2, 3);
	queue_flush_half(&q);
	EXPECT(&q, 4);
	queue_flush_half(&q);
	EXPECT(&q, 5);
	queue_deinit(&q);
}

/* Any number of rings in any order, taken in time's order, equal times in the order of arrival. */
static void any_mix_is_sorted_and_stable(void **state)
{
	uint64_t seed = 1;

	for (size_t count = 0; count < 300; count++) {
		struct queue q = { 0 };
		struct queue_entry e, last = { 0 };
		size_t taken = 0;

		for (size_t i = 0; i < count; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			add(&q, 1 + (seed >> 33) % (count / 2 + 1), i);
		}
		queue_flush(&q);
		for (; queue_take(&q, &e); taken++) {
			assert_true(e.time >= last.time);
			assert_true(e.time > last.time || !taken || e.offset > last.offset);
			last = e;
		}
		assert_int_equal(taken, count);
		queue_deinit(&q);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_frees_what_the_round_before_completed),
		cmocka_unit_test(an_empty_queue_gives_nothing),
		cmocka_unit_test(half_of_what_waits_can_be_freed),
		cmocka_unit_test(any_mix_is_sorted_and_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
