// SPDX-License-Identifier: GPL-2.0-only
#include "profile.h"
#include "ahead.h"
#include "cell_store.h"
#include "intake.h"
#include "line_group.h"
#include "mem.h"
#include "touched.h"

#include <stdlib.h>
#include <string.h>

/* What is in the profile as samples and notes come in. */
struct profile_builder {
	struct attrib *attrib;
	struct profile *profile;
	struct profile_wish wish;
	struct cell_store *cells;
	struct callers *callers;
	struct intake *intake;
	uint32_t operation_room, thread_room, exact_room, remark_room;
};

struct profile_builder *profile_builder_new(struct attrib *attrib, uint32_t line_size)
{
	struct profile_builder *b = mem_zalloc(sizeof(*b));

	b->attrib = attrib;
	b->profile = mem_zalloc(sizeof(*b->profile));
	b->profile->line_size = line_size;
	b->cells = cell_store_new();
	b->callers = callers_new(attrib);
	b->intake = intake_new(attrib, b->cells, b->callers);
	return b;
}

static void builder_free(struct profile_builder *b)
{
	intake_free(b->intake);
	cell_store_free(b->cells);
	callers_free(b->callers);
	free(b);
}

void profile_recording(struct profile_builder *b, const struct recording *recording)
{
	callers_of(b->callers, recording);
}

/* ---- Notes */

/* A recording begins with a note that says only what is modelled, in case it ends early; the one at
 * its end replaces it. */
static void add_model(struct profile_builder *b, const struct note_model *n)
{
	struct profile *p = b->profile;

	if (!p->model)
		p->model = mem_zalloc(sizeof(*p->model));
	*p->model = *n;
}

static void add_thread(struct profile_builder *b, const struct note_thread *n)
{
	struct profile *p = b->profile;

	mem_grow(&p->model_threads, &b->thread_room, p->model_thread_count);
	p->model_threads[p->model_thread_count++] = *n;
}

static void add_exact(struct profile_builder *b, const struct note_line *n)
{
	struct profile *p = b->profile;

	mem_grow(&p->exact, &b->exact_room, p->exact_count);
	p->exact[p->exact_count++] = *n;
}

static void add_operation(struct profile_builder *b, const struct note_operation *n)
{
	const char *event = n->event ? n->event : "";
	struct profile *p = b->profile;

	for (uint32_t i = 0; i < p->operation_count; i++) {
		struct note_operation *o = &p->operations[i];

		if (!strcmp(o->name, n->name) && !strcmp(o->event, event)) {
			o->count += n->count;
			return;
		}
	}
	mem_grow(&p->operations, &b->operation_room, p->operation_count);
	p->operations[p->operation_count] = *n;
	p->operations[p->operation_count++].event = event;
}

static void add_remark(struct profile_builder *b, const char *text)
{
	struct profile *p = b->profile;

	mem_grow(&p->remarks, &b->remark_room, p->remark_count);
	p->remarks[p->remark_count++] = text;
}

static void add_note(struct profile_builder *b, const struct note *n)
{
	switch (n->kind) {
	case NOTE_MODEL:
		add_model(b, &n->model);
		break;
	case NOTE_THREAD:
		add_thread(b, &n->thread);
		break;
	case NOTE_LINE:
		add_exact(b, &n->line);
		break;
	case NOTE_OPERATION:
		add_operation(b, &n->operation);
		break;
	case NOTE_REMARK:
		add_remark(b, n->remark.text);
		break;
	case NOTE_OBJECT: /* attribution's */
	case NOTE_BLOCK:
	case NOTE_UNKNOWN:
		break;
	}
}

void profile_add(struct profile_builder *b, const struct event *ev)
{
	if (ev->kind == EVENT_NOTE)
		add_note(b, &ev->note);
	else
		intake_maps_changed(b->intake);
}

void profile_add_samples(struct profile_builder *b, const struct sample *samples, uint32_t count)
{
	intake_samples(b->intake, samples, count);
}

/* ---- Sealing */

static int cell_compare(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	int order = CMP(x->offset, y->offset);

	if (!order)
		order = CMP(y->counts.latency_sum, x->counts.latency_sum);
	if (!order)
		order = CMP(counts_hitm(&y->counts), counts_hitm(&x->counts));
	if (!order)
		order = CMP(y->counts.samples, x->counts.samples);
	return order ? order : CMP(x->ip, y->ip);
}

/* Of a modelled line every transfer is known: stores alone show nothing that its HITM do not. */
static void judge_line(struct contended_line *l, bool modelled)
{
	if (counts_hitm(&l->counts))
		l->evidence = EVIDENCE_HITM;
	else if (l->counts.peer)
		l->evidence = EVIDENCE_PEER;
	else if (l->writers > 1 && !modelled)
		l->evidence = EVIDENCE_STORES;
	l->contended = l->evidence && l->writers + l->readers > 1 &&
		       (l->writers || counts_hitm(&l->counts));
}

static void sum_cells(struct contended_line *l, const struct profile *p)
{
	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct cell *c = &l->cells[i];

		counts_add(&l->counts, &c->counts);
		counts_add(&l->halves[line_half(c->offset)], &c->counts);
		l->word_heat[c->offset * LINE_WORDS / p->line_size] +=
			p->total.latency_sum ? c->counts.latency_sum : counts_hitm(&c->counts);
		idset_merge(&l->cpus, &c->cpus);
		idset_merge(&l->threads, &c->threads);
	}
}

/* A line of one thread, which could be half of a pair. */
struct private_line {
	uint64_t addr, samples, stores;
	const struct mapping *data;
	uint32_t pid, actor, offset;
};

/* Lines on their way into the profile; two threads fill one each. */
struct sealing {
	const struct profile_builder *b;
	const struct profile *profile; /* that they go to */
	struct contended_line *lines;
	uint32_t line_count, line_room;
	uint32_t contended, private;
	uint64_t unmapped; /* samples */
	struct small_lines small_contended, small_quiet;
	struct private_line *privates; /* that are sampled often */
	uint32_t private_count, private_room;
	struct place *places; /* of the cells of a line that is kept */
	uint32_t place_room;
};

/* Where in its line a cell is, and where in the code. */
struct place {
	uint32_t offset, site, cell;
};

static int place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = CMP(x->offset, y->offset);

	if (!order)
		order = CMP(x->site, y->site);
	return order ? order : CMP(x->cell, y->cell);
}

static struct place *place_cells(struct sealing *s, const struct line_group *g)
{
	uint32_t line_size = s->profile->line_size;

	while (s->place_room < g->count)
		mem_grow(&s->places, &s->place_room, s->place_room);
	for (uint32_t i = 0; i < g->count; i++) {
		struct cell_key k = cell_key(s->b->cells, g->cells[i]);

		s->places[i] = (struct place){ line_offset(k.addr, line_size), k.site,
					       g->cells[i] };
	}
	qsort(s->places, g->count, sizeof(*s->places), place_compare);
	return s->places;
}

/* One line may have several addresses, and then several packed cells of one place. */
static void unpack_cells(struct sealing *s, const struct line_group *g, struct contended_line *l)
{
	const struct cell_store *cells = s->b->cells;
	const struct place *p = place_cells(s, g), *last = NULL;
	struct cell *c = NULL;

	l->cells = mem_zalloc(g->count * sizeof(*l->cells));
	for (uint32_t i = 0; i < g->count; last = &p[i++]) {
		if (!last || last->offset != p[i].offset || last->site != p[i].site) {
			struct cell_key k = cell_key(cells, p[i].cell);

			c = &l->cells[l->cell_count++];
			c->offset = p[i].offset;
			c->ip = k.ip;
			c->code = k.code;
		}
		cell_unpack(cells, &p[i].cell, 1, c);
		callers_take(s->b->callers, p[i].cell, c);
	}
}

static void keep_line(struct sealing *s, const struct line_group *g,
		      const struct contended_line *judged)
{
	struct contended_line *l;

	mem_grow(&s->lines, &s->line_room, s->line_count);
	l = &s->lines[s->line_count++];
	*l = *judged;
	l->counts = (struct counts){ 0 };
	unpack_cells(s, g, l);
	qsort(l->cells, l->cell_count, sizeof(*l->cells), cell_compare);
	sum_cells(l, s->profile);
}

static bool is_least(double share, uint64_t part, uint64_t whole)
{
	return !part || (double)part < share * (double)whole;
}

/* A line that nobody will ask for: it has too little of everything. */
static bool is_small(const struct sealing *s, const struct counts *c)
{
	const struct counts *total = &s->profile->total;
	double least = s->b->wish.least;

	return least > 0 && is_least(least, c->latency_sum, total->latency_sum) &&
	       is_least(least, c->samples, total->samples) &&
	       is_least(least, counts_hitm(c), counts_hitm(total));
}

static void add_small(struct small_lines *to, const struct small_lines *more)
{
	to->lines += more->lines;
	to->hitm += more->hitm;
	to->latency += more->latency;
}

static void count_small(struct sealing *s, const struct contended_line *l)
{
	add_small(l->contended ? &s->small_contended : &s->small_quiet,
		  &(struct small_lines){ 1, counts_hitm(&l->counts), l->counts.latency_sum });
}

#define PAIR_SAMPLES 16	   /* at least, and ... */
#define PAIR_SHARE   0.001 /* ... of all samples, of each line: bounds how many there are */

static void note_private(struct sealing *s, const struct line_group *g,
			 const struct contended_line *l)
{
	const struct cell_store *cells = s->b->cells;
	struct cell first = { 0 };
	const struct idset *actors;

	if (l->counts.samples < PAIR_SAMPLES ||
	    (double)l->counts.samples < PAIR_SHARE * (double)s->profile->total.samples)
		return;
	cell_unpack(cells, g->cells, 1, &first);
	actors = first.threads.count ? &first.threads : &first.cpus;
	if (actors->count == 1) {
		mem_grow(&s->privates, &s->private_room, s->private_count);
		s->privates[s->private_count++] = (struct private_line){
			.addr = g->addr,
			.samples = l->counts.samples,
			.stores = l->counts.stores,
			.data = g->data,
			.pid = g->pid,
			.actor = idset_ids(actors)[0],
			.offset = line_offset(cell_key(cells, g->cells[0]).addr,
					      s->profile->line_size),
		};
	}
	idset_deinit(&first.cpus);
	idset_deinit(&first.threads);
}

static void seal_line(void *context, const struct line_group *g)
{
	struct sealing *s = context;
	struct cell_sum sum = cell_add_up(s->b->cells, g->cells, g->count);
	struct contended_line l = {
		.addr = g->addr,
		.pid = g->pid,
		.data = g->data,
		.counts = sum.counts,
		.writers = sum.writers,
		.readers = sum.actors - sum.writers,
		.first = g->cells[0],
	};

	s->unmapped += sum.unmapped;
	if (sum.actors < 2 && !counts_hitm(&sum.counts) && !sum.counts.peer) {
		s->private ++;
		note_private(s, g, &l);
		return;
	}
	judge_line(&l, s->profile->model);
	s->contended += l.contended;
	if (is_small(s, &l.counts))
		count_small(s, &l);
	else
		keep_line(s, g, &l);
}

static void add_sealed(struct profile *p, struct sealing *s)
{
	p->lines = mem_realloc(p->lines, p->line_count + s->line_count, sizeof(*p->lines));
	if (s->line_count)
		memcpy(p->lines + p->line_count, s->lines, s->line_count * sizeof(*s->lines));
	p->line_count += s->line_count;
	p->contended_count += s->contended;
	p->private_lines += s->private;
	p->without_mapping += s->unmapped;
	add_small(&p->small_contended, &s->small_contended);
	add_small(&p->small_quiet, &s->small_quiet);
	free(s->lines);
	free(s->places);
}

/* ---- Pairs */

static int private_compare(const void *a, const void *b)
{
	const struct private_line *x = a, *y = b;
	int order = CMP(x->pid, y->pid);

	return order ? order : CMP(x->addr, y->addr);
}

static int pair_compare(const void *a, const void *b)
{
	const struct pair_candidate *x = a, *y = b;
	int order = CMP(y->samples[0] + y->samples[1], x->samples[0] + x->samples[1]);

	if (!order)
		order = CMP(x->pid, y->pid);
	return order ? order : CMP(x->addr, y->addr);
}

static bool is_pair(const struct private_line *l, const struct private_line *next,
		    uint32_t line_size)
{
	return l->pid == next->pid && !(l->addr & line_size) && next->addr == l->addr + line_size &&
	       l->actor != next->actor && (l->stores || next->stores);
}

static void find_pairs(struct profile *p, struct private_line *lines, uint32_t count)
{
	uint32_t room = 0;

	if (count)
		qsort(lines, count, sizeof(*lines), private_compare);
	for (struct private_line *l = lines; l + 1 < lines + count; l++) {
		if (!is_pair(l, l + 1, p->line_size))
			continue;
		mem_grow(&p->pairs, &room, p->pair_count);
		p->pairs[p->pair_count++] = (struct pair_candidate){
			.addr = l->addr,
			.pid = l->pid,
			.data = l->data,
			.samples = { l[0].samples, l[1].samples },
			.stores = { l[0].stores, l[1].stores },
			.actor = { l[0].actor, l[1].actor },
			.offset = { l[0].offset, l[1].offset },
		};
	}
	if (p->pair_count)
		qsort(p->pairs, p->pair_count, sizeof(*p->pairs), pair_compare);
}

static void join_privates(struct profile *p, struct sealing sealing[LINE_GROUP_PARTS])
{
	struct private_line *all = NULL;
	uint32_t count = 0, room = 0;

	for (int i = 0; i < LINE_GROUP_PARTS; i++) {
		for (uint32_t k = 0; k < sealing[i].private_count; k++) {
			mem_grow(&all, &room, count);
			all[count++] = sealing[i].privates[k];
		}
		free(sealing[i].privates);
	}
	find_pairs(p, all, count);
	free(all);
}

static void seal_lines(const struct profile_builder *b, struct profile *p)
{
	struct intake_refused refused = intake_refused(b->intake);
	struct sealing sealing[LINE_GROUP_PARTS] = { 0 };
	void *context[LINE_GROUP_PARTS];

	p->unusable_no_source = refused.no_source;
	p->unusable_no_address = refused.no_address;
	p->stores_cost = intake_stores_cost(b->intake);
	p->total = cell_total(b->cells);
	for (int i = 0; i < LINE_GROUP_PARTS; i++) {
		sealing[i].b = b;
		sealing[i].profile = p;
		context[i] = &sealing[i];
	}
	line_groups(b->cells, b->attrib, p->line_size, seal_line, context);
	for (int i = 0; i < LINE_GROUP_PARTS; i++)
		add_sealed(p, &sealing[i]);
	join_privates(p, sealing);
}

static int line_compare(const void *a, const void *b)
{
	const struct contended_line *x = a, *y = b;
	int order = CMP(y->contended, x->contended);

	if (!order)
		order = CMP(x->evidence == EVIDENCE_STORES, y->evidence == EVIDENCE_STORES);
	if (!order)
		order = CMP(y->counts.latency_sum, x->counts.latency_sum);
	if (!order)
		order = CMP(counts_hitm(&y->counts), counts_hitm(&x->counts));
	if (!order)
		order = CMP(x->addr, y->addr);
	if (!order)
		order = CMP(x->pid, y->pid);
	return order ? order : CMP(x->first, y->first);
}

static int exact_compare(const void *a, const void *b)
{
	const struct note_line *x = a, *y = b;
	int order = CMP(x->pid, y->pid);

	return order ? order : CMP(x->addr, y->addr);
}

/* Sorts, and adds up what was said of one line more than once. */
static void merge_exact(struct profile *p)
{
	uint32_t kept = 0;

	if (p->exact_count)
		qsort(p->exact, p->exact_count, sizeof(*p->exact), exact_compare);
	for (uint32_t i = 0; i < p->exact_count; i++) {
		struct note_line *n = &p->exact[i], *to = kept ? &p->exact[kept - 1] : NULL;

		if (!to || exact_compare(to, n)) {
			p->exact[kept++] = *n;
			continue;
		}
		to->accesses += n->accesses;
		for (int h = 0; h < NOTE_HOLDS; h++) {
			to->hitm[h] += n->hitm[h];
			to->transfers[h] += n->transfers[h];
			to->cycles[h] += n->cycles[h];
		}
	}
	p->exact_count = kept;
}

/* Totals go to one line each. Where an address was mapped twice that is the one that cost more. */
static void attach_exact(struct profile *p)
{
	uint8_t *taken = mem_zalloc(p->exact_count);

	for (uint32_t i = 0; i < p->line_count && p->exact_count; i++) {
		struct contended_line *l = &p->lines[i];
		struct note_line key = { .pid = l->pid, .addr = l->addr };
		struct note_line *n = bsearch(&key, p->exact, p->exact_count, sizeof(key),
					      exact_compare);

		if (n && !taken[n - p->exact]) {
			taken[n - p->exact] = 1;
			l->exact = n;
		}
	}
	free(taken);
}

static void seal(const struct profile_builder *b, struct profile *p)
{
	cell_actors(b->cells, &p->cpus, &p->threads);
	seal_lines(b, p);
	if (b->wish.touched)
		p->touched = touched_collect(b->cells, &p->touched_count);
	if (p->line_count)
		qsort(p->lines, p->line_count, sizeof(*p->lines), line_compare);
	merge_exact(p);
	attach_exact(p);
}

struct profile *profile_seal(struct profile_builder *b)
{
	struct profile *p = b->profile;

	cell_store_close(b->cells);
	seal(b, p);
	builder_free(b);
	return p;
}

/* The notes so far are copied: what comes later may change them. */
struct profile *profile_snapshot(const struct profile_builder *b)
{
	const struct profile *so_far = b->profile;
	struct profile *p = mem_zalloc(sizeof(*p));

	*p = *so_far;
	p->model = mem_copy(p->model, p->model != NULL, sizeof(*p->model));
	p->operations = mem_copy(p->operations, p->operation_count, sizeof(*p->operations));
	p->model_threads = mem_copy(p->model_threads, p->model_thread_count,
				    sizeof(*p->model_threads));
	p->exact = mem_copy(p->exact, p->exact_count, sizeof(*p->exact));
	p->remarks = mem_copy(p->remarks, p->remark_count, sizeof(*p->remarks));
	seal(b, p);
	return p;
}

void profile_least(struct profile_builder *b, double least)
{
	b->wish.least = least;
}

uint32_t profile_cells(const struct profile_builder *b)
{
	return cell_store_count(b->cells);
}

void profile_drop(struct profile_builder *b)
{
	profile_free(b->profile);
	builder_free(b);
}

static void line_deinit(struct contended_line *l)
{
	for (uint32_t i = 0; i < l->cell_count; i++) {
		idset_deinit(&l->cells[i].cpus);
		idset_deinit(&l->cells[i].threads);
		callers_drop(&l->cells[i]);
	}
	free(l->cells);
	idset_deinit(&l->cpus);
	idset_deinit(&l->threads);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->line_count; i++)
		line_deinit(&p->lines[i]);
	free(p->lines);
	free(p->pairs);
	free(p->touched);
	idset_deinit(&p->cpus);
	idset_deinit(&p->threads);
	free(p->model);
	free(p->operations);
	free(p->model_threads);
	free(p->exact);
	free(p->remarks);
	free(p);
}

#define PROFILE_LINE_SIZE 64 /* every machine that these events come from so far */

/* Attribution learns of an event before the samples behind it are added. */
static void add_batch(struct profile_builder *b, const struct ahead_batch *batch)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i <= batch->events; i++) {
		uint32_t end = i < batch->events ? batch->behind[i] : batch->samples;

		intake_samples(b->intake, batch->sample + at, end - at);
		at = end;
		if (i == batch->events)
			break;
		profile_add(b, &batch->event[i]);
		attrib_event(b->attrib, &batch->event[i]);
	}
}

struct err *profile_read(struct source *s, struct attrib *attrib, struct profile_wish wish,
			 struct profile **profile)
{
	struct profile_builder *b = profile_builder_new(attrib, PROFILE_LINE_SIZE);
	const struct ahead_batch *batch;
	struct ahead *a;

	b->wish = wish;
	profile_recording(b, &s->recording);
	s->loose = true;
	a = ahead_open(s);
	while ((batch = ahead_next(a)))
		add_batch(b, batch);
	*profile = profile_seal(b);
	return ahead_close(a);
}

uint64_t profile_operations(const struct profile *p, bool *one_kind)
{
	const char *name[2] = { NULL, NULL };
	uint64_t sum[2] = { 0, 0 };
	bool one[2] = { true, true };

	for (uint32_t i = 0; i < p->operation_count; i++) {
		const struct note_operation *o = &p->operations[i];
		int counted = note_operation_counted(o);

		one[counted] = one[counted] && (!name[counted] || !strcmp(name[counted], o->name));
		name[counted] = o->name;
		sum[counted] += o->count;
	}
	*one_kind = one[!sum[0]];
	return sum[!sum[0]];
}

double profile_seconds(const struct profile *p, const struct recording *r)
{
	const struct note_model *m = p->model;

	if (m)
		return m->complete && m->mhz ? m->cycles[1] / (m->mhz * 1e6) : 0;
	return r->last_time > r->first_time ? (r->last_time - r->first_time) / 1e9 : 0;
}
