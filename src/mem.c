// SPDX-License-Identifier: GPL-2.0-only
#include "mem.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void mem_exhausted(void)
{
	fputs("hitmap: out of memory\n", stderr);
	abort();
}

void *mem_zalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		mem_exhausted();
	return p;
}

void *mem_realloc(void *p, size_t count, size_t size)
{
	void *q;

	if (size && count > (size_t)-1 / size)
		mem_exhausted();
	q = realloc(p, count && size ? count * size : 1);
	if (!q)
		mem_exhausted();
	return q;
}

#define LARGE_PAGE (2UL << 20)

static size_t whole_pages(size_t size)
{
	return (size + LARGE_PAGE - 1) & -LARGE_PAGE;
}

/* The kernel places memory where it likes: one large page more has whole ones in it. */
void *mem_scattered(size_t size)
{
	size_t whole = whole_pages(size), before;
	char *p = mmap(NULL, whole + LARGE_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		mem_exhausted();
	before = -(uintptr_t)p & (LARGE_PAGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + whole, LARGE_PAGE - before);
	madvise(p + before, whole, MADV_HUGEPAGE); /* a wish */
	return p + before;
}

void mem_free_scattered(void *p, size_t size)
{
	munmap(p, whole_pages(size));
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

struct mem_promise {
	pthread_t thread;
	bool threaded;
	size_t size;
	void *memory;
};

static void *keep_promise(void *argument)
{
	struct mem_promise *p = argument;

	p->memory = mem_scattered(p->size);
	madvise(p->memory, p->size, MADV_POPULATE_WRITE);
	return NULL;
}

struct mem_promise *mem_scattered_promise(size_t size)
{
	struct mem_promise *p = mem_zalloc(sizeof(*p));

	p->size = size;
	p->threaded = !pthread_create(&p->thread, NULL, keep_promise, p);
	return p;
}

void *mem_promise_take(struct mem_promise *p)
{
	void *memory;

	if (p->threaded)
		pthread_join(p->thread, NULL);
	memory = p->threaded ? p->memory : mem_scattered(p->size);
	free(p);
	return memory;
}

#define ENLARGED_SMALL (256UL << 10) /* bytes; up to here it is malloc()'s */

void *mem_enlarge(void *p, size_t was, size_t size)
{
	void *larger;

	if (size <= ENLARGED_SMALL)
		return mem_realloc(p, size, 1);
	larger = mem_scattered(size);
	if (was)
		memcpy(larger, p, was);
	mem_free_enlarged(p, was);
	return larger;
}

void mem_free_enlarged(void *p, size_t size)
{
	if (size <= ENLARGED_SMALL)
		free(p);
	else
		mem_free_scattered(p, size);
}

void *mem_copy(const void *from, size_t count, size_t size)
{
	return count ? memcpy(mem_realloc(NULL, count, size), from, count * size) : NULL;
}

char *mem_strdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		mem_exhausted();
	return copy;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_exhausted();
	va_end(ap);
	return text;
}
