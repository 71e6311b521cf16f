// SPDX-License-Identifier: GPL-2.0-only
#include "mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
