// SPDX-License-Identifier: GPL-2.0-only
#include "intake.h"
#include "line_key.h"
#include "map.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A recording has few different data source words. */
struct decoded {
	uint64_t word;
	enum memory_kind kind;
	struct counts step;
};

/* A cell that was found not long ago. */
struct recent {
	uint32_t hash, next; /* next: the cell's number + 1, or 0 */
};

/* Where the cell of a sample must be. */
struct sought {
	struct cell_key key;
	struct cell_place place;
	uint32_t which; /* of the arrivals */
};

#define DECODED_MAX   4096 /* words that are remembered */
#define FRONT	      64   /* a power of two */
#define RECENT	      8192 /* likewise; the hot cells of most recordings */
#define SAMPLES_AHEAD 32   /* that another CPU has written are fetched from it */
#define ARRIVALS      32   /* whose steps are taken side by side */

struct intake {
	struct attrib *attrib;
	struct cell_store *cells;
	struct callers *callers;
	struct decoded *decoded;
	struct map decoded_of_word; /* index in "decoded" */
	uint32_t decoded_count, decoded_room;
	uint32_t front[FRONT];	      /* by hash of the word: index + 1, or 0 */
	struct recent recent[RECENT]; /* by hash of data and code address */
	struct cell_sample arrivals[ARRIVALS];
	uint32_t source[ARRIVALS]; /* of an arrival: index in "decoded" */
	uint32_t hash[ARRIVALS];
	struct sought sought[ARRIVALS];
	bool recent_used, stores_cost;
	struct intake_refused refused;
};

struct intake *intake_new(struct attrib *attrib, struct cell_store *cells, struct callers *callers)
{
	struct intake *in = mem_zalloc(sizeof(*in));

	in->attrib = attrib;
	in->cells = cells;
	in->callers = callers;
	map_init(&in->decoded_of_word);
	return in;
}

void intake_free(struct intake *in)
{
	map_deinit(&in->decoded_of_word);
	free(in->decoded);
	free(in);
}

/* ---- Data sources */

static uint32_t decode_source(struct intake *in, uint64_t word)
{
	struct data_source source = data_source_decode(word);
	bool fresh;
	uint64_t *index = map_put(&in->decoded_of_word, word, in->decoded_count, &fresh);

	if (!fresh)
		return *index;
	mem_grow(&in->decoded, &in->decoded_room, in->decoded_count);
	in->decoded[in->decoded_count] = (struct decoded){ word, source.kind,
							   counts_step(&source) };
	return in->decoded_count++;
}

static inline uint32_t find_source(struct intake *in, uint64_t word)
{
	uint32_t *front = &in->front[map_hash(word) & (FRONT - 1)];

	if (!*front || in->decoded[*front - 1].word != word)
		*front = decode_source(in, word) + 1;
	return *front - 1;
}

/* Words that nobody but a damaged recording has so many of. Between two blocks of arrivals. */
static void bound_sources(struct intake *in)
{
	if (in->decoded_count < DECODED_MAX)
		return;
	map_deinit(&in->decoded_of_word);
	map_init(&in->decoded_of_word);
	memset(in->front, 0, sizeof(in->front));
	in->decoded_count = 0;
}

static bool is_usable(struct intake *in, const struct sample *s, enum memory_kind kind)
{
	if (kind == MEMORY_NONE)
		in->refused.no_source++;
	else if (!s->addr)
		in->refused.no_address++;
	else
		return true;
	return false;
}

/* ---- Cells */

/* Whether nothing but address, code address, process and maps decides on a sample's cell. Code of
 * the kernel is the same in all processes, and so is the kernel's data. */
static bool is_plain(const struct sample *s)
{
	bool own = s->cpumode == PERF_RECORD_MISC_USER || s->cpumode == PERF_RECORD_MISC_KERNEL;

	return own && (!line_is_kernel(s->addr) || line_is_kernel(s->ip));
}

/* A guess at the cell, or CELL_NONE. */
static uint32_t guess_cell(const struct intake *in, const struct sample *s, uint32_t hash)
{
	const struct recent *r = &in->recent[hash % RECENT];

	return r->hash == hash && r->next && is_plain(s) ? r->next - 1 : CELL_NONE;
}

/* Looks where in the store the cell must be. */
static void place_cell(struct intake *in, const struct sample *s, struct sought *n)
{
	bool kernel = line_is_kernel(s->addr);

	n->key = (struct cell_key){
		.ip = s->ip,
		.addr = s->addr,
		.phys_addr = s->phys_addr,
		.data = attrib_mapping(in->attrib, s->pid,
				       kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
				       s->addr),
		.code = attrib_mapping(in->attrib, s->pid, s->cpumode, s->ip),
		.pid = kernel ? 0 : s->pid,
	};
	n->place = cell_place(in->cells, &n->key);
}

/* Each step of all before the next step of any, so that they wait for memory together. */
static void find_cells(struct intake *in, uint32_t count)
{
	struct sought *end = in->sought;

	for (uint32_t i = 0; i < count; i++) {
		if (in->arrivals[i].cell != CELL_NONE)
			continue;
		place_cell(in, in->arrivals[i].sample, end);
		end++->which = i;
	}
	for (struct sought *n = in->sought; n < end; n++)
		cell_prefetch(in->cells, &n->place);
	for (struct sought *n = in->sought; n < end; n++) {
		uint32_t cell = cell_find(in->cells, &n->key, &n->place), hash = in->hash[n->which];

		in->arrivals[n->which].cell = cell;
		in->recent[hash % RECENT] = (struct recent){ hash, cell + 1 };
		in->recent_used = true;
	}
}

static void count_arrivals(struct intake *in, uint32_t count)
{
	struct cell_sample *all = in->arrivals;

	for (uint32_t i = 0; i < count; i++) {
		const struct sample *s = all[i].sample;

		in->hash[i] = map_hash(s->addr + s->ip * 0x9e3779b97f4a7c15ULL);
		all[i].cell = guess_cell(in, s, in->hash[i]);
		all[i].step = &in->decoded[in->source[i]].step;
	}
	cell_check(in->cells, all, count);
	find_cells(in, count);
	cell_count(in->cells, all, count);
	for (uint32_t i = 0; i < count; i++)
		if (all[i].sample->chain != CHAIN_NONE)
			callers_count(in->callers, all[i].cell, all[i].sample, all[i].step);
}

/* ---- Samples */

void intake_samples(struct intake *in, const struct sample *samples, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct sample *s = &samples[i];
		__builtin_prefetch(s + SAMPLES_AHEAD);
		__builtin_prefetch((const char *)(s + SAMPLES_AHEAD) + 64);
		uint32_t decoded = find_source(in, s->data_src);
		enum memory_kind kind = in->decoded[decoded].kind;

		if (!is_usable(in, s, kind))
			continue;
		in->stores_cost |= kind == MEMORY_STORE && s->weight;
		in->arrivals[n].sample = s;
		in->source[n++] = decoded;
		if (n == ARRIVALS) {
			count_arrivals(in, n);
			bound_sources(in);
			n = 0;
		}
	}
	count_arrivals(in, n);
	bound_sources(in);
}

void intake_maps_changed(struct intake *in)
{
	if (in->recent_used)
		memset(in->recent, 0, sizeof(in->recent));
	in->recent_used = false;
}

struct intake_refused intake_refused(const struct intake *in)
{
	return in->refused;
}

bool intake_stores_cost(const struct intake *in)
{
	return in->stores_cost;
}
