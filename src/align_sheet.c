// SPDX-License-Identifier: GPL-2.0-only
#include "align_sheet.h"
#include "line.h"
#include "mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BASES_MOST 64 /* of a line of 256 bytes by 4 */

static struct sheet *new_sheet(struct align_sheets *s, const char *name, const char *title,
			       const struct sheet_column *column)
{
	struct sheet *sheet = &s->sheet[s->count++];

	sheet_init(sheet, name, title, column);
	return sheet;
}

static struct align_sheets new_sheets(const char *title)
{
	return (struct align_sheets){ .title = title, .pool = intern_new() };
}

void align_sheets_deinit(struct align_sheets *s)
{
	for (size_t i = 0; i < s->count; i++)
		sheet_deinit(&s->sheet[i]);
	intern_free(s->pool);
	*s = (struct align_sheets){ 0 };
}

void align_sheets_write(FILE *out, const struct align_sheets *s, const char *format)
{
	if (!strcmp(format, "csv"))
		sheet_csv(out, &s->sheet[0]);
	else if (!strcmp(format, "html"))
		sheets_html(out, s->title, s->said, s->sheet, s->count);
	else
		sheets_markdown(out, s->title, s->said, s->sheet, s->count);
}

static struct figure percent(struct sheet *s, double before, double after)
{
	char text[32];

	if (!(before > 0))
		return sheet_text(s, after > 0 ? "new" : NULL);
	if (!(after > 0))
		return sheet_text(s, "gone");
	snprintf(text, sizeof(text), "%+.0f %%", 100 * (after - before) / before);
	return sheet_text(s, text);
}

/* ---- One recording */

static const struct sheet_column base_columns[] = {
	{ "object", "object", FIGURE_TEXT },
	{ "type", "type", FIGURE_TEXT },
	{ "base", "base", FIGURE_OFFSET },
	{ "recorded", "recorded", FIGURE_FLAG },
	{ "lines", "lines", FIGURE_COUNT },
	{ "upper_fields", "upper fields", FIGURE_COUNT },
	{ "splits", "split fields", FIGURE_COUNT },
	{ "recorded_hitm", "HITM recorded", FIGURE_COUNT },
	{ "hitm", "HITM predicted", FIGURE_RATE },
	{ "", "change", FIGURE_TEXT },
	{ 0 },
};

static const struct sheet_column change_columns[] = {
	{ "object", "object", FIGURE_TEXT },
	{ "change", NULL, FIGURE_TEXT },
	{ "", "change", FIGURE_TEXT },
	{ "field", "field", FIGURE_TEXT },
	{ "bytes", "bytes more", FIGURE_COUNT },
	{ "recorded_hitm", "HITM recorded", FIGURE_COUNT },
	{ "hitm", "HITM predicted", FIGURE_RATE },
	{ "", "difference", FIGURE_TEXT },
	{ 0 },
};

static const struct sheet_column field_columns[] = {
	{ "object", "object", FIGURE_TEXT },
	{ "field", "field", FIGURE_TEXT },
	{ "offset", "offset", FIGURE_OFFSET },
	{ "size", "size", FIGURE_COUNT },
	{ "line_offset", "at", FIGURE_OFFSET },
	{ "half", "half", FIGURE_TEXT },
	{ "reads", "reads", FIGURE_RATE },
	{ "writes", "writes", FIGURE_RATE },
	{ "readers", "readers", FIGURE_COUNT },
	{ "writers", "writers", FIGURE_COUNT },
	{ 0 },
};

static void add_bases(struct sheet *s, const struct report_what_if *r, const struct use_object *o,
		      struct what_if *w)
{
	struct what_if_cost cost[BASES_MOST];
	uint64_t recorded = counts_hitm(&o->counts);
	size_t count = what_if_bases(w, r->step, cost, BASES_MOST);

	for (size_t i = 0; i < count; i++) {
		uint32_t base = i * r->step;
		struct figure *row = sheet_row(s);

		*row++ = sheet_text(s, o->name);
		*row++ = sheet_text(s, o->type);
		*row++ = sheet_count(base);
		*row++ = sheet_flag(use_base(o) >= base && use_base(o) < base + r->step);
		*row++ = sheet_count(cost[i].lines);
		*row++ = sheet_count(cost[i].upper);
		*row++ = sheet_count(cost[i].splits);
		*row++ = sheet_count(recorded);
		*row++ = sheet_real(cost[i].hitm);
		*row++ = percent(s, recorded, cost[i].hitm);
	}
}

static void add_changes(struct sheet *s, const struct use_object *o, struct what_if *w)
{
	static const char *const words[] = {
		[WHAT_IF_ALIGN] = "on a new line, with what follows",
		[WHAT_IF_ALONE] = "on a line of its own",
		[WHAT_IF_LAST] = "moved to the end",
	};
	uint64_t recorded = counts_hitm(&o->counts);
	size_t count;
	struct what_if_change *change = what_if_changes(w, &count);

	for (size_t i = 0; i < count; i++) {
		struct figure *row = sheet_row(s);

		*row++ = sheet_text(s, o->name);
		*row++ = sheet_text(s, what_if_key(change[i].kind));
		*row++ = sheet_text(s, words[change[i].kind]);
		*row++ = sheet_text(s, o->fields[change[i].field].name);
		*row++ = sheet_count(change[i].bytes);
		*row++ = sheet_count(recorded);
		*row++ = sheet_real(change[i].cost.hitm);
		*row++ = percent(s, recorded, change[i].cost.hitm);
	}
	free(change);
}

static void add_fields(struct sheet *s, const struct use_object *o)
{
	for (uint32_t i = 0; i < o->field_count; i++) {
		const struct use_field *f = &o->fields[i];
		uint32_t at = (use_base(o) + f->offset) % o->line_size;
		struct figure *row = sheet_row(s);

		*row++ = sheet_text(s, o->name);
		*row++ = sheet_text(s, f->name);
		*row++ = sheet_count(f->offset);
		*row++ = sheet_count(f->size);
		*row++ = sheet_count(at);
		*row++ = sheet_text(s, line_half_name(line_half(at)));
		*row++ = sheet_real(f->loads);
		*row++ = sheet_real(f->stores);
		*row++ = sheet_count(f->readers.count);
		*row++ = sheet_count(f->writers.count);
	}
}

struct align_sheets align_sheets_what_if(const struct report_what_if *r)
{
	struct align_sheets s = new_sheets("hitmap align: other layouts");
	struct sheet *bases = new_sheet(&s, "bases", "If an object began elsewhere in its line",
					base_columns);
	struct sheet *changes = new_sheet(&s, "changes", "If a field lay elsewhere",
					  change_columns);
	struct sheet *fields = new_sheet(&s, "fields", "Fields as they were used", field_columns);

	s.said[0] = intern_printf(s.pool, "%s: %" PRIu32 " objects with contended fields",
				  r->recording, r->use->count);
	s.said[1] = "Predicted, not measured: a line is paid for once each time a thread gets it "
		    "back after others wrote it, however many of its fields the thread then reads.";
	for (uint32_t i = 0; i < r->use->count; i++) {
		const struct use_object *o = &r->use->objects[i];
		struct what_if *w;

		if (r->only && r->only != o)
			continue;
		w = what_if_new(o);
		add_fields(fields, o);
		if (what_if_known(w)) {
			add_bases(bases, r, o, w);
			add_changes(changes, o, w);
		}
		what_if_free(w);
	}
	return s;
}

/* ---- Two recordings */

static const struct sheet_column two_columns[] = {
	{ "object", "object", FIGURE_TEXT },
	{ "kind", NULL, FIGURE_TEXT },
	{ "", "what happened", FIGURE_TEXT },
	{ "before", "HITM before", FIGURE_RATE },
	{ "after", "HITM after", FIGURE_RATE },
	{ "", "change", FIGURE_TEXT },
	{ "p", "p", FIGURE_RATE },
	{ "changed", "beyond noise", FIGURE_FLAG },
	{ "field", "field", FIGURE_TEXT },
	{ "before_offset", NULL, FIGURE_OFFSET },
	{ "before_line_offset", "at, before", FIGURE_OFFSET },
	{ "before_half", "half, before", FIGURE_TEXT },
	{ "after_offset", NULL, FIGURE_OFFSET },
	{ "after_line_offset", "at, after", FIGURE_OFFSET },
	{ "after_half", "half, after", FIGURE_TEXT },
	{ "joined", "joined", FIGURE_FLAG },
	{ "parted", "parted", FIGURE_FLAG },
	{ "with", "with", FIGURE_TEXT },
	{ 0 },
};

static void add_two(struct sheet *s, const struct align_object *o, const struct align_field *f)
{
	struct figure *row = sheet_row(s);

	*row++ = sheet_text(s, (o->side[ALIGN_AFTER] ?: o->side[ALIGN_BEFORE])->name);
	*row++ = sheet_text(s, report_align_key(o->kind));
	*row++ = sheet_text(s, report_align_word(o->kind));
	*row++ = sheet_real(o->rate[ALIGN_BEFORE]);
	*row++ = sheet_real(o->rate[ALIGN_AFTER]);
	*row++ = percent(s, o->rate[ALIGN_BEFORE], o->rate[ALIGN_AFTER]);
	*row++ = sheet_real(o->ratio.known ? o->ratio.p : NAN);
	*row++ = sheet_flag(o->changed);
	*row++ = sheet_text(s, (f->side[ALIGN_AFTER] ?: f->side[ALIGN_BEFORE])->name);
	for (int side = 0; side < ALIGN_SIDES; side++, row += 3) {
		if (!f->side[side])
			continue;
		row[0] = sheet_count(f->side[side]->offset);
		row[1] = sheet_count(f->line_offset[side]);
		row[2] = sheet_text(s, line_half_name(line_half(f->line_offset[side])));
	}
	*row++ = sheet_flag(f->joined);
	*row++ = sheet_flag(f->parted);
	*row++ = sheet_text(s, f->with);
}

struct align_sheets align_sheets_two(const struct report_align *r)
{
	const struct align *a = r->align;
	struct align_sheets s = new_sheets("hitmap align: before and after");
	struct sheet *fields = new_sheet(&s, "fields", "Fields", two_columns);

	s.said[0] = intern_printf(s.pool, "%s, then %s", r->path[0], r->path[1]);
	s.said[1] = intern_printf(s.pool, "%s: %.4g, then %.4g%s", report_align_unit(a), a->rate[0],
				  a->rate[1], a->changed ? "" : " (within noise)");
	s.said[2] = report_align_diagnosis(a, s.pool);
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < a->objects[i].field_count; k++)
			add_two(fields, &a->objects[i], &a->objects[i].fields[k]);
	return s;
}

/* ---- Two builds */

static const struct sheet_column build_columns[] = {
	{ "type", "type", FIGURE_TEXT },
	{ "field", "field", FIGURE_TEXT },
	{ "hot", "hot", FIGURE_FLAG },
	{ "change", NULL, FIGURE_TEXT },
	{ "", "what happened", FIGURE_TEXT },
	{ "before_offset", "offset, before", FIGURE_OFFSET },
	{ "before_size", NULL, FIGURE_COUNT },
	{ "before_line", "line, before", FIGURE_COUNT },
	{ "before_half", "half, before", FIGURE_TEXT },
	{ "after_offset", "offset, after", FIGURE_OFFSET },
	{ "after_size", NULL, FIGURE_COUNT },
	{ "after_line", "line, after", FIGURE_COUNT },
	{ "after_half", "half, after", FIGURE_TEXT },
	{ "", "pushed by", FIGURE_TEXT },
	{ 0 },
};

static void add_build_field(struct sheet *s, const struct build_type *t,
			    const struct build_field *f)
{
	struct figure *row = sheet_row(s);
	const char *pushed = NULL;

	*row++ = sheet_text(s, t->name);
	*row++ = sheet_text(s, f->path);
	*row++ = sheet_flag(f->hot);
	*row++ = sheet_text(s, report_builds_key(f->change));
	*row++ = sheet_text(s, report_builds_word(f->change));
	for (int side = 0; side < BUILD_SIDES; side++, row += 4) {
		const struct build_place *p = &f->side[side];

		if (!p->there)
			continue;
		row[0] = sheet_count(p->offset);
		row[1] = sheet_count(p->size);
		row[2] = sheet_count(p->offset / BUILD_LINE_BYTES);
		row[3] = sheet_text(s, line_half_name(line_half(p->offset % BUILD_LINE_BYTES)));
	}
	for (uint32_t i = 0; i < f->pushes; i++) {
		char *text = report_builds_push(&f->push[i]);

		pushed = pushed ? intern_printf(s->pool, "%s, %s", pushed, text)
				: intern_string(s->pool, text);
		free(text);
	}
	*row++ = sheet_text(s, pushed ? pushed : "");
}

static bool is_told(const struct build_field *f)
{
	return f->hot || f->change == BUILD_LINE || f->change == BUILD_HALF;
}

struct align_sheets align_sheets_builds(const struct report_builds *r, bool all)
{
	struct align_sheets s = new_sheets("hitmap align: two builds");
	struct sheet *fields = new_sheet(&s, "fields", "Fields", build_columns);

	s.said[0] = intern_printf(s.pool, "%s (%s), then %s (%s)", r->path[0], r->kind[0],
				  r->path[1], r->kind[1]);
	s.said[1] = intern_printf(s.pool,
				  "%" PRIu32 " types that both have were compared; "
				  "offsets are as of an object that begins a line",
				  r->compared);
	if (r->hot)
		s.said[2] = intern_printf(s.pool, "what is hot says %s", r->hot);
	for (uint32_t i = 0; i < r->types; i++)
		for (uint32_t k = 0; k < r->type[i].fields; k++)
			if (all || is_told(&r->type[i].field[k]))
				add_build_field(fields, &r->type[i], &r->type[i].field[k]);
	return s;
}
