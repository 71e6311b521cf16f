// SPDX-License-Identifier: GPL-2.0-only
#include "perf_fd.h"
#include "mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
	return CMP(((const struct perf_fd *)a)->id, ((const struct perf_fd *)b)->id);
}

static void note(struct perf_fds *p, int folder, const char *name)
{
	char target[64];
	ssize_t size = readlinkat(folder, name, target, sizeof(target) - 1);
	struct perf_fd one = { .fd = atoi(name) };

	if (size < 0)
		return;
	target[size] = 0;
	if (strcmp(target, "anon_inode:[perf_event]") || ioctl(one.fd, PERF_EVENT_IOC_ID, &one.id))
		return;
	fcntl(one.fd, F_SETFD, FD_CLOEXEC);
	mem_grow(&p->fd, &p->room, p->count);
	p->fd[p->count++] = one;
}

int perf_fds_find(struct perf_fds *p)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!folder)
		return errno;
	while ((entry = readdir(folder)))
		if (*entry->d_name != '.')
			note(p, dirfd(folder), entry->d_name);
	closedir(folder);
	if (p->count)
		qsort(p->fd, p->count, sizeof(*p->fd), compare);
	return 0;
}

void perf_fds_deinit(struct perf_fds *p)
{
	free(p->fd);
	*p = (struct perf_fds){ 0 };
}

/* Replaced ones have new ids, out of order: few, and seldom looked for. */
static struct perf_fd *find(const struct perf_fds *p, uint64_t id)
{
	struct perf_fd key = { .id = id };
	struct perf_fd *found = p->count ? bsearch(&key, p->fd, p->count, sizeof(*p->fd), compare)
					 : NULL;

	for (size_t i = 0; i < p->count && !found; i++)
		if (p->fd[i].id == id)
			found = &p->fd[i];
	return found;
}

int perf_fds_of(const struct perf_fds *p, uint64_t id)
{
	const struct perf_fd *found = find(p, id);

	return found ? found->fd : -1;
}

int perf_fds_replace(struct perf_fds *p, uint64_t *id, uint64_t group, struct perf_event_attr *attr,
		     int cgroup, uint32_t cpu)
{
	struct perf_fd *old = find(p, *id);
	int leader = group ? perf_fds_of(p, group) : -1, opened;

	if (!old)
		return EBADF;
	opened = syscall(SYS_perf_event_open, attr, cgroup, cpu, leader,
			 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
	if (opened < 0)
		return errno;
	if (ioctl(opened, PERF_EVENT_IOC_ID, &old->id) || dup3(opened, old->fd, O_CLOEXEC) < 0) {
		int error = errno;

		close(opened);
		return error;
	}
	close(opened);
	*id = old->id;
	return 0;
}
