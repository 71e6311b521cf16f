// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_names.h"
#include "mem.h"
#include "spot.h"

#define MAX_FILES 512 /* files of one process that are asked for a type */

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
	if (place->type && addr >> 63)
		name_kernel_field(a, place);
	else if (place->type)
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
		place_noted(a, p, addr, place);
		return true;
	}
	of = spot_locate(a, m, pid, addr, &spot);
	in_section = of && symtab_section(binary_symtab(spot.binary), spot.addr, &section);
	if (of || (m && mapping_is_file(m)))
		place->file = attrib_base_name(a, (of ? of : m)->map.path);
	if (in_section)
		place->section = section.name;
	known = place_noted(a, p, addr, place) || (of && place_variable(&spot, place));
	if (known)
		return true;
	if (in_section)
		place_section(a, &section, spot.addr, place);
	return in_section || place_mapping(a, m, addr, place);
}
