// SPDX-License-Identifier: GPL-2.0-only
#include "probe.h"
#include "buf.h"
#include "event_ladder.h"
#include "mem.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGES	   8		/* of a ring */
#define WALK_BYTES (8u << 20)	/* more than a second-level cache holds */
#define WALK_NS	   300000000ull /* an event that has given nothing by then gives nothing */
#define ENOUGH	   4		/* samples that show that they arrive */

static const char *const states[PROBE_STATES] = {
	[PROBE_UNTRIED] = "untried", [PROBE_REFUSED] = "refused", [PROBE_SILENT] = "silent",
	[PROBE_COUNTS] = "counts",   [PROBE_SAMPLES] = "samples",
};

const char *probe_state_name(enum probe_state s)
{
	return states[s];
}

/* ---- One event with its ring */

struct probe {
	int fd;
	struct perf_event_mmap_page *ring; /* NULL: none */
	void *aux;
	size_t aux_bytes;
};

static const struct probe no_probe = { .fd = -1 };

static size_t ring_bytes(void)
{
	return (PAGES + 1) * (size_t)getpagesize();
}

static void probe_close(struct probe *o)
{
	if (o->aux)
		munmap(o->aux, o->aux_bytes);
	if (o->ring)
		munmap(o->ring, ring_bytes());
	if (o->fd >= 0)
		close(o->fd);
	*o = no_probe;
}

static void *map_shared(int fd, size_t bytes, uint64_t offset)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	return at == MAP_FAILED ? NULL : at;
}

static bool map_aux(struct probe *o)
{
	o->ring->aux_offset = ring_bytes();
	o->ring->aux_size = o->aux_bytes;
	o->aux = map_shared(o->fd, o->aux_bytes, ring_bytes());
	return o->aux;
}

/* 0 or an errno value; "*stage" is that of the refusal. */
static int probe_open(struct perf_event_attr attr, bool all, int cpu, int group, size_t aux_bytes,
		      struct probe *o, enum ladder_stage *stage)
{
	int error;

	attr.disabled = group < 0;
	attr.enable_on_exec = 0;
	*o = no_probe;
	*stage = LADDER_OPEN;
	o->fd = syscall(SYS_perf_event_open, &attr, all ? -1 : 0, cpu, group, PERF_FLAG_FD_CLOEXEC);
	if (o->fd < 0)
		return errno;
	*stage = LADDER_MAP;
	o->aux_bytes = aux_bytes;
	o->ring = map_shared(o->fd, ring_bytes(), 0);
	if (o->ring && (!aux_bytes || map_aux(o)))
		return 0;
	error = errno;
	probe_close(o);
	return error;
}

/* Records of a ring that nobody has emptied, so that it never wraps around. */
static uint64_t probe_samples(const struct probe *o)
{
	uint64_t head = __atomic_load_n(&o->ring->data_head, __ATOMIC_ACQUIRE), samples = 0;
	size_t room = (size_t)PAGES * getpagesize();
	struct cursor c = cursor_of((const char *)o->ring + getpagesize(),
				    head < room ? head : room, 0);

	if (o->aux)
		return __atomic_load_n(&o->ring->aux_head, __ATOMIC_ACQUIRE);
	while (cursor_left(&c) >= sizeof(struct perf_event_header) && !c.bad) {
		uint32_t type = cursor_u32(&c);
		uint16_t size;

		cursor_skip(&c, 2);
		size = cursor_u16(&c);
		if (size < sizeof(struct perf_event_header))
			break;
		cursor_skip(&c, size - sizeof(struct perf_event_header));
		samples += type == PERF_RECORD_SAMPLE && !c.bad;
	}
	return samples;
}

static void probe_judge(const struct probe *o, struct probe_result *r)
{
	uint64_t count[8] = {
		0
	}; /* the first word is the count in every read_format but a group's */

	r->samples = probe_samples(o);
	if (read(o->fd, count, sizeof(count)) >= (ssize_t)sizeof(count[0]))
		r->counted = count[0];
	r->state = r->samples ? PROBE_SAMPLES : r->counted ? PROBE_COUNTS : PROBE_SILENT;
}

static void refuse(struct probe_result *r, int error)
{
	*r = (struct probe_result){ .state = PROBE_REFUSED, .error = error };
}

/* ---- Loads and stores that miss */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Odd strides of 61 lines defeat the prefetchers well enough for loads to take their time. */
static void walk(volatile uint64_t *words, size_t count)
{
	for (size_t i = 0, at = 0; i < count / 8; i++) {
		at = (at + 61 * 8) % count;
		words[at]++;
	}
}

static bool have_all(const struct probe *o, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (o[i].fd >= 0 && probe_samples(&o[i]) < ENOUGH)
			return false;
	return true;
}

static void walk_until(const struct probe *o, size_t count)
{
	uint64_t *words = mem_zalloc(WALK_BYTES);
	uint64_t end = now_ns() + WALK_NS;

	do
		walk(words, WALK_BYTES / sizeof(*words));
	while (now_ns() < end && !have_all(o, count));
	free(words);
}

/* ---- A plan's events */

static bool is_probed(const struct plan_event *e)
{
	return e->role != PLAN_TRACK && !e->left_out;
}

static int first_cpu(const struct cpulist *l)
{
	for (int cpu = 0; cpu < CPULIST_CPUS; cpu++)
		if (cpulist_has(l, cpu))
			return cpu;
	return 0;
}

/* The thread may not be allowed there, in a container: then the event sees nothing, and that is
 * what it would do for a program too. */
static void move_to(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(CPULIST_CPUS);
	size_t size = CPU_ALLOC_SIZE(CPULIST_CPUS);

	if (!set)
		mem_exhausted();
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

/* Opens event "i", going down the ladder as the kernel refuses. 0 or the last errno value. */
static int open_event(struct event_plan *p, size_t i, int cpu, int group, struct probe *o)
{
	enum ladder_stage stage;
	int error;

	do {
		struct plan_event *e = &p->event[i];

		if (e->left_out)
			return 0;
		error = probe_open(e->attr, p->system_wide, cpu, group,
				   e->role == PLAN_ALL ? p->aux_bytes : 0, o, &stage);
	} while (error && event_ladder_step(p, i, stage, error));
	return error;
}

/* A group, or an event alone: those whose leader is "leader". */
static void try_group(struct event_plan *p, size_t leader, struct probe_result *results)
{
	struct probe *o = mem_zalloc(p->count * sizeof(*o));
	int cpu = first_cpu(&p->event[leader].cpus);

	move_to(cpu);
	for (size_t i = 0; i < p->count; i++) {
		bool member = i != leader && p->event[i].leader == leader;
		int error;

		o[i] = no_probe;
		if (!is_probed(&p->event[i]) || (i != leader && !member))
			continue;
		error = open_event(p, i, cpu, member ? o[leader].fd : -1, &o[i]);
		if (error)
			refuse(&results[i], error);
	}
	if (o[leader].fd >= 0)
		ioctl(o[leader].fd, PERF_EVENT_IOC_ENABLE, 0);
	walk_until(o, p->count);
	for (size_t i = 0; i < p->count; i++) {
		if (o[i].fd >= 0)
			probe_judge(&o[i], &results[i]);
	}
	for (size_t i = p->count; i-- > 0;)
		probe_close(&o[i]);
	free(o);
}

void probe_plan(struct event_plan *p, struct probe_result *results)
{
	cpu_set_t *before = CPU_ALLOC(CPULIST_CPUS);
	size_t size = CPU_ALLOC_SIZE(CPULIST_CPUS);
	bool known;

	if (!before)
		mem_exhausted();
	known = !sched_getaffinity(0, size, before);
	for (size_t i = 0; i < p->count; i++)
		if (is_probed(&p->event[i]) && p->event[i].leader == i)
			try_group(p, i, results);
	if (known)
		sched_setaffinity(0, size, before);
	CPU_FREE(before);
}

/* ---- What needs no PMU */

static void try_alone(struct perf_event_attr attr, void (*work)(void), struct probe_result *r)
{
	enum ladder_stage stage;
	struct probe o;
	int error;

	attr.size = sizeof(attr);
	attr.sample_period = 1;
	attr.exclude_hv = 1;
	error = probe_open(attr, false, -1, -1, 0, &o, &stage);
	if (error) {
		refuse(r, error);
		return;
	}
	ioctl(o.fd, PERF_EVENT_IOC_ENABLE, 0);
	work();
	ioctl(o.fd, PERF_EVENT_IOC_DISABLE, 0);
	*r = (struct probe_result){ 0 };
	probe_judge(&o, r);
	probe_close(&o);
}

static void touch_pages(void)
{
	size_t page = getpagesize(), bytes = 64 * page;
	volatile char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);

	if (at == MAP_FAILED)
		return;
	for (size_t i = 0; i < bytes; i += page)
		at[i] = 1;
	munmap((void *)at, bytes);
}

void probe_page_faults(struct probe_result *r)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR,
					.exclude_kernel = 1 };

	try_alone(attr, touch_pages, r);
}

static void sleep_some(void)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	for (int i = 0; i < 20; i++)
		nanosleep(&moment, NULL);
}

void probe_switches(uint64_t id, struct probe_result *r)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.config = id,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME };

	try_alone(attr, sleep_some, r);
}

#define SLOTS_MOST 16 /* Arm's most; x86 has 4 */

void probe_breakpoints(uint32_t *slots, struct probe_result *r)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };
	volatile uint64_t words[SLOTS_MOST] __attribute__((aligned(8))) = { 0 };
	struct probe o[SLOTS_MOST];
	enum ladder_stage stage;
	int error = 0;

	*r = (struct probe_result){ 0 };
	for (*slots = 0; *slots < SLOTS_MOST; ++*slots) {
		struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
						.size = sizeof(attr),
						.sample_period = 1,
						.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR,
						.bp_type = HW_BREAKPOINT_W,
						.bp_addr = (uintptr_t)&words[*slots],
						.bp_len = HW_BREAKPOINT_LEN_8,
						.exclude_kernel = 1,
						.exclude_hv = 1 };

		error = probe_open(attr, false, -1, -1, 0, &o[*slots], &stage);
		if (error)
			break;
		ioctl(o[*slots].fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	if (!*slots) {
		refuse(r, error);
		return;
	}
	nanosleep(&moment, NULL); /* a switch loads the registers anew */
	for (int i = 0; i < PROBE_STORES; i++)
		words[0] = i;
	probe_judge(&o[0], r);
	for (uint32_t i = 0; i < *slots; i++)
		probe_close(&o[i]);
}
