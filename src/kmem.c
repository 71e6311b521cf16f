// SPDX-License-Identifier: GPL-2.0-only
#include "kmem.h"
#include "map.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PAGES 65536 /* kept: 256 MB; what is beyond is read again each time */

struct kmem {
	const struct kmem_reader *reader;
	void *state;
	struct map pages; /* address -> its bytes, or 0: cannot be read */
	uint8_t spare[KMEM_PAGE];
};

struct kmem *kmem_new(const struct kmem_reader *reader, void *state)
{
	struct kmem *m = mem_zalloc(sizeof(*m));

	m->reader = reader;
	m->state = state;
	map_init(&m->pages);
	return m;
}

void kmem_free(struct kmem *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->pages.slots; i++)
		if (m->pages.used[i])
			free((void *)(uintptr_t)m->pages.slot[i].value);
	map_deinit(&m->pages);
	m->reader->close(m->state);
	free(m);
}

const char *kmem_name(const struct kmem *m)
{
	return m->reader->name;
}

uint64_t *kmem_tasks(struct kmem *m, uint32_t *count)
{
	*count = 0;
	return m->reader->tasks ? m->reader->tasks(m->state, count) : NULL;
}

static const uint8_t *read_page(struct kmem *m, uint64_t addr)
{
	const uint64_t *known = map_get(&m->pages, addr);
	uint8_t *page;

	if (known)
		return (const uint8_t *)(uintptr_t)*known;
	if (!m->reader->read_page(m->state, addr, m->spare)) {
		if (m->pages.count < MAX_PAGES)
			map_put(&m->pages, addr, 0, NULL);
		return NULL;
	}
	if (m->pages.count >= MAX_PAGES)
		return m->spare;
	page = mem_zalloc(KMEM_PAGE);
	memcpy(page, m->spare, KMEM_PAGE);
	map_put(&m->pages, addr, (uintptr_t)page, NULL);
	return page;
}

bool kmem_read(struct kmem *m, uint64_t addr, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		uint64_t at = addr + done, in = at % KMEM_PAGE;
		size_t part = KMEM_PAGE - in < size - done ? KMEM_PAGE - in : size - done;
		const uint8_t *page = at < addr ? NULL : read_page(m, at - in);

		if (!page) {
			memset(to, 0, size);
			return false;
		}
		memcpy((uint8_t *)to + done, page + in, part);
		done += part;
	}
	return true;
}

bool kmem_number(struct kmem *m, uint64_t addr, size_t size, uint64_t *value)
{
	uint8_t bytes[8];

	*value = 0;
	if (!size || size > sizeof(bytes) || !kmem_read(m, addr, bytes, size))
		return false;
	memcpy(value, bytes, size); /* little endian, as all machines that hitmap records on */
	return true;
}
