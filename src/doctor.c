// SPDX-License-Identifier: GPL-2.0-only
#include "doctor.h"
#include "doctor_fact.h"
#include "mem.h"
#include "sysfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const verdicts[DOCTOR_VERDICTS] = { "no", "yes", "untried" };

const char *doctor_verdict_name(enum doctor_verdict v)
{
	return verdicts[v];
}

static void find(struct doctor_source *s, enum doctor_verdict v, const char *layer, char *text,
		 const char *next)
{
	s->verdict = v;
	s->layer = layer;
	s->text = text;
	s->next = next ? mem_strdup(next) : NULL;
}

/* ---- Which layer keeps hardware sampling away: the first row that holds */

struct scene {
	const struct doctor_ask *ask;
	struct host host;
};

static bool lacks_sys(const struct scene *s)
{
	return !sysfs_has(s->ask->root, "/sys/bus/event_source/devices/software/type");
}

static bool is_virtual(const struct scene *s)
{
	return s->host.hypervisor;
}

static bool is_amd_without_ibs(const struct scene *s)
{
	return s->host.vendor == HOST_AMD && !doctor_fact_flag(s->ask->root, "ibs");
}

static bool is_amd(const struct scene *s)
{
	return s->host.vendor == HOST_AMD;
}

static bool is_arm(const struct scene *s)
{
	return s->host.vendor == HOST_ARM;
}

static bool is_any(const struct scene *s)
{
	return true;
}

static const struct absence {
	bool (*holds)(const struct scene *s);
	const char *layer, *next;
} absences[] = {
	{ lacks_sys, "container",
	  "mount /sys (docker run -v /sys:/sys:ro), or read a recording: hitmap report -i FILE" },
	{ is_virtual, "hypervisor",
	  "run on the host or a .metal instance, or read a recording: hitmap report -i FILE" },
	{ is_amd_without_ibs, "firmware",
	  "the processor does not show IBS: switch it on in the firmware's set-up" },
	{ is_amd, "kernel",
	  "the processor has IBS and the kernel does not: CONFIG_PERF_EVENTS_AMD_"
	  "IBS" },
	{ is_arm, "kernel",
	  "in order: does the processor have SPE; sudo modprobe arm_spe_pmu; dmesg | grep -i spe "
	  "(kpti=off, a missing interrupt); is this metal" },
	{ is_any, "kernel",
	  "read a recording: hitmap report -i FILE, or hitmap record --source "
	  "model" },
};

static const struct absence *absence_of(const struct scene *s)
{
	size_t i = 0;

	while (!absences[i].holds(s))
		i++;
	return &absences[i];
}

/* ---- Why the kernel refuses */

static const struct refusal {
	int error;
	bool filtered; /* with a seccomp filter in force */
	const char *layer, *next;
} refusals[] = {
	{ EPERM, true, "seccomp",
	  "docker run --cap-add PERFMON --security-opt seccomp=FILE, with perf_event_open "
	  "allowed" },
	{ ENOSYS, true, "seccomp",
	  "docker run --cap-add PERFMON --security-opt seccomp=FILE, with perf_event_open "
	  "allowed" },
	{ EACCES, false, "permission",
	  "run as root or with CAP_PERFMON, or sudo sysctl kernel.perf_event_paranoid=-1" },
	{ EPERM, false, "permission",
	  "run as root or with CAP_PERFMON, or sudo sysctl kernel.perf_event_paranoid=-1" },
	{ EBUSY, false, "another user",
	  "stop other profilers, or sudo sysctl kernel.nmi_watchdog=0" },
	{ EMFILE, false, "limits", "raise the limit on open files: ulimit -n" },
	{ ENOMEM, false, "limits", "raise the limit on locked memory: ulimit -l" },
};

static const struct refusal *refusal_of(const char *root, int error)
{
	static const struct refusal other = { 0, false, "kernel",
					      "hitmap record --dry-run -v shows the event; another "
					      "kernel may take it" };
	bool filtered = doctor_fact_filtered(root);

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].error == error && (!refusals[i].filtered || filtered))
			return &refusals[i];
	return &other;
}

static void find_refused(const struct scene *s, struct doctor_source *to, const char *what,
			 int error)
{
	const struct refusal *r = refusal_of(s->ask->root, error);

	find(to, DOCTOR_NO, r->layer, mem_printf("%s is refused: %s", what, strerror(error)),
	     r->next);
}

/* What does not count, or counts and gives no samples, is the hypervisor's doing where one is. */
static void find_mute(const struct scene *s, struct doctor_source *to, char *text)
{
	bool guest = s->host.hypervisor;

	find(to, DOCTOR_NO, guest ? "hypervisor" : "kernel", text,
	     guest ? "run on the host or a .metal instance" : "see dmesg for perf's complaints");
}

/* ---- Hardware sampling */

static void keep_events(const struct event_plan *p, const struct probe_result *results,
			struct doctor_source *to)
{
	to->event = mem_zalloc(p->count * sizeof(*to->event));
	for (size_t i = 0; i < p->count; i++) {
		if (p->event[i].role == PLAN_TRACK)
			continue;
		to->event[to->events++] = (struct doctor_event){
			.name = mem_strdup(p->event[i].name),
			.role = p->event[i].role,
			.result = results[i],
		};
	}
}

/* The events that carry a recording: stores and HITM events are beside them. */
static const struct doctor_event *main_event(const struct doctor_source *s)
{
	for (size_t i = 0; i < s->events; i++)
		if (s->event[i].role == PLAN_LOAD || s->event[i].role == PLAN_ALL)
			return &s->event[i];
	return NULL;
}

static void judge_hardware(const struct scene *s, const struct event_plan *p,
			   struct doctor_source *to)
{
	const struct doctor_event *e = main_event(to);
	const char *source = pmu_source_name(p->pmus.source);

	if (!e || (*s->ask->root && e->result.state == PROBE_UNTRIED))
		find(to, DOCTOR_UNTRIED, NULL,
		     mem_printf("%s, by what /sys says; not opened: this is another machine's tree",
				source),
		     NULL);
	else if (e->result.state == PROBE_SAMPLES)
		find(to, DOCTOR_YES, NULL,
		     mem_printf("%s: %s opens and gives samples", source, e->name), NULL);
	else if (e->result.state == PROBE_REFUSED)
		find_refused(s, to, e->name, e->result.error);
	else
		find_mute(s, to,
			  mem_printf("%s opens, counted %llu, and no sample arrived", e->name,
				     (unsigned long long)e->result.counted));
}

static void say_no_plan(const struct scene *s, const struct err *e, struct doctor_source *to)
{
	struct pmu_set pmus;
	const struct absence *a = absence_of(s);

	pmu_set_find(s->ask->root, PMU_NONE, &pmus);
	if (pmus.source == PMU_NONE)
		find(to, DOCTOR_NO, a->layer, mem_strdup(err_text(e)), a->next);
	else
		find(to, DOCTOR_NO, "permission", mem_strdup(err_text(e)), err_advice(e));
	pmu_set_deinit(&pmus);
}

static void examine_hardware(const struct scene *s, struct doctor_source *to)
{
	const struct plan_request request = { .frequency = 4000, .which_cpu = true };
	struct probe_result *results;
	struct event_plan plan;
	struct err *e = event_plan_make(s->ask->root, &request, &plan);

	if (e) {
		say_no_plan(s, e, to);
		err_free(e);
		return;
	}
	results = mem_zalloc(plan.count * sizeof(*results));
	if (!*s->ask->root)
		probe_plan(&plan, results);
	keep_events(&plan, results, to);
	judge_hardware(s, &plan, to);
	free(results);
	event_plan_deinit(&plan);
}

/* ---- What needs no PMU */

static void examine_model(const struct scene *s, struct doctor_source *to)
{
	struct emulator found = { 0 };
	struct err *e;

	if (*s->ask->root) {
		find(to, DOCTOR_UNTRIED, NULL, mem_strdup("looked for on the running machine only"),
		     NULL);
		return;
	}
	e = emulator_find(&s->ask->emulator, &found);
	if (!e)
		find(to, DOCTOR_YES, NULL,
		     mem_printf("qemu-x86_64 %u.%u, plugin API %u; figures are modelled, not "
				"measured",
				found.major, found.minor, emulator_api(found.major, found.minor)),
		     NULL);
	else
		find(to, DOCTOR_NO, "installation", mem_strdup(err_text(e)), err_advice(e));
	err_free(e);
	emulator_deinit(&found);
}

static void add_event(struct doctor_source *s, const char *name, const struct probe_result *r)
{
	s->event = mem_realloc(s->event, s->events + 1, sizeof(*s->event));
	s->event[s->events++] =
		(struct doctor_event){ .name = mem_strdup(name), .role = PLAN_NAMED, .result = *r };
}

/* sched:sched_switch is in every kernel that has tracepoints. */
static bool switch_id(const char *root, uint64_t *id)
{
	const char *folder = doctor_fact_tracefs(root);
	char *path = folder ? mem_printf("%s/events/sched/sched_switch/id", folder) : NULL;
	int64_t value = 0;
	bool there = false;

	if (path)
		err_free(sysfs_number(root, path, &value, &there));
	free(path);
	*id = value;
	return there;
}

static void examine_kernel_events(const struct scene *s, struct doctor_source *to)
{
	struct probe_result faults = { 0 }, switches = { 0 };
	const char *root = s->ask->root;
	uint64_t id;
	bool traced = switch_id(root, &id);

	if (*root) {
		find(to, DOCTOR_UNTRIED, NULL,
		     mem_printf("tracepoints %s; not opened: this is another machine's tree",
				traced ? "readable" : "not readable"),
		     NULL);
		return;
	}
	probe_page_faults(&faults);
	if (traced)
		probe_switches(id, &switches);
	add_event(to, "page-faults", &faults);
	add_event(to, "sched:sched_switch", &switches);
	if (faults.state == PROBE_REFUSED)
		find_refused(s, to, "page-faults", faults.error);
	else if (faults.state != PROBE_SAMPLES)
		find_mute(s, to, mem_strdup("page-faults opens and gives no samples"));
	else if (switches.state == PROBE_SAMPLES)
		find(to, DOCTOR_YES, NULL, mem_strdup("page faults and tracepoints give samples"),
		     NULL);
	else
		find(to, DOCTOR_YES, NULL,
		     mem_printf("page faults give samples; tracepoints: %s",
				traced ? probe_state_name(switches.state) : "tracefs not readable"),
		     "for tracepoints run as root");
}

static void examine_objects(const struct scene *s, struct doctor_source *to)
{
	const char *root = s->ask->root;
	bool types = sysfs_has(root, "/sys/kernel/btf/vmlinux");
	bool symbols = doctor_fact_kallsyms(root), core = sysfs_has(root, "/proc/kcore");
	char *text = mem_printf("types (BTF): %s, symbol addresses: %s, kernel memory "
				"(/proc/kcore): %s",
				types ? "yes" : "no", symbols ? "yes" : "no", core ? "yes" : "no");

	if (types && symbols)
		find(to, DOCTOR_YES, NULL, text, NULL);
	else if (!types)
		find(to, DOCTOR_NO, "kernel", text,
		     "a kernel with CONFIG_DEBUG_INFO_BTF, or its vmlinux with debug information");
	else
		find(to, DOCTOR_NO, "permission", text,
		     "run as root, or sudo sysctl kernel.kptr_restrict=0");
}

static void examine_breakpoints(const struct scene *s, struct doctor_source *to)
{
	struct probe_result r;
	uint32_t slots;

	if (*s->ask->root) {
		find(to, DOCTOR_UNTRIED, NULL, mem_strdup("tried on the running machine only"),
		     NULL);
		return;
	}
	probe_breakpoints(&slots, &r);
	add_event(to, "mem:write", &r);
	if (r.state == PROBE_REFUSED)
		find_refused(s, to, "a watchpoint", r.error);
	else if (r.counted == PROBE_STORES)
		find(to, DOCTOR_YES, NULL,
		     mem_printf("%u slots, each of %d test stores counted", slots, PROBE_STORES),
		     NULL);
	else
		find_mute(s, to,
			  mem_printf("%u slots open, %llu of %d test stores counted", slots,
				     (unsigned long long)r.counted, PROBE_STORES));
}

/* ---- All of it */

static const struct source_row {
	const char *key, *name;
	bool hardware;
	void (*examine)(const struct scene *s, struct doctor_source *to);
} rows[] = {
	{ "hardware", "hardware sampling", true, examine_hardware },
	{ "model", "software model", false, examine_model },
	{ "kernel_events", "kernel events", false, examine_kernel_events },
	{ "kernel_objects", "kernel objects", false, examine_objects },
	{ "debug_registers", "debug registers", false, examine_breakpoints },
};

_Static_assert(ARRAY_SIZE(rows) <= DOCTOR_SOURCES, "room for every source");

void doctor_examine(const struct doctor_ask *ask, struct doctor *d)
{
	struct scene scene = { .ask = ask };

	*d = (struct doctor){ 0 };
	host_read(ask->root, &scene.host);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct doctor_source *s = &d->source[d->sources++];

		s->key = rows[i].key;
		s->name = rows[i].name;
		s->hardware = rows[i].hardware;
		rows[i].examine(&scene, s);
	}
	doctor_fact_all(ask->root, d);
}

void doctor_deinit(struct doctor *d)
{
	for (size_t i = 0; i < d->sources; i++) {
		for (size_t j = 0; j < d->source[i].events; j++)
			free(d->source[i].event[j].name);
		free(d->source[i].event);
		free(d->source[i].text);
		free(d->source[i].next);
	}
	for (size_t i = 0; i < d->facts; i++) {
		free(d->fact[i].text);
		free(d->fact[i].next);
	}
	*d = (struct doctor){ 0 };
}

/* A copied machine's is judged by what its /sys says. */
bool doctor_has_hardware(const struct doctor *d)
{
	for (size_t i = 0; i < d->sources; i++)
		if (d->source[i].hardware && d->source[i].verdict != DOCTOR_NO)
			return true;
	return false;
}
