// SPDX-License-Identifier: GPL-2.0-only
#include "profile.h"
#include "ahead.h"
#include "cell_store.h"
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
	struct cell_chain cells;
	bool shared; /* touched by a second actor */
	bool moved;  /* HITM or peer */
};

/* A line's place in memory that several processes, or the kernel, reach at addresses of their own.
 */
struct common {
	const void *memory;
	uint64_t place;
};

/* A sample on its way into the profile. What was mapped where is settled. */
struct pending {
	struct sample sample;
	struct data_source source;
	const struct mapping *data, *code;
	struct line_key key;
	uint32_t hash;	     /* of the key */
	uint32_t line, cell; /* guesses, for prefetching */
};

/* A recording has few different data source words. */
struct decoded {
	uint64_t word;
	struct data_source source;
};

#define DECODED		 64 /* a power of two */
#define PENDING		 32
#define PREFETCHED_CELLS 4
#define MANY_LINES	 4096 /* from which they do not stay in the cache */

struct profile_builder {
	struct attrib *attrib;
	struct profile *profile;
	double least; /* share of everything below which lines are only counted */
	struct cell_store *cells;
	struct table line_table;
	struct line_entry *lines;
	struct decoded decoded[DECODED]; /* by hash of the word; map_hash(0) is 0 */
	struct pending pending[PENDING];
	uint32_t pending_count;
	struct common *commons;
	uint32_t line_count, line_room, common_count, common_room;
	uint32_t unmapped; /* lines without a mapping */
	uint32_t kept_room, operation_room, thread_room, exact_room, remark_room;
};

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

struct profile_builder *profile_builder_new(struct attrib *attrib, uint32_t line_size)
{
	struct profile_builder *b = mem_zalloc(sizeof(*b));

	b->attrib = attrib;
	b->profile = mem_zalloc(sizeof(*b->profile));
	b->profile->line_size = line_size;
	b->cells = cell_store_new();
	b->decoded[0].source = data_source_decode(0);
	table_init(&b->line_table);
	return b;
}

static void builder_free(struct profile_builder *b)
{
	table_deinit(&b->line_table);
	cell_store_free(b->cells);
	free(b->lines);
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

static uint32_t line_lookup(const struct profile_builder *b, const struct line_key *k,
			    uint32_t hash)
{
	uint32_t i;

	for (uint32_t at = hash; (i = table_next(&b->line_table, hash, &at)) != TABLE_NONE;)
		if (line_is(b, &b->lines[i], k))
			return i;
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
	index = line_lookup(b, &before, line_key_hash(&before));
	if (index == NOTHING || b->lines[index].data)
		return NOTHING;
	b->lines[index].data = data;
	line_set_common(b, index, k);
	b->unmapped--;
	table_put(&b->line_table, line_key_hash(k), index);
	return index;
}

static uint32_t line_make(struct profile_builder *b, const struct line_key *k, uint64_t addr,
			  uint32_t pid, const struct mapping *data)
{
	uint32_t index = b->line_count++;

	if (index == b->line_room) {
		mem_grow(&b->lines, &b->line_room, index);
	}
	b->lines[index] =
		(struct line_entry){ .addr = addr, .pid = pid, .data = data, .actor = NOBODY };
	line_set_common(b, index, k);
	b->unmapped += !k->memory;
	table_put(&b->line_table, line_key_hash(k), index);
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

static uint32_t line_find(struct profile_builder *b, const struct pending *n)
{
	const struct sample *s = &n->sample;
	uint32_t pid = line_is_kernel(s->addr) ? 0 : s->pid;
	uint64_t addr = line_start(s->addr, b->profile->line_size);
	uint32_t index = line_lookup(b, &n->key, n->hash);

	if (index == NOTHING)
		index = line_adopt(b, &n->key, addr, pid, n->data);
	if (index == NOTHING)
		index = line_make(b, &n->key, addr, pid, n->data);
	if (n->key.common)
		line_rename(&b->lines[index], addr, pid, n->data);
	return index;
}

void counts_sample(struct counts *c, const struct sample *s, const struct data_source *d)
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

static void add_pending(struct profile_builder *b, const struct pending *n)
{
	struct profile *p = b->profile;
	const struct sample *s = &n->sample;
	uint32_t line = line_find(b, n);

	counts_sample(&p->total, s, &n->source);
	p->without_mapping += !n->data;
	p->stores_cost |= n->source.kind == MEMORY_STORE && s->weight;
	note_actor(&b->lines[line], s);
	b->lines[line].moved |= n->source.hitm || n->source.peer;
	cell_count(b->cells, &b->lines[line].cells, line, line_offset(s->addr, p->line_size),
		   n->code, s, &n->source);
}

/* With many lines nearly every step is a wait for memory. The steps of all pending samples are
 * taken side by side, so that they wait together: slot, line, the first cells. */
static void prefetch_pending(struct profile_builder *b)
{
	struct pending *end = b->pending + b->pending_count;

	for (struct pending *n = b->pending; n < end; n++) {
		uint32_t at = n->hash;

		n->line = table_next(&b->line_table, n->hash, &at);
		n->cell = CELL_NONE;
		if (n->line != TABLE_NONE)
			__builtin_prefetch(&b->lines[n->line], 1);
	}
	for (int step = 0; step < PREFETCHED_CELLS; step++)
		for (struct pending *n = b->pending; n < end; n++)
			if (n->line != TABLE_NONE)
				cell_prefetch(b->cells, &b->lines[n->line].cells, &n->cell);
}

static void flush_pending(struct profile_builder *b)
{
	if (b->line_count >= MANY_LINES)
		prefetch_pending(b);
	for (uint32_t i = 0; i < b->pending_count; i++)
		add_pending(b, &b->pending[i]);
	b->pending_count = 0;
}

static void add_usable(struct profile_builder *b, const struct sample *s,
		       const struct data_source *d)
{
	struct pending *n = &b->pending[b->pending_count++];
	uint8_t mode = line_is_kernel(s->addr) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	n->sample = *s;
	n->source = *d;
	n->data = attrib_mapping(b->attrib, s->pid, mode, s->addr);
	n->code = attrib_mapping(b->attrib, s->pid, s->cpumode, s->ip);
	n->key = line_key_of(s, n->data, b->profile->line_size);
	n->hash = line_key_hash(&n->key);
	table_prefetch(&b->line_table, n->hash);
	if (b->pending_count == PENDING)
		flush_pending(b);
}

static const struct data_source *decode_source(struct profile_builder *b, uint64_t word)
{
	struct decoded *d = &b->decoded[map_hash(word) & (DECODED - 1)];

	if (d->word != word)
		*d = (struct decoded){ word, data_source_decode(word) };
	return &d->source;
}

static void add_sample(struct profile_builder *b, const struct sample *s)
{
	struct data_source d = *decode_source(b, s->data_src);

	if (d.kind == MEMORY_NONE)
		b->profile->unusable_no_source++;
	else if (!s->addr)
		b->profile->unusable_no_address++;
	else
		add_usable(b, s, &d);
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

static void keep_line(struct profile_builder *b, const struct line_entry *e,
		      const struct contended_line *judged)
{
	struct profile *p = b->profile;
	struct contended_line *l;

	mem_grow(&p->lines, &b->kept_room, p->line_count);
	l = &p->lines[p->line_count++];
	*l = *judged;
	l->counts = (struct counts){ 0 };
	l->cell_count = e->cells.count;
	l->cells = mem_zalloc(l->cell_count * sizeof(*l->cells));
	cell_unpack(b->cells, &e->cells, l->cells);
	qsort(l->cells, l->cell_count, sizeof(*l->cells), cell_compare);
	sum_cells(l, p);
}

static bool is_least(double share, uint64_t part, uint64_t whole)
{
	return !part || (double)part < share * (double)whole;
}

/* A line that nobody will ask for: it has too little of everything. */
static bool is_small(const struct profile_builder *b, const struct counts *c)
{
	const struct counts *total = &b->profile->total;

	return b->least > 0 && is_least(b->least, c->latency_sum, total->latency_sum) &&
	       is_least(b->least, c->samples, total->samples) &&
	       is_least(b->least, counts_hitm(c), counts_hitm(total));
}

static void count_small(struct profile *p, const struct contended_line *l)
{
	struct small_lines *to = l->contended ? &p->small_contended : &p->small_quiet;

	to->lines++;
	to->hitm += counts_hitm(&l->counts);
	to->latency += l->counts.latency_sum;
}

static void seal_line(struct profile_builder *b, const struct line_entry *e)
{
	struct cell_sum sum = cell_add_up(b->cells, &e->cells);
	struct contended_line l = {
		.addr = e->addr,
		.pid = e->pid,
		.data = e->data,
		.counts = sum.counts,
		.writers = sum.writers,
		.readers = sum.actors - sum.writers,
	};

	judge_line(&l, b->profile->model);
	b->profile->contended_count += l.contended;
	if (is_small(b, &l.counts))
		count_small(b->profile, &l);
	else
		keep_line(b, e, &l);
}

static void seal_lines(struct profile_builder *b)
{
	for (uint32_t i = 0; i < b->line_count; i++) {
		if (b->lines[i].shared || b->lines[i].moved)
			seal_line(b, &b->lines[i]);
		else
			b->profile->private_lines++;
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

	flush_pending(b);
	cell_actors(b->cells, &p->cpus, &p->threads);
	seal_lines(b);
	if (p->line_count)
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

struct err *profile_read(struct source *s, struct attrib *attrib, double least,
			 struct profile **profile)
{
	struct profile_builder *b = profile_builder_new(attrib, PROFILE_LINE_SIZE);
	struct ahead *a = ahead_open(s);
	const struct event *ev;
	uint32_t count;

	b->least = least;
	while ((ev = ahead_next(a, &count))) {
		for (uint32_t i = 0; i < count; i++) {
			attrib_event(attrib, &ev[i]);
			profile_add(b, &ev[i]);
		}
	}
	*profile = profile_seal(b);
	return ahead_close(a);
}
