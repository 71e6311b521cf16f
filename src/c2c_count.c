// SPDX-License-Identifier: GPL-2.0-only
#include "c2c_count.h"
#include "line.h"
#include "map.h"
#include "mem.h"
#include "table.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 64 /* perf takes the reporting machine's */

/* ---- What a sample counts as */

/* Loads that hit, by level. Bits do not exclude each other. */
static const struct {
	uint16_t lvl;
	uint8_t counter;
} hits[] = {
	{ PERF_MEM_LVL_UNC, C2C_LD_UNCACHED },	  { PERF_MEM_LVL_IO, C2C_LD_IO },
	{ PERF_MEM_LVL_LFB, C2C_LD_FILL_BUFFER }, { PERF_MEM_LVL_L1, C2C_LD_L1 },
	{ PERF_MEM_LVL_L2, C2C_LD_L2 },		  { PERF_MEM_LVL_LOC_RAM, C2C_LCL_DRAM },
};

/* perf takes remote without hops for remote DRAM and for a remote cache at once. */
static bool is_remote(union perf_mem_data_src w)
{
	return w.mem_remote && !w.mem_hops;
}

static bool is_peer(union perf_mem_data_src w)
{
	return w.mem_snoopx & PERF_MEM_SNOOPX_PEER;
}

static void count_dram(struct c2c_step *s, union perf_mem_data_src w)
{
	bool remote = w.mem_lvl & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2) || is_remote(w);
	int state = w.mem_snoop & PERF_MEM_SNOOP_HIT ? C2C_LD_SHARED : C2C_LD_EXCLUSIVE;

	s->n[C2C_RMT_DRAM] += remote;
	s->n[state] += remote + !!(w.mem_lvl & PERF_MEM_LVL_LOC_RAM);
}

static void count_hit(struct c2c_step *s, union perf_mem_data_src w)
{
	for (size_t i = 0; i < ARRAY_SIZE(hits); i++)
		s->n[hits[i].counter] += !!(w.mem_lvl & hits[i].lvl);
	if (w.mem_lvl & PERF_MEM_LVL_L2)
		s->n[C2C_LCL_PEER] += is_peer(w);
	if (w.mem_lvl & PERF_MEM_LVL_L3) {
		bool hitm = w.mem_snoop & PERF_MEM_SNOOP_HITM;

		s->n[hitm ? C2C_LCL_HITM : C2C_LD_LLC]++;
		s->n[C2C_LCL_PEER] += !hitm && is_peer(w);
	}
	count_dram(s, w);
}

/* Also of loads that were not said to hit. */
static void count_remote_cache(struct c2c_step *s, union perf_mem_data_src w)
{
	if (w.mem_snoop & PERF_MEM_SNOOP_HIT) {
		s->n[C2C_RMT_HIT]++;
	} else if (w.mem_snoop & PERF_MEM_SNOOP_HITM) {
		s->n[C2C_RMT_HITM]++;
	} else if (is_peer(w)) {
		s->n[C2C_RMT_HIT]++;
		s->n[C2C_RMT_PEER]++;
	}
}

static void count_load(struct c2c_step *s, union perf_mem_data_src w, uint64_t addr)
{
	s->n[C2C_LOADS]++;
	if (!addr) {
		s->n[C2C_LD_NO_ADDRESS]++;
		return;
	}
	if (w.mem_lvl & PERF_MEM_LVL_HIT)
		count_hit(s, w);
	if (w.mem_lvl & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2) || is_remote(w))
		count_remote_cache(s, w);
	s->n[C2C_LD_MISS] += !!(w.mem_lvl & PERF_MEM_LVL_MISS);
}

static void count_store(struct c2c_step *s, union perf_mem_data_src w, uint64_t addr)
{
	bool hit = w.mem_lvl & PERF_MEM_LVL_HIT, miss = w.mem_lvl & PERF_MEM_LVL_MISS;

	s->n[C2C_STORES]++;
	if (!addr) {
		s->n[C2C_ST_NO_ADDRESS]++;
		return;
	}
	s->n[C2C_ST_UNCACHED] += hit && w.mem_lvl & PERF_MEM_LVL_UNC;
	s->n[C2C_ST_L1_HIT] += hit && w.mem_lvl & PERF_MEM_LVL_L1;
	s->n[C2C_ST_L1_MISS] += miss && w.mem_lvl & PERF_MEM_LVL_L1;
	s->n[C2C_ST_UNKNOWN] += w.mem_lvl & PERF_MEM_LVL_NA;
}

struct c2c_step c2c_decode(uint64_t data_src, uint64_t addr)
{
	union perf_mem_data_src w = { .val = data_src };
	struct c2c_step s = { 0 };

	s.n[C2C_RECORDS] = 1;
	s.n[C2C_LOCKED] = !!(w.mem_lock & PERF_MEM_LOCK_LOCKED);
	s.n[C2C_BLOCKED_DATA] = !!(w.mem_blk & PERF_MEM_BLK_DATA);
	s.n[C2C_BLOCKED_ADDRESS] = !!(w.mem_blk & PERF_MEM_BLK_ADDR);
	if (w.mem_op & PERF_MEM_OP_LOAD)
		count_load(&s, w, addr);
	else if (w.mem_op & PERF_MEM_OP_STORE)
		count_store(&s, w, addr);
	else
		s.n[C2C_NO_PARSE] = 1;
	return s;
}

/* A sample that stopped at its address or its operation is not asked for its mappings. */
static bool asks_for_maps(const struct c2c_step *s)
{
	return !s->n[C2C_NO_PARSE] && !s->n[C2C_LD_NO_ADDRESS] && !s->n[C2C_ST_NO_ADDRESS];
}

uint32_t c2c_llc_misses(const struct c2c_counts *c)
{
	return c->n[C2C_LCL_DRAM] + c->n[C2C_RMT_DRAM] + c->n[C2C_RMT_HITM] + c->n[C2C_RMT_HIT];
}

uint32_t c2c_load_records(const struct c2c_counts *c)
{
	return c2c_llc_misses(c) + c->n[C2C_LD_FILL_BUFFER] + c->n[C2C_LD_L1] + c->n[C2C_LD_L2] +
	       c->n[C2C_LD_LLC] + c->n[C2C_LCL_HITM];
}

uint32_t c2c_total_records(const struct c2c_counts *c)
{
	return c2c_load_records(c) + c->n[C2C_ST_L1_HIT] + c->n[C2C_ST_L1_MISS] +
	       c->n[C2C_ST_UNKNOWN];
}

static void counts_step(struct c2c_counts *c, const struct c2c_step *s)
{
	for (int i = 0; i < C2C_COUNTERS; i++)
		c->n[i] += s->n[i];
}

static void counts_sum(struct c2c_counts *c, const struct c2c_counts *more)
{
	for (int i = 0; i < C2C_COUNTERS; i++)
		c->n[i] += more->n[i];
}

/* ---- Lines and rows */

/*
 * What perf tells lines apart by (sort__dcacheline_cmp()), in the order of comparison. Memory of a
 * file is one line for all processes, other memory belongs to its process; a line that kernel and
 * user touch is two.
 */
struct c2c_key {
	uint64_t cpumode, unmapped, major, minor, inode, pid, line;
};

struct line_entry {
	struct c2c_key key;
	uint64_t addr;
	struct c2c_memory memory;
	uint32_t rows; /* how many */
};

struct row_entry {
	struct c2c_row row;
	uint32_t line;
};

struct builder {
	struct attrib *attrib;
	const struct recording *recording;
	struct table line_table, row_table;
	struct line_entry *lines;
	struct row_entry *rows;
	uint32_t line_count, line_room, row_count, row_room;
};

/* perf looks an address up among the kernel's mappings or the process's, as the sample's mode says,
 * even when the kernel touched a process's memory. */
static const struct mapping *find_data(struct builder *b, const struct sample *s)
{
	bool kernel = s->cpumode == PERF_RECORD_MISC_KERNEL;

	if ((!kernel && s->cpumode != PERF_RECORD_MISC_USER) || kernel != (s->addr >> 63))
		return NULL;
	return attrib_mapping(b->attrib, s->pid, s->cpumode, s->addr);
}

static const struct mapping *find_code(struct builder *b, const struct sample *s)
{
	return attrib_mapping(b->attrib, s->pid, PERF_RECORD_MISC_CPUMODE_UNKNOWN, s->ip);
}

/* Mappings in which perf keeps addresses as they are; in the others it takes them relative to the
 * file. */
static bool keeps_addresses(const struct event_map *map)
{
	static const char *const PREFIXES[] = { "//anon", "/dev/zero", "/anon_hugepage",   "[stack",
						"/SYSV",  "[heap]",    "[kernel.kallsyms]" };

	for (size_t i = 0; i < ARRAY_SIZE(PREFIXES); i++)
		if (!strncmp(map->path, PREFIXES[i], strlen(PREFIXES[i])))
			return true;
	return false;
}

static uint64_t mapped_address(const struct event_map *map, uint64_t addr)
{
	if (keeps_addresses(map))
		return addr;
	/* The vdso has no file that an offset could count in. */
	return addr - map->start + (map->path[0] == '[' && !map->kernel ? 0 : map->offset);
}

static struct c2c_key key_of(const struct mapping *data, const struct sample *s)
{
	const struct event_map *map = data ? attrib_map(data) : NULL;
	uint64_t addr = map ? mapped_address(map, s->addr) : s->addr;
	struct c2c_key k = { .cpumode = s->cpumode,
			     .unmapped = !map,
			     .line = line_start(addr, LINE_SIZE) };

	if (!map)
		return k;
	k.major = map->major;
	k.minor = map->minor;
	k.inode = map->inode;
	if (s->cpumode != PERF_RECORD_MISC_KERNEL && !map->shared && !k.major && !k.minor &&
	    !k.inode)
		k.pid = s->pid;
	return k;
}

static uint32_t line_hash(const struct c2c_key *k)
{
	return map_hash(map_hash(k->inode ^ k->pid << 40 ^ k->cpumode << 32 ^ k->unmapped << 36) ^
			k->line);
}

static int key_compare(const struct c2c_key *x, const struct c2c_key *y)
{
	int order = CMP(x->cpumode, y->cpumode);

	order = order ? order : CMP(x->unmapped, y->unmapped);
	order = order ? order : CMP(x->major, y->major);
	order = order ? order : CMP(x->minor, y->minor);
	order = order ? order : CMP(x->inode, y->inode);
	order = order ? order : CMP(x->pid, y->pid);
	return order ? order : CMP(x->line, y->line);
}

static uint32_t line_find(struct builder *b, const struct c2c_key *key, const struct sample *s)
{
	uint32_t hash = line_hash(key), i;

	for (uint32_t at = hash; (i = table_next(&b->line_table, hash, &at)) != TABLE_NONE;)
		if (!key_compare(&b->lines[i].key, key))
			return i;
	mem_grow(&b->lines, &b->line_room, b->line_count);
	b->lines[b->line_count] = (struct line_entry){ .key = *key,
						       .addr = line_start(s->addr, LINE_SIZE) };
	table_put(&b->line_table, hash, b->line_count);
	return b->line_count++;
}

static uint32_t row_make(struct builder *b, uint32_t line, uint32_t offset, const struct sample *s)
{
	mem_grow(&b->rows, &b->row_room, b->row_count);
	b->rows[b->row_count] = (struct row_entry){
		.row = { .ip = s->ip,
			 .offset = offset,
			 .cpumode = s->cpumode,
			 .code = find_code(b, s) },
		.line = line,
	};
	b->lines[line].rows++;
	return b->row_count++;
}

static struct c2c_row *row_find(struct builder *b, uint32_t line, uint32_t offset,
				const struct sample *s)
{
	uint32_t hash = map_hash(map_hash(s->ip) ^ (uint64_t)line << 16 ^ offset), i;

	for (uint32_t at = hash; (i = table_next(&b->row_table, hash, &at)) != TABLE_NONE;) {
		struct row_entry *e = &b->rows[i];

		if (e->line == line && e->row.offset == offset && e->row.ip == s->ip)
			return &e->row;
	}
	i = row_make(b, line, offset, s);
	table_put(&b->row_table, hash, i);
	return &b->rows[i].row;
}

/* ---- Filling */

static void memory_note(struct c2c_memory *m, uint64_t phys, uint32_t node)
{
	if (node == UINT32_MAX)
		return;
	idset_add(&m->nodes, node);
	m->changes += m->last != phys;
	m->last = phys;
}

static uint32_t node_of_memory(const struct recording *r, uint64_t phys)
{
	for (uint32_t i = 0; phys && i < r->memory_count; i++)
		if (phys - r->memory[i].start < r->memory[i].size)
			return r->memory[i].node;
	return UINT32_MAX;
}

/* Weights are averaged step by step as perf does, so that rounding is the same. */
static void means_note(struct c2c_row *row, const struct c2c_step *s, uint64_t weight)
{
	static const uint8_t KINDS[C2C_MEANS] = {
		[C2C_MEAN_RMT_HITM] = C2C_RMT_HITM, [C2C_MEAN_LCL_HITM] = C2C_LCL_HITM,
		[C2C_MEAN_RMT_PEER] = C2C_RMT_PEER, [C2C_MEAN_LCL_PEER] = C2C_LCL_PEER,
		[C2C_MEAN_LOAD] = C2C_LOADS,
	};

	for (int i = 0; i < C2C_MEANS; i++) {
		struct c2c_mean *m = &row->mean[i];

		if (!s->n[KINDS[i]])
			continue;
		m->value += ((double)weight - m->value) / ++m->count;
		return;
	}
}

static void add_sample(struct builder *b, const struct sample *s)
{
	const struct mapping *data = find_data(b, s);
	struct c2c_step step = c2c_decode(s->data_src, s->addr);
	uint32_t node = node_of_memory(b->recording, s->phys_addr);
	struct c2c_key key = key_of(data, s);
	uint32_t line = line_find(b, &key, s);
	uint64_t within = data ? mapped_address(attrib_map(data), s->addr) : s->addr;
	struct c2c_row *row = row_find(b, line, line_offset(within, LINE_SIZE), s);

	step.n[C2C_NO_MAP] = asks_for_maps(&step) && (!data || !find_code(b, s));
	counts_step(&row->counts, &step);
	means_note(row, &step, s->weight);
	memory_note(&row->memory, s->phys_addr, node);
	memory_note(&b->lines[line].memory, s->phys_addr, node);
	if (s->cpu != SAMPLE_NO_CPU)
		idset_add(&row->cpus, s->cpu);
}

/* ---- Sealing */

static int row_compare(const void *a, const void *b)
{
	const struct row_entry *x = a, *y = b;
	int order = CMP(x->line, y->line);

	if (!order)
		order = CMP(x->row.offset, y->row.offset);
	return order ? order : CMP(x->row.ip, y->row.ip);
}

/* An entry of "order" is the index of a line. */
static int line_compare(const void *a, const void *b, void *lines)
{
	const struct line_entry *l = lines;

	return key_compare(&l[*(const uint32_t *)a].key, &l[*(const uint32_t *)b].key);
}

static void seal_line(struct c2c *c, struct c2c_line *l, const struct line_entry *e,
		      const struct row_entry *rows)
{
	*l = (struct c2c_line){ .addr = e->addr, .memory = e->memory };
	l->rows = mem_zalloc(e->rows * sizeof(*l->rows));
	for (; l->row_count < e->rows; l->row_count++) {
		l->rows[l->row_count] = rows[l->row_count].row;
		counts_sum(&l->counts, &rows[l->row_count].row.counts);
	}
	counts_sum(&c->total, &l->counts);
	if (!l->counts.n[C2C_LCL_HITM] && !l->counts.n[C2C_RMT_HITM] &&
	    !l->counts.n[C2C_LCL_PEER] && !l->counts.n[C2C_RMT_PEER])
		return;
	counts_sum(&c->shared, &l->counts);
	c->shared_lines++;
}

static struct c2c *seal(struct builder *b)
{
	struct c2c *c = mem_zalloc(sizeof(*c));
	uint32_t *order = mem_zalloc(b->line_count * sizeof(*order));
	uint32_t *first = mem_zalloc(b->line_count * sizeof(*first)); /* row of each line */

	if (b->row_count)
		qsort(b->rows, b->row_count, sizeof(*b->rows), row_compare);
	for (uint32_t i = 0, row = 0; i < b->line_count; row += b->lines[i++].rows) {
		order[i] = i;
		first[i] = row;
	}
	if (b->line_count)
		qsort_r(order, b->line_count, sizeof(*order), line_compare, b->lines);
	c->lines = mem_zalloc(b->line_count * sizeof(*c->lines));
	for (; c->line_count < b->line_count; c->line_count++) {
		uint32_t line = order[c->line_count];

		seal_line(c, &c->lines[c->line_count], &b->lines[line], &b->rows[first[line]]);
	}
	free(order);
	free(first);
	return c;
}

struct err *c2c_read(struct source *s, struct attrib *attrib, struct c2c **c2c)
{
	struct builder b = { .attrib = attrib, .recording = &s->recording };
	struct event ev;
	struct err *e;
	bool end = false;

	table_init(&b.line_table);
	table_init(&b.row_table);
	while (!(e = source_next(s, &ev, &end)) && !end) {
		attrib_event(attrib, &ev);
		if (ev.kind == EVENT_SAMPLE)
			add_sample(&b, &ev.sample);
	}
	*c2c = seal(&b);
	table_deinit(&b.line_table);
	table_deinit(&b.row_table);
	free(b.lines);
	free(b.rows);
	return e;
}

void c2c_free(struct c2c *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->line_count; i++) {
		struct c2c_line *l = &c->lines[i];

		for (uint32_t k = 0; k < l->row_count; k++) {
			idset_deinit(&l->rows[k].cpus);
			idset_deinit(&l->rows[k].memory.nodes);
		}
		free(l->rows);
		idset_deinit(&l->memory.nodes);
	}
	free(c->lines);
	free(c);
}
