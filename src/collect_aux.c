// SPDX-License-Identifier: GPL-2.0-only
#include "collect_aux.h"
#include "mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel takes where the AUX ring is to be from the page in front of the records' ring. */
static int map_aux(struct aux_ring *r, int fd)
{
	void *bytes;

	r->page->aux_offset = r->page_bytes;
	r->page->aux_size = r->size;
	bytes = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, r->page_bytes);
	if (bytes == MAP_FAILED)
		return errno;
	r->bytes = bytes;
	return 0;
}

int collect_aux_add(struct collect_aux *a, int fd, uint32_t cpu, uint32_t ring, uint32_t pages,
		    uint64_t bytes)
{
	struct aux_ring r = { .cpu = cpu, .ring = ring, .size = bytes };
	void *page;
	int error;

	r.page_bytes = (size_t)(pages + 1) * getpagesize();
	page = mmap(NULL, r.page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return errno;
	r.page = page;
	error = map_aux(&r, fd);
	if (error) {
		munmap(page, r.page_bytes);
		return error;
	}
	mem_grow(&a->ring, &a->room, a->count);
	a->ring[a->count++] = r;
	return 0;
}

void collect_aux_close(struct collect_aux *a)
{
	for (size_t i = 0; i < a->count; i++) {
		munmap((void *)a->ring[i].bytes, a->ring[i].size);
		munmap(a->ring[i].page, a->ring[i].page_bytes);
	}
	free(a->ring);
	*a = (struct collect_aux){ 0 };
}

static struct err *drain_ring(struct aux_ring *r, const struct collect_taker *taker)
{
	uint64_t head = __atomic_load_n(&r->page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->aux_tail;
	size_t at = tail & (r->size - 1), size = head - tail;
	size_t first = size < r->size - at ? size : r->size - at;
	const void *part[2] = { r->bytes + at, r->bytes };
	size_t sizes[2] = { first, size - first };
	struct err *e;

	if (!size || size > r->size)
		return NULL;
	e = taker->packets(taker->context, r->cpu, r->ring, tail, part, sizes);
	__atomic_store_n(&r->page->aux_tail, head, __ATOMIC_RELEASE);
	return e;
}

struct err *collect_aux_drain(struct collect_aux *a, const struct collect_taker *taker)
{
	struct err *e = NULL;

	for (size_t i = 0; i < a->count && !e; i++)
		e = drain_ring(&a->ring[i], taker);
	return e;
}
