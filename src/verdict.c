// SPDX-License-Identifier: GPL-2.0-only
#include "verdict.h"
#include "intern.h"
#include "line.h"
#include "mem.h"

#include <string.h>

#define PART	   0.05 /* of a line's HITM or stores that makes a field victim or aggressor */
#define SIZES_MOST 256	/* bytes of a line */

/* ---- Names */

static const struct view_cell *cell_at(const struct view_line *l, uint32_t offset)
{
	for (uint32_t i = 0; i < l->cell_count; i++)
		if (l->cells[i].offset == offset)
			return &l->cells[i];
	return NULL;
}

/* "sigpending", "+24". */
static const char *spot_name(const struct view *v, const struct view_line *l, uint32_t spot)
{
	const struct sharing_spot *s = &l->sharing.spots[spot];
	const struct view_cell *c = cell_at(l, s->offset);

	if (c && c->name)
		return c->name;
	return intern_printf(v->pool, "+%u", s->offset);
}

static const char *threads(const struct view *v, uint32_t n)
{
	return intern_printf(v->pool, "%u thread%s", n, n == 1 ? "" : "s");
}

static double percent(double part)
{
	return 100 * part;
}

static bool is_spot(const struct sharing *s, uint32_t spot)
{
	return spot < s->spot_count;
}

static const char *what(const struct sharing *s)
{
	return s->by_stores ? "stores" : "HITM";
}

/* ---- Why */

static const char *why_none(const struct view *v, const struct view_line *l)
{
	if (!l->line->writers)
		return "nobody writes it: reading together costs nothing";
	return "shared, but not seen to move while it was written";
}

static const char *why_true(const struct view *v, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;
	const struct sharing_spot *spot;

	if (!is_spot(s, s->true_victim))
		return NULL;
	spot = &s->spots[s->true_victim];
	return intern_printf(v->pool,
			     "%.0f %% of its %s are at bytes that other threads write: %s, "
			     "written by %s, used by %s",
			     percent(1 - s->false_part), what(s), spot_name(v, l, s->true_victim),
			     threads(v, spot->writers), threads(v, spot->users));
}

static const char *why_false(const struct view *v, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;

	if (!is_spot(s, s->false_victim))
		return NULL;
	if (!is_spot(s, s->aggressor))
		return intern_printf(v->pool,
				     "%.0f %% of its %s are at bytes that no other thread "
				     "writes: %s",
				     percent(s->false_part), what(s),
				     spot_name(v, l, s->false_victim));
	return intern_printf(
		v->pool,
		"%.0f %% of its %s are at bytes that no other thread writes: %s pays for "
		"writes to %s",
		percent(s->false_part), what(s), spot_name(v, l, s->false_victim),
		spot_name(v, l, s->aggressor));
}

static const char *why_mixed(const struct view *v, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;

	if (!is_spot(s, s->true_victim) || !is_spot(s, s->false_victim))
		return NULL;
	return intern_printf(
		v->pool,
		"%.0f %% of its %s are at bytes that other threads write (%s), %.0f %% at "
		"bytes that none does (%s)",
		percent(1 - s->false_part), what(s), spot_name(v, l, s->true_victim),
		percent(s->false_part), spot_name(v, l, s->false_victim));
}

static const char *why_split(const struct view *v, const struct view_line *l)
{
	return "accesses reach over the end of the line: each takes two lines at once";
}

static const char *why_transient(const struct view *v, const struct view_line *l)
{
	return intern_printf(
		v->pool,
		"one HITM in %.0f accesses that could have met: its threads use it in turns",
		1 / l->sharing.met);
}

static const char *why_unsure(const struct view *v, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;

	return intern_printf(v->pool,
			     "%.0f %s are too few to tell: %.0f %% of them at bytes that no "
			     "other thread writes",
			     s->weight, what(s), percent(s->false_part));
}

/* ---- What follows */

/* Fields that one thread each writes: slots of an array, mostly. */
static uint32_t own_slots(const struct sharing *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->spot_count; i++)
		n += s->spots[i].writers == 1 && s->spots[i].stores > 0;
	return n;
}

static const char *after_false(const struct view *v, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;
	uint32_t line = v->profile->line_size, slots = own_slots(s);

	if (!is_spot(s, s->false_victim) || !is_spot(s, s->aggressor))
		return NULL;
	if (slots > 1 && slots == s->spot_count)
		return intern_printf(
			v->pool,
			"give each of the %u a line of its own: %u lines instead of one, "
			"+%u bytes",
			slots, slots, (slots - 1) * line);
	return intern_printf(v->pool, "move %s away from %s, into another line: +%u bytes at most",
			     spot_name(v, l, s->false_victim), spot_name(v, l, s->aggressor), line);
}

static const char *after_true(const struct view *v, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;
	const char *name;

	if (!is_spot(s, s->true_victim))
		return NULL;
	name = spot_name(v, l, s->true_victim);
	if (s->spots[s->true_victim].writers == 1)
		return intern_printf(v->pool,
				     "padding cannot help: write %s less often, or let each "
				     "reader keep a copy",
				     name);
	return intern_printf(v->pool,
			     "padding cannot help: fewer writes to %s can, by batches or one "
			     "part for each CPU",
			     name);
}

static const char *after_mixed(const struct view *v, const struct view_line *l)
{
	const struct sharing *s = &l->sharing;

	if (!is_spot(s, s->false_victim))
		return NULL;
	return intern_printf(v->pool,
			     "move %s into another line: %.0f %% of the %s go, for +%u bytes "
			     "at most",
			     spot_name(v, l, s->false_victim), percent(s->false_part), what(s),
			     v->profile->line_size);
}

static const char *after_split(const struct view *v, const struct view_line *l)
{
	return "align what is accessed there to its own size";
}

struct words {
	const char *(*why)(const struct view *v, const struct view_line *l);
	const char *(*after)(const struct view *v, const struct view_line *l); /* NULL: nothing */
};

static const struct words words[SHARING_KINDS] = {
	[SHARING_NONE] = { why_none, NULL },	      [SHARING_TRUE] = { why_true, after_true },
	[SHARING_FALSE] = { why_false, after_false }, [SHARING_MIXED] = { why_mixed, after_mixed },
	[SHARING_SPLIT] = { why_split, after_split }, [SHARING_TRANSIENT] = { why_transient, NULL },
	[SHARING_UNSURE] = { why_unsure, NULL },
};

/* ---- The line */

/* Of a field's first byte the field's size; within a field, and of what is larger than any access,
 * nothing is known. */
static void note_size(uint8_t *size, uint32_t line_size, const struct view_cell *c)
{
	const struct data_place *p = &c->place;
	uint32_t into = p->object_offset - p->field_offset;

	if (c->offset < line_size && p->field && p->field_size && p->field_size <= 16 && !into)
		size[c->offset] = p->field_size;
}

static bool same_code(const struct contended_line *a, uint32_t i, const struct contended_line *b)
{
	for (uint32_t j = 0; j < b->cell_count && !b->cells[j].offset; j++)
		if (b->cells[j].ip == a->cells[i].ip)
			return true;
	return false;
}

/* The same instruction at the end of a line and at the beginning of the next. */
static bool reaches_over(const struct contended_line *a, const struct contended_line *b,
			 uint32_t line_size)
{
	for (uint32_t i = 0; i < a->cell_count; i++)
		if (a->cells[i].offset + 8 > line_size && a->cells[i].offset % 8 &&
		    same_code(a, i, b))
			return true;
	return false;
}

/* One access of a field that does not fit. */
static bool has_long_field(const struct view_line *l, uint32_t line_size)
{
	for (uint32_t i = 0; i < l->cell_count; i++) {
		const struct view_cell *c = &l->cells[i];

		if (c->counts.locked && c->place.field && c->place.field_size <= 16 &&
		    c->offset + c->place.field_size > line_size)
			return true;
	}
	return false;
}

static bool is_split(const struct view *v, const struct view_line *l)
{
	const struct profile *p = v->profile;
	const struct contended_line *own = l->line;

	if (has_long_field(l, p->line_size))
		return true;
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct contended_line *other = &p->lines[i];

		if (other->pid != own->pid)
			continue;
		if (other->addr == own->addr + p->line_size &&
		    reaches_over(own, other, p->line_size))
			return true;
		if (own->addr == other->addr + p->line_size &&
		    reaches_over(other, own, p->line_size))
			return true;
	}
	return false;
}

void verdict_line(struct view *v, struct view_line *l)
{
	uint32_t line_size = v->profile->line_size;
	uint8_t size[SIZES_MOST] = { 0 };
	struct sharing *s = &l->sharing;

	for (uint32_t i = 0; i < l->cell_count && line_size <= SIZES_MOST; i++)
		note_size(size, line_size, &l->cells[i]);
	sharing_judge(s, l->line, size, line_size);
	if (l->line->contended && is_split(v, l))
		s->kind = SHARING_SPLIT;
	l->reason = words[s->kind].why(v, l);
	l->advice = words[s->kind].after ? words[s->kind].after(v, l) : NULL;
}

/* ---- Roles */

const char *verdict_role(const struct view_line *l, const struct view_cell *c)
{
	const struct counts *all = &l->line->counts, *n = &c->counts;
	bool pays = counts_hitm(n) && counts_hitm(n) >= PART * counts_hitm(all);
	bool hurts = n->stores && n->stores >= PART * all->stores && l->line->contended;

	if (pays && hurts)
		return "both";
	return pays ? "victim" : hurts ? "aggressor" : NULL;
}
