// SPDX-License-Identifier: GPL-2.0-only
#include "die.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- attributes */

bool die_word(Dwarf_Die *die, unsigned int name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*value = word;
	return true;
}

bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die stub;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, type))
		return false;
	/* With -fdebug-types-section it may be a stub for the type in a unit of its own. */
	stub = *type;
	if (dwarf_attr(&stub, DW_AT_signature, &attr) && !dwarf_formref_die(&attr, type))
		*type = stub;
	return true;
}

const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

bool die_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	bool set = false;

	return dwarf_attr(die, name, &attr) && !dwarf_formflag(&attr, &set) && set;
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_atomic_type || tag == DW_TAG_restrict_type;
}

/* Takes "type" to what its qualifiers, and with "typedefs" its typedefs, stand for. */
bool die_peel(Dwarf_Die *type, bool typedefs)
{
	for (int i = 0; i < DIE_NESTING; i++) {
		int tag = dwarf_tag(type);
		Dwarf_Die of;

		if (!is_qualifier(tag) && !(typedefs && tag == DW_TAG_typedef))
			return tag != DW_TAG_invalid;
		if (!die_type(type, &of))
			return false; /* void */
		*type = of;
	}
	return false;
}

bool die_is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Elements in one dimension; DIE_SIZE_UNKNOWN for "[]" and "[0]". */
static uint64_t subrange_count(Dwarf_Die *subrange)
{
	uint64_t count, upper, lower = 0;

	if (die_word(subrange, DW_AT_count, &count))
		return count ? count : DIE_SIZE_UNKNOWN;
	if (!die_word(subrange, DW_AT_upper_bound, &upper))
		return DIE_SIZE_UNKNOWN;
	die_word(subrange, DW_AT_lower_bound, &lower);
	if (upper < lower || upper - lower >= UINT32_MAX) /* -1: no elements */
		return DIE_SIZE_UNKNOWN;
	return upper - lower + 1;
}

unsigned int die_dimensions(Dwarf_Die *array, uint64_t *count)
{
	Dwarf_Die die, next;
	unsigned int n = 0;

	if (dwarf_child(array, &die))
		return 0;
	for (int i = 0; i < DIE_NESTING && n < DIE_DIMENSIONS; i++) {
		if (dwarf_tag(&die) == DW_TAG_subrange_type)
			count[n++] = subrange_count(&die);
		if (dwarf_siblingof(&die, &next))
			break;
		die = next;
	}
	return n;
}

/* DWARF's names for C's types, where compilers do not use C's. */
static const char *const c_spelling[][2] = {
	{ "long int", "long" },
	{ "long unsigned int", "unsigned long" },
	{ "short int", "short" },
	{ "short unsigned int", "unsigned short" },
	{ "long long int", "long long" },
	{ "long long unsigned int", "unsigned long long" },
	{ "_Bool", "bool" },
};

const char *die_spell_base(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(c_spelling); i++)
		if (!strcmp(name, c_spelling[i][0]))
			return c_spelling[i][1];
	return name;
}

bool die_is_c(Dwarf_Die *die)
{
	Dwarf_Die unit;

	switch (dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

const char *die_keyword(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

/* ---- walking */

static void walk_children(struct die_walk *w, Dwarf_Die *parent, int depth);

static void walk_die(struct die_walk *w, Dwarf_Die *die, int depth)
{
	size_t len = w->scope_len;
	int tag = dwarf_tag(die), added = 0;
	const char *name;

	if (!w->visit(w, die) || depth >= DIE_NESTING)
		return;
	name = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type
		       ? die_name(die)
		       : NULL;
	if (name)
		added = snprintf(w->scope + len, sizeof(w->scope) - len, "%s::", name);
	if ((size_t)added < sizeof(w->scope) - len) {
		w->scope_len = len + added;
		walk_children(w, die, depth + 1);
	}
	w->scope_len = len;
	w->scope[len] = 0;
}

static void walk_children(struct die_walk *w, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die, next;

	if (dwarf_child(parent, &die))
		return;
	for (;;) {
		Dwarf_Off at = dwarf_dieoffset(&die);

		if (at <= w->reached)
			return;
		w->reached = at;
		walk_die(w, &die, depth);
		if (dwarf_siblingof(&die, &next))
			return;
		die = next;
	}
}

static void walk_root(struct die_walk *w, Dwarf_Die *root)
{
	w->reached = dwarf_dieoffset(root);
	walk_children(w, root, 0);
}

void die_walk(Dwarf *dw, bool (*visit)(struct die_walk *, Dwarf_Die *), void *user)
{
	struct die_walk *w = mem_zalloc(sizeof(*w));
	Dwarf_CU *unit = NULL;
	Dwarf_Die root;

	w->user = user;
	w->visit = visit;
	while (!dwarf_get_units(dw, unit, &unit, NULL, NULL, &root, NULL))
		walk_root(w, &root);
	free(w);
}

void die_walk_unit(Dwarf_Die *root, bool (*visit)(struct die_walk *, Dwarf_Die *), void *user)
{
	struct die_walk *w = mem_zalloc(sizeof(*w));

	w->user = user;
	w->visit = visit;
	walk_root(w, root);
	free(w);
}
