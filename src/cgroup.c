// SPDX-License-Identifier: GPL-2.0-only
#include "cgroup.h"
#include "mem.h"
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0", or the one hierarchy of version 2,
 * which has perf_event unless the first kind does. */
static bool is_hierarchy(const char *type, const char *options, bool second)
{
	if (second)
		return !strcmp(type, "cgroup2");
	return !strcmp(type, "cgroup") && strstr(options, "perf_event");
}

static char *find_mount(const char *table, bool second)
{
	for (const char *line = table; line; line = strchr(line, '\n')) {
		char folder[256], type[32], options[256];

		line += *line == '\n';
		if (sscanf(line, "%*s %255s %31s %255s", folder, type, options) == 3 &&
		    is_hierarchy(type, options, second))
			return mem_strdup(folder);
	}
	return NULL;
}

static char *hierarchy(void)
{
	char *table, *found;

	err_free(sysfs_read("", "/proc/self/mounts", &table));
	found = find_mount(table, false);
	if (!found)
		found = find_mount(table, true);
	free(table);
	return found;
}

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

struct err *cgroup_open(const char *name, int *fd)
{
	char *mount = hierarchy(), *path;
	struct err *e = NULL;

	path = mem_printf("%s/%s", mount ? mount : "/sys/fs/cgroup", name);
	*fd = open_folder(path);
	if (*fd < 0 && strchr(name, '/'))
		*fd = open_folder(name);
	if (*fd < 0)
		e = err_next(err_errno(ERR_FAILED, errno, "cgroup %s", path),
			     "name one below %s; cat /proc/PID/cgroup says a process's",
			     mount ? mount : "a mounted cgroup2");
	free(path);
	free(mount);
	return e;
}
