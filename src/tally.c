// SPDX-License-Identifier: GPL-2.0-only
#include "tally.h"
#include "ahead.h"
#include "line_key.h"
#include "map.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* What a line is found by. Shared memory has an identity of its own; private memory is told by
 * process and address alone, so that maps which become known late do no harm. */
struct spot {
	const void *shared;
	uint64_t place;
	uint32_t pid;
};

struct tally_index {
	struct map lines;   /* spot_hash() to index in "lines" */
	struct map cells;   /* cell_hash() to index in the line's cells */
	struct spot *spots; /* by line */
	uint32_t room;	    /* of lines and spots */
	struct map pairs;   /* pair_hash() to index in the line's pairs */
	uint32_t cells_total, pairs_total;
	bool live;
};

static struct spot spot_of(uint64_t addr, uint32_t pid, const struct mapping *data,
			   uint32_t line_size)
{
	struct spot s = { .shared = NULL };

	s.shared = attrib_shared(data, addr, &s.place);
	if (!s.shared)
		s = (struct spot){ .place = addr, .pid = line_is_kernel(addr) ? 0 : pid };
	s.place = line_start(s.place, line_size);
	return s;
}

static uint64_t spot_hash(const struct spot *s)
{
	return map_hash(map_hash((uintptr_t)s->shared) ^ s->place ^ (uint64_t)s->pid << 40);
}

static bool spot_equal(const struct spot *a, const struct spot *b)
{
	return a->shared == b->shared && a->place == b->place && a->pid == b->pid;
}

static uint64_t cell_hash(uint32_t line, uint32_t offset, uint32_t cpu)
{
	return (uint64_t)line << 48 | (uint64_t)(offset & 0xffff) << 32 | cpu;
}

static uint64_t pair_hash(uint32_t line, uint32_t victim, uint32_t aggressor)
{
	return cell_hash(line, victim, aggressor);
}

/* The number of the line at a spot, or TALLY_LINES. Two spots of one hash are that unlikely that
 * the second one just is not watched. */
static uint32_t find_line(const struct tally *t, const struct spot *s)
{
	const uint64_t *index = map_get(&t->index->lines, spot_hash(s));

	if (!index || !spot_equal(&t->index->spots[*index], s))
		return TALLY_LINES;
	return *index;
}

/* ---- Making */

static struct tally *tally_make(uint32_t line_size)
{
	struct tally *t = mem_zalloc(sizeof(*t));

	t->line_size = line_size;
	t->index = mem_zalloc(sizeof(*t->index));
	map_init(&t->index->lines);
	map_init(&t->index->cells);
	map_init(&t->index->pairs);
	return t;
}

struct tally *tally_new(const struct profile *p, uint64_t from, uint64_t to)
{
	struct tally *t = tally_make(p->line_size);

	t->start = from;
	t->slice = to > from ? (to - from) / TALLY_SLICES + 1 : 0;
	tally_watch(t, p);
	return t;
}

struct tally *tally_new_live(uint32_t line_size, uint64_t slice)
{
	struct tally *t = tally_make(line_size);

	t->slice = slice;
	t->index->live = true;
	return t;
}

static void line_deinit(struct tally_line *l)
{
	free(l->cells);
	free(l->pairs);
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->line_count; i++)
		line_deinit(&t->lines[i]);
	free(t->lines);
	map_deinit(&t->index->lines);
	map_deinit(&t->index->cells);
	map_deinit(&t->index->pairs);
	free(t->index->spots);
	free(t->index);
	free(t);
}

static void index_cells(struct tally *t)
{
	struct tally_index *index = t->index;

	map_deinit(&index->cells);
	map_init(&index->cells);
	index->cells_total = 0;
	for (uint32_t i = 0; i < t->line_count; i++)
		for (uint32_t k = 0; k < t->lines[i].cell_count; k++) {
			const struct tally_cell *c = &t->lines[i].cells[k];

			map_put(&index->cells, cell_hash(i, c->offset, c->cpu), k, NULL);
			index->cells_total++;
		}
}

static void index_pairs(struct tally *t)
{
	struct tally_index *index = t->index;

	map_deinit(&index->pairs);
	map_init(&index->pairs);
	index->pairs_total = 0;
	for (uint32_t i = 0; i < t->line_count; i++)
		for (uint32_t k = 0; k < t->lines[i].pair_count; k++) {
			const struct tally_pair *p = &t->lines[i].pairs[k];

			map_put(&index->pairs, pair_hash(i, p->victim, p->aggressor), k, NULL);
			index->pairs_total++;
		}
}

static void index_lines(struct tally *t)
{
	map_deinit(&t->index->lines);
	map_init(&t->index->lines);
	for (uint32_t i = 0; i < t->line_count; i++)
		map_put(&t->index->lines, spot_hash(&t->index->spots[i]), i, NULL);
}

/* NULL of nothing, so that room of 0 is true. */
static void *copy_of(const void *items, size_t bytes)
{
	return bytes ? memcpy(mem_zalloc(bytes), items, bytes) : NULL;
}

struct tally *tally_copy(const struct tally *t)
{
	struct tally *copy = tally_make(t->line_size);
	struct tally_index *index = copy->index;

	*copy = *t;
	copy->index = index;
	index->live = t->index->live;
	index->room = t->line_count;
	copy->lines = mem_realloc(NULL, t->line_count + 1, sizeof(*copy->lines));
	index->spots = mem_realloc(NULL, t->line_count + 1, sizeof(*index->spots));
	if (t->line_count) {
		memcpy(copy->lines, t->lines, t->line_count * sizeof(*copy->lines));
		memcpy(index->spots, t->index->spots, t->line_count * sizeof(*index->spots));
	}
	for (uint32_t i = 0; i < copy->line_count; i++) {
		struct tally_line *l = &copy->lines[i];

		l->cells = copy_of(l->cells, l->cell_count * sizeof(*l->cells));
		l->pairs = copy_of(l->pairs, l->pair_count * sizeof(*l->pairs));
		l->cell_room = l->cell_count;
		l->pair_room = l->pair_count;
	}
	index_lines(copy);
	index_cells(copy);
	index_pairs(copy);
	return copy;
}

/* ---- Which lines */

static void add_line(struct tally *t, const struct contended_line *l, const struct spot *spot)
{
	struct tally_index *index = t->index;
	uint32_t room = index->room;

	mem_grow(&t->lines, &room, t->line_count);
	if (room != index->room)
		index->spots = mem_realloc(index->spots, room, sizeof(*index->spots));
	index->room = room;
	t->lines[t->line_count] = (struct tally_line){ .addr = l->addr, .pid = l->pid };
	index->spots[t->line_count] = *spot;
	map_put(&index->lines, spot_hash(spot), t->line_count++, NULL);
}

/* Keeps the lines that are marked. */
static void drop_lines(struct tally *t, const bool keep[TALLY_LINES])
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->line_count; i++) {
		if (!keep[i]) {
			line_deinit(&t->lines[i]);
			continue;
		}
		t->lines[kept] = t->lines[i];
		t->index->spots[kept++] = t->index->spots[i];
	}
	t->line_count = kept;
	index_lines(t);
	index_cells(t);
	index_pairs(t);
}

void tally_watch(struct tally *t, const struct profile *p)
{
	bool keep[TALLY_LINES] = { false };
	uint32_t wanted = p->line_count < TALLY_LINES ? p->line_count : TALLY_LINES, fresh = 0;

	for (uint32_t i = 0; i < wanted; i++) {
		const struct contended_line *l = &p->lines[i];
		struct spot spot = spot_of(l->addr, l->pid, l->data, t->line_size);
		uint32_t line = find_line(t, &spot);

		if (line == TALLY_LINES)
			fresh++;
		else
			keep[line] = true;
	}
	if (t->line_count + fresh > TALLY_LINES)
		drop_lines(t, keep);
	for (uint32_t i = 0; i < wanted && t->line_count < TALLY_LINES; i++) {
		const struct contended_line *l = &p->lines[i];
		struct spot spot = spot_of(l->addr, l->pid, l->data, t->line_size);

		if (!map_get(&t->index->lines, spot_hash(&spot)))
			add_line(t, l, &spot);
	}
}

static void scale(struct tally_count *c, double factor)
{
	c->samples *= factor;
	c->stores *= factor;
	c->hitm *= factor;
	c->peer *= factor;
	c->latency *= factor;
}

static void decay_cells(struct tally_line *l, double factor, double least)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < l->cell_count; k++) {
		scale(&l->cells[k].count, factor);
		if (l->cells[k].count.samples >= least)
			l->cells[kept++] = l->cells[k];
	}
	l->cell_count = kept;
}

static void decay_pairs(struct tally_line *l, double factor, double least)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < l->pair_count; k++) {
		l->pairs[k].hitm *= factor;
		if (l->pairs[k].hitm >= least)
			l->pairs[kept++] = l->pairs[k];
	}
	l->pair_count = kept;
}

void tally_decay(struct tally *t, double factor, double least)
{
	uint32_t left = 0, before = t->index->cells_total + t->index->pairs_total;

	for (uint32_t i = 0; i < t->line_count; i++) {
		decay_cells(&t->lines[i], factor, least);
		decay_pairs(&t->lines[i], factor, least);
		left += t->lines[i].cell_count + t->lines[i].pair_count;
	}
	if (left == before)
		return;
	t->cells_full = false;
	index_cells(t);
	index_pairs(t);
}

/* ---- Samples */

static void count(struct tally_count *c, const struct data_source *d, uint64_t weight)
{
	c->samples++;
	c->stores += d->kind == MEMORY_STORE;
	c->hitm += d->hitm;
	c->peer += d->peer;
	c->latency += weight;
}

static struct tally_cell *cell_of(struct tally *t, uint32_t line, uint32_t offset, uint32_t cpu)
{
	struct tally_line *l = &t->lines[line];
	uint64_t hash = cell_hash(line, offset, cpu);
	const uint64_t *index = map_get(&t->index->cells, hash);

	if (index)
		return &l->cells[*index];
	if (t->index->cells_total == TALLY_CELLS) {
		t->cells_full = true;
		return NULL;
	}
	map_put(&t->index->cells, hash, l->cell_count, NULL);
	t->index->cells_total++;
	mem_grow(&l->cells, &l->cell_room, l->cell_count);
	l->cells[l->cell_count] = (struct tally_cell){ .offset = offset, .cpu = cpu };
	return &l->cells[l->cell_count++];
}

static void count_pair(struct tally *t, uint32_t line, uint32_t victim)
{
	struct tally_line *l = &t->lines[line];
	uint64_t hash = pair_hash(line, victim, l->written);
	const uint64_t *index = map_get(&t->index->pairs, hash);

	if (index) {
		l->pairs[*index].hitm++;
		return;
	}
	if (t->index->pairs_total == TALLY_PAIRS)
		return;
	map_put(&t->index->pairs, hash, l->pair_count, NULL);
	t->index->pairs_total++;
	mem_grow(&l->pairs, &l->pair_room, l->pair_count);
	l->pairs[l->pair_count++] =
		(struct tally_pair){ .victim = victim, .aggressor = l->written, .hitm = 1 };
}

/* Who pays, and who wrote last. */
static void follow_writes(struct tally *t, uint32_t line, const struct sample *s,
			  const struct data_source *d)
{
	struct tally_line *l = &t->lines[line];
	uint32_t offset = line_offset(s->addr, t->line_size);

	if (d->hitm && l->was_written && l->writer != s->cpu)
		count_pair(t, line, offset);
	if (d->kind != MEMORY_STORE)
		return;
	l->was_written = true;
	l->writer = s->cpu;
	l->written = offset;
}

/* Forgets the oldest "gone" slices. */
static void shift_slices(struct tally *t, uint64_t gone)
{
	uint32_t drop = gone < TALLY_SLICES ? gone : TALLY_SLICES;

	for (uint32_t i = 0; i < t->line_count; i++) {
		struct tally_count *s = t->lines[i].slices;

		memmove(s, s + drop, (TALLY_SLICES - drop) * sizeof(*s));
		memset(s + TALLY_SLICES - drop, 0, drop * sizeof(*s));
	}
	t->start += gone * t->slice;
	t->slices -= t->slices < drop ? t->slices : drop;
}

/* The slice of a time, or TALLY_SLICES: there is none. */
static uint32_t slice_at(struct tally *t, uint64_t time)
{
	uint64_t at;

	if (!t->slice || !time)
		return TALLY_SLICES;
	if (t->index->live && !t->start)
		t->start = time;
	if (time < t->start)
		return TALLY_SLICES;
	at = (time - t->start) / t->slice;
	if (at >= TALLY_SLICES && t->index->live) {
		shift_slices(t, at - TALLY_SLICES + 1);
		at = TALLY_SLICES - 1;
	}
	if (at < TALLY_SLICES && at >= t->slices)
		t->slices = at + 1;
	return at < TALLY_SLICES ? at : TALLY_SLICES;
}

void tally_sample(struct tally *t, const struct sample *s, const struct mapping *data)
{
	struct data_source d = data_source_decode(s->data_src);
	uint32_t slice, line;
	struct tally_cell *cell;
	struct spot spot;

	if (d.kind == MEMORY_NONE || !s->addr)
		return;
	slice = slice_at(t, s->time); /* of any sample: quiet times are times, too */
	spot = spot_of(s->addr, s->pid, data, t->line_size);
	line = find_line(t, &spot);
	if (line == TALLY_LINES)
		return;
	if (slice < TALLY_SLICES)
		count(&t->lines[line].slices[slice], &d, s->weight);
	follow_writes(t, line, s, &d);
	cell = cell_of(t, line, line_offset(s->addr, t->line_size), s->cpu);
	if (cell)
		count(&cell->count, &d, s->weight);
}

static void read_samples(struct tally *t, struct attrib *attrib, const struct sample *s,
			 uint32_t number)
{
	for (const struct sample *end = s + number; s < end; s++) {
		uint8_t mode = line_is_kernel(s->addr) ? PERF_RECORD_MISC_KERNEL
						       : PERF_RECORD_MISC_USER;

		tally_sample(t, s, attrib_mapping(attrib, s->pid, mode, s->addr));
	}
}

static void read_batch(struct tally *t, struct attrib *attrib, const struct ahead_batch *b)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < b->events; i++) {
		read_samples(t, attrib, b->sample + done, b->behind[i] - done);
		done = b->behind[i];
		if (b->event[i].kind != EVENT_NOTE)
			attrib_event(attrib, &b->event[i]);
	}
	read_samples(t, attrib, b->sample + done, b->samples - done);
}

struct err *tally_read(struct tally *t, struct source *s, struct attrib *attrib)
{
	const struct ahead_batch *batch;
	struct ahead *a;

	a = ahead_open(s);
	while ((batch = ahead_next(a)))
		read_batch(t, attrib, batch);
	return ahead_close(a);
}

const struct tally_line *tally_find(const struct tally *t, uint64_t addr, uint32_t pid)
{
	for (uint32_t i = 0; i < t->line_count; i++)
		if (t->lines[i].addr == addr && t->lines[i].pid == pid)
			return &t->lines[i];
	return NULL;
}
