// SPDX-License-Identifier: GPL-2.0-only
#include "ring.h"

#include <string.h>
#include <sys/mman.h>

bool ring_pool_init(struct ring_pool *p, uint64_t bytes)
{
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memset(p, 0, sizeof(*p));
	if (base == MAP_FAILED)
		return false;
	p->base = base;
	p->most = (uint32_t)(bytes / sizeof(struct chunk));
	return true;
}

void ring_pool_deinit(struct ring_pool *p, uint64_t bytes)
{
	if (p->base)
		munmap(p->base, bytes);
}

static struct chunk *chunk_take(struct ring_pool *p)
{
	struct chunk *c;

	gate_lock(&p->gate);
	c = p->free;
	if (c)
		p->free = c->next;
	else if (p->used < p->most)
		c = &p->base[p->used++];
	if (c)
		c->next = NULL;
	gate_unlock(&p->gate);
	return c;
}

static void chunk_give(struct ring_pool *p, struct chunk *c)
{
	gate_lock(&p->gate);
	c->next = p->free;
	p->free = c;
	gate_unlock(&p->gate);
}

bool ring_init(struct ring *r, struct ring_pool *p)
{
	memset(r, 0, sizeof(*r));
	r->head = r->tail = chunk_take(p);
	return r->head != NULL;
}

void ring_cursor_init(struct ring_cursor *c, const struct ring *r)
{
	c->chunk = r->tail;
	c->read = 0;
}

/*
 * The next chunk is linked before the last record of this one is published: a cursor that reads
 * that record finds where to go on.
 */
struct record *ring_reserve(struct ring *r, struct ring_pool *p)
{
	uint64_t at = r->written % CHUNK_RECORDS;
	struct chunk *now = r->head, *next;

	if (at == CHUNK_RECORDS - 1) {
		next = chunk_take(p);
		if (!next)
			return NULL;
		now->next = next;
		r->head = next;
	}
	memset(&now->record[at], 0, sizeof(now->record[at]));
	return &now->record[at];
}

void ring_trim(struct ring *r, struct ring_pool *p, uint64_t read)
{
	while (r->freed + CHUNK_RECORDS <= read) {
		struct chunk *old = r->tail;

		r->tail = old->next;
		r->freed += CHUNK_RECORDS;
		chunk_give(p, old);
	}
}
