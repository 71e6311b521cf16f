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

/* A sample whose cell is being looked for. What was mapped where is settled. */
struct pending {
	struct sample sample;
	struct cell_key key;
	struct cell_place place;
	struct counts step;
};

#define DECODED 64   /* a power of two */
#define RECENT	4096 /* likewise; the hot cells of most recordings, in 32 kB */
#define PENDING 32

struct intake {
	struct attrib *attrib;
	struct cell_store *cells;
	struct decoded decoded[DECODED]; /* by hash of the word; map_hash(0) is 0 */
	struct recent recent[RECENT];	 /* by hash of data and code address */
	struct pending pending[PENDING];
	uint32_t pending_count;
	bool recent_used, stores_cost;
	struct intake_refused refused;
};

struct intake *intake_new(struct attrib *attrib, struct cell_store *cells)
{
	struct intake *in = mem_zalloc(sizeof(*in));

	in->attrib = attrib;
	in->cells = cells;
	in->decoded[0].kind = data_source_decode(0).kind;
	return in;
}

void intake_free(struct intake *in)
{
	free(in);
}

/* ---- The cell of a sample */

/* Whether nothing but address, code address, process and maps decides on a sample's cell. Code of
 * the kernel is the same in all processes, and so is the kernel's data. */
static bool is_plain(const struct sample *s)
{
	bool own = s->cpumode == PERF_RECORD_MISC_USER || s->cpumode == PERF_RECORD_MISC_KERNEL;

	return own && (!line_is_kernel(s->addr) || line_is_kernel(s->ip));
}

static uint32_t recent_hash(const struct sample *s)
{
	return map_hash(s->addr + s->ip * 0x9e3779b97f4a7c15ULL);
}

static bool count_recent(struct intake *in, const struct sample *s, const struct counts *step)
{
	uint32_t hash = recent_hash(s);
	const struct recent *r = &in->recent[hash % RECENT];

	return r->hash == hash && r->next && is_plain(s) &&
	       cell_count_again(in->cells, r->next - 1, s, step);
}

static void add_pending(struct intake *in, const struct sample *s, const struct counts *step)
{
	struct pending *n = &in->pending[in->pending_count++];
	bool kernel = line_is_kernel(s->addr);

	n->sample = *s;
	n->step = *step;
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

static void flush_pending(struct intake *in)
{
	struct pending *end = in->pending + in->pending_count;

	for (struct pending *n = in->pending; n < end; n++)
		cell_prefetch(in->cells, &n->place);
	for (struct pending *n = in->pending; n < end; n++) {
		uint32_t hash = recent_hash(&n->sample),
			 cell = cell_find(in->cells, &n->key, &n->place);

		cell_count(in->cells, cell, &n->sample, &n->step);
		in->recent[hash % RECENT] = (struct recent){ hash, cell + 1 };
	}
	in->recent_used |= in->pending_count;
	in->pending_count = 0;
}

/* ---- Samples */

static const struct decoded *decode_source(struct intake *in, uint64_t word)
{
	struct decoded *d = &in->decoded[map_hash(word) & (DECODED - 1)];

	if (d->word != word) {
		struct data_source source = data_source_decode(word);

		*d = (struct decoded){ word, source.kind, counts_step(&source) };
	}
	return d;
}

static bool is_usable(struct intake *in, const struct sample *s, enum memory_kind kind)
{
	if (kind == MEMORY_NONE)
		in->refused.no_source++;
	else if (!s->addr)
		in->refused.no_address++;
	return kind != MEMORY_NONE && s->addr;
}

void intake_sample(struct intake *in, const struct sample *s)
{
	const struct decoded *d = decode_source(in, s->data_src);

	if (!is_usable(in, s, d->kind))
		return;
	in->stores_cost |= d->kind == MEMORY_STORE && s->weight;
	if (count_recent(in, s, &d->step))
		return;
	add_pending(in, s, &d->step);
	if (in->pending_count == PENDING)
		flush_pending(in);
}

void intake_maps_changed(struct intake *in)
{
	flush_pending(in);
	if (in->recent_used)
		memset(in->recent, 0, sizeof(in->recent));
	in->recent_used = false;
}

void intake_end(struct intake *in)
{
	flush_pending(in);
}

struct intake_refused intake_refused(const struct intake *in)
{
	return in->refused;
}

bool intake_stores_cost(const struct intake *in)
{
	return in->stores_cost;
}
