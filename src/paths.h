/* SPDX-License-Identifier: GPL-2.0-only */
/* Where hitmap's own files are, found from where its executable is: the build tree or an
 * installation. */
#ifndef HITMAP_PATHS_H
#define HITMAP_PATHS_H

#include "err.h"

struct paths {
	char *lib;	     /* plugins and the hooks' library */
	char *heap;	     /* the library that logs heaps */
	char *machines;	     /* machine files */
	char *targets;	     /* target files */
	char *spare_qemu[3]; /* a qemu-x86_64 that set-up built or a package brought;
				NULL-terminated */
};

struct err *paths_find(struct paths *p);
void paths_deinit(struct paths *p);

#endif
