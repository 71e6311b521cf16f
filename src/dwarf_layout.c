// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of types from DWARF. */
#include "layout.h"
#include "member.h"
#include "type_dwarf_state.h"

#include <string.h>

/* Takes "*type" from an array to its elements and notes the dimensions. False: it has too many. */
static bool unpack_array(struct type_table *t, Dwarf_Die *type, struct layout_member *m)
{
	uint64_t count[DIE_DIMENSIONS], stride;
	unsigned int dims;

	while (dwarf_tag(type) == DW_TAG_array_type) {
		dims = die_dimensions(type, count);
		if (!dims || m->dimensions + dims > LAYOUT_DIMENSIONS || !die_type(type, type))
			return false;
		m->type = type_table_spell(t, *type);
		stride = type_table_size(t, *type);
		if (!stride || stride == DIE_SIZE_UNKNOWN)
			return false;
		for (unsigned int i = dims; i-- > 0;) {
			uint64_t known = count[i] == DIE_SIZE_UNKNOWN ? 0 : count[i];

			m->dimension[m->dimensions + i] = (struct layout_dimension){ stride,
										     known };
			stride *= known ?: 1;
		}
		m->dimensions += dims;
		if (!die_peel(type, true))
			return false;
		type_table_complete(t, type);
	}
	return true;
}

/* Of a type without members its size, as all machines with 64 bits have it up to 8 bytes. */
static uint64_t align_of(const struct layout_member *m)
{
	uint64_t size = m->size > 8 ? 8 : m->size;

	return m->aggregate || m->bits || !size || size & (size - 1) ? 0 : size;
}

static void add_members(struct type_table *t, Dwarf_Die owner, struct layout_walk *w);

static void add_member(struct type_table *t, Dwarf_Die *die, struct layout_walk *w)
{
	struct layout_member m = { 0 };
	struct member_place place;
	Dwarf_Die type;
	const char *name;

	if (!member_read(t, die, &place))
		return;
	type = place.type;
	m.type = type_table_spell(t, type);
	if (!die_peel(&type, true))
		return;
	type_table_complete(t, &type);
	if (!unpack_array(t, &type, &m))
		return;
	name = dwarf_tag(die) == DW_TAG_inheritance ? die_name(&type) : die_name(die);
	m.aggregate = die_is_aggregate(dwarf_tag(&type));
	m.offset = place.offset;
	m.size = place.bits ? place.size : type_table_size(t, type);
	m.size = m.size == DIE_SIZE_UNKNOWN ? 0 : m.size;
	m.bits = place.bits;
	m.bit = place.bit;
	m.align = align_of(&m);
	if (layout_add(w, name ?: "", &m) && m.aggregate) {
		struct layout_walk inner = layout_within(w, &m);

		add_members(t, type, &inner);
	}
}

static void add_members(struct type_table *t, Dwarf_Die owner, struct layout_walk *w)
{
	Dwarf_Die die, next;

	if (dwarf_child(&owner, &die))
		return;
	for (; !(w->layout->cut && w->depth); die = next) {
		add_member(t, &die, w);
		if (dwarf_siblingof(&die, &next))
			break;
	}
}

bool dwarf_layout(struct dwarf *d, const char *name, struct layout *l)
{
	struct layout_walk w = { .layout = l, .pool = d->pool };
	Dwarf_Die type;
	uint64_t size;

	*l = (struct layout){ 0 };
	if (!type_table_find(&d->types, name, strlen(name), &type) || !die_peel(&type, true))
		return false;
	type_table_complete(&d->types, &type);
	size = type_table_size(&d->types, type);
	if (!die_is_aggregate(dwarf_tag(&type)) || !size || size == DIE_SIZE_UNKNOWN)
		return false;
	l->name = type_table_spell(&d->types, type);
	l->size = size;
	add_members(&d->types, type, &w);
	for (uint32_t i = 0; i < l->members; i++)
		l->align = l->member[i].align > l->align ? l->member[i].align : l->align;
	return true;
}

const char *dwarf_next_type(struct dwarf *d, uint32_t *at)
{
	Dwarf_Die unused;

	type_table_find(&d->types, "", 0, &unused); /* reads the types */
	while (*at < d->types.types) {
		Dwarf_Die *type = &d->types.type[(*at)++];

		if (die_is_aggregate(dwarf_tag(type)) && die_name(type))
			return type_table_spell(&d->types, *type);
	}
	return NULL;
}
