// SPDX-License-Identifier: GPL-2.0-only
#include "report_view.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define TOP_LINES 10
#define SMALLEST  REPORT_SMALLEST
#define BYSTANDER 0.05 /* of an offset's samples: less is other use of the same memory */
#define MAJOR	  0.05 /* ... and that it must have to be shown in detail */

/* How much of a line is shown. */
struct detail {
	uint32_t cells; /* offsets */
	uint32_t codes; /* places in the code, an offset */
};

static const struct detail MAJOR_LINE = { 8, 3 }, MINOR_LINE = { 3, 1 };

/* Ways to be called, a place in the code. */
#define STACKS	   3
#define ALL_STACKS 100

/* ---- Names */

static bool has_text(const char *s)
{
	return s && *s;
}

static const char *object_name(struct view *v, const struct data_place *p, uint64_t offset)
{
	if (has_text(p->object))
		return offset ? intern_printf(v->pool, "%s+0x%llx", p->object,
					      (unsigned long long)offset)
			      : p->object;
	if (has_text(p->file))
		return intern_printf(v->pool, "%s%s%s", p->file, p->section ? " " : "",
				     p->section ? p->section : "");
	return NULL;
}

/* "ring" of "struct ring", "Stats" of "app::Stats". */
static const char *short_type(const char *type)
{
	const char *scope = strchr(type, '<') ? NULL : strrchr(type, ':');

	return scope && scope[1] ? scope + 1 : strncmp(type, "struct ", 7) ? type : type + 7;
}

/* "ring.tail": memory without a name of its own is known by its type. */
static const char *pointed_name(struct view *v, const struct data_place *p)
{
	const char *type = short_type(p->type);
	const char *doubt = p->confidence == CONFIDENCE_UNSURE ? "?" : "";

	if (p->field[0] == '*' || p->field[0] == '[' || strchr(type, ' '))
		return intern_printf(v->pool, "%s%s", p->field, doubt);
	return intern_printf(v->pool, "%s.%s%s", type, p->field, doubt);
}

/* "count" in the object the line is named after, "other.count" or "other[3]" in another. */
static const char *cell_name(struct view *v, const struct data_place *p, const char *line_object)
{
	if (!has_text(p->field)) /* the line's own object and the offset say it already */
		return p->object == line_object && p->object_offset
			       ? NULL
			       : object_name(v, p, p->object_offset);
	if (p->routes & ROUTE_ALLOCATION && p->object != line_object)
		return intern_printf(v->pool, "%s of %s", pointed_name(v, p), p->object);
	if (p->routes & ROUTE_INSTRUCTION)
		return pointed_name(v, p);
	if (p->object == line_object || !has_text(p->object))
		return p->field;
	return intern_printf(v->pool, p->field[0] == '[' ? "%s%s" : "%s.%s", p->object, p->field);
}

static const char *code_name(struct view *v, const struct code_place *p)
{
	if (has_text(p->function) && has_text(p->inlined_in))
		return intern_printf(v->pool, "%s (inlined in %s)", p->function, p->inlined_in);
	if (has_text(p->function) || !has_text(p->file))
		return p->function;
	return intern_printf(v->pool, "%s+0x%llx", p->file, (unsigned long long)p->function_offset);
}

/* How many objects there are in the line besides the one it is named after. */
static uint32_t count_others(const struct view_line *l)
{
	const char *last = l->place.object;
	uint32_t others = 0;

	for (uint32_t i = 0; i < l->cell_count; i++) {
		const char *object = l->cells[i].place.object;

		if (object && object != last && object != l->place.object)
			others++;
		last = object;
	}
	return others;
}

/* "root_user+0x40 (struct user_struct)", "counter_a and 1 more (.bss)", "0x7f32000" when unknown.
 */
static const char *line_name(struct view *v, const struct view_line *l)
{
	const char *name = object_name(v, &l->place, l->object_offset);
	const char *what = has_text(l->place.type) ? l->place.type : l->place.section;
	uint32_t others = count_others(l);

	if (name && others)
		name = intern_printf(v->pool, "%s and %u more", name, others);
	if (name && has_text(what) && has_text(l->place.object))
		name = intern_printf(v->pool, "%s (%s)", name, what);
	return name ? name : intern_printf(v->pool, "0x%llx", (unsigned long long)l->line->addr);
}

/* ---- Rows */

static int by_cost(const struct counts *a, const struct counts *b)
{
	int order = CMP(b->latency_sum, a->latency_sum);

	if (!order)
		order = CMP(counts_hitm(b), counts_hitm(a));
	return order ? order : CMP(b->samples, a->samples);
}

static int cell_by_cost(const void *a, const void *b)
{
	const struct view_cell *x = a, *y = b;
	int order = by_cost(&x->counts, &y->counts);

	return order ? order : CMP(x->offset, y->offset);
}

static int cell_by_offset(const void *a, const void *b)
{
	const struct view_cell *x = a, *y = b;

	return CMP(x->offset, y->offset);
}

static int code_by_cost(const void *a, const void *b)
{
	const struct view_code *x = a, *y = b;
	int order = by_cost(&x->counts, &y->counts);

	return order ? order : CMP(x->ip, y->ip);
}

/* Names are interned: equal ones are one pointer. Where none is known each address is for itself.
 */
static int code_by_place(const void *a, const void *b)
{
	const struct view_code *x = a, *y = b;
	int order = CMP(x->name, y->name);

	if (!order)
		order = CMP(x->place.source, y->place.source);
	if (!order)
		order = CMP(x->place.line, y->place.line);
	if (!order && !x->name)
		order = CMP(x->ip, y->ip);
	return order;
}

static void code_deinit(struct view_code *c)
{
	idset_deinit(&c->cpus);
	idset_deinit(&c->threads);
	view_stacks_deinit(&c->callers);
}

static void code_merge(struct view_code *to, struct view_code *from)
{
	if (by_cost(&from->counts, &to->counts) < 0)
		to->ip = from->ip;
	counts_add(&to->counts, &from->counts);
	idset_merge(&to->cpus, &from->cpus);
	idset_merge(&to->threads, &from->threads);
	view_stacks_merge(&to->callers, &from->callers);
	to->addresses++;
	code_deinit(from);
}

static void merge_codes(struct view_cell *c)
{
	uint32_t kept = 0;

	qsort(c->codes, c->code_count, sizeof(*c->codes), code_by_place);
	for (uint32_t i = 0; i < c->code_count; i++) {
		if (kept && code_by_place(&c->codes[kept - 1], &c->codes[i]) == 0)
			code_merge(&c->codes[kept - 1], &c->codes[i]);
		else
			c->codes[kept++] = c->codes[i];
	}
	c->code_count = kept;
	qsort(c->codes, c->code_count, sizeof(*c->codes), code_by_cost);
}

static void add_code(struct view_cell *c, const struct cell *from)
{
	struct view_code *code = &c->codes[c->code_count++];

	counts_add(&c->counts, &from->counts);
	idset_merge(&c->cpus, &from->cpus);
	idset_merge(&c->threads, &from->threads);
	*code = (struct view_code){
		.ip = from->ip,
		.addresses = 1,
		.counts = from->counts,
		.mapping = from->code,
		.cell = from,
	};
	idset_merge(&code->cpus, &from->cpus);
	idset_merge(&code->threads, &from->threads);
}

/* The profile has a line's cells in order of offset. */
static void split_cells(struct view_line *l, const struct contended_line *from)
{
	uint32_t room = 0, end;

	for (uint32_t i = 0; i < from->cell_count; i = end) {
		for (end = i; end < from->cell_count; end++)
			if (from->cells[end].offset != from->cells[i].offset)
				break;
		mem_grow(&l->cells, &room, l->cell_count);
		struct view_cell *c = &l->cells[l->cell_count++];

		*c = (struct view_cell){ .offset = from->cells[i].offset };
		c->codes = mem_zalloc((end - i) * sizeof(*c->codes));
		for (uint32_t k = i; k < end; k++)
			add_code(c, &from->cells[k]);
	}
}

static void cell_deinit(struct view_cell *c)
{
	for (uint32_t i = 0; i < c->code_count; i++)
		code_deinit(&c->codes[i]);
	free(c->codes);
	idset_deinit(&c->cpus);
	idset_deinit(&c->threads);
}

static bool below(double share, uint64_t part, uint64_t whole)
{
	return !part || (double)part < share * (double)whole;
}

/* Nothing that a reader of the whole would miss. */
static bool is_speck(const struct counts *c, const struct counts *whole)
{
	return below(SMALLEST, c->latency_sum, whole->latency_sum) &&
	       below(SMALLEST, c->samples, whole->samples) &&
	       below(SMALLEST, counts_hitm(c), counts_hitm(whole)) &&
	       below(SMALLEST, c->stores, whole->stores);
}

/* Cells are in order of cost. */
static void cut_cells(struct view *v, struct view_line *l, uint32_t most)
{
	while (l->cell_count > 1) {
		struct view_cell *c = &l->cells[l->cell_count - 1];

		if (l->cell_count <= most && !is_speck(&c->counts, &l->line->counts))
			return;
		l->cell_count--;
		l->cells_hidden++;
		v->hidden.cells++;
		v->hidden.cells_hitm += counts_hitm(&c->counts);
		cell_deinit(c);
	}
}

static void cut_codes(struct view *v, const struct view_line *l, struct view_cell *c, uint32_t most)
{
	while (c->code_count > 1) {
		struct view_code *code = &c->codes[c->code_count - 1];

		if (c->code_count <= most && !is_speck(&code->counts, &l->line->counts))
			return;
		c->code_count--;
		c->codes_hidden++;
		v->hidden.codes++;
		code_deinit(code);
	}
}

static void count_data(struct view_names *n, const struct view_cell *c)
{
	const struct data_place *p = &c->place;

	n->asked += c->counts.samples;
	if (!p->object && !p->file)
		n->data_no_map += c->counts.samples;
	else if (!p->routes)
		n->data_no_symbol += c->counts.samples;
	else if (!p->type)
		n->data_no_type += c->counts.samples;
}

static void count_code(struct view_names *n, const struct view_code *c)
{
	const struct code_place *p = &c->place;

	if (!p->function && !p->file)
		n->code_no_map += c->counts.samples;
	else if (!p->function)
		n->code_no_symbol += c->counts.samples;
	else if (!p->source)
		n->code_no_line += c->counts.samples;
}

static void name_cell(struct view *v, struct attrib *attrib, const struct contended_line *from,
		      struct view_cell *c)
{
	attrib_data(attrib, from->data, from->pid, from->addr + c->offset, &c->place);
	for (uint32_t i = 0; i < c->code_count; i++) {
		struct view_code *code = &c->codes[i];

		if (!below(BYSTANDER, code->counts.samples, c->counts.samples))
			attrib_data_by_code(attrib, code->mapping, code->ip, from->addr + c->offset,
					    &c->place);
		attrib_code(attrib, code->mapping, code->ip, &code->place);
		code->name = code_name(v, &code->place);
		view_stacks_add(&code->callers, attrib, v->pool, code->cell);
		count_code(&v->names, code);
	}
	count_data(&v->names, c);
}

/* The object of the most costly cell is the line's; it may begin within the line. */
static void place_line(struct view_line *l)
{
	const struct view_cell *first = &l->cells[0];

	l->place = first->place;
	if (l->place.object && l->place.object_offset > first->offset)
		l->object_offset = l->place.object_offset - first->offset;
}

/* A line with a small part of the cost may have most of the HITM. Stores and peers have neither. */
static bool is_below(double share, const struct contended_line *l, const struct counts *total)
{
	if (l->evidence != EVIDENCE_HITM && !below(share, l->counts.samples, total->samples))
		return false;
	return below(share, l->counts.latency_sum, total->latency_sum) &&
	       below(share, counts_hitm(&l->counts), counts_hitm(total));
}

/* Names of thread-local data need all threads' blocks. */
static void learn(struct attrib *attrib, const struct contended_line *l)
{
	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct cell *c = &l->cells[i];
		uint32_t tid = c->threads.count == 1 ? *idset_ids(&c->threads) : UINT32_MAX;

		attrib_learn(attrib, l->data, c->code, c->ip, l->pid, tid, l->addr + c->offset);
	}
}

/* Cells of the profile are in order of offset, as spots are. */
static void give_spots(struct view_line *l)
{
	const struct sharing *s = &l->sharing;

	for (uint32_t i = 0, at = 0; i < l->cell_count; i++) {
		while (at < s->line->cell_count && s->line->cells[at].offset < l->cells[i].offset)
			at++;
		l->cells[i].spot = &s->spots[s->spot_of[at]];
	}
}

static void sort_callers(struct view_cell *c, bool all)
{
	for (uint32_t i = 0; i < c->code_count; i++)
		view_stacks_sort(&c->codes[i].callers, all ? ALL_STACKS : STACKS);
}

static void add_line(struct view *v, struct attrib *attrib, const struct contended_line *from,
		     bool all)
{
	const struct detail *detail = is_below(MAJOR, from, &v->profile->total) ? &MINOR_LINE
										: &MAJOR_LINE;
	struct view_line *l = &v->lines[v->line_count++];

	*l = (struct view_line){ .rank = v->line_count, .line = from };
	split_cells(l, from);
	qsort(l->cells, l->cell_count, sizeof(*l->cells), cell_by_cost);
	if (!all)
		cut_cells(v, l, detail->cells);
	for (uint32_t i = 0; i < l->cell_count; i++) {
		name_cell(v, attrib, from, &l->cells[i]);
		merge_codes(&l->cells[i]);
		sort_callers(&l->cells[i], all);
		if (!all)
			cut_codes(v, l, &l->cells[i], detail->codes);
	}
	place_line(l);
	qsort(l->cells, l->cell_count, sizeof(*l->cells), cell_by_offset);
	for (uint32_t i = 0; i < l->cell_count; i++)
		l->cells[i].name = cell_name(v, &l->cells[i].place, l->place.object);
	l->name = line_name(v, l);
	sharing_init(&l->sharing, v->profile, from, attrib, v->pool);
	give_spots(l);
	for (int w = 0; w < LINE_WORDS; w++)
		v->hottest = from->word_heat[w] > v->hottest ? from->word_heat[w] : v->hottest;
}

static void hide_line(struct view *v, const struct contended_line *l)
{
	if (l->contended) {
		v->hidden.lines++;
		v->hidden.hitm += counts_hitm(&l->counts);
	} else {
		v->hidden.quiet_lines++;
		v->hidden.quiet_hitm += counts_hitm(&l->counts);
	}
}

static bool is_shown(const struct view *v, const struct contended_line *l, bool all)
{
	return all || (l->contended && !is_below(SMALLEST, l, &v->profile->total));
}

static void choose_lines(struct view *v, struct attrib *attrib, const struct report_options *o)
{
	const struct profile *p = v->profile;
	uint32_t top = o->top ? o->top : o->all ? UINT32_MAX : TOP_LINES;

	v->contended_latency = p->small_contended.latency;
	v->hidden.lines = p->small_contended.lines;
	v->hidden.hitm = p->small_contended.hitm;
	v->hidden.quiet_lines = p->small_quiet.lines;
	v->hidden.quiet_hitm = p->small_quiet.hitm;
	for (uint32_t i = 0, n = 0; i < p->line_count && n < top; i++)
		if (is_shown(v, &p->lines[i], o->all)) {
			learn(attrib, &p->lines[i]);
			n++;
		}
	v->lines = mem_zalloc((top < p->line_count ? top : p->line_count) * sizeof(*v->lines));
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct contended_line *l = &p->lines[i];

		if (l->contended)
			v->contended_latency += l->counts.latency_sum;
		if (is_shown(v, l, o->all) && v->line_count < top)
			add_line(v, attrib, l, o->all);
		else
			hide_line(v, l);
	}
}

void view_init(struct view *v, const struct recording *recording, const struct profile *profile,
	       struct attrib *attrib, const struct report_options *options)
{
	*v = (struct view){ .recording = recording, .profile = profile, .pool = intern_new() };
	v->samples = profile->total.samples + profile->unusable_no_source +
		     profile->unusable_no_address;
	v->hitm_known = counts_hitm(&profile->total) || !profile->total.peer;
	v->stores_known = profile->total.stores || profile->model;
	v->operations = profile_operations(profile, &v->one_operation);
	choose_lines(v, attrib, options);
	v->changed_files = attrib_changed_files(attrib, &v->first_changed);
	v->bare_files = attrib_bare_files(attrib, &v->first_bare);
}

void view_deinit(struct view *v)
{
	for (uint32_t i = 0; i < v->line_count; i++) {
		for (uint32_t k = 0; k < v->lines[i].cell_count; k++)
			cell_deinit(&v->lines[i].cells[k]);
		free(v->lines[i].cells);
		sharing_deinit(&v->lines[i].sharing);
	}
	free(v->lines);
	intern_free(v->pool);
	*v = (struct view){ 0 };
}

double view_loss(const struct view *v)
{
	uint64_t lost = v->recording->lost;

	return lost ? (double)lost / ((double)lost + (double)v->samples) : 0;
}
