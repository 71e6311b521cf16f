// SPDX-License-Identifier: GPL-2.0-only
#include "sharing.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOSTLY	  0.98	/* false sharing, when as much of the misses would go with the neighbours */
#define PARTLY	  0.1	/* mixed, when as much would */
#define INNOCENT  0.005 /* ... or as much is paid at bytes that no other thread writes at all */
#define INNOCENTS 20	/* and so many HITM (or stores) */
#define LEAST	  10	/* HITM, or stores, below which nothing is said */
#define SURE	  0.8	/* confidence below which nothing is said */
#define SELDOM	  0.001 /* of the accesses that could meet; fewer do: threads take turns */
#define SELDOM_OF 10000 /* such accesses that must have been seen */
#define GUESS	  8	/* bytes of an access that nothing tells of, at most */

static const char *const words[SHARING_KINDS] = {
	[SHARING_NONE] = "none",	   [SHARING_TRUE] = "true sharing",
	[SHARING_FALSE] = "false sharing", [SHARING_MIXED] = "mixed",
	[SHARING_SPLIT] = "split access",  [SHARING_TRANSIENT] = "transient",
	[SHARING_UNSURE] = "unsure",
};

const char *sharing_word(enum sharing_kind kind)
{
	return words[kind];
}

void sharing_deinit(struct sharing *s)
{
	free(s->spots);
}

/* ---- Who does what */

static const struct idset *actors_of(const struct cell *c)
{
	return c->threads.count ? &c->threads : &c->cpus;
}

static bool writes(const struct cell *c)
{
	return c->counts.stores || c->counts.locked;
}

/* Accesses that the cell's samples of a kind stand for. */
static double scaled(const struct cell *c, uint64_t samples)
{
	return c->counts.samples ? (double)samples * c->counts.accesses / c->counts.samples : 0;
}

static double stores_of(const struct cell *c)
{
	return scaled(c, c->counts.stores > c->counts.locked ? c->counts.stores : c->counts.locked);
}

static double visits_of(const struct cell *c)
{
	uint64_t most = c->counts.loads > c->counts.stores ? c->counts.loads : c->counts.stores;

	return scaled(c, most);
}

/* The writes of a cell that are not by one of the other cell's threads, seen from that one: each
 * thread is taken to do as much as the others. */
static double others_writes(const struct cell *writer, const struct cell *reader)
{
	const struct idset *a = actors_of(writer), *b = actors_of(reader);
	const uint32_t *id = idset_ids(b);
	uint32_t common = 0;

	if (!writes(writer) || !a->count || !b->count)
		return 0;
	for (uint32_t i = 0; i < b->count; i++)
		common += idset_has(a, id[i]);
	return stores_of(writer) * (1 - (double)common / ((double)a->count * b->count));
}

/* ---- Bytes */

static uint32_t natural_size(uint32_t offset)
{
	return offset % GUESS ? offset & -offset : GUESS;
}

/* Up to the next offset that is accessed: what is not known should not make bytes meet. */
static uint32_t guess_size(const struct sharing *s, uint32_t i, uint32_t line_size)
{
	uint32_t end = i + 1 < s->spot_count ? s->spots[i + 1].offset : line_size;
	uint32_t size = natural_size(s->spots[i].offset);

	return size < end - s->spots[i].offset ? size : end - s->spots[i].offset;
}

static bool overlap(const struct sharing_spot *a, const struct sharing_spot *b)
{
	return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* ---- Spots */

/* Cells are in order of offset. */
static void find_spots(struct sharing *s, const struct contended_line *l, const uint8_t *size,
		       uint32_t line_size)
{
	s->spots = mem_zalloc((l->cell_count + 1) * sizeof(*s->spots));
	for (uint32_t i = 0; i < l->cell_count; i++)
		if (!s->spot_count || s->spots[s->spot_count - 1].offset != l->cells[i].offset)
			s->spots[s->spot_count++].offset = l->cells[i].offset;
	for (uint32_t i = 0; i < s->spot_count; i++)
		s->spots[i].size = size[s->spots[i].offset] ?: guess_size(s, i, line_size);
}

static void count_actors(struct sharing_spot *spot, const struct cell *cells, uint32_t count)
{
	struct idset writers = { 0 }, users = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		idset_merge(&users, actors_of(&cells[i]));
		if (writes(&cells[i]))
			idset_merge(&writers, actors_of(&cells[i]));
	}
	spot->writers = writers.count;
	spot->users = users.count;
	idset_deinit(&writers);
	idset_deinit(&users);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Which part of a cell's misses is due to writes to the bytes it uses itself. */
struct blame {
	double same, line; /* writes by others */
};

static struct blame blame_of(const struct sharing *s, const struct contended_line *l,
			     const struct cell *victim, const struct sharing_spot *spot)
{
	struct blame b = { 0 };
	uint32_t at = 0;

	for (uint32_t i = 0; i < l->cell_count; i++) {
		double writes_there = others_writes(&l->cells[i], victim);

		while (s->spots[at].offset != l->cells[i].offset)
			at++;
		b.line += writes_there;
		if (overlap(&s->spots[at], spot))
			b.same += writes_there;
	}
	return b;
}

/* What a verdict rests on: HITM, or without any the stores. */
static double weight_of(const struct sharing *s, const struct cell *c)
{
	return s->by_stores ? stores_of(c) : (double)counts_hitm(&c->counts);
}

struct sums {
	double weight, wrong; /* wrong: of false sharing */
	double innocent;      /* at bytes that no other thread writes */
	double could_meet;
};

static void add_cell(struct sharing *s, const struct contended_line *l, const struct cell *c,
		     struct sharing_spot *spot, struct sums *sums)
{
	struct blame b = blame_of(s, l, c, spot);
	double weight = weight_of(s, c), each = visits_of(c) / (actors_of(c)->count ?: 1);
	double all = least(each, b.line), same = least(each, b.same);
	double wrong = all > 0 ? weight * (1 - same / all) : 0;

	spot->hitm += weight;
	spot->stores += stores_of(c);
	spot->false_part += wrong;
	sums->weight += weight;
	sums->wrong += wrong;
	if (all > 0 && b.same <= 0)
		sums->innocent += weight;
	sums->could_meet += all * (actors_of(c)->count ?: 1);
}

static void weigh(struct sharing *s, const struct contended_line *l, struct sums *sums)
{
	uint32_t end;

	for (uint32_t i = 0, spot = 0; i < l->cell_count; i = end, spot++) {
		for (end = i; end < l->cell_count && l->cells[end].offset == l->cells[i].offset;
		     end++)
			add_cell(s, l, &l->cells[end], &s->spots[spot], sums);
		count_actors(&s->spots[spot], &l->cells[i], end - i);
	}
	for (uint32_t i = 0; i < s->spot_count; i++)
		if (s->spots[i].hitm > 0)
			s->spots[i].false_part /= s->spots[i].hitm;
}

/* ---- The verdict */

static double normal_below(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

/* How sure it is that a part of "n" samples lies on its side of a limit (normal approximation, with
 * Agresti and Coull's two samples more of each kind). */
static double side_confidence(double part, double limit, double n)
{
	double p = (part * n + 2) / (n + 4), error = sqrt(p * (1 - p) / (n + 4));

	return normal_below(fabs(part - limit) / error);
}

static enum sharing_kind kind_of(const struct sums *sums)
{
	double part = sums->weight > 0 ? sums->wrong / sums->weight : 0;
	bool innocent = sums->innocent >= INNOCENTS && sums->innocent >= INNOCENT * sums->weight;

	if (part > MOSTLY)
		return SHARING_FALSE;
	return part >= PARTLY || innocent ? SHARING_MIXED : SHARING_TRUE;
}

/* Innocent victims are counted, not weighed: that there are some is sure. */
static double confidence_of(const struct sharing *s)
{
	double low = side_confidence(s->false_part, PARTLY, s->weight);
	double high = side_confidence(s->false_part, MOSTLY, s->weight);

	if (s->kind == SHARING_MIXED)
		return s->false_part < PARTLY ? high : least(low, high);
	return s->kind == SHARING_TRUE ? low : high;
}

static uint32_t heaviest(const struct sharing *s, double (*weight)(const struct sharing_spot *))
{
	uint32_t best = s->spot_count;

	for (uint32_t i = 0; i < s->spot_count; i++)
		if (weight(&s->spots[i]) > (best < s->spot_count ? weight(&s->spots[best]) : 0))
			best = i;
	return best;
}

static double true_hitm(const struct sharing_spot *s)
{
	return s->hitm * (1 - s->false_part);
}

static double false_hitm(const struct sharing_spot *s)
{
	return s->hitm * s->false_part;
}

static double spot_stores(const struct sharing_spot *s)
{
	return s->stores;
}

/* The bytes whose writes hurt are others than those that are hurt. */
static uint32_t find_aggressor(const struct sharing *s)
{
	uint32_t victim = s->false_victim, best = s->spot_count;

	if (victim == s->spot_count)
		return heaviest(s, spot_stores);
	for (uint32_t i = 0; i < s->spot_count; i++)
		if (i != victim && s->spots[i].stores > 0 &&
		    (best == s->spot_count || s->spots[i].stores > s->spots[best].stores))
			best = i;
	return best;
}

void sharing_judge(struct sharing *s, const struct contended_line *line, const uint8_t *size,
		   uint32_t line_size)
{
	struct sums sums = { 0 };

	*s = (struct sharing){ .by_stores = !counts_hitm(&line->counts), .met = 1 };
	find_spots(s, line, size, line_size);
	weigh(s, line, &sums);
	s->weight = sums.weight;
	s->false_part = sums.weight > 0 ? sums.wrong / sums.weight : 0;
	s->true_victim = heaviest(s, true_hitm);
	s->false_victim = heaviest(s, false_hitm);
	s->aggressor = find_aggressor(s);
	if (!s->by_stores && sums.could_meet > SELDOM_OF)
		s->met = least(1, sums.weight / sums.could_meet);
	if (!line->contended) {
		s->kind = SHARING_NONE;
		s->confidence = 1;
		return;
	}
	s->kind = kind_of(&sums);
	s->confidence = confidence_of(s);
	if (s->met < SELDOM)
		s->kind = SHARING_TRANSIENT;
	else if (sums.weight < LEAST || s->confidence < SURE)
		s->kind = SHARING_UNSURE;
}
