// SPDX-License-Identifier: GPL-2.0-only
#include "scope.h"
#include "mem.h"
#include "symbol_name.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CHILDREN  20000   /* of one scope */
#define MAX_FUNCTIONS 1000000 /* of one unit */

struct scope_unit {
	struct scope_function *function; /* sorted by low */
	uint32_t count, room;
};

void scope_table_init(struct scope_table *t)
{
	*t = (struct scope_table){ .frames = NULL };
	map_init(&t->units);
}

void scope_table_deinit(struct scope_table *t)
{
	for (size_t i = 0; i < t->units.slots; i++)
		if (t->units.used[i]) {
			struct scope_unit *u = (void *)(uintptr_t)t->units.slot[i].value;

			free(u->function);
			free(u);
		}
	map_deinit(&t->units);
}

/* ---- functions */

static void add_function(struct scope_unit *u, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (low >= high || u->count >= MAX_FUNCTIONS)
			continue;
		mem_grow(&u->function, &u->room, u->count);
		u->function[u->count++] = (struct scope_function){ low, high, *die };
	}
}

static bool visit_function(struct die_walk *w, Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		add_function(w->user, die);
		return false;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* Rust puts methods into what they are of */
		return true;
	default:
		return false;
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct scope_function *x = a, *y = b;

	return CMP(x->low, y->low) ?: CMP(y->high, x->high);
}

static struct scope_unit *unit_get(struct scope_table *t, Dwarf_Die *unit)
{
	bool made;
	uint64_t *slot = map_put(&t->units, (uintptr_t)unit->addr, 0, &made);
	struct scope_unit *u;

	if (!made)
		return (struct scope_unit *)(uintptr_t)*slot;
	u = mem_zalloc(sizeof(*u));
	*slot = (uintptr_t)u;
	die_walk_unit(unit, visit_function, u);
	if (u->count)
		qsort(u->function, u->count, sizeof(*u->function), compare_functions);
	return u;
}

static const struct scope_function *function_at(const struct scope_unit *u, uint64_t addr)
{
	uint32_t low = 0, high = u->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (u->function[middle].low <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < u->function[low - 1].high ? &u->function[low - 1] : NULL;
}

/* The block or inlined function directly in "parent" that holds "addr". */
static bool inner_scope(Dwarf_Die *parent, uint64_t addr, Dwarf_Die *inner)
{
	Dwarf_Die next;

	if (dwarf_child(parent, inner))
		return false;
	for (int i = 0; i < MAX_CHILDREN; i++) {
		int tag = dwarf_tag(inner);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		    dwarf_haspc(inner, addr) > 0)
			return true;
		if (dwarf_siblingof(inner, &next))
			return false;
		*inner = next;
	}
	return false;
}

bool scope_find(struct scope_table *t, Dwarf_Die *unit, uint64_t addr, struct scope *s)
{
	const struct scope_function *f = function_at(unit_get(t, unit), addr);

	if (!f)
		return false;
	s->low = f->low;
	s->high = f->high;
	s->addr = addr;
	s->unit = *unit;
	s->die[0] = f->die;
	s->count = 1;
	while (s->count < DIE_NESTING &&
	       inner_scope(&s->die[s->count - 1], addr, &s->die[s->count]))
		s->count++;
	return true;
}

/* ---- inlined functions */

/* Where compilers and distributions keep what is not the program's own. */
static bool is_library(Dwarf_Die *function)
{
	static const char *const places[] = { "/usr/include/", "/usr/lib/", "/usr/src/rustc",
					      "/rustc/", "/rustlib/" };
	Dwarf_Attribute attr;
	Dwarf_Die origin = *function, next;
	const char *file;

	while (dwarf_attr(&origin, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &next))
		origin = next;
	file = dwarf_decl_file(&origin);
	for (size_t i = 0; file && i < ARRAY_SIZE(places); i++)
		if (strstr(file, places[i]))
			return true;
	return false;
}

static const char *function_name(struct intern *pool, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name)
		name = die_name(die);
	return name ? symbol_name(pool, name, false) : NULL;
}

static const char *call_file(const struct scope *s, Dwarf_Die *inlined)
{
	Dwarf_Die unit = s->unit;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t count;
	Dwarf_Attribute attr;

	if (!dwarf_attr(inlined, DW_AT_call_file, &attr) || dwarf_formudata(&attr, &number) ||
	    dwarf_getsrcfiles(&unit, &files, &count) || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static void take_call(const struct scope *s, struct intern *pool, Dwarf_Die *inlined,
		      const char **file, uint32_t *line)
{
	const char *path = call_file(s, inlined), *slash;
	Dwarf_Attribute attr;
	Dwarf_Word number;

	if (!path || !dwarf_attr(inlined, DW_AT_call_line, &attr) ||
	    dwarf_formudata(&attr, &number) || number > INT32_MAX)
		return;
	slash = strrchr(path, '/');
	*file = intern_string(pool, slash ? slash + 1 : path);
	*line = number;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

/* The innermost function that is the program's own; the innermost of all when none is. */
static int shown_scope(struct scope *s)
{
	for (int i = s->count; i-- > 0;)
		if (is_function(&s->die[i]) && !is_library(&s->die[i]))
			return i;
	for (int i = s->count; i-- > 0;)
		if (is_function(&s->die[i]))
			return i;
	return 0;
}

void scope_inlined(const struct scope *s, struct intern *pool, const char **name, const char **file,
		   uint32_t *line)
{
	struct scope own = *s;
	int shown = shown_scope(&own);

	*line = 0;
	*name = shown ? function_name(pool, &own.die[shown]) : NULL;
	for (int i = shown + 1; i < own.count; i++)
		if (is_function(&own.die[i])) {
			take_call(&own, pool, &own.die[i], file, line);
			return;
		}
}

/* ---- variables */

static bool register_of(const Dwarf_Op *op, uint8_t first, uint8_t any, uint64_t *number)
{
	if (op->atom >= first && op->atom < first + 32)
		*number = op->atom - first;
	else if (op->atom == any)
		*number = op->number;
	else
		return false;
	return *number < UINT8_MAX;
}

/* base + offset, as the unwinding tables give the frame's address at "addr". */
static bool frame_by_table(Dwarf_CFI *table, uint64_t addr, uint8_t *base, int64_t *offset)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *op;
	size_t count;
	uint64_t number = UINT8_MAX;
	bool known;

	if (!table || dwarf_cfi_addrframe(table, addr, &frame))
		return false;
	known = !dwarf_frame_cfa(frame, &op, &count) && count == 1 &&
		register_of(op, DW_OP_breg0, DW_OP_bregx, &number);
	if (known) {
		*base = number;
		*offset = op->atom == DW_OP_bregx ? op->number2 : op->number;
	}
	free(frame);
	return known;
}

static bool frame_base(const struct scope_table *t, const struct scope *s, uint8_t *base,
		       int64_t *offset)
{
	Dwarf_Die function = s->die[0];
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t count;
	uint64_t number;

	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, s->addr, &op, &count, 1) != 1 || count != 1)
		return false;
	if (op->atom == DW_OP_call_frame_cfa)
		return frame_by_table(t->frames, s->addr, base, offset) ||
		       frame_by_table(t->debug_frames, s->addr, base, offset);
	*offset = 0;
	if (register_of(op, DW_OP_breg0, DW_OP_bregx, &number))
		*offset = op->atom == DW_OP_bregx ? op->number2 : op->number;
	else if (!register_of(op, DW_OP_reg0, DW_OP_regx, &number))
		return false;
	*base = number;
	return true;
}

/* The first operation tells where; a second one only that it is a value and no place. */
static void place_variable(const struct scope_table *t, const struct scope *s, const Dwarf_Op *op,
			   size_t count, struct scope_variable *v)
{
	bool value = count == 2 && op[1].atom == DW_OP_stack_value;
	uint64_t number;

	if (!count || (count > 1 && !value))
		return;
	if (count == 1 && register_of(op, DW_OP_reg0, DW_OP_regx, &number)) {
		v->kind = SCOPE_REGISTER;
		v->base = number;
	} else if (register_of(op, DW_OP_breg0, DW_OP_bregx, &number)) {
		v->offset = op->atom == DW_OP_bregx ? op->number2 : op->number;
		v->kind = value ? SCOPE_REGISTER : SCOPE_MEMORY;
		if (value) /* the variable is base + offset: base is the variable - offset */
			v->offset = -(uint64_t)v->offset;
		v->base = number;
	} else if (op->atom == DW_OP_fbreg && frame_base(t, s, &v->base, &v->offset)) {
		v->offset += (uint64_t)op->number;
		v->kind = value ? SCOPE_REGISTER : SCOPE_MEMORY;
		if (value)
			v->offset = -(uint64_t)v->offset;
	}
}

static void locate(const struct scope_table *t, const struct scope *s, struct scope_variable *v)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t count;

	v->kind = SCOPE_NOWHERE;
	v->offset = 0;
	if (dwarf_attr(&v->die, DW_AT_location, &attr) &&
	    dwarf_getlocation_addr(&attr, s->addr, &op, &count, 1) == 1)
		place_variable(t, s, op, count, v);
}

static bool visit_scope(const struct scope_table *t, const struct scope *s, Dwarf_Die *scope,
			bool (*visit)(void *context, const struct scope_variable *v), void *context)
{
	struct scope_variable v;
	Dwarf_Die next;

	if (dwarf_child(scope, &v.die))
		return false;
	for (int i = 0; i < MAX_CHILDREN; i++) {
		int tag = dwarf_tag(&v.die);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
			locate(t, s, &v);
			if (v.kind != SCOPE_NOWHERE && visit(context, &v))
				return true;
		}
		if (dwarf_siblingof(&v.die, &next))
			return false;
		v.die = next;
	}
	return false;
}

bool scope_variables(struct scope_table *t, const struct scope *s,
		     bool (*visit)(void *context, const struct scope_variable *v), void *context)
{
	struct scope own = *s;

	for (int i = own.count; i-- > 0;)
		if (visit_scope(t, s, &own.die[i], visit, context))
			return true;
	return false;
}
