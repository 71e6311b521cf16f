// SPDX-License-Identifier: GPL-2.0-only
#include "futex_hash.h"

#define JHASH_START	 0xdeadbeefu
#define GLOBAL_PER_CPU	 256
#define PRIVATE_PER_TASK 4
#define PRIVATE_LEAST	 16
#define FLAGS		 (FUTEX_HASH_INODE | FUTEX_HASH_MMSHARED)

/* ---- Keys */

struct futex_key futex_key_private(uint64_t mm, uint64_t addr, uint32_t flags)
{
	uint32_t offset = addr % FUTEX_HASH_PAGE;

	return (struct futex_key){ mm, addr - offset, offset | (flags & FLAGS) };
}

struct futex_key futex_key_shared(uint64_t i_sequence, uint64_t place)
{
	return (struct futex_key){ i_sequence, place / FUTEX_HASH_PAGE,
				   place % FUTEX_HASH_PAGE | FUTEX_HASH_INODE };
}

/* ---- The hash */

static uint32_t rotate(uint32_t v, unsigned int by)
{
	return v << by | v >> (32 - by);
}

struct state {
	uint32_t a, b, c;
};

static void mix(struct state *s)
{
	static const uint8_t BY[] = { 4, 6, 8, 16, 19, 4 };

	/* Each step as the one before with the names turned: (a, c, b), (b, a, c), (c, b, a). */
	for (int i = 0; i < 6; i++) {
		uint32_t a = s->a - s->c;

		a ^= rotate(s->c, BY[i]);
		*s = (struct state){ .a = s->b, .b = s->c + s->b, .c = a };
	}
}

static void finish(struct state *s)
{
	static const uint8_t BY[] = { 14, 11, 25, 16, 4, 14, 24 };

	for (int i = 0; i < 7; i++) {
		uint32_t c = (s->c ^ s->b) - rotate(s->b, BY[i]);

		*s = (struct state){ .a = s->b, .b = c, .c = s->a };
	}
	/* Seven turns of three names: once more back to where "c" is the last one changed. */
	*s = (struct state){ .a = s->c, .b = s->a, .c = s->b };
}

uint32_t futex_hash_words(const uint32_t *word, size_t count, uint32_t initial)
{
	uint32_t start = JHASH_START + ((uint32_t)count << 2) + initial;
	struct state s = { start, start, start };

	for (; count > 3; count -= 3, word += 3) {
		s.a += word[0];
		s.b += word[1];
		s.c += word[2];
		mix(&s);
	}
	if (!count)
		return s.c;
	s.c += count > 2 ? word[2] : 0;
	s.b += count > 1 ? word[1] : 0;
	s.a += word[0];
	finish(&s);
	return s.c;
}

static uint32_t hash_key(const struct futex_key *key)
{
	uint32_t word[4] = { key->pointer, key->pointer >> 32, key->word, key->word >> 32 };

	return futex_hash_words(word, 4, key->offset);
}

uint32_t futex_hash_global(const struct futex_key *key, uint32_t buckets)
{
	return hash_key(key) & (buckets - 1);
}

uint32_t futex_hash_private(const struct futex_key *key, uint32_t buckets)
{
	uint32_t word[2] = { key->word, key->word >> 32 };

	return futex_hash_words(word, 2, key->offset) & (buckets - 1);
}

uint32_t futex_hash_node(const struct futex_key *key, uint32_t buckets, uint32_t nodes)
{
	return (hash_key(key) >> __builtin_ctz(buckets)) % nodes;
}

/* ---- Sizes */

static uint32_t round_up(uint64_t n)
{
	uint64_t size = 1;

	while (size < n && size < 1u << 31)
		size *= 2;
	return size;
}

uint32_t futex_hash_global_size(uint32_t cpus)
{
	return round_up((uint64_t)GLOBAL_PER_CPU * cpus);
}

uint32_t futex_hash_node_size(uint32_t cpus, uint32_t nodes)
{
	return round_up((uint64_t)GLOBAL_PER_CPU * cpus / (nodes ?: 1));
}

uint32_t futex_hash_private_size(uint32_t threads, uint32_t cpus)
{
	uint32_t least = threads < cpus ? threads : cpus;
	uint32_t size = round_up((uint64_t)PRIVATE_PER_TASK * least);

	if (threads < 2)
		return 0;
	return size > PRIVATE_LEAST ? size : PRIVATE_LEAST;
}
