// SPDX-License-Identifier: GPL-2.0-only
#include "calibrate.h"
#include "calibrate_probe.h"
#include "host.h"
#include "intern.h"
#include "mem.h"
#include "sysfs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CPUS    8192
#define NOISY_SPREAD 3	  /* 90th by 10th percentile of a transfer: what still says something */
#define NOISY_NS     2000 /* a transfer within one machine takes less: CPUs that take turns */

/* ---- Values */

static int value_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return CMP(*x, *y);
}

struct calibrate_spread calibrate_spread(double *value, uint32_t count)
{
	struct calibrate_spread s = { .batches = count };

	if (!count)
		return s;
	qsort(value, count, sizeof(*value), value_compare);
	s.low = value[(count - 1) / 10];
	s.typical = value[(count - 1) / 2];
	s.high = value[(uint32_t)(0.9 * (count - 1) + 0.5)];
	return s;
}

void calibrate_count_runs(const uint64_t *value, uint32_t count, uint32_t *runs, uint32_t most)
{
	uint32_t length = 0;

	for (uint32_t i = 0; i < count; i++) {
		length++;
		if (i + 1 < count && value[i + 1] == value[i] + 1)
			continue;
		runs[length < most ? length : most]++;
		length = 0;
	}
}

static uint32_t run_at(const uint32_t *runs, uint32_t most, double rank)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i <= most; i++) {
		seen += runs[i];
		if (runs[i] && seen >= rank)
			return i;
	}
	return 0;
}

struct calibrate_spread calibrate_runs(const uint32_t *runs, uint32_t most)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i <= most; i++)
		count += runs[i];
	return (struct calibrate_spread){
		.low = run_at(runs, most, 0.1 * count),
		.typical = run_at(runs, most, 0.5 * count),
		.high = run_at(runs, most, 0.9 * count),
		.batches = count > UINT32_MAX ? UINT32_MAX : count,
	};
}

/* ---- Which CPUs there are */

enum calibrate_class calibrate_class(const struct calibrate_cpu *a, const struct calibrate_cpu *b)
{
	if (a->node != b->node)
		return CLASS_OTHER;
	if (a->llc != b->llc)
		return CLASS_NODE;
	return a->core == b->core ? CLASS_CORE : CLASS_LLC;
}

/* The number of a text that CPUs which share something have in common. */
static uint32_t number_of(struct intern *names, const char ***known, uint32_t *count,
			  const char *text)
{
	const char *name = intern_string(names, text);

	for (uint32_t i = 0; i < *count; i++)
		if ((*known)[i] == name)
			return i;
	*known = mem_realloc(*known, *count + 1, sizeof(**known));
	(*known)[*count] = name;
	return (*count)++;
}

struct groups {
	struct intern *names;
	const char **core, **llc, **node;
	uint32_t cores, llcs, nodes;
};

/* What a file says, or "otherwise"; the caller's. */
static char *text_of(const char *root, const char *path, const char *otherwise)
{
	char *text = NULL;

	err_free(sysfs_read(root, path, &text));
	return text ? text : mem_strdup(otherwise);
}

/* The CPUs that share the last cache; the largest index is the last one. Without such files the
 * socket stands for it. */
static char *llc_of(const char *root, const char *folder)
{
	char *found = NULL, *path, *text;

	for (int i = 0; i < 8; i++) {
		path = mem_printf("%s/cache/index%d/shared_cpu_list", folder, i);
		text = NULL;
		err_free(sysfs_read(root, path, &text));
		free(path);
		if (!text)
			continue;
		free(found);
		found = text;
	}
	if (found)
		return found;
	path = mem_printf("%s/topology/physical_package_id", folder);
	text = text_of(root, path, "?");
	free(path);
	found = mem_printf("socket %s", text);
	free(text);
	return found;
}

static char *node_of(const char *root, const char *folder)
{
	struct sysfs_names n = sysfs_list(root, folder);
	char *node = NULL;

	for (size_t i = 0; i < n.count && !node; i++)
		if (!strncmp(n.name[i], "node", 4) && n.name[i][4] >= '0' && n.name[i][4] <= '9')
			node = mem_strdup(n.name[i]);
	sysfs_names_deinit(&n);
	return node ? node : mem_strdup("node0");
}

static struct calibrate_cpu read_cpu(const char *root, uint32_t number, struct groups *g)
{
	char *folder = mem_printf("/sys/devices/system/cpu/cpu%" PRIu32, number);
	char *path = mem_printf("%s/topology/thread_siblings_list", folder);
	char itself[16];
	char *core, *llc = llc_of(root, folder), *node = node_of(root, folder);
	struct calibrate_cpu c = { .cpu = number };

	snprintf(itself, sizeof(itself), "%" PRIu32, number);
	core = text_of(root, path, itself);
	c.core = number_of(g->names, &g->core, &g->cores, core);
	c.llc = number_of(g->names, &g->llc, &g->llcs, llc);
	c.node = strtoul(node + 4, NULL, 10);
	number_of(g->names, &g->node, &g->nodes, node);
	free(core);
	free(llc);
	free(node);
	free(path);
	free(folder);
	return c;
}

static void read_allowed(struct cpulist *allowed)
{
	size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *set = CPU_ALLOC(MOST_CPUS);

	if (!set)
		mem_exhausted();
	*allowed = (struct cpulist){ 0 };
	CPU_ZERO_S(size, set);
	if (!sched_getaffinity(0, size, set))
		for (uint32_t i = 0; i < MOST_CPUS; i++)
			if (CPU_ISSET_S(i, size, set))
				cpulist_add(allowed, i, i);
	CPU_FREE(set);
}

static void read_cpus(const char *root, struct calibrate *c)
{
	struct groups g = { .names = intern_new() };
	struct cpulist allowed;
	struct host h;
	uint32_t room = 0;

	host_read(root, &h);
	c->virtual = h.hypervisor;
	read_allowed(&allowed);
	for (uint32_t i = 0; i < MOST_CPUS; i++) {
		if (!cpulist_has(&allowed, i))
			continue;
		mem_grow(&c->cpu, &room, c->cpus);
		c->cpu[c->cpus++] = read_cpu(root, i, &g);
	}
	c->usable = c->cpus;
	c->nodes = g.nodes ?: 1;
	c->llcs_per_node = (g.llcs ?: 1) / c->nodes ?: 1;
	c->cores_per_llc = (g.cores ?: 1) / (c->nodes * c->llcs_per_node) ?: 1;
	c->threads_per_core = c->usable / (g.cores ?: 1) ?: 1;
	free(g.core);
	free(g.llc);
	free(g.node);
	intern_free(g.names);
}

static void swap(struct calibrate_cpu *a, struct calibrate_cpu *b)
{
	struct calibrate_cpu c = *a;

	*a = *b;
	*b = c;
}

uint32_t calibrate_choose(struct calibrate_cpu *cpu, uint32_t count)
{
	uint32_t kept = 1;

	if (count <= CALIBRATE_CPUS)
		return count;
	for (int class = 0; class < CALIBRATE_CLASSES; class ++)
		for (uint32_t i = kept, found = 0; i < count && found < 2; i++)
			if (calibrate_class(&cpu[0], &cpu[i]) == (enum calibrate_class) class) {
				swap(&cpu[kept++], &cpu[i]);
				found++;
			}
	/* The rest evenly. */
	for (uint32_t left = CALIBRATE_CPUS - kept, i = 0, from = kept; i < left; i++) {
		uint32_t at = from + (uint64_t)i * (count - from) / left;

		swap(&cpu[kept], &cpu[at > kept ? at : kept]);
		kept++;
	}
	return kept;
}

/* ---- Noise */

/* Ticks that the hypervisor took, and all; of /proc/stat. */
static bool read_stolen(const char *root, double *stolen, double *all)
{
	unsigned long long t[8] = { 0 };
	char *text = text_of(root, "/proc/stat", "");
	int n = sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
		       &t[3], &t[4], &t[5], &t[6], &t[7]);

	free(text);
	*all = 0;
	for (int i = 0; i < 8; i++)
		*all += t[i];
	*stolen = t[7];
	return n == 8;
}

static void judge_noise(struct calibrate *c)
{
	for (uint32_t i = 0; i < c->pairs; i++) {
		const struct calibrate_spread *s = &c->pair[i].locked;

		if (s->batches && s->low > 0 && s->high / s->low > c->noise)
			c->noise = s->high / s->low;
		c->noisy |= s->typical > NOISY_NS;
	}
	c->noisy |= c->noise > NOISY_SPREAD || c->stolen > CALIBRATE_STOLEN;
}

/* ---- Classes: the middle of their pairs */

#define MEMBERS 5

static const size_t members[MEMBERS] = {
	offsetof(struct calibrate_pair, hitm),	      offsetof(struct calibrate_pair, clean),
	offsetof(struct calibrate_pair, upgrade),     offsetof(struct calibrate_pair, locked),
	offsetof(struct calibrate_pair, reader_home),
};

static const struct calibrate_spread *spread_at(const struct calibrate_pair *p, size_t at)
{
	return (const struct calibrate_spread *)((const char *)p + at);
}

/* The median of the pairs' medians, and of their bounds. */
static struct calibrate_spread middle(const struct calibrate *c, enum calibrate_class class,
				      size_t at)
{
	double *v = mem_zalloc(3 * (c->pairs + 1) * sizeof(*v));
	double *low = v, *typical = v + c->pairs, *high = v + 2 * c->pairs;
	struct calibrate_spread s = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->pairs; i++) {
		const struct calibrate_spread *of = spread_at(&c->pair[i], at);

		if (c->pair[i].class != class || !of->batches)
			continue;
		low[n] = of->low;
		typical[n] = of->typical;
		high[n++] = of->high;
		s.batches += of->batches;
	}
	s.low = calibrate_spread(low, n).typical;
	s.typical = calibrate_spread(typical, n).typical;
	s.high = calibrate_spread(high, n).typical;
	free(v);
	return s;
}

static void sum_classes(struct calibrate *c)
{
	for (int class = 0; class < CALIBRATE_CLASSES; class ++) {
		struct calibrate_pair *to = &c->class[class];

		to->class = class;
		for (size_t m = 0; m < MEMBERS; m++)
			*(struct calibrate_spread *)((char *)to + members[m]) = middle(c, class,
										       members[m]);
		to->hold = middle(c, class, offsetof(struct calibrate_pair, hold));
	}
}

/* ---- All of it */

struct run {
	const struct calibrate_ask *ask;
	struct calibrate *c;
	double share; /* seconds of a step */
	uint32_t done, of;
};

static void step_done(struct run *r)
{
	r->done++;
	if (r->ask->progress)
		r->ask->progress(r->ask->context, r->done, r->of);
}

static struct err *probe_error(int error, const char *what)
{
	return err_next(err_errno(ERR_FAILED, error, "calibrate: %s", what),
			"threads must be placed on CPUs: a container may forbid it; \"taskset -p "
			"$$\" shows which are allowed");
}

static struct err *measure_pair(struct run *r, struct calibrate_pair *p)
{
	const struct calibrate_cpu *a = &r->c->cpu[p->a], *b = &r->c->cpu[p->b];
	bool homes = a->node != b->node;
	const uint32_t both[] = { a->cpu, b->cpu };
	struct probe_crowd crowd = { 0 };
	struct probe_pair probe;
	int error = probe_pair(a->cpu, b->cpu, homes ? a->node : UINT32_MAX,
			       r->share * (homes ? 0.4 : 0.7), &probe);

	p->hitm = probe.hitm;
	p->clean = probe.clean;
	p->upgrade = probe.upgrade;
	p->locked = probe.locked;
	if (!error && homes && !probe_pair(a->cpu, b->cpu, b->node, r->share * 0.3, &probe))
		p->reader_home = probe.hitm;
	if (!error)
		error = probe_crowd(both, 2, r->share * 0.3, &crowd);
	p->hold = crowd.hold;
	return error ? probe_error(error, "measuring two CPUs") : NULL;
}

static struct err *measure_pairs(struct run *r)
{
	struct calibrate *c = r->c;
	struct err *e = NULL;

	for (uint32_t a = 0; a < c->cpus && !e; a++)
		for (uint32_t b = a + 1; b < c->cpus && !e; b++) {
			struct calibrate_pair *p = &c->pair[c->pairs++];

			*p = (struct calibrate_pair){ .a = a, .b = b };
			p->class = calibrate_class(&c->cpu[a], &c->cpu[b]);
			e = measure_pair(r, p);
			step_done(r);
		}
	return e;
}

static struct err *measure_alone(struct run *r)
{
	struct calibrate *c = r->c;
	struct probe_alone alone;
	int error = probe_alone(c->cpu[0].cpu, r->share, &alone);

	if (error)
		return probe_error(error, "measuring one CPU");
	c->mhz_measured = alone.mhz > 0;
	c->mhz = alone.mhz;
	c->hit = alone.hit;
	c->locked = alone.locked;
	c->memory = alone.memory;
	step_done(r);
	return NULL;
}

/* 1, 2, 4 ... and all that were chosen. */
static uint32_t curve(const struct calibrate *c, uint32_t count[CALIBRATE_STEPS])
{
	uint32_t n = 0;

	for (uint32_t k = 1; k < c->cpus && n < CALIBRATE_STEPS - 1; k *= 2)
		count[n++] = k;
	count[n++] = c->cpus;
	return n;
}

static struct err *measure_curve(struct run *r)
{
	struct calibrate *c = r->c;
	uint32_t count[CALIBRATE_STEPS], *cpu = mem_zalloc(c->cpus * sizeof(*cpu));
	int error = 0;

	for (uint32_t i = 0; i < c->cpus; i++)
		cpu[i] = c->cpu[i].cpu;
	c->steps = curve(c, count);
	for (uint32_t i = 0; i < c->steps && !error; i++) {
		struct probe_crowd crowd;

		error = probe_crowd(cpu, count[i], r->share, &crowd);
		c->step[i] = (struct calibrate_step){ count[i], crowd.million, crowd.hold };
		step_done(r);
	}
	free(cpu);
	return error ? probe_error(error, "measuring a shared counter") : NULL;
}

/* What the kernel says, where it was not measured. */
static double kernel_mhz(const char *root)
{
	int64_t khz;
	bool there = false;

	err_free(sysfs_number(root, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", &khz,
			      &there));
	return there && khz > 0 ? khz / 1000. : 2500;
}

static struct err *measure(struct run *r)
{
	uint32_t unused[CALIBRATE_STEPS];
	struct calibrate *c = r->c;
	struct err *e;

	c->pair = mem_zalloc(c->cpus * c->cpus * sizeof(*c->pair));
	r->of = c->cpus * (c->cpus - 1) / 2 + 1 + curve(c, unused);
	r->share = r->ask->seconds / r->of;
	e = measure_alone(r);
	if (!e)
		e = measure_pairs(r);
	return e ? e : measure_curve(r);
}

struct err *calibrate_run(const struct calibrate_ask *ask, struct calibrate *c)
{
	struct run r = { .ask = ask, .c = c };
	double before[2], after[2];
	bool known;
	struct err *e;

	*c = (struct calibrate){ .stolen = NAN };
	read_cpus(ask->root, c);
	if (c->cpus < 2)
		return err_next(err_new(ERR_UNSUPPORTED,
					"calibrate: only %" PRIu32
					" CPU can be used, and a line moves "
					"between two",
					c->cpus),
				"\"taskset -p $$\" shows what this shell may use; a machine with "
				"one CPU has no contention");
	c->cpus = calibrate_choose(c->cpu, c->cpus);
	known = read_stolen(ask->root, &before[0], &before[1]);
	e = measure(&r);
	if (e)
		return e;
	if (known && read_stolen(ask->root, &after[0], &after[1]) && after[1] > before[1])
		c->stolen = (after[0] - before[0]) / (after[1] - before[1]);
	if (!c->mhz_measured)
		c->mhz = kernel_mhz(ask->root);
	sum_classes(c);
	judge_noise(c);
	return NULL;
}

void calibrate_deinit(struct calibrate *c)
{
	free(c->cpu);
	free(c->pair);
	*c = (struct calibrate){ 0 };
}
