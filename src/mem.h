/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is there or the program ends: nothing above this file checks for NULL. */
#ifndef HITMAP_MEM_H
#define HITMAP_MEM_H

#include <stddef.h>

/* Three-way comparison for sort functions; never subtract, differences overflow. */
#define CMP(a, b)     (((a) > (b)) - ((a) < (b)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void mem_exhausted(void) __attribute__((noreturn));
void *mem_zalloc(size_t size) __attribute__((returns_nonnull));
void *mem_realloc(void *p, size_t count, size_t size) __attribute__((returns_nonnull));
/* Zeroed memory that will be read here and there: under much of it are large pages, where the
 * kernel has them. */
void *mem_scattered(size_t size) __attribute__((returns_nonnull));
void mem_free_scattered(void *p, size_t size);
/* The same, made by a thread while the caller does something else: clearing many pages takes long.
 * Each promise is to be taken, once, also when it is of no use any more. */
struct mem_promise;
struct mem_promise *mem_scattered_promise(size_t size) __attribute__((returns_nonnull));
void *mem_promise_take(struct mem_promise *p) __attribute__((returns_nonnull));
/* realloc() for arrays that become large and are written from end to end: large ones lie in large
 * pages, since a fault for each small one costs more than what is done with it (14 us under some
 * hypervisors). "was": the size given before, 0 with NULL. What is new is undefined. */
void *mem_enlarge(void *p, size_t was, size_t size) __attribute__((returns_nonnull));
void mem_free_enlarged(void *p, size_t size);
/* A copy of an array, the caller's; NULL when it is empty. */
void *mem_copy(const void *from, size_t count, size_t size);
char *mem_strdup(const char *s) __attribute__((returns_nonnull));
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/*
 * Makes room for one more element in the array "*items" of "*room" elements, "count" of them used:
 *	mem_grow(&v->item, &v->room, v->count);
 *	v->item[v->count++] = x;
 */
#define mem_grow(items, room, count)                                                               \
	do {                                                                                       \
		if ((count) == *(room)) {                                                          \
			*(room) = *(room) ? 2 * *(room) : 8;                                       \
			*(items) = mem_realloc(*(items), *(room), sizeof(**(items)));              \
		}                                                                                  \
	} while (0)

#endif
