// SPDX-License-Identifier: GPL-2.0-only
#include "profile.h"
#include "line_key.h"
#include "map.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY	UINT32_MAX /* not recorded */
#define NOTHING UINT32_MAX /* no index */

/*
 * While samples come in, a line is only what tells it from others; all counts are in its cells,
 * which are chained. Cells of all lines lie in one array and are found through one table, so that
 * neither a private line nor a line that is touched from a thousand places costs more than its
 * cells.
 */
struct line_entry {
	uint64_t addr; /* as its first sample said it, and where that lay */
	const struct mapping *data;
	uint32_t pid;
	uint32_t common; /* of memory that has other addresses too: index + 1 in "commons", or 0 */
	uint32_t actor;	 /* actor: the first thread, or CPU where threads are not recorded */
	uint32_t cells, cell_count; /* cells: the newest, its index */
	bool shared;		    /* touched by a second actor */
	bool moved;		    /* HITM or peer */
};

/* A line's place in memory that several processes, or the kernel, reach at addresses of their own.
 */
struct common {
	const void *memory;
	uint64_t place;
};

struct cell_entry {
	struct cell cell;
	uint32_t line, next; /* next: of the same line, or NOTHING */
};

/* Open addressing, at most half full: index + 1, or 0. */
struct table {
	uint32_t *slot;
	uint32_t slots, used;
	uint32_t count; /* of entries; one may be in two slots */
};

struct profile_builder {
	struct attrib *attrib;
	struct profile *profile;
	struct table line_table, cell_table;
	struct line_entry *lines;
	struct cell_entry *cells;
	struct common *commons;
	uint32_t line_room, cell_room, common_count, common_room;
	uint32_t unmapped; /* lines without a mapping */
	uint32_t operation_room, thread_room, exact_room, remark_room;
};

static void table_init(struct table *t)
{
	*t = (struct table){ .slots = 1024 };
	t->slot = mem_zalloc(t->slots * sizeof(*t->slot));
}

static struct line_key line_entry_key(const struct profile_builder *b, const struct line_entry *e)
{
	if (e->common)
		return (struct line_key){ .memory = b->commons[e->common - 1].memory,
					  .place = b->commons[e->common - 1].place,
					  .common = true };
	return (struct line_key){ .memory = attrib_memory(e->data),
				  .place = e->addr,
				  .pid = e->pid };
}

static uint64_t cell_hash(uint32_t line, uint32_t offset, uint64_t ip)
{
	return map_hash(map_hash(ip) ^ (uint64_t)line << 16 ^ offset);
}

static uint64_t line_entry_hash(const struct profile_builder *b, uint32_t i)
{
	struct line_key k = line_entry_key(b, &b->lines[i]);

	return line_key_hash(&k);
}

static uint64_t cell_entry_hash(const struct profile_builder *b, uint32_t i)
{
	const struct cell_entry *e = &b->cells[i];

	return cell_hash(e->line, e->cell.offset, e->cell.ip);
}

static void table_place(struct table *t, uint64_t hash, uint32_t index)
{
	uint32_t at = hash & (t->slots - 1);

	while (t->slot[at])
		at = (at + 1) & (t->slots - 1);
	t->slot[at] = index + 1;
	t->used++;
}

/* Makes room for one more slot. Entries are numbered without gaps: a new table takes all of them.
 */
static void table_reserve(struct table *t, const struct profile_builder *b,
			  uint64_t (*hash)(const struct profile_builder *, uint32_t))
{
	if (2 * (t->used + 1) <= t->slots)
		return;
	free(t->slot);
	t->slots *= 2;
	t->slot = mem_zalloc(t->slots * sizeof(*t->slot));
	t->used = 0;
	for (uint32_t i = 0; i < t->count; i++)
		table_place(t, hash(b, i), i);
}

struct profile_builder *profile_builder_new(struct attrib *attrib, uint32_t line_size)
{
	struct profile_builder *b = mem_zalloc(sizeof(*b));

	b->attrib = attrib;
	b->profile = mem_zalloc(sizeof(*b->profile));
	b->profile->line_size = line_size;
	table_init(&b->line_table);
	table_init(&b->cell_table);
	return b;
}

static void builder_free(struct profile_builder *b)
{
	free(b->line_table.slot);
	free(b->cell_table.slot);
	free(b->lines);
	free(b->cells);
	free(b->commons);
	free(b);
}

static bool line_is(const struct profile_builder *b, const struct line_entry *e,
		    const struct line_key *k)
{
	struct line_key own = line_entry_key(b, e);

	return own.place == k->place && own.pid == k->pid && own.common == k->common &&
	       (!k->memory || own.memory == k->memory);
}

static uint32_t line_lookup(const struct profile_builder *b, const struct line_key *k)
{
	const struct table *t = &b->line_table;
	uint32_t at = line_key_hash(k) & (t->slots - 1);

	for (; t->slot[at]; at = (at + 1) & (t->slots - 1))
		if (line_is(b, &b->lines[t->slot[at] - 1], k))
			return t->slot[at] - 1;
	return NOTHING;
}

static void line_set_common(struct profile_builder *b, uint32_t index, const struct line_key *k)
{
	if (!k->common)
		return;
	mem_grow(&b->commons, &b->common_room, b->common_count);
	b->commons[b->common_count++] = (struct common){ k->memory, k->place };
	b->lines[index].common = b->common_count;
}

/* A line that was touched before its mapping was known is the same line: it gets a second slot. */
static uint32_t line_adopt(struct profile_builder *b, const struct line_key *k, uint64_t addr,
			   uint32_t pid, const struct mapping *data)
{
	struct line_key before = { .place = addr, .pid = pid };
	uint32_t index;

	if (!b->unmapped || !data || line_key_is_physical(k))
		return NOTHING;
	index = line_lookup(b, &before);
	if (index == NOTHING || b->lines[index].data)
		return NOTHING;
	b->lines[index].data = data;
	line_set_common(b, index, k);
	b->unmapped--;
	table_reserve(&b->line_table, b, line_entry_hash);
	table_place(&b->line_table, line_key_hash(k), index);
	return index;
}

static uint32_t line_make(struct profile_builder *b, const struct line_key *k, uint64_t addr,
			  uint32_t pid, const struct mapping *data)
{
	struct table *t = &b->line_table;
	uint32_t index = t->count;

	mem_grow(&b->lines, &b->line_room, index);
	b->lines[index] = (struct line_entry){
		.addr = addr, .pid = pid, .data = data, .actor = NOBODY, .cells = NOTHING
	};
	line_set_common(b, index, k);
	b->unmapped += !k->memory;
	table_reserve(t, b, line_entry_hash);
	table_place(t, line_key_hash(k), index);
	t->count++;
	return index;
}

/* One physical line may be known by an address that has no name, before one that has. */
static void line_rename(struct line_entry *e, uint64_t addr, uint32_t pid,
			const struct mapping *data)
{
	if (e->data || !data)
		return;
	e->addr = addr;
	e->pid = pid;
	e->data = data;
}

static uint32_t line_find(struct profile_builder *b, const struct sample *s,
			  const struct mapping *data)
{
	uint32_t size = b->profile->line_size, pid = line_is_kernel(s->addr) ? 0 : s->pid, index;
	uint64_t addr = line_start(s->addr, size);
	struct line_key k = line_key_of(s, data, size);

	index = line_lookup(b, &k);
	if (index == NOTHING)
		index = line_adopt(b, &k, addr, pid, data);
	if (index == NOTHING)
		index = line_make(b, &k, addr, pid, data);
	if (k.common)
		line_rename(&b->lines[index], addr, pid, data);
	return index;
}

static uint32_t cell_make(struct profile_builder *b, uint32_t line, uint32_t offset, uint64_t ip,
			  const struct mapping *code)
{
	struct table *t = &b->cell_table;
	uint32_t index = t->count;

	mem_grow(&b->cells, &b->cell_room, index);
	b->cells[index] = (struct cell_entry){
		.cell = { .offset = offset, .ip = ip, .code = code },
		.line = line,
		.next = b->lines[line].cells,
	};
	b->lines[line].cells = index;
	b->lines[line].cell_count++;
	table_reserve(t, b, cell_entry_hash);
	table_place(t, cell_entry_hash(b, index), index);
	t->count++;
	return index;
}

static uint32_t cell_find(struct profile_builder *b, uint32_t line, uint32_t offset, uint64_t ip,
			  const struct mapping *code)
{
	const struct table *t = &b->cell_table;
	uint32_t at = cell_hash(line, offset, ip) & (t->slots - 1);

	for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
		const struct cell_entry *e = &b->cells[t->slot[at] - 1];

		if (e->line == line && e->cell.offset == offset && e->cell.ip == ip &&
		    attrib_memory(e->cell.code) == attrib_memory(code))
			return t->slot[at] - 1;
	}
	return cell_make(b, line, offset, ip, code);
}

static void counts_sample(struct counts *c, const struct sample *s, const struct data_source *d)
{
	c->samples++;
	c->loads += d->kind == MEMORY_LOAD;
	c->stores += d->kind == MEMORY_STORE;
	c->hitm[d->distance] += d->hitm;
	c->store_misses += d->kind == MEMORY_STORE && d->miss;
	c->peer += d->peer;
	c->locked += d->locked;
	c->latency_sum += s->weight;
	c->latency_samples += s->weight != 0;
	c->accesses += s->period;
}

void counts_add(struct counts *c, const struct counts *more)
{
	c->samples += more->samples;
	c->loads += more->loads;
	c->stores += more->stores;
	for (int d = 0; d < MEMORY_DISTANCES; d++)
		c->hitm[d] += more->hitm[d];
	c->store_misses += more->store_misses;
	c->peer += more->peer;
	c->locked += more->locked;
	c->latency_sum += more->latency_sum;
	c->latency_samples += more->latency_samples;
	c->accesses += more->accesses;
}

static void note_actor(struct line_entry *line, const struct sample *s)
{
	uint32_t actor = s->tid != NOBODY ? s->tid : s->cpu;

	if (line->actor == NOBODY)
		line->actor = actor;
	else if (actor != NOBODY && line->actor != actor)
		line->shared = true;
}

static void idset_note(struct idset *s, uint32_t id)
{
	if (id != UINT32_MAX)
		idset_add(s, id);
}

static void add_usable(struct profile_builder *b, const struct sample *s,
		       const struct data_source *d)
{
	struct profile *p = b->profile;
	const struct mapping *data = attrib_mapping(
		b->attrib, s->pid,
		line_is_kernel(s->addr) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, s->addr);
	const struct mapping *code = attrib_mapping(b->attrib, s->pid, s->cpumode, s->ip);
	uint32_t line = line_find(b, s, data);
	uint32_t index = cell_find(b, line, line_offset(s->addr, p->line_size), s->ip, code);
	struct cell *cell = &b->cells[index].cell;

	counts_sample(&p->total, s, d);
	p->without_mapping += !data;
	p->stores_cost |= d->kind == MEMORY_STORE && s->weight;
	idset_note(&p->cpus, s->cpu);
	idset_note(&p->threads, s->tid);
	note_actor(&b->lines[line], s);
	b->lines[line].moved |= d->hitm || d->peer;
	counts_sample(&cell->counts, s, d);
	idset_note(&cell->cpus, s->cpu);
	idset_note(&cell->threads, s->tid);
}

static void add_sample(struct profile_builder *b, const struct sample *s)
{
	struct data_source d = data_source_decode(s->data_src);

	if (d.kind == MEMORY_NONE)
		b->profile->unusable_no_source++;
	else if (!s->addr)
		b->profile->unusable_no_address++;
	else
		add_usable(b, s, &d);
}

/* ---- Notes */

/* Each process of a program has a model of its own; they ran side by side. */
static void add_model(struct profile_builder *b, const struct note_model *n)
{
	struct note_model *m = b->profile->model;

	if (!m) {
		m = b->profile->model = mem_zalloc(sizeof(*m));
		*m = *n;
		return;
	}
	for (int h = 0; h < NOTE_HOLDS; h++) {
		m->cycles[h] = n->cycles[h] > m->cycles[h] ? n->cycles[h] : m->cycles[h];
		m->hitm[h] += n->hitm[h];
		m->transfers[h] += n->transfers[h];
	}
	m->threads += n->threads;
	m->instructions += n->instructions;
	m->accesses += n->accesses;
	m->forced += n->forced;
	m->breaks += n->breaks;
	m->abandoned += n->abandoned;
	m->unplaced += n->unplaced;
	m->complete &= n->complete;
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
	struct profile *p = b->profile;

	for (uint32_t i = 0; i < p->operation_count; i++) {
		if (strcmp(p->operations[i].name, n->name) == 0) {
			p->operations[i].count += n->count;
			return;
		}
	}
	mem_grow(&p->operations, &b->operation_room, p->operation_count);
	p->operations[p->operation_count++] = *n;
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
	case NOTE_UNKNOWN:
		break;
	}
}

void profile_add(struct profile_builder *b, const struct event *ev)
{
	if (ev->kind == EVENT_SAMPLE)
		add_sample(b, &ev->sample);
	else if (ev->kind == EVENT_NOTE)
		add_note(b, &ev->note);
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

/*
 * Who writes. An instruction that was seen to store or to lock does so for every thread that runs
 * it, whichever half of it was sampled.
 */
static void count_writers(struct contended_line *l)
{
	struct idset writers = { 0 }, actors = { 0 };

	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct cell *c = &l->cells[i];
		const struct idset *who = c->threads.count ? &c->threads : &c->cpus;

		idset_merge(&actors, who);
		if (c->counts.stores || c->counts.locked)
			idset_merge(&writers, who);
	}
	l->writers = writers.count;
	l->readers = actors.count - writers.count;
	idset_deinit(&writers);
	idset_deinit(&actors);
}

static void judge_line(struct contended_line *l)
{
	if (counts_hitm(&l->counts))
		l->evidence = EVIDENCE_HITM;
	else if (l->counts.peer)
		l->evidence = EVIDENCE_PEER;
	else if (l->writers > 1)
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

/* Takes the cells out of the builder. */
static void seal_line(struct profile_builder *b, const struct line_entry *e)
{
	struct profile *p = b->profile;
	struct contended_line *l = &p->lines[p->line_count++];

	*l = (struct contended_line){ .addr = e->addr, .pid = e->pid, .data = e->data };
	l->cells = mem_zalloc(e->cell_count * sizeof(*l->cells));
	for (uint32_t i = e->cells; i != NOTHING; i = b->cells[i].next)
		l->cells[l->cell_count++] = b->cells[i].cell;
	qsort(l->cells, l->cell_count, sizeof(*l->cells), cell_compare);
	sum_cells(l, p);
	count_writers(l);
	judge_line(l);
	p->contended_count += l->contended;
}

static void drop_line(struct profile_builder *b, const struct line_entry *e)
{
	for (uint32_t i = e->cells; i != NOTHING; i = b->cells[i].next) {
		idset_deinit(&b->cells[i].cell.cpus);
		idset_deinit(&b->cells[i].cell.threads);
	}
	b->profile->private_lines++;
}

static void seal_lines(struct profile_builder *b)
{
	uint32_t count = b->line_table.count, kept = 0;

	for (uint32_t i = 0; i < count; i++)
		kept += b->lines[i].shared || b->lines[i].moved;
	b->profile->lines = mem_zalloc(kept * sizeof(*b->profile->lines));
	for (uint32_t i = 0; i < count; i++) {
		if (b->lines[i].shared || b->lines[i].moved)
			seal_line(b, &b->lines[i]);
		else
			drop_line(b, &b->lines[i]);
	}
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
	return order ? order : CMP(x->pid, y->pid);
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

struct profile *profile_seal(struct profile_builder *b)
{
	struct profile *p = b->profile;

	seal_lines(b);
	qsort(p->lines, p->line_count, sizeof(*p->lines), line_compare);
	merge_exact(p);
	attach_exact(p);
	builder_free(b);
	return p;
}

static void line_deinit(struct contended_line *l)
{
	for (uint32_t i = 0; i < l->cell_count; i++) {
		idset_deinit(&l->cells[i].cpus);
		idset_deinit(&l->cells[i].threads);
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

struct err *profile_read(struct source *s, struct attrib *attrib, struct profile **profile)
{
	struct profile_builder *b = profile_builder_new(attrib, PROFILE_LINE_SIZE);
	struct event ev;
	struct err *e;
	bool end = false;

	while (!(e = source_next(s, &ev, &end)) && !end) {
		attrib_event(attrib, &ev);
		profile_add(b, &ev);
	}
	*profile = profile_seal(b);
	return e;
}
