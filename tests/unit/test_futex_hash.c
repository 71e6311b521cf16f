// SPDX-License-Identifier: GPL-2.0-only
#include "futex_hash.h"
#include "kobject.h"
#include "mem.h"

#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

/* Jenkins' lookup3 written out for itself, as published: what the loop of three names must equal.
 */
#define ROT(x, k) (((x) << (k)) | ((x) >> (32 - (k))))

static uint32_t lookup3(const uint32_t *k, size_t length, uint32_t initial)
{
	uint32_t a, b, c;

	a = b = c = 0xdeadbeef + ((uint32_t)length << 2) + initial;
	while (length > 3) {
		a += k[0];
		b += k[1];
		c += k[2];
		a -= c;
		a ^= ROT(c, 4);
		c += b;
		b -= a;
		b ^= ROT(a, 6);
		a += c;
		c -= b;
		c ^= ROT(b, 8);
		b += a;
		a -= c;
		a ^= ROT(c, 16);
		c += b;
		b -= a;
		b ^= ROT(a, 19);
		a += c;
		c -= b;
		c ^= ROT(b, 4);
		b += a;
		length -= 3;
		k += 3;
	}
	switch (length) {
	case 3:
		c += k[2];
		/* fallthrough */
	case 2:
		b += k[1];
		/* fallthrough */
	case 1:
		a += k[0];
		c ^= b;
		c -= ROT(b, 14);
		a ^= c;
		a -= ROT(c, 11);
		b ^= a;
		b -= ROT(a, 25);
		c ^= b;
		c -= ROT(b, 16);
		a ^= c;
		a -= ROT(c, 4);
		b ^= a;
		b -= ROT(a, 14);
		c ^= b;
		c -= ROT(b, 24);
	}
	return c;
}

static void hash_equals_published_lookup3(void **state)
{
	uint32_t word[9], seed = 1;

	for (int round = 0; round < 10000; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(word); i++)
			word[i] = seed = seed * 1664525 + 1013904223;
		for (size_t n = 0; n <= ARRAY_SIZE(word); n++)
			assert_int_equal(futex_hash_words(word, n, seed), lookup3(word, n, seed));
	}
}

static void key_holds_page_and_offset_apart(void **state)
{
	struct futex_key k = futex_key_private(0xffff888100000000, 0x7f0012345678, 0);
	struct futex_key m = futex_key_private(1, 0x1004, FUTEX_HASH_MMSHARED);
	struct futex_key s = futex_key_shared(7, 0x3010);

	assert_int_equal(k.word, 0x7f0012345000);
	assert_int_equal(k.offset, 0x678);
	assert_int_equal(m.offset, 0x4 | FUTEX_HASH_MMSHARED);
	assert_int_equal(s.pointer, 7);
	assert_int_equal(s.word, 3);
	assert_int_equal(s.offset, 0x10 | FUTEX_HASH_INODE);
}

static void sizes_are_the_kernels(void **state)
{
	assert_int_equal(futex_hash_global_size(1), 256);
	assert_int_equal(futex_hash_global_size(3), 1024);
	assert_int_equal(futex_hash_global_size(224), 65536);
	assert_int_equal(futex_hash_node_size(224, 2), 32768);
	assert_int_equal(futex_hash_private_size(1, 64), 0);
	assert_int_equal(futex_hash_private_size(2, 64), 16);
	assert_int_equal(futex_hash_private_size(100, 64), 256);
}

/* ---- Against the running kernel: which buckets have waiters, when we know who waits on what */

#define WAITERS 6

static uint32_t *futexes; /* WAITERS pages apart, each at another offset */

static uint32_t *futex_of(size_t i)
{
	return (uint32_t *)((char *)futexes + i * FUTEX_HASH_PAGE + i * 52 / 4 * 4);
}

static void *wait_on(void *futex)
{
	syscall(SYS_futex, futex, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0);
	return NULL;
}

static uint32_t waiters_in(struct kmem *m, const struct kobject *table, uint32_t bucket)
{
	uint64_t waiters = 0;

	assert_true(kmem_number(m, table->addr + (uint64_t)bucket * (table->size / table->count), 4,
				&waiters)); /* futex_hash_bucket.waiters is the first */
	return waiters;
}

static const struct kobject *own_table(const struct kobject_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (!strcmp(set->item[i].kind, "futex_private") &&
		    set->item[i].pid == (uint32_t)getpid())
			return &set->item[i];
	return NULL;
}

static void check_buckets(struct kmem *m, struct type_btf *types, struct intern *pool)
{
	struct kobject_kernel kernel = { .memory = m, .types = types, .pool = pool };
	struct kobject_set set;
	const struct kobject *table;

	assert_null(kobject_find_all(&kernel, &set));
	table = own_table(&set);
	if (!table) {
		kobject_set_deinit(&set);
		skip(); /* before 6.16, or numbers of processes are a namespace's */
	}
	print_message("%u waiters in a table of %u\n", WAITERS, (unsigned int)table->count);
	for (uint32_t b = 0; b < table->count; b++) {
		uint32_t expected = 0;

		for (size_t i = 0; i < WAITERS; i++) {
			struct futex_key k = futex_key_private(0, (uintptr_t)futex_of(i), 0);

			expected += futex_hash_private(&k, table->count) == b;
		}
		assert_int_equal(waiters_in(m, table, b), expected);
	}
	kobject_set_deinit(&set);
}

static bool is_waiting(pid_t tid)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return atoi(text) == SYS_futex && strstr(text, "0x");
}

struct waiter {
	pthread_t thread;
	pid_t tid;
	size_t i;
};

static void *run_waiter(void *arg)
{
	struct waiter *w = arg;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	return wait_on(futex_of(w->i));
}

static void buckets_of_the_running_kernel_hold_our_waiters(void **state)
{
	struct intern *pool = intern_new();
	struct waiter waiter[WAITERS] = { 0 };
	struct type_btf *types = NULL;
	struct kmem *m = NULL;
	struct err *e = kmem_open_bpf(&m);

	if (!e)
		e = type_btf_open(TYPE_BTF_KERNEL, NULL, pool, &types);
	if (e) {
		print_message("%s\n", err_text(e));
		err_free(e);
		kmem_free(m);
		intern_free(pool);
		skip();
	}
	futexes = aligned_alloc(FUTEX_HASH_PAGE, (WAITERS + 1) * FUTEX_HASH_PAGE);
	memset(futexes, 0, (WAITERS + 1) * FUTEX_HASH_PAGE);
	for (size_t i = 0; i < WAITERS; i++) {
		waiter[i].i = i;
		pthread_create(&waiter[i].thread, NULL, run_waiter, &waiter[i]);
		while (!__atomic_load_n(&waiter[i].tid, __ATOMIC_ACQUIRE) ||
		       !is_waiting(waiter[i].tid))
			usleep(1000);
	}
	usleep(10000);
	check_buckets(m, types, pool);
	for (size_t i = 0; i < WAITERS; i++) {
		*futex_of(i) = 1;
		syscall(SYS_futex, futex_of(i), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
		pthread_join(waiter[i].thread, NULL);
	}
	free(futexes);
	type_btf_free(types);
	kmem_free(m);
	intern_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_equals_published_lookup3),
		cmocka_unit_test(key_holds_page_and_offset_apart),
		cmocka_unit_test(sizes_are_the_kernels),
		cmocka_unit_test(buckets_of_the_running_kernel_hold_our_waiters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
