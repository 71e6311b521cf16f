// SPDX-License-Identifier: GPL-2.0-only
#include "event_plan.h"
#include "event_ladder.h"
#include "event_quirk.h"
#include "mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEBS_LDLAT   30 /* cycles: above L2 hits; what perf c2c takes */
#define PRECISE_MOST 3
#define SPE_PERIOD   4096 /* operations; below it the AUX ring fills faster than it is written out \
			   */
#define AUX_BYTES (4u << 20)

/* When the kernel learnt what. Before that it refuses the bit. */
#define HAS_PHYS_ADDR	  HOST_VERSION(4, 14)
#define HAS_SYMBOL_EVENTS HOST_VERSION(5, 1)
#define HAS_WEIGHT_STRUCT HOST_VERSION(5, 12)
#define HAS_FORMAT_LOST	  HOST_VERSION(6, 0)
#define HAS_IBS_DATA_SRC  HOST_VERSION(6, 1)
#define HAS_IBS_TASK	  HOST_VERSION(6, 2)

static const char *const roles[PLAN_ROLES] = {
	[PLAN_LOAD] = "loads",
	[PLAN_STORE] = "stores",
	[PLAN_ALL] = "loads and stores",
	[PLAN_HITM] = "HITM loads",
	[PLAN_AUX_LEADER] = "auxiliary leader",
	[PLAN_TRACK] = "maps and tasks",
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

/* ---- The attr */

static struct pmu_config config_of(const struct perf_event_attr *a)
{
	return (struct pmu_config){ { a->config, a->config1, a->config2 } };
}

static struct err *set_config(struct plan_event *e, const struct pmu_config *c)
{
	e->attr.config = c->word[0];
	e->attr.config1 = c->word[1];
	e->attr.config2 = c->word[2];
	if (!c->word[3])
		return NULL;
#ifdef PERF_ATTR_SIZE_VER8
	e->attr.config3 = c->word[3];
	e->attr.size = PERF_ATTR_SIZE_VER8;
	return NULL;
#else
	return err_next(err_new(ERR_UNSUPPORTED,
				"event %s: it needs config3, which this build does not know",
				e->name),
			"build hitmap with the headers of Linux 6.3 or newer");
#endif
}

struct err *event_plan_set(struct plan_event *e, const char *terms)
{
	struct pmu_config c = config_of(&e->attr);
	struct err *error = pmu_set_terms(e->pmu, "event", terms, &c);

	return error ? error : set_config(e, &c);
}

/* What a sample holds. PERIOD is wanted where the kernel varies it. */
static uint64_t sample_type_of(const struct event_plan *p, const struct plan_request *r)
{
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_DATA_SRC;

	type |= p->host.version >= HAS_WEIGHT_STRUCT ? PERF_SAMPLE_WEIGHT_STRUCT
						     : PERF_SAMPLE_WEIGHT;
	if (r->frequency)
		type |= PERF_SAMPLE_PERIOD;
	if (r->which_cpu || p->system_wide)
		type |= PERF_SAMPLE_CPU;
	if (r->physical && p->host.version >= HAS_PHYS_ADDR)
		type |= PERF_SAMPLE_PHYS_ADDR;
	if (r->callchain)
		type |= PERF_SAMPLE_CALLCHAIN;
	return type;
}

/*
 * The smallest layout that has all fields, so that older perfs read the recording. The kernel does
 * not mind.
 */
static struct perf_event_attr attr_of(const struct event_plan *p, const struct plan_request *r,
				      uint32_t type)
{
	struct perf_event_attr a = { .type = type, .size = PERF_ATTR_SIZE_VER5 };

	a.sample_type = sample_type_of(p, r);
	a.read_format = PERF_FORMAT_ID;
	if (p->host.version >= HAS_FORMAT_LOST)
		a.read_format |= PERF_FORMAT_LOST;
	a.freq = r->frequency != 0;
	if (r->frequency)
		a.sample_freq = r->frequency;
	else
		a.sample_period = r->period;
	a.disabled = 1;
	a.inherit = !p->system_wide;
	a.enable_on_exec = !p->system_wide;
	a.exclude_kernel = r->user_only;
	a.exclude_hv = r->user_only;
	a.exclude_user = r->kernel_only;
	a.sample_id_all = 1;
	return a;
}

/* A term that was added shows in the name as perf writes it: between the slashes. */
static void name_term(struct plan_event *e, const char *term)
{
	char *end = strrchr(e->name, '/'), *name;
	const char *comma = end > e->name && end[-1] != '/' ? "," : "";

	name = mem_printf("%.*s%s%s%s", (int)(end - e->name), e->name, comma, term, end);
	free(e->name);
	e->name = name;
}

/* The CPUs of a PMU that are online. */
static struct cpulist cpus_of(const struct event_plan *p, const struct pmu *pmu)
{
	return pmu && pmu->has_cpus ? cpulist_both(&pmu->cpus, &p->host.online) : p->host.online;
}

/* "name" becomes the event's. Good until the next one is added. */
static struct plan_event *add_event(struct event_plan *p, const struct plan_request *r,
				    enum plan_role role, const struct pmu *pmu, char *name)
{
	struct plan_event *e;

	mem_grow(&p->event, &p->room, p->count);
	e = &p->event[p->count];
	*e = (struct plan_event){ .name = name,
				  .role = role,
				  .pmu = pmu,
				  .attr = attr_of(p, r, pmu ? pmu->type : PERF_TYPE_SOFTWARE),
				  .cpus = cpus_of(p, pmu),
				  .leader = p->count };
	p->count++;
	return e;
}

/* A group starts and stops with its leader. */
static void join_group(struct plan_event *e, size_t leader)
{
	e->leader = leader;
	e->attr.disabled = 0;
	e->attr.enable_on_exec = 0;
}

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
	return error ? error : set_config(e, &c);
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
	struct plan_event *e = add_event(p, r, role, pmu, alias_name(pmu, alias, ldlat, modifier));

	return put_alias(e, alias, pmu_event(pmu, alias), ldlat);
}

static void drop_last(struct event_plan *p)
{
	free(p->event[--p->count].name);
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
		drop_last(p);
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
		struct plan_event *e = add_event(p, r, PLAN_HITM, pmu,
						 alias_name(pmu, h->name, 0, "P"));
		struct err *error = put_alias(e, h->name, h->terms, 0);

		e->attr.precise_ip = most_precise(pmu);
		if (error) {
			event_plan_note(p, "no HITM event %s: %s", h->name, err_text(error));
			err_free(error);
			drop_last(p);
		}
	}
}

static struct err *no_pebs(const struct pmu *pmu)
{
	return err_next(err_new(ERR_UNSUPPORTED,
				"record: %s has caps/max_precise 0: no precise sampling here",
				pmu->name),
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
		return err_next(err_new(ERR_USAGE, "record: Power has no least latency"),
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

static struct err *ibs_ldlat(struct event_plan *p, struct plan_event *e, uint32_t ldlat)
{
	char *terms;
	struct err *error;

	if (!pmu_field(e->pmu, "ldlat"))
		return err_next(err_new(ERR_USAGE, "record: %s has no least latency (Zen 5 has)",
					e->pmu->name),
				"leave --ldlat out");
	if (ldlat < 128 || ldlat > 2048)
		return err_next(
			err_new(ERR_USAGE, "record: --ldlat %u: IBS takes 128 to 2048", ldlat),
			"leave --ldlat out, or --ldlat 128");
	terms = mem_printf("ldlat=%u", ldlat);
	error = event_plan_set(e, terms);
	name_term(e, terms);
	free(terms);
	event_plan_note(p, "with --ldlat IBS samples loads alone, and of those only misses of the "
			   "last-level cache: writers and sharing below it will be unseen");
	return error;
}

/* The hardware has no user or kernel filter; where the kernel filters, a field asks for it. */
static struct err *ibs_filter(const struct plan_request *r, struct plan_event *e)
{
	if (!r->user_only && !r->kernel_only)
		return NULL;
	if (pmu_field(e->pmu, "swfilt"))
		return event_plan_set(e, "swfilt=1");
	return err_next(err_new(ERR_UNSUPPORTED,
				"record: %s samples user and kernel together (Linux 6.14 can "
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
	if (p->host.version >= HAS_IBS_DATA_SRC)
		return;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	event_plan_note(p, "Linux before 6.1 gives IBS samples no data source: the raw registers "
			   "are recorded");
}

static struct err *plan_ibs(struct event_plan *p, const struct plan_request *r,
			    const struct pmu *pmu)
{
	struct plan_event *e = add_event(p, r, PLAN_ALL, pmu, mem_printf("%s//", pmu->name));
	struct err *error = ibs_filter(r, e);

	if (!error && r->ldlat)
		error = ibs_ldlat(p, e, r->ldlat);
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
	return error ? error : set_config(e, &c);
}

/* Data sources come in packets, so the ring's own samples need no more than who and when. */
static struct err *plan_spe(struct event_plan *p, const struct plan_request *r,
			    const struct pmu *pmu)
{
	struct plan_event *e = add_event(p, r, PLAN_ALL, pmu, mem_printf("%s//", pmu->name));
	uint64_t physical = e->attr.sample_type & PERF_SAMPLE_PHYS_ADDR;

	e->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_DATA_SRC | physical;
	spe_period(p, r, e);
	p->aux_bytes = AUX_BYTES;
	if (r->ldlat && p->count == 1)
		event_plan_note(p, "SPE's least latency holds for stores too: cheap stores will be "
				   "unseen");
	if (r->hitm && p->count == 1)
		event_plan_note(p, "SPE knows no HITM: it says that a line came from another core, "
				   "not that it was modified");
	return spe_fields(r, e);
}

/* ---- The whole plan */

static struct err *(*const planners[PMU_SOURCES])(struct event_plan *p,
						  const struct plan_request *r,
						  const struct pmu *pmu) = {
	[PMU_PEBS] = plan_pebs,
	[PMU_IBS] = plan_ibs,
	[PMU_SPE] = plan_spe,
	[PMU_POWER] = plan_power,
};

static struct err *plan_pmus(struct event_plan *p, const struct plan_request *r)
{
	struct err *e = NULL;

	for (size_t i = 0; i < p->pmus.count && !e; i++) {
		const struct pmu *pmu = &p->pmus.pmu[i];
		struct cpulist cpus = cpus_of(p, pmu);

		if (cpulist_count(&cpus))
			e = planners[p->pmus.source](p, r, pmu);
		else
			event_plan_note(p, "%s is left out: none of its CPUs is online", pmu->name);
	}
	if (!e && !p->count)
		e = err_next(err_new(ERR_UNSUPPORTED, "record: no PMU has a CPU that is online"),
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
		e = event_plan_set(&p->event[i], r->terms);
		name_term(&p->event[i], r->terms);
	}
	return e ? err_within(e, "--pmu-terms") : NULL;
}

/*
 * Maps and tasks are told by the first event, unless that runs on some CPUs only, or all tasks are
 * measured and must be known before the sampling starts, or a ring holds packets alone: then a
 * software event tells them. It counts nothing, and may run for anybody.
 */
static bool needs_tracker(const struct event_plan *p)
{
	return p->system_wide || p->pmus.count > 1 || p->aux_bytes;
}

static void set_tracking(const struct event_plan *p, struct perf_event_attr *a)
{
	a->mmap = a->mmap2 = a->mmap_data = 1;
	a->comm = a->comm_exec = a->task = 1;
	if (p->host.version >= HAS_SYMBOL_EVENTS)
		a->ksymbol = a->bpf_event = 1;
}

static void add_tracker(struct event_plan *p, const struct plan_request *r)
{
	struct plan_event *e = add_event(p, r, PLAN_TRACK, NULL, mem_strdup("dummy:u"));

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
	if (p->pmus.source != PMU_IBS || r->system_wide || p->host.version >= HAS_IBS_TASK)
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
	if (r->physical && p->host.version < HAS_PHYS_ADDR)
		event_plan_note(p, "Linux before 4.14 gives no physical addresses");
}

static struct err *no_source(const struct event_plan *p)
{
	struct err *e = err_new(ERR_UNSUPPORTED, "record: %s", p->pmus.why);

	if (p->host.hypervisor)
		return err_next(e, "this is a virtual machine: record on the host, or use --source "
				   "model, or import a recording with hitmap report -i FILE");
	return err_next(e, "use --source model, or import a recording with hitmap report -i FILE");
}

static struct err *make(struct plan_request r, struct event_plan *p)
{
	struct err *e;

	if (p->pmus.source == PMU_NONE)
		return no_source(p);
	choose_scope(p, &r);
	limit_frequency(p, &r);
	note_findings(p, &r);
	e = plan_pmus(p, &r);
	if (!e)
		e = add_terms(p, &r);
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
	pmu_set_find(root, r->source, &p->pmus);
	e = make(*r, p);
	if (e)
		event_plan_deinit(p);
	return e;
}

void event_plan_deinit(struct event_plan *p)
{
	while (p->count)
		drop_last(p);
	free(p->event);
	for (size_t i = 0; i < p->notes; i++)
		free(p->note[i]);
	free(p->note);
	pmu_set_deinit(&p->pmus);
	*p = (struct event_plan){ 0 };
}
