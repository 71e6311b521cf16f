// SPDX-License-Identifier: GPL-2.0-only
#include "event_hardware.h"
#include "event_attr.h"
#include "event_quirk.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define PEBS_LDLAT   30 /* cycles: above L2 hits; what perf c2c takes */
#define PRECISE_MOST 3
#define SPE_PERIOD   4096 /* operations; more samples than these fill an AUX ring too fast */
#define AUX_BYTES    (4u << 20)

/* ---- Named events of a core PMU */

/* "cpu/mem-loads,ldlat=30/P": P is perf's word for the highest precise_ip that works, which it
 * leaves out in this group. */
static char *alias_name(const struct pmu *pmu, const char *alias, uint32_t ldlat,
			const char *modifier)
{
	return ldlat ? mem_printf("%s/%s,ldlat=%u/%s", pmu->name, alias, ldlat, modifier)
		     : mem_printf("%s/%s/%s", pmu->name, alias, modifier);
}

/* An alias that sysfs spells wrongly is this machine's fault, not the user's. */
static struct err *bad_alias(struct err *e)
{
	struct err *own = err_new(ERR_UNSUPPORTED, "%s", err_text(e));

	err_free(e);
	return err_next(own, "use --source model, or perf c2c record and hitmap report -i FILE");
}

static struct err *put_alias(struct plan_event *e, const char *alias, const char *terms,
			     uint32_t ldlat)
{
	struct pmu_config c = { { 0 } };
	char *what = mem_printf("events/%s", alias);
	struct err *error = pmu_put_terms(e->pmu, what, terms, &c);

	free(what);
	if (error)
		return bad_alias(error);
	if (ldlat)
		error = pmu_put(e->pmu, "ldlat", ldlat, &c);
	return error ? error : event_attr_config(e, &c);
}

/* The highest precise_ip to try. A kernel before 4.14 does not say; the ladder finds out. */
static uint32_t most_precise(const struct pmu *pmu)
{
	uint64_t most;

	return pmu_cap(pmu, "max_precise", &most) && most < PRECISE_MOST ? most : PRECISE_MOST;
}

static struct err *add_alias(struct event_plan *p, const struct plan_request *r,
			     enum plan_role role, const struct pmu *pmu, const char *alias,
			     uint32_t ldlat, const char *modifier)
{
	struct plan_event *e = event_attr_add(p, r, role, pmu,
					      alias_name(pmu, alias, ldlat, modifier));

	return put_alias(e, alias, pmu_event(pmu, alias), ldlat);
}

/* A group starts and stops with its leader. */
static void join_group(struct plan_event *e, size_t leader)
{
	e->leader = leader;
	e->attr.disabled = 0;
	e->attr.enable_on_exec = 0;
}

/* ---- Intel: one group or event for loads, one event for stores, on each core PMU */

/*
 * Golden Cove's load latency event counts nothing unless its auxiliary event leads the group, which
 * then has the one counter that can do precise_ip 3. The leader samples as perf's does: the kernel
 * refuses precise_ip without sampling.
 */
static struct err *pebs_loads(struct event_plan *p, const struct plan_request *r,
			      const struct pmu *pmu, uint32_t ldlat)
{
	bool aux = pmu_event(pmu, "mem-loads-aux");
	size_t leader = p->count;
	struct err *e = NULL;

	if (aux) {
		e = add_alias(p, r, PLAN_AUX_LEADER, pmu, "mem-loads-aux", 0, "");
		p->event[leader].attr.precise_ip = most_precise(pmu);
	}
	if (!e)
		e = add_alias(p, r, PLAN_LOAD, pmu, "mem-loads", ldlat, aux ? "" : "P");
	if (e)
		return e;
	p->event[p->count - 1].attr.precise_ip = most_precise(pmu);
	if (aux) {
		join_group(&p->event[p->count - 1], leader);
		if (p->event[leader].attr.precise_ip == PRECISE_MOST)
			p->event[p->count - 1].attr.precise_ip = PRECISE_MOST - 1;
	}
	return NULL;
}

static void store_missing(struct event_plan *p, const struct pmu *pmu, const char *why)
{
	event_plan_note(p, "no stores on %s (%s): writers will be unseen", pmu->name, why);
}

static void add_stores(struct event_plan *p, const struct plan_request *r, const struct pmu *pmu,
		       uint32_t precise, const char *modifier)
{
	struct err *e;

	if (!pmu_event(pmu, "mem-stores")) {
		store_missing(p, pmu, "it has no event mem-stores");
		return;
	}
	e = add_alias(p, r, PLAN_STORE, pmu, "mem-stores", 0, modifier);
	if (e) {
		event_attr_drop_last(p);
		store_missing(p, pmu, err_text(e));
		err_free(e);
		return;
	}
	p->event[p->count - 1].attr.precise_ip = precise;
}

static bool is_small_core(const struct pmu *pmu)
{
	return strcmp(pmu->name, "cpu") && strcmp(pmu->name, "cpu_core");
}

static void add_hitm(struct event_plan *p, const struct plan_request *r, const struct pmu *pmu)
{
	const struct event_quirk *q = event_quirk(&p->host);

	if (!q || !q->hitm[0].name || is_small_core(pmu)) {
		event_plan_note(p,
				"no HITM event on %s: its encoding for this processor is not known",
				pmu->name);
		return;
	}
	for (size_t i = 0; i < QUIRK_HITM && q->hitm[i].name; i++) {
		const struct quirk_hitm *h = &q->hitm[i];
		struct plan_event *e = event_attr_add(p, r, PLAN_HITM, pmu,
						      alias_name(pmu, h->name, 0, "P"));
		struct err *error = put_alias(e, h->name, h->terms, 0);

		e->attr.precise_ip = most_precise(pmu);
		if (error) {
			event_plan_note(p, "no HITM event %s: %s", h->name, err_text(error));
			err_free(error);
			event_attr_drop_last(p);
		}
	}
}

static struct err *no_pebs(const struct pmu *pmu)
{
	return err_next(err_new(ERR_UNSUPPORTED,
				"%s has caps/max_precise 0: no precise sampling here", pmu->name),
			"a virtual machine needs a host that passes PEBS on; or --source model");
}

static struct err *plan_pebs(struct event_plan *p, const struct plan_request *r,
			     const struct pmu *pmu)
{
	struct err *e;

	if (!most_precise(pmu))
		return no_pebs(pmu);
	e = pebs_loads(p, r, pmu, r->ldlat ? r->ldlat : PEBS_LDLAT);
	if (e)
		return e;
	add_stores(p, r, pmu, most_precise(pmu), "P");
	if (r->hitm)
		add_hitm(p, r, pmu);
	return NULL;
}

/* ---- Power: the same names, no threshold and no precise_ip */

static struct err *plan_power(struct event_plan *p, const struct plan_request *r,
			      const struct pmu *pmu)
{
	struct err *e;

	if (r->ldlat)
		return err_next(err_new(ERR_USAGE, "Power has no least latency"),
				"leave --ldlat out");
	e = add_alias(p, r, PLAN_LOAD, pmu, "mem-loads", 0, "");
	if (e)
		return e;
	add_stores(p, r, pmu, 0, "");
	if (r->hitm)
		add_hitm(p, r, pmu);
	return NULL;
}

/* ---- AMD: every op, loads and stores among them */

static void name_value(struct plan_event *e, const char *field, uint32_t value)
{
	char *term = mem_printf("%s=%u", field, value);

	event_attr_name(e, term);
	free(term);
}

static struct err *ibs_ldlat(struct event_plan *p, struct plan_event *e, uint32_t ldlat)
{
	struct pmu_config c = { { e->attr.config, e->attr.config1, e->attr.config2 } };
	struct err *error;

	if (!pmu_field(e->pmu, "ldlat"))
		return err_next(
			err_new(ERR_USAGE, "%s has no least latency (Zen 5 has)", e->pmu->name),
			"leave --ldlat out");
	if (ldlat < 128 || ldlat > 2048)
		return err_next(err_new(ERR_USAGE, "--ldlat %u: IBS takes 128 to 2048", ldlat),
				"leave --ldlat out, or --ldlat 128");
	name_value(e, "ldlat", ldlat);
	error = pmu_put(e->pmu, "ldlat", ldlat, &c);
	event_plan_note(p, "with --ldlat IBS samples loads alone, and of those only misses of the "
			   "last-level cache: writers and sharing below it will be unseen");
	return error ? error : event_attr_config(e, &c);
}

/* The hardware has no user or kernel filter; where the kernel filters, a field asks for it. */
static struct err *ibs_filter(const struct plan_request *r, struct plan_event *e)
{
	if (!r->user_only && !r->kernel_only)
		return NULL;
	if (pmu_field(e->pmu, "swfilt"))
		return event_attr_set(e, "swfilt=1");
	return err_next(err_new(ERR_UNSUPPORTED,
				"%s samples user and kernel together (Linux 6.14 can "
				"filter)",
				e->pmu->name),
			"leave --all-user or --all-kernel out");
}

/* Its maximum count has no lower four bits, and the kernel refuses a period that has. */
static void ibs_period(struct event_plan *p, struct plan_event *e)
{
	uint64_t period = e->attr.sample_period & ~15ULL;

	if (e->attr.freq || period == e->attr.sample_period)
		return;
	if (!period)
		period = 16;
	event_plan_note(p, "IBS periods are multiples of 16: %llu instead of %llu",
			(unsigned long long)period, (unsigned long long)e->attr.sample_period);
	e->attr.sample_period = period;
}

static void ibs_old_kernel(struct event_plan *p, struct plan_event *e)
{
	if (p->host.version >= HOST_HAS_IBS_DATA_SRC)
		return;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	event_plan_note(p, "Linux before 6.1 gives IBS samples no data source: the raw registers "
			   "are recorded");
}

static struct err *plan_ibs(struct event_plan *p, const struct plan_request *r,
			    const struct pmu *pmu)
{
	struct plan_event *e = event_attr_add(p, r, PLAN_ALL, pmu, mem_printf("%s//", pmu->name));
	struct err *error = ibs_filter(r, e);

	if (!error && r->ldlat)
		error = ibs_ldlat(p, e, r->ldlat);
	event_plan_note(p,
			"IBS samples every operation: those that touch no memory, about three of "
			"four, are dropped");
	ibs_period(p, e);
	ibs_old_kernel(p, e);
	if (r->hitm)
		event_plan_note(p, "IBS has no HITM event: its samples say which loads were");
	return error;
}

/* ---- Arm: a PMU for each kind of core, packets in an AUX ring */

static void spe_period(struct event_plan *p, const struct plan_request *r, struct plan_event *e)
{
	uint64_t least = 0, period = r->period ? r->period : SPE_PERIOD;

	pmu_cap(e->pmu, "min_interval", &least);
	if (period < least) {
		if (r->period)
			event_plan_note(p, "%s samples every %llu operations at most, not %llu",
					e->pmu->name, (unsigned long long)least,
					(unsigned long long)period);
		period = least;
	}
	e->attr.freq = 0;
	e->attr.sample_period = period;
}

/* Fields that the PMU does not have are left at 0; SPE without filters records all operations. */
static struct err *spe_fields(const struct plan_request *r, struct plan_event *e)
{
	const struct {
		const char *name;
		uint32_t value;
	} fields[] = {
		{ "ts_enable", 1 },   { "pa_enable", r->physical }, { "jitter", 1 },
		{ "load_filter", 1 }, { "store_filter", 1 },	    { "min_latency", r->ldlat },
	};
	struct pmu_config c = { { 0 } };
	struct err *error = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(fields) && !error; i++)
		if (pmu_field(e->pmu, fields[i].name))
			error = pmu_put(e->pmu, fields[i].name, fields[i].value, &c);
	return error ? error : event_attr_config(e, &c);
}

/* Data sources come in packets, so the ring's own samples need no more than who and when. */
static struct err *plan_spe(struct event_plan *p, const struct plan_request *r,
			    const struct pmu *pmu)
{
	struct plan_event *e = event_attr_add(p, r, PLAN_ALL, pmu, mem_printf("%s//", pmu->name));
	uint64_t physical = e->attr.sample_type & PERF_SAMPLE_PHYS_ADDR;

	e->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_DATA_SRC | physical;
	spe_period(p, r, e);
	p->aux_bytes = AUX_BYTES;
	if (r->ldlat)
		name_value(e, "min_latency", r->ldlat);
	if (r->ldlat && p->count == 1)
		event_plan_note(p, "SPE's least latency holds for stores too: cheap stores will be "
				   "unseen");
	if (r->hitm && p->count == 1)
		event_plan_note(p, "SPE knows no HITM: it says that a line came from another core, "
				   "not that it was modified");
	return spe_fields(r, e);
}

/* ---- All */

static struct err *(*const planners[PMU_SOURCES])(struct event_plan *p,
						  const struct plan_request *r,
						  const struct pmu *pmu) = {
	[PMU_PEBS] = plan_pebs,
	[PMU_IBS] = plan_ibs,
	[PMU_SPE] = plan_spe,
	[PMU_POWER] = plan_power,
};

struct err *event_hardware_plan(struct event_plan *p, const struct plan_request *r,
				const struct pmu *pmu)
{
	return planners[p->pmus.source](p, r, pmu);
}
