/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a report is written, and how it can be drawn there. */
#ifndef HITMAP_OUTPUT_H
#define HITMAP_OUTPUT_H

#include "report.h"

/* A file appears whole or not at all. */
struct output {
	FILE *file;
	const char *command; /* for messages */
	const char *path;    /* NULL: standard output */
	char *temporary;     /* NULL: written in place, as it is no plain file */
};

/* "path" NULL is standard output. */
struct err *output_open(struct output *o, const char *command, const char *path);
struct err *output_close(struct output *o);

/* Width, colour and characters from the terminal, LC_ALL, LC_CTYPE, LANG, TERM and NO_COLOR. */
struct report_options output_options(const struct output *o, uint32_t top, bool all, bool ascii);

#endif
