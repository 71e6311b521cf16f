// SPDX-License-Identifier: GPL-2.0-only
#include "line_group.h"
#include "line_key.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>

#define DIGIT_BITS 11
#define DIGITS	   (1 << DIGIT_BITS)
#define PASSES	   3  /* of the bits of a hash */
#define TOUCHED	   16 /* cells ahead of the one that is looked at */

/* A cell that may be of the line of its neighbours. */
struct member {
	struct line_key key;
	uint32_t cell;
};

struct grouping {
	const struct cell_store *store;
	struct attrib *attrib;
	pthread_mutex_t attrib_lock;
	uint32_t line_size;
	void (*visit)(void *context, const struct line_group *line);
	uint64_t *order; /* the hash in the upper half, the cell in the lower */
};

/* What one thread does. */
struct part {
	struct grouping *g;
	void *context;
	uint32_t start, end;	/* in "order" */
	struct member *members; /* with one hash */
	uint32_t *cells;
	uint32_t member_room, cell_room;
	pthread_t thread;
	bool threaded;
};

static struct line_key key_of(struct grouping *g, uint32_t cell)
{
	struct cell_key k = cell_key(g->store, cell);
	uint8_t mode = line_is_kernel(k.addr) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	const struct mapping *data = k.data;

	if (!data) {
		pthread_mutex_lock(&g->attrib_lock);
		data = attrib_mapping(g->attrib, k.pid, mode, k.addr);
		pthread_mutex_unlock(&g->attrib_lock);
	}
	return line_key_of(k.addr, k.phys_addr, k.pid, data, g->line_size);
}

/* ---- Both parts of the work */

/* As many parts as there are, or one that has all of it. */
static void do_parts(struct part *parts, void *(*work)(void *part))
{
	for (int i = 1; i < LINE_GROUP_PARTS; i++)
		parts[i].threaded = parts[i].start < parts[i].end &&
				    !pthread_create(&parts[i].thread, NULL, work, &parts[i]);
	work(&parts[0]);
	for (int i = 1; i < LINE_GROUP_PARTS; i++) {
		if (parts[i].threaded)
			pthread_join(parts[i].thread, NULL);
		else
			work(&parts[i]);
	}
}

static void share_out(struct part *parts, uint32_t count)
{
	for (uint32_t i = 0; i < LINE_GROUP_PARTS; i++) {
		parts[i].start = (uint64_t)count * i / LINE_GROUP_PARTS;
		parts[i].end = (uint64_t)count * (i + 1) / LINE_GROUP_PARTS;
	}
}

/* Cells with one hash belong together. */
static uint32_t hash_start(const uint64_t *order, uint32_t at, uint32_t count)
{
	while (at && at < count && order[at] >> 32 == order[at - 1] >> 32)
		at++;
	return at;
}

/* ---- Order by hash */

static void *hash_cells(void *argument)
{
	struct part *p = argument;

	for (uint32_t i = p->start; i < p->end; i++) {
		struct line_key k = key_of(p->g, i);

		p->g->order[i] = (uint64_t)(uint32_t)line_key_hash(&k) << 32 | i;
	}
	return NULL;
}

static uint32_t digit(uint64_t word, int pass)
{
	return word >> (32 + pass * DIGIT_BITS) & (DIGITS - 1);
}

static void sort_pass(uint64_t *to, const uint64_t *from, uint32_t count, int pass)
{
	uint32_t start[DIGITS + 1] = { 0 };

	for (uint32_t i = 0; i < count; i++)
		start[digit(from[i], pass) + 1]++;
	for (int d = 0; d < DIGITS; d++)
		start[d + 1] += start[d];
	for (uint32_t i = 0; i < count; i++)
		to[start[digit(from[i], pass)]++] = from[i];
}

/* A radix sort; cells with one hash stay in their order. */
static void sort_cells(struct grouping *g, uint32_t count)
{
	uint64_t *sorted = mem_scattered(count * sizeof(*sorted));

	for (int pass = 0; pass < PASSES; pass++) {
		uint64_t *was = g->order;

		sort_pass(sorted, was, count, pass);
		g->order = sorted;
		sorted = was;
	}
	mem_free_scattered(sorted, count * sizeof(*sorted));
}

/* ---- Lines */

/* The cells are in p->cells. */
static void give_line(struct part *p, uint32_t count)
{
	const struct cell_store *store = p->g->store;
	struct line_group line = { .cells = p->cells, .count = count };
	uint32_t named = 0;
	struct cell_key k;

	while (named < count && !cell_key(store, p->cells[named]).data)
		named++;
	k = cell_key(store, p->cells[named < count ? named : 0]);
	line.addr = line_start(k.addr, p->g->line_size);
	line.pid = k.pid;
	line.data = k.data;
	p->g->visit(p->context, &line);
}

/* Whether it is plain that all of p->cells are of one line. */
static bool is_one_line(const struct part *p, uint32_t count)
{
	uint64_t mask = ~(uint64_t)(p->g->line_size - 1);
	struct cell_key first = cell_key(p->g->store, p->cells[0]);

	for (uint32_t i = 1; i < count; i++) {
		struct cell_key k = cell_key(p->g->store, p->cells[i]);

		if ((k.addr ^ first.addr) & mask || (k.phys_addr ^ first.phys_addr) & mask ||
		    k.pid != first.pid || k.data != first.data)
			return false;
	}
	return true;
}

static int member_compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = CMP(x->key.place, y->key.place);

	if (!order)
		order = CMP(x->key.pid, y->key.pid);
	if (!order)
		order = CMP((uintptr_t)x->key.memory, (uintptr_t)y->key.memory);
	if (!order)
		order = CMP(x->key.common, y->key.common);
	return order ? order : CMP(x->cell, y->cell);
}

static uint32_t same_line(const struct member *m, uint32_t count)
{
	uint32_t n = 1;

	while (n < count && line_key_equal(&m[n].key, &m[0].key))
		n++;
	return n;
}

static void give_members(struct part *p, uint32_t count)
{
	struct member *m;

	while (p->member_room < count)
		mem_grow(&p->members, &p->member_room, p->member_room);
	m = p->members;
	for (uint32_t i = 0; i < count; i++)
		m[i] = (struct member){ key_of(p->g, p->cells[i]), p->cells[i] };
	qsort(m, count, sizeof(*m), member_compare);
	for (uint32_t n; count; m += n, count -= n) {
		n = same_line(m, count);
		for (uint32_t i = 0; i < n; i++)
			p->cells[i] = m[i].cell;
		give_line(p, n);
	}
}

/* Cells with one hash: mostly those of one line. */
static void give_lines(struct part *p, const uint64_t *order, uint32_t count)
{
	while (p->cell_room < count)
		mem_grow(&p->cells, &p->cell_room, p->cell_room);
	for (uint32_t i = 0; i < count; i++)
		p->cells[i] = (uint32_t)order[i];
	if (is_one_line(p, count))
		give_line(p, count);
	else
		give_members(p, count);
}

static void *group_cells(void *argument)
{
	struct part *p = argument;
	const uint64_t *order = p->g->order;

	for (uint32_t start = p->start, touched = start, end; start < p->end; start = end) {
		for (; touched < p->end && touched < start + TOUCHED; touched++)
			cell_touch(p->g->store, (uint32_t)order[touched]);
		end = hash_start(order, start + 1, p->end);
		give_lines(p, order + start, end - start);
	}
	free(p->members);
	free(p->cells);
	return NULL;
}

void line_groups(const struct cell_store *s, struct attrib *attrib, uint32_t line_size,
		 void (*visit)(void *context, const struct line_group *line),
		 void *const context[LINE_GROUP_PARTS])
{
	struct grouping g = {
		.store = s, .attrib = attrib, .line_size = line_size, .visit = visit
	};
	struct part parts[LINE_GROUP_PARTS] = { 0 };
	uint32_t count = cell_store_count(s);

	if (!count)
		return;
	pthread_mutex_init(&g.attrib_lock, NULL);
	g.order = mem_scattered(count * sizeof(*g.order));
	for (int i = 0; i < LINE_GROUP_PARTS; i++) {
		parts[i].g = &g;
		parts[i].context = context[i];
	}
	share_out(parts, count);
	do_parts(parts, hash_cells);
	sort_cells(&g, count);
	for (int i = 0; i < LINE_GROUP_PARTS; i++) {
		parts[i].start = hash_start(g.order, parts[i].start, count);
		parts[i].end = hash_start(g.order, parts[i].end, count);
	}
	do_parts(parts, group_cells);
	mem_free_scattered(g.order, count * sizeof(*g.order));
	pthread_mutex_destroy(&g.attrib_lock);
}
