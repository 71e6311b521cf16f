// SPDX-License-Identifier: GPL-2.0-only
/*
 * libhitmap-heap.so: preloaded into the recorded program, logs the heap's blocks. Each function
 * does what the next library's of that name does. Nothing here allocates or takes a lock.
 */
#include "heap_log.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define LOCAL  __thread __attribute__((tls_model("initial-exec")))
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define SPARE  16384 /* bytes for what the dynamic linker wants before we know malloc() */

static struct heap_log_head *volatile head;
static uint32_t process, generation;

static LOCAL struct heap_log_record *next_record;
static LOCAL uint32_t records_left, own_generation, own_tid;
static LOCAL bool inside; /* of a function that calls another one of these */

/* ---- the log */

static uint64_t now(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
#endif
}

static bool take_chunk(void)
{
	uint64_t chunk = __atomic_fetch_add(&head->chunks, 1, __ATOMIC_RELAXED);

	if (chunk >= HEAP_LOG_RECORDS / HEAP_LOG_CHUNK)
		return false;
	next_record = (struct heap_log_record *)(head + 1) + chunk * HEAP_LOG_CHUNK;
	records_left = HEAP_LOG_CHUNK;
	own_generation = generation;
	own_tid = syscall(SYS_gettid);
	return true;
}

static void note(const void *block, size_t size, uint64_t caller)
{
	struct heap_log_record *r;

	if (!head || !block || ((!records_left || own_generation != generation) && !take_chunk()))
		return;
	r = next_record++;
	records_left--;
	r->addr = (uintptr_t)block;
	r->size = size;
	r->caller = caller;
	r->pid = process;
	r->tid = own_tid;
	r->time = now();
}

static void on_fork(void)
{
	process = getpid();
	generation++;
}

__attribute__((constructor)) static void open_log(void)
{
	const char *path = getenv(HEAP_LOG_ENVIRONMENT);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct heap_log_head *h = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)HEAP_LOG_BYTES)
		h = mmap(NULL, HEAP_LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (h == MAP_FAILED || h->magic != HEAP_LOG_MAGIC)
		return;
	process = getpid();
	pthread_atfork(NULL, NULL, on_fork);
	head = h;
}

/* ---- the next library's functions */

/* Each is looked up at its first call; to do that twice is harmless. */

static char spare[SPARE] __attribute__((aligned(16)));
static size_t spare_used;
static bool looking; /* for calloc(), which dlsym() may call */

static void *spare_take(size_t size)
{
	size_t at = __atomic_fetch_add(&spare_used, (size + 15) / 16 * 16, __ATOMIC_RELAXED);

	return size <= SPARE && at <= SPARE - size ? spare + at : NULL;
}

static bool is_spare(const void *p)
{
	return (uintptr_t)p - (uintptr_t)spare < SPARE;
}

EXPORT void *malloc(size_t size)
{
	static void *(*next)(size_t size);
	void *p;

	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	p = next(size);
	if (!inside)
		note(p, size ? size : 1, CALLER);
	return p;
}

EXPORT void *calloc(size_t count, size_t size)
{
	static void *(*next)(size_t count, size_t size);
	void *p;

	if (!next && !looking) {
		looking = true;
		next = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
		looking = false;
	}
	if (!next)
		return count && size > SPARE / count ? NULL : spare_take(count * size);
	p = next(count, size);
	if (!inside)
		note(p, count && size ? count * size : 1, CALLER);
	return p;
}

EXPORT void free(void *p)
{
	static void (*next)(void *p);

	if (!p || is_spare(p))
		return;
	if (!next)
		next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	if (!inside)
		note(p, 0, 0); /* before another thread can get it */
	next(p);
}

EXPORT void *realloc(void *old, size_t size)
{
	static void *(*next)(void *p, size_t size);
	void *p;

	if (!next)
		next = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	if (is_spare(old)) {
		p = malloc(size);
		if (p)
			memcpy(p, old,
			       size < (size_t)(spare + SPARE - (char *)old)
				       ? size
				       : (size_t)(spare + SPARE - (char *)old));
		return p;
	}
	if (!inside)
		note(old, 0, 0);
	p = next(old, size);
	if (!inside && p)
		note(p, size ? size : 1, CALLER);
	return p;
}

#define ALIGNED(name)                                                                              \
	EXPORT void *name(size_t align, size_t size)                                               \
	{                                                                                          \
		static void *(*next)(size_t align, size_t size);                                   \
		void *p;                                                                           \
                                                                                                   \
		if (!next)                                                                         \
			next = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, #name);                 \
		p = next(align, size);                                                             \
		if (!inside)                                                                       \
			note(p, size ? size : 1, CALLER);                                          \
		return p;                                                                          \
	}

ALIGNED(memalign)
ALIGNED(aligned_alloc)

EXPORT int posix_memalign(void **to, size_t align, size_t size)
{
	static int (*next)(void **to, size_t align, size_t size);
	int error;

	if (!next)
		next = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
	error = next(to, align, size);
	if (!error && !inside)
		note(*to, size ? size : 1, CALLER);
	return error;
}

/* ---- C++: whoever calls "new" is the one that asks, not the library that it calls */

static bool *enter(void)
{
	inside = true;
	return &inside;
}

/* Also when an exception passes. */
static void leave(bool **flag)
{
	**flag = false;
}

#define NEW(name, parameters, arguments)                                                           \
	void *name parameters;                                                                     \
	EXPORT void *name parameters                                                               \
	{                                                                                          \
		static void *(*next)parameters;                                                    \
		void *p;                                                                           \
                                                                                                   \
		if (!next)                                                                         \
			next = (void *(*)parameters)dlsym(RTLD_NEXT, #name);                       \
		p = NULL;                                                                          \
		{                                                                                  \
			bool *flag __attribute__((cleanup(leave), unused)) = enter();              \
			p = next arguments;                                                        \
		}                                                                                  \
		note(p, size ? size : 1, CALLER);                                                  \
		return p;                                                                          \
	}

/* new, new[]; nothrow; aligned. */
NEW(_Znwm, (size_t size), (size))
NEW(_Znam, (size_t size), (size))
NEW(_ZnwmRKSt9nothrow_t, (size_t size, const void *t), (size, t))
NEW(_ZnamRKSt9nothrow_t, (size_t size, const void *t), (size, t))
NEW(_ZnwmSt11align_val_t, (size_t size, size_t align), (size, align))
NEW(_ZnamSt11align_val_t, (size_t size, size_t align), (size, align))
