// SPDX-License-Identifier: GPL-2.0-only
#include "recorder.h"
#include "mem.h"
#include "symtab.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE	   4096u
#define TIME_START 1000000000ull /* ns of the model's time 0; 0 means "no time" to perf */

/* ---- Maps. QEMU maps a program's code readable only, and pieces of one file that are alike then
 * become one mapping: what is code is taken from the file. */

/* Names are later taken from a file only when it is still the one that was recorded. */
static struct err *note_build_id(struct recorder *r, const char *path)
{
	const uint8_t *id;
	uint8_t size;
	bool first;

	map_put(&r->identified, (uintptr_t)path, 0, &first);
	id = first && r->map_symtab ? symtab_build_id(r->map_symtab, &size) : NULL;
	return id ? perfdata_build_id(r->writer, path, id, size) : NULL;
}

static struct err *map_file(struct recorder *r, const char *path, const struct symtab **s)
{
	struct err *e = NULL;

	if (r->map_path != path) {
		symtab_free(r->map_symtab);
		r->map_symtab = NULL;
		r->map_path = path;
		err_free(symtab_open(path, r->pool, &r->map_symtab));
		e = note_build_id(r, path);
	}
	*s = r->map_symtab;
	return e;
}

/* A page is code when either end of it is: segments need not start at a page. */
static bool page_is_code(const struct symtab *s, uint64_t offset)
{
	return symtab_is_code(s, offset) || symtab_is_code(s, offset + PAGE - 1);
}

/* Bytes from "from" on that are alike: all code or none. */
static uint64_t run_length(const struct symtab *s, const struct event_map *m, uint64_t from,
			   bool *code)
{
	uint64_t end = from + PAGE;

	*code = page_is_code(s, m->offset + from);
	while (end < m->size && page_is_code(s, m->offset + end) == *code)
		end += PAGE;
	return (end < m->size ? end : m->size) - from;
}

static struct err *write_map(struct recorder *r, const struct event *ev)
{
	const struct event_map *m = &ev->map;
	const struct symtab *s = NULL;
	struct err *e = NULL;
	uint64_t length;

	if (m->path[0] == '/' && m->path[1] != '/' && !(m->prot & PROT_WRITE))
		e = map_file(r, m->path, &s);
	if (e)
		return e;
	if (!s || m->prot & PROT_EXEC)
		return perfdata_write(r->writer, ev);
	for (uint64_t from = 0; !e && from < m->size; from += length) {
		struct event part = *ev;
		bool code;

		length = run_length(s, m, from, &code);
		part.map.start += from;
		part.map.offset += from;
		part.map.size = length;
		part.map.prot |= code ? PROT_EXEC : 0;
		e = perfdata_write(r->writer, &part);
	}
	return e;
}

static struct err *take_event(void *context, const struct event *ev)
{
	struct recorder *r = context;

	r->samples += ev->kind == EVENT_SAMPLE;
	return ev->kind == EVENT_MAP ? write_map(r, ev) : perfdata_write(r->writer, ev);
}

/* ---- The recording */

struct err *recorder_open(struct recorder *r, const char *path, const struct model_machine *machine,
			  const struct perfdata_features *features)
{
	struct err *e;

	*r = (struct recorder){ .pool = intern_new(), .machine = machine };
	map_init(&r->identified);
	r->output = (struct door_output){ .context = r, .event = take_event };
	e = perfdata_create(path, "model/loads/", "model/stores/", features, &r->writer);
	if (e) {
		map_deinit(&r->identified);
		intern_free(r->pool);
	}
	return e;
}

static uint64_t latest_time(const struct recorder *r)
{
	uint64_t latest = TIME_START;

	for (uint32_t i = 0; i < r->door_count; i++)
		if (r->doors[i]->latest > latest)
			latest = r->doors[i]->latest;
	return latest;
}

struct door *recorder_door(struct recorder *r)
{
	struct door *d = door_new(&r->output, r->pool, r->machine->mhz, latest_time(r));

	mem_grow(&r->doors, &r->door_room, r->door_count);
	r->doors[r->door_count++] = d;
	return d;
}

struct err *recorder_process(struct recorder *r, const struct door *d, uint32_t parent,
			     const char *name)
{
	struct event fork = { .kind = EVENT_FORK, .time = d->base, .pid = d->pid, .tid = d->pid };
	struct event comm = { .kind = EVENT_COMM, .time = d->base, .pid = d->pid, .tid = d->pid };
	struct err *e;

	fork.fork.parent_pid = fork.fork.parent_tid = parent;
	e = perfdata_write(r->writer, &fork);
	if (e || !name)
		return e;
	comm.comm.name = name;
	comm.comm.exec = true;
	return perfdata_write(r->writer, &comm);
}

struct err *recorder_round(struct recorder *r, bool (*open)(void *context, const struct door *d),
			   void *context)
{
	uint64_t low = latest_time(r);

	for (uint32_t i = 0; i < r->door_count; i++)
		if (open(context, r->doors[i]) && r->doors[i]->low < low)
			low = r->doors[i]->low;
	return perfdata_round(r->writer, low);
}

struct err *recorder_note(struct recorder *r, const struct note *n)
{
	struct event ev = { .kind = EVENT_NOTE, .note = *n };

	return perfdata_write(r->writer, &ev);
}

struct err *recorder_remark(struct recorder *r, const char *fmt, ...)
{
	struct note n = { .kind = NOTE_REMARK };
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n.remark.text = text;
	return recorder_note(r, &n);
}

/* ---- Totals */

static uint32_t units(const uint16_t *unit, uint32_t cpus)
{
	uint32_t count = 0;

	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		if (unit[cpu] >= count)
			count = unit[cpu] + 1;
	return count;
}

/* When a door's clock began, in cycles of the run with hold "h". The recording knows the typical
 * one; the others are to it as the first process's lengths are. */
static uint64_t door_start(const struct recorder *r, const struct door *d, int h)
{
	const uint64_t *first = r->doors[0]->total.cycles;
	double start = (double)(d->base - TIME_START) * r->machine->mhz / 1000;

	if (!first[h] || !first[MODEL_HOLD_TYPICAL])
		return start;
	return start * first[h] / first[MODEL_HOLD_TYPICAL];
}

/* Processes that ran one after the other follow each other in time; the run is as long as the end
 * of the latest. */
static void add_door(const struct recorder *r, const struct door *d, struct note_model *n)
{
	const struct model_total *t = &d->total;

	for (int h = 0; h < MODEL_HOLDS; h++) {
		uint64_t end = door_start(r, d, h) + t->cycles[h];

		n->cycles[h] = end > n->cycles[h] ? end : n->cycles[h];
		n->hitm[h] += t->hitm[h];
		n->transfers[h] += t->transfers[h];
	}
	n->threads += d->complete ? t->threads : d->threads;
	n->instructions += t->instructions;
	n->accesses += t->accesses;
	n->forced += t->forced;
	n->breaks += t->breaks;
	n->abandoned += t->abandoned;
	n->unplaced += t->unplaced;
	n->complete = n->complete && d->complete;
}

struct err *recorder_total(struct recorder *r, bool complete)
{
	const struct model_machine *m = r->machine;
	struct note n = { .kind = NOTE_MODEL };
	char door[sizeof(r->doors[0]->name) + sizeof(r->doors[0]->detail) + 4] = "none";

	if (r->door_count)
		snprintf(door, sizeof(door), "%s (%s)", r->doors[0]->name, r->doors[0]->detail);
	n.model = (struct note_model){ .machine = m->name,
				       .door = door,
				       .mhz = m->mhz,
				       .cpus = m->cpus,
				       .nodes = units(m->node, m->cpus),
				       .llcs = units(m->llc, m->cpus),
				       .complete = complete };
	for (int h = 0; h < MODEL_HOLDS; h++)
		n.model.hold[h] = m->hold[h];
	for (uint32_t i = 0; i < r->door_count; i++)
		if (r->doors[i]->greeted)
			add_door(r, r->doors[i], &n.model);
	return recorder_note(r, &n);
}

struct err *recorder_close(struct recorder *r, uint64_t *bytes)
{
	struct err *e;

	e = perfdata_finish(r->writer, bytes);
	for (uint32_t i = 0; i < r->door_count; i++)
		door_free(r->doors[i]);
	free(r->doors);
	symtab_free(r->map_symtab);
	map_deinit(&r->identified);
	intern_free(r->pool);
	return e;
}
