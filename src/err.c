// SPDX-License-Identifier: GPL-2.0-only
#include "err.h"
#include "mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct err {
	enum err_status status;
	int exits; /* the program's exit status; 0: none was handed on */
	char *text;
	char *next;
};

static char *__attribute__((format(printf, 1, 0))) format(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		mem_exhausted();
	return text;
}

static struct err *make(enum err_status status, char *text)
{
	struct err *e = mem_zalloc(sizeof(*e));

	e->status = status;
	e->text = text;
	return e;
}

struct err *err_new(enum err_status status, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	return make(status, text);
}

struct err *err_errno(enum err_status status, int errno_value, const char *fmt, ...)
{
	va_list ap;
	char *text, *full;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	full = mem_printf("%s: %s", text, strerror(errno_value));
	free(text);
	return make(status, full);
}

struct err *err_next(struct err *e, const char *fmt, ...)
{
	va_list ap;

	free(e->next);
	va_start(ap, fmt);
	e->next = format(fmt, ap);
	va_end(ap);
	return e;
}

struct err *err_within(struct err *e, const char *fmt, ...)
{
	va_list ap;
	char *front, *full;

	va_start(ap, fmt);
	front = format(fmt, ap);
	va_end(ap);
	full = mem_printf("%s: %s", front, e->text);
	free(front);
	free(e->text);
	e->text = full;
	return e;
}

enum err_status err_status(const struct err *e)
{
	return e ? e->status : ERR_NONE;
}

struct err *err_exits(struct err *e, int status)
{
	e->exits = status;
	return e;
}

int err_exit(const struct err *e)
{
	return e && e->exits ? e->exits : (int)err_status(e);
}

const char *err_text(const struct err *e)
{
	return e->text;
}

const char *err_advice(const struct err *e)
{
	return e->next;
}

void err_print(const struct err *e, FILE *out)
{
	fprintf(out, "hitmap: %s\n", e->text);
	if (e->next)
		fprintf(out, "  next: %s\n", e->next);
}

void err_free(struct err *e)
{
	if (!e)
		return;
	free(e->text);
	free(e->next);
	free(e);
}
