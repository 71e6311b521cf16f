// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 5, class F: "mm: move mm_count into its own cache line". The reference count that each
 * context switch changes lay beside fields that are read all the time. Expected: mixed before (the
 * count itself is shared, its neighbours wait for it), after the count alone remains. Fields:
 * mm_count (aggressor), pgd (victim).
 */
#include "corpus.h"

struct mm_before {
	atomic_int mm_count;
	int mm_users;
	volatile long pgd;
};

struct mm_after {
	atomic_int mm_count;
	char pad[LINE - sizeof(int)];
	int mm_users;
	volatile long pgd;
};

static struct mm_before packed ALIGNED(LINE);
static struct mm_after padded ALIGNED(LINE);
static atomic_int *count;
static volatile long *pgd;

static NOINLINE void context_switch(void)
{
	for (long i = 0; i < rounds; i++) {
		atomic_fetch_add(count, 1);
		atomic_fetch_sub(count, 1);
	}
}

static NOINLINE long page_fault(void)
{
	long sum = 0;

	for (long i = 0; i < rounds * 4; i++)
		sum += *pgd;
	return sum;
}

static void tasks(int thread)
{
	if (thread < 2)
		context_switch();
	else
		page_fault();
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	count = after ? &padded.mm_count : &packed.mm_count;
	pgd = after ? &padded.pgd : &packed.pgd;
	if (after) {
		truth("true", "mm_count", count, "mm_count:0:4:rw@context_switch");
		truth("none", "pgd", pgd, "pgd:0:8:r@page_fault");
	} else {
		truth("mixed", "mm", count, "mm_count:0:4:rw@context_switch,pgd:8:8:r@page_fault");
	}
	run(4, tasks);
	return 0;
}
