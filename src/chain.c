// SPDX-License-Identifier: GPL-2.0-only
#include "chain.h"
#include "mem.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BITS 15 /* words of a chunk */
#define CHUNKS	   256

/* A number is a place among the words of all chunks: the chain's length, then its words. Chunks do
 * not move, so that what was given out stays where it is. */
struct chain_set {
	uint64_t *chunk[CHUNKS];
	uint32_t end; /* the next free place; place 0 is nobody's */
	struct table by_words;
};

struct chain_set *chain_set_new(void)
{
	struct chain_set *s = mem_zalloc(sizeof(*s));

	s->end = 1;
	table_init(&s->by_words);
	return s;
}

void chain_set_free(struct chain_set *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < CHUNKS; i++)
		free(s->chunk[i]);
	table_deinit(&s->by_words);
	free(s);
}

static uint64_t *place(const struct chain_set *s, uint32_t number)
{
	return s->chunk[number >> CHUNK_BITS] + (number & ((1u << CHUNK_BITS) - 1));
}

struct chain chain_get(const struct chain_set *s, uint32_t number)
{
	const uint64_t *at = place(s, number);

	return (struct chain){ at + 1, *at };
}

static uint32_t hash_of(const uint64_t *word, uint32_t count)
{
	uint64_t hash = count;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return hash >> 32;
}

/* Where "count" words and their length fit; CHAIN_NONE when all chunks are full. */
static uint32_t make_room(struct chain_set *s, uint32_t count)
{
	uint32_t room = (1u << CHUNK_BITS) - (s->end & ((1u << CHUNK_BITS) - 1));

	if (count + 1 > room)
		s->end += room;
	if (s->end >> CHUNK_BITS >= CHUNKS)
		return CHAIN_NONE;
	if (!s->chunk[s->end >> CHUNK_BITS])
		s->chunk[s->end >> CHUNK_BITS] = mem_zalloc(sizeof(uint64_t) << CHUNK_BITS);
	return s->end;
}

uint32_t chain_put(struct chain_set *s, const uint64_t *word, uint32_t count)
{
	uint32_t hash, number;
	uint64_t *to;

	if (count > CHAIN_LONGEST)
		count = CHAIN_LONGEST;
	if (!count)
		return CHAIN_NONE;
	hash = hash_of(word, count);
	for (uint32_t at = hash; (number = table_next(&s->by_words, hash, &at)) != TABLE_NONE;) {
		struct chain c = chain_get(s, number);

		if (c.count == count && !memcmp(c.word, word, count * sizeof(*word)))
			return number;
	}
	number = make_room(s, count);
	if (number == CHAIN_NONE)
		return CHAIN_NONE;
	to = place(s, number);
	*to = count;
	memcpy(to + 1, word, count * sizeof(*word));
	s->end += count + 1;
	table_put(&s->by_words, hash, number);
	return number;
}
