/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixed recordings for screens: the signal path before and after its change, a futex table with one
 * hot bucket, names that mean harm, a recording of stores only, and one without contention. 8 CPUs
 * on two nodes, even times, names from the tables here.
 */
#ifndef FAKE_SCREENS_H
#define FAKE_SCREENS_H

#include "fake_attrib.h"
#include "fake_source.h"
#include "report_view.h"
#include "tally.h"

#define BUCKETS	     0x800000
#define BUCKET_COUNT 256

#define NASTY_OBJECT "\033[2J\xff\xc3(\xe2\x80\xaeoverride \xe4\xb8\xad\xe6\x96\x87 {heat-full}"
#define NASTY_FIELD                                                                                \
	"std::map<std::basic_string<char, std::char_traits<char>, std::allocator<char>>, "         \
	"std::shared_ptr<app::cache::entry<unsigned long>>>::operator[]"

#define FIELD(addr_, object_, size_, type_, field_, at)                                            \
	{                                                                                          \
		addr_, 4,                                                                          \
		{                                                                                  \
			.object = (object_), .object_size = (size_), .type = (type_),              \
			.field = (field_), .field_size = 4, .object_offset = (at),                 \
			.field_offset = (at)                                                       \
		}                                                                                  \
	}
#define BUCKET(n, field_, at)                                                                      \
	FIELD(BUCKETS + 64 * (n) + (at), "futex_queues", 64 * BUCKET_COUNT,                        \
	      "futex_hash_bucket[256]", field_, 64 * (n) + (at))

const struct fake_data fake_data[] = {
	FIELD(0x700000, "root_user", 96, "user_struct", "__count", 0),
	FIELD(0x700008, "root_user", 96, "user_struct", "sigpending", 8),
	FIELD(0x700024, "root_user", 96, "user_struct", "mq_bytes", 36),
	FIELD(0x730020, "root_user", 96, "user_struct", "__count", 0),
	FIELD(0x730028, "root_user", 96, "user_struct", "sigpending", 8),
	FIELD(0x701000, "stats", 8, NULL, "", 0),
	FIELD(0x701008, "hits", 8, NULL, "", 0),
	BUCKET(3, "[3].waiters", 0),
	BUCKET(3, "[3].lock", 4),
	BUCKET(17, "[17].waiters", 0),
	BUCKET(17, "[17].lock", 4),
	BUCKET(200, "[200].waiters", 0),
	FIELD(0x710000, "page of the futexes", 64, "struct page", "flags", 0),
	FIELD(0x71001c, "page of the futexes", 64, "struct page", "_count", 28),
	FIELD(0x720000, NASTY_OBJECT, 64, "struct \x01nasty", NASTY_FIELD, 0),
	FIELD(0x720020, NASTY_OBJECT, 64, "struct \x01nasty", "ok", 32),
	{ 0 },
};

#define CODE(ip_, function_, line_)                                                                \
	{                                                                                          \
		ip_,                                                                               \
		{                                                                                  \
			.function = (function_), .source = "signal.c", .line = (line_),            \
			.file = "hitmap"                                                           \
		}                                                                                  \
	}

const struct fake_code fake_code[] = {
	CODE(0x501000, "get_uid", 87),
	CODE(0x501010, "free_uid", 103),
	CODE(0x501020, "sigqueue_alloc_before", 58),
	CODE(0x501030, "sigqueue_free_before", 63),
	CODE(0x501040, "sigqueue_alloc_after", 68),
	CODE(0x501050, "mq_open", 140),
	CODE(0x501060, "count_hits", 12),
	CODE(0x502000, "queue_lock", 88),
	CODE(0x502010, "queue_unlock", 100),
	CODE(0x502020, "lock_page", 138),
	CODE(0x502030, "get_page", 143),
	CODE(0x503000, NASTY_FIELD, 1),
	{ 0 },
};

#define CPUS 8

static uint32_t fake_nodes[CPUS] = { 0, 0, 0, 0, 1, 1, 1, 1 };

/* A recording, read as hitmap tui does. */
struct fake_side {
	struct fake_source source;
	struct attrib *attrib;
	struct profile *profile;
	struct view view;
	struct tally *tally;
	uint64_t time; /* ns, of the next sample */
};

static inline struct data_source far(uint32_t cpu)
{
	struct data_source d = LOAD_HITM(cpu < CPUS / 2 ? DISTANCE_SAME_LLC : DISTANCE_OTHER_NODE);

	d.locked = true;
	return d;
}

/* "times" loads that pay, and as many stores, of one CPU; a millisecond each round. */
static inline void fight(struct fake_side *s, uint32_t cpu, uint64_t ip, uint64_t addr,
			 uint32_t cycles, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++) {
		FAKE_TOUCH(&s->source, 9, 100 + cpu, cpu, ip, addr, cycles, far(cpu));
		s->source.events[s->source.count - 1].sample.time = s->time + i * 1000000;
		FAKE_TOUCH(&s->source, 9, 100 + cpu, cpu, ip, addr, 0, STORE_L1);
		s->source.events[s->source.count - 1].sample.time = s->time + i * 1000000 + 1000;
	}
}

static inline void quiet_load(struct fake_side *s, uint32_t cpu, uint64_t ip, uint64_t addr)
{
	FAKE_TOUCH(&s->source, 9, 100 + cpu, cpu, ip, addr, 5, LOAD_L1);
	s->source.events[s->source.count - 1].sample.time = s->time;
}

static inline void add_notes(struct fake_side *s, uint64_t operations)
{
	struct note *n = &fake_event(&s->source, EVENT_NOTE)->note;

	*n = (struct note){ .kind = NOTE_MODEL,
			    .model = { .machine = "small-2n-8t",
				       .door = "qemu",
				       .mhz = 2000,
				       .cpus = CPUS,
				       .nodes = 2,
				       .llcs = 2,
				       .threads = CPUS,
				       .complete = true } };
	n = &fake_event(&s->source, EVENT_NOTE)->note;
	*n = (struct note){ .kind = NOTE_OPERATION,
			    .operation = { .name = "signal queued and freed",
					   .count = operations } };
}

static inline void begin(struct fake_side *s, const char *path)
{
	fake_init(&s->source);
	s->time = 1000000000;
	s->source.source.recording = (struct recording){ .path = path,
							 .command = "./program",
							 .cpus = CPUS,
							 .cpu_node = fake_nodes,
							 .cpu_nodes = CPUS };
	fake_map(&s->source, 9, 0x700000, 0x200000);
}

/* The count is written by all in the first phase of the run, sigpending in all of it. */
static inline void signal_before(struct fake_side *s)
{
	begin(s, "before.data");
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		s->time = 1000000000;
		fight(s, cpu, 0x501000, 0x700000, 400, 20 + cpu);
		fight(s, cpu, 0x501010, 0x700000, 380, 10);
		fight(s, cpu, 0x501020, 0x700008, 410, 20);
		s->time += 30000000;
		fight(s, cpu, 0x501030, 0x700008, 420, 30);
		quiet_load(s, cpu, 0x501050, 0x700024);
	}
	fight(s, 0, 0x501060, 0x701000, 90, 2);
	fight(s, 1, 0x501060, 0x701008, 90, 2);
	add_notes(s, 400);
}

static inline void signal_after(struct fake_side *s)
{
	begin(s, "after.data");
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		s->time = 1000000000;
		fight(s, cpu, 0x501040, 0x700008, 430, 60);
		s->time += 30000000;
		fight(s, cpu, 0x501030, 0x700008, 420, 30 - 3 * cpu);
		quiet_load(s, cpu, 0x501000, 0x700000);
		quiet_load(s, cpu, 0x501050, 0x700024);
	}
	fight(s, 0, 0x501000, 0x700000, 400, 2);
	add_notes(s, 400);
}

/* The same object, half a line further on. */
static inline void signal_moved(struct fake_side *s)
{
	begin(s, "moved.data");
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		fight(s, cpu, 0x501000, 0x730020, 400, 20);
		fight(s, cpu, 0x501030, 0x730028, 420, 30);
	}
	add_notes(s, 400);
}

static inline void futex(struct fake_side *s, uint32_t collisions)
{
	begin(s, collisions ? "before.data" : "after.data");
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		fight(s, cpu, 0x502000, BUCKETS + 64 * 3, 300, 4);
		fight(s, cpu, 0x502000, BUCKETS + 64 * 200, 300, 2);
		fight(s, cpu, 0x502000, BUCKETS + 64 * 17, 300, 1 + collisions);
		fight(s, cpu, 0x502010, BUCKETS + 64 * 17 + 4, 320, 1 + collisions);
		fight(s, cpu, 0x502020, 0x710000, 280, collisions);
		fight(s, cpu, 0x502030, 0x71001c, 290, 10);
	}
	add_notes(s, 400);
}

static inline void futex_before(struct fake_side *s)
{
	futex(s, 25);
}

static inline void futex_after(struct fake_side *s)
{
	futex(s, 0);
}

static inline void nasty(struct fake_side *s)
{
	begin(s, "\033]0;owned\007.data");
	s->source.source.recording.cpu_node = NULL;
	s->source.source.recording.cpu_nodes = 0;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		fight(s, cpu, 0x503000, 0x720000, 300, 5);
		fight(s, cpu, 0x50ffff, 0x720020, 300, 2); /* code without a name */
		fight(s, cpu, 0x50ffff, 0x7fff00, 300, 2); /* memory without one */
	}
}

static inline void stores_only(struct fake_side *s)
{
	begin(s, "stores.data");
	s->source.source.recording.cpu_node = NULL;
	s->source.source.recording.cpu_nodes = 0;
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		FAKE_TOUCH(&s->source, 9, 100 + cpu, cpu, 0x501060, 0x701000 + 8 * (cpu & 1), 0,
			   STORE_L1, .times = 40);
}

static inline void uncontended(struct fake_side *s)
{
	begin(s, "quiet.data");
	s->source.source.recording.cpu_node = NULL;
	s->source.source.recording.cpu_nodes = 0;
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		FAKE_TOUCH(&s->source, 9, 100 + cpu, cpu, 0x501060, 0x740000 + 64 * cpu, 4, LOAD_L1,
			   .times = 50);
}

static inline uint64_t event_time(const struct event *ev)
{
	if (ev->kind == EVENT_SAMPLE)
		return ev->sample.time;
	return ev->kind == EVENT_MAP ? 0 : UINT64_MAX;
}

/* Maps, samples as time goes by, notes. An insertion keeps the order of equals; "fill" mostly gives
 * them in order. */
static inline void sort_events(struct fake_source *f)
{
	for (uint32_t i = 1; i < f->count; i++) {
		struct event ev = f->events[i];
		uint32_t to = i;

		for (; to && event_time(&f->events[to - 1]) > event_time(&ev); to--)
			f->events[to] = f->events[to - 1];
		f->events[to] = ev;
	}
}

/* Reads it twice, as of a file. */
static void fake_side_open(struct fake_side *s, void (*fill)(struct fake_side *s), bool tally)
{
	struct report_options all = { .top = TALLY_LINES, .all = true };
	struct recording *r = &s->source.source.recording;
	struct err *e;

	fill(s);
	sort_events(&s->source);
	r->first_time = 1000000000;
	r->last_time = 1100000000;
	s->attrib = attrib_new(NULL);
	e = profile_read(&s->source.source, s->attrib, (struct profile_wish){ 0 }, &s->profile);
	if (!e)
		view_init(&s->view, r, s->profile, s->attrib, &all);
	if (!e && tally) {
		s->tally = tally_new(s->profile, r->first_time, r->last_time);
		s->source.at = 0;
		e = tally_read(s->tally, &s->source.source, s->attrib);
	}
	err_free(e);
}

static void fake_side_close(struct fake_side *s)
{
	tally_free(s->tally);
	view_deinit(&s->view);
	profile_free(s->profile);
	attrib_free(s->attrib);
	source_close(&s->source.source);
	*s = (struct fake_side){ 0 };
}

#endif
