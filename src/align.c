// SPDX-License-Identifier: GPL-2.0-only
#include "align.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN	    0.1	 /* two runs of one program may differ by so much */
#define SIGNIFICANT 0.01 /* chance does as much in one comparison of a hundred */

/* ---- Rates */

static uint64_t operations(const struct profile *p)
{
	bool one_kind;

	return profile_operations(p, &one_kind);
}

static enum align_unit choose_unit(const struct align_input in[ALIGN_SIDES])
{
	if (operations(in[0].profile) && operations(in[1].profile))
		return ALIGN_PER_OPERATION;
	if (in[0].seconds > 0 && in[1].seconds > 0)
		return ALIGN_PER_SECOND;
	return ALIGN_PER_SAMPLE;
}

/* What counts of a side are divided by. */
static double exposure(const struct align_input *in, enum align_unit unit)
{
	if (unit == ALIGN_PER_OPERATION)
		return operations(in->profile);
	if (unit == ALIGN_PER_SECOND)
		return in->seconds;
	return in->profile->total.samples ?: 1;
}

static struct stat_ratio compare(const double count[ALIGN_SIDES], const double by[ALIGN_SIDES])
{
	return stat_poisson_ratio(count[0], by[0], count[1], by[1], MARGIN);
}

static bool differs(const struct stat_ratio *r)
{
	return r->known && r->p < SIGNIFICANT;
}

/* ---- Objects and fields of both sides */

static struct align_object *find_object(struct align *a, const struct use_object *o,
					enum align_side side)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct align_object *x = &a->objects[i];
		const struct use_object *other = x->side[!side];

		if (!x->side[side] && other && other->name == o->name)
			return x;
	}
	mem_grow(&a->objects, &a->room, a->count);
	a->objects[a->count] = (struct align_object){ .kind = ALIGN_SAME };
	return &a->objects[a->count++];
}

static bool is_same_name(const struct use_field *a, const struct use_field *b)
{
	return a->name == b->name;
}

static bool is_same_and_alike(const struct use_field *a, const struct use_field *b)
{
	return a->name == b->name && object_use_alike(a, b) > 0.5;
}

/* A name that only says where the field is tells nothing once something has moved. */
static bool is_alike(const struct use_field *a, const struct use_field *b)
{
	return a->is_place && b->is_place && object_use_alike(a, b) > 0.5;
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* "lower.__count" as "upper.__count", by the same code: a part of the object moved in it. Elements
 * of an array are others, whoever uses them. */
static bool is_same_part(const struct use_field *a, const struct use_field *b)
{
	return !strchr(a->name, '[') && !strchr(b->name, '[') &&
	       !strcmp(last_part(a->name), last_part(b->name)) && object_use_alike(a, b) > 0.5;
}

/* From the surest to the least sure. */
static bool (*const matches[])(const struct use_field *, const struct use_field *) = {
	is_same_and_alike,
	is_alike,
	is_same_name,
	is_same_part,
};

static struct align_field *field_new(struct align_object *o)
{
	mem_grow(&o->fields, &o->field_room, o->field_count);
	o->fields[o->field_count] = (struct align_field){ .with = NULL };
	return &o->fields[o->field_count++];
}

static void pair_fields(struct align_object *o,
			bool (*match)(const struct use_field *, const struct use_field *),
			bool *taken)
{
	const struct use_object *after = o->side[ALIGN_AFTER];

	for (uint32_t i = 0; i < o->field_count; i++) {
		struct align_field *f = &o->fields[i];

		for (uint32_t j = 0; !f->side[ALIGN_AFTER] && j < after->field_count; j++)
			if (!taken[j] && match(f->side[ALIGN_BEFORE], &after->fields[j])) {
				f->side[ALIGN_AFTER] = &after->fields[j];
				taken[j] = true;
			}
	}
}

static void note_places(struct align_object *o)
{
	for (uint32_t i = 0; i < o->field_count; i++)
		for (int s = 0; s < ALIGN_SIDES; s++)
			if (o->fields[i].side[s])
				o->fields[i].line_offset[s] =
					(o->side[s]->addr + o->fields[i].side[s]->offset) %
					o->side[s]->line_size;
}

static void match_fields(struct align_object *o)
{
	const struct use_object *before = o->side[ALIGN_BEFORE], *after = o->side[ALIGN_AFTER];
	uint32_t after_count = after ? after->field_count : 0;
	bool *taken = mem_zalloc(after_count + 1);

	for (uint32_t i = 0; before && i < before->field_count; i++)
		field_new(o)->side[ALIGN_BEFORE] = &before->fields[i];
	for (size_t i = 0; before && after && i < ARRAY_SIZE(matches); i++)
		pair_fields(o, matches[i], taken);
	for (uint32_t j = 0; j < after_count; j++)
		if (!taken[j])
			field_new(o)->side[ALIGN_AFTER] = &after->fields[j];
	free(taken);
	note_places(o);
}

/* ---- Neighbours */

static uint64_t line_of(const struct use_object *o, const struct use_field *f)
{
	return (o->addr + f->offset) / o->line_size;
}

/* Whether a field of one object and one of another (or the same) share a line on a side. */
static bool share_line(const struct align_object *a, const struct align_field *f,
		       const struct align_object *b, const struct align_field *g,
		       enum align_side side)
{
	return f->side[side] && g->side[side] &&
	       line_of(a->side[side], f->side[side]) == line_of(b->side[side], g->side[side]);
}

static bool on_both(const struct align_field *f)
{
	return f->side[ALIGN_BEFORE] && f->side[ALIGN_AFTER];
}

static bool is_written(const struct align_field *f)
{
	return f->side[ALIGN_BEFORE]->writers.count || f->side[ALIGN_AFTER]->writers.count;
}

static void compare_pair(struct align_object *a, struct align_field *f, struct align_object *b,
			 struct align_field *g)
{
	bool before = share_line(a, f, b, g, ALIGN_BEFORE),
	     after = share_line(a, f, b, g, ALIGN_AFTER);

	if (before == after || (!is_written(f) && !is_written(g)))
		return;
	if (after)
		f->joined = g->joined = true;
	else
		f->parted = g->parted = true;
	/* What was joined tells more than what was parted. */
	if (after || !f->with)
		f->with = g->side[ALIGN_AFTER]->name;
	if (after || !g->with)
		g->with = f->side[ALIGN_AFTER]->name;
}

#define PAIRS_MOST 4000 /* fields of all objects that are compared with each other */

static void compare_neighbours(struct align *a)
{
	struct place {
		struct align_object *object;
		struct align_field *field;
	} *place = mem_zalloc(PAIRS_MOST * sizeof(*place));
	size_t count = 0;

	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t j = 0; j < a->objects[i].field_count && count < PAIRS_MOST; j++)
			if (on_both(&a->objects[i].fields[j]))
				place[count++] = (struct place){ &a->objects[i],
								 &a->objects[i].fields[j] };
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			compare_pair(place[i].object, place[i].field, place[j].object,
				     place[j].field);
	free(place);
}

/* ---- Elements */

/* "[17].lock" and "used[3]" are elements; which one, or -1. */
static long element_of(const char *name)
{
	const char *open = strchr(name, '[');

	return open ? strtol(open + 1, NULL, 10) : -1;
}

static void merge_users(struct idset *to, const struct use_field *f)
{
	idset_merge(to, &f->readers);
	idset_merge(to, &f->writers);
}

/* The elements of an array that several threads use, and how many do the most crowded one. */
static void count_elements(const struct use_object *o, uint32_t *elements, uint32_t *crowd)
{
	*elements = *crowd = 0;
	for (uint32_t i = 0; o && i < o->field_count;) {
		long element = element_of(o->fields[i].name);
		struct idset users = { 0 };

		for (; i < o->field_count && element_of(o->fields[i].name) == element; i++)
			merge_users(&users, &o->fields[i]);
		if (element >= 0 && users.count > 1)
			++*elements;
		if (element >= 0 && users.count > *crowd)
			*crowd = users.count;
		idset_deinit(&users);
	}
}

/* ---- What happened */

static bool any_field(const struct align_object *o, bool (*is)(const struct align_field *))
{
	for (uint32_t i = 0; i < o->field_count; i++)
		if (on_both(&o->fields[i]) && is(&o->fields[i]))
			return true;
	return false;
}

static bool has_joined(const struct align_field *f)
{
	return f->joined;
}

static bool has_parted(const struct align_field *f)
{
	return f->parted;
}

static bool has_moved(const struct align_field *f)
{
	return f->side[ALIGN_BEFORE]->offset != f->side[ALIGN_AFTER]->offset;
}

static bool is_truly_shared(const struct align_field *f)
{
	return f->side[ALIGN_AFTER]->writers.count > 1;
}

static bool has_moved_object(const struct align_object *o)
{
	return use_base(o->side[ALIGN_BEFORE]) != use_base(o->side[ALIGN_AFTER]);
}

/* Fewer places and more threads at one of them. */
static bool has_collided(const struct align_object *o)
{
	return o->crowd[ALIGN_AFTER] > o->crowd[ALIGN_BEFORE] &&
	       o->rate[ALIGN_AFTER] > o->rate[ALIGN_BEFORE];
}

static enum align_kind kind_of(const struct align_object *o)
{
	if (!o->side[ALIGN_BEFORE])
		return ALIGN_NEW;
	if (!o->side[ALIGN_AFTER])
		return ALIGN_GONE;
	if (any_field(o, has_joined))
		return ALIGN_MERGED;
	if (any_field(o, has_parted))
		return ALIGN_SPLIT;
	if (any_field(o, has_moved))
		return ALIGN_FIELD_MOVED;
	if (has_moved_object(o))
		return ALIGN_OBJECT_MOVED;
	if (!o->changed)
		return ALIGN_SAME;
	if (has_collided(o))
		return ALIGN_COLLISION;
	return any_field(o, is_truly_shared) ? ALIGN_TRUE_SHARING : ALIGN_USE;
}

static const struct use_field *find_pusher(const struct align_object *o)
{
	const struct use_field *first = NULL;

	for (uint32_t i = 0; i < o->field_count; i++) {
		const struct align_field *f = &o->fields[i];

		if (on_both(f) && has_moved(f) &&
		    (!first || f->side[ALIGN_AFTER]->offset < first->offset))
			first = f->side[ALIGN_AFTER];
	}
	return first;
}

static void count_rates(struct align_object *o, const double by[ALIGN_SIDES])
{
	double count[ALIGN_SIDES];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		count[s] = o->side[s] ? counts_hitm(&o->side[s]->counts) : 0;
		o->rate[s] = count[s] / by[s];
		count_elements(o->side[s], &o->elements[s], &o->crowd[s]);
	}
	o->ratio = compare(count, by);
}

/* Of many objects one differs by chance. */
static void correct(struct align *a)
{
	double *p = mem_zalloc((a->count + 1) * sizeof(*p));

	for (uint32_t i = 0; i < a->count; i++)
		p[i] = a->objects[i].ratio.known ? a->objects[i].ratio.p : NAN;
	stat_holm(p, a->count);
	for (uint32_t i = 0; i < a->count; i++)
		a->objects[i].ratio.p = p[i];
	free(p);
}

static void judge(struct align_object *o)
{
	o->changed = differs(&o->ratio);
	o->pusher = find_pusher(o);
	o->kind = kind_of(o);
}

static int compare_objects(const void *a, const void *b)
{
	const struct align_object *x = a, *y = b;
	double x_by = fabs(x->rate[1] - x->rate[0]), y_by = fabs(y->rate[1] - y->rate[0]);

	return CMP(y->changed, x->changed) ?: CMP(y_by, x_by) ?: CMP(y->rate[0], x->rate[0]);
}

void align_init(struct align *a, const struct align_input in[ALIGN_SIDES])
{
	double by[ALIGN_SIDES], count[ALIGN_SIDES];

	*a = (struct align){ .unit = choose_unit(in) };
	for (int s = 0; s < ALIGN_SIDES; s++) {
		by[s] = exposure(&in[s], a->unit);
		count[s] = counts_hitm(&in[s].profile->total);
		a->rate[s] = count[s] / by[s];
		for (uint32_t i = 0; i < in[s].use->count; i++)
			find_object(a, &in[s].use->objects[i], s)->side[s] = &in[s].use->objects[i];
	}
	for (uint32_t i = 0; i < a->count; i++)
		match_fields(&a->objects[i]);
	a->ratio = compare(count, by);
	a->changed = differs(&a->ratio);
	compare_neighbours(a);
	for (uint32_t i = 0; i < a->count; i++)
		count_rates(&a->objects[i], by);
	correct(a);
	for (uint32_t i = 0; i < a->count; i++)
		judge(&a->objects[i]);
	if (a->count)
		qsort(a->objects, a->count, sizeof(*a->objects), compare_objects);
}

void align_deinit(struct align *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		free(a->objects[i].fields);
	free(a->objects);
}
