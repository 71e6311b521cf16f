/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which bucket of the kernel's futex hash a futex is. Two hot futexes of one bucket contend
 * though they share no data: a hash collision, to be told apart from false sharing.
 * Source: kernel/futex/core.c and include/linux/jhash.h.
 */
#ifndef HITMAP_FUTEX_HASH_H
#define HITMAP_FUTEX_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FUTEX_HASH_PAGE	 4096u
#define FUTEX_HASH_INODE 1u /* FUT_OFF_INODE, in the offset of a key: word 0 is an inode's number  \
			     */
#define FUTEX_HASH_MMSHARED                                                                        \
	2u /* FUT_OFF_MMSHARED: private memory, but FUTEX_PRIVATE_FLAG not given */

/* union futex_key. The kernel keeps flags in the low bits of "offset", which are those of an
 * address of four bytes. */
struct futex_key {
	uint64_t pointer; /* the mm_struct; of a shared file mapping i_sequence of its inode */
	uint64_t word;	  /* address of the page; of a shared file mapping the page's index in it */
	uint32_t offset;  /* in the page, with the flags above */
};

/* The key of a futex in private memory: "mm" is the mm_struct's address in the kernel. "flags": 0
 * for FUTEX_PRIVATE_FLAG, else FUTEX_HASH_MMSHARED. */
struct futex_key futex_key_private(uint64_t mm, uint64_t addr, uint32_t flags);
/* The key of a futex in shared memory. "place" is where it is in the file, bytes. */
struct futex_key futex_key_shared(uint64_t i_sequence, uint64_t place);

/* Bob Jenkins' hash of "count" words, as the kernel's jhash2(). */
uint32_t futex_hash_words(const uint32_t *word, size_t count, uint32_t initial);

/* Of the tables that all share. "buckets" is a power of two. */
uint32_t futex_hash_global(const struct futex_key *key, uint32_t buckets);
/* Of a process's own table (6.16 on), which only the address decides; for keys with no flags. */
uint32_t futex_hash_private(const struct futex_key *key, uint32_t buckets);
/* With a table for each node (6.16 on): which of "nodes" a futex without FUTEX2_NUMA is in, when
 * all of them are possible. "buckets" is of one table. */
uint32_t futex_hash_node(const struct futex_key *key, uint32_t buckets, uint32_t nodes);

/* How many buckets kernels give. "cpus": possible ones. Up to 6.15, and 6.16 on for each node. */
uint32_t futex_hash_global_size(uint32_t cpus);
uint32_t futex_hash_node_size(uint32_t cpus, uint32_t nodes);
/* Of a process with that many threads, on that many online CPUs; 0 for one thread alone. */
uint32_t futex_hash_private_size(uint32_t threads, uint32_t cpus);

#endif
