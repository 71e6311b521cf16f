// SPDX-License-Identifier: GPL-2.0-only
#include "diff.h"
#include "map.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 16 /* of an object before the elements of its arrays are taken together */

/* Everything that is needed to put the cells of one side where they belong. */
struct collector {
	struct diff *diff;
	struct intern *pool;
	struct attrib *attrib;
	enum diff_side side;
	struct map by_name; /* object name (pointer) to index */
};

static struct diff_object *find_object(struct collector *c, const char *name)
{
	struct diff *d = c->diff;
	bool made;
	uint64_t *index = map_put(&c->by_name, (uintptr_t)name, d->object_count, &made);

	if (made) {
		mem_grow(&d->objects, &d->object_room, d->object_count);
		d->objects[d->object_count++] = (struct diff_object){ .name = name };
	}
	return &d->objects[*index];
}

static struct diff_field *find_field(struct diff_object *o, const char *name, uint32_t offset)
{
	for (uint32_t i = 0; i < o->field_count; i++)
		if (o->fields[i].name == name)
			return &o->fields[i];
	mem_grow(&o->fields, &o->field_room, o->field_count);
	o->fields[o->field_count] = (struct diff_field){
		.name = name,
		.offset = offset,
		.line_offset = { DIFF_ABSENT, DIFF_ABSENT },
	};
	return &o->fields[o->field_count++];
}

/* Memory without a name of its own ("[heap]") is known by the function that touches it. */
static const char *object_name(struct collector *c, const struct cell *cell,
			       const struct data_place *place)
{
	struct code_place code;
	const char *what = place->object ? place->object : place->file;

	if (what && what[0] != '[')
		return what;
	if (!attrib_code(c->attrib, cell->code, cell->ip, &code) || !code.function)
		return intern_printf(c->pool, "%s", what ? what : "[unknown]");
	return intern_printf(c->pool, "%s in %s", what ? what : "[unknown]", code.function);
}

static const char *field_name(struct collector *c, const struct data_place *place)
{
	if (place->field && place->field[0])
		return place->field;
	return intern_printf(c->pool, "+%llu", (unsigned long long)place->object_offset);
}

static void add_cell(struct collector *c, const struct contended_line *line,
		     const struct cell *cell)
{
	struct data_place place = { 0 };
	struct diff_object *o;
	struct diff_field *f;
	enum diff_side side = c->side;

	attrib_data(c->attrib, line->data, line->pid, line->addr + cell->offset, &place);
	o = find_object(c, object_name(c, cell, &place));
	counts_add(&o->counts[side], &cell->counts);
	if (o->line[side] != line) {
		o->lines[side]++;
		/* Lines come by falling cost, so the first one is the costliest. */
		if (!o->line[side])
			o->line[side] = line;
	}
	f = find_field(o, field_name(c, &place),
		       place.field ? place.field_offset : (uint32_t)place.object_offset);
	counts_add(&f->counts[side], &cell->counts);
	if (f->line_offset[side] == DIFF_ABSENT)
		f->line_offset[side] = cell->offset;
}

static void add_side(struct collector *c)
{
	const struct profile *p = c->diff->profile[c->side];

	for (uint32_t i = 0; i < p->contended_count; i++)
		for (uint32_t j = 0; j < p->lines[i].cell_count; j++)
			add_cell(c, &p->lines[i], &p->lines[i].cells[j]);
}

/* "[17].lock" is "[*].lock": of a big array the elements are many and their fields few. */
static const char *element_name(struct intern *pool, const char *name)
{
	const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close || strspn(open + 1, "0123456789") != (size_t)(close - open - 1))
		return name;
	return intern_printf(pool, "%.*s[*]%s", (int)(open - name), name, close + 1);
}

static void merge_elements(struct intern *pool, struct diff_object *o)
{
	struct diff_object merged = { 0 };

	if (o->field_count <= MOST_FIELDS)
		return;
	for (uint32_t i = 0; i < o->field_count; i++) {
		struct diff_field *from = &o->fields[i];
		struct diff_field *to = find_field(&merged, element_name(pool, from->name),
						   from->offset);

		for (int s = 0; s < DIFF_SIDES; s++) {
			counts_add(&to->counts[s], &from->counts[s]);
			if (to->line_offset[s] == DIFF_ABSENT)
				to->line_offset[s] = from->line_offset[s];
		}
	}
	free(o->fields);
	o->fields = merged.fields;
	o->field_count = merged.field_count;
	o->field_room = merged.field_room;
}

static int compare_fields(const void *a, const void *b)
{
	const struct diff_field *x = a, *y = b;

	return CMP(x->offset, y->offset) ?: strcmp(x->name, y->name);
}

static uint64_t object_hitm(const struct diff_object *o)
{
	return counts_hitm(&o->counts[DIFF_BEFORE]) + counts_hitm(&o->counts[DIFF_AFTER]);
}

static int compare_objects(const void *a, const void *b)
{
	const struct diff_object *x = a, *y = b;

	return CMP(object_hitm(y), object_hitm(x)) ?: strcmp(x->name, y->name);
}

/* HITM of the whole recording for one hold; the samples' own count when it was measured. */
static double total_hitm(const struct profile *p, int hold)
{
	return p->model && p->model->complete ? (double)p->model->hitm[hold]
					      : (double)counts_hitm(&p->total);
}

static void count_rates(struct diff *d, enum diff_side side)
{
	const struct profile *p = d->profile[side];

	bool one_kind;

	d->operations[side] = profile_operations(p, &one_kind);
	if (!d->operations[side])
		return;
	for (int hold = 0; hold < NOTE_HOLDS; hold++) {
		d->hitm_per_operation[side].at[hold] = total_hitm(p, hold) / d->operations[side];
		if (p->model)
			d->cycles_per_operation[side].at[hold] = (double)p->model->cycles[hold] /
								 d->operations[side];
	}
	d->hitm_per_operation[side].known = true;
	d->cycles_per_operation[side].known = p->model && p->model->complete;
}

/* Operations per modelled time: the run's own time, however many threads shared the work. */
static void count_speedup(struct diff *d)
{
	const struct profile *before = d->profile[DIFF_BEFORE], *after = d->profile[DIFF_AFTER];

	if (!d->cycles_per_operation[DIFF_BEFORE].known ||
	    !d->cycles_per_operation[DIFF_AFTER].known)
		return;
	for (int hold = 0; hold < NOTE_HOLDS; hold++) {
		if (!before->model->cycles[hold] || !after->model->cycles[hold])
			return;
		d->speedup.at[hold] =
			(double)d->operations[DIFF_AFTER] / after->model->cycles[hold] /
			((double)d->operations[DIFF_BEFORE] / before->model->cycles[hold]);
	}
	d->speedup.known = true;
}

struct diff *diff_new(struct intern *pool, const struct profile *const profile[DIFF_SIDES],
		      struct attrib *const attrib[DIFF_SIDES])
{
	struct diff *d = mem_zalloc(sizeof(*d));
	struct collector c = { .diff = d, .pool = pool };

	map_init(&c.by_name);
	for (c.side = DIFF_BEFORE; c.side < DIFF_SIDES; c.side++) {
		d->profile[c.side] = profile[c.side];
		c.attrib = attrib[c.side];
		add_side(&c);
		count_rates(d, c.side);
	}
	map_deinit(&c.by_name);
	count_speedup(d);
	for (uint32_t i = 0; i < d->object_count; i++) {
		struct diff_object *o = &d->objects[i];

		merge_elements(pool, o);
		qsort(o->fields, o->field_count, sizeof(*o->fields), compare_fields);
	}
	if (d->object_count)
		qsort(d->objects, d->object_count, sizeof(*d->objects), compare_objects);
	return d;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->object_count; i++)
		free(d->objects[i].fields);
	free(d->objects);
	free(d);
}

double diff_range_low(const struct diff_range *r)
{
	double low = r->at[0];

	for (int i = 1; i < NOTE_HOLDS; i++)
		low = r->at[i] < low ? r->at[i] : low;
	return low;
}

double diff_range_high(const struct diff_range *r)
{
	double high = r->at[0];

	for (int i = 1; i < NOTE_HOLDS; i++)
		high = r->at[i] > high ? r->at[i] : high;
	return high;
}
