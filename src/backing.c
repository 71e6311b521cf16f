// SPDX-License-Identifier: GPL-2.0-only
#include "backing.h"
#include "mem.h"

#include <string.h>

/* Paths that are no files. A path ends in nothing or in " (deleted)". */
static const struct {
	const char *path, *name;
} pseudo_paths[] = {
	{ "//anon", "[anon]" },		  { "/anon_hugepage", "[anon]" },
	{ "/dev/zero", "[shared anon]" }, { "//toolong", "[unknown]" },
	{ "//enomem", "[unknown]" },	  { "", "[anon]" },
};

const char *backing_pseudo(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(pseudo_paths); i++) {
		size_t len = strlen(pseudo_paths[i].path);

		if (!strncmp(path, pseudo_paths[i].path, len) &&
		    (!path[len] || !strcmp(path + len, " (deleted)")))
			return pseudo_paths[i].name;
	}
	return *path == '[' ? path : NULL;
}

const char *backing_shared(const struct event_map *map, struct intern *pool)
{
	if (!map->shared || map->kernel)
		return NULL;
	if (map->inode)
		return intern_printf(pool, "%x:%x:%llu", map->major, map->minor,
				     (unsigned long long)map->inode);
	if (!map->path || *map->path != '/' || backing_pseudo(map->path) ||
	    strstr(map->path, " (deleted)"))
		return NULL;
	return map->path;
}

bool backing_same(const struct event_map *old, const struct event_map *map)
{
	return old->path == map->path && old->inode == map->inode && old->major == map->major &&
	       old->minor == map->minor &&
	       (backing_pseudo(map->path) || old->start - old->offset == map->start - map->offset);
}
