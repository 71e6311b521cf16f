// SPDX-License-Identifier: GPL-2.0-only
/*
 * FUTEX_WAIT on a shared futex with a wrong value, before and after "futex: Remove requirement for
 * lock_page() in get_futex_key()" (kernel commit 65d8fc777f6d, v4.6). One operation is what perf
 * bench futex hash -S does: make the key, find the bucket, lock it, see that the value differs,
 * unlock it. kernel/futex.c of v4.5: futex_wait_setup(), get_futex_key(), queue_lock(),
 * queue_unlock().
 */
#include "bench.h"
#include "hitmap.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

typedef struct {
	int counter;
} atomic_t;

/* include/linux/mm_types.h of v4.5, with memory control groups. */
struct page {
	unsigned long flags;
	void *mapping;
	unsigned long index;
	atomic_t _mapcount, _count;
	void *lru_next, *lru_prev;
	unsigned long private;
	void *mem_cgroup;
};

#define PG_locked	  1u /* bit 0 */
#define PAGE_MAPPING_ANON 1u

static_assert(sizeof(struct page) == 64, "one page structure is one line");
static_assert(offsetof(struct page, _count) == 28, "reference count");

/* The front of the same kernel's struct mm_struct, up to what a futex touches. */
struct mm_struct {
	void *mmap, *mm_rb;
	unsigned int vmacache_seqnum;
	void *get_unmapped_area;
	unsigned long mmap_base, mmap_legacy_base, task_size, highest_vm_end;
	void *pgd;
	atomic_t mm_users, mm_count;
};

static_assert(offsetof(struct mm_struct, mm_count) == 76, "reference count");

typedef struct {
	unsigned int val;
} spinlock_t;

struct futex_hash_bucket {
	atomic_t waiters;
	spinlock_t lock;
	void *chain_next, *chain_prev;
} __attribute__((aligned(BENCH_LINE)));

static_assert(sizeof(struct futex_hash_bucket) == 64, "one bucket is one line");

struct futex_key {
	unsigned long word;
	void *ptr;
	int offset;
};

struct futex_bench {
	void *page_block;
	/*
	 * One page for all futexes: perf's main thread allocates those of every thread, so they lie
	 * side by side in its heap, 4 kB a thread, and 512 threads' worth fit into one transparent
	 * huge page. Locks and references of a huge page are all its head page's.
	 */
	struct page *page;
	struct mm_struct *mm;
	struct futex_hash_bucket *buckets;
	uint32_t mask; /* of the hash */
	unsigned int *futexes;
};

#define WRONG_VALUE 1234
#define PAGE_SIZE   4096
#define YIELD_AFTER 64 /* looks at a taken lock before the CPU is given away */

static void atomic_inc(atomic_t *v)
{
	__asm__ volatile("lock incl %0" : "+m"(v->counter)::"memory");
}

static void atomic_dec(atomic_t *v)
{
	__asm__ volatile("lock decl %0" : "+m"(v->counter)::"memory");
}

static bool atomic_dec_and_test(atomic_t *v)
{
	bool zero;

	__asm__ volatile("lock decl %0" : "+m"(v->counter), "=@ccz"(zero)::"memory");
	return zero;
}

/* Waiting for a lock in a program that shares its CPUs with the other waiters. */
static void wait_a_little(uint32_t *looks)
{
	if (++*looks % YIELD_AFTER == 0)
		sched_yield();
	bench_pause();
}

/* The kernel queues spinners; here they look until the lock seems free. Free is 0, taken is 1, a
 * release is a plain store: the same accesses as the kernel's where nobody waits. */
static BENCH_PATH void spin_lock(spinlock_t *lock)
{
	uint32_t looks = 0;
	unsigned int free_value = 0;

	while (!__atomic_compare_exchange_n(&lock->val, &free_value, 1, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		while (__atomic_load_n(&lock->val, __ATOMIC_RELAXED))
			wait_a_little(&looks);
		free_value = 0;
	}
}

static void spin_unlock(spinlock_t *lock)
{
	__atomic_store_n(&lock->val, 0, __ATOMIC_RELEASE);
}

/* lock bts; in the kernel a loser sleeps until the page is unlocked. Of the flags only the lock is
 * ever set here, so that a free lock reads 0, by which the model recognises locks. */
static bool trylock_page(struct page *page)
{
	bool was_locked;

	__asm__ volatile("lock btsq $0, %0" : "+m"(page->flags), "=@ccc"(was_locked)::"memory");
	return !was_locked;
}

static BENCH_PATH void lock_page(struct page *page)
{
	uint32_t looks = 0;

	while (!trylock_page(page))
		while (__atomic_load_n(&page->flags, __ATOMIC_RELAXED) & PG_locked)
			wait_a_little(&looks);
}

static BENCH_PATH void unlock_page(struct page *page)
{
	__asm__ volatile("lock andb %1, %0"
			 : "+m"(*(char *)&page->flags)
			 : "i"(~PG_locked)
			 : "memory");
}

/* An anonymous page: the key is the address space and the address, and holds a reference to the
 * former. */
static void fill_key(struct futex_bench *b, unsigned long address, struct futex_key *key)
{
	key->word = address & ~(PAGE_SIZE - 1ul);
	key->ptr = b->mm;
	key->offset = address & (PAGE_SIZE - 1);
	atomic_inc(&b->mm->mm_count);
}

static bool page_is_anonymous(const struct page *page)
{
	return (unsigned long)__atomic_load_n(&page->mapping, __ATOMIC_RELAXED) & PAGE_MAPPING_ANON;
}

/* The page is looked up with a reference, which is dropped at the end. */
static BENCH_PATH void get_futex_key_before(struct futex_bench *b, unsigned long address,
					    struct futex_key *key)
{
	atomic_inc(&b->page->_count);
	lock_page(b->page);
	if (!page_is_anonymous(b->page))
		abort();
	fill_key(b, address, key);
	unlock_page(b->page);
	if (atomic_dec_and_test(&b->page->_count))
		abort();
}

static BENCH_PATH void get_futex_key_after(struct futex_bench *b, unsigned long address,
					   struct futex_key *key)
{
	atomic_inc(&b->page->_count);
	if (!page_is_anonymous(b->page))
		abort();
	fill_key(b, address, key);
	if (atomic_dec_and_test(&b->page->_count))
		abort();
}

static BENCH_PATH void put_futex_key(const struct futex_key *key)
{
	struct mm_struct *mm = key->ptr;

	if (atomic_dec_and_test(&mm->mm_count))
		abort();
}

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

/* Jenkins' lookup3 for four words, as the kernel's jhash2(). */
static uint32_t hash_key(const struct futex_key *key)
{
	static const unsigned mix[] = { 4, 6, 8, 16, 19, 4 };
	static const unsigned final[] = { 14, 11, 25, 16, 4, 14, 24 };
	uint32_t start = 0xdeadbeef + (4 << 2) + (uint32_t)key->offset;
	uint32_t v[3] = { start + (uint32_t)key->word, start + (uint32_t)(key->word >> 32),
			  start + (uint32_t)(uintptr_t)key->ptr };

	for (int i = 0; i < 6; i++) {
		uint32_t *a = &v[i % 3], *b = &v[(i + 1) % 3], *c = &v[(i + 2) % 3];

		*a = (*a - *c) ^ rotate(*c, mix[i]);
		*c += *b;
	}
	v[0] += (uint32_t)((uintptr_t)key->ptr >> 32);
	for (int i = 0; i < 7; i++) {
		uint32_t *to = &v[(i + 2) % 3], *from = &v[(i + 1) % 3];

		*to = (*to ^ *from) - rotate(*from, final[i]);
	}
	return v[2];
}

static BENCH_PATH struct futex_hash_bucket *queue_lock(struct futex_bench *b,
						       const struct futex_key *key)
{
	struct futex_hash_bucket *hb = &b->buckets[hash_key(key) & b->mask];

	atomic_inc(&hb->waiters);
	spin_lock(&hb->lock);
	return hb;
}

static BENCH_PATH void queue_unlock(struct futex_hash_bucket *hb)
{
	spin_unlock(&hb->lock);
	atomic_dec(&hb->waiters);
}

/* -EWOULDBLOCK, always: no futex holds the value that is waited with. */
static int futex_wait(struct futex_bench *b, unsigned int *futex, unsigned int value, bool after)
{
	struct futex_hash_bucket *hb;
	struct futex_key key;
	int result = 0;

	if (after)
		get_futex_key_after(b, (unsigned long)futex, &key);
	else
		get_futex_key_before(b, (unsigned long)futex, &key);
	hb = queue_lock(b, &key);
	if (__atomic_load_n(futex, __ATOMIC_RELAXED) != value)
		result = -EWOULDBLOCK;
	queue_unlock(hb);
	put_futex_key(&key);
	return result;
}

static void futex_run(const struct bench_thread *t)
{
	struct futex_bench *b = t->shared;
	const struct bench_options *o = t->options;
	unsigned int *mine = b->futexes + (size_t)t->number * o->futexes;

	for (uint64_t i = 0; i < o->ops; i++) {
		if (futex_wait(b, &mine[i % o->futexes], WRONG_VALUE, o->after) != -EWOULDBLOCK)
			abort();
		bench_work(o->work);
	}
}

/* futex_init(): 256 buckets a CPU, rounded up to a power of two; perf runs one thread a CPU. */
static uint32_t bucket_count(uint32_t cpus)
{
	uint32_t count = 256;

	while (count < 256 * cpus)
		count *= 2;
	return count;
}

static void futex_free(struct futex_bench *b)
{
	free(b->page_block);
	free(b->mm);
	free(b->buckets);
	free(b->futexes);
	free(b);
}

static bool allocate(struct futex_bench *b, const struct bench_options *o)
{
	uint32_t buckets = bucket_count(o->threads);
	size_t futex_bytes = (size_t)o->threads * o->futexes * sizeof(*b->futexes);
	void *ignored;

	b->mask = buckets - 1;
	b->page = bench_object(sizeof(*b->page), o->base, &b->page_block);
	b->mm = bench_object(sizeof(*b->mm), 0, &ignored); /* starts its block, so frees it */
	b->buckets = aligned_alloc(BENCH_LINE, buckets * sizeof(*b->buckets));
	b->futexes = aligned_alloc(PAGE_SIZE, (futex_bytes + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1ul));
	return b->page && b->mm && b->buckets && b->futexes;
}

static void fill(struct futex_bench *b, const struct bench_options *o)
{
	for (uint32_t i = 0; i <= b->mask; i++)
		b->buckets[i] = (struct futex_hash_bucket){ 0 };
	for (size_t i = 0; i < (size_t)o->threads * o->futexes; i++)
		b->futexes[i] = 0;
	b->page->mapping = (void *)PAGE_MAPPING_ANON;
	b->page->_count.counter = 1;
	b->mm->mm_users.counter = o->threads;
	b->mm->mm_count.counter = 1;
}

static void *futex_start(const struct bench_options *o)
{
	struct futex_bench *b = calloc(1, sizeof(*b));

	if (b && !allocate(b, o)) {
		futex_free(b);
		b = NULL;
	}
	if (!b)
		return NULL;
	fill(b, o);
	hitmap_note("object %p %zu page page of the futexes", (void *)b->page, sizeof(*b->page));
	hitmap_note("object %p %zu mm_struct mm_struct", (void *)b->mm, sizeof(*b->mm));
	hitmap_note("object %p %zu futex_hash_bucket[%u] futex_queues", (void *)b->buckets,
		    (b->mask + 1) * sizeof(*b->buckets), b->mask + 1);
	return b;
}

static void futex_stop(void *shared, const struct bench_options *o)
{
	struct futex_bench *b = shared;

	/* Every reference and lock was given back, or the replica is wrong. */
	if (b->page->flags || b->page->_count.counter != 1 || b->mm->mm_count.counter != 1)
		abort();
	futex_free(b);
}

/*
 * Work: a futex() call like this took 1,207 ns on the virtual machine this was written on (median
 * of five times 200,000, 1,202 to 1,284), of which 986 ns are its entry into the kernel
 * (getppid()), a cost of its hypervisor. What remains, 221 ns at 3.5 GHz, is 770 cycles; the model
 * counts one for an instruction.
 */
const struct bench_workload bench_futex = {
	.name = "futex",
	.summary = "hash a shared futex and visit its bucket",
	.operation = "futex call",
	.default_work = 770,
	.default_ops = 500,
	.alignment = 8,
	.base_most = BENCH_LINE - 32, /* flags to _count stay in one line */
	.start = futex_start,
	.run = futex_run,
	.stop = futex_stop,
};
