/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attribution from tables of the test instead of ELF files: names, and so expected texts, depend on
 * nothing but the test. A test that defines all of attrib.h links none of the real one.
 */
#ifndef FAKE_ATTRIB_H
#define FAKE_ATTRIB_H

#include "attrib.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>

struct mapping {
	uint32_t pid;
	uint64_t start, end;
	uint64_t shared; /* inode of what it shares with others, 0: nothing */
	const struct mapping *memory;
};

struct attrib {
	struct mapping *map[64]; /* the newest last */
	int maps;
};

struct fake_data {
	uint64_t addr, size;
	struct data_place place; /* object_offset is filled in */
};

struct fake_code {
	uint64_t ip;
	struct code_place place;
};

/* Of the test; each ends with a row of zeroes. */
extern const struct fake_data fake_data[];
extern const struct fake_code fake_code[];

struct attrib *attrib_new(struct intern *pool)
{
	return mem_zalloc(sizeof(struct attrib));
}

void attrib_free(struct attrib *a)
{
	for (int i = 0; i < a->maps; i++)
		free(a->map[i]);
	free(a);
}

void attrib_event(struct attrib *a, const struct event *ev)
{
	if (ev->kind != EVENT_MAP || a->maps == ARRAY_SIZE(a->map))
		return;
	a->map[a->maps] = mem_zalloc(sizeof(struct mapping));
	*a->map[a->maps] = (struct mapping){ .pid = ev->pid,
					     .start = ev->map.start,
					     .end = ev->map.start + ev->map.size,
					     .shared = ev->map.shared ? ev->map.inode : 0 };
	/* A mapping of some offset is the same memory as the one before it. */
	a->map[a->maps]->memory = ev->map.offset && a->maps ? a->map[a->maps - 1]->memory
							    : a->map[a->maps];
	a->maps++;
}

const struct mapping *attrib_mapping(struct attrib *a, uint32_t pid, uint8_t cpumode, uint64_t addr)
{
	for (int i = a->maps - 1; i >= 0; i--) {
		const struct mapping *m = a->map[i];
		bool mine = m->pid == (cpumode == PERF_RECORD_MISC_KERNEL ? UINT32_MAX : pid);

		if (mine && addr >= m->start && addr < m->end)
			return m;
	}
	return NULL;
}

const void *attrib_shared(const struct mapping *m, uint64_t addr, uint64_t *place)
{
	if (!m || !m->shared)
		return NULL;
	*place = addr - m->start;
	return (const void *)(uintptr_t)m->shared;
}

const struct mapping *attrib_memory(const struct mapping *m)
{
	return m ? m->memory : NULL;
}

const char *attrib_comm(const struct attrib *a, uint32_t pid, uint32_t tid)
{
	return NULL;
}

bool attrib_data(struct attrib *a, const struct mapping *m, uint32_t pid, uint64_t addr,
		 struct data_place *place)
{
	for (const struct fake_data *f = fake_data; f->size; f++) {
		if (addr < f->addr || addr >= f->addr + f->size)
			continue;
		*place = f->place;
		place->object_offset += addr - f->addr;
		place->routes = ROUTE_NOTE;
		place->confidence = CONFIDENCE_CERTAIN;
		return true;
	}
	return false;
}

bool attrib_code(struct attrib *a, const struct mapping *m, uint64_t addr, struct code_place *place)
{
	for (const struct fake_code *f = fake_code; f->ip; f++) {
		if (f->ip != addr)
			continue;
		*place = f->place;
		return true;
	}
	return false;
}

uint64_t attrib_changed_files(const struct attrib *a, const char **first)
{
	*first = NULL;
	return 0;
}

void attrib_data_by_code(struct attrib *a, const struct mapping *code, uint64_t ip, uint64_t addr,
			 struct data_place *place)
{
}

/* None. */
const struct object *attrib_kernel_objects(const struct attrib *a, uint32_t *count)
{
	(void)a;
	*count = 0;
	return NULL;
}

uint64_t attrib_bare_files(const struct attrib *a, const char **first)
{
	*first = NULL;
	return 0;
}

void attrib_learn(struct attrib *a, const struct mapping *m, const struct mapping *code,
		  uint64_t ip, uint32_t pid, uint32_t tid, uint64_t addr)
{
}

#endif
