// SPDX-License-Identifier: GPL-2.0-only
#include "pairing.h"
#include "map.h"
#include "mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES  (1u << 20) /* of an array */
#define MOST_FIELDS 24	       /* of an object before elements of its arrays are taken together */

uint64_t pairing_hash(uint64_t seed, const char *s)
{
	uint64_t h = seed ^ 0xcbf29ce484222325ULL; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3ULL;
	return h ? h : 1;
}

/* ---- Identities */

static bool is_named(const struct view_line *l)
{
	return l->place.object && l->place.object[0] && l->place.object[0] != '[';
}

static const struct view_cell *costliest_cell(const struct view_line *l)
{
	const struct view_cell *best = NULL;

	for (uint32_t i = 0; i < l->cell_count; i++)
		if (!best || l->cells[i].counts.latency_sum > best->counts.latency_sum ||
		    (l->cells[i].counts.latency_sum == best->counts.latency_sum &&
		     l->cells[i].counts.samples > best->counts.samples))
			best = &l->cells[i];
	return best;
}

static const char *object_name(const struct view_line *l)
{
	if (l->place.object && l->place.object[0])
		return l->place.object;
	return l->place.file && l->place.file[0] ? l->place.file : l->name;
}

static uint64_t object_id(const struct view_line *l)
{
	uint64_t id = pairing_hash(l->place.type ? pairing_hash(1, l->place.type) : 1,
				   object_name(l));
	const struct view_cell *cell = is_named(l) ? NULL : costliest_cell(l);

	if (cell && cell->code_count && cell->codes[0].name)
		id = pairing_hash(id, cell->codes[0].name);
	return id;
}

static uint64_t line_id(const struct view_line *l)
{
	char offset[24];

	if (!is_named(l))
		return object_id(l) ^ 2;
	snprintf(offset, sizeof(offset), "+%llu", (unsigned long long)l->object_offset);
	return pairing_hash(object_id(l), offset);
}

/* ---- Objects and lines */

static uint32_t object_of(struct pairing *p, struct map *known, const struct view_line *l)
{
	bool made;
	uint64_t id = object_id(l), *index = map_put(known, id, p->object_count, &made);

	if (made) {
		mem_grow(&p->objects, &p->object_room, p->object_count);
		p->objects[p->object_count++] =
			(struct paired_object){ .id = id,
						.name = object_name(l),
						.type = l->place.type,
						.size = l->place.object_size };
	}
	return *index;
}

/* It may begin within the line. */
static uint64_t object_start(const struct view_line *l)
{
	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct data_place *p = &l->cells[i].place;

		if (p->object && p->object == l->place.object)
			return l->line->addr + l->cells[i].offset - p->object_offset;
	}
	return l->line->addr - l->object_offset;
}

static void count_line(struct pairing *p, uint32_t object, const struct view_line *l, int side)
{
	struct paired_object *o = &p->objects[object];

	o->lines[side]++;
	counts_add(&o->counts[side], &l->line->counts);
	if (!o->start[side]) {
		o->start[side] = object_start(l);
		o->pid[side] = l->line->pid;
	}
}

/* ---- Arrays: most of their lines are too small to be among the view's */

static bool is_array(const struct paired_object *o)
{
	return o->type && strchr(o->type, '[') && o->name[0] != '[' &&
	       o->size / 64 >= PAIRING_ARRAY_LINES && o->size / 64 <= MOST_LINES;
}

/* The array need not begin where a line does. */
static uint64_t first_line(const struct paired_object *o, int side, uint32_t line_size)
{
	return line_start(o->start[side], line_size);
}

uint32_t pairing_array_lines(const struct paired_object *o, int side, uint32_t line_size)
{
	uint64_t last = line_start(o->start[side] + o->size - 1, line_size);

	return (last - first_line(o, side, line_size)) / line_size + 1;
}

bool pairing_array_line(const struct paired_object *o, int side, uint32_t line_size,
			const struct contended_line *l, uint32_t *line)
{
	uint64_t first = first_line(o, side, line_size);

	if (l->pid != o->pid[side] || l->addr < first ||
	    (l->addr - first) / line_size >= pairing_array_lines(o, side, line_size))
		return false;
	*line = (l->addr - first) / line_size;
	return true;
}

/* The arrays of one side, by process and address, so that each line finds its own at once. */
struct arrays {
	struct paired_object **array;
	uint32_t count, line_size;
	int side;
};

static int array_compare(const void *a, const void *b, void *context)
{
	const struct paired_object *x = *(struct paired_object *const *)a;
	const struct paired_object *y = *(struct paired_object *const *)b;
	const int *side = context;
	int order = CMP(x->pid[*side], y->pid[*side]);

	return order ? order : CMP(x->start[*side], y->start[*side]);
}

static void collect_arrays(struct arrays *a, struct pairing *p, int side, uint32_t line_size)
{
	*a = (struct arrays){ .side = side, .line_size = line_size };
	a->array = mem_zalloc((p->object_count + 1) * sizeof(*a->array));
	for (uint32_t i = 0; i < p->object_count; i++) {
		struct paired_object *o = &p->objects[i];

		if (!o->lines[side] || !is_array(o))
			continue;
		o->array = true;
		o->counts[side] = (struct counts){ 0 };
		o->lines[side] = 0;
		a->array[a->count++] = o;
	}
	qsort_r(a->array, a->count, sizeof(*a->array), array_compare, &a->side);
}

/* The last one that begins before the line, or at it; NULL when there is none. */
static struct paired_object *array_before(const struct arrays *a, const struct contended_line *l)
{
	uint32_t low = 0, high = a->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct paired_object *o = a->array[middle];
		int order = CMP(o->pid[a->side], l->pid);

		if (!order)
			order = CMP(first_line(o, a->side, a->line_size), l->addr);
		if (order > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low ? a->array[low - 1] : NULL;
}

static void count_arrays(struct pairing *p, const struct screen_input *in, int side)
{
	const struct profile *profile = in->side[side].view->profile;
	uint32_t contended = profile->contended_count < profile->line_count
				     ? profile->contended_count
				     : profile->line_count;
	struct arrays a;
	uint32_t line;

	collect_arrays(&a, p, side, profile->line_size);
	for (uint32_t i = 0; a.count && i < contended; i++) {
		const struct contended_line *l = &profile->lines[i];
		struct paired_object *o = array_before(&a, l);

		if (!o || !pairing_array_line(o, side, profile->line_size, l, &line))
			continue;
		counts_add(&o->counts[side], &l->counts);
		o->lines[side]++;
	}
	free(a.array);
}

/* Several lines may have one identity; they are paired in their order. */
static uint32_t line_of(struct pairing *p, struct map *known, uint64_t id, int side)
{
	bool made;
	uint64_t *index;

	for (;; id = id * 31 + 1) {
		index = map_put(known, id, p->line_count, &made);
		if (made || !p->lines[*index].side[side])
			break;
	}
	if (made) {
		mem_grow(&p->lines, &p->line_room, p->line_count);
		p->lines[p->line_count++] = (struct paired_line){ .id = id };
	}
	return *index;
}

static void add_side(struct pairing *p, struct map known[2], const struct view *v, int side)
{
	for (uint32_t i = 0; v && i < v->line_count; i++) {
		const struct view_line *l = &v->lines[i];
		uint32_t object, line;

		if (!l->line->contended)
			continue;
		object = object_of(p, &known[0], l);
		line = line_of(p, &known[1], line_id(l), side);
		p->lines[line].object = object;
		p->lines[line].side[side] = l;
		if (!p->objects[object].lines[0] && !p->objects[object].lines[1])
			p->objects[object].costliest = line;
		count_line(p, object, l, side);
	}
}

void pairing_init(struct pairing *p, const struct screen_input *in)
{
	struct map known[2];

	*p = (struct pairing){ 0 };
	map_init(&known[0]);
	map_init(&known[1]);
	add_side(p, known, in->side[SCREEN_AFTER].view, SCREEN_AFTER);
	add_side(p, known, in->side[SCREEN_BEFORE].view, SCREEN_BEFORE);
	map_deinit(&known[0]);
	map_deinit(&known[1]);
	for (int side = 0; side < SCREEN_SIDES; side++)
		if (in->side[side].view)
			count_arrays(p, in, side);
}

void pairing_deinit(struct pairing *p)
{
	free(p->lines);
	free(p->objects);
	*p = (struct pairing){ 0 };
}

uint32_t pairing_find_line(const struct pairing *p, uint64_t id)
{
	for (uint32_t i = 0; i < p->line_count; i++)
		if (p->lines[i].id == id)
			return i;
	return UINT32_MAX;
}

uint32_t pairing_find_object(const struct pairing *p, uint64_t id)
{
	for (uint32_t i = 0; i < p->object_count; i++)
		if (p->objects[i].id == id)
			return i;
	return UINT32_MAX;
}

/* ---- Fields */

struct collector {
	struct paired_field *fields;
	uint32_t count, room;
	bool elements; /* "[17].lock" is "[*].lock" */
	struct map known;
};

#define NAME_BYTES 256

/* Digits of the first index in brackets become a star; 0: there is none. */
static size_t star_name(char to[NAME_BYTES], const char *name)
{
	const char *open = strchr(name, '['), *close = open ? open + 1 : NULL;

	while (close && isdigit((uint8_t)*close))
		close++;
	if (!close || *close != ']' || close == open + 1)
		return 0;
	snprintf(to, NAME_BYTES, "%.*s[*]%s", (int)(open - name), name, close + 1);
	return 1;
}

/* In the object; in the line where elements are taken together, or where there is no object to
 * speak of: where a stack or a heap begins tells nobody anything. */
static uint64_t field_offset(const struct collector *c, const struct view_line *l,
			     const struct view_cell *cell)
{
	if (c->elements || !is_named(l))
		return cell->offset;
	return cell->place.object == l->place.object ? cell->place.object_offset
						     : l->object_offset + cell->offset;
}

/* The cell's own name is of its line's object, "other.count" elsewhere: it tells both. */
static void field_name(char to[NAME_BYTES], const struct collector *c, const struct view_line *l,
		       const struct view_cell *cell)
{
	if (!cell->name)
		snprintf(to, NAME_BYTES, "+%llu", (unsigned long long)field_offset(c, l, cell));
	else if (!c->elements || !star_name(to, cell->name))
		snprintf(to, NAME_BYTES, "%s", cell->name);
}

static struct paired_field *field_of(struct collector *c, const struct view_line *l,
				     const struct view_cell *cell, uint64_t of_object)
{
	char name[NAME_BYTES];
	bool made;
	uint64_t id, *index;

	field_name(name, c, l, cell);
	id = pairing_hash(of_object, name);
	index = map_put(&c->known, id, c->count, &made);
	if (made) {
		mem_grow(&c->fields, &c->room, c->count);
		c->fields[c->count++] = (struct paired_field){
			.id = id,
			.name = mem_strdup(name),
			.line_offset = cell->offset,
			.offset = field_offset(c, l, cell),
		};
	}
	return &c->fields[*index];
}

static void add_cells(struct collector *c, const struct pairing *p, uint32_t line, int side,
		      uint64_t id)
{
	const struct view_line *l = p->lines[line].side[side];

	for (uint32_t i = 0; l && i < l->cell_count; i++) {
		const struct view_cell *cell = &l->cells[i];
		struct paired_field *f = field_of(c, l, cell, id);

		if (!f->cell_count) {
			f->line = line;
			f->object = p->lines[line].object;
		} else if (line_half(f->line_offset) != line_half(cell->offset) &&
			   (int)f->cells[0].side != side) {
			f->moved = true;
		}
		counts_add(&f->counts[side], &cell->counts);
		mem_grow(&f->cells, &f->cell_room, f->cell_count);
		f->cells[f->cell_count++] = (struct paired_cell){ cell, l, side };
	}
}

static int field_by_offset(const void *a, const void *b)
{
	const struct paired_field *x = a, *y = b;
	int order = CMP(x->offset, y->offset);

	return order ? order : strcmp(x->name, y->name);
}

static struct paired_field *finish(struct collector *c, uint32_t *count)
{
	map_deinit(&c->known);
	if (c->count)
		qsort(c->fields, c->count, sizeof(*c->fields), field_by_offset);
	*count = c->count;
	return c->fields;
}

static struct paired_field *object_fields(const struct pairing *p, uint32_t object, bool elements,
					  uint32_t *count)
{
	struct collector c = { .elements = elements };

	map_init(&c.known);
	for (int side = SCREEN_SIDES - 1; side >= 0; side--)
		for (uint32_t i = 0; i < p->line_count; i++)
			if (p->lines[i].object == object)
				add_cells(&c, p, i, side, p->objects[object].id);
	return finish(&c, count);
}

struct paired_field *pairing_object_fields(const struct pairing *p, uint32_t object,
					   uint32_t *count)
{
	struct paired_field *fields = object_fields(p, object, false, count);

	if (*count <= MOST_FIELDS)
		return fields;
	pairing_fields_free(fields, *count);
	return object_fields(p, object, true, count);
}

struct paired_field *pairing_line_fields(const struct pairing *p, uint32_t line, uint32_t *count)
{
	struct collector c = { 0 };

	map_init(&c.known);
	for (int side = SCREEN_SIDES - 1; side >= 0; side--)
		add_cells(&c, p, line, side, p->objects[p->lines[line].object].id);
	return finish(&c, count);
}

void pairing_fields_free(struct paired_field *fields, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free((char *)fields[i].name);
		free(fields[i].cells);
	}
	free(fields);
}
