// SPDX-License-Identifier: GPL-2.0-only
#include "callers.h"
#include "chain.h"
#include "map.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* Of one cell, by one chain. Frames are looked up when it is made: what is mapped may change. */
struct tally {
	struct counts counts;
	uint32_t frame, frames; /* in "frame" of all */
	uint32_t next;		/* of the same cell, or NOBODY */
};

struct callers {
	struct attrib *attrib;
	const struct recording *recording;
	struct map tally_of; /* by cell and chain */
	struct map first_of; /* by cell: its newest tally */
	struct tally *tally;
	uint32_t count, room;
	struct cell_frame *frame;
	uint32_t frames, frame_room;
};

struct callers *callers_new(struct attrib *attrib)
{
	struct callers *c = mem_zalloc(sizeof(*c));

	c->attrib = attrib;
	map_init(&c->tally_of);
	map_init(&c->first_of);
	return c;
}

void callers_free(struct callers *c)
{
	map_deinit(&c->tally_of);
	map_deinit(&c->first_of);
	free(c->tally);
	free(c->frame);
	free(c);
}

void callers_of(struct callers *c, const struct recording *recording)
{
	c->recording = recording;
}

/* What the addresses behind a marker are; false: a host's below a guest's, or unknown. */
static bool mode_of(uint64_t marker, uint8_t *mode)
{
	if (marker == (uint64_t)PERF_CONTEXT_KERNEL)
		*mode = PERF_RECORD_MISC_KERNEL;
	else if (marker == (uint64_t)PERF_CONTEXT_USER)
		*mode = PERF_RECORD_MISC_USER;
	else
		return false;
	return true;
}

/* The first address is the sample's own. A caller's is where it goes on: the call is before. */
static void add_frames(struct callers *c, const struct sample *s, struct tally *t)
{
	struct chain chain = chain_get(c->recording->chains, s->chain);
	uint8_t mode = s->cpumode;
	bool own = true;

	t->frame = c->frames;
	for (uint32_t i = 0; i < chain.count && c->frames - t->frame < CALLERS_FRAMES; i++) {
		uint64_t word = chain.word[i];

		if (word >= (uint64_t)PERF_CONTEXT_MAX) {
			if (!mode_of(word, &mode))
				break;
			continue;
		}
		if (!own && word) {
			mem_grow(&c->frame, &c->frame_room, c->frames);
			c->frame[c->frames++] = (struct cell_frame){
				attrib_mapping(c->attrib, s->pid, mode, word - 1), word - 1
			};
		}
		own = false;
	}
	t->frames = c->frames - t->frame;
}

static struct tally *find(struct callers *c, uint32_t cell, const struct sample *s)
{
	bool fresh;
	uint64_t *index, *first;
	struct tally *t;

	if (c->count == CALLERS_MOST) {
		index = map_get(&c->tally_of, (uint64_t)cell << 32 | s->chain);
		return index ? &c->tally[*index] : NULL;
	}
	index = map_put(&c->tally_of, (uint64_t)cell << 32 | s->chain, c->count, &fresh);
	if (!fresh)
		return &c->tally[*index];
	first = map_put(&c->first_of, cell, NOBODY, NULL);
	mem_grow(&c->tally, &c->room, c->count);
	t = &c->tally[c->count];
	*t = (struct tally){ .next = *first };
	*first = c->count++;
	add_frames(c, s, t);
	return t;
}

void callers_count(struct callers *c, uint32_t cell, const struct sample *s)
{
	struct tally *t = c->recording ? find(c, cell, s) : NULL;

	if (t)
		counts_add_sample(&t->counts, s);
}

void callers_take(const struct callers *c, uint32_t cell, struct cell *to)
{
	const uint64_t *first = map_get(&c->first_of, cell);
	const struct tally *t;

	for (uint32_t i = first ? *first : NOBODY; i != NOBODY; i = t->next) {
		struct cell_chain *chain;

		t = &c->tally[i];
		to->chain = mem_realloc(to->chain, to->chains + 1, sizeof(*to->chain));
		chain = &to->chain[to->chains++];
		chain->counts = t->counts;
		chain->frame = mem_copy(&c->frame[t->frame], t->frames, sizeof(*chain->frame));
		chain->frames = t->frames;
	}
}

void callers_drop(struct cell *from)
{
	for (uint32_t i = 0; i < from->chains; i++)
		free(from->chain[i].frame);
	free(from->chain);
}
