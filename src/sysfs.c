// SPDX-License-Identifier: GPL-2.0-only
#include "sysfs.h"
#include "mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe or a device in a copied tree must not be waited for. */
static int open_regular(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	return -1;
}

/* At most SYSFS_TEXT bytes into "*text"; false with errno. */
static bool read_all(int fd, char **text)
{
	size_t used = 0;
	ssize_t n;

	*text = mem_zalloc(SYSFS_TEXT + 1);
	while ((n = read(fd, *text + used, SYSFS_TEXT - used)) > 0)
		used += n;
	if (n < 0) {
		free(*text);
		*text = NULL;
		return false;
	}
	used = strlen(*text);
	while (used && isspace((unsigned char)(*text)[used - 1]))
		used--;
	*text = mem_realloc(*text, used + 1, 1);
	(*text)[used] = 0;
	return true;
}

static bool is_absence(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

struct err *sysfs_read(const char *root, const char *path, char **text)
{
	char *whole = mem_printf("%s%s", root, path);
	struct err *e = NULL;
	int fd = open_regular(whole);

	*text = NULL;
	if ((fd < 0 && !is_absence(errno)) || (fd >= 0 && !read_all(fd, text)))
		e = err_errno(ERR_FAILED, errno, "sysfs: reading %s", whole);
	if (fd >= 0)
		close(fd);
	free(whole);
	return e;
}

static bool is_number(const char *text, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 0);
	return end != text && !*end && !errno;
}

struct err *sysfs_number(const char *root, const char *path, int64_t *value, bool *there)
{
	char *text;
	struct err *e = sysfs_read(root, path, &text);

	*there = text != NULL;
	if (text && !is_number(text, value)) {
		*there = false;
		e = err_new(ERR_FAILED, "sysfs: %s%s: \"%.40s\" is not a number", root, path, text);
	}
	free(text);
	return e;
}

bool sysfs_has(const char *root, const char *path)
{
	char *whole = mem_printf("%s%s", root, path);
	bool has = !access(whole, F_OK);

	free(whole);
	return has;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct sysfs_names sysfs_list(const char *root, const char *path)
{
	struct sysfs_names n = { 0 };
	char *whole = mem_printf("%s%s", root, path);
	DIR *folder = opendir(whole);
	struct dirent *entry;

	free(whole);
	if (!folder)
		return n;
	while (n.count < SYSFS_FILES && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		mem_grow(&n.name, &n.room, n.count);
		n.name[n.count++] = mem_strdup(entry->d_name);
	}
	closedir(folder);
	if (n.count)
		qsort(n.name, n.count, sizeof(*n.name), by_name);
	return n;
}

void sysfs_names_deinit(struct sysfs_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct sysfs_names){ 0 };
}
