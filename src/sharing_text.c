// SPDX-License-Identifier: GPL-2.0-only
/* A verdict in words. */
#include "intern.h"
#include "sharing.h"

#include <inttypes.h>
#include <string.h>

#define NAMED	3   /* fields; more are counted */
#define LONGEST 40  /* bytes of a name */
#define MAJOR	0.1 /* of the moves: a field worth naming */
#define MOST	0.5 /* of moves */

typedef bool spot_test(const struct sharing *s, const struct sharing_spot *spot);

static bool is_aggressor(const struct sharing *s, const struct sharing_spot *spot)
{
	return spot->role & ROLE_AGGRESSOR;
}

/* Waits for bytes that are not its own. */
static bool is_innocent(const struct sharing *s, const struct sharing_spot *spot)
{
	return s->other > 0 && spot->other >= MAJOR * s->other;
}

/* ... and makes nobody wait. */
static bool is_bystander(const struct sharing *s, const struct sharing_spot *spot)
{
	return is_innocent(s, spot) && !is_aggressor(s, spot);
}

/* Waits for its own bytes. */
static bool is_disputed(const struct sharing *s, const struct sharing_spot *spot)
{
	return s->same > 0 && spot->moves - spot->other >= MAJOR * s->same;
}

static uint32_t spots_that(const struct sharing *s, spot_test *test)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->spot_count; i++)
		n += test(s, &s->spots[i]);
	return n;
}

/* Names of templates are long, and what tells them apart is at both ends. */
static const char *spot_label(const struct sharing_spot *spot, struct intern *pool)
{
	size_t length = spot->name ? strlen(spot->name) : 0;

	if (!length)
		return intern_printf(pool, "+%u", spot->offset);
	if (length <= LONGEST)
		return spot->name;
	return intern_printf(pool, "%.*s..%s", LONGEST / 2, spot->name,
			     spot->name + length - LONGEST / 2);
}

/* "a, b and 3 more"; offsets where fields are not known. */
static const char *name_spots(const struct sharing *s, spot_test *test, struct intern *pool)
{
	uint32_t left = spots_that(s, test), named = 0;
	const char *all = "";

	for (uint32_t i = 0; i < s->spot_count && named < NAMED; i++) {
		const struct sharing_spot *spot = &s->spots[i];

		if (!test(s, spot))
			continue;
		left--;
		all = intern_printf(pool, "%s%s%s", all,
				    !named ? ""
				    : left ? ", "
					   : " and ",
				    spot_label(spot, pool));
		named++;
	}
	return left ? intern_printf(pool, "%s and %u more", all, left) : all;
}

static uint32_t most_of(const struct sharing *s, spot_test *test, bool writers)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->spot_count; i++) {
		const struct sharing_spot *spot = &s->spots[i];
		uint32_t n = writers ? spot->writers : spot->users;

		if (test(s, spot))
			most = n > most ? n : most;
	}
	return most;
}

static uint32_t actors(const struct contended_line *l)
{
	return l->threads.count ? l->threads.count : l->cpus.count;
}

static const char *actor_noun(const struct contended_line *l, uint32_t n)
{
	if (l->threads.count || !l->cpus.count)
		return n == 1 ? "thread" : "threads";
	return n == 1 ? "CPU" : "CPUs";
}

static const char *people(const struct contended_line *l, uint32_t n, struct intern *pool)
{
	return intern_printf(pool, "%u %s", n, actor_noun(l, n));
}

/* "98 % of 2,350 moves" */
static const char *share_words(const struct sharing *s, double part, struct intern *pool)
{
	static const char *const NOUN[] = {
		[BASIS_HITM] = "moves", [BASIS_PEER] = "transfers", [BASIS_STORES] = "stores"
	};

	return intern_printf(pool, "%.0f %% of %.0f %s", 100 * part / s->moves, s->moves,
			     NOUN[s->basis]);
}

/* ---- Reasons */

static const char *why_none(const struct sharing *s, struct intern *pool)
{
	const struct contended_line *l = s->line;

	if (actors(l) < 2)
		return "one thread alone was seen to use it";
	if (!l->writers)
		return intern_printf(pool, "%s read it, none was seen to write it",
				     people(l, actors(l), pool));
	return intern_printf(pool, "shared by %s, but not seen to move while it was written",
			     people(l, actors(l), pool));
}

static const char *why_true(const struct sharing *s, struct intern *pool)
{
	const struct contended_line *l = s->line;
	bool few = spots_that(s, is_disputed) == 0;
	spot_test *which = few ? is_aggressor : is_disputed;

	return intern_printf(pool, "%s use %s, %u write; %s are for the same bytes",
			     people(l, most_of(s, which, false), pool), name_spots(s, which, pool),
			     most_of(s, which, true), share_words(s, s->same, pool));
}

/* How many threads have innocent spots, each of which is written by one thread alone and makes
 * others wait; 0: they are not so. */
static uint32_t owners(const struct sharing *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->spot_count; i++) {
		const struct sharing_spot *spot = &s->spots[i];
		bool again = false;

		if (!is_innocent(s, spot))
			continue;
		if (spot->writers != 1 || !is_aggressor(s, spot))
			return 0;
		for (uint32_t k = 0; k < i; k++)
			again |= is_innocent(s, &s->spots[k]) && s->spots[k].owner == spot->owner;
		n += !again;
	}
	return n;
}

static bool is_slots(const struct sharing *s)
{
	return owners(s) > 1;
}

/* Those in the way: that make nobody wait, if there are such. */
static spot_test *in_the_way(const struct sharing *s)
{
	return spots_that(s, is_bystander) ? is_bystander : is_innocent;
}

/* Threads that wait for other bytes use these, too, in the main. */
static bool is_tied(const struct sharing *s)
{
	double casual = 0;

	for (uint32_t i = 0; i < s->spot_count; i++)
		casual += s->spots[i].casual;
	return casual < MOST * s->other;
}

static const char *why_false(const struct sharing *s, struct intern *pool)
{
	const char *share = share_words(s, s->other, pool);

	if (is_slots(s))
		return intern_printf(
			pool, "%s write different bytes (%s); %s are for others' bytes",
			people(s->line, owners(s), pool), name_spots(s, is_innocent, pool), share);
	return intern_printf(pool, "who uses %s waits for writes of %s; %s are for %s",
			     name_spots(s, in_the_way(s), pool), name_spots(s, is_aggressor, pool),
			     share,
			     is_tied(s) ? "bytes beside; the same threads use those, too, so that "
					  "apart the wait moves on to them"
					: "bytes that these threads do not use");
}

static const char *why_mixed(const struct sharing *s, struct intern *pool)
{
	const char *shared = name_spots(s, spots_that(s, is_disputed) ? is_disputed : is_aggressor,
					pool);
	const char *rest = name_spots(s, in_the_way(s), pool);
	const char *share = share_words(s, s->other, pool);

	if (is_slots(s))
		return intern_printf(pool,
				     "one %s each writes %s, others use them, too; %s are for "
				     "other bytes",
				     actor_noun(s->line, 1), rest, share);
	return intern_printf(pool,
			     "several use %s, what uses %s only waits; %s are for other bytes",
			     shared, rest, share);
}

static const char *why_split(const struct sharing *s, struct intern *pool)
{
	return intern_printf(pool,
			     "%" PRIu64
			     " locked accesses reach over the end of a line, between this one "
			     "and the one at 0x%" PRIx64 "; each needs both",
			     s->line->counts.locked, s->neighbour);
}

static const char *why_pair(const struct sharing *s, struct intern *pool)
{
	return intern_printf(pool,
			     "no thread fights over this line; its neighbour in 128 bytes, at "
			     "0x%" PRIx64 ", is written by another thread: costs only where the "
			     "adjacent-line prefetcher moves pairs",
			     s->neighbour);
}

static const char *why_transient(const struct sharing *s, struct intern *pool)
{
	return intern_printf(pool,
			     "written first, by %u, and only then read, by others: handed "
			     "over, not fought over",
			     s->line->writers);
}

static const char *why_unsure(const struct sharing *s, struct intern *pool)
{
	double told = s->same + s->other;

	if (!s->line->writers)
		return "modified by something whose writes were not sampled";
	if (told * 2 < s->moves)
		return intern_printf(pool,
				     "of %.0f moves only %.0f can be told: nobody else was "
				     "seen to write what they wait for",
				     s->moves, told);
	return intern_printf(pool, "%.0f moves are too few to judge by (for other bytes: %.0f)",
			     s->moves, s->other);
}

/* ---- Advice, with its price */

#define LINES(n) ((n) == 1 ? "line" : "lines")

static const char *pad_words(const struct sharing *s, uint32_t line_size, struct intern *pool)
{
	uint32_t more = owners(s) - 1;

	return intern_printf(pool, "pad: a line for what each %s writes of %s (+%u bytes, +%u %s)",
			     actor_noun(s->line, 1), name_spots(s, is_innocent, pool),
			     more * line_size, more, LINES(more));
}

static const char *advise_false(const struct sharing *s, uint32_t line_size, struct intern *pool)
{
	if (is_slots(s))
		return pad_words(s, line_size, pool);
	if (is_tied(s))
		return NULL;
	if (s->verdict == VERDICT_MIXED)
		return spots_that(s, is_bystander)
			       ? intern_printf(pool,
					       "split: %s to another line (+%u bytes, +1 line)",
					       name_spots(s, is_bystander, pool), line_size)
			       : NULL;
	return intern_printf(pool, "split: %s to a line of its own (+%u bytes, +1 line)",
			     name_spots(s, is_aggressor, pool), line_size);
}

/* Two threads, each of which writes what the other one reads. */
static bool is_queue(const struct sharing *s)
{
	uint32_t ends = 0;

	for (uint32_t i = 0; i < s->spot_count; i++) {
		const struct sharing_spot *spot = &s->spots[i];

		if (!is_disputed(s, spot))
			continue;
		if (spot->writers != 1 || spot->users != 2)
			return false;
		ends++;
	}
	return ends > 1 && actors(s->line) == 2 && s->line->writers == 2;
}

static const char *advise_true(const struct sharing *s, uint32_t line_size, struct intern *pool)
{
	uint32_t writers = most_of(s, is_aggressor, true);
	const char *names = name_spots(s, is_aggressor, pool);

	if (is_queue(s))
		return intern_printf(pool,
				     "cache the peer's index: keep a private copy of %s and read "
				     "the shared one only when that is used up (+0 lines)",
				     names);
	if (writers > 1)
		return intern_printf(
			pool,
			"shard: one %s for each of %s (+%u bytes, +%u %s), or write less often",
			names, people(s->line, writers, pool), (writers - 1) * line_size,
			writers - 1, LINES(writers - 1));
	if (writers == 1)
		return intern_printf(pool,
				     "test before write: store to %s only what differs "
				     "(+0 bytes), or less often",
				     names);
	return NULL;
}

static const char *advise_mixed(const struct sharing *s, uint32_t line_size, struct intern *pool)
{
	return advise_false(s, line_size, pool);
}

static const char *advise_split(const struct sharing *s, uint32_t line_size, struct intern *pool)
{
	return "align the word to its size, so that it lies in one line (+7 bytes at most)";
}

static const char *advise_pair(const struct sharing *s, uint32_t line_size, struct intern *pool)
{
	return intern_printf(pool,
			     "only on CPUs with that prefetcher: align to %u bytes (+%u "
			     "bytes, +1 line)",
			     2 * line_size, line_size);
}

static const struct {
	const char *(*why)(const struct sharing *s, struct intern *pool);
	const char *(*advise)(const struct sharing *s, uint32_t line_size, struct intern *pool);
} WORDS[VERDICTS] = {
	[VERDICT_NONE] = { why_none, NULL },
	[VERDICT_TRUE] = { why_true, advise_true },
	[VERDICT_FALSE] = { why_false, advise_false },
	[VERDICT_MIXED] = { why_mixed, advise_mixed },
	[VERDICT_SPLIT] = { why_split, advise_split },
	[VERDICT_PAIR] = { why_pair, advise_pair },
	[VERDICT_TRANSIENT] = { why_transient, NULL },
	[VERDICT_UNSURE] = { why_unsure, NULL },
};

void sharing_tell(struct sharing *s, const struct profile *p, struct intern *pool)
{
	s->reason = WORDS[s->verdict].why(s, pool);
	if (WORDS[s->verdict].advise)
		s->advice = WORDS[s->verdict].advise(s, p->line_size, pool);
}
