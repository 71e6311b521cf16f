// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 4, class F: 70a64b7919cb, cured by fefc6e6631ff. In struct mem_cgroup_per_node what is
 * written at each page came to lie beside pointers that everybody reads. Expected: false sharing
 * before, gone after. Fields: lru_zone_size (aggressor), memcg (victim).
 */
#include "corpus.h"

struct per_node_before {
	void *volatile memcg;
	volatile long lru_zone_size;
};

struct per_node_after {
	void *volatile memcg;
	char pad[LINE - sizeof(void *)];
	volatile long lru_zone_size;
};

static struct per_node_before packed ALIGNED(LINE);
static struct per_node_after padded ALIGNED(LINE);
static volatile long *size;
static void *volatile *pointer;

static NOINLINE void update_lru_size(void)
{
	for (long i = 0; i < rounds; i++)
		++*size;
}

static NOINLINE long lruvec_memcg(void)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++)
		sum += *pointer != NULL;
	return sum;
}

static void pages(int thread)
{
	if (thread)
		lruvec_memcg();
	else
		update_lru_size();
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	size = after ? &padded.lru_zone_size : &packed.lru_zone_size;
	pointer = after ? &padded.memcg : &packed.memcg;
	if (after) {
		truth("none", "memcg", pointer, "memcg:0:8:r@lruvec_memcg");
		truth("none", "lru_zone_size", size, "lru_zone_size:0:8:rw@update_lru_size");
	} else {
		truth("false", "per_node", pointer,
		      "memcg:0:8:r@lruvec_memcg,lru_zone_size:8:8:rw@update_lru_size");
	}
	run(3, pages);
	return 0;
}
