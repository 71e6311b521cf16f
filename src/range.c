// SPDX-License-Identifier: GPL-2.0-only
#include "range.h"
#include "mem.h"

#include <stdlib.h>

#define BLOCK_NODES 256

/* A treap: sorted by start, a heap by priority, so that its depth stays logarithmic whatever the
 * order of insertion. */
struct range_node {
	struct range range;
	struct range_node *left, *right;
	uint32_t priority, owner;
};

struct range_block {
	struct range_block *next;
	struct range_node node[BLOCK_NODES];
};

void range_pool_init(struct range_pool *p)
{
	*p = (struct range_pool){ .shuffle = 1 };
}

void range_pool_deinit(struct range_pool *p)
{
	while (p->block) {
		struct range_block *next = p->block->next;

		free(p->block);
		p->block = next;
	}
}

void range_set_init(struct range_set *s, struct range_pool *p)
{
	*s = (struct range_set){ .owner = ++p->last_owner };
}

/* Both sides get a new owner, so that neither owns what they now share. */
void range_set_copy(struct range_set *to, struct range_set *from, struct range_pool *p)
{
	*to = (struct range_set){ from->root, ++p->last_owner };
	from->owner = ++p->last_owner;
}

static struct range_node *node_room(struct range_pool *p)
{
	struct range_node *n = p->unused;

	if (n) {
		p->unused = n->left;
		return n;
	}
	if (!p->room) {
		struct range_block *b = mem_zalloc(sizeof(*b));

		b->next = p->block;
		p->block = b;
		p->room = BLOCK_NODES;
	}
	return &p->block->node[--p->room];
}

/* splitmix64: consecutive numbers as if drawn at random, which the depth of the tree rests on. */
static uint32_t next_priority(struct range_pool *p)
{
	uint64_t x = p->shuffle += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) >> 32;
}

static struct range_node *node_new(struct range_set *s, struct range_pool *p, const struct range *r)
{
	struct range_node *n = node_room(p);

	*n = (struct range_node){ .range = *r, .owner = s->owner, .priority = next_priority(p) };
	return n;
}

static struct range_node *node_own(struct range_set *s, struct range_pool *p, struct range_node *n)
{
	struct range_node *copy;

	if (n->owner == s->owner)
		return n;
	copy = node_room(p);
	*copy = *n;
	copy->owner = s->owner;
	return copy;
}

static void node_drop(struct range_set *s, struct range_pool *p, struct range_node *n)
{
	/* Another set may still use what this one does not own, and nothing owned hangs below it.
	 */
	if (!n || n->owner != s->owner)
		return;
	node_drop(s, p, n->left);
	node_drop(s, p, n->right);
	n->left = p->unused;
	p->unused = n;
}

/* Splits "n" into what starts below "at" and what does not. */
static void split(struct range_set *s, struct range_pool *p, struct range_node *n, uint64_t at,
		  struct range_node **below, struct range_node **rest)
{
	if (!n) {
		*below = *rest = NULL;
		return;
	}
	n = node_own(s, p, n);
	if (n->range.start < at) {
		split(s, p, n->right, at, &n->right, rest);
		*below = n;
	} else {
		split(s, p, n->left, at, below, &n->left);
		*rest = n;
	}
}

/* All of "a" lies below all of "b". */
static struct range_node *join(struct range_set *s, struct range_pool *p, struct range_node *a,
			       struct range_node *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->priority > b->priority) {
		a = node_own(s, p, a);
		a->right = join(s, p, a->right, b);
		return a;
	}
	b = node_own(s, p, b);
	b->left = join(s, p, a, b->left);
	return b;
}

static struct range_node *last_of(struct range_node *n)
{
	while (n && n->right)
		n = n->right;
	return n;
}

/* Makes "at" a border: a range across it becomes two. */
static void cut(struct range_set *s, struct range_pool *p, uint64_t at)
{
	struct range_node *below, *rest, *last;
	struct range upper;

	split(s, p, s->root, at, &below, &rest);
	last = last_of(below);
	if (last && last->range.end > at) {
		upper = (struct range){ at, last->range.end, last->range.value };
		/* The path down to the last node of "below" must be this set's own. */
		split(s, p, below, last->range.start, &below, &last);
		last = node_own(s, p, last);
		last->range.end = at;
		below = join(s, p, below, last);
		rest = join(s, p, node_new(s, p, &upper), rest);
	}
	s->root = join(s, p, below, rest);
}

void range_put(struct range_set *s, struct range_pool *p, const struct range *r)
{
	struct range_node *below, *middle, *rest;

	if (r->start >= r->end)
		return;
	cut(s, p, r->start);
	cut(s, p, r->end);
	split(s, p, s->root, r->start, &below, &rest);
	split(s, p, rest, r->end, &middle, &rest);
	node_drop(s, p, middle);
	s->root = join(s, p, join(s, p, below, node_new(s, p, r)), rest);
}

const struct range *range_below(const struct range_set *s, uint64_t addr)
{
	const struct range *best = NULL;

	for (const struct range_node *n = s->root; n;) {
		if (n->range.start <= addr) {
			best = &n->range;
			n = n->right;
		} else {
			n = n->left;
		}
	}
	return best;
}

const struct range *range_find(const struct range_set *s, uint64_t addr)
{
	const struct range *r = range_below(s, addr);

	return r && addr < r->end ? r : NULL;
}
