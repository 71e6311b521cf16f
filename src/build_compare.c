// SPDX-License-Identifier: GPL-2.0-only
#include "build_compare.h"
#include "line.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PUSHED                                                                                \
	16 /* fields of a type that are not hot: of more is not told what pushed them              \
	    */

static struct build_place place_of(const struct layout *l, const char *path)
{
	struct layout_place p;

	if (!l || !layout_find(l, path, &p))
		return (struct build_place){ 0 };
	return (struct build_place){ true, p.offset, p.size };
}

static enum build_change change_of(const struct build_field *f)
{
	const struct build_place *a = &f->side[BUILD_BEFORE], *b = &f->side[BUILD_AFTER];

	if (!b->there)
		return BUILD_GONE;
	if (!a->there)
		return BUILD_NEW;
	if (a->offset / BUILD_LINE_BYTES != b->offset / BUILD_LINE_BYTES)
		return BUILD_LINE;
	if (line_half(a->offset % BUILD_LINE_BYTES) != line_half(b->offset % BUILD_LINE_BYTES))
		return BUILD_HALF;
	if (a->offset != b->offset)
		return BUILD_MOVED;
	return a->size != b->size ? BUILD_RESIZED : BUILD_SAME;
}

/* ---- Who pushed */

/* How much of "path" names its owner: "a.b" of "a.b.c", "" of "a". */
static size_t owner_length(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot - path : 0;
}

/* Whether "owner" ("length" bytes, with "[]" for indexes) is "path" itself or holds it. */
static bool holds(const char *owner, size_t length, const char *path)
{
	const char *end = owner + length;

	while (owner < end && *path) {
		if (*path == '[') /* whatever element */
			path = strchr(path, ']') ?: path;
		if (*owner == '[')
			owner = strchr(owner, ']') ?: owner;
		if (*owner++ != *path++)
			return false;
	}
	return owner == end && (!length || !*path || *path == '.' || *path == '[');
}

/* Members beside the field or beside what holds it: these decide on its offset. */
static bool is_beside(const struct layout_member *m, const char *path)
{
	return holds(m->path, owner_length(m->path), path) &&
	       !holds(m->path, strlen(m->path), path);
}

static uint64_t whole(const struct layout_member *m)
{
	return m->dimensions ? m->dimension[0].stride * m->dimension[0].count : m->size;
}

static const struct layout_member *find_member(const struct layout *l, const char *path)
{
	for (uint32_t i = 0; i < l->members; i++)
		if (l->member[i].path == path) /* of one pool */
			return &l->member[i];
	return NULL;
}

static void add_push(struct build_field *f, const char *member, enum build_push_what what,
		     int64_t bytes)
{
	f->push = mem_realloc(f->push, f->pushes + 1, sizeof(*f->push));
	f->push[f->pushes++] = (struct build_push){ member, what, bytes };
}

static void judge_new(struct build_field *f, const struct layout *before,
		      const struct layout_member *m)
{
	const struct layout_member *old = find_member(before, m->path);
	bool is_before = m->offset < f->side[BUILD_AFTER].offset, was_before;

	if (!whole(m) && !(old && whole(old))) /* takes no room */
		return;
	if (!old) {
		if (is_before)
			add_push(f, m->path, PUSH_ADDED, whole(m));
		return;
	}
	was_before = old->offset < f->side[BUILD_BEFORE].offset;
	if (is_before != was_before)
		add_push(f, m->path, PUSH_PASSED,
			 is_before ? (int64_t)whole(m) : -(int64_t)whole(old));
	else if (is_before && whole(m) != whole(old))
		add_push(f, m->path, PUSH_RESIZED, whole(m) - whole(old));
}

static void find_pushes(struct build_field *f, const struct layout *before,
			const struct layout *after)
{
	for (uint32_t i = 0; i < after->members; i++)
		if (is_beside(&after->member[i], f->path))
			judge_new(f, before, &after->member[i]);
	for (uint32_t i = 0; i < before->members; i++) {
		const struct layout_member *m = &before->member[i];

		if (whole(m) && is_beside(m, f->path) && m->offset < f->side[BUILD_BEFORE].offset &&
		    !find_member(after, m->path))
			add_push(f, m->path, PUSH_REMOVED, -(int64_t)whole(m));
	}
}

/* ---- Neighbours */

static bool in_line(const struct layout_member *m, const struct build_place *p)
{
	uint64_t first = p->offset / BUILD_LINE_BYTES, size = whole(m) ?: 1;

	return m->offset / BUILD_LINE_BYTES <= first &&
	       (m->offset + size - 1) / BUILD_LINE_BYTES >= first;
}

/* Members of "here" that are in the field's line there and were not in it on the other side. */
static void find_neighbours(const struct build_field *f, int side, const struct layout *here,
			    const struct layout *there, struct build_neighbours *n)
{
	for (uint32_t i = 0; i < here->members; i++) {
		const struct layout_member *m = &here->member[i], *other;

		if (strchr(m->path, '.') || holds(m->path, strlen(m->path), f->path) ||
		    !in_line(m, &f->side[side]))
			continue;
		other = find_member(there, m->path);
		if (other && in_line(other, &f->side[!side]))
			continue;
		if (n->count < BUILD_NEIGHBOURS)
			n->name[n->count] = m->path;
		n->count++;
	}
}

/* ---- Fields */

static bool is_known(const struct build_type *t, const char *path)
{
	for (uint32_t i = 0; i < t->fields; i++)
		if (!strcmp(t->field[i].path, path))
			return true;
	return false;
}

static void add_field(struct build_type *t, const char *path, bool hot, const struct layout *before,
		      const struct layout *after)
{
	struct build_field *f;
	struct build_place a = place_of(before, path), b = place_of(after, path);

	if (!a.there && !b.there)
		return;
	mem_grow(&t->field, &t->field_room, t->fields);
	f = &t->field[t->fields++];
	*f = (struct build_field){ .path = path, .hot = hot, .side = { a, b } };
	f->change = change_of(f);
	t->shifted += f->change == BUILD_LINE || f->change == BUILD_HALF;
	if (f->change == BUILD_LINE || f->change == BUILD_HALF || f->change == BUILD_MOVED)
		if (hot || t->shifted <= MOST_PUSHED)
			find_pushes(f, before, after);
	if (hot && a.there && b.there) {
		find_neighbours(f, BUILD_AFTER, after, before, &f->joined);
		find_neighbours(f, BUILD_BEFORE, before, after, &f->parted);
	}
}

/* All members but those that only hold others; of arrays the first element stands for all. */
static void add_members(struct build_type *t, const struct layout *of, const struct layout *before,
			const struct layout *after, struct intern *pool)
{
	for (uint32_t i = 0; of && i < of->members; i++) {
		const struct layout_member *m = &of->member[i];
		const char *path = intern_string(pool, m->path);
		size_t length = strlen(path);

		while (length > 2 && !strcmp(path + length - 2, "[]")) {
			path = intern_bytes(pool, path, length - 2);
			length -= 2;
		}
		if (!m->aggregate && !strchr(path, '[') && !is_known(t, path))
			add_field(t, path, false, before, after);
	}
}

static uint64_t where(const struct build_field *f)
{
	return f->side[f->side[BUILD_AFTER].there ? BUILD_AFTER : BUILD_BEFORE].offset;
}

static int field_compare(const void *a, const void *b)
{
	const struct build_field *x = a, *y = b;
	int order = CMP(y->hot, x->hot);

	if (!order)
		order = CMP(where(x), where(y));
	return order ? order : strcmp(x->path, y->path);
}

/* ---- Pairs */

static void count_bases(struct build_pair *p, const struct build_field *a,
			const struct build_field *b, int side, uint64_t align)
{
	uint64_t step = align && align < BUILD_LINE_BYTES ? align : align ? BUILD_LINE_BYTES : 1;

	for (uint64_t base = 0; base < BUILD_LINE_BYTES; base += step) {
		bool together = (base + a->side[side].offset) / BUILD_LINE_BYTES ==
				(base + b->side[side].offset) / BUILD_LINE_BYTES;

		p->of[side]++;
		p->bases[side] += together;
		p->together[side] |= together && !base;
	}
}

static void add_pair(struct build_type *t, const struct build_field *a, const struct build_field *b)
{
	struct build_pair p = { .first = a->path, .second = b->path };

	for (int side = 0; side < BUILD_SIDES; side++)
		if (a->side[side].there && b->side[side].there)
			count_bases(&p, a, b, side, t->align[side]);
	if (!p.of[BUILD_BEFORE] || !p.of[BUILD_AFTER] ||
	    (p.together[BUILD_BEFORE] == p.together[BUILD_AFTER] &&
	     p.bases[BUILD_BEFORE] * p.of[BUILD_AFTER] ==
		     p.bases[BUILD_AFTER] * p.of[BUILD_BEFORE]))
		return;
	mem_grow(&t->pair, &t->pair_room, t->pairs);
	t->pair[t->pairs++] = p;
}

void build_compare(const struct layout *before, const struct layout *after, const char **hot,
		   uint32_t hots, struct intern *pool, struct build_type *t)
{
	const struct layout *side[BUILD_SIDES] = { before, after };

	*t = (struct build_type){ .name = after ? after->name : before->name };
	for (int s = 0; s < BUILD_SIDES; s++) {
		t->there[s] = side[s];
		t->size[s] = side[s] ? side[s]->size : 0;
		t->align[s] = side[s] ? side[s]->align : 0;
	}
	for (uint32_t i = 0; i < hots; i++)
		if (!is_known(t, hot[i]))
			add_field(t, hot[i], true, before, after);
	add_members(t, after, before, after, pool);
	add_members(t, before, before, after, pool);
	if (t->fields)
		qsort(t->field, t->fields, sizeof(*t->field), field_compare);
	for (uint32_t i = 0; i < t->fields && t->field[i].hot; i++)
		for (uint32_t k = i + 1; k < t->fields && t->field[k].hot; k++)
			add_pair(t, &t->field[i], &t->field[k]);
}

void build_type_deinit(struct build_type *t)
{
	for (uint32_t i = 0; i < t->fields; i++)
		free(t->field[i].push);
	free(t->field);
	free(t->pair);
	*t = (struct build_type){ 0 };
}
