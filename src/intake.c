// SPDX-License-Identifier: GPL-2.0-only
#include "intake.h"
#include "line_key.h"
#include "map.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A cell that was found not long ago, and what for. */
struct recent {
	uint64_t addr, ip, phys_addr;
	uint32_t pid;  /* of the address, as in struct cell_key */
	uint32_t next; /* the cell's number + 1, or 0 */
};

/* Those of one hash, the newest first. */
struct recent_pair {
	struct recent of[2];
};

/* Where the cell of a sample must be. */
struct sought {
	struct cell_key key;
	struct cell_place place;
	uint32_t which; /* of the arrivals */
};

#define RECENT	      4096 /* pairs, a power of two; the hot cells of most recordings */
#define SAMPLES_AHEAD 32   /* that another CPU has written are fetched from it */
#define ARRIVALS      32   /* whose steps are taken side by side */

struct intake {
	struct attrib *attrib;
	struct cell_store *cells;
	struct callers *callers;
	struct recent_pair recent[RECENT];   /* by hash of data and code address */
	struct recent_pair *known[ARRIVALS]; /* where an arrival's cell is, if it is recent */
	struct cell_sample arrivals[ARRIVALS];
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
	return in;
}

void intake_free(struct intake *in)
{
	free(in);
}

/* ---- Samples that can be counted */

static inline bool is_usable(struct intake *in, const struct sample *s)
{
	if (s->step == STEP_NONE)
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

static uint32_t owner(const struct sample *s)
{
	return line_is_kernel(s->addr) ? 0 : s->pid;
}

static struct recent_pair *find_recent(struct intake *in, const struct sample *s)
{
	return &in->recent[map_hash(s->addr + s->ip * 0x9e3779b97f4a7c15ULL) % RECENT];
}

static bool is_of(const struct recent *r, const struct sample *s)
{
	return r->addr == s->addr && r->ip == s->ip && r->phys_addr == s->phys_addr &&
	       r->pid == owner(s) && r->next && is_plain(s);
}

/* The cell, or CELL_NONE. */
static uint32_t recent_cell(const struct recent_pair *p, const struct sample *s)
{
	for (int i = 0; i < 2; i++)
		if (is_of(&p->of[i], s))
			return p->of[i].next - 1;
	return CELL_NONE;
}

static void note_recent(struct intake *in, const struct sought *n, uint32_t cell)
{
	struct recent_pair *p = in->known[n->which];
	const struct cell_key *key = &n->key;

	if (!is_plain(in->arrivals[n->which].sample))
		return;
	in->recent_used = true;
	p->of[1] = p->of[0];
	p->of[0] = (struct recent){ key->addr, key->ip, key->phys_addr, key->pid, cell + 1 };
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
		.pid = owner(s),
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
		uint32_t cell = cell_find(in->cells, &n->key, &n->place);

		in->arrivals[n->which].cell = cell;
		note_recent(in, n, cell);
	}
}

static void count_arrivals(struct intake *in, uint32_t count)
{
	struct cell_sample *all = in->arrivals;

	for (uint32_t i = 0; i < count; i++) {
		in->known[i] = find_recent(in, all[i].sample);
		__builtin_prefetch(in->known[i], 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		all[i].cell = recent_cell(in->known[i], all[i].sample);
		if (all[i].cell != CELL_NONE)
			cell_touch(in->cells, all[i].cell);
	}
	find_cells(in, count);
	cell_count(in->cells, all, count);
	for (uint32_t i = 0; i < count; i++)
		if (all[i].sample->chain != CHAIN_NONE)
			callers_count(in->callers, all[i].cell, all[i].sample);
}

/* ---- Samples */

void intake_samples(struct intake *in, const struct sample *samples, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct sample *s = &samples[i];
		__builtin_prefetch(s + SAMPLES_AHEAD);
		__builtin_prefetch((const char *)(s + SAMPLES_AHEAD) + 64);

		if (!is_usable(in, s))
			continue;
		in->stores_cost |= s->step & STEP_STORE && s->weight;
		in->arrivals[n++].sample = s;
		if (n == ARRIVALS) {
			count_arrivals(in, n);
			n = 0;
		}
	}
	count_arrivals(in, n);
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
