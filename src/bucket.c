// SPDX-License-Identifier: GPL-2.0-only
#include "bucket.h"
#include "futex_hash.h"
#include "map.h"
#include "mem.h"
#include "object_set.h"
#include "touched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET "futex_hash_bucket"

struct search {
	struct bucket_set *set;
	const struct profile *profile;
	struct attrib *attrib;
	struct intern *pool;
	struct map bucket_of; /* by key_of(): index in the set's buckets */
};

uint64_t bucket_heat(const struct bucket *b)
{
	uint64_t moves = counts_hitm(&b->counts) + b->counts.peer;

	return moves ? moves : b->counts.samples;
}

/* ---- Tables */

/* How many elements a type "struct futex_hash_bucket[16]" has; 0: it is another type. */
static uint64_t buckets_of(const char *type)
{
	const char *at = type ? strstr(type, BUCKET "[") : NULL;

	return at ? strtoull(at + strlen(BUCKET "["), NULL, 10) : 0;
}

static uint32_t find_table(struct search *s, const struct data_place *place, uint64_t addr,
			   uint32_t pid)
{
	struct bucket_set *set = s->set;
	uint64_t buckets = buckets_of(place->type);

	if (!buckets || place->object_size < buckets)
		return UINT32_MAX;
	for (uint32_t i = 0; i < set->table_count; i++)
		if (set->tables[i].addr == addr - place->object_offset && set->tables[i].pid == pid)
			return i;
	mem_grow(&set->tables, &set->table_room, set->table_count);
	set->tables[set->table_count] = (struct bucket_table){
		.name = place->object,
		.addr = addr - place->object_offset,
		.buckets = buckets,
		.size = place->object_size / buckets,
		.pid = pid,
	};
	return set->table_count++;
}

/* ---- Contended buckets */

static uint64_t key_of(uint32_t table, uint64_t number)
{
	return (uint64_t)table << 40 | number;
}

static struct bucket *bucket_of(struct search *s, uint32_t table, uint64_t number)
{
	struct bucket_set *set = s->set;
	bool fresh;
	uint64_t *index = map_put(&s->bucket_of, key_of(table, number), set->bucket_count, &fresh);

	if (!fresh)
		return &set->buckets[*index];
	mem_grow(&set->buckets, &set->bucket_room, set->bucket_count);
	set->buckets[set->bucket_count] = (struct bucket){ .table = table, .number = number };
	set->tables[table].contended++;
	return &set->buckets[set->bucket_count++];
}

static bool is_hotter(const struct counts *a, const struct counts *b)
{
	uint64_t x = counts_hitm(a) + a->peer, y = counts_hitm(b) + b->peer;

	return x != y ? x > y : a->latency_sum > b->latency_sum;
}

/* "lock" of "[3].lock". */
static const char *member_of(const struct search *s, const char *field)
{
	const char *dot = field ? strchr(field, '.') : NULL;

	return dot ? intern_string(s->pool, dot + 1) : NULL;
}

static const struct cell *hottest_cell(const struct contended_line *l)
{
	const struct cell *best = l->cells;

	for (uint32_t i = 1; i < l->cell_count; i++)
		if (is_hotter(&l->cells[i].counts, &best->counts))
			best = &l->cells[i];
	return best;
}

/* Buckets begin lines, so that what is in one line is of one bucket. */
static void add_line(struct search *s, const struct contended_line *l)
{
	const struct cell *hot = hottest_cell(l);
	struct data_place place = { 0 };
	struct bucket *b;
	uint32_t table;

	attrib_data(s->attrib, l->data, l->pid, l->addr + hot->offset, &place);
	if (buckets_of(place.type))
		attrib_data_by_code(s->attrib, hot->code, hot->ip, l->addr + hot->offset, &place);
	table = find_table(s, &place, l->addr + hot->offset, l->pid);
	if (table == UINT32_MAX)
		return;
	b = bucket_of(s, table, place.object_offset / s->set->tables[table].size);
	if (!b->line || is_hotter(&l->counts, &b->line->counts)) {
		b->line = l;
		b->field = member_of(s, place.field);
		b->offset = place.object_offset % s->set->tables[table].size;
		b->threads = l->threads.count;
	}
	counts_add(&b->counts, &l->counts);
}

/* ---- Futexes */

static bool is_futex_code(struct search *s, const struct touched *t)
{
	struct code_place place = { 0 };

	return attrib_code(s->attrib, t->code, t->ip, &place) && place.function &&
	       strstr(place.function, "futex");
}

/* The kernel's object of a type and process; "name": what its name has in it, or NULL. */
static const struct object *find_object(struct search *s, const char *type, uint32_t pid,
					const char *name)
{
	uint32_t count;
	const struct object *o = attrib_kernel_objects(s->attrib, &count);

	for (uint32_t i = 0; i < count; i++)
		if (o[i].pid == pid && o[i].type && !strncmp(o[i].type, type, strlen(type)) &&
		    (!name || strstr(o[i].name, name)))
			return &o[i];
	return NULL;
}

#define TABLE "struct " BUCKET "["

/* The tables of the nodes, which have the same size. */
static const struct object *node_table(struct search *s, const struct futex_key *key)
{
	const struct object *table = NULL;
	uint32_t nodes = 0;

	while (find_object(s, TABLE, 0, intern_printf(s->pool, "of node %u", nodes)))
		nodes++;
	if (nodes)
		table = find_object(s, TABLE, 0, "of node 0");
	if (nodes > 1)
		table = find_object(
			s, TABLE, 0,
			intern_printf(s->pool, "of node %u",
				      futex_hash_node(key, buckets_of(table->type), nodes)));
	return table;
}

/* NULL when it is not known where the futex is. */
static const struct object *table_of_futex(struct search *s, const struct touched *t,
					   uint64_t *number)
{
	const struct object *own = find_object(s, TABLE, t->pid, NULL), *table,
			    *mm = find_object(s, "struct mm_struct", t->pid, NULL);
	struct futex_key key = futex_key_private(mm ? mm->addr : 0, t->addr & ~3ULL, 0);
	uint64_t place;

	if (attrib_shared(t->data, t->addr, &place) || (!own && !mm))
		return NULL;
	if (own) {
		*number = futex_hash_private(&key, buckets_of(own->type));
		return own;
	}
	table = find_object(s, TABLE, 0, "of global") ?: node_table(s, &key);
	if (table)
		*number = futex_hash_global(&key, buckets_of(table->type));
	return table;
}

static const char *futex_name(struct search *s, const struct touched *t)
{
	struct data_place place = { 0 };

	if (!attrib_data(s->attrib, t->data, t->pid, t->addr & ~3ULL, &place) || !place.object)
		return NULL;
	return place.field ? intern_printf(s->pool, "%s.%s", place.object, place.field)
	       : place.object_offset
		       ? intern_printf(s->pool, "%s+%" PRIu64, place.object, place.object_offset)
		       : intern_string(s->pool, place.object);
}

static void add_futex(struct search *s, const struct touched *t, uint64_t samples)
{
	uint64_t number = 0, *index = NULL;
	const struct object *table = table_of_futex(s, t, &number);
	struct bucket *b;

	s->set->futexes++;
	s->set->unplaced += !table;
	for (uint32_t i = 0; table && !index && i < s->set->table_count; i++)
		if (s->set->tables[i].addr == table->addr && !s->set->tables[i].pid)
			index = map_get(&s->bucket_of, key_of(i, number));
	if (!index)
		return;
	b = &s->set->buckets[*index];
	b->futex = mem_realloc(b->futex, b->futexes + 1, sizeof(*b->futex));
	b->futex[b->futexes++] = (struct bucket_futex){
		.addr = t->addr & ~3ULL, .pid = t->pid, .name = futex_name(s, t), .samples = samples
	};
}

static int touched_compare(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;
	int order = CMP(x->pid, y->pid);

	return order ? order : CMP(x->addr, y->addr);
}

static bool is_same_word(const struct touched *a, const struct touched *b)
{
	return a->pid == b->pid && (a->addr | 3) == (b->addr | 3);
}

static void add_futexes(struct search *s)
{
	struct touched *all = mem_copy(s->profile->touched, s->profile->touched_count,
				       sizeof(*all));
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->profile->touched_count; i++)
		if (is_futex_code(s, &all[i]))
			all[count++] = all[i];
	if (count)
		qsort(all, count, sizeof(*all), touched_compare);
	for (uint32_t i = 0, next; i < count; i = next) {
		uint64_t samples = 0;

		for (next = i; next < count && is_same_word(&all[i], &all[next]); next++)
			samples += all[next].samples;
		add_futex(s, &all[i], samples);
	}
	free(all);
}

/* ---- All */

static int futex_compare(const void *a, const void *b)
{
	const struct bucket_futex *x = a, *y = b;
	int order = CMP(y->samples, x->samples);

	if (!order)
		order = CMP(x->pid, y->pid);
	return order ? order : CMP(x->addr, y->addr);
}

static int bucket_compare(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;
	int order = CMP(y->counts.latency_sum, x->counts.latency_sum);

	if (!order)
		order = CMP(bucket_heat(y), bucket_heat(x));
	if (!order)
		order = CMP(x->table, y->table);
	return order ? order : CMP(x->number, y->number);
}

void bucket_set_init(struct bucket_set *s, const struct profile *profile, struct attrib *attrib,
		     struct intern *pool)
{
	struct search search = { .set = s, .profile = profile, .attrib = attrib, .pool = pool };

	*s = (struct bucket_set){ 0 };
	map_init(&search.bucket_of);
	for (uint32_t i = 0; i < profile->line_count; i++)
		if (profile->lines[i].contended)
			add_line(&search, &profile->lines[i]);
	if (s->bucket_count)
		add_futexes(&search);
	map_deinit(&search.bucket_of);
	for (uint32_t i = 0; i < s->bucket_count; i++)
		if (s->buckets[i].futexes)
			qsort(s->buckets[i].futex, s->buckets[i].futexes,
			      sizeof(*s->buckets[i].futex), futex_compare);
	if (s->bucket_count)
		qsort(s->buckets, s->bucket_count, sizeof(*s->buckets), bucket_compare);
}

void bucket_set_judge(struct bucket_set *s, const struct profile *profile, struct attrib *attrib,
		      struct intern *pool, uint32_t count)
{
	for (uint32_t i = 0; i < s->bucket_count && i < count; i++) {
		struct sharing sharing;

		sharing_init(&sharing, profile, s->buckets[i].line, attrib, pool);
		s->buckets[i].verdict = sharing.verdict;
		sharing_deinit(&sharing);
	}
}

void bucket_set_deinit(struct bucket_set *s)
{
	for (uint32_t i = 0; i < s->bucket_count; i++)
		free(s->buckets[i].futex);
	free(s->buckets);
	free(s->tables);
	*s = (struct bucket_set){ 0 };
}
