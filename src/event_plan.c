// SPDX-License-Identifier: GPL-2.0-only
#include "event_plan.h"
#include "event_attr.h"
#include "event_hardware.h"
#include "event_ladder.h"
#include "event_named.h"
#include "event_quirk.h"
#include "mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const roles[PLAN_ROLES] = {
	[PLAN_LOAD] = "loads",
	[PLAN_STORE] = "stores",
	[PLAN_ALL] = "loads and stores",
	[PLAN_HITM] = "HITM loads",
	[PLAN_AUX_LEADER] = "auxiliary leader",
	[PLAN_TRACK] = "maps and tasks",
	[PLAN_NAMED] = "as named",
};

const char *event_plan_role(enum plan_role r)
{
	return roles[r];
}

void event_plan_note(struct event_plan *p, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		mem_exhausted();
	va_end(args);
	mem_grow(&p->note, &p->note_room, p->notes);
	p->note[p->notes++] = text;
}

/* perf_event_paranoid: 2 forbids the kernel, 1 other tasks on a CPU, as perf_allow_kernel() and
 * perf_allow_cpu() have it. Not known is the strictest of the kernel's own defaults. */
static bool allowed(const struct event_plan *p, int64_t most)
{
	return p->host.privileged || (p->host.has_paranoid && p->host.paranoid <= most);
}

bool event_plan_may_kernel(const struct event_plan *p)
{
	return allowed(p, 1);
}

bool event_plan_may_all(const struct event_plan *p)
{
	return allowed(p, 0);
}

/* ---- The whole plan */

static struct err *plan_pmus(struct event_plan *p, const struct plan_request *r)
{
	struct err *e = NULL;

	for (size_t i = 0; i < p->pmus.count && !e; i++) {
		const struct pmu *pmu = &p->pmus.pmu[i];
		struct cpulist cpus = event_attr_cpus(p, pmu);

		if (cpulist_count(&cpus))
			e = event_hardware_plan(p, r, pmu);
		else
			event_plan_note(p, "%s is left out: none of its CPUs is online", pmu->name);
	}
	if (!e && !p->count)
		e = err_next(err_new(ERR_UNSUPPORTED, "no PMU has a CPU that is online"),
			     "use --source model");
	return e;
}

/* The user's own terms go to every event that samples accesses. */
static struct err *add_terms(struct event_plan *p, const struct plan_request *r)
{
	struct err *e = NULL;

	for (size_t i = 0; i < p->count && r->terms && !e; i++) {
		if (p->event[i].role == PLAN_AUX_LEADER)
			continue;
		e = event_attr_set(&p->event[i], r->terms);
		event_attr_name(&p->event[i], r->terms);
	}
	return e ? err_within(e, "--pmu-terms") : NULL;
}

/*
 * Maps and tasks are told by the first event, unless that runs on some CPUs only, or all tasks are
 * measured or tasks run already and must be known before the sampling starts, or a ring holds
 * packets alone: then a software event tells them. It counts nothing, and may run for anybody.
 */
static bool needs_tracker(const struct event_plan *p)
{
	return p->system_wide || p->running || p->pmus.count > 1 || p->aux_bytes;
}

static void set_tracking(const struct event_plan *p, struct perf_event_attr *a)
{
	a->mmap = a->mmap2 = a->mmap_data = 1;
	a->comm = a->comm_exec = a->task = 1;
	if (p->host.version >= HOST_HAS_SYMBOL_EVENTS)
		a->ksymbol = a->bpf_event = 1;
}

static void add_tracker(struct event_plan *p, const struct plan_request *r)
{
	struct plan_event *e = event_attr_add(p, r, PLAN_TRACK, NULL, mem_strdup("dummy:u"));

	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->attr.freq = 0;
	e->attr.sample_period = 1;
	e->attr.sample_type &= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU;
	if (p->aux_bytes)
		e->attr.sample_type |= PERF_SAMPLE_CPU;
	e->attr.exclude_kernel = e->attr.exclude_hv = 1;
	e->attr.exclude_user = 0;
	e->attr.disabled = e->attr.enable_on_exec = 0;
	/* SPE's packets do not say whose they are: the switches of a CPU's tasks do. */
	e->attr.context_switch = p->aux_bytes != 0;
}

/* A record must tell its event; where the events' samples differ in layout, before it is parsed. */
static void set_identity(struct event_plan *p)
{
	uint64_t bit = PERF_SAMPLE_ID;

	if (p->count < 2)
		return;
	for (size_t i = 1; i < p->count; i++)
		if (p->event[i].attr.sample_type != p->event[0].attr.sample_type)
			bit = PERF_SAMPLE_IDENTIFIER;
	for (size_t i = 0; i < p->count; i++)
		p->event[i].attr.sample_type |= bit;
}

/* Before Linux 6.2 IBS cannot follow a task, so all are sampled and other tasks' samples go. */
static void choose_scope(struct event_plan *p, const struct plan_request *r)
{
	p->system_wide = r->system_wide;
	p->running = r->running;
	if (p->pmus.source != PMU_IBS || r->system_wide || p->host.version >= HOST_HAS_IBS_TASK)
		return;
	p->system_wide = true;
	event_plan_note(p, "Linux before 6.2 samples with IBS on whole CPUs only: all tasks are "
			   "sampled, and those of others dropped");
}

/* What is above the kernel's limit it refuses. */
static void limit_frequency(struct event_plan *p, struct plan_request *r)
{
	if (!r->frequency || p->host.most_hz <= 0 || r->frequency <= p->host.most_hz)
		return;
	event_plan_note(p,
			"%u samples a second are above the kernel's limit "
			"(perf_event_max_sample_rate): %lld are asked for",
			r->frequency, (long long)p->host.most_hz);
	r->frequency = p->host.most_hz;
}

static void note_findings(struct event_plan *p, const struct plan_request *r)
{
	const struct event_quirk *q = event_quirk(&p->host);

	for (size_t i = 0; i < p->pmus.notes; i++)
		event_plan_note(p, "%s", p->pmus.note[i]);
	if (q && q->note)
		event_plan_note(p, "%s: %s", q->core, q->note);
	if (r->physical && p->host.version < HOST_HAS_PHYS_ADDR)
		event_plan_note(p, "Linux before 4.14 gives no physical addresses");
}

static struct err *no_source(const struct event_plan *p)
{
	struct err *e = err_new(ERR_UNSUPPORTED, "%s", p->pmus.why);

	if (p->host.hypervisor)
		return err_next(e, "this is a virtual machine: record on the host, or use --source "
				   "model, or import a recording with hitmap report -i FILE");
	return err_next(e, "use --source model, or import a recording with hitmap report -i FILE");
}

static struct err *plan_source(struct event_plan *p, const struct plan_request *r)
{
	struct err *e;

	if (p->pmus.source == PMU_NONE)
		return no_source(p);
	note_findings(p, r);
	e = plan_pmus(p, r);
	return e ? e : add_terms(p, r);
}

static struct err *make(const char *root, struct plan_request r, struct event_plan *p)
{
	struct err *e;

	choose_scope(p, &r);
	limit_frequency(p, &r);
	e = r.events ? event_named_plan(root, p, &r) : plan_source(p, &r);
	if (e)
		return e;
	if (needs_tracker(p))
		add_tracker(p, &r);
	set_tracking(p, &p->event[needs_tracker(p) ? p->count - 1 : 0].attr);
	set_identity(p);
	return event_ladder_restrict(p);
}

struct err *event_plan_make(const char *root, const struct plan_request *r, struct event_plan *p)
{
	struct err *e;

	*p = (struct event_plan){ 0 };
	host_read(root, &p->host);
	if (!r->events)
		pmu_set_find(root, r->source, &p->pmus);
	e = make(root, *r, p);
	if (e)
		event_plan_deinit(p);
	return e;
}

void event_plan_deinit(struct event_plan *p)
{
	while (p->count)
		event_attr_drop_last(p);
	free(p->event);
	for (size_t i = 0; i < p->notes; i++)
		free(p->note[i]);
	free(p->note);
	pmu_set_deinit(&p->pmus);
	*p = (struct event_plan){ 0 };
}
