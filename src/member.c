// SPDX-License-Identifier: GPL-2.0-only
#include "member.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 20000 /* DIEs looked at to name one member */

struct namer {
	struct type_table *types;
	uint32_t steps;
	char path[DIE_NAME];
	size_t len;
	uint64_t at, size; /* of the member found, in the whole variable */
	Dwarf_Die leaf;	   /* its type */
};

/* Types that are one value to their users, whatever they wrap. */
static const char *const opaque_types[] = {
	"atomic_t",   "atomic64_t",	"atomic_long_t",   "refcount_t",  "rcuref_t",
	"spinlock_t", "raw_spinlock_t", "arch_spinlock_t", "atomic_flag",
};

/* C++'s and Go's. */
static const char *const opaque_prefixes[] = { "atomic<", "__atomic_base<", "sync/atomic." };

static bool is_rust(Dwarf_Die *type)
{
	Dwarf_Die unit;

	return dwarf_diecu(type, &unit, NULL, NULL) && dwarf_srclang(&unit) == DW_LANG_Rust;
}

static bool is_opaque(Dwarf_Die *type)
{
	const char *name = die_name(type);

	if (!name)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(opaque_prefixes); i++)
		if (!strncmp(name, opaque_prefixes[i], strlen(opaque_prefixes[i])))
			return true;
	if (!strncmp(name, "Atomic", 6))
		return is_rust(type);
	for (size_t i = 0; i < ARRAY_SIZE(opaque_types); i++)
		if (!strcmp(name, opaque_types[i]))
			return true;
	return false;
}

/* As die_peel(), but stops at a type that is one value. */
static bool peel_to_value(struct type_table *t, Dwarf_Die *type, bool *opaque)
{
	*opaque = false;
	for (int i = 0; i < DIE_NESTING; i++) {
		if (!die_peel(type, false))
			return false;
		type_table_complete(t, type);
		*opaque = is_opaque(type);
		if (*opaque || dwarf_tag(type) != DW_TAG_typedef)
			return true;
		if (!die_type(type, type))
			return false;
	}
	return false;
}

static bool name_at(struct namer *n, Dwarf_Die type, uint64_t offset, int depth);

static void add_text(struct namer *n, const char *s)
{
	size_t len = strlen(s);

	if (len >= sizeof(n->path) - n->len)
		len = sizeof(n->path) - n->len - 1;
	memcpy(n->path + n->len, s, len);
	n->len += len;
	n->path[n->len] = 0;
}

static void cut_text(struct namer *n, size_t len)
{
	n->len = len;
	n->path[len] = 0;
}

static bool found(struct namer *n, uint64_t offset, uint64_t size)
{
	/* "offset" is in the member; name_at() kept where the search was in "at". */
	n->at -= offset;
	n->size = size;
	return true;
}

static bool name_element(struct namer *n, Dwarf_Die array, uint64_t offset, int depth)
{
	uint64_t count[DIE_DIMENSIONS], index[DIE_DIMENSIONS], size, i;
	unsigned int dims = die_dimensions(&array, count);
	char text[32];

	if (!dims || !die_type(&array, &array))
		return false;
	size = type_table_size(n->types, array);
	if (!size || size == DIE_SIZE_UNKNOWN)
		return false;
	i = offset / size;
	for (unsigned int k = dims; k-- > 1;) {
		if (count[k] == DIE_SIZE_UNKNOWN)
			return false;
		index[k] = i % count[k];
		i /= count[k];
	}
	if (i >= count[0])
		return false;
	index[0] = i;
	for (unsigned int k = 0; k < dims; k++) {
		snprintf(text, sizeof(text), "[%llu]", (unsigned long long)index[k]);
		add_text(n, text);
	}
	return name_at(n, array, offset % size, depth + 1);
}

static bool constant_location(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	Dwarf_Op *op;
	size_t count;

	*offset = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return true; /* in a union, or the bit offset says it */
	if (!dwarf_formudata(&attr, &word)) {
		*offset = word;
		return true;
	}
	/* DWARF 2. A virtual base has a longer expression and no fixed place. */
	if (dwarf_getlocation(&attr, &op, &count) || count != 1 || op[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = op[0].number;
	return true;
}

/* Bit-fields: the bytes that hold the bits. The older attribute counts from the storage unit's most
 * significant bit (DWARF 3, 5.6.6). */
static void place_bits(Dwarf_Die *die, struct member_place *m, uint64_t bits)
{
	uint64_t first, storage = m->size;

	if (die_word(die, DW_AT_data_bit_offset, &first)) {
		m->offset += first / 8;
	} else if (die_word(die, DW_AT_bit_offset, &first)) {
		die_word(die, DW_AT_byte_size, &storage);
		first = storage * 8 - first - bits;
		m->offset += (int64_t)first / 8;
	} else {
		first = 0;
	}
	m->bits = bits;
	m->bit = first % 8;
	m->size = (first % 8 + bits + 7) / 8;
}

bool member_read(struct type_table *t, Dwarf_Die *die, struct member_place *m)
{
	uint64_t bits;
	int tag = dwarf_tag(die);

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    die_flag(die, DW_AT_declaration) || die_flag(die, DW_AT_external) ||
	    !die_type(die, &m->type) || !constant_location(die, &m->offset))
		return false;
	m->bits = m->bit = 0;
	m->size = type_table_size(t, m->type);
	if (die_word(die, DW_AT_bit_size, &bits) && bits && bits <= 128)
		place_bits(die, m, bits);
	return true;
}

static bool name_member(struct namer *n, Dwarf_Die *die, const struct member_place *m,
			uint64_t offset, int depth)
{
	const char *name = die_name(die);
	Dwarf_Die type = m->type;
	size_t len = n->len;

	if (dwarf_tag(die) == DW_TAG_inheritance) {
		die_peel(&type, true);
		name = die_name(&type);
	}
	if (name && *name) {
		if (len && n->path[len - 1] != ':')
			add_text(n, ".");
		add_text(n, name);
		if (dwarf_tag(die) == DW_TAG_inheritance)
			add_text(n, "::");
	}
	n->leaf = m->type;
	if (m->bits ? found(n, offset - m->offset, m->size)
		    : name_at(n, m->type, offset - m->offset, depth + 1))
		return true;
	cut_text(n, len);
	return false;
}

/* The first member that has a name for the byte; a flexible array only where nothing else fits,
 * since it has no end. */
static bool name_in_struct(struct namer *n, Dwarf_Die type, uint64_t offset, int depth)
{
	Dwarf_Die die, next, open_die;
	struct member_place m, open_member = { .size = 0 };

	if (dwarf_child(&type, &die))
		return false;
	for (; n->steps < MAX_STEPS; die = next) {
		n->steps++;
		if (member_read(n->types, &die, &m)) {
			if (m.size != DIE_SIZE_UNKNOWN && offset >= m.offset &&
			    offset - m.offset < m.size && name_member(n, &die, &m, offset, depth))
				return true;
			open_member = m;
			open_die = die;
		}
		if (dwarf_siblingof(&die, &next))
			break;
	}
	return open_member.size == DIE_SIZE_UNKNOWN && offset >= open_member.offset &&
	       name_member(n, &open_die, &open_member, offset, depth);
}

static bool name_at(struct namer *n, Dwarf_Die type, uint64_t offset, int depth)
{
	uint64_t size;
	bool opaque;
	int tag;

	if (depth > DIE_NESTING || n->steps++ >= MAX_STEPS ||
	    !peel_to_value(n->types, &type, &opaque))
		return false;
	tag = dwarf_tag(&type);
	if (die_is_aggregate(tag) && !opaque)
		return name_in_struct(n, type, offset, depth);
	if (tag == DW_TAG_array_type && !opaque)
		return name_element(n, type, offset, depth);
	size = type_table_size(n->types, type);
	n->leaf = type;
	return offset < size && size != DIE_SIZE_UNKNOWN && found(n, offset, size);
}

bool member_name(struct type_table *t, Dwarf_Die type, uint64_t offset, const char *prefix,
		 uint64_t base, struct dwarf_member *m)
{
	struct namer *n = mem_zalloc(sizeof(*n));
	bool ok;

	n->types = t;
	n->at = base + offset;
	add_text(n, prefix);
	ok = name_at(n, type, offset, 0) && n->at <= UINT32_MAX && n->size <= UINT32_MAX;
	if (ok) {
		m->path = intern_string(t->pool, n->path);
		m->offset = n->at;
		m->size = n->size;
	}
	free(n);
	return ok;
}

bool member_is_value(Dwarf_Die type)
{
	for (int i = 0; i < DIE_NESTING; i++) {
		if (!die_peel(&type, false) || is_opaque(&type))
			return true;
		if (dwarf_tag(&type) != DW_TAG_typedef)
			break;
		if (!die_type(&type, &type))
			return true;
	}
	return !die_is_aggregate(dwarf_tag(&type)) && dwarf_tag(&type) != DW_TAG_array_type;
}

/* What a type that is one value wraps: std::atomic<T *>. */
static bool unwrap(Dwarf_Die *type)
{
	for (int i = 0; i < DIE_NESTING; i++) {
		Dwarf_Die die, next;

		if (!die_peel(type, true) || dwarf_tag(type) == DW_TAG_array_type)
			return false;
		if (!die_is_aggregate(dwarf_tag(type)))
			return true;
		if (dwarf_child(type, &die))
			return false;
		while (dwarf_tag(&die) != DW_TAG_member && dwarf_tag(&die) != DW_TAG_inheritance) {
			if (dwarf_siblingof(&die, &next))
				return false;
			die = next;
		}
		if (!die_type(&die, type))
			return false;
	}
	return false;
}

bool member_type(struct type_table *t, Dwarf_Die type, uint64_t offset, Dwarf_Die *leaf)
{
	struct namer *n = mem_zalloc(sizeof(*n));
	bool ok;

	n->types = t;
	n->at = offset;
	ok = name_at(n, type, offset, 0) && n->at == offset && unwrap(&n->leaf);
	*leaf = n->leaf;
	free(n);
	return ok;
}
