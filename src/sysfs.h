/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The small text files of /sys and /proc, below a root that is "" for the running machine and a
 * folder for a machine that was copied. Their content is not trusted: what is read is bounded, only
 * regular files are opened, and a text ends at its first NUL.
 */
#ifndef HITMAP_SYSFS_H
#define HITMAP_SYSFS_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSFS_TEXT  65536 /* bytes that are read of a file; the rest is left */
#define SYSFS_FILES 4096  /* names that are read of a folder */

/*
 * The text of "path" without the white space at its end; "*text" is the caller's. NULL, without an
 * error, when there is no such file.
 */
struct err *sysfs_read(const char *root, const char *path, char **text);

/* A file that holds one number, decimal or 0x hexadecimal; "*there" is false when there is no such
 * file. */
struct err *sysfs_number(const char *root, const char *path, int64_t *value, bool *there);

bool sysfs_has(const char *root, const char *path);

/* The names in a folder, sorted, none that begin with a dot; empty when there is no such folder. */
struct sysfs_names {
	char **name;
	size_t count, room;
};

struct sysfs_names sysfs_list(const char *root, const char *path);
void sysfs_names_deinit(struct sysfs_names *n);

#endif
