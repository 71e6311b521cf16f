/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of [section] and key = value that users write, found by name in a folder of hitmap's or by
 * path; every mistake is told with path, line and reason. The only file that includes inih is
 * ini_file.c. */
#ifndef HITMAP_INI_FILE_H
#define HITMAP_INI_FILE_H

#include "err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ini_file {
	const char *what, *path; /* "target": for messages */
	void *context;
	/* Called at every section's own line, and at every key; the first error ends reading.
	 * "section" may be NULL. */
	struct err *(*section)(void *context, const char *section);
	struct err *(*key)(void *context, const char *section, const char *name, const char *text);
	uint32_t line; /* that is read */
	/* The reader's own: */
	FILE *file;
	bool line_open;	 /* the last piece read did not end its line */
	bool line_split; /* a line was longer than inih reads */
	struct err *err;
};

/* "what file PATH:LINE: ...", ERR_FAILED. */
#define ini_file_fail(f, fmt, ...)                                                                 \
	err_new(ERR_FAILED, "%s file %s:%u: " fmt, (f)->what, (f)->path, (f)->line, ##__VA_ARGS__)

struct err *ini_file_read(struct ini_file *f, FILE *file);

/* Opens FOLDER/NAME.conf, or the file "name" itself when it has a slash. "*path" is the caller's in
 * any case. */
struct err *ini_file_open(const char *what, const char *folder, const char *name, char **path,
			  FILE **file);

/* "configs/machines/small.conf" is called "small"; to be freed. */
char *ini_file_name(const char *path);

/* The names in "folder", sorted, for messages: "cascadelake-2s-192t, small"; to be freed. */
char *ini_file_names(const char *folder);

#endif
