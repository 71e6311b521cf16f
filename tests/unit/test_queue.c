// SPDX-License-Identifier: GPL-2.0-only
/* Samples and records against the order that they must come in. */
#include "queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(struct queue *q, uint64_t time, uint64_t ip)
{
	*queue_room(q, 1) = (struct sample){ .time = time, .ip = ip };
	queue_add(q, 1);
}

static void add_record(struct queue *q, uint64_t time, uint64_t offset)
{
	queue_record(q, &(struct queue_record){ .time = time, .offset = offset });
}

/* The next sample's or record's time; a record's is negative. 0: nothing is due. */
static int64_t take(struct queue *q)
{
	struct queue_record r;
	struct sample s;

	if (queue_take(q, &s, 1))
		return (int64_t)s.time;
	return queue_take_record(q, &r) ? -(int64_t)r.time : 0;
}

static void expect(struct queue *q, const int64_t *times)
{
	for (; *times; times++)
		assert_int_equal(take(q), *times);
	assert_int_equal(take(q), 0);
	assert_false(queue_is_due(q));
}

#define EXPECT(q, ...) expect(q, (const int64_t[]){ __VA_ARGS__, 0 })
#define NOTHING(q)     expect(q, (const int64_t[]){ 0 })

static void a_round_frees_what_the_round_before_completed(void **state)
{
	struct queue q = { 0 };

	add(&q, 10, 0);
	add(&q, 30, 0);
	add_record(&q, 20, 0);
	NOTHING(&q);
	queue_round(&q); /* nothing is known to be complete yet */
	NOTHING(&q);
	add(&q, 25, 0);
	add(&q, 50, 0);
	queue_round(&q); /* up to 30 */
	EXPECT(&q, 10, -20, 25, 30);
	add(&q, 40, 0);
	queue_round(&q); /* up to 50 */
	EXPECT(&q, 40, 50);
	add(&q, 60, 0);
	queue_flush(&q);
	EXPECT(&q, 60);
	queue_deinit(&q);
}

static void loose_samples_come_as_they_were_read(void **state)
{
	struct queue q = { .loose = true };

	add(&q, 30, 0);
	add(&q, 10, 0);
	queue_round(&q);
	NOTHING(&q);
	add(&q, 50, 0);
	add(&q, 25, 0);
	queue_round(&q);
	EXPECT(&q, 30, 10); /* 25 may wait: it changes nothing for them, nor they for it */
	queue_flush(&q);
	EXPECT(&q, 50, 25);
	queue_deinit(&q);
}

static void a_record_between_them_puts_loose_samples_in_order(void **state)
{
	struct queue q = { .loose = true };

	add(&q, 30, 0);
	add(&q, 10, 0);
	queue_round(&q);
	add(&q, 50, 0);
	add(&q, 25, 0);
	add_record(&q, 28, 0);
	add_record(&q, 40, 0);
	queue_round(&q); /* up to 30: the record is among them */
	EXPECT(&q, 10, 25, -28, 30);
	add(&q, 60, 0);
	queue_round(&q); /* up to 50: the other one */
	EXPECT(&q, -40, 50);
	queue_flush(&q);
	EXPECT(&q, 60);
	queue_deinit(&q);
}

static void records_before_all_samples_leave_loose_ones_as_they_were_read(void **state)
{
	struct queue q = { .loose = true };

	add_record(&q, 8, 0);
	add_record(&q, 5, 0);
	add(&q, 30, 0);
	add(&q, 10, 0);
	queue_round(&q);
	NOTHING(&q);
	add(&q, 50, 0);
	add(&q, 9, 0);
	add_record(&q, 7, 0);
	add_record(&q, 45, 0);
	queue_round(&q); /* up to 30 */
	EXPECT(&q, -5, -7, -8, 30, 10);
	add(&q, 60, 0);
	queue_round(&q); /* up to 50: one record is older than a sample */
	EXPECT(&q, 9, -45, 50);
	queue_flush(&q);
	EXPECT(&q, 60);
	queue_deinit(&q);
}

static void a_record_of_a_sample_s_time_that_was_read_later_comes_later(void **state)
{
	struct queue q = { .loose = true };

	add(&q, 10, 0);
	add_record(&q, 10, 0);
	add(&q, 30, 0);
	queue_round(&q);
	add(&q, 40, 0);
	queue_round(&q);
	EXPECT(&q, 10, -10, 30);
	queue_deinit(&q);
}

static void a_record_waits_for_all_samples_before_it(void **state)
{
	struct queue q = { .loose = true };

	add(&q, 10, 0);
	queue_round(&q);
	add_record(&q, 20, 0);
	add(&q, 15, 0);
	queue_round(&q);
	EXPECT(&q, 10);
	add(&q, 18, 0); /* older than the record, read after it */
	queue_round(&q);
	EXPECT(&q, 15, 18, -20);
	queue_deinit(&q);
}

static void an_empty_queue_gives_nothing(void **state)
{
	for (int loose = 0; loose < 2; loose++) {
		struct queue q = { .loose = loose };

		queue_round(&q);
		queue_flush(&q);
		queue_flush_half(&q);
		NOTHING(&q);
		queue_deinit(&q);
	}
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

static void records_that_nobody_took_can_be_had_at_the_end(void **state)
{
	struct queue q = { 0 };
	struct queue_record r;
	uint64_t offsets = 0;

	add_record(&q, 10, 1);
	queue_round(&q);
	queue_round(&q); /* the first is due */
	add_record(&q, 20, 2);
	add_record(&q, 30, 4);
	while (queue_drop_record(&q, &r))
		offsets += r.offset;
	assert_int_equal(offsets, 7);
	queue_deinit(&q);
}

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % below;
}

struct order {
	uint64_t time, number;
	bool loose;
	uint64_t record; /* time of the newest record so far */
};

/* By time, and equal times in the order of arrival; loose samples only between records. */
static void in_order(struct order *o, uint64_t time, uint64_t number, bool is_record)
{
	if (is_record || !o->loose) {
		assert_true(time >= o->time);
		assert_true(time > o->time || !o->number || number > o->number);
	}
	assert_true(time >= o->record);
	if (is_record)
		o->record = time;
	if (time >= o->time)
		o->number = number;
	o->time = time > o->time ? time : o->time;
}

static size_t take_all(struct queue *q, struct order *o)
{
	struct queue_record r;
	struct sample s[7];
	size_t taken = 0, n;

	while (queue_is_due(q)) {
		n = queue_take(q, s, 7);
		for (size_t i = 0; i < n; i++)
			in_order(o, s[i].time, s[i].ip, false);
		taken += n;
		if (!queue_take_record(q, &r))
			continue;
		in_order(o, r.time, r.offset, true);
		taken++;
	}
	return taken;
}

/* Rings that are emptied in turn, as a recorder does: each in order, none behind the last round. */
static void run_rounds(bool loose, uint64_t seed, int records)
{
	struct queue q = { .loose = loose };
	struct order order = { .loose = loose };
	size_t added = 0, taken = 0;

	for (uint64_t round = 1; round < 40; round++) {
		for (uint64_t ring = 0; ring < 4; ring++)
			for (uint64_t t = 0, n = draw(&seed, 5); t < n; t++) {
				uint64_t time = round * 100 + t * 30 + draw(&seed, 30);

				if (draw(&seed, 100) < (uint64_t)records)
					add_record(&q, time, ++added);
				else
					add(&q, time, ++added);
			}
		queue_round(&q);
		taken += take_all(&q, &order);
	}
	queue_flush(&q);
	taken += take_all(&q, &order);
	assert_int_equal(taken, added);
	queue_deinit(&q);
}

static void any_rounds_come_out_in_order(void **state)
{
	for (uint64_t seed = 1; seed < 200; seed++)
		for (int records = 0; records <= 100; records += 10) {
			run_rounds(false, seed, records);
			run_rounds(true, seed, records);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_frees_what_the_round_before_completed),
		cmocka_unit_test(loose_samples_come_as_they_were_read),
		cmocka_unit_test(a_record_between_them_puts_loose_samples_in_order),
		cmocka_unit_test(records_before_all_samples_leave_loose_ones_as_they_were_read),
		cmocka_unit_test(a_record_of_a_sample_s_time_that_was_read_later_comes_later),
		cmocka_unit_test(a_record_waits_for_all_samples_before_it),
		cmocka_unit_test(an_empty_queue_gives_nothing),
		cmocka_unit_test(half_of_what_waits_can_be_freed),
		cmocka_unit_test(records_that_nobody_took_can_be_had_at_the_end),
		cmocka_unit_test(any_rounds_come_out_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
