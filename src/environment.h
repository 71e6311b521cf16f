/* SPDX-License-Identifier: GPL-2.0-only */
/* Environments of programs that are started. */
#ifndef HITMAP_ENVIRONMENT_H
#define HITMAP_ENVIRONMENT_H

#include <stddef.h>

struct environment_setting {
	const char *name, *value; /* value NULL: not set */
};

/* A copy of "given" with these settings instead of any it has of their names. */
char **environment_make(char *const *given, const struct environment_setting *settings,
			size_t count);
void environment_free(char **environment);

/* NULL when it is not set. */
const char *environment_get(char *const *environment, const char *name);

/* The value of LD_PRELOAD that loads "library" before what "given" has; to be freed. */
char *environment_preload(char *const *given, const char *library);

#endif
