// SPDX-License-Identifier: GPL-2.0-only
#include "cell_store.h"
#include "line_key.h"
#include "map.h"
#include "mem.h"
#include "phase.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX /* not recorded */
#define BITS   63	  /* actors that have one; bit 63 says that there are others */
#define OTHERS (1ULL << BITS)

/* Where in the code; far fewer than cells. */
struct site {
	uint64_t ip;
	const struct mapping *code; /* of the first sample */
};

/* Eight-bit counts: one for each bit of a step, in their order, by which one addition counts all of
 * a sample. */
enum { LOADS, STORES, HITM, STORE_MISSES = HITM + MEMORY_DISTANCES, PEER, LOCKED, SMALL };

_Static_assert(SMALL == STEP_BITS && SMALL == sizeof(uint64_t), "a word of counts");

struct packed {
	uint64_t addr;
	uint64_t cpus, threads;
	uint32_t pid, site;
	uint32_t data;	   /* index of its mapping + 1; 0: unknown */
	uint32_t physical; /* index of its physical address + 1; 0: not recorded */
	uint32_t more;	   /* index + 1: there are more; 0: none */
	uint32_t latency, accesses;
	uint8_t n[SMALL];
	uint8_t latencies;
	uint8_t when[3]; /* of the first sample and of the last: a phase code each, packed */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct packed) == 64, "a cell is a cache line");

struct more {
	struct counts counts;
	struct idset cpus, threads; /* those without a bit */
};

#define RECENT 1024 /* a power of two */

/* The first BITS ids of a kind have a bit each, in the order they came. */
struct actors {
	uint32_t id[BITS];
	uint32_t count;
	struct idset others;
	struct map bit_of_id;
	struct {
		uint32_t id, bit;
	} recent[RECENT]; /* by the id's low bits */
};

/* Cells are never moved: they lie in blocks, which may have large pages. */
#define BLOCK_CELLS (1U << 16)

struct cell_store {
	struct packed **blocks;
	uint32_t block_count, block_room;
	struct mem_promise *next_block; /* NULL before the first one was full */
	struct more *more;
	struct site *sites;
	const struct mapping **mappings;
	uint64_t *physical;
	struct table cell_table, site_table, mapping_table;
	uint32_t cell_count, more_count, more_room, site_count, site_room, mapping_count,
		mapping_room, physical_count, physical_room;
	struct actors cpus, threads;
	uint64_t spread[1 << STEP_BITS]; /* by step: what it adds to the counts of a cell */
	uint64_t start;			 /* ns: of the first sample that came with a time */
};

/* ---- Actors */

static void actors_init(struct actors *a)
{
	map_init(&a->bit_of_id);
	for (uint32_t i = 0; i < RECENT; i++)
		a->recent[i].id = NOBODY; /* which has bit 0, for who does not look */
}

static void actors_deinit(struct actors *a)
{
	map_deinit(&a->bit_of_id);
	idset_deinit(&a->others);
}

static uint32_t actor_new_bit(struct actors *a, uint32_t id)
{
	bool fresh;
	uint64_t *bit = map_put(&a->bit_of_id, id, a->count, &fresh);

	if (fresh && a->count < BITS)
		a->id[a->count++] = id;
	else if (fresh)
		idset_add(&a->others, id);
	a->recent[id % RECENT].id = id;
	return a->recent[id % RECENT].bit = *bit;
}

/* BITS: it has none. */
static inline uint32_t actor_bit(struct actors *a, uint32_t id)
{
	if (a->recent[id % RECENT].id == id)
		return a->recent[id % RECENT].bit;
	return actor_new_bit(a, id);
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

static inline struct packed *cell_at(const struct cell_store *s, uint32_t index)
{
	return &s->blocks[index / BLOCK_CELLS][index % BLOCK_CELLS];
}

/* Counts are bytes in memory, whatever the order of bytes in a word. */
static uint64_t spread(uint32_t step)
{
	uint8_t n[SMALL];
	uint64_t word;

	for (int bit = 0; bit < SMALL; bit++)
		n[bit] = step >> bit & 1;
	memcpy(&word, n, sizeof(word));
	return word;
}

struct cell_store *cell_store_new(void)
{
	struct cell_store *s = mem_zalloc(sizeof(*s));

	table_init(&s->cell_table);
	table_init(&s->site_table);
	table_init(&s->mapping_table);
	actors_init(&s->cpus);
	actors_init(&s->threads);
	for (uint32_t step = 0; step < ARRAY_SIZE(s->spread); step++)
		s->spread[step] = spread(step);
	return s;
}

void cell_store_close(struct cell_store *s)
{
	if (s->next_block)
		mem_free_scattered(mem_promise_take(s->next_block),
				   BLOCK_CELLS * sizeof(**s->blocks));
	s->next_block = NULL;
	table_deinit(&s->cell_table);
	table_deinit(&s->site_table);
	table_deinit(&s->mapping_table);
}

void cell_store_free(struct cell_store *s)
{
	for (uint32_t i = 0; i < s->more_count; i++) {
		idset_deinit(&s->more[i].cpus);
		idset_deinit(&s->more[i].threads);
	}
	actors_deinit(&s->cpus);
	actors_deinit(&s->threads);
	cell_store_close(s);
	for (uint32_t i = 0; i < s->block_count; i++)
		mem_free_scattered(s->blocks[i], BLOCK_CELLS * sizeof(**s->blocks));
	free(s->blocks);
	free(s->more);
	free(s->sites);
	free(s->mappings);
	free(s->physical);
	free(s);
}

uint32_t cell_store_count(const struct cell_store *s)
{
	return s->cell_count;
}

/* ---- Finding */

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

/* Index + 1; 0: none. */
static uint32_t mapping_find(struct cell_store *s, const struct mapping *m)
{
	uint32_t hash = map_hash((uintptr_t)m), i;

	if (!m)
		return 0;
	for (uint32_t at = hash; (i = table_next(&s->mapping_table, hash, &at)) != TABLE_NONE;)
		if (s->mappings[i] == m)
			return i + 1;
	mem_grow(&s->mappings, &s->mapping_room, s->mapping_count);
	s->mappings[s->mapping_count] = m;
	table_put(&s->mapping_table, hash, s->mapping_count);
	return ++s->mapping_count;
}

struct cell_place cell_place(struct cell_store *s, const struct cell_key *key)
{
	struct cell_place p = { .site = site_find(s, key->ip, key->code),
				.data = mapping_find(s, key->data) };

	p.hash = map_hash(map_hash(key->addr ^ (uint64_t)key->pid << 44) ^
			  ((uint64_t)p.site << 32 | p.data) ^ key->phys_addr << 20);
	table_prefetch(&s->cell_table, p.hash);
	return p;
}

void cell_prefetch(const struct cell_store *s, const struct cell_place *place)
{
	uint32_t at = place->hash, i = table_next(&s->cell_table, place->hash, &at);

	if (i != TABLE_NONE)
		__builtin_prefetch(cell_at(s, i), 1);
}

static uint64_t cell_physical(const struct cell_store *s, const struct packed *c)
{
	return c->physical ? s->physical[c->physical - 1] : 0;
}

static bool cell_is(const struct cell_store *s, const struct packed *c, const struct cell_key *key,
		    const struct cell_place *place)
{
	return c->addr == key->addr && c->site == place->site && c->pid == key->pid &&
	       c->data == place->data && cell_physical(s, c) == key->phys_addr;
}

static void add_block(struct cell_store *s)
{
	size_t size = BLOCK_CELLS * sizeof(**s->blocks);

	mem_grow(&s->blocks, &s->block_room, s->block_count);
	s->blocks[s->block_count++] = s->next_block ? mem_promise_take(s->next_block)
						    : mem_scattered(size);
	s->next_block = s->block_count > 1 ? mem_scattered_promise(size) : NULL;
}

static uint32_t cell_make(struct cell_store *s, const struct cell_key *key,
			  const struct cell_place *place)
{
	uint32_t index = s->cell_count++;
	struct packed *c;

	if (index == s->block_count * BLOCK_CELLS)
		add_block(s);
	c = cell_at(s, index);
	c->addr = key->addr;
	c->pid = key->pid;
	c->site = place->site;
	c->data = place->data;
	if (key->phys_addr) {
		mem_grow(&s->physical, &s->physical_room, s->physical_count);
		s->physical[s->physical_count] = key->phys_addr;
		c->physical = ++s->physical_count;
	}
	table_put(&s->cell_table, place->hash, index);
	return index;
}

uint32_t cell_find(struct cell_store *s, const struct cell_key *key, const struct cell_place *place)
{
	uint32_t i;

	for (uint32_t at = place->hash;
	     (i = table_next(&s->cell_table, place->hash, &at)) != TABLE_NONE;)
		if (cell_is(s, cell_at(s, i), key, place))
			return i;
	return cell_make(s, key, place);
}

void cell_touch(const struct cell_store *s, uint32_t cell)
{
	__builtin_prefetch(cell_at(s, cell), 1);
}

struct cell_key cell_key(const struct cell_store *s, uint32_t cell)
{
	const struct packed *c = cell_at(s, cell);

	return (struct cell_key){ .ip = s->sites[c->site].ip,
				  .code = s->sites[c->site].code,
				  .addr = c->addr,
				  .phys_addr = cell_physical(s, c),
				  .data = c->data ? s->mappings[c->data - 1] : NULL,
				  .pid = c->pid,
				  .site = c->site };
}

/* ---- Counting */

static struct counts packed_counts(const struct cell_store *s, const struct packed *c)
{
	struct counts k = { 0 };

	if (c->more)
		k = s->more[c->more - 1].counts;
	k.samples += c->n[LOADS] + c->n[STORES];
	k.loads += c->n[LOADS];
	k.stores += c->n[STORES];
	for (int d = 0; d < MEMORY_DISTANCES; d++)
		k.hitm[d] += c->n[HITM + d];
	k.store_misses += c->n[STORE_MISSES];
	k.peer += c->n[PEER];
	k.locked += c->n[LOCKED];
	k.latency_sum += c->latency;
	k.latency_samples += c->latencies;
	k.accesses += c->accesses;
	return k;
}

static struct more *cell_more(struct cell_store *s, struct packed *c)
{
	if (!c->more) {
		mem_grow(&s->more, &s->more_room, s->more_count);
		s->more[s->more_count++] = (struct more){ 0 };
		c->more = s->more_count;
	}
	return &s->more[c->more - 1];
}

static inline bool is_full(const struct packed *c, uint64_t n, const struct sample *s)
{
	return n & 0x8080808080808080ULL || s->weight > UINT32_MAX - c->latency ||
	       s->period > UINT32_MAX - c->accesses;
}

/* What the packed counts have, and the sample, goes to the whole ones. */
static void empty(struct cell_store *s, struct packed *c, const struct sample *sample)
{
	struct more *more = cell_more(s, c);

	more->counts = packed_counts(s, c);
	counts_add_sample(&more->counts, sample);
	memset(c->n, 0, sizeof(c->n));
	c->latencies = 0;
	c->latency = c->accesses = 0;
}

/* Of loads and stores neither is ever above 128, so that no count, however it grows, is above 255
 * before one of the two says that they are full. */
static inline void count(struct cell_store *s, struct packed *c, const struct sample *sample)
{
	uint64_t n;

	memcpy(&n, c->n, sizeof(n));
	if (is_full(c, n, sample)) {
		empty(s, c, sample);
		return;
	}
	n += s->spread[sample->step];
	memcpy(c->n, &n, sizeof(n));
	c->latencies += sample->weight != 0;
	c->latency += sample->weight;
	c->accesses += sample->period;
}

static void note_other(struct cell_store *s, struct packed *c, uint32_t id, size_t others)
{
	idset_add((struct idset *)((char *)cell_more(s, c) + others), id);
}

static inline void note_actors(struct cell_store *s, struct packed *c, const struct sample *sample)
{
	uint32_t cpu = actor_bit(&s->cpus, sample->cpu),
		 thread = actor_bit(&s->threads, sample->tid);

	c->cpus |= 1ULL << cpu & ~-(uint64_t)(sample->cpu == NOBODY);
	c->threads |= 1ULL << thread & ~-(uint64_t)(sample->tid == NOBODY);
	if (cpu == BITS && sample->cpu != NOBODY)
		note_other(s, c, sample->cpu, offsetof(struct more, cpus));
	if (thread == BITS && sample->tid != NOBODY)
		note_other(s, c, sample->tid, offsetof(struct more, threads));
}

static inline uint32_t when_packed(const struct packed *c)
{
	return c->when[0] | c->when[1] << 8 | c->when[2] << 16;
}

static void set_when(struct packed *c, uint32_t first, uint32_t last)
{
	c->when[0] = (uint8_t)first;
	c->when[1] = (uint8_t)(first >> 8 | last << 4);
	c->when[2] = (uint8_t)(last >> 4);
}

/* Codes are that coarse that the first and last of a hot cell seldom change. */
static inline void note_time(struct cell_store *s, struct packed *c, uint64_t time)
{
	uint32_t code = phase_code(time > s->start ? time - s->start : 0), when = when_packed(c),
		 first = when & 0xfff, last = when >> 12;

	if (code - first <= last - first) /* between them; both are 0 at first, and no code is */
		return;
	set_when(c, first && first < code ? first : code, last > code ? last : code);
}

static inline void count_sample(struct cell_store *s, struct packed *c, const struct sample *sample)
{
	count(s, c, sample);
	note_actors(s, c, sample);
	if (sample->time && s->start)
		note_time(s, c, sample->time);
}

void cell_count(struct cell_store *s, const struct cell_sample *samples, uint32_t count)
{
	if (!s->start && count)
		s->start = samples[0].sample->time;
	for (uint32_t i = 0; i < count; i++)
		count_sample(s, cell_at(s, samples[i].cell), samples[i].sample);
}

/* ---- Results */

static void unpack_time(const struct packed *c, struct cell *cell)
{
	uint16_t first = when_packed(c) & 0xfff, last = when_packed(c) >> 12;

	if (first && (!cell->first || first < cell->first))
		cell->first = first;
	if (last > cell->last)
		cell->last = last;
}

void cell_unpack(const struct cell_store *s, const uint32_t *cells, uint32_t count,
		 struct cell *cell)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct packed *c = cell_at(s, cells[i]);
		const struct more *m = c->more ? &s->more[c->more - 1] : NULL;
		struct counts k = packed_counts(s, c);

		counts_add(&cell->counts, &k);
		unpack_time(c, cell);
		actors_unpack(&s->cpus, c->cpus, m ? &m->cpus : NULL, &cell->cpus);
		actors_unpack(&s->threads, c->threads, m ? &m->threads : NULL, &cell->threads);
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

struct cell_sum cell_add_up(const struct cell_store *s, const uint32_t *cells, uint32_t count)
{
	struct cell_sum sum = { 0 };
	struct crowd writers = { 0 }, actors = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		const struct packed *c = cell_at(s, cells[i]);
		struct counts k = packed_counts(s, c);

		counts_add(&sum.counts, &k);
		sum.unmapped += c->data ? 0 : k.samples;
		crowd_add(&actors, s, c);
		if (k.stores || k.locked)
			crowd_add(&writers, s, c);
	}
	sum.writers = crowd_count(&writers, s);
	sum.actors = crowd_count(&actors, s);
	return sum;
}

struct counts cell_total(const struct cell_store *s)
{
	struct counts total = { 0 };

	for (uint32_t i = 0; i < s->cell_count; i++) {
		struct counts k = packed_counts(s, cell_at(s, i));

		counts_add(&total, &k);
	}
	return total;
}
