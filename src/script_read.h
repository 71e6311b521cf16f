/* SPDX-License-Identifier: GPL-2.0-only */
/* What perf script prints of memory samples, as a source. */
#ifndef HITMAP_SCRIPT_READ_H
#define HITMAP_SCRIPT_READ_H

#include "input.h"
#include "intern.h"
#include "source.h"

/* Whether "in", at its start, holds such text: a memory sample among its first lines. */
bool script_is(struct input *in);

/* Goes on with "in", which is closed for the caller. */
void script_open(struct input *in, const char *path, struct intern *pool, struct source **source);

#endif
