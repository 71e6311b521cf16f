// SPDX-License-Identifier: GPL-2.0-only
#include "collect_filter.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct kept {
	uint32_t pid[16], type[16], cpu[16];
	size_t count;
};

/* Sample layout: identifier, ip, pid and tid. */
struct record {
	struct perf_event_header h;
	uint64_t word[3];
};

static struct err *keep(void *context, uint32_t cpu, const struct perf_event_header *h)
{
	struct kept *k = context;
	const struct record *r = (const void *)h;

	k->pid[k->count] = h->type == PERF_RECORD_SAMPLE ? (uint32_t)r->word[2]
							 : (uint32_t)r->word[0];
	k->cpu[k->count] = cpu;
	k->type[k->count++] = h->type;
	return NULL;
}

static void take_sample(struct collect_filter *f, uint32_t cpu, uint32_t pid)
{
	struct record r = { { PERF_RECORD_SAMPLE, 0, sizeof(r) }, { 1, 0x1000, pid } };

	assert_null(collect_filter_take(f, cpu, &r.h));
}

static void take_fork(struct collect_filter *f, uint32_t pid, uint32_t parent)
{
	struct record r = { { PERF_RECORD_FORK, 0, sizeof(r) },
			    { pid | (uint64_t)parent << 32, 0, 0 } };

	assert_null(collect_filter_take(f, 0, &r.h));
}

static struct collect_filter *filter_of(pid_t pid)
{
	static const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER |
								    PERF_SAMPLE_IP |
								    PERF_SAMPLE_TID };

	return collect_filter_new(&attr, &pid, 1);
}

static void rounds(struct collect_filter *f, struct kept *k, int n)
{
	while (n--)
		assert_null(collect_filter_round(f, keep, k));
}

static void samples_of_others_go(void **state)
{
	struct collect_filter *f = filter_of(100);
	struct kept k = { .count = 0 };

	take_sample(f, 2, 100);
	take_sample(f, 3, 200);
	rounds(f, &k, 2);
	assert_int_equal(k.count, 1);
	assert_int_equal(k.pid[0], 100);
	assert_int_equal(k.cpu[0], 2);
	collect_filter_free(f);
}

static void a_child_is_known_when_its_birth_is_read_a_round_later(void **state)
{
	struct collect_filter *f = filter_of(100);
	struct kept k = { .count = 0 };

	take_sample(f, 1, 101);
	rounds(f, &k, 1);
	take_fork(f, 101, 100);
	take_fork(f, 301, 300);
	rounds(f, &k, 2);
	assert_int_equal(k.count, 2);
	assert_int_equal(k.type[0], PERF_RECORD_SAMPLE);
	assert_int_equal(k.pid[0], 101);
	assert_int_equal(k.type[1], PERF_RECORD_FORK);
	assert_int_equal(k.pid[1], 101);
	collect_filter_free(f);
}

static void losses_are_nobodys_and_stay(void **state)
{
	struct collect_filter *f = filter_of(100);
	struct record r = { { PERF_RECORD_LOST, 0, sizeof(r) }, { 7, 55, 0 } };
	struct kept k = { .count = 0 };

	assert_null(collect_filter_take(f, 0, &r.h));
	rounds(f, &k, 2);
	assert_int_equal(k.count, 1);
	assert_int_equal(k.type[0], PERF_RECORD_LOST);
	collect_filter_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_others_go),
		cmocka_unit_test(a_child_is_known_when_its_birth_is_read_a_round_later),
		cmocka_unit_test(losses_are_nobodys_and_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
