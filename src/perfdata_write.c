// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_write.h"
#include "blob.h"
#include "mem.h"
#include "perfdata_file.h"

#include <perf/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EVENTS	    2	       /* loads, stores */
#define RECORD_MOST 0xffff     /* a record's size is 16 bits */
#define MODEL_PMU   0x7fffff00 /* type of its events; the kernel counts real ones up from 8 */

struct perfdata_writer {
	struct perfdata_file *file;
	struct perfdata_event events[EVENTS];
	char *names[EVENTS];
	uint64_t ids[EVENTS];
	struct perfdata_pmu pmu;
	struct perfdata_node *nodes;
	uint64_t *bits;	       /* of the nodes */
	struct blob record;    /* the one being built */
	uint64_t latest;       /* time of any event so far */
	uint64_t round_latest; /* ... when the last round ended */
	uint64_t settled;      /* readers have given out events up to here */
};

#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT |            \
	 PERF_SAMPLE_DATA_SRC)

/* ---- The file */

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

static void event_init(struct perfdata_writer *w, int event, const char *name)
{
	w->names[event] = mem_strdup(name);
	w->ids[event] = 1 + event;
	w->events[event] = (struct perfdata_event){ .name = w->names[event],
						    .ids = &w->ids[event],
						    .id_count = 1 };
	attr_init(&w->events[event].attr, event == 0);
}

/* Samples carry no physical address, so nothing is looked up in the memory of nodes, of which each
 * gets a block; without it perf c2c complains. */
static void nodes_init(struct perfdata_writer *w, struct perfdata_features *f)
{
	uint64_t words;

	for (uint32_t cpu = 0; cpu < f->cpus; cpu++)
		if (f->cpu_node[cpu] >= f->nodes)
			f->nodes = f->cpu_node[cpu] + 1;
	f->nodes += !f->nodes;
	words = (f->nodes + 63) / 64;
	w->nodes = mem_zalloc(f->nodes * sizeof(*w->nodes));
	w->bits = mem_zalloc(f->nodes * words * sizeof(*w->bits));
	for (uint32_t node = 0; node < f->nodes; node++) {
		w->nodes[node] = (struct perfdata_node){ node, w->bits + node * words, words };
		w->nodes[node].bits[node / 64] = 1ull << node % 64;
	}
	f->node = w->nodes;
	f->block_bytes = 1u << 27;
}

static void writer_free(struct perfdata_writer *w)
{
	for (int i = 0; i < EVENTS; i++)
		free(w->names[i]);
	blob_deinit(&w->record);
	free(w->nodes);
	free(w->bits);
	free(w);
}

struct err *perfdata_create(const char *path, const char *loads_name, const char *stores_name,
			    const struct perfdata_features *features, struct perfdata_writer **w)
{
	struct perfdata_writer *new = mem_zalloc(sizeof(*new));
	struct perfdata_features all = *features;
	struct err *e;

	event_init(new, 0, loads_name);
	event_init(new, 1, stores_name);
	nodes_init(new, &all);
	new->pmu = (struct perfdata_pmu){ "model", MODEL_PMU };
	all.pmu = &new->pmu;
	all.pmus = 1;
	e = perfdata_file_create(path, new->events, EVENTS, &all, &new->file);
	if (e)
		writer_free(new);
	else
		*w = new;
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
	return perfdata_file_put(w->file, w->record.bytes, w->record.size);
}

/* What sample_id_all puts behind every record but samples. */
static void put_trailer(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	blob_u32(&w->record, ev->pid);
	blob_u32(&w->record, ev->tid);
	blob_u64(&w->record, time);
	blob_u64(&w->record, 0); /* CPU, reserved */
	blob_u64(&w->record, w->ids[0]);
}

static struct err *write_sample(struct perfdata_writer *w, const struct event *ev, uint64_t time)
{
	const struct sample *s = &ev->sample;
	struct blob *b = record_begin(w, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	blob_u64(b, w->ids[s->event == 1]);
	blob_u64(b, s->ip);
	blob_u32(b, ev->pid);
	blob_u32(b, ev->tid);
	blob_u64(b, time);
	blob_u64(b, s->addr);
	blob_u64(b, s->cpu); /* and 32 bits reserved */
	blob_u64(b, s->period);
	blob_u64(b, s->weight);
	blob_u64(b, s->data_src);
	perfdata_file_sample_time(w->file, time);
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

	blob_u64(b, w->ids[0]);
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

struct err *perfdata_build_id(struct perfdata_writer *w, const char *path, const uint8_t *id,
			      uint8_t size)
{
	return perfdata_file_build_id(w->file, path, id, size, false);
}

/* At the end of a round readers give out all events up to the latest of the round before it. So a
 * round may end when nothing to come is earlier than that. */
struct err *perfdata_round(struct perfdata_writer *w, uint64_t low)
{
	if (low < w->round_latest || w->latest == w->round_latest)
		return NULL;
	w->settled = w->round_latest;
	w->round_latest = w->latest;
	return perfdata_file_round(w->file);
}

/* ---- The end */

struct err *perfdata_sync(struct perfdata_writer *w)
{
	return perfdata_file_sync(w->file);
}

struct err *perfdata_finish(struct perfdata_writer *w, uint64_t *bytes)
{
	struct err *e = perfdata_file_finish(w->file, bytes);

	writer_free(w);
	return e;
}

uint64_t perfdata_bytes(const struct perfdata_writer *w)
{
	return perfdata_file_bytes(w->file);
}
