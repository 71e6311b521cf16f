// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_names.h"
#include "mem.h"
#include "spot.h"

#include <stdlib.h>

#define KERNEL_VARIABLE (1u << 20) /* bytes: no variable of a kernel is larger */
#define MAX_FILES	512	   /* files of one process that are asked for a type */

/* ---- objects that notes name */

static const struct object *object_find(struct attrib *a, struct process *p, uint64_t addr)
{
	const struct object *o = NULL;

	if (addr >> 63)
		return object_set_find(&a->kernel.objects, addr);
	for (int i = 0; p && !o && i < ATTRIB_ANCESTORS; i++, p = p->parent)
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

	for (int i = 0; p && i < ATTRIB_ANCESTORS; i++, p = p->parent)
		for (uint32_t k = 0; k < p->files && k < MAX_FILES; k++) {
			struct binary *b = spot_binary(a, p->file[k]);
			struct dwarf *d = b ? binary_dwarf(b) : NULL;

			if (!d)
				continue;
			if (dwarf_type_member(d, place->type, place->object_offset, &member))
				set_field(place, &member);
			if (member.type)
				return;
		}
}

/* Names found by several routes are no better than the weakest. */
static void set_route(struct data_place *place, enum attrib_route route,
		      enum attrib_confidence confidence)
{
	if (!place->routes || confidence < place->confidence)
		place->confidence = confidence;
	place->routes |= route;
}

static void name_kernel_field(struct attrib *a, struct data_place *place)
{
	struct dwarf_member member;

	if (kernel_names_member(a->kernel_names, place->type, place->object_offset, a->pool,
				&member))
		set_field(place, &member);
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
	set_route(place, ROUTE_NOTE, CONFIDENCE_CERTAIN);
	if (place->type && addr >> 63)
		name_kernel_field(a, place);
	else if (place->type)
		name_field(a, p, place);
	return true;
}

/* ---- blocks of a heap */

static const struct object *block_find(struct process *p, uint64_t addr, struct process **owner)
{
	const struct object *o = NULL;

	for (int i = 0; p && !o && i < ATTRIB_ANCESTORS; i++, p = p->parent) {
		o = object_set_find(&p->heap, addr);
		*owner = p;
	}
	return o;
}

/* "malloc(24) in make_counter c.c:12 #2": the second block that line asked for. */
static const char *block_name(struct attrib *a, struct process *owner, const struct object *o)
{
	uint64_t call = o->caller - 1; /* it returns behind the call */
	const struct range *r = range_find(&owner->ranges, call);
	struct code_place code;
	const char *where;

	attrib_code(a, r ? r->value : NULL, call, &code);
	where = code.function ? code.function
		: code.file   ? code.file
			      : intern_printf(a->pool, "0x%llx", (unsigned long long)call);
	if (code.source)
		where = intern_printf(a->pool, "%s %s:%u", where, code.source, code.line);
	if (map_get(&a->repeated, o->caller))
		where = intern_printf(a->pool, "%s #%u", where, o->number);
	return intern_printf(a->pool, "malloc(%llu) in %s", (unsigned long long)(o->end - o->addr),
			     where);
}

static bool place_block(struct attrib *a, struct process *p, uint64_t addr,
			struct data_place *place)
{
	struct process *owner = NULL;
	const struct object *o = block_find(p, addr, &owner);

	if (!o)
		return false;
	place->object = block_name(a, owner, o);
	place->object_offset = addr - o->addr;
	place->object_size = o->end - o->addr;
	set_route(place, ROUTE_ALLOCATION, o->others ? CONFIDENCE_LIKELY : CONFIDENCE_CERTAIN);
	return true;
}

/* ---- places of data */

static bool place_variable(struct attrib *a, const struct spot *spot, struct data_place *place)
{
	struct dwarf_member member;
	struct symbol sym;
	struct dwarf *d;

	if (!binary_data(spot->binary, spot->addr, &sym))
		return false;
	place->object = sym.name;
	place->object_offset = spot->addr - sym.addr;
	place->object_size = sym.size;
	set_route(place, ROUTE_SYMBOL, CONFIDENCE_CERTAIN);
	d = attrib_dwarf(a, spot->binary);
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

/* Go's runtime asks for its heap here on 64-bit machines (runtime/malloc.go, "arenaHints"). */
static bool is_go_heap(struct attrib *a, const struct mapping *m, uint64_t addr)
{
	const struct process *p = m->owner;
	struct binary *b = addr >> 32 == 0xc0 && p->files ? spot_binary(a, p->file[0]) : NULL;

	return b && symtab_is_go(binary_symtab(b));
}

static bool place_mapping(struct attrib *a, const struct mapping *m, uint64_t addr,
			  struct data_place *place)
{
	const char *pseudo = m ? backing_pseudo(m->map.path) : NULL;

	if (!m)
		return false;
	if (pseudo && is_go_heap(a, m, addr))
		pseudo = "[Go heap]";
	place->object = pseudo ? intern_string(a->pool, pseudo) : place->file;
	/* In a file, the offset is the file's. */
	place->object_offset = addr - m->map.start + (pseudo ? 0 : m->map.offset);
	place->object_size = pseudo ? m->end - m->map.start : 0;
	if (m->map.shared)
		set_route(place, ROUTE_SHARED, CONFIDENCE_CERTAIN);
	return true;
}

/* ---- thread-local variables */

/* The thread pointer is the address of what glibc keeps of a thread, which lies between the blocks
 * and the thread's name for itself: nothing of a program is more than this below it. */
static const struct thread_block *thread_block_of(const struct process *p, uint64_t addr)
{
	const struct thread_block *found = NULL;

	for (uint32_t i = 0; p && i < p->blocks; i++)
		if (!found || llabs((int64_t)(p->block[i].pointer - addr)) <
				      llabs((int64_t)(found->pointer - addr)))
			found = &p->block[i];
	return found;
}

static bool name_thread_variable(struct binary *b, uint64_t offset, struct data_place *place)
{
	struct dwarf *d = binary_dwarf(b);
	struct dwarf_member member;
	struct symbol sym;

	if (!binary_tls(b, offset, &sym))
		return false;
	place->object = sym.name;
	place->object_offset = offset - sym.addr;
	place->object_size = sym.size;
	if (d && dwarf_thread_member(d, sym.addr, place->object_offset, &member))
		set_field(place, &member);
	if (d)
		place->type = member.type;
	set_route(place, ROUTE_SYMBOL, CONFIDENCE_CERTAIN);
	return true;
}

static bool place_thread(struct attrib *a, const struct process *p, uint64_t addr,
			 struct data_place *place)
{
	const struct thread_block *t = thread_block_of(p, addr);
	struct binary *b = t ? spot_binary(a, t->code) : NULL;
	const struct symtab_thread_block *block = b ? symtab_thread_block(binary_symtab(b)) : NULL;
	uint64_t offset;

	if (!block)
		return false;
	offset = symtab_thread_offset(binary_symtab(b), (int64_t)(addr - t->pointer));
	if (offset >= block->size || !name_thread_variable(b, offset, place))
		return false;
	place->file = attrib_base_name(a, t->code->map.path);
	if (t->tid != UINT32_MAX)
		place->object = intern_printf(a->pool, "%s (thread %u)", place->object, t->tid);
	return true;
}

static const struct operand *operand_of(struct attrib *a, const struct mapping *code, uint64_t ip)
{
	struct spot spot;
	struct operand_code reader;
	uint64_t *index;
	bool made;

	if (!code || !mapping_is_file(code) || code->map.kernel ||
	    !spot_in_file(a, code, ip, &spot))
		return NULL;
	index = map_put(&a->operands, map_hash((uintptr_t)spot.binary) ^ spot.addr,
			a->operand_count, &made);
	if (made) {
		mem_grow(&a->operand, &a->operand_room, a->operand_count);
		reader = binary_operand_code(spot.binary);
		operand_find(&reader, spot.addr, &a->operand[a->operand_count++]);
	}
	return &a->operand[*index];
}

void attrib_learn(struct attrib *a, const struct mapping *m, const struct mapping *code,
		  uint64_t ip, uint32_t pid, uint32_t tid, uint64_t addr)
{
	struct process *p = m && mapping_is_file(m) ? NULL : process_find(a, pid);
	const struct operand *o = p ? operand_of(a, code, ip) : NULL;

	if (!o || o->kind != OPERAND_THREAD)
		return;
	for (uint32_t i = 0; i < p->blocks; i++)
		if (p->block[i].pointer == addr - o->offset)
			return;
	mem_grow(&p->block, &p->block_room, p->blocks);
	p->block[p->blocks++] = (struct thread_block){ addr - o->offset, code, tid };
}

/* ---- what the instruction tells */

static void contradict(const struct operand *o, struct data_place *place)
{
	bool same = place->type == o->member.type && place->field_offset == o->member.offset;

	if (!same && place->field_size != o->member.size)
		place->confidence = CONFIDENCE_UNSURE;
}

void attrib_data_by_code(struct attrib *a, const struct mapping *code, uint64_t ip, uint64_t addr,
			 struct data_place *place)
{
	const struct operand *o;
	struct code_place function;

	if ((place->type && !(place->routes & (ROUTE_INSTRUCTION | ROUTE_STACK))) || addr >> 63)
		return;
	o = operand_of(a, code, ip);
	if (!o || (o->kind != OPERAND_POINTED && o->kind != OPERAND_FRAME))
		return;
	if (place->type) {
		contradict(o, place);
		return;
	}
	set_field(place, &o->member);
	place->type = o->member.type;
	set_route(place, o->kind == OPERAND_FRAME ? ROUTE_STACK : ROUTE_INSTRUCTION,
		  CONFIDENCE_LIKELY);
	if (o->kind != OPERAND_FRAME || !o->variable || !attrib_code(a, code, ip, &function))
		return;
	place->object = intern_printf(a->pool, "%s::%s",
				      function.function ? function.function : "?", o->variable);
	place->object_offset = o->member.offset;
	place->object_size = 0;
}

/* ---- all of it */

/* Of the kernel's image: what lies behind its last variable is none. */
static void place_kernel_variable(struct attrib *a, uint64_t addr, struct data_place *place)
{
	const struct kernel_names *names = a->kernel_names;
	struct dwarf_member member;
	struct kernel_symbol sym;
	struct dwarf *d;
	uint64_t in_file;

	if (!names || !names->symbols || !kernel_symbols_at(names->symbols, addr, &sym) ||
	    !sym.data || addr - sym.addr >= KERNEL_VARIABLE)
		return;
	place->object = intern_string(a->pool, sym.name);
	place->object_offset = addr - sym.addr;
	set_route(place, ROUTE_SYMBOL, CONFIDENCE_LIKELY); /* where it ends is not known */
	d = kernel_names_dwarf(names, sym.addr, &in_file);
	if (!d || !dwarf_variable_member(d, in_file, place->object_offset, &member))
		return;
	set_field(place, &member);
	place->type = member.type;
	place->confidence = CONFIDENCE_CERTAIN;
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
		place->file = attrib_kernel_file(a, m);
		if (!place_noted(a, p, addr, place))
			place_kernel_variable(a, addr, place);
		return true;
	}
	of = spot_locate(a, m, pid, addr, &spot);
	in_section = of && symtab_section(binary_symtab(spot.binary), spot.addr, &section);
	if (of || (m && mapping_is_file(m)))
		place->file = attrib_base_name(a, (of ? of : m)->map.path);
	if (in_section)
		place->section = section.name;
	known = place_noted(a, p, addr, place) || (of && place_variable(a, &spot, place)) ||
		(!of && (place_block(a, p, addr, place) || place_thread(a, p, addr, place)));
	if (known)
		return true;
	if (in_section)
		place_section(a, &section, spot.addr, place);
	return in_section || place_mapping(a, m, addr, place);
}
