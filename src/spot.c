// SPDX-License-Identifier: GPL-2.0-only
#include "spot.h"
#include "mem.h"

#include <string.h>
#include <sys/mman.h>

#define MAX_SIBLINGS 256	/* mappings of one file that are asked for its load address */
#define NO_BIAS	     UINT64_MAX /* a bias is a multiple of the page */

/* ---- files */

static struct binary *binary_get(struct attrib *a, const char *path)
{
	bool made;
	uint64_t *slot = map_put(&a->binaries, (uintptr_t)path, 0, &made);

	if (made)
		*slot = (uintptr_t)binary_new(path, &a->places, a->pool);
	return (struct binary *)(uintptr_t)*slot;
}

/* The file that "m" maps; NULL when it is no ELF file, or not the recorded one any more. */
struct binary *spot_binary(struct attrib *a, const struct mapping *m)
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

struct dwarf *attrib_dwarf(struct attrib *a, struct binary *b)
{
	struct dwarf *d = binary_dwarf(b);
	bool fresh;

	if (d)
		return d;
	map_put(&a->bare, (uintptr_t)b, 0, &fresh);
	if (!a->first_bare)
		a->first_bare = binary_path(b);
	return NULL;
}

uint64_t attrib_bare_files(const struct attrib *a, const char **first)
{
	if (first)
		*first = a->first_bare;
	return a->bare.count;
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

bool spot_in_file(struct attrib *a, const struct mapping *m, uint64_t addr, struct spot *spot)
{
	struct binary *b = spot_binary(a, m);
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

	return m && !mapping_is_file(m) ? m->below : m;
}

/* The mapping of the file that "addr" belongs to, in one of its segments or its .bss; NULL when
 * none. Without a mapping of its own (data maps were not recorded), the file right below is tried.
 */
const struct mapping *spot_locate(struct attrib *a, const struct mapping *m, uint32_t pid,
				  uint64_t addr, struct spot *spot)
{
	const struct mapping *of = !m			? file_below(process_find(a, pid), addr)
				   : mapping_is_file(m) ? m
							: m->below;
	uint64_t low, high;

	if (!of || of->map.kernel || !spot_in_file(a, of, addr, spot))
		return NULL;
	if (of != m && (!symtab_extent(binary_symtab(spot->binary), &low, &high) ||
			spot->addr - low >= high - low))
		return NULL;
	return of;
}
