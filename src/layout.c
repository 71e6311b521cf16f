// SPDX-License-Identifier: GPL-2.0-only
#include "layout.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void layout_deinit(struct layout *l)
{
	free(l->member);
	*l = (struct layout){ 0 };
}

/* ---- Putting together */

struct layout_walk layout_within(const struct layout_walk *w, const struct layout_member *m)
{
	return (struct layout_walk){
		.layout = w->layout,
		.pool = w->pool,
		.at = *m,
		.depth = w->depth + 1,
	};
}

static const char *join_path(struct layout_walk *w, const char *name, unsigned int dimensions)
{
	char path[LAYOUT_PATH];
	const char *owner = w->at.path ?: "";
	int n = snprintf(path, sizeof(path), "%s%s%s", owner, *owner && *name ? "." : "", name);

	for (unsigned int i = 0; n >= 0 && n < LAYOUT_PATH - 2 && i < dimensions; i++) {
		memcpy(path + n, "[]", 3);
		n += 2;
	}
	if (n < 0 || n >= LAYOUT_PATH - 2)
		w->layout->cut = true;
	return intern_string(w->pool, path);
}

/* The owner's dimensions come first: they are the outer ones. */
static bool join_dimensions(const struct layout_walk *w, struct layout_member *m)
{
	struct layout_dimension own[LAYOUT_DIMENSIONS];
	unsigned int outer = w->at.dimensions, inner = m->dimensions;

	if (outer + inner > LAYOUT_DIMENSIONS)
		return false;
	memcpy(own, m->dimension, inner * sizeof(*own));
	memcpy(m->dimension, w->at.dimension, outer * sizeof(*own));
	memcpy(m->dimension + outer, own, inner * sizeof(*own));
	m->dimensions = outer + inner;
	return true;
}

bool layout_add(struct layout_walk *w, const char *name, struct layout_member *m)
{
	struct layout *l = w->layout;
	unsigned int dimensions = m->dimensions;

	if (l->members + l->passed >= LAYOUT_MEMBERS || w->depth >= LAYOUT_NESTING ||
	    !join_dimensions(w, m)) {
		l->cut = true;
		return false;
	}
	m->offset += w->at.offset;
	m->path = join_path(w, name, dimensions);
	l->passed += !*name;
	if (!*name)
		return true;
	mem_grow(&l->member, &l->room, l->members);
	l->member[l->members++] = *m;
	return true;
}

/* ---- Finding by path */

/* Reads "[12]" at "*at". */
static bool read_index(const char **at, uint64_t *index)
{
	char *end;

	if (**at != '[' || (*at)[1] < '0' || (*at)[1] > '9')
		return false;
	*index = strtoull(*at + 1, &end, 10);
	if (*end != ']')
		return false;
	*at = end + 1;
	return true;
}

/* Whether "path" is the member's, with an index for each "[]"; those at the end may be missing: the
 * whole array is meant. "*given": how many there are. */
static bool match_path(const struct layout_member *m, const char *path,
		       uint64_t index[LAYOUT_DIMENSIONS], unsigned int *given)
{
	const char *want = m->path;

	for (*given = 0; *want && *path;) {
		if (*want == '[') {
			if (!read_index(&path, &index[*given]))
				return false;
			want += 2;
			++*given;
		} else if (*want++ != *path++) {
			return false;
		}
	}
	while (!strncmp(want, "[]", 2))
		want += 2;
	return !*want && !*path;
}

static uint64_t whole_size(const struct layout_member *m, unsigned int given)
{
	const struct layout_dimension *d = &m->dimension[given];

	return given < m->dimensions ? d->stride * d->count : m->size;
}

static bool place_index(const struct layout_member *m, const uint64_t *index, unsigned int given,
			struct layout_place *place)
{
	uint64_t offset = m->offset;

	for (unsigned int i = 0; i < given; i++) {
		const struct layout_dimension *d = &m->dimension[i];

		if (index[i] > UINT32_MAX || (d->count && index[i] >= d->count))
			return false;
		offset += index[i] * d->stride;
	}
	place->member = m;
	place->offset = offset;
	place->size = whole_size(m, given);
	return true;
}

bool layout_find(const struct layout *l, const char *path, struct layout_place *place)
{
	uint64_t index[LAYOUT_DIMENSIONS];
	unsigned int given;

	for (uint32_t i = 0; i < l->members; i++) {
		const struct layout_member *m = &l->member[i];

		if (!match_path(m, path, index, &given) || !place_index(m, index, given, place))
			continue;
		snprintf(place->path, sizeof(place->path), "%s", path);
		return true;
	}
	return false;
}

/* ---- Finding by offset */

/* The indexes of the element that holds "offset", and what is left of it within the element. */
static bool find_element(const struct layout_member *m, uint64_t offset, uint64_t *index,
			 uint64_t *rest)
{
	*rest = offset - m->offset;
	for (unsigned int i = 0; i < m->dimensions; i++) {
		const struct layout_dimension *d = &m->dimension[i];

		if (!d->stride)
			return false;
		index[i] = *rest / d->stride;
		*rest -= index[i] * d->stride;
		if (d->count && index[i] >= d->count)
			return false;
	}
	return *rest < m->size;
}

/* "used[].n" with its indexes: "used[3].n". */
static void write_path(const struct layout_member *m, const uint64_t *index, char *path)
{
	char *to = path, *end = path + LAYOUT_PATH;

	for (const char *from = m->path; *from && to < end - 24; from++) {
		*to++ = *from;
		if (*from == '[')
			to += snprintf(to, end - to, "%llu", (unsigned long long)*index++);
	}
	*to = 0;
}

bool layout_at(const struct layout *l, uint64_t offset, struct layout_place *place)
{
	uint64_t index[LAYOUT_DIMENSIONS], rest;

	for (uint32_t i = 0; i < l->members; i++) {
		const struct layout_member *m = &l->member[i];

		if (m->aggregate || offset < m->offset || !find_element(m, offset, index, &rest))
			continue;
		place->member = m;
		place->offset = offset - rest;
		place->size = m->size;
		write_path(m, index, place->path);
		return true;
	}
	return false;
}
