// SPDX-License-Identifier: GPL-2.0-only
#include "topology.h"
#include "cpulist.h"
#include "mem.h"
#include "sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_FOLDER  "/sys/devices/system/cpu"
#define NODES_FOLDER "/sys/devices/system/node"
#define PMUS_FOLDER  "/sys/bus/event_source/devices"
#define BLOCKS	     (1u << 20)	  /* of memory; above it a number is nonsense */
#define ALL_MEMORY   (1ull << 52) /* bytes: more than a machine has */

static char *text_of(const char *root, const char *path)
{
	char *text;

	err_free(sysfs_read(root, path, &text));
	return text;
}

static uint32_t number_of(const char *root, const char *folder, uint32_t n, const char *file)
{
	char *path = mem_printf("%s%u/%s", folder, n, file);
	int64_t value = 0;
	bool there;

	err_free(sysfs_number(root, path, &value, &there));
	free(path);
	return there && value > 0 ? value : 0;
}

/* ---- CPUs */

static struct cpulist cpus_of(const char *root, const char *path)
{
	struct cpulist cpus = { 0 };
	char *text = text_of(root, path);

	if (text)
		cpulist_parse(text, &cpus);
	free(text);
	return cpus;
}

/* A core's number is its own within a socket only. */
static uint32_t core_number(struct topology *t, uint32_t *first, uint32_t *cores, uint32_t cpu,
			    uint32_t id)
{
	for (uint32_t i = 0; i < *cores; i++)
		if (t->socket[first[i]] == t->socket[cpu] && first[CPULIST_CPUS + i] == id)
			return i;
	first[*cores] = cpu;
	first[CPULIST_CPUS + *cores] = id;
	return (*cores)++;
}

static void read_cores(const char *root, struct topology *t)
{
	uint32_t *first = mem_zalloc(2 * CPULIST_CPUS * sizeof(*first)), cores = 0;

	for (uint32_t cpu = 0; cpu < t->cpus; cpu++) {
		t->socket[cpu] = number_of(root, CPUS_FOLDER "/cpu", cpu,
					   "topology/physical_package_id");
		t->core[cpu] =
			core_number(t, first, &cores, cpu,
				    number_of(root, CPUS_FOLDER "/cpu", cpu, "topology/core_id"));
	}
	free(first);
}

static void read_cpus(const char *root, struct topology *t)
{
	struct cpulist cpus = cpus_of(root, CPUS_FOLDER "/present");

	for (uint32_t cpu = 0; cpu < CPULIST_CPUS; cpu++)
		if (cpulist_has(&cpus, cpu))
			t->cpus = cpu + 1;
	t->cpus += !t->cpus;
	t->node = mem_zalloc(t->cpus * sizeof(*t->node));
	t->core = mem_zalloc(t->cpus * sizeof(*t->core));
	t->socket = mem_zalloc(t->cpus * sizeof(*t->socket));
	read_cores(root, t);
}

/* ---- Nodes */

static void add_block(struct perfdata_node *n, uint64_t block, uint64_t *room)
{
	if (block / 64 >= *room) {
		uint64_t words = 2 * (block / 64 + 1);

		n->bits = mem_realloc(n->bits, words, sizeof(*n->bits));
		memset(n->bits + *room, 0, (words - *room) * sizeof(*n->bits));
		*room = words;
	}
	n->bits[block / 64] |= 1ull << block % 64;
	if (n->words <= block / 64)
		n->words = block / 64 + 1;
}

/* "memory32": a block that is the node's. */
static void read_blocks(const char *root, const char *folder, struct perfdata_node *n)
{
	struct sysfs_names names = sysfs_list(root, folder);
	uint64_t room = 0;
	unsigned int block;

	for (size_t i = 0; i < names.count; i++)
		if (sscanf(names.name[i], "memory%u", &block) == 1 && block < BLOCKS)
			add_block(n, block, &room);
	sysfs_names_deinit(&names);
}

static void add_node(const char *root, struct topology *t, uint32_t node)
{
	char *folder = mem_printf(NODES_FOLDER "/node%u", node);
	char *list = mem_printf("%s/cpulist", folder);
	struct cpulist cpus = cpus_of(root, list);
	struct perfdata_node *n;

	for (uint32_t cpu = 0; cpu < t->cpus; cpu++)
		if (cpulist_has(&cpus, cpu))
			t->node[cpu] = node;
	t->memory = mem_realloc(t->memory, t->nodes + 1, sizeof(*t->memory));
	n = &t->memory[t->nodes++];
	*n = (struct perfdata_node){ .node = node };
	read_blocks(root, folder, n);
	free(list);
	free(folder);
}

/* Where a kernel does not tell its blocks of memory, all of it is the one node's. */
static void read_block_size(const char *root, struct topology *t)
{
	char *text = text_of(root, "/sys/devices/system/memory/block_size_bytes");
	bool told = false;

	t->block_bytes = text ? strtoull(text, NULL, 16) : 0;
	free(text);
	for (uint32_t i = 0; i < t->nodes; i++)
		told = told || t->memory[i].words;
	if (told && t->block_bytes)
		return;
	for (uint32_t i = 0; i < t->nodes; i++)
		t->memory[i].words = 0;
	if (t->nodes == 1) {
		uint64_t room = t->memory[0].words;

		t->block_bytes = ALL_MEMORY;
		free(t->memory[0].bits);
		t->memory[0].bits = NULL;
		add_block(&t->memory[0], 0, &room);
	}
}

static void read_nodes(const char *root, struct topology *t)
{
	struct cpulist nodes = cpus_of(root, NODES_FOLDER "/online");

	if (!cpulist_count(&nodes))
		cpulist_add(&nodes, 0, 0);
	for (uint32_t node = 0; node < CPULIST_CPUS; node++)
		if (cpulist_has(&nodes, node))
			add_node(root, t, node);
	read_block_size(root, t);
}

/* ---- Names */

static char *line_value(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	at = at ? strchr(at, ':') : NULL;
	if (!at)
		return NULL;
	at += strspn(at, ": \t");
	return mem_printf("%.*s", (int)strcspn(at, "\n"), at);
}

/* As perf writes it: "GenuineIntel,6,85,7". */
static void read_names(const char *root, struct topology *t)
{
	static const char *const keys[] = { "vendor_id", "\ncpu family", "\nmodel\t",
					    "\nstepping" };
	char *text = text_of(root, "/proc/cpuinfo"), *value[ARRAY_SIZE(keys)];
	bool all = true;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		value[i] = line_value(text, keys[i]);
		all = all && value[i];
	}
	if (all)
		t->cpuid = mem_printf("%s,%s,%s,%s", value[0], value[1], value[2], value[3]);
	t->cpu = line_value(text, "model name");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		free(value[i]);
	free(text);
	text = text_of(root, "/proc/meminfo");
	if (text)
		sscanf(text, "MemTotal: %lu", &t->memory_kb);
	free(text);
}

static void read_pmus(const char *root, struct topology *t)
{
	struct sysfs_names names = sysfs_list(root, PMUS_FOLDER);

	t->pmu = mem_zalloc(names.count * sizeof(*t->pmu) + 1);
	t->pmu_name = names.name;
	for (size_t i = 0; i < names.count; i++) {
		char *path = mem_printf(PMUS_FOLDER "/%s/type", names.name[i]);
		int64_t type;
		bool there;

		err_free(sysfs_number(root, path, &type, &there));
		t->pmu[i] = (struct perfdata_pmu){ names.name[i], there ? type : UINT32_MAX };
		free(path);
	}
	t->pmus = names.count;
}

void topology_read(const char *root, struct topology *t)
{
	*t = (struct topology){ 0 };
	read_cpus(root, t);
	read_nodes(root, t);
	read_names(root, t);
	read_pmus(root, t);
}

void topology_deinit(struct topology *t)
{
	for (uint32_t i = 0; i < t->nodes; i++)
		free(t->memory[i].bits);
	for (uint32_t i = 0; i < t->pmus; i++)
		free(t->pmu_name[i]);
	free(t->pmu_name);
	free(t->pmu);
	free(t->memory);
	free(t->node);
	free(t->core);
	free(t->socket);
	free(t->cpu);
	free(t->cpuid);
}

void topology_describe(const struct topology *t, struct perfdata_features *f)
{
	f->cpu = t->cpu;
	f->cpuid = t->cpuid;
	f->cpus = t->cpus;
	f->cpu_node = t->node;
	f->cpu_core = t->core;
	f->cpu_socket = t->socket;
	f->memory_kb = t->memory_kb;
	f->pmu = t->pmus ? t->pmu : NULL;
	f->pmus = t->pmus;
	f->block_bytes = t->block_bytes;
	f->node = t->block_bytes ? t->memory : NULL;
	f->nodes = t->nodes;
}
