// SPDX-License-Identifier: GPL-2.0-only
#include "object_use.h"
#include "line_key.h"
#include "map.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

struct collector {
	struct use_set *set;
	struct attrib *attrib;
	struct intern *pool;
	uint32_t line_size;
	struct map by_key; /* of name and address: index + 1 */
};

static struct use_object *find_object(struct collector *c, const struct data_place *place,
				      uint64_t addr)
{
	struct use_set *s = c->set;
	uint64_t key = map_hash((uintptr_t)place->object) ^ addr;
	bool made;
	uint64_t *index = map_put(&c->by_key, key, s->count, &made);

	if (made) {
		mem_grow(&s->objects, &s->room, s->count);
		s->objects[s->count++] = (struct use_object){ .name = place->object,
							      .type = place->type,
							      .addr = addr,
							      .size = place->object_size,
							      .line_size = c->line_size };
	}
	return &s->objects[*index];
}

/* "[120]": an element of something that has no other name. */
static bool is_place(const char *name)
{
	const char *close = name[0] == '[' ? strchr(name, ']') : NULL;

	return close && !close[1];
}

static struct use_field *find_field(struct use_object *o, const char *name, uint32_t offset,
				    uint32_t size)
{
	for (uint32_t i = 0; i < o->field_count; i++)
		if (o->fields[i].offset == offset && o->fields[i].name == name)
			return &o->fields[i];
	mem_grow(&o->fields, &o->field_room, o->field_count);
	o->fields[o->field_count] = (struct use_field){ .name = name,
							.is_place = name[0] == '+' ||
								    is_place(name),
							.offset = offset,
							.size = size };
	return &o->fields[o->field_count++];
}

static struct use_field *field_of(struct collector *c, struct use_object *o,
				  const struct data_place *place)
{
	if (place->field && place->field[0])
		return find_field(o, place->field, place->field_offset, place->field_size);
	return find_field(o,
			  intern_printf(c->pool, "+%llu", (unsigned long long)place->object_offset),
			  place->object_offset, 0);
}

/* What a cell stands for is known for loads and stores together; it is shared out as its samples
 * are. An instruction that reads and writes is a load and a store. */
static void add_accesses(struct use_field *f, const struct cell *cell)
{
	const struct counts *n = &cell->counts;
	const struct idset *who = cell->threads.count ? &cell->threads : &cell->cpus;
	double each = n->samples ? (double)n->accesses / n->samples : 0;
	uint64_t stores = n->stores > n->locked ? n->stores : n->locked;

	mem_grow(&f->codes, &f->code_room, f->code_count);
	f->codes[f->code_count++] = (struct use_code){ n->loads * each, stores * each, who };
	f->loads += n->loads * each;
	f->stores += stores * each;
	if (n->loads)
		idset_merge(&f->readers, who);
	if (stores)
		idset_merge(&f->writers, who);
}

static void add_code_name(struct collector *c, struct use_field *f, const struct cell *cell)
{
	struct code_place place = { 0 };
	const char *name;

	if (f->code_names == USE_NAMES || !attrib_code(c->attrib, cell->code, cell->ip, &place) ||
	    !place.function)
		return;
	name = intern_printf(c->pool, "%s:%u", place.function, place.line);
	for (uint32_t i = 0; i < f->code_names; i++)
		if (f->code_name[i] == name)
			return;
	f->code_name[f->code_names++] = name;
}

double object_use_alike(const struct use_field *a, const struct use_field *b)
{
	uint32_t common = 0;

	for (uint32_t i = 0; i < a->code_names; i++)
		for (uint32_t j = 0; j < b->code_names; j++)
			common += a->code_name[i] == b->code_name[j];
	return common ? (double)common / (a->code_names + b->code_names - common) : 0;
}

static bool is_named(const struct data_place *place)
{
	return place->object && place->object[0] != '[';
}

static void add_cell(struct collector *c, const struct contended_line *line,
		     const struct cell *cell)
{
	uint64_t addr = line->addr + cell->offset;
	struct data_place place = { 0 };
	struct use_object *o;
	struct use_field *f;

	attrib_data(c->attrib, line->data, line->pid, addr, &place);
	if (!is_named(&place))
		return;
	o = find_object(c, &place, addr - place.object_offset);
	f = field_of(c, o, &place);
	counts_add(&o->counts, &cell->counts);
	counts_add(&f->counts, &cell->counts);
	add_accesses(f, cell);
	add_code_name(c, f, cell);
}

static int compare_fields(const void *a, const void *b)
{
	const struct use_field *x = a, *y = b;

	return CMP(x->offset, y->offset) ?: strcmp(x->name, y->name);
}

static int compare_objects(const void *a, const void *b)
{
	const struct use_object *x = a, *y = b;

	return CMP(counts_hitm(&y->counts), counts_hitm(&x->counts)) ?: CMP(x->addr, y->addr) ?:
			strcmp(x->name, y->name);
}

void object_use_init(struct use_set *s, const struct profile *profile, struct attrib *attrib,
		     struct intern *pool)
{
	struct collector c = {
		.set = s, .attrib = attrib, .pool = pool, .line_size = profile->line_size
	};

	*s = (struct use_set){ 0 };
	map_init(&c.by_key);
	for (uint32_t i = 0; i < profile->line_count; i++)
		for (uint32_t j = 0;
		     profile->lines[i].contended && j < profile->lines[i].cell_count; j++)
			add_cell(&c, &profile->lines[i], &profile->lines[i].cells[j]);
	map_deinit(&c.by_key);
	for (uint32_t i = 0; i < s->count; i++)
		qsort(s->objects[i].fields, s->objects[i].field_count, sizeof(struct use_field),
		      compare_fields);
	if (s->count)
		qsort(s->objects, s->count, sizeof(*s->objects), compare_objects);
}

void object_use_deinit(struct use_set *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		for (uint32_t j = 0; j < s->objects[i].field_count; j++) {
			idset_deinit(&s->objects[i].fields[j].readers);
			idset_deinit(&s->objects[i].fields[j].writers);
			free(s->objects[i].fields[j].codes);
		}
		free(s->objects[i].fields);
	}
	free(s->objects);
	*s = (struct use_set){ 0 };
}

/* "struct ring" is also "ring". */
static bool is_type(const char *type, const char *name)
{
	const char *tag = type ? strchr(type, ' ') : NULL;

	return type && (!strcmp(type, name) || (tag && !strcmp(tag + 1, name)));
}

const struct use_object *object_use_find(const struct use_set *s, const char *name)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (!strcmp(s->objects[i].name, name))
			return &s->objects[i];
	for (uint32_t i = 0; i < s->count; i++)
		if (is_type(s->objects[i].type, name))
			return &s->objects[i];
	return NULL;
}
