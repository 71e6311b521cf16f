/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program said about itself in the file that HITMAP_NOTES names: docs/annotate.md. */
#ifndef HITMAP_ANNOTATION_H
#define HITMAP_ANNOTATION_H

#include "err.h"
#include "intern.h"
#include "note.h"

#include <stdbool.h>

#define ANNOTATION_ENVIRONMENT "HITMAP_NOTES"

/* Reads one line into a NOTE_OBJECT (of process "pid") or NOTE_OPERATION; false when it is neither.
 */
bool annotation_parse(struct intern *pool, uint32_t pid, const char *line, struct note *n);

/*
 * Gives each note of the file to "note" until that fails. Returns its error; no file is no error.
 * "*refused": lines that are no annotation.
 */
struct err *annotation_read(const char *file, struct intern *pool, uint32_t pid,
			    struct err *(*note)(void *context, const struct note *n), void *context,
			    uint32_t *refused);

/* The same of what a running program has written since "*offset" (bytes, 0 at first), whole lines
 * only; lines that are no annotation are left for annotation_read(). */
struct err *annotation_news(const char *file, long *offset, struct intern *pool, uint32_t pid,
			    struct err *(*note)(void *context, const struct note *n),
			    void *context);

#endif
