// SPDX-License-Identifier: GPL-2.0-only
#include "type_btf.h"
#include "map.h"
#include "mem.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 64 /* typedefs, qualifiers and tags of one type */

/* Kinds of types that a layout can be asked of. */
static const struct {
	const char *keyword;
	uint32_t kind;
} KINDS[] = {
	{ "struct ", BTF_KIND_STRUCT },
	{ "union ", BTF_KIND_UNION },
	{ "", BTF_KIND_TYPEDEF },
};

struct type_btf {
	struct btf *btf;
	struct intern *pool;
	struct map by_name[ARRAY_SIZE(KINDS)]; /* interned name -> id of the first of that kind */
	bool indexed;
};

static struct err *cannot_read(const char *path, int why)
{
	struct err *e = err_errno(why == ENOENT ? ERR_UNSUPPORTED : ERR_FAILED, why,
				  "btf: cannot read types from %s", path);

	if (why == ENOENT && !strcmp(path, TYPE_BTF_KERNEL))
		return err_next(e, "this kernel was built without CONFIG_DEBUG_INFO_BTF: give its "
				   "vmlinux with -k FILE");
	return err_next(e, "needed: a file of /sys/kernel/btf, or an ELF file with a .BTF section");
}

struct err *type_btf_open(const char *path, struct type_btf *base, struct intern *pool,
			  struct type_btf **b)
{
	struct btf *btf;

	libbpf_set_print(NULL); /* errors are told by value */
	btf = btf__parse_split(path, base ? base->btf : NULL);
	*b = NULL;
	if (!btf)
		return cannot_read(path, errno);
	*b = mem_zalloc(sizeof(**b));
	**b = (struct type_btf){ .btf = btf, .pool = pool };
	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++)
		map_init(&(*b)->by_name[i]);
	return NULL;
}

void type_btf_free(struct type_btf *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++)
		map_deinit(&b->by_name[i]);
	btf__free(b->btf);
	free(b);
}

static const char *name_of(struct type_btf *b, uint32_t offset)
{
	return btf__name_by_offset(b->btf, offset) ?: "";
}

/* ---- Single types. Files are not trusted: every walk along references has a bound. */

static bool is_wrapping(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_is_typedef(t) || btf_kind(t) == BTF_KIND_TYPE_TAG;
}

/* What qualifiers, tags and typedefs stand for; NULL for void and for what does not end. */
static const struct btf_type *peel(struct type_btf *b, uint32_t id, bool typedefs, uint32_t *which)
{
	for (int i = 0; i < MAX_STEPS; i++) {
		const struct btf_type *t = id ? btf__type_by_id(b->btf, id) : NULL;

		if (!t)
			return NULL;
		if (!is_wrapping(t) || (btf_is_typedef(t) && !typedefs)) {
			if (which)
				*which = id;
			return t;
		}
		id = t->type;
	}
	return NULL;
}

static uint64_t size_of(struct type_btf *b, uint32_t id)
{
	int64_t size = btf__resolve_size(b->btf, id);

	return size > 0 ? size : 0;
}

static const char *keyword(const struct btf_type *t)
{
	if (btf_is_struct(t))
		return "struct ";
	if (btf_is_union(t))
		return "union ";
	if (btf_is_fwd(t))
		return btf_kflag(t) ? "union " : "struct ";
	return btf_is_any_enum(t) ? "enum " : "";
}

/* "struct spinlock", "atomic_t", "struct page **", "unsigned long[2]". */
static const char *spell(struct type_btf *b, uint32_t id, int depth)
{
	const struct btf_type *t = peel(b, id, false, NULL);
	const char *name;

	if (!t || depth > LAYOUT_NESTING)
		return id ? "?" : "void";
	if (btf_is_ptr(t)) {
		name = spell(b, t->type, depth + 1);
		return intern_printf(b->pool, strchr(name, '*') ? "%s*" : "%s *", name);
	}
	if (btf_is_array(t)) {
		const struct btf_array *a = btf_array(t);

		return intern_printf(b->pool, "%s[%u]", spell(b, a->type, depth + 1), a->nelems);
	}
	name = name_of(b, t->name_off);
	if (btf_is_func_proto(t))
		return "function";
	return intern_printf(b->pool, "%s%s", keyword(t), *name ? name : "{...}");
}

/* ---- Layouts */

/* Takes "*id" from an array to its elements and notes the dimensions. */
static const struct btf_type *unpack_array(struct type_btf *b, uint32_t *id,
					   struct layout_member *m)
{
	const struct btf_type *t = peel(b, *id, true, id);

	m->dimensions = 0;
	while (t && btf_is_array(t)) {
		const struct btf_array *a = btf_array(t);

		if (m->dimensions == LAYOUT_DIMENSIONS)
			return NULL;
		*id = a->type;
		m->dimension[m->dimensions++] = (struct layout_dimension){
			.stride = size_of(b, a->type),
			.count = a->nelems,
		};
		m->type = spell(b, a->type, 0);
		t = peel(b, a->type, true, id);
	}
	return t;
}

static void set_bits(const struct btf_type *owner, unsigned int i, struct layout_member *m)
{
	uint32_t at = btf_member_bit_offset(owner, i);

	m->offset = at / 8;
	m->bits = btf_member_bitfield_size(owner, i);
	if (!m->bits)
		return;
	m->bit = at % 8;
	m->size = (m->bit + m->bits + 7) / 8;
}

/* Of a type that is no struct: its size, as all machines with 64 bits have it up to 8 bytes. (Not
 * libbpf's btf__align_of(): it does not end for a type that holds itself.) */
static uint64_t align_of(const struct layout_member *m)
{
	uint64_t size = m->size > 8 ? 8 : m->size;

	return m->aggregate || m->bits || !size || size & (size - 1) ? 0 : size;
}

static void add_members(struct type_btf *b, const struct btf_type *owner, struct layout_walk *w)
{
	const struct btf_member *member = btf_members(owner);

	for (unsigned int i = 0; i < btf_vlen(owner) && !(w->layout->cut && w->depth); i++) {
		const char *name = name_of(b, member[i].name_off);
		struct layout_member m = { .type = spell(b, member[i].type, 0) };
		uint32_t id = member[i].type;
		const struct btf_type *t = unpack_array(b, &id, &m);

		if (!t)
			continue;
		m.aggregate = btf_is_composite(t);
		m.size = size_of(b, id);
		set_bits(owner, i, &m);
		m.align = align_of(&m);
		if (layout_add(w, name, &m) && m.aggregate) {
			struct layout_walk inner = layout_within(w, &m);

			add_members(b, t, &inner);
		}
	}
}

/* libbpf's btf__find_by_name_kind() looks at every type each time. */
static void make_index(struct type_btf *b)
{
	uint32_t count = btf__type_cnt(b->btf);

	if (b->indexed)
		return;
	b->indexed = true;
	for (uint32_t id = 1; id < count; id++) {
		const struct btf_type *t = btf__type_by_id(b->btf, id);
		const char *name = t ? name_of(b, t->name_off) : "";

		for (size_t i = 0; *name && i < ARRAY_SIZE(KINDS); i++)
			if (btf_kind(t) == KINDS[i].kind)
				map_put(&b->by_name[i], (uintptr_t)intern_string(b->pool, name), id,
					NULL);
	}
}

/* The first type called "name" of that kind. */
static const struct btf_type *find_kind(struct type_btf *b, const char *name, size_t kind,
					uint32_t *id)
{
	uint64_t *found;

	make_index(b);
	found = map_get(&b->by_name[kind], (uintptr_t)intern_string(b->pool, name));
	return found ? peel(b, *found, true, id) : NULL;
}

static const struct btf_type *find_type(struct type_btf *b, const char *name, uint32_t *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++) {
		size_t length = strlen(KINDS[i].keyword);
		bool said = length && !strncmp(name, KINDS[i].keyword, length);
		const struct btf_type *t;

		if (!said && strchr(name, ' '))
			continue;
		t = find_kind(b, said ? name + length : name, i, id);
		if (t && btf_is_composite(t))
			return t;
	}
	return NULL;
}

bool type_btf_layout(struct type_btf *b, const char *name, struct layout *l)
{
	uint32_t id = 0;
	const struct btf_type *t = find_type(b, name, &id);
	struct layout_walk w = { .layout = l, .pool = b->pool };

	*l = (struct layout){ 0 };
	if (!t)
		return false;
	l->name = spell(b, id, 0);
	l->size = t->size;
	add_members(b, t, &w);
	for (uint32_t i = 0; i < l->members; i++)
		l->align = l->member[i].align > l->align ? l->member[i].align : l->align;
	return true;
}

const char *type_btf_next_struct(struct type_btf *b, uint32_t *at)
{
	uint32_t count = btf__type_cnt(b->btf);

	while (++*at < count) {
		const struct btf_type *t = btf__type_by_id(b->btf, *at);
		const char *name = t && btf_is_struct(t) ? name_of(b, t->name_off) : "";

		if (*name && btf_vlen(t))
			return name;
	}
	return NULL;
}

/* ---- Per-CPU variables: the one section of variables that kernels describe */

bool type_btf_percpu(struct type_btf *b, const char *name, uint64_t *offset, uint64_t *size,
		     const char **type)
{
	int32_t section = btf__find_by_name_kind(b->btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *t = section > 0 ? btf__type_by_id(b->btf, section) : NULL;
	const struct btf_var_secinfo *v = t ? btf_var_secinfos(t) : NULL;

	for (unsigned int i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_type *var = btf__type_by_id(b->btf, v[i].type);

		if (!var || !btf_is_var(var) || strcmp(name_of(b, var->name_off), name))
			continue;
		*offset = v[i].offset;
		*size = v[i].size;
		*type = spell(b, var->type, 0);
		return true;
	}
	return false;
}
