// SPDX-License-Identifier: GPL-2.0-only
#include "diff.h"
#include "diff_judge.h"
#include "map.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 16 /* of an object before the elements of its arrays are taken together */

/* Everything that is needed to put the cells of one run where they belong. */
struct collector {
	struct diff *diff;
	struct intern *pool;
	const struct diff_run *run;
	uint32_t at;	    /* index of run */
	struct map by_name; /* object name (pointer) to index */
	struct map earlier; /* after's object and field name to before's field name */
};

static struct diff_object *find_object(struct collector *c, const char *name)
{
	struct diff *d = c->diff;
	bool made;
	uint64_t *index = map_put(&c->by_name, (uintptr_t)name, d->object_count, &made);

	if (made) {
		mem_grow(&d->objects, &d->object_room, d->object_count);
		d->objects[d->object_count++] = (struct diff_object){ .row.name = name };
	}
	return &d->objects[*index];
}

static struct diff_field *find_field(struct diff_object *o, const char *name, uint32_t offset)
{
	for (uint32_t i = 0; i < o->field_count; i++)
		if (o->fields[i].row.name == name)
			return &o->fields[i];
	mem_grow(&o->fields, &o->field_room, o->field_count);
	o->fields[o->field_count] = (struct diff_field){
		.row.name = name,
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
	if (!attrib_code(c->run->attrib, cell->code, cell->ip, &code) || !code.function)
		return intern_printf(c->pool, "%s", what ? what : "[unknown]");
	return intern_printf(c->pool, "%s in %s", what ? what : "[unknown]", code.function);
}

static uint64_t name_key(const char *object, const char *field)
{
	return map_hash((uintptr_t)object) ^ (uintptr_t)field;
}

/* A field that had another name before, since its name says where it is, keeps that one. */
static const char *field_name(struct collector *c, const struct data_place *place)
{
	const char *name = place->field;
	uint64_t *earlier;

	if (!name || !name[0])
		name = intern_printf(c->pool, "+%llu", (unsigned long long)place->object_offset);
	if (c->run->side == DIFF_BEFORE)
		return name;
	earlier = map_get(&c->earlier, name_key(place->object, name));
	return earlier ? (const char *)(uintptr_t)*earlier : name;
}

static void add_counts(struct collector *c, struct diff_row *row, const struct counts *counts)
{
	if (!row->hits)
		row->hits = mem_zalloc(c->diff->run_count * sizeof(*row->hits));
	counts_add(&row->counts[c->run->side], counts);
	row->hits[c->at] += c->diff->peers ? counts->peer : counts_hitm(counts);
}

static void add_cell(struct collector *c, const struct contended_line *line,
		     const struct cell *cell)
{
	struct data_place place = { 0 };
	struct diff_object *o;
	struct diff_field *f;
	enum diff_side side = c->run->side;

	attrib_data(c->run->attrib, line->data, line->pid, line->addr + cell->offset, &place);
	o = find_object(c, object_name(c, cell, &place));
	add_counts(c, &o->row, &cell->counts);
	if (o->line[side] != line) {
		o->lines[side]++;
		/* Lines come by falling cost, so the first one is the costliest. */
		if (!o->line[side])
			o->line[side] = line;
	}
	f = find_field(o, field_name(c, &place),
		       place.field ? place.field_offset : (uint32_t)place.object_offset);
	add_counts(c, &f->row, &cell->counts);
	if (f->line_offset[side] == DIFF_ABSENT)
		f->line_offset[side] = cell->offset;
}

static void add_run(struct collector *c)
{
	const struct profile *p = c->run->profile;

	add_counts(c, &c->diff->total, &p->total);
	for (uint32_t i = 0; i < p->line_count; i++)
		for (uint32_t j = 0; p->lines[i].contended && j < p->lines[i].cell_count; j++)
			add_cell(c, &p->lines[i], &p->lines[i].cells[j]);
}

/* ---- Elements of arrays */

/* "[17].lock" is "[*].lock": of a big array the elements are many and their fields few. */
static const char *element_name(struct intern *pool, const char *name)
{
	const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close || strspn(open + 1, "0123456789") != (size_t)(close - open - 1))
		return name;
	return intern_printf(pool, "%.*s[*]%s", (int)(open - name), name, close + 1);
}

static void merge_row(struct diff_row *to, struct diff_row *from, uint32_t runs)
{
	for (int s = 0; s < DIFF_SIDES; s++)
		counts_add(&to->counts[s], &from->counts[s]);
	if (!to->hits)
		to->hits = mem_zalloc(runs * sizeof(*to->hits));
	for (uint32_t i = 0; i < runs; i++)
		to->hits[i] += from->hits[i];
	free(from->hits);
}

static void merge_elements(struct intern *pool, struct diff_object *o, uint32_t runs)
{
	struct diff_object merged = { 0 };

	if (o->field_count <= MOST_FIELDS)
		return;
	for (uint32_t i = 0; i < o->field_count; i++) {
		struct diff_field *from = &o->fields[i];
		struct diff_field *to = find_field(&merged, element_name(pool, from->row.name),
						   from->offset);

		merge_row(&to->row, &from->row, runs);
		for (int s = 0; s < DIFF_SIDES; s++)
			if (to->line_offset[s] == DIFF_ABSENT)
				to->line_offset[s] = from->line_offset[s];
	}
	free(o->fields);
	o->fields = merged.fields;
	o->field_count = merged.field_count;
	o->field_room = merged.field_room;
}

/* ---- Order */

static int compare_fields(const void *a, const void *b)
{
	const struct diff_field *x = a, *y = b;

	return CMP(x->offset, y->offset) ?: strcmp(x->row.name, y->row.name);
}

static double row_pain(const struct diff *d, const struct diff_row *row)
{
	return row->rate[d->unit][DIFF_BEFORE] + row->rate[d->unit][DIFF_AFTER];
}

static int compare_objects(const void *a, const void *b, void *d)
{
	const struct diff_object *x = a, *y = b;

	return CMP(row_pain(d, &y->row), row_pain(d, &x->row)) ?: strcmp(x->row.name, y->row.name);
}

/* ---- Whole runs */

static double total_hitm(const struct profile *p, int hold)
{
	return p->model && p->model->complete ? (double)p->model->hitm[hold]
					      : (double)counts_hitm(&p->total);
}

static void describe_run(struct diff_run *r)
{
	const struct profile *p = r->profile;
	uint64_t sampled = counts_hitm(&p->total);
	bool one_kind;

	r->seconds = profile_seconds(r->profile, r->recording);
	r->operations = profile_operations(p, &one_kind);
	r->weight = sampled ? total_hitm(p, 1) / sampled : 1;
}

/* The mean over a side's runs, each by its operations. */
static void count_rates(struct diff *d, enum diff_side side)
{
	struct diff_range *hitm = &d->hitm_per_operation[side],
			  *cycles = &d->cycles_per_operation[side];

	hitm->known = d->operations[side] && !d->peers;
	cycles->known = d->operations[side];
	for (uint32_t i = 0; i < d->run_count && d->operations[side]; i++) {
		const struct profile *p = d->runs[i].profile;

		if (d->runs[i].side != side)
			continue;
		cycles->known &= p->model && p->model->complete;
		for (int hold = 0; hold < NOTE_HOLDS; hold++) {
			hitm->at[hold] += total_hitm(p, hold) / d->operations[side];
			if (p->model)
				cycles->at[hold] += (double)p->model->cycles[hold] /
						    d->operations[side];
		}
	}
}

/* Modelled machines may differ in their clock: time, not cycles. */
static void count_speedup(struct diff *d)
{
	const struct note_model *m[] = { d->first[0]->profile->model, d->first[1]->profile->model };

	d->speedup.known = d->cycles_per_operation[DIFF_BEFORE].known &&
			   d->cycles_per_operation[DIFF_AFTER].known && m[0]->mhz && m[1]->mhz;
	for (int hold = 0; hold < NOTE_HOLDS && d->speedup.known; hold++) {
		double before = d->cycles_per_operation[DIFF_BEFORE].at[hold] / m[0]->mhz;
		double after = d->cycles_per_operation[DIFF_AFTER].at[hold] / m[1]->mhz;

		d->speedup.known = before > 0 && after > 0;
		d->speedup.at[hold] = d->speedup.known ? before / after : 0;
	}
}

/* What every run knows is a unit; the one that means most is taken. */
static void choose_unit(struct diff *d)
{
	bool operations = true, seconds = true;

	for (uint32_t i = 0; i < d->run_count; i++) {
		operations &= d->runs[i].operations > 0;
		seconds &= d->runs[i].seconds > 0;
	}
	for (uint32_t i = 0; i < d->run_count && operations; i++)
		d->operations[d->runs[i].side] += d->runs[i].operations;
	d->unit = operations ? DIFF_PER_OPERATION : seconds ? DIFF_PER_SECOND : DIFF_PER_SAMPLE;
}

static void take_runs(struct diff *d, const struct diff_run *runs, uint32_t count)
{
	uint64_t hitm = 0, peer = 0;

	d->runs = mem_zalloc(count * sizeof(*d->runs));
	d->run_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct diff_run *r = &d->runs[i];

		*r = runs[i];
		describe_run(r);
		if (!d->side_runs[r->side]++)
			d->first[r->side] = r;
		hitm += counts_hitm(&r->profile->total);
		peer += r->profile->total.peer;
	}
	d->peers = !hitm && peer;
	d->by_runs = d->side_runs[0] >= DIFF_RUNS && d->side_runs[1] >= DIFF_RUNS;
	choose_unit(d);
	count_rates(d, DIFF_BEFORE);
	count_rates(d, DIFF_AFTER);
	count_speedup(d);
}

/* ---- Layouts */

static void note_earlier_names(struct collector *c, const struct align *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < a->objects[i].field_count; k++) {
			const struct align_field *f = &a->objects[i].fields[k];
			const struct use_field *before = f->side[ALIGN_BEFORE];
			const struct use_field *after = f->side[ALIGN_AFTER];

			if (before && after && after->name != before->name)
				map_put(&c->earlier,
					name_key(a->objects[i].side[ALIGN_AFTER]->name,
						 after->name),
					(uintptr_t)before->name, NULL);
		}
}

static void collect(struct collector *c)
{
	struct diff *d = c->diff;

	/* Before's names first: a side's order among the arguments tells nothing. */
	for (int side = 0; side < DIFF_SIDES; side++)
		for (c->at = 0; c->at < d->run_count; c->at++) {
			c->run = &d->runs[c->at];
			if (c->run->side == (enum diff_side)side)
				add_run(c);
		}
	for (uint32_t i = 0; i < d->object_count; i++) {
		struct diff_object *o = &d->objects[i];

		merge_elements(c->pool, o, d->run_count);
		qsort(o->fields, o->field_count, sizeof(*o->fields), compare_fields);
	}
}

struct diff *diff_new(struct intern *pool, const struct diff_run *runs, uint32_t count)
{
	struct diff *d = mem_zalloc(sizeof(*d));
	struct collector c = { .diff = d, .pool = pool };
	struct align_input input[ALIGN_SIDES];
	struct use_set use[ALIGN_SIDES];
	struct align align;

	take_runs(d, runs, count);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		object_use_init(&use[s], d->first[s]->profile, d->first[s]->attrib, pool);
		input[s] = (struct align_input){ &use[s], d->first[s]->profile,
						 d->first[s]->seconds };
	}
	align_init(&align, input);
	map_init(&c.by_name);
	map_init(&c.earlier);
	note_earlier_names(&c, &align);
	d->total.name = intern_string(pool, "all samples");
	collect(&c);
	map_deinit(&c.by_name);
	map_deinit(&c.earlier);
	diff_judge_rates(d);
	diff_judge_words(d, &align, pool);
	diff_judge_sides(d, pool);
	if (d->object_count)
		qsort_r(d->objects, d->object_count, sizeof(*d->objects), compare_objects, d);
	align_deinit(&align);
	for (int s = 0; s < ALIGN_SIDES; s++)
		object_use_deinit(&use[s]);
	return d;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->object_count; i++) {
		for (uint32_t k = 0; k < d->objects[i].field_count; k++)
			free(d->objects[i].fields[k].row.hits);
		free(d->objects[i].row.hits);
		free(d->objects[i].fields);
	}
	free(d->total.hits);
	free(d->objects);
	free(d->warnings);
	free(d->runs);
	free(d);
}

/* ---- Names and ranges */

const char *diff_word_name(enum diff_word word)
{
	static const char *const NAMES[] = {
		[DIFF_GONE] = "gone",	[DIFF_NEW] = "new",	[DIFF_MERGED] = "merged",
		[DIFF_SPLIT] = "split", [DIFF_MOVED] = "moved", [DIFF_SAME] = "same"
	};

	return NAMES[word];
}

const char *diff_unit_name(enum diff_unit unit)
{
	static const char *const NAMES[] = { [DIFF_PER_OPERATION] = "operation",
					     [DIFF_PER_SECOND] = "second",
					     [DIFF_PER_SAMPLE] = "sample" };

	return NAMES[unit];
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
