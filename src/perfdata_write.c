// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_write.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS	    2	   /* loads, stores */
#define RECORD_MOST 0xffff /* a record's size is 16 bits */
#define BUFFER	    (1u << 20)
#define BUILD_ID    20	       /* bytes; shorter ones are filled up with NULs */
#define MODEL_PMU   0x7fffff00 /* type of its events; the kernel counts real ones up from 8 */

/* The features of a perf.data file that are written here: bit numbers of the header's mask
 * (tools/perf/Documentation/perf.data-file-format.txt). */
enum feature {
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

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

/* One attribute in the file: what perf_event_open() takes, and where its ids are. */
struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* What comes before the data. */
struct file_front {
	struct file_header header;
	uint64_t ids[EVENTS];
	struct file_attr attrs[EVENTS];
};

struct blob {
	uint8_t *bytes;
	size_t size, room;
};

struct perfdata_writer {
	FILE *file;
	char *path;
	char *names[EVENTS];
	struct perfdata_features features;
	struct file_front front;
	struct blob record;    /* the one being built */
	struct blob build_ids; /* records of the feature, as they will be written */
	uint64_t data_bytes, feature_bytes;
	uint64_t latest;       /* time of any event so far */
	uint64_t round_latest; /* ... when the last round ended */
	uint64_t settled;      /* readers have given out events up to here */
	uint64_t first_sample, last_sample;
};

#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT |            \
	 PERF_SAMPLE_DATA_SRC)

static void blob_bytes(struct blob *b, const void *bytes, size_t size)
{
	if (b->size + size > b->room) {
		b->room = 2 * (b->size + size);
		b->bytes = mem_realloc(b->bytes, b->room, 1);
	}
	if (size)
		memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
}

static void blob_u64(struct blob *b, uint64_t v)
{
	blob_bytes(b, &v, sizeof(v));
}

static void blob_u32(struct blob *b, uint32_t v)
{
	blob_bytes(b, &v, sizeof(v));
}

/* The string with its NUL, filled up with NULs to a multiple of "unit". */
static void blob_padded(struct blob *b, const char *s, size_t length, size_t unit)
{
	static const char zeroes[64];

	blob_bytes(b, s, length);
	blob_bytes(b, zeroes, unit - length % unit);
}

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

static void put_build_ids(const struct perfdata_writer *w, struct blob *b)
{
	blob_bytes(b, w->build_ids.bytes, w->build_ids.size);
}

static void put_host(const struct perfdata_writer *w, struct blob *b)
{
	blob_string(b, w->features.host);
}

static void put_kernel(const struct perfdata_writer *w, struct blob *b)
{
	blob_string(b, w->features.kernel);
}

static void put_recorder(const struct perfdata_writer *w, struct blob *b)
{
	blob_string(b, w->features.recorder);
}

static void put_arch(const struct perfdata_writer *w, struct blob *b)
{
	blob_string(b, w->features.arch);
}

static void put_cpu(const struct perfdata_writer *w, struct blob *b)
{
	blob_string(b, w->features.cpu);
}

static void put_cpuid(const struct perfdata_writer *w, struct blob *b)
{
	blob_string(b, w->features.cpuid);
}

static void put_cpus(const struct perfdata_writer *w, struct blob *b)
{
	blob_u32(b, w->features.cpus); /* available */
	blob_u32(b, w->features.cpus); /* online */
}

static void put_memory(const struct perfdata_writer *w, struct blob *b)
{
	blob_u64(b, w->features.memory_kb);
}

static void put_command(const struct perfdata_writer *w, struct blob *b)
{
	blob_u32(b, w->features.argc);
	for (int i = 0; i < w->features.argc; i++)
		blob_string(b, w->features.argv[i]);
}

static void put_events(const struct perfdata_writer *w, struct blob *b)
{
	blob_u32(b, EVENTS);
	blob_u32(b, sizeof(struct perf_event_attr));
	for (int i = 0; i < EVENTS; i++) {
		blob_bytes(b, &w->front.attrs[i].attr, sizeof(struct perf_event_attr));
		blob_u32(b, 1); /* ids */
		blob_string(b, w->names[i]);
		blob_u64(b, w->front.ids[i]);
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

static void put_cpu_topology(const struct perfdata_writer *w, struct blob *b)
{
	const struct perfdata_features *f = &w->features;

	put_siblings(f->cpu_node, f->cpus, b); /* of a socket */
	put_siblings(f->cpu_core, f->cpus, b); /* of a core */
	for (uint32_t cpu = 0; cpu < f->cpus; cpu++) {
		blob_u32(b, f->cpu_core[cpu]);
		blob_u32(b, f->cpu_node[cpu]);
	}
}

static void put_numa_topology(const struct perfdata_writer *w, struct blob *b)
{
	const struct perfdata_features *f = &w->features;
	uint32_t nodes = node_count(f);

	blob_u32(b, nodes);
	for (uint32_t node = 0; node < nodes; node++) {
		blob_u32(b, node);
		blob_u64(b, f->memory_kb / nodes); /* total */
		blob_u64(b, f->memory_kb / nodes); /* free */
		blob_cpu_list(b, f->cpu_node, f->cpus, node);
	}
}

static void put_pmus(const struct perfdata_writer *w, struct blob *b)
{
	blob_u32(b, 1);
	blob_u32(b, MODEL_PMU);
	blob_string(b, "model");
}

static void put_sample_time(const struct perfdata_writer *w, struct blob *b)
{
	blob_u64(b, w->first_sample);
	blob_u64(b, w->last_sample);
}

/* Which memory blocks are on which node. Samples carry no physical address, so nothing is looked up
 * in it; without it perf c2c complains. */
static void put_memory_topology(const struct perfdata_writer *w, struct blob *b)
{
	uint32_t nodes = node_count(&w->features);
	uint64_t words = (nodes + 63) / 64;

	blob_u64(b, 1);	       /* version */
	blob_u64(b, 1u << 27); /* block size */
	blob_u64(b, nodes);
	for (uint32_t node = 0; node < nodes; node++) {
		blob_u64(b, node);
		blob_u64(b, 1); /* blocks */
		blob_u64(b, 64 * words);
		for (uint64_t i = 0; i < words; i++)
			blob_u64(b, i == node / 64 ? 1ull << node % 64 : 0);
	}
}

#define WHEN(member) offsetof(struct perfdata_features, member)
#define ALWAYS	     SIZE_MAX

/* In the order of their bits, as the file wants them. */
static const struct feature_row {
	enum feature bit;
	size_t when; /* written when this pointer in struct perfdata_features is not NULL */
	void (*put)(const struct perfdata_writer *w, struct blob *b);
} feature_rows[] = {
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
	{ FEATURE_CPU_TOPOLOGY, ALWAYS, put_cpu_topology },
	{ FEATURE_NUMA_TOPOLOGY, ALWAYS, put_numa_topology },
	{ FEATURE_PMU_MAPPINGS, ALWAYS, put_pmus },
	{ FEATURE_SAMPLE_TIME, ALWAYS, put_sample_time },
	{ FEATURE_MEM_TOPOLOGY, ALWAYS, put_memory_topology },
};

static bool feature_known(const struct perfdata_writer *w, const struct feature_row *row)
{
	const void *given;

	if (row->bit == FEATURE_BUILD_ID)
		return w->build_ids.size;
	if (row->when == ALWAYS)
		return true;
	memcpy(&given, (const char *)&w->features + row->when, sizeof(given));
	return given;
}

/* ---- The file */

static struct err *write_error(const struct perfdata_writer *w)
{
	return err_next(
		err_errno(ERR_FAILED, errno, "perf.data: writing %s", w->path),
		"what was written before is kept; name a file on another disk with -o FILE");
}

static struct err *write_bytes(struct perfdata_writer *w, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, w->file) == size ? NULL : write_error(w);
}

static void attr_init(struct perf_event_attr *a, bool first)
{
	/* No event of the kernel stands behind these samples. They are those of a PMU that no
	 * machine has; perf script leaves the address of the code out where they are a dummy
	 * event's. */
	*a = (struct perf_event_attr){
		.type = MODEL_PMU,
		.size = sizeof(*a),
		.config = first ? 0 : 1,
		.sample_period = 1,
		.sample_type = SAMPLE_TYPE,
		.read_format = PERF_FORMAT_ID,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.mmap = first,
		.mmap2 = first,
		.mmap_data = first,
		.comm = first,
		.comm_exec = first,
		.task = first,
	};
}

static void front_init(struct file_front *f)
{
	*f = (struct file_front){
		.header = {
			.magic = "PERFILE2",
			.size = sizeof(struct file_header),
			.attr_size = sizeof(struct file_attr),
			.attrs = { offsetof(struct file_front, attrs), sizeof(f->attrs) },
			.data = { sizeof(struct file_front), 0 },
		},
	};
	for (int i = 0; i < EVENTS; i++) {
		f->ids[i] = 1 + i;
		f->attrs[i].ids.offset = offsetof(struct file_front, ids) + i * sizeof(f->ids[0]);
		f->attrs[i].ids.size = sizeof(f->ids[0]);
		attr_init(&f->attrs[i].attr, i == 0);
	}
}

static struct err *open_regular(const char *path, FILE **file)
{
	struct stat st;

	*file = fopen(path, "we");
	if (!*file)
		return err_next(err_errno(ERR_FAILED, errno, "perf.data: creating %s", path),
				"name another file with -o FILE");
	if (fstat(fileno(*file), &st) || !S_ISREG(st.st_mode)) {
		fclose(*file);
		return err_next(err_new(ERR_FAILED, "perf.data: %s is not a regular file", path),
				"name one with -o FILE: the header is written last");
	}
	setvbuf(*file, NULL, _IOFBF, BUFFER);
	return NULL;
}

static void writer_free(struct perfdata_writer *w)
{
	for (int i = 0; i < EVENTS; i++)
		free(w->names[i]);
	free(w->record.bytes);
	free(w->build_ids.bytes);
	free(w->path);
	free(w);
}

struct err *perfdata_create(const char *path, const char *loads_name, const char *stores_name,
			    const struct perfdata_features *features, struct perfdata_writer **w)
{
	FILE *file;
	struct err *e = open_regular(path, &file);

	if (e)
		return e;
	*w = mem_zalloc(sizeof(**w));
	(*w)->file = file;
	(*w)->path = mem_strdup(path);
	(*w)->names[0] = mem_strdup(loads_name);
	(*w)->names[1] = mem_strdup(stores_name);
	(*w)->features = *features;
	front_init(&(*w)->front);
	e = write_bytes(*w, &(*w)->front, sizeof((*w)->front));
	if (e) {
		fclose(file);
		writer_free(*w);
	}
	return e;
}

/* ---- Records */

static struct blob *record_begin(struct perfdata_writer *w, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	w->record.size = 0;
	blob_bytes(&w->record, &h, sizeof(h));
	return &w->record;
}

static struct err *record_end(struct perfdata_writer *w)
{
	uint16_t size = w->record.size;

	if (w->record.size > RECORD_MOST)
		return err_new(ERR_FAILED,
			       "perf.data: a record of %zu bytes does not fit its "
			       "16-bit size",
			       w->record.size);
	memcpy(w->record.bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
	w->data_bytes += w->record.size;
	return write_bytes(w, w->record.bytes, w->record.size);
}

/* What sample_id_all puts behind every record but samples. */
static void put_trailer(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	blob_u32(&w->record, ev->pid);
	blob_u32(&w->record, ev->tid);
	blob_u64(&w->record, time);
	blob_u64(&w->record, 0); /* CPU, reserved */
	blob_u64(&w->record, w->front.ids[0]);
}

static struct err *write_sample(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	const struct sample *s = &ev->sample;
	struct blob *b = record_begin(w, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	blob_u64(b, w->front.ids[s->event == 1]);
	blob_u64(b, s->ip);
	blob_u32(b, ev->pid);
	blob_u32(b, ev->tid);
	blob_u64(b, time);
	blob_u64(b, s->addr);
	blob_u64(b, s->cpu); /* and 32 bits reserved */
	blob_u64(b, s->period);
	blob_u64(b, s->weight);
	blob_u64(b, s->data_src);
	if (!w->first_sample || time < w->first_sample)
		w->first_sample = time;
	if (time > w->last_sample)
		w->last_sample = time;
	return record_end(w);
}

static struct err *write_map(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	const struct event_map *m = &ev->map;
	uint16_t misc = m->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	struct blob *b;

	if (!(m->prot & PROT_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	b = record_begin(w, PERF_RECORD_MMAP2, misc);
	blob_u32(b, ev->pid);
	blob_u32(b, ev->tid);
	blob_u64(b, m->start);
	blob_u64(b, m->size);
	blob_u64(b, m->offset);
	blob_u32(b, m->major);
	blob_u32(b, m->minor);
	blob_u64(b, m->inode);
	blob_u64(b, 0); /* inode generation */
	blob_u32(b, m->prot);
	blob_u32(b, MAP_PRIVATE);
	blob_padded(b, m->path, strnlen(m->path, PATH_MAX - 1), 8);
	put_trailer(w, ev, time);
	return record_end(w);
}

static struct err *write_comm(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	struct blob *b = record_begin(w, PERF_RECORD_COMM,
				      ev->comm.exec ? PERF_RECORD_MISC_COMM_EXEC : 0);

	blob_u32(b, ev->pid);
	blob_u32(b, ev->tid);
	blob_padded(b, ev->comm.name, strnlen(ev->comm.name, 15), 8); /* TASK_COMM_LEN is 16 */
	put_trailer(w, ev, time);
	return record_end(w);
}

static struct err *write_task(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	bool fork = ev->kind == EVENT_FORK;
	struct blob *b = record_begin(w, fork ? PERF_RECORD_FORK : PERF_RECORD_EXIT, 0);

	blob_u32(b, ev->pid);
	blob_u32(b, fork ? ev->fork.parent_pid : ev->pid);
	blob_u32(b, ev->tid);
	blob_u32(b, fork ? ev->fork.parent_tid : ev->tid);
	blob_u64(b, time);
	put_trailer(w, ev, time);
	return record_end(w);
}

static struct err *write_lost(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	struct blob *b = record_begin(w, PERF_RECORD_LOST, 0);

	blob_u64(b, w->front.ids[0]);
	blob_u64(b, ev->lost.count);
	put_trailer(w, ev, time);
	return record_end(w);
}

static struct err *write_note(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	struct blob *b = record_begin(w, NOTE_RECORD_TYPE, 0);
	char *text = note_format(&ev->note);

	blob_padded(b, text, strlen(text), 8);
	free(text);
	return record_end(w);
}

static struct err *(*const writers[])(struct perfdata_writer *w, const struct event *ev,
				      uint64_t time) = {
	[EVENT_SAMPLE] = write_sample, [EVENT_MAP] = write_map,	  [EVENT_COMM] = write_comm,
	[EVENT_FORK] = write_task,     [EVENT_EXIT] = write_task, [EVENT_LOST] = write_lost,
	[EVENT_NOTE] = write_note,
};

struct err *perfdata_write(struct perfdata_writer *w, const struct event *ev)
{
	uint64_t time = ev->time > w->settled ? ev->time : w->settled;

	if (ev->kind != EVENT_NOTE && time > w->latest)
		w->latest = time;
	return writers[ev->kind](w, ev, time);
}

/* One record of the feature: a header, whose machine it is (-1: the host), the id in 20 bytes, its
 * size in one and three reserved, the file. */
void perfdata_build_id(struct perfdata_writer *w, const char *path, const uint8_t *id, uint8_t size)
{
	size_t length = strnlen(path, PATH_MAX - 1);
	struct perf_event_header h = {
		.misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_BUILD_ID_SIZE,
		.size = sizeof(h) + sizeof(uint32_t) + BUILD_ID + 4 + length + 64 - length % 64,
	};
	uint8_t bytes[BUILD_ID + 4] = { 0 };

	bytes[BUILD_ID] = size < BUILD_ID ? size : BUILD_ID;
	memcpy(bytes, id, bytes[BUILD_ID]);
	blob_bytes(&w->build_ids, &h, sizeof(h));
	blob_u32(&w->build_ids, UINT32_MAX);
	blob_bytes(&w->build_ids, bytes, sizeof(bytes));
	blob_padded(&w->build_ids, path, length, 64);
}

/* At the end of a round readers give out all events up to the latest of the round before it. So a
 * round may end when nothing to come is earlier than that. */
struct err *perfdata_round(struct perfdata_writer *w, uint64_t low)
{
	if (low < w->round_latest || w->latest == w->round_latest)
		return NULL;
	w->settled = w->round_latest;
	w->round_latest = w->latest;
	record_begin(w, PERF_RECORD_FINISHED_ROUND, 0);
	return record_end(w);
}

/* ---- Header and end */

static struct err *write_header(struct perfdata_writer *w)
{
	const struct file_header *h = &w->front.header;

	if (fflush(w->file))
		return write_error(w);
	w->front.header.data.size = w->data_bytes;
	if (pwrite(fileno(w->file), h, sizeof(*h), 0) != (ssize_t)sizeof(*h))
		return write_error(w);
	return NULL;
}

struct err *perfdata_sync(struct perfdata_writer *w)
{
	return write_header(w);
}

/* Behind the data: one section for each bit of the header's mask, then what they point to. */
static struct err *write_features(struct perfdata_writer *w)
{
	struct section sections[ARRAY_SIZE(feature_rows)] = { 0 };
	uint64_t start = sizeof(w->front) + w->data_bytes;
	struct blob body = { 0 };
	size_t count = 0;
	struct err *e;

	for (size_t i = 0; i < ARRAY_SIZE(feature_rows); i++) {
		const struct feature_row *row = &feature_rows[i];

		if (!feature_known(w, row))
			continue;
		sections[count].offset = body.size;
		row->put(w, &body);
		sections[count].size = body.size - sections[count].offset;
		w->front.header.features[row->bit / 64] |= 1ull << row->bit % 64;
		count++;
	}
	for (size_t i = 0; i < count; i++)
		sections[i].offset += start + count * sizeof(*sections);
	e = write_bytes(w, sections, count * sizeof(*sections));
	if (!e)
		e = write_bytes(w, body.bytes, body.size);
	w->feature_bytes = count * sizeof(*sections) + body.size;
	free(body.bytes);
	return e;
}

struct err *perfdata_finish(struct perfdata_writer *w, uint64_t *bytes)
{
	struct err *e = write_features(w);

	if (!e)
		e = write_header(w);
	if (fclose(w->file) && !e)
		e = write_error(w);
	*bytes = perfdata_bytes(w);
	writer_free(w);
	return e;
}

uint64_t perfdata_bytes(const struct perfdata_writer *w)
{
	return sizeof(w->front) + w->data_bytes + w->feature_bytes;
}
