// SPDX-License-Identifier: GPL-2.0-only
/* A source that is read ahead gives what it would give by itself, in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ahead.h"
#include "err.h"
#include "mem.h"

#include <string.h>

/* Numbered samples with an event behind each "every" of them, and so many times one after it. */
struct numbers {
	struct source source;
	uint64_t samples, given, every, times, events_given, events_due;
	struct err *error; /* given at the end instead of it */
	bool one_by_one;   /* samples are events, too */
};

static struct err *next(struct source *s, struct event *ev, bool *end)
{
	struct numbers *n = (struct numbers *)s;

	*end = false;
	if (n->events_due) {
		*ev = (struct event){ .kind = EVENT_LOST, .time = n->given };
		ev->lost.count = ++n->events_given;
		n->events_due--;
		return NULL;
	}
	*end = n->given == n->samples;
	if (*end)
		return n->error;
	*ev = event_of_sample(&(struct sample){ .addr = ++n->given });
	if (n->every && n->given % n->every == 0)
		n->events_due = n->times;
	return NULL;
}

static size_t samples(struct source *s, struct sample *to, size_t room)
{
	struct numbers *n = (struct numbers *)s;
	size_t count = 0;

	if (n->one_by_one)
		return 0;
	while (count < room && !n->events_due && n->given < n->samples) {
		to[count++] = (struct sample){ .addr = ++n->given };
		if (n->every && n->given % n->every == 0)
			n->events_due = n->times;
	}
	return count;
}

static const struct source_ops ops = { .name = "numbers", .next = next, .samples = samples };

/* All that comes is numbered on, and each event says how many samples came before it. */
static void check_batch(const struct ahead_batch *b, uint64_t *seen, uint64_t *events)
{
	for (uint32_t i = 0; i < b->events; i++) {
		assert_int_equal(b->event[i].lost.count, ++*events);
		assert_int_equal(b->event[i].time, *seen + b->behind[i]);
	}
	for (uint32_t i = 0; i < b->samples; i++)
		assert_int_equal(b->sample[i].addr, ++*seen);
}

static void check(struct numbers n)
{
	const struct ahead_batch *b;
	uint64_t seen = 0, events = 0;
	struct err *e = n.error;
	struct ahead *a;

	n.source.ops = &ops;
	a = ahead_open(&n.source);
	while ((b = ahead_next(a)))
		check_batch(b, &seen, &events);
	assert_int_equal(seen, n.samples);
	assert_int_equal(events, n.every ? n.samples / n.every * n.times : 0);
	assert_ptr_equal(ahead_close(a), e);
}

static void nothing_lost_and_nothing_moved(void **state)
{
	static const uint64_t counts[] = { 0, 1, 63, 2047, 2048, 2049, 100000 };

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
			check((struct numbers){ .samples = counts[i], .one_by_one = one_by_one });
			for (uint64_t every = 1; every < 5000; every *= 5)
				check((struct numbers){ .samples = counts[i],
							.every = every,
							.times = 1 + every % 3,
							.one_by_one = one_by_one });
		}
	check((struct numbers){ .samples = 200, .every = 100, .times = 1000 });
}

static void the_error_comes_after_all_that_was_read(void **state)
{
	struct err *e = err_new(ERR_FAILED, "the end");

	check((struct numbers){ .samples = 5000, .every = 7, .times = 1, .error = e });
	err_free(e);
}

static void it_can_be_closed_before_the_end(void **state)
{
	struct numbers n = { .source.ops = &ops, .samples = UINT64_MAX };
	struct ahead *a = ahead_open(&n.source);

	assert_non_null(ahead_next(a));
	assert_null(ahead_close(a));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_lost_and_nothing_moved),
		cmocka_unit_test(the_error_comes_after_all_that_was_read),
		cmocka_unit_test(it_can_be_closed_before_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
