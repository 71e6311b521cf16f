// SPDX-License-Identifier: GPL-2.0-only
#include "intern.h"
#include "mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing, at most half full; the strings themselves are separate blocks. */
struct intern {
	char **slot;
	size_t slots;
	size_t count;
};

static uint64_t hash_bytes(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL; /* FNV-1a, 64 bits */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3ULL;
	return h ^ h >> 29;
}

struct intern *intern_new(void)
{
	struct intern *pool = mem_zalloc(sizeof(*pool));

	pool->slots = 64;
	pool->slot = mem_zalloc(pool->slots * sizeof(*pool->slot));
	return pool;
}

void intern_free(struct intern *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->slots; i++)
		free(pool->slot[i]);
	free(pool->slot);
	free(pool);
}

static char **find(char **slot, size_t slots, const char *s, size_t len)
{
	size_t i = hash_bytes(s, len) & (slots - 1);

	while (slot[i] && (strncmp(slot[i], s, len) || slot[i][len]))
		i = (i + 1) & (slots - 1);
	return &slot[i];
}

static void grow(struct intern *pool)
{
	size_t slots = 2 * pool->slots;
	char **slot = mem_zalloc(slots * sizeof(*slot));

	for (size_t i = 0; i < pool->slots; i++)
		if (pool->slot[i])
			*find(slot, slots, pool->slot[i], strlen(pool->slot[i])) = pool->slot[i];
	free(pool->slot);
	pool->slot = slot;
	pool->slots = slots;
}

const char *intern_bytes(struct intern *pool, const char *s, size_t len)
{
	char **at;

	len = strnlen(s, len);
	at = find(pool->slot, pool->slots, s, len);
	if (*at)
		return *at;
	if (2 * (pool->count + 1) > pool->slots) {
		grow(pool);
		at = find(pool->slot, pool->slots, s, len);
	}
	*at = mem_zalloc(len + 1);
	memcpy(*at, s, len);
	pool->count++;
	return *at;
}

const char *intern_string(struct intern *pool, const char *s)
{
	return intern_bytes(pool, s, strlen(s));
}

const char *intern_printf(struct intern *pool, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;
	const char *interned;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_exhausted();
	va_end(ap);
	interned = intern_string(pool, text);
	free(text);
	return interned;
}
