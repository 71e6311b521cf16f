// SPDX-License-Identifier: GPL-2.0-only
#include "attrib.h"
#include "backing.h"
#include "binary.h"
#include "map.h"
#include "mem.h"
#include "object_set.h"
#include "range.h"
#include "told.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LAST	      4	  /* ranges of a process that are tried first */
#define MAX_ANCESTORS 16  /* forked from forked from ... */
#define MAX_SIBLINGS  256 /* mappings of one file that are asked for its load address */
#define MAX_FILES     512 /* files of one process that are asked for a type */

struct process;

struct mapping {
	struct event_map map;
	uint64_t end;
	struct process *owner;
	struct mapping *previous;     /* of the same file in the same process */
	struct mapping *below;	      /* what ended where this one starts, when it is no file */
	const struct mapping *memory; /* the first mapping of the same memory, perhaps itself */
	const char *shared; /* names what other processes can map, too; NULL when private */
};

struct process {
	struct process *parent; /* whose memory it had when it was forked */
	struct process *older;	/* in the list of all */
	struct range_set ranges;
	struct range last[LAST]; /* found last; code and data take turns */
	uint32_t oldest;	 /* of them */
	struct map last_of_path; /* path -> its last mapping */
	struct mapping **file;	 /* the first mapping of each file, as they came */
	uint32_t files, file_room;
	struct object_set objects;
	bool guessed; /* the maps are the parent's, though the fork was not recorded live */
};

struct attrib {
	struct intern *pool;
	struct intern *backings; /* its own: a source may use "pool" while events are noted */
	struct range_pool ranges;
	struct process kernel;
	struct process *processes; /* the last first */
	struct map process_of_pid;
	struct process *last_process;
	uint32_t last_pid;
	struct told told;
	struct map comms; /* pid << 32 | tid -> interned name */
	struct mapping **mapping;
	uint32_t mappings, mapping_room;
	struct map binaries; /* path -> struct binary */
	struct map biases;   /* mapping -> load bias, or NO_BIAS */
	struct map changed;  /* binaries that are not the recorded ones */
	const char *first_changed;
};

#define NO_BIAS UINT64_MAX /* a bias is a multiple of the page */

static bool is_file(const struct mapping *m)
{
	return !backing_pseudo(m->map.path);
}

static const char *base_name(struct attrib *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *gone;

	path = slash && slash[1] ? slash + 1 : path;
	gone = strstr(path, " (deleted)");
	return intern_bytes(a->pool, path, gone ? (size_t)(gone - path) : strlen(path));
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
}

/* The process of that number from now on; an older one of the number stays for its mappings. */
static struct process *process_new(struct attrib *a, uint32_t pid)
{
	struct process *p = mem_zalloc(sizeof(*p));

	process_init(p, a);
	p->older = a->processes;
	a->processes = p;
	*map_put(&a->process_of_pid, pid, 0, NULL) = (uintptr_t)p;
	a->last_process = p;
	a->last_pid = pid;
	return p;
}

static struct process *process_find(struct attrib *a, uint32_t pid)
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
	return a;
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

	return !below ? NULL : is_file(below) ? below : below->below;
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
	if (is_file(m))
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

static void on_note(struct attrib *a, const struct event *ev)
{
	const struct note_object *o = &ev->note.object;
	struct process *p;

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
					      .file = base_name(a, ev->symbol.file) });
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

	for (int i = 0; i < LAST; i++)
		if (addr - p->last[i].start < p->last[i].end - p->last[i].start)
			return p->last[i].value;
	r = range_find(&p->ranges, addr);
	if (r)
		p->last[p->oldest++ % LAST] = *r;
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

/* ---- files */

static struct binary *binary_get(struct attrib *a, const char *path)
{
	bool made;
	uint64_t *slot = map_put(&a->binaries, (uintptr_t)path, 0, &made);

	if (made)
		*slot = (uintptr_t)binary_new(path, a->pool);
	return (struct binary *)(uintptr_t)*slot;
}

/* The file that "m" maps; NULL when it is no ELF file, or not the recorded one any more. */
static struct binary *binary_of(struct attrib *a, const struct mapping *m)
{
	const struct event_map *said = told_build_id(&a->told, &m->map);
	struct binary *b = binary_get(a, m->map.path);
	bool fresh;

	if (!binary_symtab(b))
		return NULL;
	if (binary_is(b, said->build_id, said->build_id_size))
		return b;
	map_put(&a->changed, (uintptr_t)b, 0, &fresh);
	if (!a->first_changed)
		a->first_changed = binary_path(b);
	return NULL;
}

uint64_t attrib_changed_files(const struct attrib *a, const char **first)
{
	if (first)
		*first = a->first_changed;
	return a->changed.count;
}

/* ---- load addresses */

/* The bias by which "m" would be a mapping of segment "g"; false when it cannot be one. */
static bool segment_bias(const struct mapping *m, const struct symtab_segment *g, uint64_t *bias)
{
	uint64_t low = g->offset & -g->page;
	uint64_t high = (g->offset + g->file_size + g->page - 1) & -g->page;

	if (!g->file_size || m->map.offset < low || m->map.offset >= high)
		return false;
	*bias = m->map.start - m->map.offset - (g->addr - g->offset);
	return !(*bias & 0xfff);
}

/* How far mapping "m" speaks for "bias": 0 not at all, 2 when also its protection is the segment's.
 */
static int bias_support(const struct symtab *s, const struct mapping *m, uint64_t bias)
{
	const struct symtab_segment *g;
	int support = 0;
	uint64_t own;

	for (uint32_t i = 0; (g = symtab_segment(s, i)); i++)
		if (segment_bias(m, g, &own) && own == bias) {
			int fits = 1 + (g->code == !!(m->map.prot & PROT_EXEC));

			support = fits > support ? fits : support;
		}
	return support;
}

/* Two segments may share a page of the file, so that one mapping alone can be either. All mappings
 * of one load agree on one bias: the one with most support is taken. */
static uint64_t find_bias(const struct symtab *s, const struct mapping *m)
{
	const struct symtab_segment *g;
	uint64_t best = NO_BIAS, bias, last = NO_BIAS;
	int most = 0;

	for (uint32_t i = 0; (g = symtab_segment(s, i)); i++) {
		const uint64_t *chain;
		const struct mapping *x;
		int support, n = 0;

		if (!segment_bias(m, g, &bias) || bias == last)
			continue;
		last = bias;
		support = bias_support(s, m, bias);
		chain = map_get(&m->owner->last_of_path, (uintptr_t)m->map.path);
		x = chain ? (const struct mapping *)(uintptr_t)*chain : NULL;
		for (; x && n < MAX_SIBLINGS; x = x->previous, n++)
			support += x == m ? 0 : bias_support(s, x, bias);
		if (support > most) {
			most = support;
			best = bias;
		}
	}
	return best;
}

static bool load_bias(struct attrib *a, const struct symtab *s, const struct mapping *m,
		      uint64_t *bias)
{
	bool made;
	uint64_t *cached = map_put(&a->biases, (uintptr_t)m, NO_BIAS, &made);

	if (made)
		*cached = find_bias(s, m);
	*bias = *cached;
	return *bias != NO_BIAS;
}

/* An address in a file, as the file counts it. */
struct spot {
	struct binary *binary;
	uint64_t addr;
};

static bool spot_in_file(struct attrib *a, const struct mapping *m, uint64_t addr,
			 struct spot *spot)
{
	struct binary *b = binary_of(a, m);
	uint64_t bias;

	if (!b || !load_bias(a, binary_symtab(b), m, &bias))
		return false;
	*spot = (struct spot){ b, addr - bias };
	return true;
}

static const struct mapping *file_below(const struct process *p, uint64_t addr)
{
	const struct range *r = p ? range_below(&p->ranges, addr) : NULL;
	const struct mapping *m = r ? r->value : NULL;

	return m && !is_file(m) ? m->below : m;
}

/* The mapping of the file that "addr" belongs to, in one of its segments or its .bss; NULL when
 * none. Without a mapping of its own (data maps were not recorded), the file right below is tried.
 */
static const struct mapping *locate(struct attrib *a, const struct mapping *m, uint32_t pid,
				    uint64_t addr, struct spot *spot)
{
	const struct mapping *of = !m		? file_below(process_find(a, pid), addr)
				   : is_file(m) ? m
						: m->below;
	uint64_t low, high;

	if (!of || of->map.kernel || !spot_in_file(a, of, addr, spot))
		return NULL;
	if (of != m && (!symtab_extent(binary_symtab(spot->binary), &low, &high) ||
			spot->addr - low >= high - low))
		return NULL;
	return of;
}

/* ---- objects that notes name */

static const struct object *object_find(struct attrib *a, struct process *p, uint64_t addr)
{
	const struct object *o = NULL;

	if (addr >> 63)
		return object_set_find(&a->kernel.objects, addr);
	for (int i = 0; p && !o && i < MAX_ANCESTORS; i++, p = p->parent)
		o = object_set_find(&p->objects, addr);
	return o;
}

static void set_field(struct data_place *place, const struct dwarf_member *m)
{
	place->field = m->path && *m->path ? m->path : NULL;
	place->field_offset = m->offset;
	place->field_size = m->size;
}

/* The first file of the process that knows the type says what its fields are. */
static void name_field(struct attrib *a, const struct process *p, struct data_place *place)
{
	struct dwarf_member member;

	for (int i = 0; p && i < MAX_ANCESTORS; i++, p = p->parent)
		for (uint32_t k = 0; k < p->files && k < MAX_FILES; k++) {
			struct binary *b = binary_of(a, p->file[k]);
			struct dwarf *d = b ? binary_dwarf(b) : NULL;

			if (!d)
				continue;
			if (dwarf_type_member(d, place->type, place->object_offset, &member))
				set_field(place, &member);
			if (member.type)
				return;
		}
}

static bool place_noted(struct attrib *a, struct process *p, uint64_t addr,
			struct data_place *place)
{
	const struct object *o = object_find(a, p, addr);

	if (!o)
		return false;
	place->object = o->name;
	place->object_offset = addr - o->addr;
	place->object_size = o->end - o->addr;
	place->type = o->type && *o->type ? o->type : NULL;
	if (place->type)
		name_field(a, p, place);
	return true;
}

/* ---- places of data */

static bool place_variable(const struct spot *spot, struct data_place *place)
{
	struct dwarf_member member;
	struct symbol sym;
	struct dwarf *d;

	if (!binary_data(spot->binary, spot->addr, &sym))
		return false;
	place->object = sym.name;
	place->object_offset = spot->addr - sym.addr;
	place->object_size = sym.size;
	d = binary_dwarf(spot->binary);
	if (!d)
		return true;
	if (dwarf_variable_member(d, sym.addr, place->object_offset, &member))
		set_field(place, &member);
	place->type = member.type;
	return true;
}

static void place_section(struct attrib *a, const struct symbol *section, uint64_t addr,
			  struct data_place *place)
{
	place->object = intern_printf(a->pool, "%s %s", place->file, section->name);
	place->object_offset = addr - section->addr;
	place->object_size = section->size;
}

static bool place_mapping(struct attrib *a, const struct mapping *m, uint64_t addr,
			  struct data_place *place)
{
	const char *pseudo = m ? backing_pseudo(m->map.path) : NULL;

	if (!m)
		return false;
	place->object = pseudo ? intern_string(a->pool, pseudo) : place->file;
	/* In a file, the offset is the file's. */
	place->object_offset = addr - m->map.start + (pseudo ? 0 : m->map.offset);
	place->object_size = pseudo ? m->end - m->map.start : 0;
	return true;
}

static const char *kernel_file(struct attrib *a, const struct mapping *m)
{
	if (!m || !strncmp(m->map.path, "[kernel", 7) || !strncmp(m->map.path, "[guest.kernel", 13))
		return intern_string(a->pool, "[kernel]");
	return base_name(a, m->map.path);
}

bool attrib_data(struct attrib *a, const struct mapping *m, uint32_t pid, uint64_t addr,
		 struct data_place *place)
{
	struct process *p = process_find(a, pid);
	const struct mapping *of;
	struct symbol section;
	struct spot spot;
	bool in_section, known;

	*place = (struct data_place){ 0 };
	if (addr >> 63) {
		place->file = kernel_file(a, m);
		place_noted(a, p, addr, place);
		return true;
	}
	of = locate(a, m, pid, addr, &spot);
	in_section = of && symtab_section(binary_symtab(spot.binary), spot.addr, &section);
	if (of || (m && is_file(m)))
		place->file = base_name(a, (of ? of : m)->map.path);
	if (in_section)
		place->section = section.name;
	known = place_noted(a, p, addr, place) || (of && place_variable(&spot, place));
	if (known)
		return true;
	if (in_section)
		place_section(a, &section, spot.addr, place);
	return in_section || place_mapping(a, m, addr, place);
}

/* ---- places of code */

static void place_code(struct attrib *a, const struct mapping *m, uint64_t addr,
		       struct code_place *place)
{
	const char *pseudo = m ? backing_pseudo(m->map.path) : NULL;
	struct symbol sym;
	struct spot spot;
	struct dwarf *d;

	*place = (struct code_place){ 0 };
	if (addr >> 63 || (m && m->map.kernel))
		place->file = kernel_file(a, m);
	else if (m)
		place->file = pseudo ? intern_string(a->pool, pseudo) : base_name(a, m->map.path);
	if (m)
		place->function_offset = addr - m->map.start + (pseudo ? 0 : m->map.offset);
	if (!m || pseudo || m->map.kernel || !spot_in_file(a, m, addr, &spot))
		return;
	if (binary_code(spot.binary, spot.addr, &sym)) {
		place->function = sym.name;
		place->function_offset = spot.addr - sym.addr;
	}
	d = binary_dwarf(spot.binary);
	if (d)
		dwarf_line(d, spot.addr, &place->source, &place->line);
}

bool attrib_code(struct attrib *a, const struct mapping *m, uint64_t addr, struct code_place *place)
{
	const struct code_place *told;

	place_code(a, m, addr, place);
	told = place->function ? NULL : told_symbol(&a->told, addr);
	*place = told ? *told : *place;
	return place->function || place->file;
}
