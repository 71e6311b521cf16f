// SPDX-License-Identifier: GPL-2.0-only
#include "c2c_collect.h"
#include "collect_aux.h"
#include "collect_limit.h"
#include "event_ladder.h"
#include "mem.h"
#include "perf_fd.h"

#include <errno.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define WAKE_PART 4 /* a ring wakes the reader when one part in so many is filled */

/* Events that share their rings: a list of libperf's. */
struct bundle {
	struct perf_evlist *list;
	struct cpulist cpus;
	size_t leader; /* of its group; SIZE_MAX: they are no group */
};

struct opened {
	struct perf_evsel *evsel; /* NULL: left out */
	uint32_t *cpu;		  /* by index */
	size_t cpus, tasks;
	uint64_t *id; /* of each instance, those of a CPU together */
	size_t ids;
};

struct c2c_collect {
	struct event_plan *plan;
	struct collect_target target;
	pid_t *task; /* its tasks that live */
	struct perf_thread_map *threads;
	struct bundle *bundle;
	size_t bundles, bundle_room;
	struct opened *opened; /* by event of the plan */
	struct perf_fds fds;
	struct collect_aux aux;
	uint32_t pages, rings;
	int poll;
	size_t watched; /* events in "poll" whose tasks live */
};

static int quiet(enum libperf_print_level level, const char *format, va_list args)
{
	return 0;
}

/* ---- Bundles */

static struct cpulist cpus_of(const struct c2c_collect *c, const struct plan_event *e)
{
	return c->target.cpus ? cpulist_both(&e->cpus, c->target.cpus) : e->cpus;
}

/* An event is in a group when it has another leader, or is another's. */
static bool in_group(const struct event_plan *p, size_t event)
{
	for (size_t i = 0; i < p->count; i++)
		if (i != p->event[i].leader && !p->event[i].left_out &&
		    (i == event || p->event[i].leader == event))
			return true;
	return false;
}

static struct bundle *find_bundle(struct c2c_collect *c, const struct cpulist *cpus, size_t leader)
{
	struct bundle *b;

	for (size_t i = 0; i < c->bundles; i++) {
		b = &c->bundle[i];
		if (b->leader == leader && !memcmp(&b->cpus, cpus, sizeof(*cpus)))
			return b;
	}
	mem_grow(&c->bundle, &c->bundle_room, c->bundles);
	b = &c->bundle[c->bundles++];
	*b = (struct bundle){ .list = perf_evlist__new(), .cpus = *cpus, .leader = leader };
	if (!b->list)
		mem_exhausted();
	return b;
}

/* libperf frees neither an event's reference to its maps nor its ids' tables. */
static void drop_list(struct perf_evlist *list)
{
	struct perf_evsel *evsel;

	perf_evlist__for_each_evsel(list, evsel)
	{
		perf_cpu_map__put(perf_evsel__cpus(evsel));
		perf_thread_map__put(perf_evsel__threads(evsel));
	}
	perf_evlist__delete(list);
}

static void drop_bundles(struct c2c_collect *c)
{
	collect_aux_close(&c->aux);
	for (size_t i = 0; i < c->bundles; i++)
		drop_list(c->bundle[i].list);
	for (size_t i = 0; i < c->plan->count; i++) {
		free(c->opened[i].cpu);
		free(c->opened[i].id);
		c->opened[i] = (struct opened){ 0 };
	}
	perf_fds_deinit(&c->fds);
	c->bundles = 0;
	c->rings = 0;
}

static void number_cpus(struct opened *o, const struct cpulist *cpus)
{
	o->cpu = mem_zalloc(cpulist_count(cpus) * sizeof(*o->cpu) + 1);
	for (uint32_t cpu = 0; cpu < CPULIST_CPUS; cpu++)
		if (cpulist_has(cpus, cpu))
			o->cpu[o->cpus++] = cpu;
}

/* The ring wakes the reader by bytes, not by records. */
static void add_event(struct c2c_collect *c, size_t event)
{
	struct plan_event *e = &c->plan->event[event];
	struct perf_event_attr attr = e->attr;
	struct cpulist cpus = cpus_of(c, e);
	struct opened *o = &c->opened[event];
	struct bundle *b;

	if (e->left_out || !cpulist_count(&cpus))
		return;
	attr.watermark = 1;
	attr.wakeup_watermark = c->pages * getpagesize() / WAKE_PART;
	b = find_bundle(c, &cpus, in_group(c->plan, event) ? e->leader : SIZE_MAX);
	o->evsel = perf_evsel__new(&attr);
	if (!o->evsel)
		mem_exhausted();
	o->tasks = c->target.task ? c->target.tasks : 1;
	number_cpus(o, &cpus);
	perf_evlist__add(b->list, o->evsel);
}

static void set_maps(struct c2c_collect *c, struct bundle *b)
{
	char *text = cpulist_text(&b->cpus);
	struct perf_cpu_map *cpus = perf_cpu_map__new(text);

	if (!cpus)
		mem_exhausted();
	perf_evlist__set_maps(b->list, cpus, c->threads);
	perf_cpu_map__put(cpus);
	free(text);
	if (b->leader != SIZE_MAX)
		perf_evlist__set_leader(b->list);
}

static void make_bundles(struct c2c_collect *c)
{
	for (size_t i = 0; i < c->plan->count; i++)
		add_event(c, i);
	for (size_t i = 0; i < c->bundles; i++) {
		set_maps(c, &c->bundle[i]);
		c->rings += cpulist_count(&c->bundle[i].cpus);
	}
}

/* ---- Opening */

/* Where opening stopped. */
struct stop {
	size_t event;
	enum ladder_stage stage;
	int error; /* 0: it did not */
};

static struct stop open_events(struct c2c_collect *c)
{
	for (size_t i = 0; i < c->plan->count; i++) {
		struct perf_evsel *evsel = c->opened[i].evsel;
		int error = evsel ? perf_evsel__open(evsel, perf_evsel__cpus(evsel),
						     perf_evsel__threads(evsel))
				  : 0;

		if (error)
			return (struct stop){ i, LADDER_OPEN, -error };
	}
	return (struct stop){ 0 };
}

static uint64_t read_id(struct perf_evsel *evsel, size_t cpu, size_t task)
{
	struct perf_counts_values v = { 0 };

	return perf_evsel__read(evsel, cpu, task, &v) ? 0 : v.id;
}

static void read_ids(struct opened *o)
{
	o->id = mem_zalloc(o->cpus * o->tasks * sizeof(*o->id) + 1);
	for (size_t cpu = 0; cpu < o->cpus; cpu++)
		for (size_t task = 0; task < o->tasks; task++)
			o->id[o->ids++] = read_id(o->evsel, cpu, task);
}

/*
 * libperf keeps the descriptors to itself; what it cannot do needs them, and the events' ids tell
 * whose each is.
 */
static struct stop find_descriptors(struct c2c_collect *c)
{
	struct stop stop = { 0 };

	for (size_t i = 0; i < c->plan->count; i++)
		if (c->opened[i].evsel)
			read_ids(&c->opened[i]);
	stop.error = perf_fds_find(&c->fds);
	return stop;
}

/* In place of an event of all tasks comes that of a cgroup's, which libperf has no flag for. */
static struct stop move_to_cgroup(struct c2c_collect *c)
{
	for (size_t i = 0; i < c->plan->count; i++) {
		struct opened *o = &c->opened[i];
		size_t leader = c->plan->event[i].leader;

		for (size_t n = 0; n < o->ids; n++) {
			uint64_t group = leader == i ? 0 : c->opened[leader].id[n];
			int error = perf_fds_replace(&c->fds, &o->id[n], group,
						     perf_evsel__attr(o->evsel), c->target.cgroup,
						     o->cpu[n]);

			if (error)
				return (struct stop){ i, LADDER_OPEN, error };
		}
	}
	return (struct stop){ 0 };
}

static size_t aux_event(const struct c2c_collect *c)
{
	for (size_t i = 0; i < c->plan->count; i++)
		if (c->plan->aux_bytes && c->opened[i].evsel && c->plan->event[i].role == PLAN_ALL)
			return i;
	return 0;
}

static struct stop map_rings(struct c2c_collect *c)
{
	for (size_t i = 0; i < c->bundles; i++) {
		errno = 0;
		if (perf_evlist__mmap(c->bundle[i].list, c->pages))
			return (struct stop){ 0, LADDER_MAP, errno ? errno : EINVAL };
	}
	return (struct stop){ 0 };
}

/* Each instance of an event that makes packets has an AUX ring beside its ring. */
static struct stop map_aux(struct c2c_collect *c)
{
	uint32_t ring = 0;

	for (size_t i = 0; i < c->plan->count; i++) {
		struct opened *o = &c->opened[i];

		if (c->plan->event[i].role != PLAN_ALL || !c->plan->aux_bytes)
			continue;
		for (size_t n = 0; n < o->ids; n++) {
			int error = collect_aux_add(&c->aux, perf_fds_of(&c->fds, o->id[n]),
						    o->cpu[n / o->tasks], ring++, c->pages,
						    c->plan->aux_bytes);

			if (error)
				return (struct stop){ i, LADDER_MAP, error };
		}
	}
	return (struct stop){ 0 };
}

static struct stop (*const steps[])(struct c2c_collect *c) = {
	open_events, find_descriptors, move_to_cgroup, map_rings, map_aux,
};

static struct stop open_once(struct c2c_collect *c)
{
	struct stop stop = { 0 };

	make_bundles(c);
	for (size_t i = 0; i < ARRAY_SIZE(steps) && !stop.error; i++)
		if (steps[i] != move_to_cgroup || c->target.cgroup >= 0)
			stop = steps[i](c);
	return stop;
}

/* A ring that the budget has no room for is made smaller, unless the user said how large. */
static bool shrink(struct c2c_collect *c, const struct stop *stop)
{
	if (stop->stage != LADDER_MAP || c->target.pages || c->pages == 1 ||
	    (stop->error != EPERM && stop->error != ENOMEM))
		return false;
	c->pages /= 2;
	return true;
}

static struct err *refusal(const struct c2c_collect *c, const struct stop *stop)
{
	if (stop->stage == LADDER_MAP)
		return collect_limit_ring_refused(c->rings, c->pages, stop->error);
	if (stop->error == EMFILE || stop->error == ENFILE)
		return collect_limit_files_refused(c->plan, &c->target, stop->error);
	if (stop->error == ESRCH)
		return err_next(err_new(ERR_FAILED, "perf_event_open: the tasks have ended"),
				"name tasks that run");
	return event_ladder_refusal(c->plan, stop->event, stop->error);
}

static void thread_map(struct c2c_collect *c)
{
	perf_thread_map__put(c->threads);
	c->threads = c->task ? perf_thread_map__new_array(c->target.tasks, c->task)
			     : perf_thread_map__new_dummy();
	if (!c->threads)
		mem_exhausted();
}

/* Tasks end between being listed and being opened. */
static bool forget_dead(struct c2c_collect *c, const struct stop *stop)
{
	size_t live = 0;

	if (stop->error != ESRCH || !c->task)
		return false;
	for (size_t i = 0; i < c->target.tasks; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/proc/%d", c->task[i]);
		if (!access(path, F_OK))
			c->task[live++] = c->task[i];
	}
	if (!live || live == c->target.tasks)
		return false;
	c->target.tasks = live;
	thread_map(c);
	return true;
}

/* What only samples whole CPUs is opened for all tasks. */
static void forget_tasks(struct c2c_collect *c)
{
	if (!c->plan->system_wide || !c->task)
		return;
	free(c->task);
	c->task = NULL;
	c->target.task = NULL;
	thread_map(c);
}

static bool give_way(struct c2c_collect *c, const struct stop *stop)
{
	size_t event = stop->stage == LADDER_MAP ? aux_event(c) : stop->event;

	if (forget_dead(c, stop) || shrink(c, stop))
		return true;
	if (!event_ladder_step(c->plan, event, stop->stage, stop->error))
		return false;
	forget_tasks(c);
	return true;
}

static struct err *open_all(struct c2c_collect *c)
{
	for (;;) {
		struct stop stop = open_once(c);

		if (!stop.error)
			return NULL;
		if (!give_way(c, &stop))
			return refusal(c, &stop);
		drop_bundles(c);
	}
}

static void note_pages(struct c2c_collect *c, uint32_t wanted)
{
	if (c->pages < wanted)
		event_plan_note(c->plan,
				"rings of %d kB instead of %d kB: there is no more memory that "
				"may be locked (perf_event_mlock_kb, ulimit -l)",
				c->pages * (getpagesize() / 1024), wanted * (getpagesize() / 1024));
}

static struct err *watch(struct c2c_collect *c)
{
	c->poll = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < c->fds.count; i++) {
		struct epoll_event e = { .events = EPOLLIN, .data.fd = c->fds.fd[i].fd };

		if (c->poll < 0 || epoll_ctl(c->poll, EPOLL_CTL_ADD, e.data.fd, &e))
			return err_errno(ERR_FAILED, errno, "record: epoll");
	}
	c->watched = c->fds.count;
	return NULL;
}

static void copy_tasks(struct c2c_collect *c)
{
	size_t bytes = c->target.tasks * sizeof(*c->task);

	if (!c->target.task)
		return;
	c->task = mem_zalloc(bytes + 1);
	memcpy(c->task, c->target.task, bytes);
	c->target.task = c->task;
}

struct err *c2c_collect_open(struct event_plan *plan, const struct collect_target *target,
			     struct c2c_collect **c)
{
	struct c2c_collect *new = mem_zalloc(sizeof(*new));
	uint32_t wanted;
	struct err *e;

	libperf_init(quiet);
	new->plan = plan;
	new->target = *target;
	new->poll = -1;
	new->opened = mem_zalloc(plan->count * sizeof(*new->opened));
	copy_tasks(new);
	thread_map(new);
	collect_limit_raise_files();
	wanted = target->pages ? target->pages : collect_limit_pages(plan, target);
	new->pages = wanted;
	e = open_all(new);
	if (!e && !new->fds.count)
		e = err_next(err_new(ERR_USAGE, "record: no event can run on these CPUs"),
			     "see hitmap record --dry-run");
	if (!e)
		e = watch(new);
	note_pages(new, wanted);
	if (e)
		c2c_collect_close(new);
	else
		*c = new;
	return e;
}

void c2c_collect_close(struct c2c_collect *c)
{
	if (c->poll >= 0)
		close(c->poll);
	drop_bundles(c);
	perf_thread_map__put(c->threads);
	free(c->bundle);
	free(c->task);
	free(c->opened);
	free(c);
}

/* ---- What was opened */

const uint64_t *c2c_collect_ids(const struct c2c_collect *c, size_t event, size_t *count)
{
	*count = c->opened[event].ids;
	return c->opened[event].id;
}

uint32_t c2c_collect_pages(const struct c2c_collect *c)
{
	return c->pages;
}

uint32_t c2c_collect_rings(const struct c2c_collect *c)
{
	return c->rings;
}

struct collect_count c2c_collect_count(const struct c2c_collect *c, size_t event)
{
	const struct opened *o = &c->opened[event];
	struct collect_count sum = { 0 };

	for (size_t cpu = 0; cpu < o->cpus && o->evsel; cpu++) {
		for (size_t task = 0; task < o->tasks; task++) {
			struct perf_counts_values v = { 0 };

			perf_evsel__read(o->evsel, cpu, task, &v);
			sum.events += v.val;
			sum.lost += v.lost;
		}
	}
	return sum;
}

static void for_each_list(struct c2c_collect *c, void (*each)(struct perf_evlist *list))
{
	for (size_t i = 0; i < c->bundles; i++)
		each(c->bundle[i].list);
}

void c2c_collect_enable(struct c2c_collect *c)
{
	for_each_list(c, perf_evlist__enable);
}

void c2c_collect_disable(struct c2c_collect *c)
{
	for_each_list(c, perf_evlist__disable);
}

/* ---- Reading */

/* An event without a task any more would wake the reader for ever. */
static void unwatch(struct c2c_collect *c, int fd)
{
	if (!epoll_ctl(c->poll, EPOLL_CTL_DEL, fd, NULL) && c->watched)
		c->watched--;
}

struct err *c2c_collect_watch(struct c2c_collect *c, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(c->poll, EPOLL_CTL_ADD, fd, &e))
		return err_errno(ERR_FAILED, errno, "record: epoll");
	return NULL;
}

/* What else is watched is read, or closed, by those who added it. */
struct err *c2c_collect_wait(struct c2c_collect *c, bool *ended)
{
	struct epoll_event events[64];
	int n = epoll_wait(c->poll, events, ARRAY_SIZE(events), -1);

	if (n < 0 && errno != EINTR)
		return err_errno(ERR_FAILED, errno, "record: epoll");
	for (int i = 0; i < n; i++)
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			unwatch(c, events[i].data.fd);
	*ended = !c->watched;
	return NULL;
}

/* The kernel fills only what was given back to it, so what can be read before that ends. */
static struct err *drain_ring(struct perf_mmap *ring, uint32_t cpu,
			      const struct collect_taker *taker, uint64_t *records)
{
	const union perf_event *record;
	struct err *e = NULL;

	if (perf_mmap__read_init(ring))
		return NULL;
	while (!e && (record = perf_mmap__read_event(ring))) {
		e = taker->record(taker->context, cpu, &record->header);
		++*records;
	}
	perf_mmap__consume(ring);
	return e;
}

/* A list's rings are in the order of its CPUs. */
static struct err *drain_bundle(struct bundle *b, const struct collect_taker *taker,
				uint64_t *records)
{
	struct perf_mmap *ring;
	struct err *e = NULL;
	uint32_t cpu = 0;

	perf_evlist__for_each_mmap(b->list, ring, false)
	{
		while (!cpulist_has(&b->cpus, cpu) && cpu < CPULIST_CPUS)
			cpu++;
		if (!e)
			e = drain_ring(ring, cpu++, taker, records);
	}
	return e;
}

struct err *c2c_collect_drain(struct c2c_collect *c, const struct collect_taker *taker,
			      uint64_t *records)
{
	struct err *e = NULL;

	*records = 0;
	for (size_t i = 0; i < c->bundles && !e; i++)
		e = drain_bundle(&c->bundle[i], taker, records);
	return e ? e : collect_aux_drain(&c->aux, taker);
}
