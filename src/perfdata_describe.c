// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_describe.h"
#include "mem.h"

#include <limits.h>
#include <perf/event.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_ID 20 /* bytes; shorter ones are filled up with NULs */

/* Bit numbers of the header's mask. */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
};

/* A string of a feature: its padded length, then itself. */
static void blob_string(struct blob *b, const char *s)
{
	size_t length = strlen(s);

	blob_u32(b, length + 64 - length % 64);
	blob_padded(b, s, length, 64);
}

/* ---- Features */

static uint32_t node_count(const struct perfdata_features *f)
{
	uint32_t nodes = 1;

	for (uint32_t cpu = 0; cpu < f->cpus; cpu++)
		if (f->cpu_node[cpu] >= nodes)
			nodes = f->cpu_node[cpu] + 1;
	return nodes;
}

/* The CPUs whose entry in "unit" is "wanted", as "0-3,8-11"; to be freed. */
static char *cpu_list(const uint16_t *unit, uint32_t cpus, uint32_t wanted)
{
	char *list = mem_strdup("");

	for (uint32_t first = 0; first < cpus; first++) {
		uint32_t last = first;
		char *longer;

		if (unit[first] != wanted)
			continue;
		while (last + 1 < cpus && unit[last + 1] == wanted)
			last++;
		longer = last == first
				 ? mem_printf("%s%s%u", list, *list ? "," : "", first)
				 : mem_printf("%s%s%u-%u", list, *list ? "," : "", first, last);
		free(list);
		list = longer;
		first = last;
	}
	return list;
}

static void blob_cpu_list(struct blob *b, const uint16_t *unit, uint32_t cpus, uint32_t wanted)
{
	char *list = cpu_list(unit, cpus, wanted);

	blob_string(b, list);
	free(list);
}

static void put_build_ids(const struct perfdata_description *d, struct blob *b)
{
	blob_bytes(b, d->build_ids.bytes, d->build_ids.size);
}

static void put_tracing_data(const struct perfdata_description *d, struct blob *b)
{
	blob_bytes(b, d->features.tracing, d->features.tracing_bytes);
}

static void put_host(const struct perfdata_description *d, struct blob *b)
{
	blob_string(b, d->features.host);
}

static void put_kernel(const struct perfdata_description *d, struct blob *b)
{
	blob_string(b, d->features.kernel);
}

static void put_recorder(const struct perfdata_description *d, struct blob *b)
{
	blob_string(b, d->features.recorder);
}

static void put_arch(const struct perfdata_description *d, struct blob *b)
{
	blob_string(b, d->features.arch);
}

static void put_cpu(const struct perfdata_description *d, struct blob *b)
{
	blob_string(b, d->features.cpu);
}

static void put_cpuid(const struct perfdata_description *d, struct blob *b)
{
	blob_string(b, d->features.cpuid);
}

static void put_cpus(const struct perfdata_description *d, struct blob *b)
{
	blob_u32(b, d->features.cpus); /* available */
	blob_u32(b, d->features.cpus); /* online */
}

static void put_memory(const struct perfdata_description *d, struct blob *b)
{
	blob_u64(b, d->features.memory_kb);
}

static void put_command(const struct perfdata_description *d, struct blob *b)
{
	blob_u32(b, d->features.argc);
	for (int i = 0; i < d->features.argc; i++)
		blob_string(b, d->features.argv[i]);
}

void perfdata_describe_attr(struct blob *b, const struct perf_event_attr *attr, uint32_t size)
{
	struct perf_event_attr a = *attr;

	a.size = size;
	blob_bytes(b, &a, size);
}

static void put_events(const struct perfdata_description *d, struct blob *b)
{
	blob_u32(b, d->events);
	blob_u32(b, d->attr_size);
	for (uint32_t i = 0; i < d->events; i++) {
		const struct perfdata_event *e = &d->event[i];

		perfdata_describe_attr(b, &e->attr, d->attr_size);
		blob_u32(b, e->id_count);
		blob_string(b, e->name);
		blob_bytes(b, e->ids, e->id_count * sizeof(*e->ids));
	}
}

static void put_siblings(const uint16_t *unit, uint32_t cpus, struct blob *b)
{
	uint32_t units = 0;

	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		if (unit[cpu] >= units)
			units = unit[cpu] + 1;
	blob_u32(b, units);
	for (uint32_t i = 0; i < units; i++)
		blob_cpu_list(b, unit, cpus, i);
}

static void put_cpu_topology(const struct perfdata_description *d, struct blob *b)
{
	const struct perfdata_features *f = &d->features;
	const uint16_t *socket = f->cpu_socket ? f->cpu_socket : f->cpu_node;

	put_siblings(socket, f->cpus, b);
	put_siblings(f->cpu_core, f->cpus, b);
	for (uint32_t cpu = 0; cpu < f->cpus; cpu++) {
		blob_u32(b, f->cpu_core[cpu]);
		blob_u32(b, socket[cpu]);
	}
	put_siblings(socket, f->cpus, b); /* dies: a socket's is one */
	for (uint32_t cpu = 0; cpu < f->cpus; cpu++)
		blob_u32(b, 0);
}

static void put_numa_topology(const struct perfdata_description *d, struct blob *b)
{
	const struct perfdata_features *f = &d->features;
	uint32_t nodes = node_count(f);

	blob_u32(b, nodes);
	for (uint32_t node = 0; node < nodes; node++) {
		blob_u32(b, node);
		blob_u64(b, f->memory_kb / nodes); /* total */
		blob_u64(b, f->memory_kb / nodes); /* free */
		blob_cpu_list(b, f->cpu_node, f->cpus, node);
	}
}

static void put_pmus(const struct perfdata_description *d, struct blob *b)
{
	blob_u32(b, d->features.pmus);
	for (uint32_t i = 0; i < d->features.pmus; i++) {
		blob_u32(b, d->features.pmu[i].type);
		blob_string(b, d->features.pmu[i].name);
	}
}

static void put_sample_time(const struct perfdata_description *d, struct blob *b)
{
	blob_u64(b, d->first);
	blob_u64(b, d->last);
}

static void put_memory_topology(const struct perfdata_description *d, struct blob *b)
{
	const struct perfdata_features *f = &d->features;

	blob_u64(b, 1); /* version */
	blob_u64(b, f->block_bytes);
	blob_u64(b, f->nodes);
	for (uint32_t i = 0; i < f->nodes; i++) {
		const struct perfdata_node *n = &f->node[i];
		uint64_t blocks = 0;

		for (uint64_t w = 0; w < n->words; w++)
			blocks += __builtin_popcountll(n->bits[w]);
		blob_u64(b, n->node);
		blob_u64(b, blocks);
		blob_u64(b, 64 * n->words);
		blob_bytes(b, n->bits, n->words * sizeof(*n->bits));
	}
}

#define WHEN(member) offsetof(struct perfdata_features, member)
#define ALWAYS	     SIZE_MAX

/* In the order of their bits, as the file wants them. */
static const struct feature_row {
	enum feature bit;
	size_t when; /* written when this pointer in struct perfdata_features is not NULL */
	void (*put)(const struct perfdata_description *d, struct blob *b);
} feature_rows[] = {
	{ FEATURE_TRACING_DATA, ALWAYS, put_tracing_data },
	{ FEATURE_BUILD_ID, ALWAYS, put_build_ids },
	{ FEATURE_HOSTNAME, WHEN(host), put_host },
	{ FEATURE_OSRELEASE, WHEN(kernel), put_kernel },
	{ FEATURE_VERSION, WHEN(recorder), put_recorder },
	{ FEATURE_ARCH, WHEN(arch), put_arch },
	{ FEATURE_NRCPUS, ALWAYS, put_cpus },
	{ FEATURE_CPUDESC, WHEN(cpu), put_cpu },
	{ FEATURE_CPUID, WHEN(cpuid), put_cpuid },
	{ FEATURE_TOTAL_MEM, ALWAYS, put_memory },
	{ FEATURE_CMDLINE, WHEN(argv), put_command },
	{ FEATURE_EVENT_DESC, ALWAYS, put_events },
	{ FEATURE_CPU_TOPOLOGY, WHEN(cpu_core), put_cpu_topology },
	{ FEATURE_NUMA_TOPOLOGY, WHEN(cpu_node), put_numa_topology },
	{ FEATURE_PMU_MAPPINGS, WHEN(pmu), put_pmus },
	{ FEATURE_SAMPLE_TIME, ALWAYS, put_sample_time },
	{ FEATURE_MEM_TOPOLOGY, WHEN(node), put_memory_topology },
};

/* A pipe has records of their own kind for tracing data and build ids, and describes itself before
 * the times are known. */
static bool feature_known(const struct perfdata_description *d, const struct feature_row *row)
{
	const void *given;

	if (row->bit == FEATURE_TRACING_DATA)
		return d->features.tracing_bytes && !d->pipe;
	if (row->bit == FEATURE_BUILD_ID)
		return d->build_ids.size;
	if (row->bit == FEATURE_SAMPLE_TIME)
		return !d->pipe;
	if (row->when == ALWAYS)
		return true;
	memcpy(&given, (const char *)&d->features + row->when, sizeof(given));
	return given;
}

bool perfdata_describe(const struct perfdata_description *d, size_t index, uint32_t *bit,
		       struct blob *body)
{
	const struct feature_row *row = &feature_rows[index];

	if (index >= ARRAY_SIZE(feature_rows))
		return false;
	*bit = UINT32_MAX;
	if (feature_known(d, row)) {
		*bit = row->bit;
		row->put(d, body);
	}
	return true;
}

/* A header, whose machine it is (-1: the host), the id in 20 bytes, its size in one and three
 * reserved, the file. */
void perfdata_describe_build_id(struct blob *b, const char *path, const uint8_t *id, uint8_t size,
				bool kernel)
{
	size_t length = strnlen(path, PATH_MAX - 1);
	struct perf_event_header h = {
		.type = PERF_RECORD_HEADER_BUILD_ID,
		.misc = (kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
			PERF_RECORD_MISC_BUILD_ID_SIZE,
		.size = sizeof(h) + sizeof(uint32_t) + BUILD_ID + 4 + length + 64 - length % 64,
	};
	uint8_t bytes[BUILD_ID + 4] = { 0 };

	bytes[BUILD_ID] = size < BUILD_ID ? size : BUILD_ID;
	memcpy(bytes, id, bytes[BUILD_ID]);
	blob_bytes(b, &h, sizeof(h));
	blob_u32(b, UINT32_MAX);
	blob_bytes(b, bytes, sizeof(bytes));
	blob_padded(b, path, length, 64);
}
