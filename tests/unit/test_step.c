// SPDX-License-Identifier: GPL-2.0-only
#include "step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WORDS (4 * STEPS_SEEN) /* so that they push each other out */

static struct data_source source_of(uint32_t i)
{
	return (struct data_source){ .kind = i % 3,
				     .level = LEVEL_L3,
				     .distance = i / 3 % MEMORY_DISTANCES,
				     .hitm = i / 9 & 1,
				     .locked = i / 18 & 1,
				     .miss = i / 36 & 1 };
}

/* Twice over the same words, and between them the word of a sample without a data source. */
static void test_steps_are_those_of_the_words_however_many_there_are(void **state)
{
	struct steps seen = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 2 * WORDS; i++) {
		struct data_source from = source_of(i % WORDS), d;
		struct sample s[2] = { { .data_src = data_source_encode(&from) |
						     (uint64_t)(i % WORDS) << 50 },
				       { .data_src = 0 } };

		d = data_source_decode(s[0].data_src);
		steps_look(&seen, s, 2);
		if (s[0].step != step_of(&d) || s[1].step != STEP_NONE)
			fail_msg("word %#llx: step %#x, not %#x; word 0: step %#x",
				 (unsigned long long)s[0].data_src, s[0].step, step_of(&d),
				 s[1].step);
	}
}

static void test_a_step_has_a_bit_for_each_count(void **state)
{
	static const struct {
		struct data_source d;
		int step;
	} rows[] = {
		{ { .kind = MEMORY_NONE, .hitm = true, .locked = true }, STEP_NONE },
		{ { .kind = MEMORY_LOAD, .miss = true }, STEP_LOAD },
		{ { .kind = MEMORY_LOAD, .hitm = true, .locked = true },
		  STEP_LOAD | STEP_HITM | STEP_LOCKED },
		{ { .kind = MEMORY_LOAD, .hitm = true, .distance = DISTANCE_OTHER_NODE },
		  STEP_LOAD | STEP_HITM << 2 },
		{ { .kind = MEMORY_LOAD, .peer = true }, STEP_LOAD | STEP_PEER },
		{ { .kind = MEMORY_STORE, .miss = true }, STEP_STORE | STEP_STORE_MISS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (step_of(&rows[i].d) != rows[i].step)
			fail_msg("row %zu: %#x, not %#x", i, step_of(&rows[i].d), rows[i].step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_are_those_of_the_words_however_many_there_are),
		cmocka_unit_test(test_a_step_has_a_bit_for_each_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
