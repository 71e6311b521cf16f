// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 13, class F: a734d9fca84e. futex_hash() read bucket->priv, a pointer that never changes, out
 * of the line whose waiters and lock everybody changes: the field that pays is one that is only
 * read. Without that read the next user of the line pays. Expected: mixed before, victim priv;
 * after, true sharing of the rest. Fields: waiters, lock (aggressors), priv (victim).
 */
#include "corpus.h"

struct bucket {
	atomic_int waiters;
	atomic_int lock;
	long chain[2];
	void *volatile priv;
};

static struct bucket bucket ALIGNED(LINE);
static void *volatile elsewhere ALIGNED(LINE);

static NOINLINE int futex_hash(void)
{
	return after ? elsewhere != NULL : bucket.priv != NULL;
}

static NOINLINE void futex_wait(void)
{
	atomic_fetch_add(&bucket.waiters, 1);
	atomic_fetch_add(&bucket.lock, 1);
}

static void calls(int thread)
{
	for (long i = 0; i < rounds; i++) {
		futex_hash();
		futex_wait();
	}
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	truth(after ? "true" : "mixed", "bucket", &bucket,
	      after ? "waiters:0:4:rw@futex_wait,lock:4:4:rw@futex_wait"
		    : "waiters:0:4:rw@futex_wait,lock:4:4:rw@futex_wait,priv:24:8:r@futex_hash");
	run(4, calls);
	return 0;
}
