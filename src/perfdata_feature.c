// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_feature.h"
#include "mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_RUNS_MAX 65536 /* of blocks; a damaged feature gets no more memory of ours */

/* A string is its length, padding included, and its bytes with a NUL. */
static const char *read_string(struct cursor *c)
{
	uint32_t size = cursor_u32(c);

	return cursor_string(c, size);
}

#define STRING_FEATURE(member)                                                                     \
	static void read_##member(struct perfdata_header *h, struct cursor c)                      \
	{                                                                                          \
		const char *s = read_string(&c);                                                   \
                                                                                                   \
		if (s && *s)                                                                       \
			h->recording->member = intern_string(h->pool, s);                          \
	}

STRING_FEATURE(host)
STRING_FEATURE(kernel)
STRING_FEATURE(recorder)
STRING_FEATURE(arch)
STRING_FEATURE(cpu)
STRING_FEATURE(cpuid)

/* CPUs the machine can have, then CPUs that were online. */
static void read_cpus(struct perfdata_header *h, struct cursor c)
{
	uint32_t available = cursor_u32(&c);

	if (!c.bad && available <= PERFDATA_CPUS_MAX)
		h->recording->cpus = available;
}

static void read_command(struct perfdata_header *h, struct cursor c)
{
	uint32_t count = cursor_u32(&c);
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		mem_exhausted();
	for (uint32_t i = 0; i < count && !c.bad; i++) {
		const char *s = read_string(&c);

		if (s)
			fprintf(out, "%s%s", i ? " " : "", s);
	}
	if (fclose(out))
		mem_exhausted();
	if (!c.bad && *line)
		h->recording->command = intern_string(h->pool, line);
	free(line);
}

/* One event: its attributes, how many ids, its name, its ids. Found by its first id, else by its
 * place. */
static void read_event_name(struct perfdata_header *h, struct cursor *c, uint32_t attr_size,
			    uint32_t place)
{
	struct cursor ids;
	uint32_t id_count, event = place;
	const char *name;

	cursor_skip(c, attr_size);
	id_count = cursor_u32(c);
	name = read_string(c);
	ids = cursor_part(c, 8 * (uint64_t)id_count);
	if (c->bad)
		return;
	if (id_count) {
		uint64_t *known = map_get(&h->event_of_id, cursor_u64(&ids));

		event = known ? *known : place;
	}
	if (event < h->recording->event_count && *name)
		h->recording->events[event].name = intern_string(h->pool, name);
}

static void read_event_names(struct perfdata_header *h, struct cursor c)
{
	uint32_t count = cursor_u32(&c), attr_size = cursor_u32(&c);

	for (uint32_t i = 0; i < count && !c.bad; i++)
		read_event_name(h, &c, attr_size, i);
}

static void set_node(struct recording *r, uint32_t cpu, uint32_t node)
{
	if (cpu >= r->cpu_nodes) {
		r->cpu_node = mem_realloc(r->cpu_node, cpu + 1, sizeof(*r->cpu_node));
		while (r->cpu_nodes <= cpu)
			r->cpu_node[r->cpu_nodes++] = UINT32_MAX;
	}
	r->cpu_node[cpu] = node;
}

/* "0-23,48-71"; stops at the first thing that is no such list. A CPU has one node: "left" of them
 * can still be placed, which bounds the work that a damaged list can ask for. */
static void set_nodes(struct recording *r, const char *list, uint32_t node, uint32_t *left)
{
	while (isdigit((unsigned char)*list)) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last >= PERFDATA_CPUS_MAX)
			return;
		for (unsigned long cpu = first; cpu <= last && *left; cpu++, --*left)
			set_node(r, cpu, node);
		list = *end == ',' ? end + 1 : end;
	}
}

/* One node: its number, its memory in all and free (kB), its CPUs. */
static void read_nodes(struct perfdata_header *h, struct cursor c)
{
	uint32_t count = cursor_u32(&c), left = PERFDATA_CPUS_MAX;

	for (uint32_t i = 0; i < count && !c.bad; i++) {
		uint32_t node = cursor_u32(&c);
		const char *cpus;

		cursor_skip(&c, 16);
		cpus = read_string(&c);
		if (cpus)
			set_nodes(h->recording, cpus, node, &left);
	}
}

/* Blocks [first, last] of memory belong to a node. */
static void add_memory(struct recording *r, uint64_t first, uint64_t last, uint64_t block,
		       uint32_t node)
{
	uint64_t start, size;

	if (r->memory_count == MEMORY_RUNS_MAX || __builtin_mul_overflow(first, block, &start) ||
	    __builtin_mul_overflow(last - first + 1, block, &size))
		return;
	r->memory = mem_realloc(r->memory, r->memory_count + 1, sizeof(*r->memory));
	r->memory[r->memory_count++] = (struct recording_memory){ start, size, node };
}

/* One node: its number, how many blocks it has, how many bits follow in words of 64: one each block
 * of the machine, set when it is the node's. */
static void read_node_memory(struct recording *r, struct cursor *c, uint64_t block)
{
	uint64_t node = cursor_u64(c), bits, word = 0, run = UINT64_MAX;

	cursor_skip(c, 8);
	bits = cursor_u64(c);
	for (uint64_t i = 0; i < bits && !c->bad; i++) {
		if (i % 64 == 0)
			word = cursor_u64(c);
		if (word >> i % 64 & 1) {
			run = run == UINT64_MAX ? i : run;
			continue;
		}
		if (run != UINT64_MAX)
			add_memory(r, run, i - 1, block, node);
		run = UINT64_MAX;
	}
	if (run != UINT64_MAX && !c->bad)
		add_memory(r, run, bits - 1, block, node);
}

static void read_memory(struct perfdata_header *h, struct cursor c)
{
	uint64_t version = cursor_u64(&c), block = cursor_u64(&c), count = cursor_u64(&c);

	if (version != 1 || h->recording->memory_count)
		return;
	for (uint64_t i = 0; i < count && !c.bad; i++)
		read_node_memory(h->recording, &c, block);
}

/* Records, each with its header. */
static void read_build_ids(struct perfdata_header *h, struct cursor c)
{
	while (cursor_left(&c)) {
		struct cursor record = c;
		uint16_t misc, size;

		cursor_skip(&record, 4); /* type */
		misc = cursor_u16(&record);
		size = cursor_u16(&record);
		cursor_skip(&c, size);
		if (record.bad || c.bad || size < 8)
			return;
		record.end = c.at;
		perfdata_header_note_build_id(h, misc, record);
	}
}

static void (*const reader[])(struct perfdata_header *h, struct cursor c) = {
	[2] = read_build_ids, [3] = read_host,	       [4] = read_kernel, [5] = read_recorder,
	[6] = read_arch,      [7] = read_cpus,	       [8] = read_cpu,	  [9] = read_cpuid,
	[11] = read_command,  [12] = read_event_names, [14] = read_nodes, [22] = read_memory,
};

bool perfdata_feature_known(uint64_t feature)
{
	return feature < ARRAY_SIZE(reader) && reader[feature];
}

void perfdata_feature_read(struct perfdata_header *h, uint64_t feature, struct cursor body)
{
	reader[feature](h, body);
}
