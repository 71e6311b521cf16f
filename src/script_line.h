/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A line of what perf script prints, of a memory sample or of a record beside the samples. Which
 * columns there are is the choice of who ran it; what surrounds a column tells which one it is:
 *
 *	comm pid/tid [cpu] seconds: period event: addr data_src |OP ...| words weight ... ip sym
 *(dso)
 *
 * Of the data source only the hexadecimal word counts: the words are cut at 100 characters.
 */
#ifndef HITMAP_SCRIPT_LINE_H
#define HITMAP_SCRIPT_LINE_H

#include "intern.h"
#include "source.h"

struct script_text {
	const char *at; /* not ended by a NUL */
	size_t size;
};

struct script_sample {
	struct sample sample; /* without its event */
	struct script_text comm, event, symbol, file;
	uint64_t symbol_offset;
};

/* False when the line (ended by a NUL) is no memory sample. */
bool script_line_sample(const char *line, struct script_sample *s);

/* The first address of a line of a call chain, which perf script prints below its sample; 0 when
 * the line is something else. */
uint64_t script_line_chain(const char *line);

/* A record that "perf script --show-mmap-events --show-task-events --show-lost-events" prints. */
bool script_line_record(const char *line, struct intern *pool, struct event *ev);

/* A line of "perf script --header"; false when it says nothing that anyone wants. */
bool script_line_header(const char *line, struct intern *pool, struct recording *r);

#endif
