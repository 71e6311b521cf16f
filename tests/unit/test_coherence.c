// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points of the coherence model computed by hand. Unless a test says otherwise: hit 1, locked 18,
 * HITM 115 in the socket and 300 across, no hold, no jitter. L: latency of the transfer, r: the
 * operation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "coherence.h"

#include <stdlib.h>
#include <string.h>

#define LATENCY 115 /* HITM within a socket */
#define UPGRADE 70
#define LOCKED	18

/* Thread i makes op[i] after gap[i] cycles of other work, for ever, on one line. */
struct bench {
	struct model_machine machine;
	struct topology topology;
	struct coherence coherence;
	struct coherence_line line;
	uint32_t gap[MODEL_THREADS];
	enum model_op op[MODEL_THREADS];
	unsigned int left[MODEL_THREADS]; /* accesses to make; 0: no more */
	uint64_t count[MODEL_THREADS], outcome[MODEL_OUTCOMES];
	struct coherence_result last;
};

static enum coherence_next bench_next(void *context, unsigned int thread)
{
	struct bench *b = context;
	struct coherence_thread *t = &b->coherence.thread[thread];

	if (!b->left[thread]) {
		coherence_leave(&b->coherence, thread);
		return COHERENCE_AGAIN;
	}
	b->left[thread]--;
	t->clock += b->gap[thread];
	t->line = &b->line;
	t->op = (uint8_t)b->op[thread];
	return COHERENCE_ACCESS;
}

static void bench_done(void *context, unsigned int thread, const struct coherence_result *r)
{
	struct bench *b = context;

	b->count[thread]++;
	b->outcome[r->outcome]++;
	b->last = *r;
}

/* One socket holds "socket" CPUs; "llc" of them share a last-level cache, "core" a core. */
static struct bench *bench_new(unsigned int socket, unsigned int llc, unsigned int core)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct model_machine *m = &b->machine;

	assert_non_null(b);
	m->mhz = 2300;
	m->line_size = 64;
	m->cpus = 192;
	for (unsigned int i = 0; i < m->cpus; i++) {
		m->order[i] = (uint16_t)i;
		m->core[i] = (uint16_t)(i / core);
		m->llc[i] = (uint16_t)(i / llc);
		m->node[i] = (uint16_t)(i / socket);
	}
	m->hit = 1;
	m->locked = LOCKED;
	memcpy(m->hitm, (uint32_t[]){ LATENCY, 150, 300 }, sizeof(m->hitm));
	memcpy(m->upgrade, (uint32_t[]){ UPGRADE, 90, 250 }, sizeof(m->upgrade));
	memcpy(m->clean, (uint32_t[]){ 60, 80, 240 }, sizeof(m->clean));
	m->memory = 200;
	return b;
}

static void bench_start(struct bench *b, uint32_t hold)
{
	struct coherence *c = &b->coherence;

	topology_init(&b->topology, &b->machine);
	coherence_init(c, &b->topology, hold, 1);
	coherence_line_init(&b->line, 0);
	c->context = b;
	c->next = bench_next;
	c->done = bench_done;
}

static void bench_thread(struct bench *b, unsigned int thread, uint32_t gap, enum model_op op,
			 unsigned int accesses)
{
	b->gap[thread] = gap;
	b->op[thread] = op;
	b->left[thread] = accesses;
	coherence_enter(&b->coherence, thread, b->coherence.thread[thread].clock);
}

static void bench_run(struct bench *b, uint64_t until)
{
	struct coherence *c = &b->coherence;

	while (c->running && c->thread[c->heap[0]].key < until)
		assert_true(coherence_step(c));
}

/* One access by "thread" to the line as it is, long after all others. */
static struct coherence_result bench_access(struct bench *b, unsigned int thread, enum model_op op)
{
	b->coherence.thread[thread].clock = b->last.completed;
	bench_thread(b, thread, 100000, op, 1);
	bench_run(b, UINT64_MAX);
	return b->last;
}

static void assert_near(const char *what, double got, double want)
{
	if (got < want * 0.99 || got > want * 1.01) {
		print_error("%s: model %.4f, by hand %.4f\n", what, got, want);
		fail();
	}
}

#define CYCLES 2000000

/*
 * Two threads add to one word with w cycles in between. Alone, an addition whose line is elsewhere
 * takes w + L + r. The line can do one in L + r, so both together need at least 2 (L + r) for one
 * each.
 */
static void two_adders_share_the_line(void **state)
{
	static const uint32_t gaps[] = { 0, 50, 100, 150, 200, 600, 1000 };

	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		struct bench *b = bench_new(96, 96, 1);
		double turn = LATENCY + LOCKED, period = gaps[i] + turn;

		bench_start(b, 0);
		bench_thread(b, 0, gaps[i], MODEL_RMW, UINT32_MAX);
		bench_thread(b, 1, gaps[i], MODEL_RMW, UINT32_MAX);
		bench_run(b, CYCLES);
		assert_near("additions per thousand cycles",
			    1000.0 * (double)(b->count[0] + b->count[1]) / CYCLES,
			    2000 / (period > 2 * turn ? period : 2 * turn));
		assert_near("HITM per addition", (double)b->outcome[MODEL_HITM],
			    (double)(b->count[0] + b->count[1]));
		free(b);
	}
}

/*
 * N threads with w = 1000: one addition each in w + L + r until the line is busy all the time,
 * which it is at one addition in L + r, N being about (1000 + 133) / 133 = 8.5.
 */
static void throughput_saturates_at_one_transfer_a_turn(void **state)
{
	static const unsigned int counts[] = { 2, 4, 8, 16, 32, 64, 192 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct bench *b = bench_new(192, 192, 1);
		double turn = LATENCY + LOCKED, want = 1000.0 * counts[i] / (1000 + turn), got = 0;

		bench_start(b, 0);
		for (unsigned int t = 0; t < counts[i]; t++)
			bench_thread(b, t, 1000, MODEL_RMW, UINT32_MAX);
		bench_run(b, CYCLES);
		for (unsigned int t = 0; t < counts[i]; t++)
			got += (double)b->count[t];
		assert_near("additions per thousand cycles", 1000 * got / CYCLES,
			    want < 1000 / turn ? want : 1000 / turn);
		free(b);
	}
}

/*
 * A writer every w cycles and a reader that reads all the time. The write upgrades: U + 1, and
 * takes the line from the reader, whose next read has it back L + 1 later. The writer finds it
 * shared again after w, or when that read is done: the period is U + 1 + max(w, L + 1).
 */
static void writer_and_reader_alternate(void **state)
{
	for (uint32_t w = 0; w <= 1000; w += 250) {
		struct bench *b = bench_new(96, 96, 1);
		double read = LATENCY + 1;

		bench_start(b, 0);
		bench_thread(b, 0, w, MODEL_WRITE, UINT32_MAX);
		bench_thread(b, 1, 0, MODEL_READ, UINT32_MAX);
		bench_run(b, CYCLES);
		assert_near("writes per thousand cycles", 1000.0 * (double)b->count[0] / CYCLES,
			    1000 / (UPGRADE + 1 + (w > read ? w : read)));
		assert_near("HITM per write", (double)b->outcome[MODEL_HITM], (double)b->count[0]);
		free(b);
	}
}

/*
 * The new owner keeps the line h cycles on the average: a turn is L + r + h. In h it makes its own
 * additions, one in r, the last of them begun before the line goes: h / r + 1/2 on the average when
 * h is uniform over many r.
 */
static void hold_lengthens_turns_and_saves_transfers(void **state)
{
	static const uint32_t holds[] = { 90, 180, 360 };

	for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
		struct bench *b = bench_new(96, 96, 1);
		double turn = LATENCY + LOCKED + holds[i];

		bench_start(b, holds[i]);
		bench_thread(b, 0, 0, MODEL_RMW, UINT32_MAX);
		bench_thread(b, 1, 0, MODEL_RMW, UINT32_MAX);
		bench_run(b, 4 * CYCLES);
		assert_near("HITM per thousand cycles",
			    1000.0 * (double)b->outcome[MODEL_HITM] / (4 * CYCLES), 1000 / turn);
		assert_near("hits per turn",
			    (double)b->outcome[MODEL_HIT] / (double)b->outcome[MODEL_HITM],
			    (double)holds[i] / LOCKED + 0.5);
		free(b);
	}
}

/* Two adders in one last-level cache, in one node, in two nodes: L of that distance, twice, a
 * round. */
static void distance_decides_the_latency(void **state)
{
	static const struct {
		unsigned int other, latency;
	} pairs[] = { { 1, 115 }, { 24, 150 }, { 96, 300 } };

	for (size_t i = 0; i < 3; i++) {
		struct bench *b = bench_new(96, 24, 1);

		bench_start(b, 0);
		bench_thread(b, 0, 0, MODEL_RMW, UINT32_MAX);
		bench_thread(b, pairs[i].other, 0, MODEL_RMW, UINT32_MAX);
		bench_run(b, CYCLES);
		assert_near("additions per thousand cycles",
			    1000.0 * (double)b->outcome[MODEL_HITM] / CYCLES,
			    1000.0 / (pairs[i].latency + LOCKED));
		assert_int_equal(b->last.distance, i);
		free(b);
	}
}

/* The line's home is node 0: a reader there pays hitm_reader_home for the other node's data. */
static void home_of_the_line_matters_across_nodes(void **state)
{
	struct bench *b = bench_new(96, 96, 1);
	struct coherence_result r;

	b->machine.hitm_reader_home = 330;
	bench_start(b, 0);
	bench_access(b, 96, MODEL_WRITE);
	r = bench_access(b, 0, MODEL_READ);
	assert_int_equal(r.completed - r.issued, 330 + 1);
	bench_access(b, 0, MODEL_WRITE);
	r = bench_access(b, 96, MODEL_READ);
	assert_int_equal(r.completed - r.issued, 300 + 1);
	free(b);
}

/* One access after the other, each outcome with its cost. */
static void each_outcome_has_its_cost(void **state)
{
	static const struct {
		unsigned int thread;
		enum model_op op;
		enum model_outcome outcome;
		uint32_t cycles;
	} steps[] = {
		{ 0, MODEL_READ, MODEL_COLD, 200 + 1 },
		{ 0, MODEL_WRITE, MODEL_HIT, 1 }, /* nobody else has a copy */
		{ 1, MODEL_READ, MODEL_HITM, 115 + 1 },
		{ 0, MODEL_READ, MODEL_HIT, 1 }, /* kept its copy */
		{ 2, MODEL_READ, MODEL_CLEAN, 60 + 1 },
		{ 24, MODEL_READ, MODEL_CLEAN, 80 + 1 },   /* nearest copy: same node */
		{ 0, MODEL_WRITE, MODEL_UPGRADE, 90 + 1 }, /* farthest copy: same node */
		{ 96, MODEL_RMW, MODEL_HITM, 300 + 18 },
		{ 96, MODEL_RMW, MODEL_HIT, 18 },
		{ 0, MODEL_READ, MODEL_HITM, 300 + 1 },
		{ 96, MODEL_WRITE, MODEL_UPGRADE, 250 + 1 },
	};
	struct bench *b = bench_new(96, 24, 1);

	bench_start(b, 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct coherence_result r = bench_access(b, steps[i].thread, steps[i].op);

		assert_int_equal(r.outcome, steps[i].outcome);
		assert_int_equal(r.completed - r.issued, steps[i].cycles);
	}
	free(b);
}

static void siblings_of_one_core_never_transfer(void **state)
{
	struct bench *b = bench_new(96, 96, 2);

	bench_start(b, 0);
	bench_thread(b, 6, 10, MODEL_RMW, 1000);
	bench_thread(b, 7, 10, MODEL_RMW, 1000);
	bench_run(b, UINT64_MAX);
	assert_int_equal(b->outcome[MODEL_COLD], 1);
	assert_int_equal(b->outcome[MODEL_HIT], 1999);
	bench_access(b, 8, MODEL_READ);
	assert_int_equal(b->outcome[MODEL_HITM], 1);
	free(b);
}

/* Readers of a clean line do not wait for each other: all are done after one latency. */
static void clean_reads_do_not_queue(void **state)
{
	struct bench *b = bench_new(96, 96, 1);

	bench_start(b, 0);
	bench_access(b, 0, MODEL_READ);
	for (unsigned int t = 1; t < 50; t++)
		bench_thread(b, t, 200000, MODEL_READ, 1);
	bench_run(b, UINT64_MAX);
	assert_int_equal(b->outcome[MODEL_CLEAN], 49);
	assert_int_equal(b->last.completed, 200000 + 60 + 1);
	free(b);
}

/* Jitter of 10 %: the mean stays; the longest and shortest transfer stay within it. */
static void jitter_keeps_the_mean(void **state)
{
	struct bench *b = bench_new(96, 96, 1);

	b->machine.jitter_percent = 10;
	bench_start(b, 0);
	bench_thread(b, 0, 0, MODEL_RMW, UINT32_MAX);
	bench_thread(b, 1, 0, MODEL_RMW, UINT32_MAX);
	for (uint64_t at = 0; at < CYCLES; at += 500) {
		bench_run(b, at);
		if (b->last.outcome == MODEL_HITM && at > 2000) {
			assert_true(b->last.completed - b->last.issued >= 2 * (104 + 18));
			assert_true(b->last.completed - b->last.issued <= 2 * (126 + 18));
		}
	}
	assert_near("HITM per thousand cycles", 1000.0 * (double)b->outcome[MODEL_HITM] / CYCLES,
		    1000.0 / (LATENCY + LOCKED));
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_adders_share_the_line),
		cmocka_unit_test(throughput_saturates_at_one_transfer_a_turn),
		cmocka_unit_test(writer_and_reader_alternate),
		cmocka_unit_test(hold_lengthens_turns_and_saves_transfers),
		cmocka_unit_test(distance_decides_the_latency),
		cmocka_unit_test(home_of_the_line_matters_across_nodes),
		cmocka_unit_test(each_outcome_has_its_cost),
		cmocka_unit_test(siblings_of_one_core_never_transfer),
		cmocka_unit_test(clean_reads_do_not_queue),
		cmocka_unit_test(jitter_keeps_the_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
