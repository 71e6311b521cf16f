// SPDX-License-Identifier: GPL-2.0-only
#include "fields.h"
#include "mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 0.005

int field_side(const struct scene *s, const struct paired_field *f)
{
	if (!f->counts[SCREEN_BEFORE].samples)
		return SCREEN_AFTER;
	if (!f->counts[SCREEN_AFTER].samples)
		return SCREEN_BEFORE;
	return field_heat(s, f, SCREEN_AFTER) > 0 || !(field_heat(s, f, SCREEN_BEFORE) > 0)
		       ? SCREEN_AFTER
		       : SCREEN_BEFORE;
}

double field_heat(const struct scene *s, const struct paired_field *f, int side)
{
	return scene_heat(s, side, &f->counts[side]);
}

uint32_t field_cpus(const struct paired_field *f, int side)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < f->cell_count; i++)
		if ((int)f->cells[i].side == side && f->cells[i].cell->cpus.count > most)
			most = f->cells[i].cell->cpus.count;
	return most;
}

void field_mark(const struct scene *s, struct paired_field *fields, uint32_t count)
{
	for (int side = 0; side < SCREEN_SIDES; side++) {
		double hottest = 0;

		for (uint32_t i = 0; i < count; i++)
			hottest = fmax(hottest, field_heat(s, &fields[i], side));
		for (uint32_t i = 0; i < count; i++) {
			double heat = field_heat(s, &fields[i], side);

			fields[i].matters |= count == 1 ||
					     (heat > 0 && heat >= LEAST_SHARE * hottest);
		}
	}
}

/* ---- Code */

static bool same_place(const struct field_code *a, const char *name, const struct code_place *p)
{
	bool source = a->source == p->source ||
		      (a->source && p->source && strcmp(a->source, p->source) == 0);

	return source && a->line == p->line && strcmp(a->name, name) == 0;
}

struct code_list {
	struct field_code *codes;
	uint32_t count, room;
};

static struct field_code *code_of(struct code_list *l, const char *name, const struct code_place *p)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (same_place(&l->codes[i], name, p))
			return &l->codes[i];
	mem_grow(&l->codes, &l->room, l->count);
	l->codes[l->count] =
		(struct field_code){ .name = name, .source = p->source, .line = p->line };
	return &l->codes[l->count++];
}

static void add_codes(struct code_list *l, const struct paired_cell *c)
{
	for (uint32_t i = 0; i < c->cell->code_count; i++) {
		const struct view_code *from = &c->cell->codes[i];
		struct field_code *to = code_of(l, from->name ? from->name : "code without a name",
						&from->place);

		if (from->callers.count &&
		    (!to->callers || from->callers.all.samples > to->callers->all.samples))
			to->callers = &from->callers;
		counts_add(&to->counts[c->side], &from->counts);
		if (from->cpus.count > to->cpus[c->side])
			to->cpus[c->side] = from->cpus.count;
	}
}

static double code_heat(const struct scene *s, const struct field_code *c)
{
	return scene_heat(s, SCREEN_AFTER, &c->counts[SCREEN_AFTER]) +
	       scene_heat(s, SCREEN_BEFORE, &c->counts[SCREEN_BEFORE]);
}

static int code_compare(const void *a, const void *b, void *context)
{
	const struct field_code *x = a, *y = b;
	const struct scene *s = context;
	int order = CMP(code_heat(s, y), code_heat(s, x));

	if (!order)
		order = CMP(y->counts[1].samples + y->counts[0].samples,
			    x->counts[1].samples + x->counts[0].samples);
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : CMP(x->line, y->line);
}

struct field_code *field_codes(const struct scene *s, const struct paired_field *f, uint32_t *count)
{
	struct code_list l = { 0 };

	for (uint32_t i = 0; i < f->cell_count; i++)
		add_codes(&l, &f->cells[i]);
	if (l.count)
		qsort_r(l.codes, l.count, sizeof(*l.codes), code_compare, (void *)s);
	*count = l.count;
	return l.codes;
}

/* ---- Words */

const char *field_role(const struct scene *s, const struct paired_field *f)
{
	static const char *const ROLES[2][2] = { { "untouched", "written" },
						 { "read", "read and written" } };
	const struct counts *c = &f->counts[field_side(s, f)];

	return ROLES[c->loads > 0][c->stores > 0 || c->locked > 0];
}

/* From the longest on; each of function, role, source file, line, further places. */
static uint32_t story(int form, char *text, size_t bytes, const char *role,
		      const struct field_code *code, uint32_t more)
{
	char place[64] = "", rest[32] = "";

	if (code->source && form < 2)
		snprintf(place, sizeof(place), " %.50s:%u", code->source, code->line);
	if (more)
		snprintf(rest, sizeof(rest), form ? " +%u" : " and %u more", more);
	return snprintf(text, bytes, "%s%s%s%s%s", form ? "" : role, form ? "" : " by ", code->name,
			place, rest);
}

const char *field_story(const struct scene *s, const struct paired_field *f, uint32_t columns,
			char *text, size_t bytes)
{
	uint32_t count;
	struct field_code *codes = field_codes(s, f, &count);

	snprintf(text, bytes, "%s", field_role(s, f));
	for (int form = 0; count && form < 3; form++)
		if (story(form, text, bytes, field_role(s, f), &codes[0], count - 1) <= columns)
			break;
	free(codes);
	return text;
}

const char *field_label(const struct scene *s, const struct paired_field *f, char *text,
			size_t bytes)
{
	uint32_t count;
	struct field_code *codes;

	snprintf(text, bytes, "%s", f->name);
	if (f->name[0] != '+')
		return text;
	codes = field_codes(s, f, &count);
	if (count)
		snprintf(text, bytes, "in %s", codes[0].name);
	free(codes);
	return text;
}
