// SPDX-License-Identifier: GPL-2.0-only
#include "event_attr.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

static struct pmu_config config_of(const struct perf_event_attr *a)
{
	return (struct pmu_config){ { a->config, a->config1, a->config2 } };
}

struct err *event_attr_config(struct plan_event *e, const struct pmu_config *c)
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

struct err *event_attr_set(struct plan_event *e, const char *terms)
{
	struct pmu_config c = config_of(&e->attr);
	struct err *error = pmu_set_terms(e->pmu, "event", terms, &c);

	return error ? error : event_attr_config(e, &c);
}

/* What a sample holds. PERIOD is wanted where the kernel varies it. */
static uint64_t sample_type_of(const struct event_plan *p, const struct plan_request *r)
{
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_DATA_SRC;

	type |= p->host.version >= HOST_HAS_WEIGHT_STRUCT ? PERF_SAMPLE_WEIGHT_STRUCT
							  : PERF_SAMPLE_WEIGHT;
	if (r->frequency)
		type |= PERF_SAMPLE_PERIOD;
	if (r->which_cpu || p->system_wide)
		type |= PERF_SAMPLE_CPU;
	if (r->physical && p->host.version >= HOST_HAS_PHYS_ADDR)
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
	if (p->host.version >= HOST_HAS_FORMAT_LOST)
		a.read_format |= PERF_FORMAT_LOST;
	a.freq = r->frequency != 0;
	if (r->frequency)
		a.sample_freq = r->frequency;
	else
		a.sample_period = r->period;
	a.disabled = 1;
	a.inherit = !p->system_wide;
	a.enable_on_exec = !p->system_wide && !p->running;
	a.exclude_kernel = r->user_only;
	a.exclude_hv = r->user_only;
	a.exclude_user = r->kernel_only;
	a.sample_id_all = 1;
	return a;
}

void event_attr_name(struct plan_event *e, const char *term)
{
	char *end = strrchr(e->name, '/'), *name;
	const char *comma = end > e->name && end[-1] != '/' ? "," : "";

	name = mem_printf("%.*s%s%s%s", (int)(end - e->name), e->name, comma, term, end);
	free(e->name);
	e->name = name;
}

struct cpulist event_attr_cpus(const struct event_plan *p, const struct pmu *pmu)
{
	return pmu && pmu->has_cpus ? cpulist_both(&pmu->cpus, &p->host.online) : p->host.online;
}

struct plan_event *event_attr_add(struct event_plan *p, const struct plan_request *r,
				  enum plan_role role, const struct pmu *pmu, char *name)
{
	struct plan_event *e;

	mem_grow(&p->event, &p->room, p->count);
	e = &p->event[p->count];
	*e = (struct plan_event){ .name = name,
				  .role = role,
				  .pmu = pmu,
				  .attr = attr_of(p, r, pmu ? pmu->type : PERF_TYPE_SOFTWARE),
				  .cpus = event_attr_cpus(p, pmu),
				  .leader = p->count };
	p->count++;
	return e;
}

void event_attr_drop_last(struct event_plan *p)
{
	free(p->event[--p->count].name);
}
