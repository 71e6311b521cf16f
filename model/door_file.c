// SPDX-License-Identifier: GPL-2.0-only
#include "door.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PIPE_KEY (1ULL << 63) /* apart from keys that are addresses */

static bool file_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	struct timespec now = { 0 };

	return syscall(SYS_ppoll, &p, 1, &now, NULL, 0) != 0;
}

/* Both ends of a pipe have the same inode. */
static uint64_t pipe_key(const struct stat *st, bool reads)
{
	return S_ISFIFO(st->st_mode) ? PIPE_KEY | (uint64_t)st->st_ino << 1 | reads : 0;
}

void door_file(int fd, bool reads, struct door_file *file)
{
	struct stat st;
	int saved = errno;

	*file = (struct door_file){ 0 };
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
	    !S_ISBLK(st.st_mode)) {
		file->key = pipe_key(&st, reads);
		file->other = pipe_key(&st, !reads);
		file->blocks = !file_ready(fd, reads ? POLLIN : POLLOUT);
	}
	errno = saved;
}

/* ---- Lines of /proc/PID/maps */

static uint32_t protection(const char *letters)
{
	return (letters[0] == 'r' ? PROT_READ : 0) | (letters[1] == 'w' ? PROT_WRITE : 0) |
	       (letters[2] == 'x' ? PROT_EXEC : 0);
}

/* "start-end rwxp offset major:minor inode      path" */
bool door_region_parse(char *line, struct door_region *r)
{
	char *p = line;

	r->start = strtoull(p, &p, 16);
	if (*p++ != '-')
		return false;
	r->end = strtoull(p, &p, 16);
	if (*p != ' ' || strnlen(p, 6) < 6 || r->end <= r->start)
		return false;
	r->prot = protection(p + 1);
	r->flags = p[4] == 's' ? MAP_SHARED : MAP_PRIVATE;
	r->offset = strtoull(p + 5, &p, 16);
	r->major = (uint32_t)strtoul(p, &p, 16);
	if (*p++ != ':')
		return false;
	r->minor = (uint32_t)strtoul(p, &p, 16);
	r->inode = strtoull(p, &p, 10);
	r->path = p + strspn(p, " ");
	return true;
}
