// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 2, class L: 57efa1fe5957, cured by 2e3025434a6b. A new field in front moved
 * mm_struct.mmap_lock from offset 120 to 128: its count and owner, until then at the end of one
 * line and the start of the next, came into one line. Expected: merged, pushed by has_pinned; true
 * sharing both times. Fields: mmap_lock.count, mmap_lock.owner.
 */
#include "corpus.h"

struct lock {
	atomic_long count;
	atomic_long owner;
};

struct mm_before {
	char pgd[120];
	struct lock mmap_lock;
};

struct mm_after {
	char pgd[120];
	long has_pinned;
	struct lock mmap_lock;
};

static struct mm_before mm_before ALIGNED(LINE);
static struct mm_after mm_after ALIGNED(LINE);
static struct lock *lock;

/* Those that wait look at the owner as long as there is one, and then at the count. */
static NOINLINE void down_write(int thread)
{
	while (atomic_exchange(&lock->count, 1))
		for (int i = 0; i < 4 && atomic_load(&lock->owner); i++)
			;
	atomic_store(&lock->owner, thread + 1);
}

static NOINLINE void up_write(void)
{
	atomic_store(&lock->owner, 0);
	atomic_store(&lock->count, 0);
}

static void faults(int thread)
{
	for (long i = 0; i < rounds; i++) {
		down_write(thread);
		up_write();
	}
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	lock = after ? &mm_after.mmap_lock : &mm_before.mmap_lock;
	truth("true", "mmap_lock.count", &lock->count, "mmap_lock.count:0:8:rw@down_write");
	truth("true", "mmap_lock.owner", &lock->owner, "mmap_lock.owner:0:8:rw@down_write");
	run(3, faults);
	return 0;
}
