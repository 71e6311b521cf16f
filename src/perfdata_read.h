/* SPDX-License-Identifier: GPL-2.0-only */
/* perf.data as a source: file and pipe form. */
#ifndef HITMAP_PERFDATA_READ_H
#define HITMAP_PERFDATA_READ_H

#include "input.h"
#include "source.h"

/*
 * Opens "path" ("-": standard input). Strings of its events live in "pool". Errors: not readable,
 * not a perf.data file (what it seems to be is said), header out of its bounds.
 */
struct err *perfdata_open(const char *path, struct intern *pool, struct source **source);

/* The same from bytes that "feed" gives, which ends when it gives none. "name": for messages. */
struct err *perfdata_open_feed(const char *name, struct input_feed feed, struct intern *pool,
			       struct source **source);

#endif
