// SPDX-License-Identifier: GPL-2.0-only
#include "paths.h"
#include "mem.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* EXEDIR/lib/hitmap in the build tree, else EXEDIR/../lib/hitmap; likewise share. */
static char *beside(const char *folder, const char *name)
{
	char *path = mem_printf("%s/%s", folder, name);

	if (!access(path, F_OK))
		return path;
	free(path);
	return mem_printf("%s/../%s", folder, name);
}

struct err *paths_find(struct paths *p)
{
	char exe[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	*p = (struct paths){ 0 };
	if (size < 0)
		return err_errno(ERR_FAILED, errno,
				 "hitmap: finding its own executable by "
				 "/proc/self/exe");
	exe[size] = 0;
	*strrchr(exe, '/') = 0;
	p->lib = beside(exe, "lib/hitmap");
	p->heap = mem_printf("%s/libhitmap-heap.so", p->lib);
	p->machines = beside(exe, "share/hitmap/machines");
	p->targets = beside(exe, "share/hitmap/targets");
	p->spare_qemu[0] = mem_printf("%s/qemu-x86_64", p->lib);
	p->spare_qemu[1] = mem_printf("%s/../deps/qemu/bin/qemu-x86_64", exe);
	return NULL;
}

void paths_deinit(struct paths *p)
{
	free(p->lib);
	free(p->heap);
	free(p->machines);
	free(p->targets);
	for (char **q = p->spare_qemu; *q; q++)
		free(*q);
	*p = (struct paths){ 0 };
}
