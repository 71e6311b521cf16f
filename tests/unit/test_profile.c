// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_attrib.h"
#include "fake_source.h"
#include "profile.h"

#include <string.h>

const struct fake_data fake_data[] = { { 0 } };
const struct fake_code fake_code[] = { { 0 } };

#define TOUCH(...) FAKE_TOUCH(&f->source, __VA_ARGS__)
#define LINE_A	   0x1000
#define LINE_B	   0x1040

struct fixture {
	struct fake_source source;
	struct attrib *attrib;
	struct profile *profile;
};

static int setup(void **state)
{
	struct fixture *f = mem_zalloc(sizeof(*f));

	fake_init(&f->source);
	f->attrib = attrib_new(NULL);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	profile_free(f->profile);
	attrib_free(f->attrib);
	source_close(&f->source.source);
	free(f);
	return 0;
}

static const struct profile *seal(struct fixture *f)
{
	assert_null(profile_read(&f->source.source, f->attrib, (struct profile_wish){ 0 },
				 &f->profile));
	return f->profile;
}

/* Two threads that write neighbouring words of one line, loads paying. */
static void add_neighbours(struct fixture *f, uint64_t line)
{
	for (uint32_t t = 1; t <= 2; t++) {
		TOUCH(9, t, t, 0x400 + t, line + 8 * t, 100, LOAD_HITM(DISTANCE_OTHER_NODE),
		      .times = 5);
		TOUCH(9, t, t, 0x400 + t, line + 8 * t, 0, STORE_L1, .times = 3);
	}
}

static void samples_of_one_instruction_and_offset_are_one_cell(void **state)
{
	struct fixture *f = *state;
	const struct contended_line *l;

	add_neighbours(f, LINE_A);
	l = &seal(f)->lines[0];
	assert_int_equal(f->profile->line_count, 1);
	assert_int_equal(l->cell_count, 2);
	assert_int_equal(l->cells[0].offset, 8);
	assert_int_equal(l->cells[0].counts.loads, 5);
	assert_int_equal(l->cells[0].counts.stores, 3);
	assert_int_equal(l->cells[0].counts.hitm[DISTANCE_OTHER_NODE], 5);
	assert_int_equal(l->cells[0].threads.count, 1);
	assert_int_equal(l->cells[1].ip, 0x402);
	assert_int_equal(l->counts.latency_sum, 1000);
	assert_int_equal(l->counts.latency_samples, 10);
	assert_int_equal(l->halves[HALF_LOWER].stores, 6);
	assert_int_equal(l->halves[HALF_UPPER].samples, 0);
	assert_int_equal(l->word_heat[1], 500);
	assert_int_equal(l->word_heat[2], 500);
	assert_int_equal(l->writers, 2);
	assert_int_equal(l->readers, 0);
	assert_true(l->contended);
	assert_int_equal(l->evidence, EVIDENCE_HITM);
}

static void samples_before_a_line_is_shared_are_in_its_cells(void **state)
{
	struct fixture *f = *state;

	TOUCH(9, 1, 1, 0x401, LINE_A, 7, LOAD_L1, .times = 40);
	TOUCH(9, 1, 1, 0x402, LINE_A + 4, 0, STORE_L1);
	TOUCH(9, 2, 1, 0x403, LINE_A, 90, LOAD_HITM(DISTANCE_SAME_LLC));
	assert_int_equal(seal(f)->line_count, 1);
	assert_int_equal(f->profile->lines[0].counts.samples, 42);
	assert_int_equal(f->profile->lines[0].cell_count, 3);
	assert_int_equal(f->profile->lines[0].cells[0].counts.loads, 40);
	assert_int_equal(f->profile->lines[0].writers, 1);
	assert_int_equal(f->profile->lines[0].readers, 1);
}

static void a_line_of_one_thread_is_private(void **state)
{
	struct fixture *f = *state;

	TOUCH(9, 1, 1, 0x401, LINE_A, 0, STORE_L1, .times = 9);
	TOUCH(9, 1, 2, 0x401, LINE_A, 7, LOAD_L1, .times = 9);
	assert_int_equal(seal(f)->line_count, 0);
	assert_int_equal(f->profile->private_lines, 1);
	assert_int_equal(f->profile->total.samples, 18);
}

static void hitm_of_one_thread_alone_is_kept_but_not_contended(void **state)
{
	struct fixture *f = *state;

	TOUCH(9, 1, 1, 0x401, LINE_A, 99, LOAD_HITM(DISTANCE_SAME_LLC));
	assert_int_equal(seal(f)->line_count, 1);
	assert_int_equal(f->profile->contended_count, 0);
	assert_false(f->profile->lines[0].contended);
}

static void lines_that_are_only_read_are_not_contended(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 8; t++)
		TOUCH(9, t, t, 0x401, LINE_A, 7, LOAD_L1);
	assert_int_equal(seal(f)->line_count, 1);
	assert_int_equal(f->profile->lines[0].readers, 8);
	assert_int_equal(f->profile->contended_count, 0);
}

static void peers_count_only_where_somebody_writes(void **state)
{
	struct fixture *f = *state;
	struct data_source peer = { .kind = MEMORY_LOAD, .level = LEVEL_L3, .peer = true };

	for (uint32_t t = 1; t <= 2; t++) {
		TOUCH(9, t, t, 0x401, LINE_A, 70, peer);
		TOUCH(9, t, t, 0x401, LINE_B, 70, peer);
	}
	TOUCH(9, 1, 1, 0x402, LINE_B, 0, STORE_L1);
	assert_int_equal(seal(f)->line_count, 2);
	assert_int_equal(f->profile->contended_count, 1);
	assert_int_equal(f->profile->lines[0].addr, LINE_B);
	assert_int_equal(f->profile->lines[0].evidence, EVIDENCE_PEER);
}

static void lines_with_stores_only_rank_below_lines_with_hitm(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 2; t++)
		TOUCH(9, t, t, 0x401, LINE_A, 9000, STORE_L1, .times = 50);
	add_neighbours(f, LINE_B);
	assert_int_equal(seal(f)->contended_count, 2);
	assert_int_equal(f->profile->lines[0].addr, LINE_B);
	assert_int_equal(f->profile->lines[1].evidence, EVIDENCE_STORES);
	assert_true(f->profile->stores_cost);
}

static void lines_rank_by_cost(void **state)
{
	struct fixture *f = *state;

	add_neighbours(f, LINE_A);
	add_neighbours(f, LINE_B);
	add_neighbours(f, LINE_B);
	assert_int_equal(seal(f)->lines[0].addr, LINE_B);
	assert_int_equal(f->profile->lines[0].counts.latency_sum, 2000);
	assert_int_equal(f->profile->lines[1].addr, LINE_A);
}

static void unusable_samples_are_counted_by_reason(void **state)
{
	struct fixture *f = *state;
	struct data_source none = { .kind = MEMORY_NONE };

	TOUCH(9, 1, 1, 0x401, LINE_A, 0, none, .times = 3);
	TOUCH(9, 1, 1, 0x401, 0, 7, LOAD_L1, .times = 2);
	TOUCH(9, 1, 1, 0x401, LINE_A, 7, LOAD_L1);
	assert_int_equal(seal(f)->unusable_no_source, 3);
	assert_int_equal(f->profile->unusable_no_address, 2);
	assert_int_equal(f->profile->total.samples, 1);
	assert_int_equal(f->profile->without_mapping, 1);
}

static void the_same_address_in_two_processes_is_two_lines(void **state)
{
	struct fixture *f = *state;

	TOUCH(8, 1, 1, 0x401, LINE_A, 0, STORE_L1);
	TOUCH(9, 2, 2, 0x401, LINE_A, 0, STORE_L1);
	assert_int_equal(seal(f)->line_count, 0);
	assert_int_equal(f->profile->private_lines, 2);
}

/* Two processes that map one file or shared memory, each at an address of its own. */
static void map_shared(struct fixture *f, uint32_t pid, uint64_t start, uint64_t inode)
{
	struct event *ev = fake_event(&f->source, EVENT_MAP);

	ev->pid = pid;
	ev->map.start = start;
	ev->map.size = 0x1000;
	ev->map.inode = inode;
	ev->map.shared = true;
}

static void shared_memory_at_two_addresses_is_one_line(void **state)
{
	struct fixture *f = *state;
	const struct contended_line *l;

	map_shared(f, 1, 0x1000, 77);
	map_shared(f, 2, 0x5000, 77);
	map_shared(f, 3, 0x5000, 78);
	for (uint32_t pid = 1; pid <= 3; pid++)
		TOUCH(pid, pid, 0, 0x400, (pid == 1 ? 0x1040 : 0x5040) + 8 * pid, 10,
		      LOAD_HITM(DISTANCE_SAME_LLC));
	seal(f);
	assert_int_equal(f->profile->line_count, 2); /* file 77's and 78's */
	l = f->profile->lines[0].threads.count == 2 ? &f->profile->lines[0] : &f->profile->lines[1];
	assert_int_equal(l->threads.count, 2);
	assert_int_equal(l->cell_count, 2);
	assert_int_equal(l->addr, 0x1040); /* as the first process has it */
	assert_int_equal(l->pid, 1);
}

static void a_shared_line_touched_before_its_mapping_is_known_stays_one(void **state)
{
	struct fixture *f = *state;

	TOUCH(1, 1, 0, 0x400, 0x1040, 10, LOAD_HITM(DISTANCE_SAME_LLC));
	map_shared(f, 1, 0x1000, 77);
	map_shared(f, 2, 0x5000, 77);
	TOUCH(1, 1, 0, 0x400, 0x1040, 10, LOAD_HITM(DISTANCE_SAME_LLC));
	TOUCH(2, 2, 0, 0x400, 0x5040, 10, LOAD_HITM(DISTANCE_SAME_LLC));
	seal(f);
	assert_int_equal(f->profile->line_count, 1);
	assert_int_equal(f->profile->lines[0].counts.samples, 3);
}

static void touch_physical(struct fixture *f, uint32_t pid, uint64_t addr, uint64_t physical)
{
	TOUCH(pid, pid, 0, 0x400, addr, 10, LOAD_HITM(DISTANCE_SAME_LLC));
	f->source.events[f->source.count - 1].sample.phys_addr = physical;
}

static void one_physical_line_is_one_line_whoever_touches_it(void **state)
{
	struct fixture *f = *state;
	const struct contended_line *l;

	fake_map(&f->source, 1, 0x1000, 0x1000);
	touch_physical(f, 2, 0xffff888000005048, 0x5048); /* the kernel, where nothing is mapped */
	touch_physical(f, 1, 0x1050, 0x5050);
	l = &seal(f)->lines[0];
	assert_int_equal(f->profile->line_count, 1);
	assert_int_equal(l->threads.count, 2);
	assert_int_equal(l->addr, 0x1040); /* the address that has a name */
	assert_int_equal(l->pid, 1);
	assert_non_null(l->data);
}

/* After a fork both have the address; the first write gives the writer a copy. */
static void one_address_with_two_physical_lines_is_two_lines(void **state)
{
	struct fixture *f = *state;

	touch_physical(f, 1, 0x1048, 0x5048);
	touch_physical(f, 2, 0x1048, 0x5048);
	touch_physical(f, 2, 0x1048, 0x9048);
	seal(f);
	assert_int_equal(f->profile->line_count, 2);
	assert_int_equal(f->profile->lines[0].threads.count, 2);
	assert_int_equal(f->profile->lines[1].threads.count, 1);
}

static void a_kernel_address_is_one_line_for_all_processes(void **state)
{
	struct fixture *f = *state;
	uint64_t addr = 0xffffffff82000000;

	TOUCH(8, 1, 1, 0x401, addr, 0, STORE_L1);
	TOUCH(9, 2, 2, 0x401, addr, 0, STORE_L1);
	assert_int_equal(seal(f)->line_count, 1);
	assert_int_equal(f->profile->lines[0].pid, 0);
	assert_int_equal(f->profile->contended_count, 1);
}

static void an_address_mapped_anew_is_another_line(void **state)
{
	struct fixture *f = *state;

	fake_map(&f->source, 9, 0x1000, 0x1000);
	add_neighbours(f, LINE_A);
	fake_map(&f->source, 9, 0x1000, 0x1000);
	add_neighbours(f, LINE_A);
	assert_int_equal(seal(f)->line_count, 2);
	assert_int_equal(f->profile->lines[0].counts.samples, 16);
	assert_int_equal(f->profile->lines[1].counts.samples, 16);
}

static void an_address_mapped_again_to_the_same_memory_is_the_same_line(void **state)
{
	struct fixture *f = *state;

	fake_map(&f->source, 9, 0x1000, 0x1000);
	add_neighbours(f, LINE_A);
	fake_map(&f->source, 9, 0x1000, 0x2000);
	f->source.events[f->source.count - 1].map.offset = 1;
	add_neighbours(f, LINE_A);
	assert_int_equal(seal(f)->line_count, 1);
	assert_int_equal(f->profile->lines[0].cell_count, 2);
	assert_int_equal(f->profile->lines[0].counts.samples, 32);
}

static void a_line_touched_before_its_mapping_is_known_stays_one(void **state)
{
	struct fixture *f = *state;

	add_neighbours(f, LINE_A);
	fake_map(&f->source, 9, 0x1000, 0x1000);
	add_neighbours(f, LINE_A);
	assert_int_equal(seal(f)->line_count, 1);
	assert_int_equal(f->profile->lines[0].counts.samples, 32);
	assert_non_null(f->profile->lines[0].data);
}

static void cpus_tell_actors_apart_where_threads_are_not_recorded(void **state)
{
	struct fixture *f = *state;

	for (uint32_t c = 0; c < 2; c++)
		TOUCH(UINT32_MAX, UINT32_MAX, c, 0x401, LINE_A, 0, STORE_L1);
	assert_int_equal(seal(f)->contended_count, 1);
	assert_int_equal(f->profile->lines[0].threads.count, 0);
	assert_int_equal(f->profile->lines[0].writers, 2);
}

static void accesses_are_the_sum_of_periods(void **state)
{
	struct fixture *f = *state;

	TOUCH(9, 1, 1, 0x401, LINE_A, 7, LOAD_L1, .period = 500);
	TOUCH(9, 2, 1, 0x401, LINE_A, 7, LOAD_L1, .period = 20);
	assert_int_equal(seal(f)->lines[0].counts.accesses, 520);
	assert_int_equal(f->profile->lines[0].counts.samples, 2);
}

static void many_lines_and_cells_keep_their_counts(void **state)
{
	struct fixture *f = *state;
	uint64_t samples = 0;

	for (uint32_t i = 0; i < 20000; i++)
		TOUCH(9, 1 + i / 10000, 1, 0x400 + i % 7, 0x10000 + 64 * (i % 5000) + i % 3 * 8, 0,
		      STORE_L1);
	assert_int_equal(seal(f)->line_count, 5000);
	for (uint32_t i = 0; i < f->profile->line_count; i++) {
		uint64_t of_cells = 0;

		for (uint32_t k = 0; k < f->profile->lines[i].cell_count; k++)
			of_cells += f->profile->lines[i].cells[k].counts.samples;
		assert_int_equal(of_cells, f->profile->lines[i].counts.samples);
		samples += of_cells;
	}
	assert_int_equal(samples, 20000);
}

static struct note *add_note(struct fixture *f, enum note_kind kind)
{
	struct note *n = &fake_event(&f->source, EVENT_NOTE)->note;

	n->kind = kind;
	return n;
}

static void exact_totals_find_their_line(void **state)
{
	struct fixture *f = *state;

	add_neighbours(f, LINE_A);
	add_note(f, NOTE_LINE)->line =
		(struct note_line){ .pid = 9, .addr = LINE_B, .accesses = 1, .hitm = { 1, 1, 1 } };
	add_note(f, NOTE_LINE)->line =
		(struct note_line){ .pid = 9, .addr = LINE_A, .accesses = 30, .hitm = { 1, 2, 3 } };
	add_note(f, NOTE_LINE)->line =
		(struct note_line){ .pid = 9, .addr = LINE_A, .accesses = 12, .hitm = { 4, 5, 6 } };
	assert_non_null(seal(f)->lines[0].exact);
	assert_int_equal(f->profile->lines[0].exact->accesses, 42);
	assert_int_equal(f->profile->lines[0].exact->hitm[2], 9);
}

static void the_last_note_of_the_model_counts(void **state)
{
	struct fixture *f = *state;

	add_neighbours(f, LINE_A);
	for (uint64_t i = 1; i <= 2; i++)
		add_note(f, NOTE_MODEL)->model =
			(struct note_model){ .machine = "small",
					     .threads = 2 * i,
					     .cycles = { 100 * i, 200 * i, 300 * i },
					     .hitm = { i, 2 * i, 3 * i },
					     .complete = i == 2 };
	assert_int_equal(seal(f)->model->cycles[1], 400);
	assert_int_equal(f->profile->model->hitm[2], 6);
	assert_int_equal(f->profile->model->threads, 4);
	assert_true(f->profile->model->complete);
}

static void stores_alone_do_not_make_a_modelled_line_contended(void **state)
{
	struct fixture *f = *state;

	for (uint32_t t = 1; t <= 2; t++)
		TOUCH(9, t, t, 0x401, LINE_A, 9000, STORE_L1, .times = 50);
	add_note(f, NOTE_MODEL)->model = (struct note_model){ .machine = "small" };
	assert_int_equal(seal(f)->contended_count, 0);
	assert_int_equal(f->profile->lines[0].writers, 2);
	assert_int_equal(f->profile->lines[0].evidence, EVIDENCE_NONE);
}

static void operations_of_one_name_add_up(void **state)
{
	struct fixture *f = *state;

	add_neighbours(f, LINE_A);
	add_note(f, NOTE_OPERATION)->operation = (struct note_operation){ .name = "call",
									  .count = 40 };
	add_note(f, NOTE_OPERATION)->operation = (struct note_operation){ .name = "wake",
									  .count = 1 };
	add_note(f, NOTE_OPERATION)->operation = (struct note_operation){ .name = "call",
									  .count = 2 };
	assert_int_equal(seal(f)->operation_count, 2);
	assert_int_equal(f->profile->operations[0].count, 42);
}

static void add_operation(struct fixture *f, const char *name, const char *event, uint64_t count)
{
	add_note(f, NOTE_OPERATION)->operation =
		(struct note_operation){ .name = name, .event = event, .count = count };
}

static void costs_are_divided_by_the_programs_own_count_before_the_kernels(void **state)
{
	struct fixture *f = *state;
	bool one_kind;

	add_neighbours(f, LINE_A);
	add_operation(f, "futex call", "syscalls:sys_enter_futex", 1000);
	add_operation(f, "call", NULL, 40);
	add_operation(f, "call", "", 2);
	assert_int_equal(seal(f)->operation_count, 2);
	assert_int_equal(profile_operations(f->profile, &one_kind), 42);
	assert_true(one_kind);
}

static void counts_of_one_targets_events_add_up(void **state)
{
	struct fixture *f = *state;
	bool one_kind;

	add_neighbours(f, LINE_A);
	add_operation(f, "read or write", "syscalls:sys_enter_read", 30);
	add_operation(f, "read or write", "syscalls:sys_enter_write", 12);
	assert_int_equal(seal(f)->operation_count, 2);
	assert_int_equal(profile_operations(f->profile, &one_kind), 42);
	assert_true(one_kind);
}

static void operations_of_two_names_are_of_any_kind(void **state)
{
	struct fixture *f = *state;
	bool one_kind;

	add_neighbours(f, LINE_A);
	add_operation(f, "page fault", "page-faults", 30);
	add_operation(f, "file opened", "syscalls:sys_enter_openat", 12);
	seal(f);
	assert_int_equal(profile_operations(f->profile, &one_kind), 42);
	assert_false(one_kind);
}

static void what_came_before_an_error_is_kept(void **state)
{
	struct fixture *f = *state;
	struct err *e;

	add_neighbours(f, LINE_A);
	f->source.error = err_new(ERR_FAILED, "fake: broken");
	e = profile_read(&f->source.source, f->attrib, (struct profile_wish){ 0 }, &f->profile);
	assert_non_null(e);
	err_free(e);
	assert_int_equal(f->profile->line_count, 1);
}

/* The set against a plain array of flags, over orders of all kinds. */
static void idsets_hold_each_member_once_in_order(void **state)
{
	bool there[256] = { 0 };
	struct idset s = { 0 }, other = { 0 };
	uint32_t count = 0, x = 1;

	for (int i = 0; i < 1000; i++) {
		uint32_t id = (x = x * 1103515245 + 12345) >> 16 & 0xff;
		bool fresh = !there[id];

		if (i % 4) {
			assert_int_equal(idset_add(&s, id), fresh);
		} else {
			idset_add(&other, id);
			idset_add(&other, (id + 1) & 0xff);
			count += fresh + !there[(id + 1) & 0xff] - (id == ((id + 1) & 0xff));
			there[(id + 1) & 0xff] = true;
			idset_merge(&s, &other);
			fresh = false;
		}
		count += fresh;
		there[id] = true;
		assert_int_equal(s.count, count);
	}
	for (uint32_t i = 0; i < s.count; i++) {
		assert_true(there[idset_ids(&s)[i]]);
		assert_true(i == 0 || idset_ids(&s)[i] > idset_ids(&s)[i - 1]);
	}
	idset_deinit(&s);
	idset_deinit(&other);
}

/* "other": the thread that has the second line. */
static void add_pair(struct fixture *f, uint64_t line, uint32_t other)
{
	TOUCH(9, 1, 1, 0x400, line, 0, STORE_L1, .times = 40);
	TOUCH(9, other, other, 0x400, line + 64, 0, LOAD_L1, .times = 30);
}

static void neighbouring_lines_of_two_threads_are_pair_candidates(void **state)
{
	struct fixture *f = *state;
	const struct profile *p;

	add_pair(f, 0x8000, 2);
	p = seal(f);
	assert_int_equal(p->pair_count, 1);
	assert_int_equal(p->pairs[0].addr, 0x8000);
	assert_int_equal(p->pairs[0].samples[0], 40);
	assert_int_equal(p->pairs[0].stores[1], 0);
	assert_int_equal(p->pairs[0].actor[1], 2);
	assert_int_equal(p->contended_count, 0); /* and nothing but that */
	assert_int_equal(p->private_lines, 2);
}

static void lines_of_one_thread_or_of_two_pairs_are_no_candidates(void **state)
{
	struct fixture *f = *state;

	add_pair(f, 0x8000, 1);
	add_pair(f, 0x9040, 2);
	assert_int_equal(seal(f)->pair_count, 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(neighbouring_lines_of_two_threads_are_pair_candidates),
		TEST(lines_of_one_thread_or_of_two_pairs_are_no_candidates),
		TEST(samples_of_one_instruction_and_offset_are_one_cell),
		TEST(samples_before_a_line_is_shared_are_in_its_cells),
		TEST(a_line_of_one_thread_is_private),
		TEST(hitm_of_one_thread_alone_is_kept_but_not_contended),
		TEST(lines_that_are_only_read_are_not_contended),
		TEST(peers_count_only_where_somebody_writes),
		TEST(lines_with_stores_only_rank_below_lines_with_hitm),
		TEST(stores_alone_do_not_make_a_modelled_line_contended),
		TEST(lines_rank_by_cost),
		TEST(unusable_samples_are_counted_by_reason),
		TEST(the_same_address_in_two_processes_is_two_lines),
		TEST(shared_memory_at_two_addresses_is_one_line),
		TEST(a_shared_line_touched_before_its_mapping_is_known_stays_one),
		TEST(one_physical_line_is_one_line_whoever_touches_it),
		TEST(one_address_with_two_physical_lines_is_two_lines),
		TEST(a_kernel_address_is_one_line_for_all_processes),
		TEST(an_address_mapped_anew_is_another_line),
		TEST(an_address_mapped_again_to_the_same_memory_is_the_same_line),
		TEST(a_line_touched_before_its_mapping_is_known_stays_one),
		TEST(cpus_tell_actors_apart_where_threads_are_not_recorded),
		TEST(accesses_are_the_sum_of_periods),
		TEST(many_lines_and_cells_keep_their_counts),
		TEST(exact_totals_find_their_line),
		TEST(the_last_note_of_the_model_counts),
		TEST(operations_of_one_name_add_up),
		TEST(costs_are_divided_by_the_programs_own_count_before_the_kernels),
		TEST(counts_of_one_targets_events_add_up),
		TEST(operations_of_two_names_are_of_any_kind),
		TEST(what_came_before_an_error_is_kept),
		cmocka_unit_test(idsets_hold_each_member_once_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
