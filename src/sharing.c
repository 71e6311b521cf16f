// SPDX-License-Identifier: GPL-2.0-only
#include "sharing.h"
#include "mem.h"
#include "phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS  256	 /* that are set against each other: the first by samples */
#define MOST_SPOTS  256	 /* the widest line has as many bytes */
#define MOST_UNIT   8	 /* bytes: a larger field is not used as one */
#define LEAST_MOVES 3	 /* fewer say nothing */
#define MINOR	    0.01 /* share of the moves that makes sharing mixed, if surely there */
#define SURE	    0.5	 /* confidence below which nothing is said */
#define ROLE_SHARE  0.01 /* of the moves that makes a role */
#define BYSTANDER   0.05 /* of the samples of a spot: less is other use of the same memory */
#define STRAY	    0.01 /* of the writes to a line: as good as none (it was initialised) */
#define RANDOM	    0.05 /* chance at which an order in time may be none */
#define LEAST_PAIR  0.001

const char *verdict_name(enum verdict v)
{
	static const char *const NAMES[VERDICTS] = {
		[VERDICT_NONE] = "none",	   [VERDICT_TRUE] = "true sharing",
		[VERDICT_FALSE] = "false sharing", [VERDICT_MIXED] = "mixed",
		[VERDICT_SPLIT] = "split access",  [VERDICT_PAIR] = "pair candidate",
		[VERDICT_TRANSIENT] = "transient", [VERDICT_UNSURE] = "unsure",
	};

	return NAMES[v];
}

const char *sharing_role_name(enum sharing_role r)
{
	static const char *const NAMES[] = { [ROLE_NONE] = NULL,
					     [ROLE_VICTIM] = "victim",
					     [ROLE_AGGRESSOR] = "aggressor",
					     [ROLE_BOTH] = "both" };

	return NAMES[r];
}

/* ---- Who */

static const struct idset *actors_of(const struct cell *c)
{
	return c->threads.count ? &c->threads : &c->cpus;
}

static bool writes(const struct cell *c)
{
	return c->counts.stores || c->counts.locked;
}

static uint32_t in_both(const struct idset *a, const struct idset *b)
{
	const uint32_t *x = idset_ids(a), *y = idset_ids(b);
	uint32_t n = 0;

	for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
		int order = CMP(x[i], y[k]);

		n += !order;
		i += order <= 0;
		k += order >= 0;
	}
	return n;
}

/* The share of pairs, one of "a" and one of "b", that are two threads. */
static double apart(const struct idset *a, const struct idset *b)
{
	double all = (double)a->count * b->count;

	return all > 0 ? 1 - in_both(a, b) / all : 0;
}

/* ---- Spots */

/* Bytes from "start" of the object on, "size" of them, are used as one: sets where that is. */
static void unite(struct sharing_spot *spot, const struct data_place *p, uint64_t start,
		  uint64_t size)
{
	uint64_t into = p->object_offset - start;

	if (!size || size > MOST_UNIT || p->object_offset < start || into >= size)
		return;
	spot->size = size;
	spot->offset = into < spot->offset ? spot->offset - into : 0;
}

/* Bytes that an access at "offset" is taken to use. */
static struct sharing_spot spot_at(const struct contended_line *l, uint32_t offset,
				   struct attrib *attrib)
{
	struct sharing_spot spot = { .offset = offset };
	struct data_place p;

	memset(&p, 0, sizeof(p));
	if (!attrib_data(attrib, l->data, l->pid, l->addr + offset, &p))
		return spot;
	spot.object = p.object;
	spot.name = p.field;
	if (p.field)
		unite(&spot, &p, p.field_offset, p.field_size);
	else if (p.object)
		unite(&spot, &p, 0, p.object_size);
	return spot;
}

/* "hits_a" of an object without fields, "box.limit" where the line has several objects. */
static void name_spot(struct sharing_spot *spot, bool several, struct intern *pool)
{
	if (!spot->name && spot->size)
		spot->name = spot->object;
	else if (spot->name && several && spot->object)
		spot->name = intern_printf(pool, spot->name[0] == '[' ? "%s%s" : "%s.%s",
					   spot->object, spot->name);
}

static void name_spots(struct sharing *s, struct intern *pool)
{
	bool several = false;

	for (uint32_t i = 1; i < s->spot_count; i++)
		several |= s->spots[i].object != s->spots[0].object;
	for (uint32_t i = 0; i < s->spot_count; i++)
		name_spot(&s->spots[i], several, pool);
	for (uint32_t i = s->spot_count; i-- > 1;) /* parts of one large field */
		if (s->spots[i].name && s->spots[i].name == s->spots[i - 1].name)
			s->spots[i].name = intern_printf(pool, "%s at +%u", s->spots[i].name,
							 s->spots[i].offset);
}

static bool same_spot(const struct sharing_spot *a, const struct sharing_spot *b)
{
	return a->offset == b->offset || (a->size && b->offset < a->offset + a->size);
}

/* Cells are in order of offset. */
static void make_spots(struct sharing *s, struct attrib *attrib)
{
	const struct contended_line *l = s->line;
	uint32_t last = UINT32_MAX, room = 0;

	s->spot_of = mem_zalloc(l->cell_count + 1);
	for (uint32_t i = 0; i < l->cell_count; i++) {
		struct sharing_spot spot;

		if (l->cells[i].offset != last) {
			last = l->cells[i].offset;
			spot = spot_at(l, last, attrib);
			if (!s->spot_count || !same_spot(&s->spots[s->spot_count - 1], &spot)) {
				mem_grow(&s->spots, &room, s->spot_count);
				s->spots[s->spot_count++] = spot;
			}
		}
		s->spot_of[i] = s->spot_count - 1;
	}
}

/* What the instructions that use it say, but for those of few samples. */
static void name_by_code(struct sharing *s, uint32_t number, struct attrib *attrib)
{
	const struct contended_line *l = s->line;
	struct sharing_spot *spot = &s->spots[number];
	uint64_t addr = l->addr + spot->offset, samples = 0;
	struct data_place p;

	for (uint32_t i = 0; i < l->cell_count; i++)
		samples += s->spot_of[i] == number ? l->cells[i].counts.samples : 0;
	memset(&p, 0, sizeof(p));
	attrib_data(attrib, l->data, l->pid, addr, &p);
	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct cell *c = &l->cells[i];

		if (s->spot_of[i] == number && c->counts.samples >= BYSTANDER * samples)
			attrib_data_by_code(attrib, c->code, c->ip, addr, &p);
	}
	if (p.confidence < CONFIDENCE_LIKELY)
		return;
	spot->object = p.object;
	spot->name = p.field;
}

static void count_spot(struct sharing *s, uint32_t number)
{
	struct sharing_spot *spot = &s->spots[number];
	struct idset users = { 0 }, writers = { 0 };

	for (uint32_t i = 0; i < s->line->cell_count; i++) {
		const struct cell *c = &s->line->cells[i];

		if (s->spot_of[i] != number)
			continue;
		spot->loads += c->counts.loads;
		spot->stores += c->counts.stores > c->counts.locked ? c->counts.stores
								    : c->counts.locked;
		spot->locked += c->counts.locked;
		idset_merge(&users, actors_of(c));
		if (writes(c))
			idset_merge(&writers, actors_of(c));
	}
	spot->users = users.count;
	spot->writers = writers.count;
	spot->owner = writers.count ? idset_ids(&writers)[0] : UINT32_MAX;
	idset_deinit(&users);
	idset_deinit(&writers);
}

/* ---- Moves */

static enum sharing_basis choose_basis(const struct contended_line *l)
{
	if (counts_hitm(&l->counts))
		return BASIS_HITM;
	return l->counts.peer ? BASIS_PEER : BASIS_STORES;
}

/* Stores that missed the first level waited, too, for a line that is contended. Where that is not
 * known of any, each store may have. */
static double moves_of(const struct sharing *s, const struct counts *c)
{
	const struct counts *all = &s->line->counts;

	switch (s->basis) {
	case BASIS_HITM:
		return counts_hitm(c) + c->store_misses;
	case BASIS_PEER:
		return c->peer + c->store_misses;
	case BASIS_STORES:
		break;
	}
	return all->store_misses ? c->store_misses : c->stores;
}

/* A cell as one side of a fight. */
struct side {
	uint32_t cell, spot;
	double moves;
	double stores, uses;
	const struct idset *actors;
	bool writes;
};

static int side_compare(const void *a, const void *b)
{
	const struct side *x = a, *y = b;
	int order = CMP(y->moves, x->moves);

	if (!order)
		order = CMP(y->uses, x->uses);
	return order ? order : CMP(x->cell, y->cell);
}

static struct side *make_sides(struct sharing *s, uint32_t *count)
{
	const struct contended_line *l = s->line;
	struct side *sides = mem_zalloc((l->cell_count + 1) * sizeof(*sides));

	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct counts *c = &l->cells[i].counts;

		sides[i] = (struct side){ .cell = i,
					  .spot = s->spot_of[i],
					  .moves = moves_of(s, c),
					  .stores = c->stores > c->locked ? c->stores : c->locked,
					  .uses = c->samples,
					  .actors = actors_of(&l->cells[i]),
					  .writes = writes(&l->cells[i]) };
		s->moves += sides[i].moves;
	}
	qsort(sides, l->cell_count, sizeof(*sides), side_compare);
	*count = l->cell_count < MOST_CELLS ? l->cell_count : MOST_CELLS;
	return sides;
}

/* How much "by" makes "victim" wait: a read waits for writes of others, a write also for the
 * copies that others read. */
static double conflict(const struct side *victim, const struct side *by)
{
	double weight = victim->writes ? by->uses : by->stores;

	return weight > 0 ? weight * apart(victim->actors, by->actors) : 0;
}

/* Which spots the threads of the victim use, in whatever cell. */
static void find_used(const struct side *sides, uint32_t count, const struct side *victim,
		      bool *used)
{
	for (uint32_t i = 0; i < count; i++)
		if (!used[sides[i].spot])
			used[sides[i].spot] = in_both(sides[i].actors, victim->actors) != 0;
}

static void add_pair(struct sharing *s, uint32_t *room, const struct side *victim,
		     const struct side *by, double moves, bool same)
{
	struct sharing_spot *spot = &s->spots[victim->spot];

	s->spots[by->spot].blame += moves;
	*(same ? &s->same : &s->other) += moves;
	spot->other += same ? 0 : moves;
	if (moves < LEAST_PAIR * s->moves)
		return;
	mem_grow(&s->pairs, room, s->pair_count);
	s->pairs[s->pair_count++] = (struct sharing_pair){ victim->cell, by->cell, moves, same };
}

/*
 * Shares out the moves that one cell waits for, by who could have caused them. Bytes are the same
 * when the victim's own are among those that others write, and then also those that its threads use
 * beside them: a reader of a sequence lock needs all that it reads. Bytes that nobody else writes
 * wait for others' sake alone, whatever else their thread does.
 */
static void blame_cell(struct sharing *s, uint32_t *room, const struct side *sides, uint32_t count,
		       const struct side *victim)
{
	double weight[MOST_CELLS], all = 0, own = 0;
	bool used[MOST_SPOTS] = { false }, wanted;

	for (uint32_t i = 0; i < count; i++) {
		weight[i] = conflict(victim, &sides[i]);
		all += weight[i];
		own += sides[i].spot == victim->spot ? weight[i] : 0;
	}
	if (!(all > 0))
		return;
	wanted = own >= STRAY * all;
	find_used(sides, count, victim, used);
	for (uint32_t i = 0; i < count; i++) {
		double moves = victim->moves * weight[i] / all;
		bool uses = used[sides[i].spot];

		if (!(weight[i] > 0))
			continue;
		if (!uses)
			s->spots[victim->spot].casual += moves;
		add_pair(s, room, victim, &sides[i], moves, wanted && uses);
	}
}

static void share_moves(struct sharing *s)
{
	uint32_t count, room = 0;
	struct side *sides = make_sides(s, &count);

	for (uint32_t i = 0; i < count; i++) {
		s->spots[sides[i].spot].moves += sides[i].moves;
		if (sides[i].moves > 0)
			blame_cell(s, &room, sides, count, &sides[i]);
	}
	free(sides);
}

static void give_roles(struct sharing *s)
{
	for (uint32_t i = 0; i < s->spot_count; i++) {
		struct sharing_spot *spot = &s->spots[i];
		bool victim = spot->moves > 0 && spot->moves >= ROLE_SHARE * s->moves,
		     aggressor = spot->stores && spot->blame > 0 &&
				 spot->blame >= ROLE_SHARE * (s->same + s->other);

		spot->role = (victim ? ROLE_VICTIM : 0) | (aggressor ? ROLE_AGGRESSOR : 0);
	}
}

/* ---- The verdict */

/* Wilson's lower limit of a share of which "part" in "whole" was seen, 97.5 % one-sided: E. B.
 * Wilson, Probable Inference, JASA 22 (1927). */
static double least_share(double part, double whole)
{
	const double z = 1.959963985;
	double share, middle, spread;

	if (!(whole > 0))
		return 0;
	share = part / whole;
	middle = share + z * z / (2 * whole);
	spread = z * sqrt((share * (1 - share) + z * z / (4 * whole)) / whole);
	return fmax(0, (middle - spread) / (1 + z * z / whole));
}

static enum verdict judge_parts(struct sharing *s, double told)
{
	double rarer = fmin(s->same, s->other);

	/* Of two kinds of moves that must both be there, the rarer one says how sure that is. */
	if (least_share(rarer, told) >= MINOR) {
		s->confidence = least_share(rarer, rarer);
		return VERDICT_MIXED;
	}
	s->confidence = least_share(fmax(s->same, s->other), s->moves);
	return s->same > s->other ? VERDICT_TRUE : VERDICT_FALSE;
}

static void judge_bytes(struct sharing *s)
{
	double told = s->same + s->other;

	s->verdict = VERDICT_UNSURE;
	if (told < LEAST_MOVES || told * 2 < s->moves)
		return;
	s->verdict = judge_parts(s, told);
	if (s->confidence >= SURE)
		return;
	s->verdict = VERDICT_UNSURE;
	s->confidence = 0;
}

/* ---- Split accesses */

static const struct contended_line *line_at(const struct profile *p, uint64_t addr, uint32_t pid)
{
	for (uint32_t i = 0; i < p->line_count; i++)
		if (p->lines[i].addr == addr && p->lines[i].pid == pid)
			return &p->lines[i];
	return NULL;
}

/* Locked samples of an instruction at one offset. */
static uint64_t locked_at(const struct contended_line *l, uint64_t ip, uint32_t offset)
{
	for (uint32_t i = 0; i < l->cell_count; i++)
		if (l->cells[i].ip == ip && l->cells[i].offset == offset)
			return l->cells[i].counts.locked;
	return 0;
}

/* An instruction that locks at this line's end and at no other place in it. */
static bool only_place(const struct contended_line *l, const struct cell *cell)
{
	for (uint32_t i = 0; i < l->cell_count; i++)
		if (&l->cells[i] != cell && l->cells[i].ip == cell->ip)
			return false;
	return true;
}

/* Locked samples whose field reaches over the line's end, or whose instruction locks the start of
 * the next line as often: the two parts of one access. "next" may be NULL. */
static uint64_t split_locked(const struct sharing *s, const struct profile *p,
			     const struct contended_line *l, const struct contended_line *next)
{
	uint64_t locked = 0;

	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct cell *c = &l->cells[i];
		uint64_t other = next ? locked_at(next, c->ip, 0) : 0;

		if (!c->counts.locked || c->offset + MOST_UNIT <= p->line_size)
			continue;
		if (l == s->line) {
			const struct sharing_spot *spot = &s->spots[s->spot_of[i]];

			if (spot->offset + spot->size > p->line_size)
				locked += c->counts.locked;
		}
		if (other && only_place(l, c) && other * 2 > c->counts.locked &&
		    c->counts.locked * 2 > other)
			locked += c->counts.locked;
	}
	return locked;
}

static bool ends_locked(const struct contended_line *l, uint32_t line_size)
{
	for (uint32_t i = 0; i < l->cell_count; i++)
		if (l->cells[i].counts.locked && l->cells[i].offset + MOST_UNIT > line_size)
			return true;
	return false;
}

static bool starts_locked(const struct contended_line *l)
{
	return l->cell_count && !l->cells[0].offset && l->cells[0].counts.locked;
}

static bool judge_split(struct sharing *s, const struct profile *p)
{
	const struct contended_line *l = s->line, *other = NULL;
	uint64_t locked = 0;

	if (ends_locked(l, p->line_size)) {
		other = line_at(p, l->addr + p->line_size, l->pid);
		locked = split_locked(s, p, l, other);
		s->neighbour = l->addr + p->line_size;
	}
	if (!locked && starts_locked(l)) {
		other = line_at(p, l->addr - p->line_size, l->pid);
		locked = other ? split_locked(s, p, other, l) : 0;
		s->neighbour = l->addr - p->line_size;
	}
	if (!locked || locked * 2 < l->counts.locked)
		return false;
	s->verdict = VERDICT_SPLIT;
	s->confidence = least_share(locked < l->counts.locked ? locked : l->counts.locked,
				    l->counts.locked);
	return true;
}

/* ---- Handing over */

#define OVERLAP 8 /* of all its time: a handover within one phase code takes less */

/* The writes of one thread, and the reads of others. */
struct order {
	uint32_t first_write, last_write, first_read, last_read; /* codes */
	uint64_t writes, reads;					 /* samples */
};

static bool find_order(const struct contended_line *l, struct order *o)
{
	const struct idset *writer = NULL;

	*o = (struct order){ .first_write = UINT32_MAX, .first_read = UINT32_MAX };
	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct cell *c = &l->cells[i];

		if (!c->first)
			return false;
		if (!writes(c))
			continue;
		writer = actors_of(c);
		o->writes += c->counts.samples;
		o->first_write = c->first < o->first_write ? c->first : o->first_write;
		o->last_write = c->last > o->last_write ? c->last : o->last_write;
	}
	for (uint32_t i = 0; i < l->cell_count && writer; i++) {
		const struct cell *c = &l->cells[i];

		if (writes(c) || in_both(actors_of(c), writer))
			continue;
		o->reads += c->counts.samples;
		o->first_read = c->first < o->first_read ? c->first : o->first_read;
		o->last_read = c->last > o->last_read ? c->last : o->last_read;
	}
	return o->writes && o->reads;
}

/* The chance that all writes come before all reads if their order were random. */
static double chance_of_order(const struct order *o)
{
	double w = (double)o->writes, r = (double)o->reads;

	return exp(lgamma(w + 1) + lgamma(r + 1) - lgamma(w + r + 1));
}

/* One thread's writes, all of them before others read. */
static bool judge_order(struct sharing *s)
{
	struct order o;

	if (s->line->writers != 1 || !find_order(s->line, &o) || o.last_write > o.first_read)
		return false;
	if (o.last_write == o.first_read) {
		uint64_t both = phase_start(o.last_write + 1) - phase_start(o.last_write);

		if (phase_start(o.last_read) - phase_start(o.first_write) < OVERLAP * both)
			return false;
	}
	if (chance_of_order(&o) > RANDOM)
		return false;
	s->verdict = VERDICT_TRANSIENT;
	s->confidence = 1 - chance_of_order(&o);
	return true;
}

void sharing_init(struct sharing *s, const struct profile *p, const struct contended_line *line,
		  struct attrib *attrib, struct intern *pool)
{
	*s = (struct sharing){ .line = line, .basis = choose_basis(line) };
	make_spots(s, attrib);
	for (uint32_t i = 0; i < s->spot_count; i++)
		if (!s->spots[i].name && !s->spots[i].size)
			name_by_code(s, i, attrib);
	name_spots(s, pool);
	for (uint32_t i = 0; i < s->spot_count; i++)
		count_spot(s, i);
	share_moves(s);
	if (line->contended)
		give_roles(s);
	if (!judge_split(s, p) && line->contended && !judge_order(s)) /* a split costs one, too */
		judge_bytes(s);
	sharing_tell(s, p, pool);
}

void sharing_deinit(struct sharing *s)
{
	free(s->spots);
	free(s->spot_of);
	free(s->pairs);
	*s = (struct sharing){ 0 };
}
