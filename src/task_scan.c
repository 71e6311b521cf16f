// SPDX-License-Identifier: GPL-2.0-only
#include "task_scan.h"
#include "mem.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- /proc */

static FILE *open_text(const char *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static FILE *open_text(const char *root, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int n = snprintf(path, sizeof(path), "%s", root);

	if (n < 0 || (size_t)n >= sizeof(path))
		return NULL;
	va_start(args, fmt);
	vsnprintf(path + n, sizeof(path) - n, fmt, args);
	va_end(args);
	return fopen(path, "re");
}

/* "7f00-7f10 r-xp 00001000 fe:00 1234      /usr/lib/x.so"; without a path it is anonymous. */
static bool parse_mapping(char *line, struct kernel_map *m)
{
	char prot[5];
	int at = 0;

	*m = (struct kernel_map){ .path = "//anon" };
	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &m->start,
		   &m->end, prot, &m->offset, &m->major, &m->minor, &m->inode, &at) != 7)
		return false;
	m->prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
		  (prot[2] == 'x' ? PROT_EXEC : 0);
	m->flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	at += strspn(line + at, " ");
	if (line[at])
		m->path = line + at;
	return m->end > m->start;
}

static struct err *scan_maps(const struct task_scan *s, pid_t pid)
{
	FILE *f = open_text(s->root, "/proc/%d/maps", pid);
	struct err *e = NULL;
	char *line = NULL;
	size_t room = 0;
	struct kernel_map m;

	while (f && !e && getline(&line, &room, f) > 0)
		if (parse_mapping(line, &m))
			e = kernel_record_map(&s->to, pid, &m);
	free(line);
	if (f)
		fclose(f);
	return e;
}

static bool read_name(const char *root, pid_t pid, pid_t tid, char name[32])
{
	FILE *f = open_text(root, "/proc/%d/task/%d/comm", pid, tid);
	bool there = f && fgets(name, 32, f);

	if (there)
		name[strcspn(name, "\n")] = 0;
	if (f)
		fclose(f);
	return there;
}

static struct err *scan_thread(const struct task_scan *s, pid_t pid, pid_t tid)
{
	char name[32];
	struct err *e = NULL;

	if (!read_name(s->root, pid, tid, name))
		return NULL;
	if (tid != pid)
		e = kernel_record_thread(&s->to, pid, tid);
	return e ? e : kernel_record_comm(&s->to, pid, tid, name);
}

/* The numbers among the names of a folder. */
static pid_t *list_numbers(const char *root, const char *folder, size_t *count)
{
	char *path = mem_printf("%s%s", root, folder);
	DIR *d = opendir(path);
	struct dirent *entry;
	pid_t *number = NULL;
	size_t room = 0;

	*count = 0;
	while (d && (entry = readdir(d))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		mem_grow(&number, &room, *count);
		number[(*count)++] = atoi(entry->d_name);
	}
	if (d)
		closedir(d);
	free(path);
	return number;
}

pid_t *task_scan_threads(const char *root, pid_t pid, size_t *count)
{
	char folder[48];

	snprintf(folder, sizeof(folder), "/proc/%d/task", pid);
	return list_numbers(root, folder, count);
}

/* The process itself comes before its other threads: it is the lowest number but for wraps. */
struct err *task_scan_process(const struct task_scan *s, pid_t pid)
{
	size_t count;
	pid_t *tid = task_scan_threads(s->root, pid, &count);
	struct err *e = count ? scan_thread(s, pid, pid) : NULL;

	for (size_t i = 0; i < count && !e; i++)
		if (tid[i] != pid)
			e = scan_thread(s, pid, tid[i]);
	free(tid);
	return e || !count ? e : scan_maps(s, pid);
}

struct err *task_scan_all(const struct task_scan *s)
{
	size_t count;
	pid_t *pid = list_numbers(s->root, "/proc", &count);
	struct err *e = NULL;

	for (size_t i = 0; i < count && !e; i++)
		e = task_scan_process(s, pid[i]);
	free(pid);
	return e;
}

/* ---- The kernel */

#define HIDDEN 64 /* symbols at 0: more than that are kptr_restrict's doing */

static const char *const firsts[] = { "_text", "_stext" };

static struct err *scan_modules(const struct task_scan *s)
{
	FILE *f = open_text(s->root, "/proc/modules");
	char *line = NULL, name[64], path[72];
	struct err *e = NULL;
	uint64_t start, size;
	size_t room = 0;

	while (f && !e && getline(&line, &room, f) > 0) {
		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size, &start) != 3)
			continue;
		snprintf(path, sizeof(path), "[%s]", name);
		if (start)
			e = kernel_record_code(&s->to, start, size, 0, path);
	}
	free(line);
	if (f)
		fclose(f);
	return e;
}

/* "ffffffff81000000 T _text": there are some 100,000 lines before the last that is looked for. */
static bool is_line(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return !strncmp(name + 1, wanted, length) && strchr("\n\t", name[1 + length]);
}

/* Symbols come in the order of their addresses as far as the kernel's own code goes. */
static void find_text(FILE *f, uint64_t *start, uint64_t *stop, const char **first)
{
	char *line = NULL;
	size_t room = 0, hidden = 0;

	while (!*stop && hidden <= HIDDEN && getline(&line, &room, f) > 0) {
		const char *name = strrchr(line, ' ');

		hidden += !strncmp(line, "0000000000000000", 16);
		if (!name || name[1] != '_')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(firsts) && !*start; i++) {
			if (is_line(name, firsts[i])) {
				*first = firsts[i];
				*start = strtoull(line, NULL, 16);
			}
		}
		if (is_line(name, "_etext"))
			*stop = strtoull(line, NULL, 16);
	}
	free(line);
}

struct err *task_scan_kernel(const struct task_scan *s, bool *shown)
{
	FILE *f = open_text(s->root, "/proc/kallsyms");
	uint64_t start = 0, stop = 0;
	const char *first = firsts[0];
	char *path;
	struct err *e;

	if (f) {
		find_text(f, &start, &stop, &first);
		fclose(f);
	}
	*shown = start && stop > start;
	if (!*shown)
		return NULL;
	path = mem_printf("[kernel.kallsyms]%s", first);
	e = kernel_record_code(&s->to, start, stop - start, start, path);
	free(path);
	return e ? e : scan_modules(s);
}
