// SPDX-License-Identifier: GPL-2.0-only
#include "symbol_name.h"
#include "mem.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME     4096  /* a longer mangled name is shown as it is */
#define MAX_READABLE 16384 /* a mangled name of 100 bytes can stand for gigabytes */

/* What compilers append to the name of a copy or a part of a function or of a static variable. */
static const char *const clone_suffixes[] = {
	".part", ".constprop", ".isra", ".cold", ".lto_priv", ".llvm", ".localalias", ".clone",
};

struct readable {
	char text[MAX_READABLE];
	size_t size;
	jmp_buf full;
};

static void add_readable(const char *s, size_t len, void *opaque)
{
	struct readable *r = opaque;

	/* The demangler cannot be told to stop; it holds no memory while it prints. */
	if (len > sizeof(r->text) - r->size)
		longjmp(r->full, 1);
	memcpy(r->text + r->size, s, len);
	r->size += len;
}

static const char *demangle(struct intern *pool, const char *name, int options)
{
	struct readable *r = mem_zalloc(sizeof(*r));
	const char *interned = NULL;
	int ok = 0;

	if (!setjmp(r->full)) {
		ok = rust_demangle_callback(name, options, add_readable, r);
		if (!ok) {
			r->size = 0;
			ok = cplus_demangle_v3_callback(name, options, add_readable, r);
		}
		if (ok)
			interned = intern_bytes(pool, r->text, r->size);
	}
	free(r);
	return interned;
}

static bool is_clone_suffix(const char *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(clone_suffixes); i++) {
		size_t len = strlen(clone_suffixes[i]);

		if (!strncmp(s, clone_suffixes[i], len) && (!s[len] || s[len] == '.'))
			return true;
	}
	return false;
}

/* The length of "name" as it was written: without ".constprop.0", or the ".1234" of a static local.
 */
static size_t written_length(const char *name)
{
	for (const char *dot = *name ? strchr(name + 1, '.') : NULL; dot;
	     dot = strchr(dot + 1, '.'))
		if (is_clone_suffix(dot) || (dot[1] && !dot[1 + strspn(dot + 1, "0123456789")]))
			return dot - name;
	return strlen(name);
}

const char *symbol_name(struct intern *pool, const char *raw, bool parameters)
{
	const char *name = intern_bytes(pool, raw, written_length(raw)), *readable = NULL;

	if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') && strlen(name) <= MAX_NAME)
		readable = demangle(pool, name, DMGL_ANSI | (parameters ? DMGL_PARAMS : 0));
	return readable ? readable : name;
}
