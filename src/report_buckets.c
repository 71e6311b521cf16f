// SPDX-License-Identifier: GPL-2.0-only
#include "report_buckets.h"
#include "figure_json.h"
#include "mem.h"
#include "report_say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAP_COLUMNS 64
#define MAP_ROWS    16 /* at most */
#define MAPS	    4  /* of the tables with the costliest lines */
#define NAMED	    3  /* futexes of a bucket that text names */

/* ---- Columns */

static struct figure text(const char *s)
{
	return (struct figure){ .known = s != NULL, .text = s };
}

static struct figure count(uint64_t n)
{
	return (struct figure){ .known = true, .count = n };
}

static struct figure share(double part, double whole)
{
	return whole > 0 ? (struct figure){ .known = true, .real = part / whole }
			 : (struct figure){ .known = false };
}

/* With its table's number where there are several. */
static const char *bucket_name(const struct view_row *row)
{
	const struct bucket *b = row->bucket;

	if (row->buckets->table_count == 1)
		return intern_printf(row->view->pool, "[%" PRIu64 "]", b->number);
	return intern_printf(row->view->pool, "%" PRIu32 ":[%" PRIu64 "]", b->table + 1, b->number);
}

static const char *one_futex(const struct view *v, const struct bucket_futex *f)
{
	return f->name ? f->name
		       : intern_printf(v->pool, "0x%" PRIx64 " of %" PRIu32, f->addr, f->pid);
}

/* "3: queue.lock, 0x602040 of 10, queue.ready" */
static const char *futex_list(const struct view *v, const struct bucket *b)
{
	const char *all = b->futexes ? intern_printf(v->pool, "%" PRIu32 ":", b->futexes) : NULL;

	for (uint32_t i = 0; i < b->futexes && i < NAMED; i++)
		all = intern_printf(v->pool, "%s%s %s", all, i ? "," : "",
				    one_futex(v, &b->futex[i]));
	return b->futexes > NAMED ? intern_printf(v->pool, "%s ...", all) : all;
}

/* Whether it is one futex that is hot, or several that met by chance. */
static const char *cause(const struct bucket *b)
{
	return b->futexes > 1 ? "hash collision" : b->futexes ? "one futex" : NULL;
}

#define BUCKET(what, expression)                                                                   \
	static struct figure bucket_##what(const struct view_row *row)                             \
	{                                                                                          \
		const struct bucket *b = row->bucket;                                              \
		const struct view *v = row->view;                                                  \
                                                                                                   \
		(void)b;                                                                           \
		(void)v;                                                                           \
		return expression;                                                                 \
	}

BUCKET(cost, share(b->counts.latency_sum, v->profile->total.latency_sum))
BUCKET(label, text(bucket_name(row)))
BUCKET(table, text(row->buckets->tables[b->table].name))
BUCKET(number, count(b->number))
BUCKET(samples, count(b->counts.samples))
BUCKET(hitm, ((struct figure){ .known = v->hitm_known, .count = counts_hitm(&b->counts) }))
BUCKET(field, text(b->field))
BUCKET(offset, count(b->offset))
BUCKET(half, text(line_half_name(line_half(b->offset))))
BUCKET(threads, count(b->threads))
BUCKET(verdict, text(verdict_name(b->verdict)))
BUCKET(cause, text(cause(b)))
BUCKET(futexes, text(futex_list(v, b)))

#define COLUMN(what, heading, kind_, function)                                                     \
	.key = (what), .title = (heading), .kind = FIGURE_##kind_, .get = (function)

static const struct column bucket_columns[] = {
	{ COLUMN("cost_share", "cost", SHARE, bucket_cost) },
	{ COLUMN(NULL, "bucket", TEXT, bucket_label) },
	{ COLUMN("table", NULL, TEXT, bucket_table) },
	{ COLUMN("bucket", NULL, COUNT, bucket_number) },
	{ COLUMN("samples", NULL, COUNT, bucket_samples) },
	{ COLUMN("hitm", "HITM", COUNT, bucket_hitm) },
	{ COLUMN("field", "field", TEXT, bucket_field) },
	{ COLUMN("offset", "offset", OFFSET, bucket_offset) },
	{ COLUMN("half", "half", TEXT, bucket_half) },
	{ COLUMN("threads", "threads", COUNT, bucket_threads) },
	{ COLUMN("verdict", "verdict", TEXT, bucket_verdict) },
	{ COLUMN("cause", "cause", TEXT, bucket_cause) },
	{ COLUMN(NULL, "futexes", TEXT, bucket_futexes) },
	{ 0 },
};

/* ---- Text */

static void draw_map(const struct text_report *r, const struct bucket_table *t,
		     const uint64_t *heat, uint64_t cells, uint64_t hottest)
{
	uint64_t each = (t->buckets + cells - 1) / cells;
	char cell[HEAT_STRIP_BYTES];

	for (uint64_t first = 0; first < cells; first += MAP_COLUMNS) {
		fprintf(r->out, "%8" PRIu64 " %s", first * each, r->style.unicode ? "▕" : "[");
		for (uint64_t i = first; i < first + MAP_COLUMNS && i < cells; i++) {
			heat_cell(cell, heat[i], hottest, &r->style);
			fputs(cell, r->out);
		}
		fprintf(r->out, "%s\n", r->style.unicode ? "▏" : "]");
	}
}

/* Cells of the map: as many buckets each as make it fit. */
static uint64_t map_cells(const struct bucket_table *t)
{
	uint64_t most = MAP_COLUMNS * MAP_ROWS, each = (t->buckets + most - 1) / most;

	return (t->buckets + each - 1) / each;
}

static void print_map(const struct text_report *r, const struct bucket_set *s, uint32_t table)
{
	const struct bucket_table *t = &s->tables[table];
	uint64_t cells = map_cells(t), each = (t->buckets + cells - 1) / cells, hottest = 0;
	uint64_t *heat = mem_zalloc(cells * sizeof(*heat));

	for (uint32_t i = 0; i < s->bucket_count; i++) {
		const struct bucket *b = &s->buckets[i];

		if (b->table != table || b->number / each >= cells)
			continue;
		heat[b->number / each] += bucket_heat(b);
		if (heat[b->number / each] > hottest)
			hottest = heat[b->number / each];
	}
	report_say(r, "%s%s: %s of %s contended%s",
		   s->table_count > 1 ? intern_printf(r->view->pool, "%" PRIu32 ": ", table + 1)
				      : "",
		   t->name, report_thousands(r, t->contended),
		   report_quantity(r, t->buckets, "bucket"),
		   each > 1 ? intern_printf(r->view->pool, ", %" PRIu64 " a cell", each) : "");
	draw_map(r, t, heat, cells, hottest);
	free(heat);
}

/* Without futexes, nothing is said of them. */
static void shown_columns(const struct bucket_set *s, struct column *shown)
{
	for (const struct column *c = bucket_columns; c->get; c++)
		if (s->futexes || (c->get != bucket_cause && c->get != bucket_futexes))
			*shown++ = *c;
	*shown = (struct column){ 0 };
}

static void print_rows(const struct text_report *r, const struct bucket_set *s, uint32_t rows)
{
	struct column shown[ARRAY_SIZE(bucket_columns)];
	struct report_table table;
	struct view_row row = { .view = r->view, .buckets = s };

	shown_columns(s, shown);
	report_table_init(&table, r, shown, 0);
	for (uint32_t i = 0; i < rows; i++) {
		row.bucket = &s->buckets[i];
		report_table_measure(&table, &row);
	}
	report_table_fit(&table, r->width);
	report_table_heading(&table, r);
	for (uint32_t i = 0; i < rows; i++) {
		row.bucket = &s->buckets[i];
		report_table_row(&table, r, &row);
	}
}

static bool has_kernel_table(const struct bucket_set *s)
{
	for (uint32_t i = 0; i < s->table_count; i++)
		if (!s->tables[i].pid)
			return true;
	return false;
}

static void say_foot(const struct text_report *r, const struct bucket_set *s, uint32_t rows)
{
	char legend[HEAT_STRIP_BYTES];

	heat_legend(legend, &r->style);
	fprintf(r->out, "\nshades, against the hottest cell: %s\n", legend);
	if (s->futexes)
		report_say(r, "%s seen in the kernel's futex code, taken for private ones%s",
			   report_quantity(r, s->futexes, "futex word"),
			   s->unplaced
				   ? intern_printf(r->view->pool,
						   "; the bucket of %" PRIu32
						   " is not known (shared memory, or no note of "
						   "the process)",
						   s->unplaced)
				   : "");
	else if (has_kernel_table(s))
		report_say(r, "which futexes meet in a bucket is not known: no sample shows the "
			      "kernel's futex code at a program's memory");
	if (s->bucket_count > rows)
		report_say(r, "%s not shown (--all)",
			   report_quantity(r, s->bucket_count - rows, "more bucket"));
}

static uint32_t row_count(const struct bucket_set *s, uint32_t top)
{
	return top && top < s->bucket_count ? top : s->bucket_count;
}

void report_buckets(const struct text_report *r, struct attrib *attrib, uint32_t top)
{
	const struct view *v = r->view;
	struct bucket_set s;

	bucket_set_init(&s, v->profile, attrib, v->pool);
	bucket_set_judge(&s, v->profile, attrib, v->pool, row_count(&s, top));
	for (uint32_t i = 0; i < s.table_count && (i < MAPS || !top); i++)
		print_map(r, &s, i);
	if (s.table_count > MAPS && top)
		report_say(r, "%s not shown (--all)",
			   report_quantity(r, s.table_count - MAPS, "more table"));
	if (s.bucket_count) {
		fputc('\n', r->out);
		print_rows(r, &s, row_count(&s, top));
		say_foot(r, &s, row_count(&s, top));
	} else {
		report_say(r, "no contended line is of a table of futexes: no object of type "
			      "futex_hash_bucket[] is known there (hitmap objects lists the "
			      "kernel's)");
	}
	bucket_set_deinit(&s);
}

/* ---- JSON */

static void put_futexes(struct json_writer *w, const struct bucket *b)
{
	json_begin_array(w, "futexes");
	for (uint32_t i = 0; i < b->futexes; i++) {
		char address[24];

		snprintf(address, sizeof(address), "0x%" PRIx64, b->futex[i].addr);
		json_begin_object(w, NULL);
		json_string(w, "address", address);
		json_u64(w, "pid", b->futex[i].pid);
		json_string(w, "name", b->futex[i].name);
		json_u64(w, "samples", b->futex[i].samples);
		json_end(w);
	}
	json_end(w);
}

static void put_row(struct json_writer *w, const struct view_row *row)
{
	json_begin_object(w, NULL);
	for (const struct column *c = bucket_columns; c->get; c++) {
		struct figure f = c->get(row);

		if (c->key)
			figure_put(w, c->key, c->kind, &f);
	}
	put_futexes(w, row->bucket);
	json_end(w);
}

static void put_tables(struct json_writer *w, const struct bucket_set *s)
{
	json_begin_array(w, "tables");
	for (uint32_t i = 0; i < s->table_count; i++) {
		json_begin_object(w, NULL);
		json_string(w, "name", s->tables[i].name);
		json_u64(w, "pid", s->tables[i].pid);
		json_u64(w, "buckets", s->tables[i].buckets);
		json_u64(w, "bucket_size", s->tables[i].size);
		json_u64(w, "contended", s->tables[i].contended);
		json_end(w);
	}
	json_end(w);
}

void report_buckets_json(struct json_writer *w, const struct view *v, struct attrib *attrib,
			 uint32_t top)
{
	struct bucket_set s;
	uint32_t rows;

	bucket_set_init(&s, v->profile, attrib, v->pool);
	rows = row_count(&s, top);
	bucket_set_judge(&s, v->profile, attrib, v->pool, rows);
	json_begin_object(w, "buckets");
	put_tables(w, &s);
	json_begin_array(w, "rows");
	for (uint32_t i = 0; i < rows; i++)
		put_row(w, &(struct view_row){ .view = v, .buckets = &s, .bucket = &s.buckets[i] });
	json_end(w);
	json_u64(w, "hidden_rows", s.bucket_count - rows);
	json_u64(w, "futexes", s.futexes);
	json_u64(w, "futexes_unplaced", s.unplaced);
	json_end(w);
	bucket_set_deinit(&s);
}
