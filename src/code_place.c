// SPDX-License-Identifier: GPL-2.0-only
#include "jit_map.h"
#include "kernel_names.h"
#include "spot.h"

/* ---- places of code */

/* The source line, and the function that became part of another there. */
static void place_source(struct dwarf *d, uint64_t addr, struct code_place *place)
{
	const char *inlined = NULL;

	dwarf_line(d, addr, &place->source, &place->line);
	if (dwarf_inlined(d, addr, &inlined, &place->source, &place->line)) {
		place->inlined_in = place->function;
		place->function = inlined;
	}
}

static void place_in_file(struct attrib *a, const struct spot *spot, struct code_place *place)
{
	struct dwarf *d = attrib_dwarf(a, spot->binary);
	struct symbol sym;

	if (binary_code(spot->binary, spot->addr, &sym)) {
		place->function = sym.name;
		place->function_offset = spot->addr - sym.addr;
	}
	if (d)
		place_source(d, spot->addr, place);
}

static struct jit_map *open_jit(struct attrib *a, const struct process *p, const char *root,
				const char *folder)
{
	return folder ? jit_map_open(
				intern_printf(a->pool, "%s%s/perf-%u.map", root, folder, p->pid),
				a->pool)
		      : NULL;
}

/* Code in memory that is no file: what the program itself said of it. */
static void place_jit(struct attrib *a, struct process *p, uint64_t addr, struct code_place *place)
{
	struct symbol sym;

	if (!p->jit_sought)
		p->jit = open_jit(a, p, "", a->jit_folder)
				 ?: open_jit(a, p, a->places.root ? a->places.root : "", "/tmp");
	p->jit_sought = true;
	if (!p->jit || !jit_map_find(p->jit, addr, &sym))
		return;
	place->function = sym.name;
	place->function_offset = addr - sym.addr;
}

static void place_kernel_code(const struct attrib *a, uint64_t addr, struct code_place *place)
{
	const struct kernel_names *names = a->kernel_names;
	struct kernel_symbol sym;
	struct dwarf *d;
	uint64_t in_file;

	if (!names || !names->symbols || !kernel_symbols_at(names->symbols, addr, &sym))
		return;
	place->function = intern_string(a->pool, sym.name);
	place->function_offset = addr - sym.addr;
	d = kernel_names_dwarf(names, addr, &in_file);
	if (d)
		place_source(d, in_file, place);
}

static void place_code(struct attrib *a, const struct mapping *m, uint64_t addr,
		       struct code_place *place)
{
	const char *pseudo = m ? backing_pseudo(m->map.path) : NULL;
	struct spot spot;

	*place = (struct code_place){ 0 };
	if (addr >> 63 || (m && m->map.kernel))
		place->file = attrib_kernel_file(a, m);
	else if (m)
		place->file = pseudo ? intern_string(a->pool, pseudo)
				     : attrib_base_name(a, m->map.path);
	if (m)
		place->function_offset = addr - m->map.start + (pseudo ? 0 : m->map.offset);
	if (m && pseudo && m->owner && !m->map.kernel)
		place_jit(a, m->owner, addr, place);
	if (!m || pseudo || m->map.kernel || !spot_in_file(a, m, addr, &spot))
		return;
	place_in_file(a, &spot, place);
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
