/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pool that owns every string: an interned string lives as long as its pool, and two equal
 * strings are one pointer, so names are compared with ==.
 */
#ifndef HITMAP_INTERN_H
#define HITMAP_INTERN_H

#include <stddef.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *pool);
const char *intern_string(struct intern *pool, const char *s);
const char *intern_bytes(struct intern *pool, const char *s, size_t len); /* stops at a NUL */
const char *intern_printf(struct intern *pool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
