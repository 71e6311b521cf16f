// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_names.h"
#include "spot.h"

/* ---- places of code */

static void place_kernel_code(const struct attrib *a, uint64_t addr, struct code_place *place)
{
	const struct kernel_names *names = a->kernel_names;
	struct kernel_symbol sym;

	if (!names || !names->symbols || !kernel_symbols_at(names->symbols, addr, &sym))
		return;
	place->function = intern_string(a->pool, sym.name);
	place->function_offset = addr - sym.addr;
}

static void place_code(struct attrib *a, const struct mapping *m, uint64_t addr,
		       struct code_place *place)
{
	const char *pseudo = m ? backing_pseudo(m->map.path) : NULL;
	struct symbol sym;
	struct spot spot;
	struct dwarf *d;

	*place = (struct code_place){ 0 };
	if (addr >> 63 || (m && m->map.kernel))
		place->file = attrib_kernel_file(a, m);
	else if (m)
		place->file = pseudo ? intern_string(a->pool, pseudo)
				     : attrib_base_name(a, m->map.path);
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
	if (addr >> 63)
		place_kernel_code(a, addr, place);
	told = place->function ? NULL : told_symbol(&a->told, addr);
	*place = told ? *told : *place;
	return place->function || place->file;
}
