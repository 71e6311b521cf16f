// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 8, class C: "futex: Unbreak futex hashing", 8019ad13ef7f. A hash that leaves out part of the
 * key put all futexes into one bucket. Expected: hash collision, cured by spreading the keys and
 * not by layout: before, all threads fight truly over one bucket's words; after, each has a bucket
 * of its own. Never false sharing. Fields: waiters, lock.
 */
#include "corpus.h"

#define BUCKETS 16

struct bucket {
	atomic_int waiters;
	atomic_int lock;
} ALIGNED(LINE);

static struct bucket queues[BUCKETS];
static uint64_t keys[MOST_THREADS] = { 0x1000, 0x2000, 0x3000, 0x4000 };

static struct bucket *futex_hash(uint64_t key)
{
	return &queues[(after ? key >> 12 : 3) % BUCKETS];
}

static NOINLINE void futex_wake(uint64_t key)
{
	struct bucket *b = futex_hash(key);

	atomic_fetch_add(&b->waiters, 1);
	atomic_fetch_add(&b->lock, 1);
	atomic_fetch_sub(&b->waiters, 1);
}

static void calls(int thread)
{
	for (long i = 0; i < rounds; i++)
		futex_wake(keys[thread]);
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	for (int t = 0; after && t < 4; t++)
		truth("none", "bucket", futex_hash(keys[t]), "waiters,lock:rw@futex_wake");
	if (!after)
		truth("true", "bucket", futex_hash(keys[0]),
		      "waiters:0:4:rw@futex_wake,lock:4:4:rw@futex_wake");
	run(4, calls);
	return 0;
}
