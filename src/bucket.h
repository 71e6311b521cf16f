/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contended buckets of futex hash tables, and which futexes meet in them. Two hot futexes of
 * one bucket contend though their programs share nothing: a hash collision, which no layout mends.
 *
 * A table is any object whose type is an array of futex_hash_bucket. Futexes are the words of
 * programs that code of the kernel with "futex" in its name touched; they are taken for private
 * ones (FUTEX_PRIVATE_FLAG), since nothing recorded says so, but for those in shared memory, whose
 * bucket depends on a number in the inode that is not recorded.
 */
#ifndef HITMAP_BUCKET_H
#define HITMAP_BUCKET_H

#include "sharing.h"

struct bucket_futex {
	uint64_t addr;
	uint32_t pid;
	const char *name; /* interned, "queue.lock"; NULL when unknown */
	uint64_t samples; /* of the kernel's code that touched it */
};

struct bucket {
	uint32_t table;	 /* index in the set's */
	uint64_t number; /* in its table */
	struct counts counts;
	const struct contended_line *line; /* the costliest of it */
	const char *field;		   /* the hottest; interned; NULL when unknown */
	uint32_t offset;		   /* where that is in the bucket, bytes */
	uint32_t threads;		   /* at most: of the line with most */
	enum verdict verdict;		   /* on that line; of those that were judged */
	struct bucket_futex *futex;	   /* by samples, falling */
	uint32_t futexes;
};

struct bucket_table {
	const char *name; /* "futex_hash_bucket of pid 12 (bash)" */
	uint64_t addr;
	uint64_t buckets; /* that it has */
	uint64_t size;	  /* of a bucket, bytes */
	uint32_t pid;	  /* of its memory; 0: the kernel's */
	uint32_t contended;
};

struct bucket_set {
	struct bucket_table *tables; /* in the order of their costliest bucket */
	struct bucket *buckets;	     /* contended ones, by latency, then by HITM, falling */
	uint32_t table_count, table_room, bucket_count, bucket_room;
	uint32_t futexes;  /* that were seen */
	uint32_t unplaced; /* of these: in which bucket they are is not known */
};

/* Of a profile that was read with what the kernel touched. */
void bucket_set_init(struct bucket_set *s, const struct profile *profile, struct attrib *attrib,
		     struct intern *pool);
/* Judges the first "count" of them. */
void bucket_set_judge(struct bucket_set *s, const struct profile *profile, struct attrib *attrib,
		      struct intern *pool, uint32_t count);
void bucket_set_deinit(struct bucket_set *s);

/* What a bucket's heat is: samples of lines that came from another core, else all of them. */
uint64_t bucket_heat(const struct bucket *b);

#endif
