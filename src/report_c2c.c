// SPDX-License-Identifier: GPL-2.0-only
#include "report_c2c.h"
#include "mem.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT   0.001 /* of what lines are ranked by; perf's DISPLAY_LINE_LIMIT */
#define KERNEL_TEXT  "[kernel.kallsyms]" /* perf's name of it */
#define SYMBOL_BYTES 512
#define LIST_BYTES   256

struct c2c_display {
	const char *name, *title;
	const char *head[2];		/* of the column of percentages */
	const char *group, *columns[2]; /* of the line table; total is before these */
	const char *pareto_group, *pareto_columns[2], *cycles[2];
	uint8_t ranks[2]; /* counters that are summed up; perf's percentages are of the sum */
	uint8_t local, remote;
	uint8_t means[2]; /* remote, local */
};

#define HITM_HEADS                                                                                 \
	"------- Load Hitm -------", { "LclHitm", "RmtHitm" }, "----- HITM -----",                 \
		{ "RmtHitm", "LclHitm" },                                                          \
	{                                                                                          \
		"rmt hitm", "lcl hitm"                                                             \
	}
#define HITM_MEANS                                                                                 \
	{                                                                                          \
		C2C_MEAN_RMT_HITM, C2C_MEAN_LCL_HITM                                               \
	}

static const struct c2c_display displays[] = {
	{ "tot",
	  "Total HITMs",
	  { "Tot", "Hitm" },
	  HITM_HEADS,
	  { C2C_LCL_HITM, C2C_RMT_HITM },
	  C2C_LCL_HITM,
	  C2C_RMT_HITM,
	  HITM_MEANS },
	{ "rmt",
	  "Remote HITMs",
	  { "Rmt", "Hitm" },
	  HITM_HEADS,
	  { C2C_RMT_HITM, C2C_RMT_HITM },
	  C2C_LCL_HITM,
	  C2C_RMT_HITM,
	  HITM_MEANS },
	{ "lcl",
	  "Local HITMs",
	  { "Lcl", "Hitm" },
	  HITM_HEADS,
	  { C2C_LCL_HITM, C2C_LCL_HITM },
	  C2C_LCL_HITM,
	  C2C_RMT_HITM,
	  HITM_MEANS },
	{ "peer",
	  "Peer Snoop",
	  { "Peer", "Snoop" },
	  "------- Load Peer -------",
	  { "Local", "Remote" },
	  "-- Peer Snoop --",
	  { "Rmt", "Lcl" },
	  { "rmt peer", "lcl peer" },
	  { C2C_LCL_PEER, C2C_RMT_PEER },
	  C2C_LCL_PEER,
	  C2C_RMT_PEER,
	  { C2C_MEAN_RMT_PEER, C2C_MEAN_LCL_PEER } },
};

const struct c2c_display *c2c_display_find(const char *name, const struct recording *recording)
{
	const char *arch = recording && recording->arch ? recording->arch : "";

	if (!name)
		name = !strcmp(arch, "aarch64") || !strcmp(arch, "arm64") ? "peer" : "tot";
	for (size_t i = 0; i < ARRAY_SIZE(displays); i++)
		if (!strcmp(displays[i].name, name))
			return &displays[i];
	return NULL;
}

struct c2c_report {
	FILE *out;
	const struct recording *recording;
	const struct c2c *c2c;
	struct attrib *attrib;
	const struct c2c_display *display;
	const struct c2c_line **lines; /* that are shown, in order */
	uint32_t line_count;
	int node_width;
};

/* What a line or row is ranked by. */
static uint32_t rank_of(const struct c2c_display *d, const struct c2c_counts *c)
{
	return c->n[d->ranks[0]] + (d->ranks[1] != d->ranks[0] ? c->n[d->ranks[1]] : 0);
}

/* ---- Sections of one figure a row */

/* Titles stand as perf has them, in the middle of 49 columns. */
static void print_title(const struct c2c_report *r, const char *title)
{
	static const char RULE[] = "=================================================";

	fprintf(r->out, "%s\n%s\n%s\n", RULE, title, RULE);
}

struct figure_row {
	const char *name;
	uint8_t counters[2];			     /* summed up; C2C_COUNTERS: none */
	uint32_t (*get)(const struct c2c_counts *c); /* instead of counters */
	bool share;				     /* of the LLC misses, in percent */
};

#define ONE(counter)                                                                               \
	{                                                                                          \
		counter, C2C_COUNTERS                                                              \
	}

static const struct figure_row trace_rows[] = {
	{ "Total records", ONE(C2C_RECORDS), NULL, false },
	{ "Locked Load/Store Operations", ONE(C2C_LOCKED), NULL, false },
	{ "Load Operations", ONE(C2C_LOADS), NULL, false },
	{ "Loads - uncacheable", ONE(C2C_LD_UNCACHED), NULL, false },
	{ "Loads - IO", ONE(C2C_LD_IO), NULL, false },
	{ "Loads - Miss", ONE(C2C_LD_MISS), NULL, false },
	{ "Loads - no mapping", ONE(C2C_LD_NO_ADDRESS), NULL, false },
	{ "Load Fill Buffer Hit", ONE(C2C_LD_FILL_BUFFER), NULL, false },
	{ "Load L1D hit", ONE(C2C_LD_L1), NULL, false },
	{ "Load L2D hit", ONE(C2C_LD_L2), NULL, false },
	{ "Load LLC hit", { C2C_LD_LLC, C2C_LCL_HITM }, NULL, false },
	{ "Load Local HITM", ONE(C2C_LCL_HITM), NULL, false },
	{ "Load Remote HITM", ONE(C2C_RMT_HITM), NULL, false },
	{ "Load Remote HIT", ONE(C2C_RMT_HIT), NULL, false },
	{ "Load Local DRAM", ONE(C2C_LCL_DRAM), NULL, false },
	{ "Load Remote DRAM", ONE(C2C_RMT_DRAM), NULL, false },
	{ "Load MESI State Exclusive", ONE(C2C_LD_EXCLUSIVE), NULL, false },
	{ "Load MESI State Shared", ONE(C2C_LD_SHARED), NULL, false },
	{ "Load LLC Misses", ONE(C2C_COUNTERS), c2c_llc_misses, false },
	{ "Load access blocked by data", ONE(C2C_BLOCKED_DATA), NULL, false },
	{ "Load access blocked by address", ONE(C2C_BLOCKED_ADDRESS), NULL, false },
	{ "Load HIT Local Peer", ONE(C2C_LCL_PEER), NULL, false },
	{ "Load HIT Remote Peer", ONE(C2C_RMT_PEER), NULL, false },
	{ "LLC Misses to Local DRAM", ONE(C2C_LCL_DRAM), NULL, true },
	{ "LLC Misses to Remote DRAM", ONE(C2C_RMT_DRAM), NULL, true },
	{ "LLC Misses to Remote cache (HIT)", ONE(C2C_RMT_HIT), NULL, true },
	{ "LLC Misses to Remote cache (HITM)", ONE(C2C_RMT_HITM), NULL, true },
	{ "Store Operations", ONE(C2C_STORES), NULL, false },
	{ "Store - uncacheable", ONE(C2C_ST_UNCACHED), NULL, false },
	{ "Store - no mapping", ONE(C2C_ST_NO_ADDRESS), NULL, false },
	{ "Store L1D Hit", ONE(C2C_ST_L1_HIT), NULL, false },
	{ "Store L1D Miss", ONE(C2C_ST_L1_MISS), NULL, false },
	{ "Store No available memory level", ONE(C2C_ST_UNKNOWN), NULL, false },
	{ "No Page Map Rejects", ONE(C2C_NO_MAP), NULL, false },
	{ "Unable to parse data source", ONE(C2C_NO_PARSE), NULL, false },
};

static uint32_t merged_records(const struct c2c_counts *c)
{
	return c->n[C2C_LCL_HITM] + c->n[C2C_RMT_HITM] + c->n[C2C_STORES];
}

static const struct figure_row shared_rows[] = {
	{ "Load HITs on shared lines", ONE(C2C_LOADS), NULL, false },
	{ "Fill Buffer Hits on shared lines", ONE(C2C_LD_FILL_BUFFER), NULL, false },
	{ "L1D hits on shared lines", ONE(C2C_LD_L1), NULL, false },
	{ "L2D hits on shared lines", ONE(C2C_LD_L2), NULL, false },
	{ "LLC hits on shared lines", { C2C_LD_LLC, C2C_LCL_HITM }, NULL, false },
	{ "Load hits on peer cache or nodes", { C2C_LCL_PEER, C2C_RMT_PEER }, NULL, false },
	{ "Locked Access on shared lines", ONE(C2C_LOCKED), NULL, false },
	{ "Blocked Access on shared lines",
	  { C2C_BLOCKED_DATA, C2C_BLOCKED_ADDRESS },
	  NULL,
	  false },
	{ "Store HITs on shared lines", ONE(C2C_STORES), NULL, false },
	{ "Store L1D hits on shared lines", ONE(C2C_ST_L1_HIT), NULL, false },
	{ "Store No available memory level", ONE(C2C_ST_UNKNOWN), NULL, false },
	{ "Total Merged records", ONE(C2C_COUNTERS), merged_records, false },
};

static uint32_t figure_value(const struct figure_row *row, const struct c2c_counts *c)
{
	uint32_t value = 0;

	if (row->get)
		return row->get(c);
	for (int i = 0; i < 2; i++)
		value += row->counters[i] < C2C_COUNTERS ? c->n[row->counters[i]] : 0;
	return value;
}

static void print_share(FILE *out, uint32_t value, uint32_t misses)
{
	if (misses)
		fprintf(out, "%10.1f%%\n", (double)value / (double)misses * 100.);
	else
		fprintf(out, "%10s%%\n", "-nan"); /* as perf prints nothing of nothing */
}

static void print_figures(const struct c2c_report *r, const struct figure_row *rows, size_t count,
			  const struct c2c_counts *c)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t value = figure_value(&rows[i], c);

		fprintf(r->out, "  %-34s: ", rows[i].name);
		if (rows[i].share)
			print_share(r->out, value, c2c_llc_misses(c));
		else
			fprintf(r->out, "%10" PRIu32 "\n", value);
	}
}

static void print_trace(const struct c2c_report *r)
{
	print_title(r, "            Trace Event Information              ");
	print_figures(r, trace_rows, ARRAY_SIZE(trace_rows), &r->c2c->total);
}

static void print_shared(const struct c2c_report *r)
{
	fputc('\n', r->out);
	print_title(r, "    Global Shared Cache Line Event Information   ");
	fprintf(r->out, "  %-34s: %10" PRIu32 "\n", "Total Shared Cache Lines",
		r->c2c->shared_lines);
	print_figures(r, shared_rows, ARRAY_SIZE(shared_rows), &r->c2c->shared);
}

static void print_details(const struct c2c_report *r)
{
	fputc('\n', r->out);
	print_title(r, "                 c2c details                     ");
	for (uint32_t i = 0; i < r->recording->event_count; i++)
		fprintf(r->out, "  %-34s: %s\n", i ? "" : "Events", r->recording->events[i].name);
	fprintf(r->out, "  %-34s: %s\n", "Cachelines sort on", r->display->title);
	fprintf(r->out, "  %-34s: %s\n", "Cacheline data grouping", "offset,iaddr");
}

/* ---- Headings of tables */

struct head {
	const char *group; /* over this column and those that follow, "span" in all; or NULL */
	int span;
	const char *title;
	int width;
};

static void print_groups(FILE *out, const struct head *heads, size_t count)
{
	fprintf(out, "#");
	for (size_t i = 0; i < count;) {
		int span = heads[i].group ? heads[i].span : 1, width = 2 * (span - 1);

		for (int k = 0; k < span; k++)
			width += heads[i + k].width;
		fprintf(out, "%s%*s", i ? "  " : " ", width, heads[i].group ? heads[i].group : "");
		i += span;
	}
	fputc('\n', out);
}

static void print_heads(FILE *out, const struct head *heads, size_t count)
{
	print_groups(out, heads, count);
	fprintf(out, "#");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%*s", i ? "  " : " ", heads[i].width, heads[i].title);
	fprintf(out, "\n#");
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s", i ? "  " : " ");
		for (int k = 0; k < heads[i].width; k++)
			fputc('.', out);
	}
	fprintf(out, "\n#\n");
}

/* ---- Cells that both tables have */

static void print_hex(FILE *out, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%#" PRIx64, value);
	fprintf(out, "  %18s", value ? text : "0x0");
}

static void print_percent(FILE *out, double percent)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f%%", percent);
	fprintf(out, "  %7s", text);
}

/* "0-2,5", or "N/A" when there is none. */
static void node_list(const struct idset *nodes, char text[static LIST_BYTES])
{
	const uint32_t *id = idset_ids(nodes);
	size_t used = 0;

	snprintf(text, LIST_BYTES, "N/A");
	for (uint32_t i = 0, last; i < nodes->count && used < LIST_BYTES - 24; i = last + 1) {
		for (last = i; last + 1 < nodes->count && id[last + 1] == id[last] + 1;)
			last++;
		used += snprintf(text + used, LIST_BYTES - used, "%s%" PRIu32, used ? "," : "",
				 id[i]);
		if (last > i)
			used += snprintf(text + used, LIST_BYTES - used, "-%" PRIu32, id[last]);
	}
}

static void print_memory(const struct c2c_report *r, const struct c2c_memory *m)
{
	char nodes[LIST_BYTES];

	node_list(&m->nodes, nodes);
	fprintf(r->out, "  %*s  %6" PRIu32, r->node_width, nodes, m->changes);
}

/* ---- The table of lines */

static const struct {
	struct head head;
	struct figure_row row;
} line_columns[] = {
	{ { "Total", 1, "records", 7 }, { NULL, ONE(C2C_COUNTERS), c2c_total_records, false } },
	{ { "Total", 1, "Loads", 7 }, { NULL, ONE(C2C_COUNTERS), c2c_load_records, false } },
	{ { "Total", 1, "Stores", 7 }, { NULL, ONE(C2C_STORES), NULL, false } },
	{ { "--------- Stores --------", 3, "L1Hit", 7 },
	  { NULL, ONE(C2C_ST_L1_HIT), NULL, false } },
	{ { NULL, 1, "L1Miss", 7 }, { NULL, ONE(C2C_ST_L1_MISS), NULL, false } },
	{ { NULL, 1, "N/A", 7 }, { NULL, ONE(C2C_ST_UNKNOWN), NULL, false } },
	{ { "----- Core Load Hit -----", 3, "FB", 7 },
	  { NULL, ONE(C2C_LD_FILL_BUFFER), NULL, false } },
	{ { NULL, 1, "L1", 7 }, { NULL, ONE(C2C_LD_L1), NULL, false } },
	{ { NULL, 1, "L2", 7 }, { NULL, ONE(C2C_LD_L2), NULL, false } },
	{ { "- LLC Load Hit --", 2, "LclHit", 8 }, { NULL, ONE(C2C_LD_LLC), NULL, false } },
	{ { NULL, 1, "LclHitm", 7 }, { NULL, ONE(C2C_LCL_HITM), NULL, false } },
	{ { "- RMT Load Hit --", 2, "RmtHit", 8 }, { NULL, ONE(C2C_RMT_HIT), NULL, false } },
	{ { NULL, 1, "RmtHitm", 7 }, { NULL, ONE(C2C_RMT_HITM), NULL, false } },
	{ { "--- Load Dram ----", 2, "Lcl", 8 }, { NULL, ONE(C2C_LCL_DRAM), NULL, false } },
	{ { NULL, 1, "Rmt", 8 }, { NULL, ONE(C2C_RMT_DRAM), NULL, false } },
};

#define OWN_HEADS 8 /* of the table of lines, before "line_columns" */

static void print_line_heads(const struct c2c_report *r)
{
	const struct c2c_display *d = r->display;
	struct head heads[OWN_HEADS + ARRAY_SIZE(line_columns)] = {
		{ NULL, 1, "Index", 5 },
		{ "----------- Cacheline ----------", 3, "Address", 18 },
		{ NULL, 1, "Node", r->node_width },
		{ NULL, 1, "PA cnt", 6 },
		{ d->head[0], 1, d->head[1], 7 },
		{ d->group, 3, "Total", 7 },
		{ NULL, 1, d->columns[0], 7 },
		{ NULL, 1, d->columns[1], 7 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(line_columns); i++)
		heads[OWN_HEADS + i] = line_columns[i].head;
	print_heads(r->out, heads, ARRAY_SIZE(heads));
}

static void print_line(const struct c2c_report *r, uint32_t index)
{
	const struct c2c_display *d = r->display;
	const struct c2c_line *l = r->lines[index];
	uint32_t total = rank_of(d, &r->c2c->total);

	fprintf(r->out, "  %5" PRIu32, index);
	print_hex(r->out, l->addr);
	print_memory(r, &l->memory);
	print_percent(r->out, 100 * (total ? (double)rank_of(d, &l->counts) / total : 0));
	fprintf(r->out, "  %7" PRIu32 "  %7" PRIu32 "  %7" PRIu32,
		l->counts.n[d->local] + l->counts.n[d->remote], l->counts.n[d->local],
		l->counts.n[d->remote]);
	for (size_t i = 0; i < ARRAY_SIZE(line_columns); i++)
		fprintf(r->out, "  %*" PRIu32, line_columns[i].head.width,
			figure_value(&line_columns[i].row, &l->counts));
	fputc('\n', r->out);
}

static void print_lines(const struct c2c_report *r)
{
	fputc('\n', r->out);
	print_title(r, "           Shared Data Cache Line Table          ");
	fprintf(r->out, "#\n");
	print_line_heads(r);
	for (uint32_t i = 0; i < r->line_count; i++)
		print_line(r, i);
}

/* ---- The table of rows, line by line */

/* The names of a row's code. */
struct code_names {
	char symbol[SYMBOL_BYTES];
	const char *object;
};

static const uint8_t store_columns[] = { C2C_ST_L1_HIT, C2C_ST_L1_MISS, C2C_ST_UNKNOWN };

static bool is_kernel_text(const struct event_map *map)
{
	return map->kernel && !strncmp(map->path, KERNEL_TEXT, strlen(KERNEL_TEXT));
}

static void name_code(const struct c2c_report *r, const struct c2c_row *row, struct code_names *n)
{
	struct code_place place;
	char level = row->cpumode == PERF_RECORD_MISC_KERNEL ? 'k'
		     : row->cpumode == PERF_RECORD_MISC_USER ? '.'
							     : 'H';
	bool known = attrib_code(r->attrib, row->code, row->ip, &place);

	if (known && place.function)
		snprintf(n->symbol, sizeof(n->symbol), "[%c] %s", level, place.function);
	else
		snprintf(n->symbol, sizeof(n->symbol), "[%c] 0x%016" PRIx64, level, row->ip);
	n->object = row->code && known && place.file ? place.file : "[unknown]";
	if (row->code && is_kernel_text(attrib_map(row->code)))
		n->object = KERNEL_TEXT;
}

struct widths {
	int symbol, object;
};

static void print_row_heads(const struct c2c_report *r, const struct widths *w)
{
	const struct c2c_display *d = r->display;
	const struct head heads[] = {
		{ NULL, 1, "Num", 5 },
		{ d->pareto_group, 2, d->pareto_columns[0], 7 },
		{ NULL, 1, d->pareto_columns[1], 7 },
		{ "------- Store Refs ------", 3, "L1 Hit", 7 },
		{ NULL, 1, "L1 Miss", 7 },
		{ NULL, 1, "N/A", 7 },
		{ "--------- Data address ---------", 3, "Offset", 18 },
		{ NULL, 1, "Node", r->node_width },
		{ NULL, 1, "PA cnt", 6 },
		{ NULL, 1, "Code address", 18 },
		{ "---------- cycles ----------", 3, d->cycles[0], 8 },
		{ NULL, 1, d->cycles[1], 8 },
		{ NULL, 1, "load", 8 },
		{ "Total", 1, "records", 7 },
		{ "cpu", 1, "cnt", 8 },
		{ NULL, 1, "Symbol", w->symbol },
		{ "Shared", 1, "Object", w->object },
		{ NULL, 1, "Node", 4 },
	};

	print_heads(r->out, heads, ARRAY_SIZE(heads));
}

/* perf hides rows that only load, unless the loads are what lines are ranked by. */
static bool is_shown(const struct c2c_report *r, const struct c2c_row *row)
{
	return row->counts.n[C2C_STORES] || rank_of(r->display, &row->counts);
}

static int row_compare(const void *a, const void *b, void *display)
{
	const struct c2c_row *x = *(const struct c2c_row *const *)a;
	const struct c2c_row *y = *(const struct c2c_row *const *)b;
	int order = CMP(x->offset, y->offset);

	if (!order)
		order = CMP(rank_of(display, &y->counts), rank_of(display, &x->counts));
	return order ? order : CMP(x->ip, y->ip);
}

/* Rows that are shown, in order; to be freed. */
static const struct c2c_row **choose_rows(const struct c2c_report *r, const struct c2c_line *l,
					  uint32_t *count)
{
	const struct c2c_row **rows = mem_zalloc(l->row_count * sizeof(*rows));

	*count = 0;
	for (uint32_t i = 0; i < l->row_count; i++)
		if (is_shown(r, &l->rows[i]))
			rows[(*count)++] = &l->rows[i];
	if (*count)
		qsort_r(rows, *count, sizeof(*rows), row_compare, (void *)r->display);
	return rows;
}

static struct widths measure(const struct c2c_report *r, const struct c2c_row *const *rows,
			     uint32_t count)
{
	struct widths w = { 0 };
	struct code_names n;

	for (uint32_t i = 0; i < count; i++) {
		name_code(r, rows[i], &n);
		w.symbol = (int)strlen(n.symbol) > w.symbol ? (int)strlen(n.symbol) : w.symbol;
		w.object = (int)strlen(n.object) > w.object ? (int)strlen(n.object) : w.object;
	}
	return w;
}

/* Nodes of the CPUs that ran the code. */
static void print_cpu_nodes(const struct c2c_report *r, const struct idset *cpus)
{
	struct idset nodes = { 0 };

	for (uint32_t i = 0; i < cpus->count; i++) {
		uint32_t cpu = idset_ids(cpus)[i];

		if (cpu < r->recording->cpu_nodes && r->recording->cpu_node[cpu] != UINT32_MAX)
			idset_add(&nodes, r->recording->cpu_node[cpu]);
	}
	for (uint32_t i = 0; i < nodes.count; i++)
		fprintf(r->out, "%s%2" PRIu32, i ? " " : "  ", idset_ids(&nodes)[i]);
	idset_deinit(&nodes);
}

static void print_shares(const struct c2c_report *r, const struct c2c_counts *row,
			 const struct c2c_counts *line)
{
	const uint8_t moved[] = { r->display->remote, r->display->local };
	uint8_t counters[ARRAY_SIZE(moved) + ARRAY_SIZE(store_columns)];

	memcpy(counters, moved, sizeof(moved));
	memcpy(counters + sizeof(moved), store_columns, sizeof(store_columns));
	fprintf(r->out, "       ");
	for (size_t i = 0; i < sizeof(counters); i++) {
		uint32_t of = line->n[counters[i]];

		print_percent(r->out, of ? 100. * row->n[counters[i]] / of : 0);
	}
}

static void print_row(const struct c2c_report *r, const struct c2c_line *l,
		      const struct c2c_row *row, const struct widths *w)
{
	struct code_names n;

	print_shares(r, &row->counts, &l->counts);
	print_hex(r->out, row->offset);
	print_memory(r, &row->memory);
	print_hex(r->out, row->ip);
	fprintf(r->out, "  %8.0f  %8.0f  %8.0f", row->mean[r->display->means[0]].value,
		row->mean[r->display->means[1]].value, row->mean[C2C_MEAN_LOAD].value);
	fprintf(r->out, "  %7" PRIu32 "  %8" PRIu32, c2c_total_records(&row->counts),
		row->cpus.count);
	name_code(r, row, &n);
	fprintf(r->out, "  %-*s  %-*s", w->symbol, n.symbol, w->object, n.object);
	print_cpu_nodes(r, &row->cpus);
	fputc('\n', r->out);
}

static void print_line_rows(const struct c2c_report *r, uint32_t index)
{
	static const char RULE[] =
		"  ----------------------------------------------------------------------\n";
	const struct c2c_line *l = r->lines[index];
	uint32_t count;
	const struct c2c_row **rows = choose_rows(r, l, &count);
	struct widths w = measure(r, rows, count);

	if (index)
		fputc('\n', r->out);
	else
		print_row_heads(r, &w);
	fprintf(r->out, "%s  %5" PRIu32 "  %7" PRIu32 "  %7" PRIu32, RULE, index,
		l->counts.n[r->display->remote], l->counts.n[r->display->local]);
	for (size_t i = 0; i < ARRAY_SIZE(store_columns); i++)
		fprintf(r->out, "  %7" PRIu32, l->counts.n[store_columns[i]]);
	print_hex(r->out, l->addr);
	fprintf(r->out, "\n%s", RULE);
	for (uint32_t i = 0; i < count; i++)
		print_row(r, l, rows[i], &w);
	free(rows);
}

static void print_pareto(const struct c2c_report *r)
{
	fputc('\n', r->out);
	print_title(r, "      Shared Cache Line Distribution Pareto      ");
	fprintf(r->out, "#\n");
	for (uint32_t i = 0; i < r->line_count; i++)
		print_line_rows(r, i);
}

/* ---- Which lines */

static bool is_listed(const struct c2c_report *r, const struct c2c_line *l, bool all)
{
	uint32_t total = rank_of(r->display, &r->c2c->shared);

	return all || (total && (double)rank_of(r->display, &l->counts) / total >= LINE_LIMIT);
}

/* Lines of one rank stay in the order of keys. */
static int line_compare(const void *a, const void *b, void *display)
{
	const struct c2c_line *x = *(const struct c2c_line *const *)a;
	const struct c2c_line *y = *(const struct c2c_line *const *)b;
	int order = CMP(rank_of(display, &y->counts), rank_of(display, &x->counts));

	return order ? order : CMP(x, y);
}

static void choose_lines(struct c2c_report *r, bool all)
{
	char nodes[LIST_BYTES];

	r->lines = mem_zalloc(r->c2c->line_count * sizeof(*r->lines));
	r->node_width = strlen("Node");
	for (uint32_t i = 0; i < r->c2c->line_count; i++) {
		const struct c2c_line *l = &r->c2c->lines[i];

		if (!is_listed(r, l, all))
			continue;
		r->lines[r->line_count++] = l;
		node_list(&l->memory.nodes, nodes);
		if ((int)strlen(nodes) > r->node_width)
			r->node_width = strlen(nodes);
	}
	if (r->line_count)
		qsort_r(r->lines, r->line_count, sizeof(*r->lines), line_compare,
			(void *)r->display);
}

void report_c2c(FILE *out, const struct recording *recording, const struct c2c *c2c,
		struct attrib *attrib, const struct c2c_display *display, bool all)
{
	struct c2c_report r = {
		.out = out, .recording = recording, .c2c = c2c, .attrib = attrib, .display = display
	};

	choose_lines(&r, all);
	print_trace(&r);
	print_shared(&r);
	print_details(&r);
	print_lines(&r);
	print_pareto(&r);
	free(r.lines);
}
