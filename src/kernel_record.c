// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_record.h"
#include "blob.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#define MMAP_DATA (1 << 13)  /* PERF_RECORD_MISC_MMAP_DATA: not of code */
#define KERNEL_ID UINT32_MAX /* the process that the kernel's maps are said to be of */

static void begin(struct blob *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	blob_bytes(b, &h, sizeof(h));
}

/* What sample_id_all puts behind a record, in the order of perf_event_open(2). */
static void put_trailer(const struct kernel_record *s, struct blob *b, uint32_t pid, uint32_t tid)
{
	if (s->sample_type & PERF_SAMPLE_TID) {
		blob_u32(b, pid);
		blob_u32(b, tid);
	}
	if (s->sample_type & PERF_SAMPLE_TIME)
		blob_u64(b, 0);
	if (s->sample_type & PERF_SAMPLE_ID)
		blob_u64(b, s->id);
	if (s->sample_type & PERF_SAMPLE_STREAM_ID)
		blob_u64(b, 0);
	if (s->sample_type & PERF_SAMPLE_CPU)
		blob_u64(b, 0);
	if (s->sample_type & PERF_SAMPLE_IDENTIFIER)
		blob_u64(b, s->id);
}

static struct err *end(const struct kernel_record *s, struct blob *b, uint32_t pid, uint32_t tid)
{
	uint16_t size;
	struct err *e;

	put_trailer(s, b, pid, tid);
	size = b->size;
	memcpy(b->bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
	e = s->put(s->context, b->bytes, b->size);
	blob_deinit(b);
	return e;
}

struct err *kernel_record_comm(const struct kernel_record *s, uint32_t pid, uint32_t tid,
			       const char *name)
{
	struct blob b = { 0 };

	begin(&b, PERF_RECORD_COMM, 0);
	blob_u32(&b, pid);
	blob_u32(&b, tid);
	blob_padded(&b, name, strnlen(name, 15), 8);
	return end(s, &b, pid, tid);
}

struct err *kernel_record_thread(const struct kernel_record *s, uint32_t pid, uint32_t tid)
{
	struct blob b = { 0 };

	begin(&b, PERF_RECORD_FORK, 0);
	blob_u32(&b, pid);
	blob_u32(&b, pid);
	blob_u32(&b, tid);
	blob_u32(&b, pid);
	blob_u64(&b, 0);
	return end(s, &b, pid, tid);
}

struct err *kernel_record_map(const struct kernel_record *s, uint32_t pid,
			      const struct kernel_map *m)
{
	uint16_t misc = PERF_RECORD_MISC_USER | (m->prot & PROT_EXEC ? 0 : MMAP_DATA);
	struct blob b = { 0 };

	begin(&b, PERF_RECORD_MMAP2, misc);
	blob_u32(&b, pid);
	blob_u32(&b, pid);
	blob_u64(&b, m->start);
	blob_u64(&b, m->end - m->start);
	blob_u64(&b, m->offset);
	blob_u32(&b, m->major);
	blob_u32(&b, m->minor);
	blob_u64(&b, m->inode);
	blob_u64(&b, 0); /* inode generation */
	blob_u32(&b, m->prot);
	blob_u32(&b, m->flags);
	blob_padded(&b, m->path, strnlen(m->path, PATH_MAX - 1), 8);
	return end(s, &b, pid, pid);
}

struct err *kernel_record_code(const struct kernel_record *s, uint64_t start, uint64_t size,
			       uint64_t offset, const char *path)
{
	struct blob b = { 0 };

	begin(&b, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	blob_u32(&b, KERNEL_ID);
	blob_u32(&b, 0);
	blob_u64(&b, start);
	blob_u64(&b, size);
	blob_u64(&b, offset);
	blob_padded(&b, path, strnlen(path, PATH_MAX - 1), 8);
	return end(s, &b, KERNEL_ID, 0);
}

struct err *kernel_record_lost(const struct kernel_record *s, uint64_t count)
{
	struct blob b = { 0 };

	begin(&b, PERF_RECORD_LOST, 0);
	blob_u64(&b, s->id);
	blob_u64(&b, count);
	return end(s, &b, 0, 0);
}
