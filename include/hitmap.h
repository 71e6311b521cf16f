/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For programs that tell "hitmap record" what their memory holds and what they count:
 * docs/annotate.md. Does nothing when the program is not being recorded.
 */
#ifndef HITMAP_H
#define HITMAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* One line for the recording:
 *	hitmap_note("object %p %zu %s %s", pool, sizeof(*pool), "pool", "the pool");
 *	hitmap_note("operation %lu %s", done, "request served"); */
__attribute__((format(printf, 1, 2))) static inline void hitmap_note(const char *fmt, ...)
{
	const char *path = getenv("HITMAP_NOTES");
	FILE *file = path ? fopen(path, "a") : NULL;
	va_list ap;

	if (!file)
		return;
	va_start(ap, fmt);
	vfprintf(file, fmt, ap);
	va_end(ap);
	fputc('\n', file);
	fclose(file);
}

#endif
