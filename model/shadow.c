// SPDX-License-Identifier: GPL-2.0-only
#include "shadow.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define SHADOW_BITS  47 /* of user addresses on x86-64 and most arm64 kernels */
#define SHADOW_LEAST 40 /* below, too many addresses would share a word */
#define LINES	     (1u << 21)
#define SYNCS	     (1u << 16)
#define FINDS	     (4 * LINES)

static void *shadow_map(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool shadow_map_words(struct shadow *s)
{
	for (unsigned int bits = SHADOW_BITS; bits >= SHADOW_LEAST; bits--) {
		s->mask = (1ULL << (bits - s->line_shift)) - 1;
		s->word = shadow_map((s->mask + 1) * sizeof(*s->word));
		if (s->word) {
			/* Touched words lie far apart: huge pages would cost memory. */
			madvise(s->word, (s->mask + 1) * sizeof(*s->word), MADV_NOHUGEPAGE);
			return true;
		}
	}
	return false;
}

bool shadow_init(struct shadow *s, const struct topology *topology)
{
	int why;

	memset(s, 0, sizeof(*s));
	s->topology = topology;
	s->line_shift = (uint32_t)__builtin_ctz(topology->machine->line_size);
	s->lines = s->syncs = 1;
	s->line = shadow_map(sizeof(*s->line) * LINES);
	s->sync = shadow_map(sizeof(*s->sync) * SYNCS);
	s->find = shadow_map(sizeof(*s->find) * FINDS);
	if (s->line && s->sync && s->find && shadow_map_words(s))
		return true;
	why = errno;
	shadow_deinit(s);
	errno = why;
	return false;
}

static void shadow_unmap(void *p, uint64_t bytes)
{
	if (p)
		munmap(p, bytes);
}

void shadow_deinit(struct shadow *s)
{
	shadow_unmap(s->word, (s->mask + 1) * sizeof(*s->word));
	shadow_unmap(s->line, sizeof(*s->line) * LINES);
	shadow_unmap(s->sync, sizeof(*s->sync) * SYNCS);
	shadow_unmap(s->find, sizeof(*s->find) * FINDS);
	memset(s, 0, sizeof(*s));
}

/* ---- The table of contended lines (under the gate) */

static uint64_t *shadow_word(const struct shadow *s, uint64_t addr)
{
	return &s->word[(addr >> s->line_shift) & s->mask];
}

/* The place of the line in find[]: where it is, or where it would be put. */
static uint32_t *line_find(struct shadow *s, uint64_t addr)
{
	uint64_t h = (addr >> s->line_shift) * 0x9e3779b97f4a7c15ULL;
	uint32_t i = (uint32_t)(h >> 40) % FINDS;

	while (s->find[i] && s->line[s->find[i]].addr != addr)
		i = (i + 1) % FINDS;
	return &s->find[i];
}

static unsigned int thread_core(const struct shadow *s, unsigned int thread)
{
	const struct model_machine *m = s->topology->machine;

	return s->topology->core[m->order[thread % m->cpus]];
}

/* What the shadow word knows of the line's past, put into the replays. */
static void line_history(struct shadow *s, struct line *l, uint64_t word)
{
	unsigned int first = word & 0xffff, second = word >> 16 & 0xffff;
	unsigned int core = first ? thread_core(s, first - 1) : 0;

	for (int h = 0; h < MODEL_HOLDS; h++) {
		struct coherence_line *c = &l->replay[h].line;

		coherence_line_init(c, first ? s->topology->machine->node[core] : 0);
		if (first)
			bitset_add(&c->sharers, core);
		if (word & MODEL_WRITTEN)
			c->owner = (int16_t)core;
		else if (word & MODEL_READ_SHARED && second)
			bitset_add(&c->sharers, thread_core(s, second - 1));
	}
}

static uint32_t line_new(struct shadow *s, uint32_t *place, uint64_t addr, uint64_t word)
{
	struct line *l;

	if (s->lines == LINES)
		return 0;
	*place = s->lines;
	l = &s->line[s->lines];
	l->addr = addr;
	l->quiet_thread = -1;
	line_history(s, l, word);
	return s->lines++;
}

/*
 * The index of the line, whose word becomes CONTENDED. Its owner may write for the first time just
 * then, on its fast path: the exchange is repeated with what it left.
 */
static uint32_t line_promote(struct shadow *s, uint64_t addr)
{
	uint64_t *word = shadow_word(s, addr), old;
	uint32_t *place, index;

	addr = addr >> s->line_shift << s->line_shift;
	gate_lock(&s->gate);
	old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	place = line_find(s, addr);
	index = *place;
	if (!(old & MODEL_CONTENDED) || !index) {
		bool known = index != 0;

		if (!known)
			index = line_new(s, place, addr, old);
		while (index && !(old & MODEL_CONTENDED) &&
		       !__atomic_compare_exchange_n(word, &old, MODEL_CONTENDED | index, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			if (!known)
				line_history(s, &s->line[index], old);
	}
	gate_unlock(&s->gate);
	return index;
}

/* The word after a private access; 0 when the access conflicts. */
static uint64_t word_after(uint64_t word, uint64_t me, enum model_op op)
{
	uint64_t written = op == MODEL_READ ? 0 : MODEL_WRITTEN;

	if (!word)
		return me | written;
	if ((word & ~MODEL_WRITTEN) == me)
		return word | written;
	if (op != MODEL_READ || word & MODEL_WRITTEN)
		return 0;
	return word & MODEL_READ_SHARED ? word : word | me << 16 | MODEL_READ_SHARED;
}

bool shadow_note(struct shadow *s, unsigned int thread, uint64_t addr, enum model_op op,
		 uint32_t *line)
{
	uint64_t *word = shadow_word(s, addr), old = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	while (!(old & MODEL_CONTENDED)) {
		uint64_t new = word_after(old, thread + 1, op);

		if (!new) {
			*line = line_promote(s, addr);
			return false;
		}
		if (new == old || __atomic_compare_exchange_n(word, &old, new, false,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	}
	*line = (uint32_t)old;
	return false;
}

uint32_t shadow_find(const struct shadow *s, uint64_t addr)
{
	uint64_t word = __atomic_load_n(shadow_word(s, addr), __ATOMIC_ACQUIRE);

	return word & MODEL_CONTENDED ? (uint32_t)word : 0;
}

void shadow_demote(struct shadow *s, struct line *l, unsigned int thread)
{
	uint64_t *word = shadow_word(s, l->addr);

	l->quiet = 0;
	gate_lock(&s->gate);
	__atomic_store_n(word, (thread + 1) | MODEL_WRITTEN, __ATOMIC_RELEASE);
	gate_unlock(&s->gate);
}

static void sync_init(struct sync *y)
{
	for (int h = 0; h < MODEL_HOLDS; h++)
		for (int i = 0; i < LINE_LOCKS; i++)
			y->replay[h].lock[i].holder = -1;
}

struct sync *shadow_sync(struct shadow *s, struct line *l)
{
	struct sync *y = shadow_sync_get(s, l);

	if (y)
		return y;
	gate_lock(&s->gate);
	y = shadow_sync_get(s, l);
	if (!y && s->syncs < SYNCS) {
		y = &s->sync[s->syncs];
		sync_init(y);
		__atomic_store_n(&l->sync, s->syncs++, __ATOMIC_RELEASE);
	}
	gate_unlock(&s->gate);
	return y;
}
