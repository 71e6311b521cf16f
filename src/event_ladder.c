// SPDX-License-Identifier: GPL-2.0-only
#include "event_ladder.h"
#include "event_attr.h"
#include "mem.h"

#include <errno.h>
#include <stdlib.h>

#define SMALL_AUX (128u << 10) /* fits into perf_event_mlock_kb, 516 by default */

/* ---- What can be given up */

static void clear_format_lost(struct event_plan *p, struct plan_event *e)
{
	for (size_t i = 0; i < p->count; i++)
		p->event[i].attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
}

/* A kernel whose release is known was not asked for more than it has. */
static bool may_be_old(const struct event_plan *p)
{
	return p->host.version == UINT32_MAX;
}

static bool has_format_lost(const struct event_plan *p, const struct plan_event *e)
{
	return may_be_old(p) && e->attr.read_format & PERF_FORMAT_LOST;
}

static bool has_weights(const struct event_plan *p, const struct plan_event *e)
{
	return may_be_old(p) && e->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT;
}

static void swap_weights(struct event_plan *p, struct plan_event *e)
{
	for (size_t i = 0; i < p->count; i++) {
		struct perf_event_attr *a = &p->event[i].attr;

		if (a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
			a->sample_type ^= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
	}
}

static bool has_symbols(const struct event_plan *p, const struct plan_event *e)
{
	return may_be_old(p) && e->attr.ksymbol;
}

static void clear_symbols(struct event_plan *p, struct plan_event *e)
{
	e->attr.ksymbol = e->attr.bpf_event = 0;
}

static bool has_physical(const struct event_plan *p, const struct plan_event *e)
{
	return e->attr.sample_type & PERF_SAMPLE_PHYS_ADDR;
}

/* SPE's own switch goes too; a PMU that has none leaves the attr as it is. */
static void clear_physical(struct event_plan *p, struct plan_event *e)
{
	for (size_t i = 0; i < p->count; i++) {
		struct plan_event *each = &p->event[i];

		each->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PHYS_ADDR;
		if (each->pmu && pmu_field(each->pmu, "pa_enable"))
			err_free(event_attr_set(each, "pa_enable=0"));
	}
}

/* Of an event that only tracks, the kernel's side is never asked for. */
static bool is_sampled(const struct plan_event *e)
{
	return e->role != PLAN_TRACK;
}

/* IBS can only leave the kernel out where the kernel filters for it. */
static bool has_kernel(const struct event_plan *p, const struct plan_event *e)
{
	bool filters = p->pmus.source != PMU_IBS || (e->pmu && pmu_field(e->pmu, "swfilt"));

	return is_sampled(e) && !e->attr.exclude_kernel && !e->attr.exclude_user && filters;
}

static void clear_kernel(struct event_plan *p, struct plan_event *e)
{
	for (size_t i = 0; i < p->count; i++) {
		struct plan_event *each = &p->event[i];

		each->attr.exclude_kernel = each->attr.exclude_hv = 1;
		if (p->pmus.source == PMU_IBS && each->pmu)
			err_free(event_attr_set(each, "swfilt=1"));
	}
}

static bool is_precise_3(const struct event_plan *p, const struct plan_event *e)
{
	return e->attr.precise_ip == 3;
}

static bool is_precise_2(const struct event_plan *p, const struct plan_event *e)
{
	return e->attr.precise_ip == 2;
}

static void lower_precise(struct event_plan *p, struct plan_event *e)
{
	e->attr.precise_ip--;
}

static bool is_store(const struct event_plan *p, const struct plan_event *e)
{
	return e->role == PLAN_STORE && !e->left_out;
}

static bool is_hitm(const struct event_plan *p, const struct plan_event *e)
{
	return e->role == PLAN_HITM && !e->left_out;
}

static void leave_out(struct event_plan *p, struct plan_event *e)
{
	e->left_out = true;
}

static bool is_ibs_task(const struct event_plan *p, const struct plan_event *e)
{
	return p->pmus.source == PMU_IBS && !p->system_wide && event_plan_may_all(p);
}

static void make_system_wide(struct event_plan *p, struct plan_event *e)
{
	p->system_wide = true;
	for (size_t i = 0; i < p->count; i++) {
		struct perf_event_attr *a = &p->event[i].attr;

		a->inherit = a->enable_on_exec = 0;
		a->sample_type |= PERF_SAMPLE_CPU;
	}
}

static bool has_large_aux(const struct event_plan *p, const struct plan_event *e)
{
	return e->role == PLAN_ALL && p->aux_bytes > SMALL_AUX;
}

static void shrink_aux(struct event_plan *p, struct plan_event *e)
{
	p->aux_bytes = SMALL_AUX;
}

/* ---- The ladder: what costs least first */

static const struct ladder_rung ladder[] = {
	{ "no-lost",
	  LADDER_OPEN,
	  { EINVAL },
	  true,
	  has_format_lost,
	  clear_format_lost,
	  "no count of lost samples per event (Linux 6.0 has it)" },
	{ "no-symbols",
	  LADDER_OPEN,
	  { EINVAL },
	  false,
	  has_symbols,
	  clear_symbols,
	  "no records of kernel symbols and BPF programs (Linux 5.1 has them)" },
	{ "one-weight",
	  LADDER_OPEN,
	  { EINVAL },
	  true,
	  has_weights,
	  swap_weights,
	  "one weight a sample, no latency of the instruction (Linux 5.12 has it)" },
	{ "precise-2",
	  LADDER_OPEN,
	  { EINVAL, EOPNOTSUPP },
	  false,
	  is_precise_3,
	  lower_precise,
	  "precise_ip 2: code addresses are exact, but which instructions are sampled is less "
	  "even" },
	{ "precise-1",
	  LADDER_OPEN,
	  { EINVAL, EOPNOTSUPP },
	  false,
	  is_precise_2,
	  lower_precise,
	  "precise_ip 1: code addresses may be an instruction late" },
	{ "no-physical",
	  LADDER_OPEN,
	  { EACCES, EPERM },
	  true,
	  has_physical,
	  clear_physical,
	  "no physical addresses without privilege: shared memory is told apart by its mapping" },
	{ "user-only",
	  LADDER_OPEN,
	  { EACCES, EPERM },
	  true,
	  has_kernel,
	  clear_kernel,
	  "exclude_kernel, as perf_event_paranoid 2 wants: accesses by the kernel will be unseen" },
	{ "all-tasks",
	  LADDER_OPEN,
	  { EINVAL, ENOENT },
	  true,
	  is_ibs_task,
	  make_system_wide,
	  "IBS on whole CPUs: all tasks are sampled, and those of others dropped" },
	{ "no-hitm",
	  LADDER_OPEN,
	  { EINVAL, ENOENT, EOPNOTSUPP },
	  false,
	  is_hitm,
	  leave_out,
	  "without the HITM event: the loads' data sources still say which were HITM" },
	{ "no-stores",
	  LADDER_OPEN,
	  { EINVAL, ENOENT, EOPNOTSUPP },
	  false,
	  is_store,
	  leave_out,
	  "without stores: writers will be unseen" },
	{ "small-aux",
	  LADDER_MAP,
	  { EPERM, ENOMEM },
	  false,
	  has_large_aux,
	  shrink_aux,
	  "AUX rings of 128 kB instead of 4 MB: more records are lost" },
};

static bool answers(const struct ladder_rung *r, enum ladder_stage stage, int error)
{
	if (r->stage != stage)
		return false;
	for (size_t i = 0; i < LADDER_ERRORS; i++)
		if (error && r->error[i] == error)
			return true;
	return false;
}

const struct ladder_rung *event_ladder_step(struct event_plan *p, size_t event,
					    enum ladder_stage stage, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(ladder); i++) {
		const struct ladder_rung *r = &ladder[i];

		if (!answers(r, stage, error) || !r->applies(p, &p->event[event]))
			continue;
		r->change(p, &p->event[event]);
		event_plan_note(p, "%s: %s", p->event[event].name, r->sentence);
		return r;
	}
	return NULL;
}

/* Rungs change attrs and flags only, never names: a copy of the events is enough to try them on. */
size_t event_ladder_list(const struct event_plan *p, size_t event, const struct ladder_rung **rungs,
			 size_t room)
{
	struct event_plan trial = *p;
	size_t count = 0;

	trial.event = mem_zalloc(p->count * sizeof(*trial.event));
	for (size_t i = 0; i < p->count; i++)
		trial.event[i] = p->event[i];
	for (size_t i = 0; i < ARRAY_SIZE(ladder) && count < room; i++) {
		if (!ladder[i].applies(&trial, &trial.event[event]))
			continue;
		ladder[i].change(&trial, &trial.event[event]);
		rungs[count++] = &ladder[i];
	}
	free(trial.event);
	return count;
}

/* ---- What this user may not do anyway */

static struct err *not_allowed(const struct event_plan *p, const char *what)
{
	struct err *e = err_new(ERR_UNSUPPORTED,
				"%s needs CAP_PERFMON or root (perf_event_paranoid is %lld)", what,
				p->host.has_paranoid ? (long long)p->host.paranoid : 2LL);

	return err_next(e, "sudo hitmap record ..., or sysctl kernel.perf_event_paranoid=-1, or "
			   "--source model");
}

/* Some distributions' kernels refuse everything from 3 on. */
static bool may_nothing(const struct event_plan *p)
{
	return !p->host.privileged && p->host.has_paranoid && p->host.paranoid >= 3;
}

static struct plan_event *first_with(const struct event_plan *p,
				     bool (*is)(const struct event_plan *p,
						const struct plan_event *e))
{
	for (size_t i = 0; i < p->count; i++)
		if (is(p, &p->event[i]))
			return &p->event[i];
	return NULL;
}

static bool samples_kernel(const struct event_plan *p, const struct plan_event *e)
{
	return is_sampled(e) && !e->attr.exclude_kernel;
}

/* Takes the rungs that answer a want of permission. */
static void take_permission_rungs(struct event_plan *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(ladder); i++) {
		struct plan_event *e = first_with(p, ladder[i].applies);

		if (!e || !answers(&ladder[i], LADDER_OPEN, EACCES))
			continue;
		ladder[i].change(p, e);
		event_plan_note(p, "%s", ladder[i].sentence);
	}
}

struct err *event_ladder_restrict(struct event_plan *p)
{
	if (may_nothing(p))
		return not_allowed(p, "any sampling");
	if (p->system_wide && !event_plan_may_all(p))
		return not_allowed(p, "sampling all tasks");
	if (event_plan_may_kernel(p))
		return NULL;
	take_permission_rungs(p);
	if (first_with(p, samples_kernel))
		return not_allowed(p, p->pmus.source == PMU_IBS
					      ? "IBS, which samples user and kernel together,"
					      : "sampling the kernel");
	if (p->aux_bytes > SMALL_AUX && !p->host.privileged)
		p->aux_bytes = SMALL_AUX;
	return NULL;
}

/* ---- The end of the ladder */

static const struct refusal {
	int error;
	const char *why, *next;
} refusals[] = {
	{ EACCES, "not permitted",
	  "run as root or with CAP_PERFMON; see kernel.perf_event_paranoid" },
	{ EPERM, "not permitted",
	  "run as root or with CAP_PERFMON; in a container the seccomp profile must allow "
	  "perf_event_open" },
	{ ENOSYS, "the kernel or a seccomp profile has no perf_event_open",
	  "in a container allow perf_event_open, or use --source model" },
	{ EBUSY, "the counter is in use", "stop other profilers, or sysctl kernel.nmi_watchdog=0" },
	{ EMFILE, "too many open files", "raise the limit: ulimit -n" },
	{ ENODATA, "the kernel wants the event mem-loads-aux before it, which sysfs does not have",
	  "use --source model" },
	{ ENOENT, "this kernel does not know the event", "use --source model" },
	{ ENODEV, "its PMU does not do it", "use --source model" },
	{ EOPNOTSUPP, "its PMU does not do it", "use --source model" },
	{ EINVAL, "the kernel does not take it", "use --source model" },
};

struct err *event_ladder_refusal(const struct event_plan *p, size_t event, int error)
{
	const char *name = p->event[event].name;

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].error == error)
			return err_next(err_errno(ERR_UNSUPPORTED, error, "event %s: %s", name,
						  refusals[i].why),
					"%s", refusals[i].next);
	return err_errno(ERR_FAILED, error, "event %s", name);
}
