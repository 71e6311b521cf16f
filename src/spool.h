/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings that must become a plain file before they can be read: those that gzip, xz, zstd or
 * bzip2 wrapped, and the file form when it comes through a pipe, as its parts are found by their
 * offset. The plain file is temporary, without a name: it goes when it is closed.
 */
#ifndef HITMAP_SPOOL_H
#define HITMAP_SPOOL_H

#include "input.h"

/* Unwraps what "in", at its start, is wrapped in; then "in" is at the start of what was inside.
 * "*cut" (may be NULL) becomes the name of a program that said it did not come to the end. */
struct err *spool_unwrap(struct input *in, const char *path, const char **cut);
/* Puts what "in", at its start, gives into a file, and goes on with that. */
struct err *spool_pipe(struct input *in, const char *path);

#endif
