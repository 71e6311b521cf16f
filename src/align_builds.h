/* SPDX-License-Identifier: GPL-2.0-only */
/* hitmap align of two builds: the part of the command that finds types and what is hot in them. */
#ifndef HITMAP_ALIGN_BUILDS_H
#define HITMAP_ALIGN_BUILDS_H

#include "build_compare.h"
#include "object_use.h"
#include "output.h"

struct align_builds {
	const char *path[BUILD_SIDES];
	const char *object;    /* only this type; NULL: all */
	const char *target;    /* which says what is hot; NULL */
	const char *recording; /* the same: its path, and what is used in it; NULL */
	const struct use_set *use;
	const char *format, *output;
	uint32_t top;
	bool all, ascii;
};

struct err *align_builds(const struct align_builds *a);

#endif
