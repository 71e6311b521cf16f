// SPDX-License-Identifier: GPL-2.0-only
#include "machine.h"
#include "ini_file.h"
#include "mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum unit { UNIT_NUMBER, UNIT_CYCLES, UNIT_PLACEMENT };

/* What a machine file says, before it is turned into a struct model_machine. Latencies that were
 * given in ns become cycles once the clock is known, so both forms are kept. */
struct figure {
	double value;
	bool ns;
	uint32_t line; /* of the file; 0: not given */
};

struct description {
	struct figure mhz, line_size;
	struct figure nodes, llcs_per_node, cores_per_llc, threads_per_core, placement;
	struct figure hit, locked, memory, hitm_reader_home, jitter_percent;
	struct figure hitm[MODEL_DISTANCES], upgrade[MODEL_DISTANCES], clean[MODEL_DISTANCES];
	struct figure hold[MODEL_HOLDS];
};

struct key {
	const char *section, *name;
	size_t at; /* of its struct figure in struct description */
	enum unit unit;
	double least, most;
	bool optional;
};

#define AT(field) offsetof(struct description, field)
#define COST	  UNIT_CYCLES, 0, 100000

static const struct key keys[] = {
	{ "machine", "mhz", AT(mhz), UNIT_NUMBER, 1, 10000, false },
	{ "machine", "line_size", AT(line_size), UNIT_NUMBER, 16, 4096, false },
	{ "machine", "nodes", AT(nodes), UNIT_NUMBER, 1, MODEL_CPUS, false },
	{ "machine", "llcs_per_node", AT(llcs_per_node), UNIT_NUMBER, 1, MODEL_CPUS, false },
	{ "machine", "cores_per_llc", AT(cores_per_llc), UNIT_NUMBER, 1, MODEL_CPUS, false },
	{ "machine", "threads_per_core", AT(threads_per_core), UNIT_NUMBER, 1, 8, false },
	{ "machine", "placement", AT(placement), UNIT_PLACEMENT, 0, 0, false },
	{ "latency", "hit", AT(hit), COST, false },
	{ "latency", "locked", AT(locked), COST, false },
	{ "latency", "hitm_same_llc", AT(hitm[MODEL_SAME_LLC]), COST, true },
	{ "latency", "hitm_same_node", AT(hitm[MODEL_SAME_NODE]), COST, true },
	{ "latency", "hitm_other_node", AT(hitm[MODEL_OTHER_NODE]), COST, true },
	{ "latency", "hitm_reader_home", AT(hitm_reader_home), COST, true },
	{ "latency", "upgrade_same_llc", AT(upgrade[MODEL_SAME_LLC]), COST, true },
	{ "latency", "upgrade_same_node", AT(upgrade[MODEL_SAME_NODE]), COST, true },
	{ "latency", "upgrade_other_node", AT(upgrade[MODEL_OTHER_NODE]), COST, true },
	{ "latency", "clean_same_llc", AT(clean[MODEL_SAME_LLC]), COST, true },
	{ "latency", "clean_same_node", AT(clean[MODEL_SAME_NODE]), COST, true },
	{ "latency", "clean_other_node", AT(clean[MODEL_OTHER_NODE]), COST, true },
	{ "latency", "memory", AT(memory), COST, false },
	{ "latency", "jitter_percent", AT(jitter_percent), UNIT_NUMBER, 0, 90, false },
	{ "hold", "low", AT(hold[MODEL_HOLD_LOW]), COST, false },
	{ "hold", "typical", AT(hold[MODEL_HOLD_TYPICAL]), COST, false },
	{ "hold", "high", AT(hold[MODEL_HOLD_HIGH]), COST, false },
};

static const char *const placements[] = { "spread", "compact" };
enum placement { PLACEMENT_SPREAD, PLACEMENT_COMPACT };

struct reading {
	struct ini_file file;
	struct description machine;
};

#define fail_at(r, line, fmt, ...)                                                                 \
	err_new(ERR_FAILED, "machine file %s:%u: " fmt, (r)->file.path, line, ##__VA_ARGS__)

static struct figure *figure_of(struct description *d, const struct key *k)
{
	return (struct figure *)((char *)d + k->at);
}

static const struct key *key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].section, section) && !strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static bool read_placement(const char *text, struct figure *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(placements); i++) {
		if (!strcmp(text, placements[i])) {
			f->value = i;
			return true;
		}
	}
	return false;
}

static struct err *read_figure(struct reading *r, const struct key *k, const char *text,
			       struct figure *f)
{
	char *end;

	if (k->unit == UNIT_PLACEMENT)
		return read_placement(text, f)
			       ? NULL
			       : ini_file_fail(&r->file,
					       "placement is spread or compact, not \"%s\"", text);
	f->value = strtod(text, &end);
	end += strspn(end, " \t");
	if (k->unit == UNIT_CYCLES && !strcmp(end, "ns"))
		f->ns = true;
	else if (end == text || (*end && (k->unit != UNIT_CYCLES || strcmp(end, "cycles"))))
		return ini_file_fail(&r->file, "%s = \"%s\" is not a number%s", k->name, text,
				     k->unit == UNIT_CYCLES ? ", with ns or cycles behind it" : "");
	if (!(f->value >= k->least && f->value <= k->most))
		return ini_file_fail(&r->file, "%s = %s is outside %.0f..%.0f", k->name, text,
				     k->least, k->most);
	if (k->unit == UNIT_NUMBER && f->value != (uint32_t)f->value)
		return ini_file_fail(&r->file, "%s = %s is not a whole number", k->name, text);
	return NULL;
}

static struct err *read_key(void *context, const char *section, const char *name, const char *text)
{
	struct reading *r = context;
	const struct key *k = key_find(section, name);
	struct figure *f;

	if (!strcmp(section, "machine") && !strcmp(name, "description"))
		return NULL;
	if (!k)
		return ini_file_fail(&r->file, "unknown key \"%s\" in section [%s]", name, section);
	f = figure_of(&r->machine, k);
	if (f->line)
		return ini_file_fail(&r->file, "%s is given a second time; first in line %u", name,
				     f->line);
	f->line = r->file.line;
	return read_figure(r, k, text, f);
}

static struct err *missing_key(const struct reading *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct key *k = &keys[i];

		if (!k->optional && !figure_of((struct description *)&r->machine, k)->line)
			return err_new(ERR_FAILED, "machine file %s: [%s] %s is missing",
				       r->file.path, k->section, k->name);
	}
	return NULL;
}

static uint32_t cycles_of(const struct description *d, const struct figure *f)
{
	return (f->ns ? f->value * d->mhz.value / 1000 : f->value) + 0.5;
}

/* Distances that the machine has must be given; the others repeat the next nearer one and are never
 * used. */
static struct err *fill_distances(const struct reading *r, const char *what,
				  const struct figure f[MODEL_DISTANCES],
				  uint32_t out[MODEL_DISTANCES])
{
	static const char *const names[] = { "same_llc", "same_node", "other_node" };
	const struct description *d = &r->machine;
	const bool has[MODEL_DISTANCES] = {
		[MODEL_SAME_LLC] = d->cores_per_llc.value > 1,
		[MODEL_SAME_NODE] = d->llcs_per_node.value > 1,
		[MODEL_OTHER_NODE] = d->nodes.value > 1,
	};

	for (int i = 0; i < MODEL_DISTANCES; i++) {
		if (!f[i].line && has[i])
			return err_new(ERR_FAILED,
				       "machine file %s: [latency] %s_%s is missing; the machine "
				       "has that distance",
				       r->file.path, what, names[i]);
		out[i] = f[i].line ? cycles_of(d, &f[i]) : i ? out[i - 1] : 0;
	}
	return NULL;
}

static struct err *fill_costs(const struct reading *r, struct model_machine *m)
{
	const struct description *d = &r->machine;
	struct err *e;

	m->mhz = d->mhz.value;
	m->line_size = d->line_size.value;
	m->hit = cycles_of(d, &d->hit);
	m->locked = cycles_of(d, &d->locked);
	m->memory = cycles_of(d, &d->memory);
	m->hitm_reader_home = cycles_of(d, &d->hitm_reader_home);
	m->jitter_percent = d->jitter_percent.value;
	for (int i = 0; i < MODEL_HOLDS; i++)
		m->hold[i] = cycles_of(d, &d->hold[i]);
	e = fill_distances(r, "hitm", d->hitm, m->hitm);
	if (!e)
		e = fill_distances(r, "upgrade", d->upgrade, m->upgrade);
	return e ? e : fill_distances(r, "clean", d->clean, m->clean);
}

/* Where a CPU sits: counted within the next larger unit. */
struct seat {
	uint32_t node, llc, core, sibling;
};

/* CPUs are numbered as Linux does on such machines: the first siblings of all cores, node by node,
 * then the second siblings. */
static uint32_t cpu_at(const struct description *d, struct seat s)
{
	uint32_t cores = d->cores_per_llc.value, llcs = d->llcs_per_node.value;
	uint32_t all_cores = d->nodes.value * llcs * cores;

	return s.sibling * all_cores + (s.node * llcs + s.llc) * cores + s.core;
}

static struct seat seat_spread(const struct description *d, uint32_t n)
{
	uint32_t nodes = d->nodes.value, llcs = d->llcs_per_node.value;
	uint32_t cores = d->cores_per_llc.value;

	return (struct seat){ .node = n % nodes,
			      .llc = n / nodes % llcs,
			      .core = n / nodes / llcs % cores,
			      .sibling = n / nodes / llcs / cores };
}

static struct seat seat_compact(const struct description *d, uint32_t n)
{
	uint32_t threads = d->threads_per_core.value, llcs = d->llcs_per_node.value;
	uint32_t cores = d->cores_per_llc.value;

	return (struct seat){ .sibling = n % threads,
			      .core = n / threads % cores,
			      .llc = n / threads / cores % llcs,
			      .node = n / threads / cores / llcs };
}

static void fill_cpus(const struct description *d, struct model_machine *m)
{
	uint32_t cores = d->cores_per_llc.value, llcs = d->llcs_per_node.value;

	for (uint32_t n = 0; n < m->cpus; n++) {
		struct seat s = d->placement.value == PLACEMENT_COMPACT ? seat_compact(d, n)
									: seat_spread(d, n);
		uint32_t cpu = cpu_at(d, s);

		m->order[n] = cpu;
		m->node[cpu] = s.node;
		m->llc[cpu] = s.node * llcs + s.llc;
		m->core[cpu] = m->llc[cpu] * cores + s.core;
	}
}

/* Leaves the first "cpus" CPUs of the order, numbered anew without gaps in their old order. */
static void limit_cpus(struct model_machine *m, uint32_t cpus)
{
	struct model_machine all = *m;
	bool used[MODEL_CPUS] = { false };
	uint16_t renamed[MODEL_CPUS];
	uint32_t next = 0;

	for (uint32_t n = 0; n < cpus; n++)
		used[all.order[n]] = true;
	for (uint32_t cpu = 0; cpu < all.cpus; cpu++) {
		if (!used[cpu])
			continue;
		renamed[cpu] = next;
		m->node[next] = all.node[cpu];
		m->llc[next] = all.llc[cpu];
		m->core[next] = all.core[cpu];
		next++;
	}
	for (uint32_t n = 0; n < cpus; n++)
		m->order[n] = renamed[all.order[n]];
	m->cpus = cpus;
}

/* A program with more threads than CPUs starts again at the first place. */
static void repeat_order(struct model_machine *m)
{
	for (uint32_t n = m->cpus; n < MODEL_CPUS; n++)
		m->order[n] = m->order[n - m->cpus];
}

static struct err *fill_topology(const struct reading *r, uint32_t cpus, struct model_machine *m)
{
	const struct description *d = &r->machine;
	double all = d->nodes.value * d->llcs_per_node.value * d->cores_per_llc.value *
		     d->threads_per_core.value;

	if (all > MODEL_CPUS)
		return err_new(ERR_FAILED,
			       "machine file %s: %.0f CPUs are more than the %d that "
			       "can be modelled",
			       r->file.path, all, MODEL_CPUS);
	m->cpus = all;
	fill_cpus(d, m);
	if (cpus > m->cpus)
		return err_next(err_new(ERR_USAGE, "machine %s: has %u CPUs, not %u", m->name,
					m->cpus, cpus),
				"ask for at most --cpus %u", m->cpus);
	if (cpus)
		limit_cpus(m, cpus);
	repeat_order(m);
	return NULL;
}

static struct err *check_sense(const struct reading *r, const struct model_machine *m)
{
	if (m->line_size & (m->line_size - 1))
		return fail_at(r, r->machine.line_size.line, "line_size = %u is no power of two",
			       m->line_size);
	if (m->hold[MODEL_HOLD_LOW] > m->hold[MODEL_HOLD_TYPICAL] ||
	    m->hold[MODEL_HOLD_TYPICAL] > m->hold[MODEL_HOLD_HIGH])
		return fail_at(r, r->machine.hold[MODEL_HOLD_TYPICAL].line,
			       "hold low <= typical <= high does not hold");
	return NULL;
}

static struct err *machine_build(const struct reading *r, uint32_t cpus, struct model_machine *m)
{
	struct err *e = missing_key(r);

	if (!e)
		e = fill_costs(r, m);
	if (!e)
		e = check_sense(r, m);
	return e ? e : fill_topology(r, cpus, m);
}

static struct err *machine_read(const char *path, FILE *file, uint32_t cpus,
				struct model_machine *m)
{
	struct reading r = {
		.file = { .what = "machine", .path = path, .context = &r, .key = read_key }
	};
	struct err *e = ini_file_read(&r.file, file);

	return e ? e : machine_build(&r, cpus, m);
}

struct err *machine_load(const char *folder, const char *name, uint32_t cpus,
			 struct model_machine *machine)
{
	struct err *e;
	char *path;
	FILE *file;

	*machine = (struct model_machine){ 0 };
	e = ini_file_open("machine", folder, name, &path, &file);
	if (!e) {
		char *base = ini_file_name(path);

		snprintf(machine->name, sizeof(machine->name), "%s", base);
		free(base);
		e = machine_read(path, file, cpus, machine);
		fclose(file);
	}
	free(path);
	if (e && !err_advice(e))
		err_next(e, "docs/machines.md says what a machine file holds");
	return e;
}

char *machine_names(const char *folder)
{
	return ini_file_names(folder);
}
