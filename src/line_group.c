// SPDX-License-Identifier: GPL-2.0-only
#include "line_group.h"
#include "line_key.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

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
	uint32_t line_size;
	void (*visit)(void *context, const struct line_group *line);
	void *context;
	struct member *members; /* with one hash */
	uint32_t *cells;
	uint32_t member_room, cell_room;
};

static struct line_key key_of(const struct grouping *g, uint32_t cell)
{
	struct cell_key k = cell_key(g->store, cell);
	uint8_t mode = line_is_kernel(k.addr) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	const struct mapping *data = k.data;

	if (!data)
		data = attrib_mapping(g->attrib, k.pid, mode, k.addr);
	return line_key_of(k.addr, k.phys_addr, k.pid, data, g->line_size);
}

/* ---- Order by hash */

/* The hash in the upper half, the cell in the lower. */
static uint64_t *hash_cells(const struct grouping *g, uint32_t count)
{
	uint64_t *order = mem_scattered(count * sizeof(*order));

	for (uint32_t i = 0; i < count; i++) {
		struct line_key k = key_of(g, i);

		order[i] = (uint64_t)(uint32_t)line_key_hash(&k) << 32 | i;
	}
	return order;
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
static uint64_t *order_cells(const struct grouping *g, uint32_t count)
{
	uint64_t *order = hash_cells(g, count), *sorted = mem_scattered(count * sizeof(*order));

	for (int pass = 0; pass < PASSES; pass++) {
		uint64_t *was = order;

		sort_pass(sorted, order, count, pass);
		order = sorted;
		sorted = was;
	}
	mem_free_scattered(sorted, count * sizeof(*order));
	return order;
}

/* ---- Lines */

static void give_line(struct grouping *g, const struct member *m, uint32_t count)
{
	struct line_group line = { .count = count };
	uint32_t named = 0;
	struct cell_key k;

	for (uint32_t i = 0; i < count; i++)
		g->cells[i] = m[i].cell;
	while (named < count && !cell_key(g->store, m[named].cell).data)
		named++;
	k = cell_key(g->store, m[named < count ? named : 0].cell);
	line.cells = g->cells;
	line.addr = line_start(k.addr, g->line_size);
	line.pid = k.pid;
	line.data = k.data;
	g->visit(g->context, &line);
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

/* Cells with one hash: mostly those of one line. */
static void give_lines(struct grouping *g, const uint64_t *order, uint32_t count)
{
	struct member *m;

	while (g->member_room < count)
		mem_grow(&g->members, &g->member_room, g->member_room);
	while (g->cell_room < count)
		mem_grow(&g->cells, &g->cell_room, g->cell_room);
	m = g->members;
	for (uint32_t i = 0; i < count; i++)
		m[i] = (struct member){ key_of(g, (uint32_t)order[i]), (uint32_t)order[i] };
	if (same_line(m, count) < count)
		qsort(m, count, sizeof(*m), member_compare);
	for (uint32_t n; count; m += n, count -= n) {
		n = same_line(m, count);
		give_line(g, m, n);
	}
}

void line_groups(const struct cell_store *s, struct attrib *attrib, uint32_t line_size,
		 void (*visit)(void *context, const struct line_group *line), void *context)
{
	struct grouping g = { .store = s,
			      .attrib = attrib,
			      .line_size = line_size,
			      .visit = visit,
			      .context = context };
	uint32_t count = cell_store_count(s), end;
	uint64_t *order = count ? order_cells(&g, count) : NULL;

	for (uint32_t start = 0, touched = 0; start < count; start = end) {
		for (; touched < count && touched < start + TOUCHED; touched++)
			cell_touch(s, (uint32_t)order[touched]);
		for (end = start + 1; end < count && order[end] >> 32 == order[start] >> 32; end++)
			;
		give_lines(&g, order + start, end - start);
	}
	if (count)
		mem_free_scattered(order, count * sizeof(*order));
	free(g.members);
	free(g.cells);
}
