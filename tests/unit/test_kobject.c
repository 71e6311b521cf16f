// SPDX-License-Identifier: GPL-2.0-only
#include "kobject.h"
#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fake_core.h"

#define TASKS	3
#define BUCKETS 512

/* Two processes of user 1000, one with two threads, in a user namespace within the first one. */
struct world {
	struct intern *pool;
	struct fake_core core;
	struct kmem *memory;
	struct kernel_symbols *symbols;
	struct kobject_set set;
	uint64_t init, task[TASKS], user, ucounts[2], mm, sighand, futex, buckets;
};

static void put_task(struct world *w, uint64_t task, uint64_t cred, uint64_t signal, uint32_t tgid,
		     const char *comm)
{
	uint64_t size, at = core_offset(&w->core, "task_struct", "comm", &size);

	core_put(&w->core, task + at, comm, strlen(comm));
	core_set(&w->core, task, "task_struct", "tgid", tgid);
	core_set(&w->core, task, "task_struct", "real_cred", cred);
	core_set(&w->core, task, "task_struct", "signal", signal);
	core_set(&w->core, task, "task_struct", "sighand", w->sighand);
	core_set(&w->core, task, "task_struct", "mm", tgid == 7 ? w->mm : 0);
}

/* A list_head "path" of each of "addr", in a ring. */
static void put_ring(struct fake_core *c, const uint64_t *link, int n)
{
	for (int i = 0; i < n; i++)
		core_put(c, link[i], &link[(i + 1) % n], 8);
}

static uint64_t link_of(struct fake_core *c, uint64_t addr, const char *type, const char *path)
{
	uint64_t size;

	return addr + core_offset(c, type, path, &size);
}

static void put_lists(struct world *w, const uint64_t *signal)
{
	struct fake_core *c = &w->core;
	uint64_t tasks[] = { link_of(c, w->init, "task_struct", "tasks"),
			     link_of(c, w->task[0], "task_struct", "tasks"),
			     link_of(c, w->task[2], "task_struct", "tasks") };
	uint64_t idle[] = { link_of(c, signal[0], "signal_struct", "thread_head"),
			    link_of(c, w->init, "task_struct", "thread_node") };
	uint64_t first[] = { link_of(c, signal[1], "signal_struct", "thread_head"),
			     link_of(c, w->task[0], "task_struct", "thread_node"),
			     link_of(c, w->task[1], "task_struct", "thread_node") };
	uint64_t second[] = { link_of(c, signal[2], "signal_struct", "thread_head"),
			      link_of(c, w->task[2], "task_struct", "thread_node") };

	put_ring(c, tasks, 3);
	put_ring(c, idle, 2);
	put_ring(c, first, 3);
	put_ring(c, second, 2);
}

static uint64_t put_users(struct world *w)
{
	struct fake_core *c = &w->core;
	uint64_t cred = core_new(c, "cred"), ns[2];

	w->user = core_new(c, "user_struct");
	core_set(c, w->user, "user_struct", "uid", 1000);
	for (int i = 0; i < 2; i++) {
		w->ucounts[i] = core_new(c, "ucounts");
		ns[i] = core_new(c, "user_namespace");
		core_set(c, ns[i], "user_namespace", "level", 1 - i);
		core_set(c, w->ucounts[i], "ucounts", "ns", ns[i]);
		core_set(c, w->ucounts[i], "ucounts", "uid", i ? 1000 : 0);
	}
	core_set(c, ns[0], "user_namespace", "ucounts", w->ucounts[1]);
	core_set(c, cred, "cred", "user", w->user);
	core_set(c, cred, "cred", "ucounts", w->ucounts[0]);
	return cred;
}

static void put_world(struct world *w)
{
	struct fake_core *c = &w->core;
	uint64_t signal[3], cred, count = BUCKETS;

	w->init = core_new(c, "task_struct");
	for (int i = 0; i < TASKS; i++)
		w->task[i] = core_new(c, "task_struct");
	for (int i = 0; i < 3; i++)
		signal[i] = core_new(c, "signal_struct");
	cred = put_users(w);
	w->mm = core_new(c, "mm_struct");
	w->sighand = core_new(c, "sighand_struct");
	put_task(w, w->init, 0, signal[0], 0, "swapper/0");
	put_task(w, w->task[0], cred, signal[1], 7, "busy");
	put_task(w, w->task[1], cred, signal[1], 7, "busy");
	put_task(w, w->task[2], cred, signal[2], 9, "other");
	put_lists(w, signal);
	w->futex = core_take(c, 16);
	w->buckets = core_take(c, 64 * BUCKETS);
	core_put(c, w->futex, &w->buckets, 8);
	core_put(c, w->futex + 8, &count, 8);
}

static void open_symbols(struct world *w)
{
	char path[] = "/tmp/hitmap-map-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	fprintf(f, "%lx D init_task\n%lx d __futex_data\n", w->init, w->futex);
	fclose(f);
	assert_null(kernel_symbols_open(path, &w->symbols));
	unlink(path);
}

static void open_core(struct world *w)
{
	char path[] = "/tmp/hitmap-core-XXXXXX";
	struct err *e;

	close(mkstemp(path));
	core_write(&w->core, path);
	e = kmem_open_core(path, &w->memory);
	if (e)
		fail_msg("%s", err_text(e));
	unlink(path);
}

static int setup(void **state)
{
	struct world *w = mem_zalloc(sizeof(*w));

	*state = w;
	w->pool = intern_new();
	w->core.bytes = mem_zalloc(CORE_SIZE);
	assert_null(
		type_btf_open("tests/fixtures/btf/debian-6.1.btf", NULL, w->pool, &w->core.types));
	put_world(w);
	open_symbols(w);
	open_core(w);
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	kobject_set_deinit(&w->set);
	kernel_symbols_free(w->symbols);
	kmem_free(w->memory);
	type_btf_free(w->core.types);
	free(w->core.bytes);
	intern_free(w->pool);
	free(w);
	return 0;
}

static struct err *find(struct world *w, bool symbols)
{
	struct kobject_kernel kernel = { .memory = w->memory,
					 .types = w->core.types,
					 .symbols = symbols ? w->symbols : NULL,
					 .pool = w->pool };

	return kobject_find_all(&kernel, &w->set);
}

static void check(const struct kobject *o, const char *kind, uint64_t addr, const char *instance)
{
	assert_string_equal(o->kind, kind);
	assert_int_equal(o->addr, addr);
	assert_string_equal(o->instance, instance);
}

static void objects_of_a_core_file_are_found_once_each(void **state)
{
	struct world *w = *state;

	assert_null(find(w, true));
	assert_int_equal(w->set.tasks, 4);
	assert_int_equal(w->set.count, 6);
	check(&w->set.item[0], "user_struct", w->user, "uid 1000");
	check(&w->set.item[1], "ucounts", w->ucounts[0], "uid 0 in namespace level 1");
	check(&w->set.item[2], "ucounts", w->ucounts[1], "uid 1000 in namespace level 0");
	check(&w->set.item[3], "mm_struct", w->mm, "pid 7 (busy)");
	check(&w->set.item[4], "sighand_struct", w->sighand, "pid 0 (swapper/0)");
	check(&w->set.item[5], "futex_global", w->buckets, "global");
	assert_int_equal(w->set.item[5].count, BUCKETS);
	assert_int_equal(w->set.item[5].size, 64 * BUCKETS);
	assert_int_equal(w->set.item[1].size, 160);
}

static void what_cannot_be_looked_for_is_said(void **state)
{
	struct world *w = *state;

	assert_null(find(w, true));
	assert_int_equal(w->set.absents, 2);
	assert_non_null(strstr(w->set.absent[0], "futex_private: this kernel's BTF has no "
						 "mm_struct.futex_phash"));
	assert_non_null(strstr(w->set.absent[1], "page: there is no symbol vmemmap_base"));
}

static void tasks_of_a_core_file_need_a_symbol(void **state)
{
	struct world *w = *state;
	struct err *e = find(w, false);

	assert_non_null(e);
	assert_int_equal(err_status(e), ERR_UNSUPPORTED);
	assert_non_null(strstr(err_text(e), "init_task"));
	err_free(e);
}

static void memory_that_is_not_there_is_not_read(void **state)
{
	struct world *w = *state;
	uint64_t value = 1;

	assert_false(kmem_number(w->memory, CORE_BASE - 8, 8, &value));
	assert_int_equal(value, 0);
	assert_false(kmem_number(w->memory, CORE_BASE + CORE_SIZE, 8, &value));
	assert_false(kmem_number(w->memory, UINT64_MAX - 3, 8, &value));
	assert_true(kmem_number(w->memory, w->futex + 8, 8, &value));
	assert_int_equal(value, BUCKETS);
}

/* Any word of the kernel may be another one by the time it is read. */
static void damaged_memory_ends_the_search(void **state)
{
	struct world *w = *state;
	uint32_t seed = 3;

	for (int round = 0; round < 50; round++) {
		kmem_free(w->memory);
		for (int i = 0; i < 40; i++) {
			uint64_t junk;

			seed = seed * 1664525 + 1013904223;
			junk = CORE_BASE + (seed >> 12) % (CORE_SIZE / 8) * 8;
			core_put(&w->core, w->init + (seed >> 6) % (w->core.used / 8) * 8, &junk,
				 8);
		}
		open_core(w);
		err_free(find(w, true));
		assert_true(w->set.count < 1000);
		kobject_set_deinit(&w->set);
	}
}

static void files_that_are_no_cores_are_told(void **state)
{
	struct kmem *m;
	struct err *e = kmem_open_core("Makefile", &m);

	assert_non_null(strstr(err_text(e), "not a 64-bit ELF file"));
	err_free(e);
	e = kmem_open_core("/proc/self/exe", &m);
	assert_non_null(strstr(err_text(e), "an ELF file, but no core"));
	err_free(e);
	e = kmem_open_core("/nonexistent", &m);
	assert_non_null(strstr(err_text(e), "cannot read /nonexistent"));
	err_free(e);
}

static void a_note_says_type_and_owner(void **state)
{
	struct world *w = *state;
	struct note n;

	assert_null(find(w, true));
	n = kobject_note(&w->set.item[5], w->pool);
	assert_string_equal(n.object.type, "struct futex_hash_bucket[512]");
	assert_string_equal(n.object.name, "futex_hash_bucket of global");
	n = kobject_note(&w->set.item[0], w->pool);
	assert_string_equal(n.object.type, "struct user_struct");
	assert_string_equal(n.object.name, "user_struct of uid 1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(objects_of_a_core_file_are_found_once_each, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_looked_for_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(tasks_of_a_core_file_need_a_symbol, setup,
						teardown),
		cmocka_unit_test_setup_teardown(memory_that_is_not_there_is_not_read, setup,
						teardown),
		cmocka_unit_test_setup_teardown(damaged_memory_ends_the_search, setup, teardown),
		cmocka_unit_test_setup_teardown(files_that_are_no_cores_are_told, setup, teardown),
		cmocka_unit_test_setup_teardown(a_note_says_type_and_owner, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
