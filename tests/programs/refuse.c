// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into hitmap: lets perf_event_open() or the mapping of rings fail as kernels do that
 * refuse, and logs what was asked for. Environment:
 *	REFUSE=FROM:COUNT:ERRNO	calls FROM, FROM + 1, ... of perf_event_open() fail, counted from 1
 *	REFUSE_IF=WHAT:ERRNO	those fail whose attr has WHAT: phys, kernel, lost, or only counts:
 *				count
 *	REFUSE_MAP=KB:ERRNO	rings of more than KB kB cannot be mapped
 *	REFUSE_LOG=FILE		a line for each call
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...);

static int calls;

static int refused_by_number(void)
{
	const char *text = getenv("REFUSE");
	int from, count, error;

	if (!text || sscanf(text, "%d:%d:%d", &from, &count, &error) != 3)
		return 0;
	return calls >= from && calls < from + count ? error : 0;
}

static int has(const struct perf_event_attr *a, const char *what)
{
	if (!strcmp(what, "phys"))
		return a->sample_type & PERF_SAMPLE_PHYS_ADDR ? 1 : 0;
	if (!strcmp(what, "kernel"))
		return !a->exclude_kernel;
	if (!strcmp(what, "count"))
		return !a->sample_type && !a->sample_period && !a->mmap2;
	return a->read_format & PERF_FORMAT_LOST ? 1 : 0;
}

static int refused_by_attr(const struct perf_event_attr *a)
{
	const char *text = getenv("REFUSE_IF");
	char what[16];
	int error;

	if (!text || sscanf(text, "%15[a-z]:%d", what, &error) != 2)
		return 0;
	return has(a, what) ? error : 0;
}

static void log_call(const struct perf_event_attr *a, const long *arg, long result)
{
	const char *path = getenv("REFUSE_LOG");
	FILE *log = path ? fopen(path, "a") : NULL;

	if (!log)
		return;
	fprintf(log,
		"type=%u config=%llu sample_type=%#llx read_format=%#llx freq=%d inherit=%d "
		"enable_on_exec=%d disabled=%d mmap2=%d task=%d watermark=%d exclude_kernel=%d "
		"%s cpu=%d group=%d flags=%ld %s\n",
		a->type, (unsigned long long)a->config, (unsigned long long)a->sample_type,
		(unsigned long long)a->read_format, a->freq, a->inherit, a->enable_on_exec,
		a->disabled, a->mmap2, a->task, a->watermark, a->exclude_kernel,
		(int)arg[1] == -1 ? "all" : "task", (int)arg[2], (int)arg[3], arg[4],
		result < 0 ? strerror(errno) : "opened");
	fclose(log);
}

static long open_event(long (*real)(long, ...), const long *arg)
{
	const struct perf_event_attr *a = (const void *)arg[0];
	int error;
	long result = -1;

	calls++;
	error = refused_by_number();
	if (!error)
		error = refused_by_attr(a);
	if (error)
		errno = error;
	else
		result = real(SYS_perf_event_open, arg[0], arg[1], arg[2], arg[3], arg[4]);
	error = errno;
	log_call(a, arg, result);
	errno = error;
	return result;
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open)
		return open_event(real, arg);
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

/* Rings are the only shared mappings of a descriptor that are written to. */
void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	const char *text = getenv("REFUSE_MAP");
	unsigned long kb;
	int error;

	if (text && sscanf(text, "%lu:%d", &kb, &error) == 2 && fd >= 0 &&
	    prot == (PROT_READ | PROT_WRITE) && flags == MAP_SHARED && size / 1024 > kb + 4) {
		errno = error;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, addr, size, prot, flags, fd, offset);
}
