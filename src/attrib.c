// SPDX-License-Identifier: GPL-2.0-only
#include "attrib_state.h"
#include "kernel_names.h"
#include "binary.h"
#include "jit_map.h"
#include "mem.h"
#include "spot.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

const char *attrib_base_name(struct attrib *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *gone;

	path = slash && slash[1] ? slash + 1 : path;
	gone = strstr(path, " (deleted)");
	return intern_bytes(a->pool, path, gone ? (size_t)(gone - path) : strlen(path));
}

const char *attrib_kernel_file(struct attrib *a, const struct mapping *m)
{
	if (!m || !strncmp(m->map.path, "[kernel", 7) || !strncmp(m->map.path, "[guest.kernel", 13))
		return intern_string(a->pool, "[kernel]");
	return attrib_base_name(a, m->map.path);
}

/* ---- processes */

static void process_init(struct process *p, struct attrib *a)
{
	*p = (struct process){ 0 };
	range_set_init(&p->ranges, &a->ranges);
	map_init(&p->last_of_path);
}

static void process_deinit(struct process *p)
{
	map_deinit(&p->last_of_path);
	free(p->file);
	object_set_deinit(&p->objects);
	object_set_deinit(&p->heap);
	free(p->block);
	jit_map_free(p->jit);
}

/* The process of that number from now on; an older one of the number stays for its mappings. */
static struct process *process_new(struct attrib *a, uint32_t pid)
{
	struct process *p = mem_zalloc(sizeof(*p));

	process_init(p, a);
	p->pid = pid;
	p->older = a->processes;
	a->processes = p;
	*map_put(&a->process_of_pid, pid, 0, NULL) = (uintptr_t)p;
	a->last_process = p;
	a->last_pid = pid;
	return p;
}

struct process *process_find(struct attrib *a, uint32_t pid)
{
	uint64_t *found;

	if (a->last_process && a->last_pid == pid)
		return a->last_process;
	found = map_get(&a->process_of_pid, pid);
	if (!found)
		return NULL;
	a->last_pid = pid;
	return a->last_process = (struct process *)(uintptr_t)*found;
}

static struct process *process_get(struct attrib *a, uint32_t pid)
{
	return process_find(a, pid) ?: process_new(a, pid);
}

static void forget_maps(struct attrib *a, struct process *p)
{
	range_set_init(&p->ranges, &a->ranges);
	memset(p->last, 0, sizeof(p->last));
	p->parent = NULL;
	p->guessed = false;
}

struct attrib *attrib_new(struct intern *pool)
{
	struct attrib *a = mem_zalloc(sizeof(*a));

	a->pool = pool;
	a->backings = intern_new();
	range_pool_init(&a->ranges);
	process_init(&a->kernel, a);
	map_init(&a->process_of_pid);
	map_init(&a->comms);
	told_init(&a->told);
	map_init(&a->binaries);
	map_init(&a->biases);
	map_init(&a->changed);
	map_init(&a->operands);
	map_init(&a->bare);
	map_init(&a->repeated);
	return a;
}

void attrib_set_jit_folder(struct attrib *a, const char *folder)
{
	a->jit_folder = folder;
}

void attrib_set_root(struct attrib *a, const char *folder)
{
	a->places.root = folder;
}

void attrib_set_fetch(struct attrib *a, bool fetch)
{
	a->places.fetch = fetch;
}

void attrib_free(struct attrib *a)
{
	if (!a)
		return;
	while (a->processes) {
		struct process *older = a->processes->older;

		process_deinit(a->processes);
		free(a->processes);
		a->processes = older;
	}
	process_deinit(&a->kernel);
	for (size_t i = 0; i < a->binaries.slots; i++)
		if (a->binaries.used[i])
			binary_free((struct binary *)(uintptr_t)a->binaries.slot[i].value);
	for (uint32_t i = 0; i < a->mappings; i++)
		free(a->mapping[i]);
	free(a->mapping);
	map_deinit(&a->process_of_pid);
	map_deinit(&a->comms);
	told_deinit(&a->told);
	map_deinit(&a->binaries);
	map_deinit(&a->biases);
	map_deinit(&a->changed);
	map_deinit(&a->operands);
	map_deinit(&a->bare);
	map_deinit(&a->repeated);
	free(a->operand);
	range_pool_deinit(&a->ranges);
	intern_free(a->backings);
	free(a);
}

/* ---- events */

static struct mapping *mapping_new(struct attrib *a, struct process *p, const struct event_map *map)
{
	struct mapping *m = mem_zalloc(sizeof(*m));

	m->map = *map;
	if (!m->map.path)
		m->map.path = "";
	m->end = map->start + map->size < map->start ? UINT64_MAX : map->start + map->size;
	m->owner = p;
	mem_grow(&a->mapping, &a->mapping_room, a->mappings);
	a->mapping[a->mappings++] = m;
	return m;
}

static void note_file(struct process *p, struct mapping *m)
{
	bool first;
	uint64_t *last = map_put(&p->last_of_path, (uintptr_t)m->map.path, 0, &first);

	m->previous = (struct mapping *)(uintptr_t)*last;
	*last = (uintptr_t)m;
	if (!first)
		return;
	mem_grow(&p->file, &p->file_room, p->files);
	p->file[p->files++] = m;
}

/* A file's .bss is anonymous memory right behind its last segment; the kernel may call it "[heap]".
 */
static struct mapping *mapping_below(const struct process *p, const struct mapping *m)
{
	const struct range *r = m->map.start ? range_find(&p->ranges, m->map.start - 1) : NULL;
	struct mapping *below = r ? r->value : NULL;

	return !below ? NULL : mapping_is_file(below) ? below : below->below;
}

/* To be asked before "m" takes the place of what was at its start. */
static const struct mapping *mapping_memory(const struct process *p, const struct mapping *m)
{
	const struct range *r = range_find(&p->ranges, m->map.start);
	const struct mapping *old = r ? r->value : NULL;

	return old && backing_same(&old->map, &m->map) ? old->memory : m;
}

const struct mapping *attrib_memory(const struct mapping *m)
{
	return m ? m->memory : NULL;
}

const struct event_map *attrib_map(const struct mapping *m)
{
	return &m->map;
}

const void *attrib_shared(const struct mapping *m, uint64_t addr, uint64_t *place)
{
	if (!m || !m->shared)
		return NULL;
	*place = addr - m->map.start + m->map.offset;
	return m->shared;
}

static void on_map(struct attrib *a, const struct event *ev)
{
	struct process *p = ev->map.kernel ? &a->kernel : process_get(a, ev->pid);
	struct mapping *m;

	/* Before a recording starts, maps and forks of what runs already are written with time 0:
	 * such maps are complete by themselves. */
	if (p->guessed && !ev->time)
		forget_maps(a, p);
	p->guessed = false;
	m = mapping_new(a, p, &ev->map);
	if (mapping_is_file(m))
		note_file(p, m);
	else
		m->below = mapping_below(p, m);
	m->memory = mapping_memory(p, m);
	m->shared = backing_shared(&ev->map, a->backings);
	range_put(&p->ranges, &a->ranges, &(struct range){ m->map.start, m->end, m });
	memset(p->last, 0, sizeof(p->last));
}

static uint64_t thread_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

static void on_comm(struct attrib *a, const struct event *ev)
{
	struct process *p = ev->comm.exec ? process_find(a, ev->pid) : NULL;

	*map_put(&a->comms, thread_key(ev->pid, ev->tid), 0, NULL) = (uintptr_t)ev->comm.name;
	if (p)
		forget_maps(a, p);
}

static void on_fork(struct attrib *a, const struct event *ev)
{
	const char *name = attrib_comm(a, ev->fork.parent_pid, ev->fork.parent_tid);
	struct process *parent, *child;

	if (name)
		*map_put(&a->comms, thread_key(ev->pid, ev->tid), 0, NULL) = (uintptr_t)name;
	if (ev->pid == ev->fork.parent_pid) /* a thread: it shares everything */
		return;
	parent = process_find(a, ev->fork.parent_pid);
	child = process_new(a, ev->pid);
	if (!parent)
		return;
	range_set_copy(&child->ranges, &parent->ranges, &a->ranges);
	child->parent = parent;
	child->guessed = !ev->time;
}

static void on_block(struct attrib *a, const struct note_block *b)
{
	struct process *p = b->size ? process_get(a, b->pid) : NULL;

	if (!p)
		return;
	object_set_add_block(&p->heap, b);
	if (b->number > 1)
		*map_put(&a->repeated, b->caller, 0, NULL) = 1;
}

static void on_note(struct attrib *a, const struct event *ev)
{
	const struct note_object *o = &ev->note.object;
	struct process *p;

	if (ev->note.kind == NOTE_BLOCK)
		on_block(a, &ev->note.block);
	if (ev->note.kind != NOTE_OBJECT || !o->size || !o->name)
		return;
	p = o->addr >> 63 ? &a->kernel : process_get(a, o->pid);
	object_set_add(&p->objects, o);
}

static void on_symbol(struct attrib *a, const struct event *ev)
{
	told_add_symbol(&a->told, ev->symbol.addr,
			&(struct code_place){ .function = ev->symbol.name,
					      .function_offset = ev->symbol.offset,
					      .file = attrib_base_name(a, ev->symbol.file) });
}

static void on_build_id(struct attrib *a, const struct event *ev)
{
	told_add_build_id(&a->told, &ev->map);
}

/* Nothing happens at an exit: samples of the process may still be named. */
static void (*const on_event[])(struct attrib *a, const struct event *ev) = {
	[EVENT_MAP] = on_map,	[EVENT_COMM] = on_comm,	    [EVENT_FORK] = on_fork,
	[EVENT_NOTE] = on_note, [EVENT_SYMBOL] = on_symbol, [EVENT_BUILD_ID] = on_build_id,
};

void attrib_event(struct attrib *a, const struct event *ev)
{
	if ((size_t)ev->kind < ARRAY_SIZE(on_event) && on_event[ev->kind])
		on_event[ev->kind](a, ev);
}

/* ---- the hot path */

static struct mapping *process_mapping(struct process *p, uint64_t addr)
{
	const struct range *r;

	for (int i = 0; i < ATTRIB_LAST; i++)
		if (addr - p->last[i].start < p->last[i].end - p->last[i].start)
			return p->last[i].value;
	r = range_find(&p->ranges, addr);
	if (r)
		p->last[p->oldest++ % ATTRIB_LAST] = *r;
	return r ? r->value : NULL;
}

const struct mapping *attrib_mapping(struct attrib *a, uint32_t pid, uint8_t cpumode, uint64_t addr)
{
	struct process *p;

	if (cpumode != PERF_RECORD_MISC_USER && cpumode != PERF_RECORD_MISC_KERNEL &&
	    cpumode != PERF_RECORD_MISC_CPUMODE_UNKNOWN)
		return NULL; /* of a guest or a hypervisor: not this machine's addresses */
	if (addr >> 63)
		return process_mapping(&a->kernel, addr);
	/* The kernel touches the memory of processes, too. */
	p = process_find(a, pid);
	return p ? process_mapping(p, addr) : NULL;
}

const char *attrib_comm(const struct attrib *a, uint32_t pid, uint32_t tid)
{
	uint64_t *name = map_get(&a->comms, thread_key(pid, tid));

	if (!name)
		name = map_get(&a->comms, thread_key(pid, pid));
	return name ? (const char *)(uintptr_t)*name : NULL;
}

const struct object *attrib_kernel_objects(const struct attrib *a, uint32_t *count)
{
	*count = a->kernel.objects.count;
	return a->kernel.objects.item;
}

/* "[kernel.kallsyms]_stext": that map's "offset" is the symbol's address at the time. */
bool attrib_kernel_names(struct attrib *a, struct kernel_names *names)
{
	static const char KALLSYMS[] = "[kernel.kallsyms]";
	bool fits = true;

	a->kernel_names = names;
	for (uint32_t i = 0; names->symbols && i < a->mappings; i++) {
		const struct event_map *map = &a->mapping[i]->map;

		if (!map->kernel || strncmp(map->path, KALLSYMS, strlen(KALLSYMS)))
			continue;
		fits &= kernel_symbols_is(names->symbols, map->build_id, map->build_id_size);
		if (map->offset)
			fits &= kernel_symbols_move(names->symbols, map->path + strlen(KALLSYMS),
						    map->offset);
	}
	if (!fits) {
		kernel_symbols_free(names->symbols);
		names->symbols = NULL;
	}
	return fits;
}
