/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors are values: NULL is success, anything else says which layer failed on what, and what the
 * user can do next. An error is made where the facts are known and printed once, by main().
 */
#ifndef HITMAP_ERR_H
#define HITMAP_ERR_H

#include <stdio.h>

/* Exit status of the program, and the kind of an error. */
enum err_status {
	ERR_NONE = 0,
	ERR_FAILED = 1,	     /* an input, a file or a command failed */
	ERR_USAGE = 2,	     /* the command line is wrong */
	ERR_UNSUPPORTED = 3, /* not possible on this machine */
	ERR_THRESHOLD = 4,   /* a --fail-on expression came true */
};

struct err;

/* Makes an error. "fmt" begins with the layer: "perf.data: record at 0x3f0: ...". Never NULL. */
struct err *err_new(enum err_status status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* As err_new(), with ": strerror(errno_value)" appended. */
struct err *err_errno(enum err_status status, int errno_value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), returns_nonnull));

/* Adds what the user can do next, shown on a line of its own. Returns "e". */
struct err *err_next(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* Puts "fmt: " in front of the text, for the outer layer's context. Returns "e". */
struct err *err_within(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* Makes hitmap end with the exit status that the user's program ended with. Returns "e". */
struct err *err_exits(struct err *e, int status) __attribute__((returns_nonnull));

enum err_status err_status(const struct err *e);
int err_exit(const struct err *e); /* hitmap's exit status: err_status(), or the program's */
const char *err_text(const struct err *e);
const char *err_advice(const struct err *e); /* NULL when there is none */
void err_print(const struct err *e, FILE *out);
void err_free(struct err *e); /* NULL is fine */

#endif
