// SPDX-License-Identifier: GPL-2.0-only
/* Packed cells against cells that are counted plainly. */
#include "cell_store.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINES	4
#define MOST	64 /* cells of a line */
#define SAMPLES 60000

struct plain_line {
	struct cell cells[MOST];
	uint32_t number[MOST]; /* in the store */
	uint32_t count;
};

struct fixture {
	struct cell_store *store;
	struct plain_line plain[LINES];
	uint32_t threads, cpus; /* how many there are */
	uint64_t heaviest;
	uint64_t random;
};

static uint32_t draw(struct fixture *f, uint32_t below)
{
	f->random = f->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (f->random >> 33) % below;
}

static uint32_t plain_cell(struct plain_line *l, uint32_t offset, uint64_t ip)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (l->cells[i].offset == offset && l->cells[i].ip == ip)
			return i;
	l->number[l->count] = CELL_NONE;
	l->cells[l->count] = (struct cell){ .offset = offset, .ip = ip };
	return l->count++;
}

static void count_plain(struct counts *c, const struct sample *s, const struct data_source *d)
{
	c->samples++;
	c->loads += d->kind == MEMORY_LOAD;
	c->stores += d->kind == MEMORY_STORE;
	c->hitm[d->distance] += d->hitm;
	c->store_misses += d->kind == MEMORY_STORE && d->miss;
	c->peer += d->peer;
	c->locked += d->locked;
	c->latency_sum += s->weight;
	c->latency_samples += s->weight != 0;
	c->accesses += s->period;
}

/* The same cell for the same key, another for another. */
static void count_packed(struct fixture *f, uint32_t *number, const struct sample *s)
{
	struct cell_key key = { .ip = s->ip, .addr = s->addr, .pid = s->pid };
	struct cell_place place = cell_place(f->store, &key);
	uint32_t cell;

	cell_prefetch(f->store, &place);
	cell = cell_find(f->store, &key, &place);
	if (*number == CELL_NONE)
		assert_int_equal(cell, cell_store_count(f->store) - 1);
	else
		assert_int_equal(cell, *number);
	*number = cell;
	cell_count(f->store, &(struct cell_sample){ s, cell }, 1);
}

static void add(struct fixture *f)
{
	uint32_t line = draw(f, LINES), offset = 8 * draw(f, line + 1);
	struct sample s = { .addr = 0x1000 + 64 * line + offset,
			    .pid = 1,
			    .ip = 0x400000 + draw(f, 1 + 2 * line),
			    .cpu = draw(f, f->cpus),
			    .tid = draw(f, 50) ? 1000 + draw(f, f->threads) : UINT32_MAX,
			    .weight = draw(f, 3) ? draw(f, 500) : f->heaviest,
			    .period = 1 + draw(f, 9) };
	struct data_source d = { .kind = draw(f, 3) ? MEMORY_LOAD : MEMORY_STORE,
				 .distance = draw(f, 3),
				 .hitm = !draw(f, 4),
				 .peer = !draw(f, 9),
				 .miss = draw(f, 2),
				 .locked = !draw(f, 5) };
	uint32_t i = plain_cell(&f->plain[line], offset, s.ip);
	struct cell *c = &f->plain[line].cells[i];

	s.step = step_of(&d);
	count_packed(f, &f->plain[line].number[i], &s);
	count_plain(&c->counts, &s, &d);
	idset_add(&c->cpus, s.cpu);
	if (s.tid != UINT32_MAX)
		idset_add(&c->threads, s.tid);
}

static void same_set(const struct idset *got, const struct idset *wanted)
{
	assert_int_equal(got->count, wanted->count);
	assert_memory_equal(idset_ids(got), idset_ids(wanted), got->count * sizeof(uint32_t));
}

static void same_line(const struct fixture *f, uint32_t line)
{
	const struct plain_line *l = &f->plain[line];

	for (uint32_t i = 0; i < l->count; i++) {
		struct cell_key key = cell_key(f->store, l->number[i]);
		struct cell got = { 0 };

		cell_unpack(f->store, &l->number[i], 1, &got);
		assert_int_equal(key.addr, 0x1000 + 64 * line + l->cells[i].offset);
		assert_int_equal(key.ip, l->cells[i].ip);
		assert_int_equal(key.pid, 1);
		assert_memory_equal(&got.counts, &l->cells[i].counts, sizeof(got.counts));
		same_set(&got.cpus, &l->cells[i].cpus);
		same_set(&got.threads, &l->cells[i].threads);
		idset_deinit(&got.cpus);
		idset_deinit(&got.threads);
	}
}

static void same_sum(const struct fixture *f, uint32_t line)
{
	struct cell_sum sum = cell_add_up(f->store, f->plain[line].number, f->plain[line].count);
	struct counts counts = { 0 };
	struct idset writers = { 0 }, actors = { 0 };

	for (uint32_t i = 0; i < f->plain[line].count; i++) {
		const struct cell *c = &f->plain[line].cells[i];
		const struct idset *who = c->threads.count ? &c->threads : &c->cpus;

		counts_add(&counts, &c->counts);
		idset_merge(&actors, who);
		if (c->counts.stores || c->counts.locked)
			idset_merge(&writers, who);
	}
	assert_memory_equal(&sum.counts, &counts, sizeof(counts));
	assert_int_equal(sum.actors, actors.count);
	assert_int_equal(sum.writers, writers.count);
	idset_deinit(&writers);
	idset_deinit(&actors);
}

static void compare(uint32_t threads, uint32_t cpus, uint64_t heaviest, uint32_t samples)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*f = (struct fixture){
		.store = cell_store_new(), .threads = threads, .cpus = cpus, .heaviest = heaviest
	};
	for (uint32_t i = 0; i < samples; i++)
		add(f);
	for (uint32_t line = 0; line < LINES; line++) {
		same_line(f, line);
		same_sum(f, line);
		for (uint32_t i = 0; i < f->plain[line].count; i++) {
			idset_deinit(&f->plain[line].cells[i].cpus);
			idset_deinit(&f->plain[line].cells[i].threads);
		}
	}
	cell_store_free(f->store);
	free(f);
}

static void test_counts_few_samples_as_plain_cells_do(void **state)
{
	compare(4, 4, 700, 200);
}

static void test_counts_that_outgrow_eight_bits(void **state)
{
	compare(8, 8, 700, SAMPLES);
}

static void test_sums_that_outgrow_32_bits(void **state)
{
	compare(8, 8, UINT32_MAX - 5, 300);
	compare(8, 8, UINT64_MAX / 1000, 300);
}

static void test_keeps_more_threads_and_cpus_than_have_a_bit(void **state)
{
	compare(63, 64, 700, 5000);
	compare(1000, 300, 700, SAMPLES);
}

static uint32_t find(struct cell_store *store, struct cell_key key)
{
	struct cell_place place = cell_place(store, &key);

	return cell_find(store, &key, &place);
}

/* Whatever differs makes another cell. */
static void test_tells_cells_apart_by_all_of_their_key(void **state)
{
	struct cell_store *store = cell_store_new();
	const struct cell_key keys[] = {
		{ .ip = 1, .addr = 2, .pid = 3 },
		{ .ip = 9, .addr = 2, .pid = 3 },
		{ .ip = 1, .addr = 9, .pid = 3 },
		{ .ip = 1, .addr = 2, .pid = 9 },
		{ .ip = 1, .addr = 2, .pid = 3, .phys_addr = 9 },
		{ .ip = 1, .addr = 2, .pid = 3, .phys_addr = 10 },
	};

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			assert_int_equal(find(store, keys[i]), i);
	cell_store_free(store);
}

static void test_keeps_a_million_cells(void **state)
{
	struct cell_store *store = cell_store_new();
	const uint32_t many = 1000000;

	for (uint32_t i = 0; i < many; i++)
		assert_int_equal(find(store, (struct cell_key){ .ip = i % 7, .addr = 8 * i }), i);
	for (uint32_t i = 0; i < many; i += 999)
		assert_int_equal(find(store, (struct cell_key){ .ip = i % 7, .addr = 8 * i }), i);
	assert_int_equal(cell_store_count(store), many);
	cell_store_close(store);
	for (uint32_t i = 0; i < many; i += 999)
		assert_int_equal(cell_key(store, i).addr, 8 * i);
	cell_store_free(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_few_samples_as_plain_cells_do),
		cmocka_unit_test(test_counts_that_outgrow_eight_bits),
		cmocka_unit_test(test_sums_that_outgrow_32_bits),
		cmocka_unit_test(test_keeps_more_threads_and_cpus_than_have_a_bit),
		cmocka_unit_test(test_tells_cells_apart_by_all_of_their_key),
		cmocka_unit_test(test_keeps_a_million_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
