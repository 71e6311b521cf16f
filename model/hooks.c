// SPDX-License-Identifier: GPL-2.0-only
/*
 * The entry points that gcc and clang call under -fsanitize=thread, and the life of the hooks.
 *
 * Hooks cannot count instructions. Each access is charged HOOK_COST, about what the QEMU door
 * measures between two accesses of compiled C code (2 to 4), so that the modelled cycles of the two
 * doors are of one order; they are not equal. Totals of HITMs depend on the order of accesses and
 * agree better.
 */
#include "hooks.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOOK_COST 3
#define SITES	  (1u << 18) /* a power of two */
#define SLOTS	  1024	     /* modelled threads that can be alive */

/* Tells "hitmap record" that the program brings its own door. */
static const struct {
	uint32_t name_size, size, type;
	char name[8];
	uint32_t version;
} note __attribute__((section(".note.hitmap"), used, aligned(4))) = { 7, 4, 1, "hitmap",
								      MODEL_VERSION };

struct hook_site {
	uint64_t key; /* ip and kind; 0: free */
	struct model_site site;
};

struct slot {
	struct door_thread thread;
	uint32_t busy;
} __attribute__((aligned(64)));

/* The compiler's calls carry no argument of ours: what they need has to be global. */
static struct {
	struct door *door;
	struct hook_site *sites;
	struct slot *slots;
} hooks;

__thread struct door_thread *hooks_self;

struct door *hooks_door(void)
{
	return hooks.door;
}

/* ---- Sites */

static void site_fill(struct hook_site *s, uint64_t ip, enum hook_kind kind)
{
	s->site.cost = HOOK_COST;
	s->site.may_lock = kind == HOOK_MAY_LOCK;
	s->site.fetch_add = kind == HOOK_FETCH_ADD;
	__atomic_store_n(&s->site.ip, ip, __ATOMIC_RELEASE);
}

/* Lock-free: whoever finds a key without its address yet fills in the same values. NULL: no room.
 */
static struct model_site *site_get(uint64_t ip, enum hook_kind kind)
{
	uint64_t key = ip << 2 | kind, seen;
	uint32_t h = (uint32_t)(key * 0x9e3779b97f4a7c15ULL >> 40);

	for (uint32_t i = 0; i < 64; i++) {
		struct hook_site *s = &hooks.sites[(h + i) & (SITES - 1)];

		seen = __atomic_load_n(&s->key, __ATOMIC_RELAXED);
		if (!seen && __atomic_compare_exchange_n(&s->key, &seen, key, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			seen = key;
		if (seen != key)
			continue;
		if (!__atomic_load_n(&s->site.ip, __ATOMIC_ACQUIRE))
			site_fill(s, ip, kind);
		return &s->site;
	}
	return NULL;
}

void hooks_report(struct door_thread *t, const void *addr, uint32_t size, enum model_op op,
		  uint64_t ip, enum hook_kind kind, const void *value)
{
	struct model_site *site = site_get(ip, kind);

	if (site)
		model_access(t->model, (uint64_t)(uintptr_t)addr, size, op, site, value);
}

/* ---- Life */

static void *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Threads of the parent do not exist in the child; the forking one begins anew. */
static void forked_child(void)
{
	door_forked(hooks.door);
	for (uint32_t i = 0; i < SLOTS && hooks.slots[i].thread.listed; i++)
		if (&hooks.slots[i].thread != hooks_self)
			hooks.slots[i].busy = 0;
}

static void __attribute__((constructor)) hooks_start(void)
{
	const char *path = getenv(WIRE_ENVIRONMENT);

	if (!path || !path[0] || hooks.door)
		return;
	hooks.sites = reserve(SITES * sizeof(hooks.sites[0]));
	hooks.slots = reserve(SLOTS * sizeof(hooks.slots[0]));
	if (!hooks.sites || !hooks.slots)
		return;
	hooks.door = door_open(path, "hooks", "compile-time hooks");
	if (!hooks.door)
		return;
	pthread_atfork(NULL, NULL, forked_child);
	door_maps_send(hooks.door);
}

/* The lowest priority runs last: destructors of the program are still modelled. */
static void __attribute__((destructor(101))) hooks_stop(void)
{
	hooks_finish();
}

void hooks_finish(void)
{
	if (hooks.door && !hooks_interrupted() && !door_is_forked(hooks.door))
		door_finish(hooks.door);
}

static struct door_thread *slot_take(void)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (!__atomic_exchange_n(&hooks.slots[i].busy, 1, __ATOMIC_ACQUIRE))
			return &hooks.slots[i].thread;
	return NULL;
}

static void slot_give(struct door_thread *t)
{
	__atomic_store_n(&((struct slot *)t)->busy, 0, __ATOMIC_RELEASE);
}

/* Nothing is modelled before the second thread: its creator is the first. */
static bool creator_begin(void)
{
	if (!hooks.door || door_is_forked(hooks.door) || !door_begin(hooks.door))
		return false;
	if (!hooks_self) {
		hooks_self = slot_take();
		door_maps_send(hooks.door);
	}
	if (hooks_self && !hooks_self->number) {
		door_thread_start(hooks.door, hooks_self, NULL);
		door_thread_run(hooks.door, hooks_self);
	}
	return true;
}

struct door_thread *hooks_thread_new(void)
{
	struct door_thread *t;

	if (!creator_begin())
		return NULL;
	t = slot_take();
	if (t)
		door_thread_start(hooks.door, t, hooks_self);
	else
		door_thread_refuse(hooks.door);
	return t;
}

void hooks_thread_run(struct door_thread *t)
{
	door_thread_run(hooks.door, t);
	hooks_self = t;
}

void hooks_thread_end(void)
{
	struct door_thread *t = hooks_self;

	if (!t)
		return;
	hooks_self = NULL;
	door_thread_end(hooks.door, t);
	slot_give(t);
}

void hooks_thread_cancel(struct door_thread *t)
{
	door_thread_end(hooks.door, t);
	slot_give(t);
}

/* ---- Plain accesses, reported just before they happen */

/* The call's own instruction: the compiler gives it the line of the access. */
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

static inline void plain(void *addr, uint32_t size, enum model_op op, uint64_t ip)
{
	struct door_thread *t = hooks_enter();

	if (__builtin_expect(!t, 1))
		return;
	hooks_report(t, addr, size, op, ip, HOOK_PLAIN, op == MODEL_READ ? addr : NULL);
	door_leave(t);
}

/* A range is one access for each line that it touches. */
static void range(void *addr, size_t size, enum model_op op, uint64_t ip)
{
	struct door_thread *t = hooks_enter();
	char *p = addr, *end = p + size;

	if (__builtin_expect(!t, 1))
		return;
	while (p < end) {
		size_t n = 64 - ((uintptr_t)p & 63);

		if (n > (size_t)(end - p))
			n = (size_t)(end - p);
		hooks_report(t, p, (uint32_t)n, op, ip, HOOK_PLAIN, NULL);
		p += n;
	}
	door_leave(t);
}

/* Prototypes for each: the compilers know these functions, no header does. */
#define PLAIN(name, size, op)                                                                      \
	EXPORT void name(void *addr);                                                              \
	EXPORT void name##_pc(void *addr, void *pc);                                               \
	void name(void *addr)                                                                      \
	{                                                                                          \
		plain(addr, size, op, CALLER);                                                     \
	}                                                                                          \
	void name##_pc(void *addr, void *pc)                                                       \
	{                                                                                          \
		plain(addr, size, op, (uint64_t)(uintptr_t)pc - 1);                                \
	}

#define BOTH(name, size)                                                                           \
	EXPORT void name(void *addr);                                                              \
	void name(void *addr)                                                                      \
	{                                                                                          \
		plain(addr, size, MODEL_READ, CALLER);                                             \
		plain(addr, size, MODEL_WRITE, CALLER);                                            \
	}

#define PLAINS(size)                                                                               \
	PLAIN(__tsan_read##size, size, MODEL_READ)                                                 \
	PLAIN(__tsan_write##size, size, MODEL_WRITE)                                               \
	PLAIN(__tsan_unaligned_read##size, size, MODEL_READ)                                       \
	PLAIN(__tsan_unaligned_write##size, size, MODEL_WRITE)                                     \
	PLAIN(__tsan_volatile_read##size, size, MODEL_READ)                                        \
	PLAIN(__tsan_volatile_write##size, size, MODEL_WRITE)                                      \
	PLAIN(__tsan_unaligned_volatile_read##size, size, MODEL_READ)                              \
	PLAIN(__tsan_unaligned_volatile_write##size, size, MODEL_WRITE)                            \
	BOTH(__tsan_read_write##size, size)                                                        \
	BOTH(__tsan_unaligned_read_write##size, size)

PLAINS(1)
PLAINS(2)
PLAINS(4)
PLAINS(8)
PLAINS(16)

EXPORT void __tsan_read_range(void *addr, size_t size);
EXPORT void __tsan_write_range(void *addr, size_t size);
EXPORT void __tsan_read_range_pc(void *addr, size_t size, void *pc);
EXPORT void __tsan_write_range_pc(void *addr, size_t size, void *pc);
EXPORT void __tsan_vptr_read(void **addr);
EXPORT void __tsan_vptr_update(void **addr, void *value);
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t size);
EXPORT void *__tsan_memmove(void *to, const void *from, size_t size);
EXPORT void *__tsan_memset(void *to, int byte, size_t size);
EXPORT void __tsan_init(void);
EXPORT void __tsan_func_entry(void *pc);
EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_ignore_thread_begin(void);
EXPORT void __tsan_ignore_thread_end(void);

void __tsan_read_range(void *addr, size_t size)
{
	range(addr, size, MODEL_READ, CALLER);
}

void __tsan_write_range(void *addr, size_t size)
{
	range(addr, size, MODEL_WRITE, CALLER);
}

void __tsan_read_range_pc(void *addr, size_t size, void *pc)
{
	range(addr, size, MODEL_READ, (uint64_t)(uintptr_t)pc - 1);
}

void __tsan_write_range_pc(void *addr, size_t size, void *pc)
{
	range(addr, size, MODEL_WRITE, (uint64_t)(uintptr_t)pc - 1);
}

void __tsan_vptr_read(void **addr)
{
	plain(addr, sizeof(*addr), MODEL_READ, CALLER);
}

void __tsan_vptr_update(void **addr, void *value)
{
	(void)value;
	plain(addr, sizeof(*addr), MODEL_WRITE, CALLER);
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
	range((void *)(uintptr_t)from, size, MODEL_READ, CALLER);
	range(to, size, MODEL_WRITE, CALLER);
	return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
	range((void *)(uintptr_t)from, size, MODEL_READ, CALLER);
	range(to, size, MODEL_WRITE, CALLER);
	return memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size)
{
	range(to, size, MODEL_WRITE, CALLER);
	return memset(to, byte, size);
}

void __tsan_init(void)
{
	hooks_start();
}

void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void)
{
}

void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void)
{
}
