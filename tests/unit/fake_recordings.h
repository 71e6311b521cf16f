/* SPDX-License-Identifier: GPL-2.0-only */
/* Two fixed recordings: one as perf c2c makes it on a two-socket machine, one of the model. */
#ifndef FAKE_RECORDINGS_H
#define FAKE_RECORDINGS_H

#include "fake_attrib.h"
#include "fake_source.h"

#define NASTY                                                                                      \
	"std::map<std::basic_string<char, std::char_traits<char>, std::allocator<char>>, "         \
	"std::shared_ptr<app::cache::entry<unsigned long>>>::operator[]"

const struct fake_data fake_data[] = {
	{ 0x601040,
	  128,
	  { .object = "pool",
	    .object_size = 128,
	    .section = ".data",
	    .type = "struct pool",
	    .field = "limit",
	    .field_size = 4 } },
	{ 0x602000, 8, { .object = "hits_a", .object_size = 8, .section = ".bss" } },
	{ 0x602020, 8, { .object = "hits_b", .object_size = 8, .section = ".bss" } },
	{ 0x603000, 8, { .object = NASTY "::guard", .section = ".bss", .field = NASTY } },
	{ 0x700000,
	  4,
	  { .object = "root_user",
	    .object_size = 96,
	    .type = "struct user_struct",
	    .field = "__count",
	    .field_size = 4 } },
	{ 0x700008,
	  4,
	  { .object = "root_user",
	    .object_size = 96,
	    .type = "struct user_struct",
	    .field = "sigpending",
	    .field_size = 4,
	    .object_offset = 8 } },
	{ 0 },
};

const struct fake_code fake_code[] = {
	{ 0x401000, { .function = "pool_take", .source = "pool.c", .line = 71, .file = "server" } },
	{ 0x401010,
	  { .function = "pool_limit", .source = "pool.c", .line = 88, .file = "server" } },
	{ 0x401020, { .function = "count_hits", .file = "server" } },
	{ 0x401030, { .function_offset = 0x9f30, .file = "libplugin.so" } },
	{ 0x401040, { .function = NASTY, .source = "cache.cpp", .line = 1204, .file = "server" } },
	{ 0x501000,
	  { .function = "refcount_inc", .source = "signal.c", .line = 71, .file = "hitmap" } },
	{ 0x501010,
	  { .function = "sigqueue_alloc", .source = "signal.c", .line = 88, .file = "hitmap" } },
	{ 0x501020,
	  { .function = "refcount_dec", .source = "signal.c", .line = 102, .file = "hitmap" } },
	{ 0 },
};

static const struct data_source NO_MEMORY = { .kind = MEMORY_NONE };

static inline void add_measured(struct fake_source *s)
{
	s->source.recording = (struct recording){
		.path = "before.data",
		.host = "bench7",
		.kernel = "6.1.0",
		.cpu = "Intel(R) Xeon(R) Platinum 8269CY",
		.command = "perf c2c record -- ./server",
		.cpus = 104,
		.lost = 24,
	};
	fake_map(s, 9, 0x600000, 0x200000);
	for (uint32_t t = 0; t < 24; t++) {
		enum memory_distance far = t & 1 ? DISTANCE_OTHER_NODE : DISTANCE_SAME_LLC;

		FAKE_TOUCH(s, 9, 100 + t, t, 0x401000, 0x601040, 412, LOAD_HITM(far), .times = 90);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401000, 0x601040, 0, STORE_L1, .times = 80);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401010, 0x601064, 230, LOAD_HITM(far), .times = 30);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401020, 0x601064, 8, LOAD_L1, .times = 4);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401030, 0x800000 + 64 * t, 5, LOAD_L1, .times = 70);
	}
	for (uint32_t t = 0; t < 2; t++) {
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401020, 0x602000 + 32 * t, 0, STORE_L1, .times = 60);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401040, 0x603000, 300, LOAD_HITM(DISTANCE_SAME_LLC),
			   .times = 3);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401040, 0x603008, 0, STORE_L1);
	}
	for (uint32_t t = 0; t < 3; t++)
		FAKE_TOUCH(s, 9, 100 + t, t, 0x401030, 0x900000, 4, LOAD_L1);
	FAKE_TOUCH(s, 9, 100, 0, 0x401030, 0, 4, LOAD_L1, .times = 7);
	FAKE_TOUCH(s, 9, 100, 0, 0x401030, 0x1000, 0, NO_MEMORY, .times = 1200);
}

static inline void add_modelled_notes(struct fake_source *s)
{
	struct note *n = &fake_event(s, EVENT_NOTE)->note;

	*n = (struct note){ .kind = NOTE_MODEL,
			    .model = { .machine = "cascadelake-2s-192t",
				       .door = "qemu-x86_64 7.2, plugin API 1",
				       .mhz = 2500,
				       .cpus = 192,
				       .nodes = 2,
				       .llcs = 2,
				       .threads = 8,
				       .hold = { 0, 60, 120 },
				       .cycles = { 1890000, 944640, 700000 },
				       .hitm = { 763, 762, 401 },
				       .transfers = { 770, 768, 410 },
				       .instructions = 90000,
				       .accesses = 30000,
				       .complete = true } };
	n = &fake_event(s, EVENT_NOTE)->note;
	*n = (struct note){ .kind = NOTE_LINE,
			    .line = { .pid = 9,
				      .addr = 0x700000,
				      .accesses = 1200,
				      .hitm = { 757, 756, 400 },
				      .transfers = { 770, 768, 410 },
				      .cycles = { 450000, 310000, 150000 } } };
	n = &fake_event(s, EVENT_NOTE)->note;
	*n = (struct note){ .kind = NOTE_OPERATION,
			    .operation = { .name = "signal queued and freed", .count = 192 } };
	n = &fake_event(s, EVENT_NOTE)->note;
	*n = (struct note){ .kind = NOTE_REMARK,
			    .remark.text =
				    "memory touched by the kernel in system calls is not seen" };
}

static inline void add_modelled(struct fake_source *s)
{
	struct data_source locked = LOAD_HITM(DISTANCE_OTHER_NODE),
			   near = LOAD_HITM(DISTANCE_SAME_LLC);

	locked.locked = near.locked = true;
	s->source.recording = (struct recording){
		.path = "before.data",
		.host = "laptop",
		.command =
			"hitmap record -o before.data -- hitmap bench signal --before --threads 8",
	};
	fake_map(s, 9, 0x700000, 0x1000);
	for (uint32_t t = 0; t < 8; t++) {
		struct data_source d = t < 4 ? locked : near;

		FAKE_TOUCH(s, 9, 100 + t, t, 0x501000, 0x700000, 412, d, .times = 24);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x501000, 0x700000, 0, STORE_L1, .times = 24);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x501020, 0x700000, 380, d, .times = 22);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x501020, 0x700000, 0, STORE_L1, .times = 22);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x501010, 0x700008, 398, d, .times = 48);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x501010, 0x700008, 0, STORE_L1, .times = 48);
		FAKE_TOUCH(s, 9, 100 + t, t, 0x501010, 0x700800 + 64 * t, 3, LOAD_L1, .period = 100,
			   .times = 3);
	}
	add_modelled_notes(s);
}

static inline void add_quiet(struct fake_source *s)
{
	s->source.recording = (struct recording){ .path = "quiet.data", .command = "./padded" };
	for (uint32_t t = 0; t < 4; t++) {
		FAKE_TOUCH(s, 9, t, t, 0x401020, 0x10000 + 64 * t, 0, STORE_L1, .times = 500);
		FAKE_TOUCH(s, 9, t, t, 0x401020, 0x20000, 5, LOAD_L1, .times = 2);
	}
}

#endif
