// SPDX-License-Identifier: GPL-2.0-only
#include "chain.h"
#include "mem.h"
#include "sample.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_chain(const struct chain_set *s, uint32_t number, const uint64_t *want,
			 uint32_t count)
{
	struct chain c = chain_get(s, number);

	assert_int_equal(c.count, count);
	assert_memory_equal(c.word, want, count * sizeof(*want));
}

static void equal_chains_have_one_number(void **state)
{
	static const uint64_t a[] = { 1, 2, 3 }, b[] = { 1, 2 }, c[] = { 1, 2, 4 };
	struct chain_set *s = chain_set_new();
	uint32_t first = chain_put(s, a, 3), second = chain_put(s, b, 2),
		 third = chain_put(s, c, 3);

	assert_int_not_equal(first, CHAIN_NONE);
	assert_int_not_equal(first, second);
	assert_int_not_equal(first, third);
	assert_int_not_equal(second, third);
	assert_int_equal(chain_put(s, a, 3), first);
	assert_int_equal(chain_put(s, b, 2), second);
	assert_chain(s, first, a, 3);
	assert_chain(s, second, b, 2);
	assert_chain(s, third, c, 3);
	chain_set_free(s);
}

static void an_empty_chain_is_none_and_a_long_one_is_cut(void **state)
{
	uint64_t words[CHAIN_LONGEST + 50];
	struct chain_set *s = chain_set_new();
	uint32_t number;

	for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = i;
	assert_int_equal(chain_put(s, words, 0), CHAIN_NONE);
	number = chain_put(s, words, ARRAY_SIZE(words));
	assert_chain(s, number, words, CHAIN_LONGEST);
	assert_int_equal(chain_put(s, words, CHAIN_LONGEST), number);
	chain_set_free(s);
}

/* As many as fit: all that were given a number are as they were; then there are no new ones. */
static void memory_is_bounded_and_old_numbers_stay_good(void **state)
{
	struct chain_set *s = chain_set_new();
	uint64_t words[CHAIN_LONGEST] = { 0 };
	uint32_t count = 0, room = 1 << 20, *number = mem_zalloc(room * sizeof(*number));

	for (; count < room; count++) {
		words[0] = count;
		words[CHAIN_LONGEST - 1] = ~(uint64_t)count;
		number[count] = chain_put(s, words, CHAIN_LONGEST);
		if (number[count] == CHAIN_NONE)
			break;
	}
	/* 256 chunks of 32768 words, 254 chains of 129 words each */
	assert_int_equal(count, 256 * 254);
	for (uint32_t i = 0; i < count; i++) {
		words[0] = i;
		words[CHAIN_LONGEST - 1] = ~(uint64_t)i;
		assert_chain(s, number[i], words, CHAIN_LONGEST);
		assert_int_equal(chain_put(s, words, CHAIN_LONGEST), number[i]);
	}
	free(number);
	chain_set_free(s);
}

/* Behind the fixed words, and a group's values where these are read. */
static void the_chain_is_found_in_a_sample(void **state)
{
	const uint64_t body[] = { 0x1000 /* ip */, 7 /* value */, 8 /* id */, 2,
				  (uint64_t)-512,  0x1000,	  9 };
	struct sample_layout layout = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ |
						       PERF_SAMPLE_CALLCHAIN,
					.read_format = PERF_FORMAT_ID };
	struct cursor words = sample_chain(cursor_of(body, sizeof(body), 0), &layout);

	assert_false(words.bad);
	assert_int_equal(cursor_left(&words), 16);
	assert_true(cursor_u64(&words) == (uint64_t)PERF_CONTEXT_USER);
	assert_int_equal(cursor_u64(&words), 0x1000);
	/* More words than the record has, and none at all. */
	for (size_t size = 0; size < 6 * 8; size += 8)
		assert_true(sample_chain(cursor_of(body, size, 0), &layout).bad);
	layout.sample_type = PERF_SAMPLE_IP;
	assert_true(sample_chain(cursor_of(body, sizeof(body), 0), &layout).bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_chains_have_one_number),
		cmocka_unit_test(an_empty_chain_is_none_and_a_long_one_is_cut),
		cmocka_unit_test(memory_is_bounded_and_old_numbers_stay_good),
		cmocka_unit_test(the_chain_is_found_in_a_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
