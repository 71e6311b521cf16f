// SPDX-License-Identifier: GPL-2.0-only
#include "cell_store.h"
#include "map.h"
#include "mem.h"

#include <stdlib.h>

#define NOBODY	   UINT32_MAX /* not recorded */
#define LONG_CHAIN 8	      /* cells from which a line's are found through the table */
#define BITS	   63	      /* actors that have one; bit 63 says that there are others */
#define OTHERS	   (1ULL << BITS)

/* Where in the code; far fewer than cells. */
struct site {
	uint64_t ip;
	const struct mapping *code; /* of the first sample */
};

/* Eight-bit counts, in this order. */
enum {
	LOADS,
	STORES,
	HITM,
	STORE_MISSES = HITM + MEMORY_DISTANCES,
	PEER,
	LOCKED,
	LATENCIES,
	SMALL
};

struct packed {
	uint32_t line, next, site;
	uint32_t more; /* index + 1: the counts are there, not here; 0: none */
	uint64_t cpus, threads;
	uint32_t latency, accesses;
	uint16_t offset;
	uint8_t n[SMALL];
};

struct more {
	struct counts counts;
	struct idset cpus, threads; /* those without a bit */
};

/* The first BITS ids of a kind have a bit each, in the order they came. */
struct actors {
	uint32_t id[BITS];
	uint32_t count;
	struct idset others;
	struct map bit_of_id;
	uint32_t last_id, last_bit;
};

/* Cells are never moved: they lie in blocks, which may have large pages. */
#define BLOCK_CELLS (1U << 18)

struct cell_store {
	struct packed **blocks;
	uint32_t block_count, block_room;
	struct more *more;
	struct site *sites;
	struct table cell_table, site_table;
	uint32_t cell_count, more_count, more_room, site_count, site_room;
	struct actors cpus, threads;
};

/* ---- Actors */

static void actors_init(struct actors *a)
{
	map_init(&a->bit_of_id);
	a->last_id = NOBODY;
}

static void actors_deinit(struct actors *a)
{
	map_deinit(&a->bit_of_id);
	idset_deinit(&a->others);
}

/* BITS: it has none. */
static uint32_t actor_bit(struct actors *a, uint32_t id)
{
	bool fresh;
	uint64_t *bit;

	if (id == a->last_id)
		return a->last_bit;
	bit = map_put(&a->bit_of_id, id, a->count, &fresh);
	if (fresh && a->count < BITS)
		a->id[a->count++] = id;
	else if (fresh)
		idset_add(&a->others, id);
	a->last_id = id;
	return a->last_bit = *bit;
}

static void actors_unpack(const struct actors *a, uint64_t bits, const struct idset *others,
			  struct idset *ids)
{
	for (bits &= ~OTHERS; bits; bits &= bits - 1)
		idset_add(ids, a->id[__builtin_ctzll(bits)]);
	if (others)
		idset_merge(ids, others);
}

void cell_actors(const struct cell_store *s, struct idset *cpus, struct idset *threads)
{
	uint64_t all_cpus = (1ULL << s->cpus.count) - 1,
		 all_threads = (1ULL << s->threads.count) - 1;

	actors_unpack(&s->cpus, all_cpus, &s->cpus.others, cpus);
	actors_unpack(&s->threads, all_threads, &s->threads.others, threads);
}

/* ---- The store */

static struct packed *cell_at(const struct cell_store *s, uint32_t index)
{
	return &s->blocks[index / BLOCK_CELLS][index % BLOCK_CELLS];
}

struct cell_store *cell_store_new(void)
{
	struct cell_store *s = mem_zalloc(sizeof(*s));

	table_init(&s->cell_table);
	table_init(&s->site_table);
	actors_init(&s->cpus);
	actors_init(&s->threads);
	return s;
}

void cell_store_free(struct cell_store *s)
{
	for (uint32_t i = 0; i < s->more_count; i++) {
		idset_deinit(&s->more[i].cpus);
		idset_deinit(&s->more[i].threads);
	}
	actors_deinit(&s->cpus);
	actors_deinit(&s->threads);
	table_deinit(&s->cell_table);
	table_deinit(&s->site_table);
	for (uint32_t i = 0; i < s->block_count; i++)
		mem_free_scattered(s->blocks[i], BLOCK_CELLS * sizeof(**s->blocks));
	free(s->blocks);
	free(s->more);
	free(s->sites);
	free(s);
}

static uint32_t site_find(struct cell_store *s, uint64_t ip, const struct mapping *code)
{
	uint32_t hash = map_hash(map_hash(ip) ^ (uintptr_t)attrib_memory(code)), i;

	for (uint32_t at = hash; (i = table_next(&s->site_table, hash, &at)) != TABLE_NONE;)
		if (s->sites[i].ip == ip && attrib_memory(s->sites[i].code) == attrib_memory(code))
			return i;
	mem_grow(&s->sites, &s->site_room, s->site_count);
	s->sites[s->site_count] = (struct site){ ip, code };
	table_put(&s->site_table, hash, s->site_count);
	return s->site_count++;
}

static uint32_t cell_hash(uint32_t line, uint32_t offset, uint32_t site)
{
	return map_hash(((uint64_t)line << 32 | site) ^ (uint64_t)offset << 20);
}

static void put_cell(struct cell_store *s, uint32_t index)
{
	const struct packed *c = cell_at(s, index);

	table_put(&s->cell_table, cell_hash(c->line, c->offset, c->site), index);
}

static uint32_t cell_make(struct cell_store *s, struct cell_chain *chain, uint32_t line,
			  uint32_t offset, uint32_t site)
{
	uint32_t index = s->cell_count++;

	if (index == s->block_count * BLOCK_CELLS) {
		mem_grow(&s->blocks, &s->block_room, s->block_count);
		s->blocks[s->block_count++] = mem_scattered(BLOCK_CELLS * sizeof(**s->blocks));
	}
	*cell_at(s, index) = (struct packed){
		.line = line,
		.next = chain->count++ ? chain->first : CELL_NONE,
		.site = site,
		.offset = offset,
	};
	chain->first = index;
	if (chain->count > LONG_CHAIN)
		put_cell(s, index);
	else if (chain->count == LONG_CHAIN)
		for (uint32_t i = index; i != CELL_NONE; i = cell_at(s, i)->next)
			put_cell(s, i);
	return index;
}

static bool cell_is(const struct packed *c, uint32_t line, uint32_t offset, uint32_t site)
{
	return c->site == site && c->offset == offset && c->line == line;
}

static struct packed *cell_find(struct cell_store *s, struct cell_chain *chain, uint32_t line,
				uint32_t offset, uint32_t site)
{
	uint32_t hash = cell_hash(line, offset, site), i;

	if (chain->count < LONG_CHAIN) {
		i = chain->count ? chain->first : CELL_NONE;
		for (; i != CELL_NONE; i = cell_at(s, i)->next)
			if (cell_is(cell_at(s, i), line, offset, site))
				return cell_at(s, i);
	} else {
		for (uint32_t at = hash; (i = table_next(&s->cell_table, hash, &at)) != TABLE_NONE;)
			if (cell_is(cell_at(s, i), line, offset, site))
				return cell_at(s, i);
	}
	return cell_at(s, cell_make(s, chain, line, offset, site));
}

/* ---- Counting */

static struct counts packed_counts(const struct cell_store *s, const struct packed *c)
{
	struct counts k = { 0 };

	if (c->more)
		return s->more[c->more - 1].counts;
	k.samples = c->n[LOADS] + c->n[STORES];
	k.loads = c->n[LOADS];
	k.stores = c->n[STORES];
	for (int d = 0; d < MEMORY_DISTANCES; d++)
		k.hitm[d] = c->n[HITM + d];
	k.store_misses = c->n[STORE_MISSES];
	k.peer = c->n[PEER];
	k.locked = c->n[LOCKED];
	k.latency_sum = c->latency;
	k.latency_samples = c->n[LATENCIES];
	k.accesses = c->accesses;
	return k;
}

static struct more *cell_more(struct cell_store *s, struct packed *c)
{
	if (!c->more) {
		struct more m = { .counts = packed_counts(s, c) };

		mem_grow(&s->more, &s->more_room, s->more_count);
		s->more[s->more_count++] = m;
		c->more = s->more_count;
	}
	return &s->more[c->more - 1];
}

/* No count grows faster than samples do. */
static bool fits(const struct packed *c, const struct sample *s)
{
	return !c->more && c->n[LOADS] + c->n[STORES] < UINT8_MAX &&
	       s->weight <= UINT32_MAX - c->latency && s->period <= UINT32_MAX - c->accesses;
}

static void count_packed(struct packed *c, const struct sample *s, const struct data_source *d)
{
	bool store = d->kind == MEMORY_STORE;

	c->n[store ? STORES : LOADS]++;
	c->n[HITM + d->distance] += d->hitm;
	c->n[STORE_MISSES] += store && d->miss;
	c->n[PEER] += d->peer;
	c->n[LOCKED] += d->locked;
	c->n[LATENCIES] += s->weight != 0;
	c->latency += s->weight;
	c->accesses += s->period;
}

static void note_actor(struct cell_store *s, struct packed *c, uint32_t id, struct actors *a,
		       uint64_t *bits, size_t others)
{
	uint32_t bit;

	if (id == NOBODY)
		return;
	bit = actor_bit(a, id);
	*bits |= 1ULL << bit;
	if (bit == BITS)
		idset_add((struct idset *)((char *)cell_more(s, c) + others), id);
}

void cell_count(struct cell_store *s, struct cell_chain *chain, uint32_t line, uint32_t offset,
		const struct mapping *code, const struct sample *sample,
		const struct data_source *source)
{
	uint32_t site = site_find(s, sample->ip, code);
	struct packed *c = cell_find(s, chain, line, offset, site);

	if (fits(c, sample))
		count_packed(c, sample, source);
	else
		counts_sample(&cell_more(s, c)->counts, sample, source);
	note_actor(s, c, sample->cpu, &s->cpus, &c->cpus, offsetof(struct more, cpus));
	note_actor(s, c, sample->tid, &s->threads, &c->threads, offsetof(struct more, threads));
}

void cell_prefetch(const struct cell_store *s, const struct cell_chain *chain, uint32_t *at)
{
	if (!chain->count || chain->count >= LONG_CHAIN)
		return;
	if (*at == CELL_NONE)
		*at = chain->first;
	else if (cell_at(s, *at)->next != CELL_NONE)
		*at = cell_at(s, *at)->next;
	__builtin_prefetch(cell_at(s, *at));
}

/* ---- Results */

void cell_unpack(const struct cell_store *s, const struct cell_chain *chain, struct cell *cells)
{
	uint32_t index = chain->first;

	for (uint32_t i = 0; i < chain->count; i++) {
		const struct packed *c = cell_at(s, index);
		const struct more *m = c->more ? &s->more[c->more - 1] : NULL;

		cells[i] = (struct cell){ .offset = c->offset,
					  .ip = s->sites[c->site].ip,
					  .code = s->sites[c->site].code,
					  .counts = packed_counts(s, c) };
		actors_unpack(&s->cpus, c->cpus, m ? &m->cpus : NULL, &cells[i].cpus);
		actors_unpack(&s->threads, c->threads, m ? &m->threads : NULL, &cells[i].threads);
		index = c->next;
	}
}

/* A set of actors of either kind; where a cell knows no threads its CPUs stand for them. */
struct crowd {
	uint64_t cpus, threads;
	struct idset others;
};

static void crowd_add(struct crowd *w, const struct cell_store *s, const struct packed *c)
{
	const struct more *m = c->more ? &s->more[c->more - 1] : NULL;

	if (c->threads)
		w->threads |= c->threads & ~OTHERS;
	else
		w->cpus |= c->cpus & ~OTHERS;
	if (m && (c->threads ? c->threads : c->cpus) & OTHERS)
		idset_merge(&w->others, c->threads ? &m->threads : &m->cpus);
}

/* Ids of CPUs and threads are taken for one kind of number where a recording mixes them. */
static uint32_t crowd_count(struct crowd *w, const struct cell_store *s)
{
	uint32_t count;

	if (!w->cpus && !w->others.count)
		return __builtin_popcountll(w->threads);
	actors_unpack(&s->cpus, w->cpus, NULL, &w->others);
	actors_unpack(&s->threads, w->threads, NULL, &w->others);
	count = w->others.count;
	idset_deinit(&w->others);
	return count;
}

struct cell_sum cell_add_up(const struct cell_store *s, const struct cell_chain *chain)
{
	struct cell_sum sum = { 0 };
	struct crowd writers = { 0 }, actors = { 0 };
	uint32_t index = chain->first;

	for (uint32_t i = 0; i < chain->count; i++) {
		const struct packed *c = cell_at(s, index);
		struct counts k = packed_counts(s, c);

		counts_add(&sum.counts, &k);
		crowd_add(&actors, s, c);
		if (k.stores || k.locked)
			crowd_add(&writers, s, c);
		index = c->next;
	}
	sum.writers = crowd_count(&writers, s);
	sum.actors = crowd_count(&actors, s);
	return sum;
}
