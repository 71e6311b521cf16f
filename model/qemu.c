// SPDX-License-Identifier: GPL-2.0-only
/*
 * The QEMU front door: every load and store of a guest that has at least two threads.
 *
 * Not seen: memory that the kernel touches in a system call, prefetches, and with a QEMU before 8.0
 * the operands of call, ret, indirect jumps, repeated cmps and scas, fxsave and its like.
 */
#include "qemu.h"

#include "guest.h"
#include "x86.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CPUS	   (1u << 20) /* QEMU's CPU indices grow while threads overlap */
#define SITES	   (1u << 22)
#define SITE_INDEX (1u << 23) /* entries of the hash table, a power of two above SITES */

/* What QEMU's "info" of an access means at a site: "info" << 32 and these. */
enum seen {
	SEEN_SIZE = 0xff, /* bytes */
	SEEN_VECTOR = 1 << 8,
	SEEN_CLOSELY = 1 << 9, /* not for the short way */
};
#define SEEN_NOTHING UINT64_MAX

/* Of one instruction. "whole" carries its cost and is charged once an execution: the further parts
 * of a vector access, and the store of an unlocked read-modify-write, go to "rest". An
 * instruction's accesses are of one size, as a rule: the latest load and store save asking QEMU
 * about each. */
struct qemu_site {
	uint64_t load, store; /* SEEN_NOTHING or of enum seen */
	struct model_site whole, rest;
	bool locked, vector;
} __attribute__((aligned(128)));

struct site_table {
	struct qemu_site *site;
	uint32_t *index; /* of a hash table: number of the site + 1, 0 free */
	uint32_t count, lock;
	bool full;
};

struct qemu {
	struct guest guest;
	struct site_table sites;
	struct qemu_options options;
};

/* QEMU gives most callbacks no argument of ours, so this process's one guest must be found somehow.
 */
static struct qemu *the_qemu;
/* Its threads. */
static struct guest_thread *the_threads;
/* The guest thread that runs on this host thread, for the callback in which QEMU makes another. */
static __thread struct guest_thread *current;

static void *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* ---- Starting */

static const char *argument(int argc, char **argv, const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

static bool qemu_reserve(struct qemu *q)
{
	q->guest.threads = reserve(CPUS * sizeof(q->guest.threads[0]));
	q->sites.site = reserve(SITES * sizeof(q->sites.site[0]));
	q->sites.index = reserve(SITE_INDEX * sizeof(q->sites.index[0]));
	return q->guest.threads && q->sites.site && q->sites.index;
}

bool qemu_open(int argc, char **argv, const struct qemu_options *options)
{
	const char *path = argument(argc, argv, "socket");
	struct qemu *q = reserve(sizeof(*q));

	if (!path) {
		fprintf(stderr, "hitmap: plugin: argument socket=PATH is missing\n");
		return false;
	}
	if (!q || !qemu_reserve(q))
		return false;
	q->guest.door = door_open(path, "qemu", options->detail);
	if (!q->guest.door) {
		fprintf(stderr, "hitmap: plugin: %s: %s\n", path, strerror(errno));
		return false;
	}
	q->options = *options;
	q->guest.program = options->program;
	door_maps_hide(q->guest.door);
	the_qemu = q;
	the_threads = q->guest.threads;
	return true;
}

/* ---- Sites */

static uint32_t site_hash(uint64_t ip, uint32_t cost)
{
	uint64_t h = (ip ^ (uint64_t)cost << 56) * 0x9e3779b97f4a7c15ULL;

	return (uint32_t)(h >> 40) & (SITE_INDEX - 1);
}

static bool site_fits(const struct qemu_site *s, uint64_t ip, uint32_t cost,
		      const struct x86_insn *insn)
{
	return s->whole.ip == ip && s->whole.cost == cost && s->locked == insn->locked &&
	       s->vector == insn->vector && s->whole.may_lock == insn->may_lock &&
	       s->whole.fetch_add == insn->fetch_add;
}

static struct qemu_site *site_new(struct site_table *table, uint64_t ip, uint32_t cost,
				  const struct x86_insn *insn)
{
	struct qemu_site *s = &table->site[table->count++];

	s->load = s->store = SEEN_NOTHING;
	s->whole.ip = s->rest.ip = ip;
	s->whole.cost = cost;
	s->whole.may_lock = insn->may_lock;
	s->whole.fetch_add = insn->fetch_add;
	s->locked = insn->locked;
	s->vector = insn->vector;
	return s;
}

/* Code is translated again and again, and other code may come to the same address: one site for
 * each different instruction. NULL when the table is full. The table's lock is held. */
static struct qemu_site *site_find(struct site_table *table, uint64_t ip, uint32_t cost,
				   const struct x86_insn *insn)
{
	uint32_t h = site_hash(ip, cost);

	for (; table->index[h]; h = (h + 1) & (SITE_INDEX - 1)) {
		struct qemu_site *s = &table->site[table->index[h] - 1];

		if (site_fits(s, ip, cost, insn))
			return s;
	}
	if (table->count == SITES)
		return NULL;
	table->index[h] = table->count + 1;
	return site_new(table, ip, cost, insn);
}

static struct qemu_site *site_get(struct qemu *q, uint64_t ip, uint32_t cost,
				  const struct x86_insn *insn)
{
	struct site_table *table = &q->sites;
	struct qemu_site *s;
	bool first_loss;

	while (__atomic_exchange_n(&table->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	s = site_find(table, ip, cost, insn);
	first_loss = !s && !table->full;
	table->full |= !s;
	__atomic_store_n(&table->lock, 0, __ATOMIC_RELEASE);
	if (first_loss)
		door_remark(q->guest.door, "more than %u instructions: the others are not modelled",
			    SITES);
	return s;
}

/* ---- Translation */

static void block_base(struct qemu *q, const struct qemu_calls *calls, const void *insn)
{
	uint64_t host = (uint64_t)(uintptr_t)calls->insn_host(insn);

	if (host)
		q->guest.base = host - calls->insn_ip(insn);
}

static void decode(const struct qemu_calls *calls, const void *insn, struct x86_insn *decoded)
{
	uint8_t bytes[16];

	x86_decode(bytes, calls->insn_bytes(insn, bytes, sizeof(bytes)), decoded);
}

static bool is_watched(const struct qemu *q, const struct x86_insn *insn)
{
	return insn->memory && !(insn->ends_block && q->options.skip_block_ends);
}

static void watch(struct qemu *q, const struct qemu_calls *calls, void *insn, uint32_t cost,
		  const struct x86_insn *decoded)
{
	struct qemu_site *site = site_get(q, calls->insn_ip(insn), cost, decoded);

	if (site)
		calls->watch_memory(insn, site);
}

/* Instructions without memory are charged to the next site of the block, those after the last site
 * to that one. A block without a site has a callback of its own. */
void qemu_translate(const struct qemu_calls *calls, void *block)
{
	struct qemu *q = the_qemu;
	size_t n = calls->insns(block), start = 0, site = n;
	struct x86_insn decoded, site_decoded;

	if (!__atomic_load_n(&q->guest.parallel, __ATOMIC_RELAXED))
		return;
	block_base(q, calls, calls->insn(block, 0));
	for (size_t i = 0; i < n; i++) {
		decode(calls, calls->insn(block, i), &decoded);
		if (!is_watched(q, &decoded))
			continue;
		if (site < n) {
			watch(q, calls, calls->insn(block, site), (uint32_t)(site + 1 - start),
			      &site_decoded);
			start = site + 1;
		}
		site = i;
		site_decoded = decoded;
	}
	if (site < n)
		watch(q, calls, calls->insn(block, site), (uint32_t)(n - start), &site_decoded);
	else
		calls->watch_block(block, (uint32_t)n);
}

/* ---- Accesses */

static struct guest_thread *thread_of(unsigned int cpu)
{
	return cpu < CPUS ? &the_threads[cpu] : NULL;
}

static inline bool is_on(const struct guest_thread *t)
{
	return __builtin_expect(__atomic_load_n(&t->door.on, __ATOMIC_RELAXED), 1);
}

/* The thread's first callback is the first moment at which its tid is known. */
static bool enter(struct guest_thread *t)
{
	if (door_enter(&t->door))
		return true;
	if (!t->door.ready)
		return false;
	door_thread_run(the_qemu->guest.door, &t->door);
	return door_enter(&t->door);
}

/* Whether the access belongs to the instruction that has just been charged: see struct qemu_site.
 */
static inline __attribute__((always_inline)) bool is_part(struct guest_thread *t,
							  const struct qemu_site *site,
							  uint64_t addr, bool store, bool vector)
{
	uintptr_t me = (uintptr_t)site, last = t->last;
	bool part = store && last == me + 1;

	t->last = me + !store;
	if (__builtin_expect(vector, 0)) {
		part |= (last == me || last == me + 1) && addr == t->last_addr + 8;
		t->last_addr = addr;
	}
	return part;
}

/* Where the program's memory is in this process; it was touched a moment ago, so it is there. */
static const void *host(uint64_t addr)
{
	return (const void *)(uintptr_t)(the_qemu->guest.base + addr);
}

/* What has been seen is a hint: threads may overwrite each other's. */
static uint32_t site_learn(struct qemu_site *site, uint32_t info, bool store)
{
	uint32_t size = 1u << the_qemu->options.size_shift(info);
	uint64_t seen = (uint64_t)info << 32 | size;

	if (site->vector)
		seen |= SEEN_VECTOR;
	if (site->locked || size > SEEN_SIZE)
		seen |= SEEN_CLOSELY;
	__atomic_store_n(store ? &site->store : &site->load, seen, __ATOMIC_RELAXED);
	return size;
}

static __attribute__((noinline)) void access_closely(unsigned int cpu, uint32_t info, uint64_t addr,
						     struct qemu_site *site)
{
	struct guest_thread *t = thread_of(cpu);
	bool store = the_qemu->options.is_store(info), part;
	uint32_t size = site_learn(site, info, store);
	enum model_op op = store ? MODEL_WRITE : MODEL_READ;

	/* Of a locked instruction some QEMUs report the load as well, and then always the store. */
	if (!t || (site->locked && !store) || !enter(t))
		return;
	part = is_part(t, site, addr, store, site->vector);
	model_access(t->door.model, addr, size, site->locked ? MODEL_RMW : op,
		     part ? &site->rest : &site->whole, host(addr));
	door_leave(&t->door);
}

static __attribute__((noinline)) void pause_thread(struct guest_thread *t)
{
	if (!enter(t))
		return;
	model_pause(t->door.model);
	door_leave(&t->door);
}

/*
 * The short way of nearly all accesses: to a line of the thread's own. It counts and looks up, so
 * the door need not know that the thread is here.
 */
static inline __attribute__((always_inline)) void access_shortly(unsigned int cpu, uint64_t addr,
								 struct qemu_site *site,
								 uint64_t seen, enum model_op op)
{
	struct guest_thread *t = thread_of(cpu);
	struct model_fast *f;
	bool part;

	if (__builtin_expect(!t || !is_on(t) || seen & SEEN_CLOSELY, 0)) {
		access_closely(cpu, (uint32_t)(seen >> 32), addr, site);
		return;
	}
	f = (struct model_fast *)t->door.model;
	if (__builtin_expect(!model_is_private(f, addr, seen & SEEN_SIZE, op), 0)) {
		access_closely(cpu, (uint32_t)(seen >> 32), addr, site);
		return;
	}
	part = is_part(t, site, addr, op != MODEL_READ, seen & SEEN_VECTOR);
	f->accesses++;
	if (model_charge(f, part ? 0 : site->whole.cost))
		pause_thread(t);
}

void qemu_access(unsigned int cpu, uint32_t info, uint64_t addr, void *context)
{
	struct qemu_site *site = context;
	uint64_t load = __atomic_load_n(&site->load, __ATOMIC_RELAXED);
	uint64_t store = __atomic_load_n(&site->store, __ATOMIC_RELAXED);

	if (load >> 32 == info)
		access_shortly(cpu, addr, site, load, MODEL_READ);
	else if (store >> 32 == info)
		access_shortly(cpu, addr, site, store, MODEL_WRITE);
	else
		access_closely(cpu, info, addr, site);
}

static __attribute__((noinline)) void run_first(struct guest_thread *t, uint32_t insns)
{
	if (!enter(t))
		return;
	model_run(t->door.model, insns);
	door_leave(&t->door);
}

void qemu_run(unsigned int cpu, uint32_t insns)
{
	struct guest_thread *t = thread_of(cpu);

	if (!t)
		return;
	if (!is_on(t))
		run_first(t, insns);
	else if (model_charge((struct model_fast *)t->door.model, insns))
		pause_thread(t);
}

/* ---- Threads */

static bool first_thread(struct guest *g, struct guest_thread *t)
{
	if (!door_begin(g->door))
		return false;
	if (!g->maps_sent)
		guest_introduce(g);
	if (!t->door.number) {
		door_thread_start(g->door, &t->door, NULL);
		door_thread_run(g->door, &t->door);
	}
	return true;
}

void qemu_cpu_init(unsigned int cpu)
{
	struct guest *g = &the_qemu->guest;
	struct guest_thread *parent = current, *child = thread_of(cpu);

	if (!parent || !child)
		return;
	__atomic_store_n(&g->parallel, true, __ATOMIC_RELAXED);
	if (!first_thread(g, parent))
		return;
	child->last = 0;
	child->waiting = false;
	child->clear_tid = parent->child_clear_tid;
	parent->child = child;
	door_thread_start(g->door, &child->door, &parent->door);
}

void qemu_cpu_exit(unsigned int cpu)
{
	struct guest_thread *t = thread_of(cpu);

	if (t && t->door.number)
		door_thread_end(the_qemu->guest.door, &t->door);
}

void qemu_syscall(unsigned int cpu, int64_t number, const uint64_t args[6])
{
	struct guest_thread *t = thread_of(cpu);

	current = t;
	if (!t)
		return;
	if (t->door.ready)
		door_thread_run(the_qemu->guest.door, &t->door);
	guest_call(&the_qemu->guest, t, number, args);
}

void qemu_syscall_return(unsigned int cpu, int64_t number, int64_t result)
{
	struct guest_thread *t = thread_of(cpu);

	if (t)
		guest_call_return(&the_qemu->guest, t, number, result);
}

void qemu_exit(void)
{
	if (!door_is_forked(the_qemu->guest.door))
		door_finish(the_qemu->guest.door);
}
