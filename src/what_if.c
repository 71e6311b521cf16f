// SPDX-License-Identifier: GPL-2.0-only
#include "what_if.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

struct what_if {
	const struct use_object *object;
	struct idset actors;
	double *visits, *writes;	     /* of one line, by actor's place in "actors" */
	double *field_visits, *field_writes; /* of one of its fields */
	double scale;			     /* recorded HITM by counted misses */
};

/* ---- One line */

static size_t actor_index(const struct what_if *w, uint32_t id)
{
	const uint32_t *ids = idset_ids(&w->actors);
	size_t low = 0, high = w->actors.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle] <= id)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void add_shares(const struct what_if *w, const struct use_code *c)
{
	const uint32_t *ids = idset_ids(c->actors);

	for (uint32_t i = 0; i < c->actors->count; i++) {
		size_t actor = actor_index(w, ids[i]);

		w->field_visits[actor] += (c->loads > c->stores ? c->loads : c->stores) /
					  c->actors->count;
		w->field_writes[actor] += c->stores / c->actors->count;
	}
}

/* What a thread does to the field it uses most it does to the line. */
static void add_field(const struct what_if *w, const struct use_field *f)
{
	memset(w->field_visits, 0, w->actors.count * sizeof(*w->visits));
	memset(w->field_writes, 0, w->actors.count * sizeof(*w->writes));
	for (uint32_t i = 0; i < f->code_count; i++)
		add_shares(w, &f->codes[i]);
	for (uint32_t i = 0; i < w->actors.count; i++) {
		if (w->field_visits[i] > w->visits[i])
			w->visits[i] = w->field_visits[i];
		if (w->field_writes[i] > w->writes[i])
			w->writes[i] = w->field_writes[i];
	}
}

static double line_misses(const struct what_if *w)
{
	double all = 0, misses = 0;

	for (uint32_t i = 0; i < w->actors.count; i++)
		all += w->writes[i];
	for (uint32_t i = 0; i < w->actors.count; i++) {
		double others = all - w->writes[i];

		misses += w->visits[i] < others ? w->visits[i] : others;
	}
	return misses;
}

/* ---- A layout */

struct extent {
	int64_t start, end; /* bytes from the start of the line the object begins in */
};

static struct extent field_extent(const struct what_if *w, const struct placement *p, uint32_t i)
{
	const struct use_field *f = &w->object->fields[i];
	int64_t start = (int64_t)p->base + f->offset + (p->shift ? p->shift[i] : 0);

	return (struct extent){ start, start + (f->size ? f->size : 1) };
}

static bool line_fill(struct what_if *w, const struct placement *p, int64_t line)
{
	const struct use_object *o = w->object;
	bool used = false;

	memset(w->visits, 0, w->actors.count * sizeof(*w->visits));
	memset(w->writes, 0, w->actors.count * sizeof(*w->writes));
	for (uint32_t i = 0; i < o->field_count; i++) {
		const struct use_field *f = &o->fields[i];
		struct extent e = field_extent(w, p, i);

		if (e.start >= (line + 1) * o->line_size || e.end <= line * o->line_size)
			continue;
		used = true;
		add_field(w, f);
	}
	return used;
}

static int compare_lines(const void *a, const void *b)
{
	return CMP(*(const int64_t *)a, *(const int64_t *)b);
}

/* The lines that hold the fields, ascending; the caller's. */
static int64_t *lines_of(const struct what_if *w, const struct placement *p, size_t *count)
{
	const struct use_object *o = w->object;
	int64_t *line = mem_zalloc((2 * o->field_count + 1) * sizeof(*line));
	size_t all = 0;

	for (uint32_t i = 0; i < o->field_count; i++) {
		struct extent e = field_extent(w, p, i);

		line[all++] = e.start / o->line_size;
		line[all++] = (e.end - 1) / o->line_size;
	}
	qsort(line, all, sizeof(*line), compare_lines);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!*count || line[*count - 1] != line[i])
			line[(*count)++] = line[i];
	return line;
}

static void note_places(struct what_if *w, const struct placement *p, struct what_if_cost *c)
{
	for (uint32_t i = 0; i < w->object->field_count; i++) {
		struct extent e = field_extent(w, p, i);

		if (w->object->fields[i].size &&
		    e.start / w->object->line_size != (e.end - 1) / w->object->line_size)
			c->splits++;
		if (line_half(e.start % w->object->line_size) == HALF_UPPER)
			c->upper++;
	}
}

struct what_if_cost what_if_cost(struct what_if *w, const struct placement *p)
{
	struct what_if_cost c = { 0 };
	size_t count;
	int64_t *line = lines_of(w, p, &count);

	for (size_t i = 0; i < count; i++)
		if (line_fill(w, p, line[i])) {
			c.hitm += line_misses(w) * w->scale;
			c.lines++;
		}
	note_places(w, p, &c);
	free(line);
	return c;
}

struct what_if *what_if_new(const struct use_object *object)
{
	struct what_if *w = mem_zalloc(sizeof(*w));
	struct placement recorded = { use_base(object), NULL };
	double misses;

	w->object = object;
	for (uint32_t i = 0; i < object->field_count; i++) {
		idset_merge(&w->actors, &object->fields[i].readers);
		idset_merge(&w->actors, &object->fields[i].writers);
	}
	w->visits = mem_zalloc((w->actors.count + 1) * sizeof(*w->visits));
	w->writes = mem_zalloc((w->actors.count + 1) * sizeof(*w->writes));
	w->field_visits = mem_zalloc((w->actors.count + 1) * sizeof(*w->visits));
	w->field_writes = mem_zalloc((w->actors.count + 1) * sizeof(*w->writes));
	w->scale = 1;
	misses = what_if_cost(w, &recorded).hitm;
	w->scale = misses > 0 ? counts_hitm(&object->counts) / misses : 0;
	return w;
}

void what_if_free(struct what_if *w)
{
	idset_deinit(&w->actors);
	free(w->visits);
	free(w->writes);
	free(w->field_visits);
	free(w->field_writes);
	free(w);
}

bool what_if_known(const struct what_if *w)
{
	return w->scale > 0;
}

size_t what_if_bases(struct what_if *w, uint32_t step, struct what_if_cost *cost, size_t room)
{
	size_t count = 0;

	for (uint32_t base = 0; base < w->object->line_size && count < room; base += step)
		cost[count++] = what_if_cost(w, &(struct placement){ base, NULL });
	return count;
}

/* ---- Changes */

static uint64_t line_up(uint64_t n, uint32_t line_size)
{
	return (n + line_size - 1) / line_size * line_size;
}

static uint64_t known_size(const struct use_object *o)
{
	uint64_t size = o->size;

	for (uint32_t i = 0; i < o->field_count; i++) {
		uint64_t end = (uint64_t)o->fields[i].offset + (o->fields[i].size ?: 1);

		size = end > size ? end : size;
	}
	return size;
}

/* A member that is aligned to a line aligns its object, too. */
static struct what_if_change try_align(struct what_if *w, uint32_t field, bool alone,
				       int64_t *shift)
{
	const struct use_object *o = w->object;
	const struct use_field *f = &o->fields[field];
	uint64_t size = known_size(o), end = (uint64_t)f->offset + (f->size ?: 1);
	int64_t first = line_up(f->offset, o->line_size) - f->offset, rest = first;
	struct what_if_change c = { .kind = alone ? WHAT_IF_ALONE : WHAT_IF_ALIGN, .field = field };

	if (alone)
		rest = line_up(end + first, o->line_size) - end;
	for (uint32_t i = 0; i < o->field_count; i++)
		shift[i] = i < field && o->fields[i].offset < f->offset ? 0
			   : o->fields[i].offset < end			? first
									: rest;
	c.cost = what_if_cost(w, &(struct placement){ 0, shift });
	c.bytes = line_up(size + (end < size ? rest : first), o->line_size) - size;
	return c;
}

static struct what_if_change try_last(struct what_if *w, uint32_t field, int64_t *shift)
{
	const struct use_object *o = w->object;
	const struct use_field *f = &o->fields[field];
	uint64_t size = known_size(o), bytes = f->size ?: 1;
	uint32_t alignment = bytes >= 8 ? 8 : bytes;
	uint64_t to = line_up(size, alignment);
	struct what_if_change c = { .kind = WHAT_IF_LAST, .field = field };

	memset(shift, 0, o->field_count * sizeof(*shift));
	for (uint32_t i = 0; i < o->field_count; i++)
		if (o->fields[i].offset == f->offset)
			shift[i] = (int64_t)(to - f->offset);
	c.cost = what_if_cost(w, &(struct placement){ use_base(o), shift });
	c.bytes = to + bytes - size;
	return c;
}

static int compare_changes(const void *a, const void *b)
{
	const struct what_if_change *x = a, *y = b;

	return CMP(x->cost.hitm, y->cost.hitm) ?: CMP(x->bytes, y->bytes) ?:
			CMP(x->kind, y->kind) ?: CMP(x->field, y->field);
}

struct what_if_change *what_if_changes(struct what_if *w, size_t *count)
{
	const struct use_object *o = w->object;
	struct what_if_change *all = mem_zalloc((3 * o->field_count + 1) * sizeof(*all));
	int64_t *shift = mem_zalloc((o->field_count + 1) * sizeof(*shift));

	*count = 0;
	for (uint32_t i = 0; i < o->field_count; i++) {
		/* Names of one place, such as a union's, move together. */
		if (i && o->fields[i].offset == o->fields[i - 1].offset)
			continue;
		if (o->fields[i].offset)
			all[(*count)++] = try_align(w, i, false, shift);
		all[(*count)++] = try_align(w, i, true, shift);
		all[(*count)++] = try_last(w, i, shift);
	}
	free(shift);
	qsort(all, *count, sizeof(*all), compare_changes);
	return all;
}
