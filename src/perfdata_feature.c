// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_feature.h"
#include "mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
	[11] = read_command,  [12] = read_event_names, [14] = read_nodes,
};

bool perfdata_feature_known(uint64_t feature)
{
	return feature < ARRAY_SIZE(reader) && reader[feature];
}

void perfdata_feature_read(struct perfdata_header *h, uint64_t feature, struct cursor body)
{
	reader[feature](h, body);
}
