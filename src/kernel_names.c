// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void kernel_names_deinit(struct kernel_names *k)
{
	type_btf_free(k->types);
	kernel_symbols_free(k->symbols);
	dwarf_free(k->dwarf);
	*k = (struct kernel_names){ 0 };
}

static bool set_member(const struct layout *l, uint64_t offset, bool array, struct intern *pool,
		       struct dwarf_member *m)
{
	uint64_t element = l->size ? offset / l->size : 0;
	struct layout_place place;

	if (!l->size || (element && !array) || !layout_at(l, offset % l->size, &place))
		return false;
	m->path = array ? intern_printf(pool, "[%" PRIu64 "].%s", element, place.path)
			: intern_string(pool, place.path);
	m->offset = element * l->size + place.offset;
	m->size = place.size;
	return true;
}

bool kernel_names_member(const struct kernel_names *k, const char *type, uint64_t offset,
			 struct intern *pool, struct dwarf_member *m)
{
	const char *bracket = strchr(type, '[');
	struct layout l = { 0 };
	char name[256];
	bool found;

	*m = (struct dwarf_member){ 0 };
	if (k && !k->types && k->dwarf)
		return dwarf_type_member(k->dwarf, type, offset, m);
	if (!k || !k->types)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(bracket ? bracket - type : 255), type);
	if (!type_btf_layout(k->types, name, &l))
		return false;
	m->type = intern_string(pool, type);
	found = set_member(&l, offset, bracket != NULL, pool, m);
	layout_deinit(&l);
	return found;
}

struct dwarf *kernel_names_dwarf(const struct kernel_names *k, uint64_t addr, uint64_t *in_file)
{
	if (!k || !k->dwarf || !k->symbols)
		return NULL;
	*in_file = addr - kernel_symbols_moved(k->symbols);
	return k->dwarf;
}
