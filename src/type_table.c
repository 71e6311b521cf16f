// SPDX-License-Identifier: GPL-2.0-only
#include "type_table.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void type_table_init(struct type_table *t, Dwarf *dw, struct intern *pool)
{
	*t = (struct type_table){ .pool = pool, .dw = dw };
	map_init(&t->by_name);
	map_init(&t->names);
}

void type_table_deinit(struct type_table *t)
{
	map_deinit(&t->by_name);
	map_deinit(&t->names);
	free(t->type);
}

static bool is_named_type(int tag)
{
	return die_is_aggregate(tag) || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef ||
	       tag == DW_TAG_base_type;
}

/* "typedef struct x x" gives two of a name: the struct is what is asked for. */
static void add_type(struct type_table *t, const char *name, Dwarf_Die *die)
{
	bool made;
	uint64_t *index = map_put(&t->by_name, (uintptr_t)name, t->types, &made);

	if (made) {
		mem_grow(&t->type, &t->type_room, t->types);
		t->type[t->types++] = *die;
	} else if (dwarf_tag(&t->type[*index]) == DW_TAG_typedef &&
		   dwarf_tag(die) != DW_TAG_typedef) {
		t->type[*index] = *die;
	}
}

static bool visit_type(struct die_walk *w, Dwarf_Die *die)
{
	struct type_table *t = w->user;
	int tag = dwarf_tag(die);
	const char *name;

	if (tag == DW_TAG_namespace || tag == DW_TAG_module)
		return true;
	if (!is_named_type(tag) || t->types == UINT32_MAX)
		return false;
	name = die_spell_base(die_name(die));
	if (name) {
		name = intern_printf(t->pool, "%s%s", w->scope, name);
		map_put(&t->names, (uintptr_t)die->addr, (uintptr_t)name, NULL);
		if (!die_flag(die, DW_AT_declaration))
			add_type(t, name, die);
	}
	return die_is_aggregate(tag) && !die_is_c(die);
}

static void build(struct type_table *t)
{
	if (t->built)
		return;
	t->built = true;
	die_walk(t->dw, visit_type, t);
}

static size_t keyword_length(const char *name, size_t len)
{
	static const char *const keywords[] = { "struct ", "union ", "class ", "enum " };

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (len > strlen(keywords[i]) && !strncmp(name, keywords[i], strlen(keywords[i])))
			return strlen(keywords[i]);
	return 0;
}

bool type_table_find(struct type_table *t, const char *name, size_t len, Dwarf_Die *type)
{
	size_t skip = keyword_length(name, len);
	uint64_t *index;

	build(t);
	index = map_get(&t->by_name, (uintptr_t)intern_bytes(t->pool, name + skip, len - skip));
	if (index)
		*type = t->type[*index];
	return index;
}

/* "app::Ring<int>"; NULL for a type without a name. A type local to a function has no scope here.
 */
static const char *qualified_name(struct type_table *t, Dwarf_Die *type)
{
	const char *name = die_spell_base(die_name(type));
	uint64_t *qualified;

	if (!name || die_is_c(type))
		return name;
	build(t);
	qualified = map_get(&t->names, (uintptr_t)type->addr);
	return qualified ? (const char *)(uintptr_t)*qualified : name;
}

void type_table_complete(struct type_table *t, Dwarf_Die *type)
{
	const char *name;

	if (!die_is_aggregate(dwarf_tag(type)) || !die_flag(type, DW_AT_declaration))
		return;
	name = qualified_name(t, type);
	if (name)
		type_table_find(t, name, strlen(name), type);
}

/* Of "count" pointers: not every compiler says how large they are. */
static uint64_t pointer_size(Dwarf_Die *type, uint64_t count)
{
	int tag = dwarf_tag(type);
	uint8_t size = 0;
	Dwarf_Die unit;

	if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type &&
	    tag != DW_TAG_rvalue_reference_type && tag != DW_TAG_ptr_to_member_type)
		return DIE_SIZE_UNKNOWN;
	if (!dwarf_diecu(type, &unit, &size, NULL) || __builtin_mul_overflow(count, size, &count))
		return DIE_SIZE_UNKNOWN;
	return count;
}

uint64_t type_table_size(struct type_table *t, Dwarf_Die of)
{
	uint64_t size, total = 1;

	for (int i = 0; i < DIE_NESTING; i++) {
		uint64_t count[DIE_DIMENSIONS];
		unsigned int n;

		if (!die_peel(&of, true))
			return DIE_SIZE_UNKNOWN;
		type_table_complete(t, &of);
		if (die_word(&of, DW_AT_byte_size, &size))
			return __builtin_mul_overflow(size, total, &size) ? DIE_SIZE_UNKNOWN : size;
		if (dwarf_tag(&of) != DW_TAG_array_type)
			return pointer_size(&of, total);
		n = die_dimensions(&of, count);
		for (unsigned int k = 0; k < n; k++)
			if (count[k] == DIE_SIZE_UNKNOWN ||
			    __builtin_mul_overflow(total, count[k], &total))
				return DIE_SIZE_UNKNOWN;
		if (!n || !die_type(&of, &of))
			return DIE_SIZE_UNKNOWN;
	}
	return DIE_SIZE_UNKNOWN;
}

/* ---- spelling */

/* What stands after a type's name: "*", "[8]", " (*)[8]". Too long a one is cut. */
struct declarator {
	char text[256];
};

static void append(struct declarator *d, const char *s)
{
	size_t len = strlen(d->text), more = strlen(s);

	if (len + more >= sizeof(d->text))
		return;
	memcpy(d->text + len, s, more + 1);
}

static void prepend(struct declarator *d, const char *s)
{
	size_t len = strlen(d->text), more = strlen(s);

	if (len + more >= sizeof(d->text))
		return;
	memmove(d->text + more, d->text, len + 1);
	memcpy(d->text, s, more);
}

/* A pointer binds less than what follows it. */
static void enclose_pointer(struct declarator *d)
{
	if (d->text[0] != '*' && d->text[0] != '&')
		return;
	prepend(d, "(");
	append(d, ")");
}

static void append_dimensions(struct declarator *d, Dwarf_Die *array)
{
	uint64_t count[DIE_DIMENSIONS];
	unsigned int n = die_dimensions(array, count);
	char number[32];

	enclose_pointer(d);
	for (unsigned int k = 0; k < n; k++) {
		snprintf(number, sizeof(number), "[%llu]", (unsigned long long)count[k]);
		append(d, count[k] == DIE_SIZE_UNKNOWN ? "[]" : number);
	}
}

/* Takes the outermost pointer, array or function off "type"; false when there is none. */
static bool unwrap(struct declarator *d, Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
		prepend(d, "*");
		return true;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		prepend(d, "&");
		return true;
	case DW_TAG_array_type:
		append_dimensions(d, type);
		return true;
	case DW_TAG_subroutine_type:
		enclose_pointer(d);
		append(d, "()");
		return true;
	default:
		return false;
	}
}

const char *type_table_spell(struct type_table *t, Dwarf_Die type)
{
	struct declarator d = { "" };
	bool is_void = !die_peel(&type, false);
	const char *name = "void", *keyword = "", *space;

	for (int i = 0; !is_void && i < DIE_NESTING && unwrap(&d, &type); i++)
		is_void = !die_type(&type, &type) || !die_peel(&type, false);
	if (!is_void) {
		name = qualified_name(t, &type);
		keyword = !name || die_is_c(&type) ? die_keyword(&type) : "";
	}
	space = d.text[0] && d.text[0] != '[' ? " " : "";
	return intern_printf(t->pool, "%s%s%s%s", keyword, name ? name : "{...}", space, d.text);
}
