/* SPDX-License-Identifier: GPL-2.0-only */
/* A qemu-x86_64 that loads plugins, and the plugin that fits its version. */
#ifndef HITMAP_EMULATOR_H
#define HITMAP_EMULATOR_H

#include "err.h"

#include <stdbool.h>
#include <sys/types.h>

struct emulator_places {
	const char *given;	   /* the one to use, or NULL: search */
	const char *path;	   /* the environment's PATH */
	const char *const *spare;  /* files to try after PATH, NULL-terminated; may be NULL */
	const char *plugin_folder; /* where libhitmap-qemu-apiN.so are */
};

struct emulator {
	char *file, *plugin;
	unsigned major, minor;
};

/* ERR_UNSUPPORTED, with what to install, when no fitting one is found. */
struct err *emulator_find(const struct emulator_places *places, struct emulator *found);
/*
 * Starts it: it is killed when the caller ends, as a program whose recorder is gone would go on at
 * an emulator's speed. "away": what it prints goes to standard error, since a recording is written
 * to standard output. Gives an errno, 0 when it runs.
 */
int emulator_start(const struct emulator *e, char **command, char **environment, bool away,
		   pid_t *child);
/* The argument of -plugin that makes the door talk to "socket"; to be freed. */
char *emulator_option(const struct emulator *e, const char *socket);
void emulator_deinit(struct emulator *e);

/* The plugin API level of a QEMU version, the N of libhitmap-qemu-apiN.so; 0 when it has none. */
unsigned emulator_api(unsigned major, unsigned minor);

#endif
