// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diff.h"
#include "fake_attrib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELDS	12
#define SECONDS 10
#define PAIRS	100

/*
 * Twelve fields of six objects, two each; Together they have the HITM that
 * a recording of 10 s takes with 8 CPUs at 4,000 samples a second, when one sample in ten is a
 * HITM.
 */
#define HITM 32000

#define OBJECT(n, name_)                                                                           \
	{ 0x10000 * (n),                                                                           \
	  8,                                                                                       \
	  { .object = name_, .object_size = 64, .type = "struct s", .field = "first" } },          \
	{                                                                                          \
		0x10000 * (n) + 32, 8,                                                             \
		{                                                                                  \
			.object = name_, .object_size = 64, .type = "struct s", .field = "second", \
			.field_offset = 32, .object_offset = 32                                    \
		}                                                                                  \
	}

const struct fake_data fake_data[] = {
	OBJECT(1, "a"), OBJECT(2, "b"), OBJECT(3, "c"), OBJECT(4, "d"),
	OBJECT(5, "e"), OBJECT(6, "f"), { 0 },
};

const struct fake_code fake_code[] = { { 0x1, { .function = "work" } }, { 0 } };

/* xorshift64: the same numbers on every machine. */
static double uniform(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return ((*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Knuth's for small means, else the normal distribution that it tends to. */
static uint32_t poisson(double mean, uint64_t *seed)
{
	double product = 1, normal;
	uint32_t n = 0;

	if (mean >= 50) {
		normal = sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed));
		return (uint32_t)fmax(0, llrint(mean + sqrt(mean) * normal));
	}
	for (product = uniform(seed); product > exp(-mean); product *= uniform(seed))
		n++;
	return n;
}

/* Field k has 1/(k + 1) of the first one's HITM. */
static double mean_of(int field)
{
	double sum = 0;

	for (int k = 0; k < FIELDS; k++)
		sum += 1.0 / (k + 1);
	return HITM / sum / (field + 1);
}

#define LINES (FIELDS / 2)

/* A sealed profile, made without the millions of samples behind it. */
struct side {
	struct recording recording;
	struct attrib *attrib;
	struct profile profile;
	struct contended_line lines[LINES];
	struct cell cells[FIELDS];
};

/* A recording in which field "changed" has "factor" times its rate. */
static void side_make(struct side *s, int changed, double factor, uint64_t *seed)
{
	*s = (struct side){ .recording = { .path = "x", .last_time = SECONDS * 1e9 },
			    .attrib = attrib_new(NULL),
			    .profile = { .line_size = 64,
					 .lines = s->lines,
					 .line_count = LINES,
					 .contended_count = LINES } };
	for (int k = 0; k < FIELDS; k++) {
		struct contended_line *line = &s->lines[k / 2];
		uint32_t n = poisson(mean_of(k) * (k == changed ? factor : 1), seed);

		s->cells[k] = (struct cell){ .offset = 32 * (k % 2),
					     .ip = 0x1,
					     .counts = { .samples = n + 2,
							 .loads = n,
							 .stores = 2,
							 .hitm = { n },
							 .accesses = n + 2 } };
		line->addr = 0x10000 * (k / 2 + 1);
		line->contended = true;
		line->cells = &s->cells[k / 2 * 2];
		line->cell_count = 2;
		counts_add(&line->counts, &s->cells[k].counts);
		counts_add(&s->profile.total, &s->cells[k].counts);
	}
}

static void side_free(struct side *s)
{
	attrib_free(s->attrib);
}

/* "sides" of "count" recordings, the first half before. */
static struct diff *compare(struct intern *pool, struct side *sides, uint32_t count)
{
	struct diff_run runs[16];

	for (uint32_t i = 0; i < count; i++)
		runs[i] = (struct diff_run){ .side = i < count / 2 ? DIFF_BEFORE : DIFF_AFTER,
					     .recording = &sides[i].recording,
					     .profile = &sides[i].profile,
					     .attrib = sides[i].attrib };
	return diff_new(pool, runs, count);
}

static const struct diff_field *field_of(const struct diff *d, int field)
{
	const char *object = fake_data[field].place.object, *name = fake_data[field].place.field;

	for (uint32_t i = 0; i < d->object_count; i++)
		for (uint32_t k = 0; k < d->objects[i].field_count; k++)
			if (!strcmp(d->objects[i].row.name, object) &&
			    !strcmp(d->objects[i].fields[k].row.name, name))
				return &d->objects[i].fields[k];
	fail_msg("no field %s.%s in the diff", object, name);
	return NULL;
}

static int significant_rows(const struct diff *d)
{
	int rows = d->total.significant;

	for (uint32_t i = 0; i < d->object_count; i++) {
		rows += d->objects[i].row.significant;
		for (uint32_t k = 0; k < d->objects[i].field_count; k++)
			rows += d->objects[i].fields[k].row.significant;
	}
	return rows;
}

/* How many of PAIRS pairs of "runs" recordings a side find field "changed" (-1: find anything). */
static int found(int changed, double factor, uint32_t runs)
{
	uint64_t seed = 88172645463325252ULL;
	int pairs = 0;

	for (int i = 0; i < PAIRS; i++) {
		struct intern *pool = intern_new();
		struct side sides[16];
		struct diff *d;

		for (uint32_t r = 0; r < 2 * runs; r++)
			side_make(&sides[r], changed, r < runs ? 1 : factor, &seed);
		d = compare(pool, sides, 2 * runs);
		pairs += changed < 0 ? significant_rows(d) > 0
				     : field_of(d, changed)->row.significant;
		diff_free(d);
		for (uint32_t r = 0; r < 2 * runs; r++)
			side_free(&sides[r]);
		intern_free(pool);
	}
	return pairs;
}

static void two_recordings_of_one_program_do_not_differ(void **state)
{
	int wrong = found(-1, 1, 1);

	print_message("nothing significant in %d of %d pairs of equal programs\n", PAIRS - wrong,
		      PAIRS);
	if (PAIRS - wrong < 95)
		fail_msg("%d of %d pairs have a significant row", wrong, PAIRS);
}

static void a_change_of_a_fifth_is_found(void **state)
{
	static const int FIELD[] = { 0, 2, 4 };

	for (size_t i = 0; i < ARRAY_SIZE(FIELD); i++)
		for (int down = 0; down < 2; down++) {
			int pairs = found(FIELD[i], down ? 0.8 : 1.2, 1);

			print_message("%+d %% of a field with %.0f HITM found in %d of %d pairs\n",
				      down ? -20 : 20, mean_of(FIELD[i]), pairs, PAIRS);
			if (pairs < 80)
				fail_msg("found in %d of %d pairs, not in 80", pairs, PAIRS);
		}
}

static void several_recordings_a_side_find_less_and_err_no_more(void **state)
{
	int wrong = found(-1, 1, 3), right = found(0, 1.2, 3);

	print_message("three recordings a side: %d of %d wrong, +20 %% found in %d\n", wrong, PAIRS,
		      right);
	if (wrong > 5 || right < 80)
		fail_msg("%d wrong, %d found", wrong, right);
}

static void what_ends_is_gone_and_what_begins_is_new(void **state)
{
	struct intern *pool = intern_new();
	uint64_t seed = 4711;
	struct side sides[2];
	struct diff *d;

	side_make(&sides[0], 1, 1, &seed);
	side_make(&sides[1], 1, 0.001, &seed);
	d = compare(pool, sides, 2);
	assert_int_equal(field_of(d, 1)->row.word, DIFF_GONE);
	assert_int_equal(field_of(d, 0)->row.word, DIFF_SAME);
	assert_non_null(strstr(field_of(d, 1)->row.story, "gone: "));
	diff_free(d);
	side_free(&sides[0]);
	side_free(&sides[1]);
	side_make(&sides[0], 1, 0.001, &seed);
	side_make(&sides[1], 1, 1, &seed);
	d = compare(pool, sides, 2);
	assert_int_equal(field_of(d, 1)->row.word, DIFF_NEW);
	diff_free(d);
	side_free(&sides[0]);
	side_free(&sides[1]);
	intern_free(pool);
}

static void sides_that_differ_are_told(void **state)
{
	struct recording_event events[2] = { { .name = "cpu/mem-loads,ldlat=30/P", .config1 = 30 },
					     { .name = "cpu/mem-loads,ldlat=50/P",
					       .config1 = 50 } };
	static const char *const EXPECTED[] = { "events: ", "ldlat): 30 before, 50 after",
						"kernel: ", "CPUs: 8 before, 16 after",
						"samples lost: " };
	struct intern *pool = intern_new();
	uint64_t seed = 4711;
	struct side sides[2];
	struct diff *d;

	for (int s = 0; s < 2; s++) {
		struct recording *r;

		side_make(&sides[s], 1, 1, &seed);
		r = &sides[s].recording;
		r->events = &events[s];
		r->event_count = 1;
		r->kernel = s ? "6.12" : "6.1";
		r->cpus = s ? 16 : 8;
		r->lost = s ? 9000 : 0;
	}
	d = compare(pool, sides, 2);
	for (size_t i = 0; i < ARRAY_SIZE(EXPECTED); i++) {
		bool told = false;

		for (uint32_t w = 0; w < d->warning_count; w++)
			told |= strstr(d->warnings[w], EXPECTED[i]) != NULL;
		if (!told)
			fail_msg("no warning has \"%s\"", EXPECTED[i]);
	}
	assert_int_equal(d->warning_count, ARRAY_SIZE(EXPECTED));
	diff_free(d);
	side_free(&sides[0]);
	side_free(&sides[1]);
	intern_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_recordings_of_one_program_do_not_differ),
		cmocka_unit_test(a_change_of_a_fifth_is_found),
		cmocka_unit_test(several_recordings_a_side_find_less_and_err_no_more),
		cmocka_unit_test(what_ends_is_gone_and_what_begins_is_new),
		cmocka_unit_test(sides_that_differ_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
