// SPDX-License-Identifier: GPL-2.0-only
#include "heap_read.h"
#include "heap_log.h"
#include "map.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BLOCKS 20000 /* that are noted: those that lived longest */

struct block {
	uint64_t addr, size, life; /* life: ticks of the log's clock; UINT64_MAX: to the end */
	uint64_t caller, begin;
	uint32_t pid;
	uint32_t others; /* blocks that were at the same place before or after */
	uint32_t number; /* of its caller's blocks */
};

struct blocks {
	struct block *item;
	uint32_t count, room;
};

struct err *heap_log_create(const char *path)
{
	struct heap_log_head head = { .magic = HEAP_LOG_MAGIC };
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good = fd >= 0 && write(fd, &head, sizeof(head)) == sizeof(head) &&
		    !ftruncate(fd, HEAP_LOG_BYTES);
	int error = errno;

	if (fd >= 0)
		close(fd);
	return good ? NULL : err_errno(ERR_FAILED, error, "record: the heap's log %s", path);
}

/* ---- records to blocks */

static int compare_records(const void *a, const void *b)
{
	const struct heap_log_record *x = a, *y = b;

	return CMP(x->pid, y->pid) ?: CMP(x->addr, y->addr) ?: CMP(x->time, y->time);
}

/* Copied first: the program may still write. */
static struct heap_log_record *copy_records(const void *log, uint32_t *count, bool *full)
{
	const struct heap_log_head *head = log;
	uint64_t chunks = head->chunks, most = HEAP_LOG_RECORDS / HEAP_LOG_CHUNK;
	const struct heap_log_record *from = (const struct heap_log_record *)(head + 1);
	struct heap_log_record *to;

	*full = chunks > most;
	chunks = chunks < most ? chunks : most;
	to = mem_zalloc((chunks * HEAP_LOG_CHUNK + 1) * sizeof(*to));
	*count = 0;
	for (uint64_t i = 0; i < chunks * HEAP_LOG_CHUNK; i++)
		if (from[i].addr)
			to[(*count)++] = from[i];
	qsort(to, *count, sizeof(*to), compare_records);
	return to;
}

/* The records of one address, in order of time: the block there that lived longest. */
static void add_longest(struct blocks *b, const struct heap_log_record *r, uint32_t count)
{
	struct block best = { .size = 0 };
	uint32_t blocks = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t life = i + 1 < count ? r[i + 1].time - r[i].time : UINT64_MAX;

		if (!r[i].size || r[i].addr + r[i].size < r[i].addr)
			continue;
		blocks++;
		if (!best.size || life > best.life)
			best = (struct block){ r[i].addr, r[i].size, life, r[i].caller,
					       r[i].time, r[i].pid,  0,	   0 };
	}
	if (!blocks)
		return;
	best.others = blocks - 1;
	mem_grow(&b->item, &b->room, b->count);
	b->item[b->count++] = best;
}

static void collect(struct blocks *b, const struct heap_log_record *r, uint32_t count)
{
	uint32_t end;

	for (uint32_t i = 0; i < count; i = end) {
		for (end = i; end < count && r[end].addr == r[i].addr && r[end].pid == r[i].pid;)
			end++;
		add_longest(b, r + i, end - i);
	}
}

/* Blocks are in order of address; those that overlap were not there together. */
static void settle(struct blocks *b)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		struct block *last = kept ? &b->item[kept - 1] : NULL, *x = &b->item[i];

		if (!last || last->pid != x->pid || last->addr + last->size <= x->addr) {
			b->item[kept++] = *x;
			continue;
		}
		if (x->life > last->life) {
			x->others += last->others + 1;
			*last = *x;
		} else {
			last->others += x->others + 1;
		}
	}
	b->count = kept;
}

static int by_life(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return CMP(y->life, x->life) ?: CMP(x->begin, y->begin) ?: CMP(x->addr, y->addr);
}

static int by_begin(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return CMP(x->begin, y->begin) ?: CMP(x->addr, y->addr);
}

static void number(struct blocks *b)
{
	struct map callers;

	map_init(&callers);
	qsort(b->item, b->count, sizeof(*b->item), by_begin);
	for (uint32_t i = 0; i < b->count; i++)
		b->item[i].number = ++*map_put(&callers, b->item[i].caller, 0, NULL);
	map_deinit(&callers);
}

static struct err *note_blocks(const struct blocks *b,
			       struct err *(*note)(void *context, const struct note *n),
			       void *context)
{
	struct err *e = NULL;

	for (uint32_t i = 0; i < b->count && !e; i++) {
		const struct block *x = &b->item[i];

		e = note(context, &(struct note){ .kind = NOTE_BLOCK,
						  .block = { .pid = x->pid,
							     .addr = x->addr,
							     .size = x->size,
							     .caller = x->caller,
							     .number = x->number,
							     .others = x->others } });
	}
	return e;
}

static const void *map_log(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	void *log = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)HEAP_LOG_BYTES)
		log = mmap(NULL, HEAP_LOG_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	return log == MAP_FAILED ? NULL : log;
}

struct err *heap_log_read(const char *path,
			  struct err *(*note)(void *context, const struct note *n), void *context,
			  struct heap_log_result *result)
{
	const void *log = map_log(path);
	struct heap_log_record *records;
	struct blocks b = { 0 };
	struct err *e;
	uint32_t count;

	*result = (struct heap_log_result){ 0 };
	if (!log)
		return NULL;
	records = copy_records(log, &count, &result->full);
	munmap((void *)log, HEAP_LOG_BYTES);
	result->records = count;
	collect(&b, records, count);
	free(records);
	settle(&b);
	if (b.count > MOST_BLOCKS) {
		qsort(b.item, b.count, sizeof(*b.item), by_life);
		result->left_out = b.count - MOST_BLOCKS;
		b.count = MOST_BLOCKS;
	}
	if (b.count)
		number(&b);
	result->blocks = b.count;
	e = note_blocks(&b, note, context);
	free(b.item);
	return e;
}

char *heap_log_remark(const struct heap_log_result *r)
{
	if (!r->records)
		return mem_strdup(
			"the heap was not logged: the program is static, or has set-user-id "
			"rights, or it brings an allocator of its own");
	if (r->full)
		return mem_printf(
			"the heap's log was full after %llu records: later blocks have no "
			"name",
			(unsigned long long)r->records);
	if (r->left_out)
		return mem_printf("%llu blocks of the heap that lived briefly have no name",
				  (unsigned long long)r->left_out);
	return NULL;
}
