// SPDX-License-Identifier: GPL-2.0-only
#include "collect_filter.h"
#include "blob.h"
#include "map.h"
#include "mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct collect_filter {
	struct map pids;
	size_t pid_place; /* of a sample, behind its header */
	struct blob now, before;
};

/* Each record in a blob has its CPU in front of it, in 8 bytes so that records stay aligned. */
#define FRONT 8

static void add(struct collect_filter *f, uint32_t pid)
{
	map_put(&f->pids, pid, 1, NULL);
}

struct collect_filter *collect_filter_new(const struct perf_event_attr *attr, const pid_t *pid,
					  size_t pids)
{
	struct collect_filter *f = mem_zalloc(sizeof(*f));

	map_init(&f->pids);
	f->pid_place = (attr->sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0) +
		       (attr->sample_type & PERF_SAMPLE_IP ? 8 : 0);
	for (size_t i = 0; i < pids; i++)
		add(f, pid[i]);
	return f;
}

void collect_filter_free(struct collect_filter *f)
{
	if (!f)
		return;
	map_deinit(&f->pids);
	blob_deinit(&f->now);
	blob_deinit(&f->before);
	free(f);
}

static uint32_t word_at(const struct perf_event_header *h, size_t place)
{
	uint32_t v = 0;

	if (sizeof(*h) + place + sizeof(v) <= h->size)
		memcpy(&v, (const uint8_t *)(h + 1) + place, sizeof(v));
	return v;
}

/* Records that begin with a process's number; others are nobody's and are kept. */
static bool has_pid(uint32_t type)
{
	static const uint32_t types[] = { PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_COMM,
					  PERF_RECORD_FORK, PERF_RECORD_EXIT };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (type == types[i])
			return true;
	return false;
}

static bool is_wanted(const struct collect_filter *f, const struct perf_event_header *h)
{
	uint32_t pid;

	if (h->type != PERF_RECORD_SAMPLE && !has_pid(h->type))
		return true;
	pid = word_at(h, h->type == PERF_RECORD_SAMPLE ? f->pid_place : 0);
	return pid == UINT32_MAX || map_get(&f->pids, pid);
}

struct err *collect_filter_take(struct collect_filter *f, uint32_t cpu,
				const struct perf_event_header *h)
{
	uint64_t front = cpu;

	if (h->type == PERF_RECORD_FORK && map_get(&f->pids, word_at(h, 4)))
		add(f, word_at(h, 0));
	blob_bytes(&f->now, &front, FRONT);
	blob_bytes(&f->now, h, h->size);
	return NULL;
}

struct err *collect_filter_round(struct collect_filter *f, collect_keep keep, void *context)
{
	struct blob done = f->before;
	struct err *e = NULL;

	for (size_t at = 0; at < done.size && !e;) {
		const struct perf_event_header *h = (const void *)(done.bytes + at + FRONT);
		uint64_t cpu;

		memcpy(&cpu, done.bytes + at, FRONT);
		if (is_wanted(f, h))
			e = keep(context, cpu, h);
		at += FRONT + h->size;
	}
	f->before = f->now;
	f->now = done;
	f->now.size = 0;
	return e;
}
