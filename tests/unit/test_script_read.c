// SPDX-License-Identifier: GPL-2.0-only
#include "recording_image.h"
#include "script_line.h"

#define WORDS "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A"
#define NONE  UINT32_MAX

static void text_is(const char *line, const char *what, struct script_text got, const char *wanted)
{
	if (got.size != strlen(wanted) || memcmp(got.at, wanted, got.size))
		fail_msg("%s: %s is \"%.*s\", not \"%s\"", line, what, (int)got.size, got.at,
			 wanted);
}

static void number_is(const char *line, const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		fail_msg("%s: %s is %#llx, not %#llx", line, what, (unsigned long long)got,
			 (unsigned long long)wanted);
}

/* Lines as perf of several years prints them, with more and fewer columns. */
static void a_column_is_known_by_what_is_around_it(void **state)
{
	static const struct {
		const char *line, *comm, *event, *symbol, *file;
		uint32_t pid, tid, cpu;
		uint64_t time, period, addr, data_src, weight, ip, offset, phys;
	} row[] = {
		{ " perf 10/11 [003] 5.000001:  7 cpu/mem-loads/P: ffff8801 68100142 " WORDS
		  "  90 ffffffff814041a3",
		  "perf", "cpu/mem-loads/P", "", "", 10, 11, 3, 5000001000, 7, 0xffff8801,
		  0x68100142, 90, 0xffffffff814041a3, 0, 0 },
		{ "a b: c  12 5.5: mem: 7f00 5080144 |OP STORE|BLK  N/A  0 7f8123 main+0x4 "
		  "(/bin/ls)",
		  "a b: c", "mem", "main", "/bin/ls", NONE, 12, NONE, 5500000000, 1, 0x7f00,
		  0x5080144, 0, 0x7f8123, 4, 0 },
		{ "x 1 6.123456789: 3 e:u: 10 40268100142 " WORDS
		  "  5  33  0 ffffffff8cc2ba08 [unknown] ([kernel.kallsyms])",
		  "x", "e:u", "", "[kernel.kallsyms]", NONE, 1, NONE, 6123456789, 3, 0x10,
		  0x40268100142, 5, 0xffffffff8cc2ba08, 0, 0 },
		/* An address of decimal digits only, a symbol of hexadecimal ones only. */
		{ "x 1/1 1.0: e: 10 68100142 " WORDS " 5 400123 add (/bin/x)", "x", "e", "add",
		  "/bin/x", 1, 1, NONE, 1000000000, 1, 0x10, 0x68100142, 5, 0x400123, 0, 0 },
		/* No latency; words cut at 100 characters; C++; the physical address last. */
		{ "x 1/1 1.0: e: 10 68100142 |OP LOAD|BLK  Da  400b12 f(int, char)::g+0x1f (/b "
		  "(x)) 1ab40",
		  "x", "e", "f(int, char)::g", "x)", 1, 1, NONE, 1000000000, 1, 0x10, 0x68100142, 0,
		  0x400b12, 0x1f, 0x1ab40 },
		/* No address of the data, no time, no CPU. */
		{ "x 7 e: 8688000842 |OP LOAD|SNP Peer|BLK  N/A  aaaac17c3e88 [unknown] (/m)", "x",
		  "e", "", "/m", NONE, 7, NONE, 0, 1, 0, 0x8688000842, 0, 0xaaaac17c3e88, 0, 0 },
		/* Below it a call chain: only the latency. */
		{ "x 7 1.0: e: 10 68100142 " WORDS " 230", "x", "e", "", "", NONE, 7, NONE,
		  1000000000, 1, 0x10, 0x68100142, 230, 0, 0, 0 },
		/* Only what must be there. */
		{ "68100142 |OP LOAD|", "", "", "", "", NONE, NONE, NONE, 0, 1, 0, 0x68100142, 0, 0,
		  0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct script_sample s;

		if (!script_line_sample(row[i].line, &s))
			fail_msg("%s: is no sample", row[i].line);
		text_is(row[i].line, "comm", s.comm, row[i].comm);
		text_is(row[i].line, "event", s.event, row[i].event);
		text_is(row[i].line, "symbol", s.symbol, row[i].symbol);
		text_is(row[i].line, "file", s.file, row[i].file);
		number_is(row[i].line, "pid", s.sample.pid, row[i].pid);
		number_is(row[i].line, "tid", s.sample.tid, row[i].tid);
		number_is(row[i].line, "cpu", s.sample.cpu, row[i].cpu);
		number_is(row[i].line, "time", s.sample.time, row[i].time);
		number_is(row[i].line, "period", s.sample.period, row[i].period);
		number_is(row[i].line, "addr", s.sample.addr, row[i].addr);
		number_is(row[i].line, "data_src", s.sample.data_src, row[i].data_src);
		number_is(row[i].line, "weight", s.sample.weight, row[i].weight);
		number_is(row[i].line, "ip", s.sample.ip, row[i].ip);
		number_is(row[i].line, "offset", s.symbol_offset, row[i].offset);
		number_is(row[i].line, "phys_addr", s.sample.phys_addr, row[i].phys);
	}
}

static void lines_that_are_no_samples_are_not_taken_for_some(void **state)
{
	static const char *const lines[] = {
		"",	   "|", "|OP LOAD", " |OP LOAD|", "x 1 1.0: cycles: ffff", "x: |OP LOAD|",
		"zz |OP ",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct script_sample s;

		if (script_line_sample(lines[i], &s))
			fail_msg("\"%s\" is taken for a sample", lines[i]);
	}
}

/* ---- The source */

static struct reading *read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static const char text[] =
	"# ========\n"
	"# hostname : big\n"
	"# nrcpus avail : 8\n"
	"# cpuid : GenuineIntel,6,106,6\n"
	"# cmdline : /usr/bin/perf mem record ls\n"
	"#\n"
	"  swapper 0 0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1000) @ 0x10]: x [k]\n"
	"  ls 10 1.000000: PERF_RECORD_COMM exec: ls:10/10\n"
	"  ls 10 1.000001: PERF_RECORD_MMAP2 10/10: [0x400000(0x2000) @ 0x1000 08:02 77 5]: rw-s "
	"/d/s\n"
	"  ls 10 1.000002: PERF_RECORD_MMAP2 10/10: [0x500000(0x2000) @ 0 <0123abcd>]: r-xp /bin/l "
	"s\n"
	"  ls 10 1.000003: PERF_RECORD_FORK(10:11):(10:10)\n"
	"  ls 10 1.000004: PERF_RECORD_EXIT(10:11):(10:10)\n"
	"  ls 10 1.000004: PERF_RECORD_LOST lost 12\n"
	"  ls 11 [002] 1.000005: 1 mem-loads: 400040 668100842 " WORDS
	" 40 500010 main+0x10 (/bin/l s)\n"
	"\n"
	"  ls 11 [002] 1.000006: 1 mem-stores: 400040 5080144 " WORDS " 0\r\n"
	"\t          500018 main+0x18 (/bin/l s)\n"
	"\t          500100 start+0x0 (/bin/l s)\n"
	"  worker 11 [002] 1.000007: 1 mem-loads: 400040 668100842 " WORDS
	" 40 500010 main+0x10 (/x)";

static void what_is_beside_the_samples_is_told_too(void **state)
{
	struct reading *r = read_text(text);
	const struct event_map *map;

	assert_null(r->e);
	assert_string_equal(r->source->recording.host, "big");
	assert_string_equal(r->source->recording.cpuid, "GenuineIntel,6,106,6");
	assert_string_equal(r->source->recording.command, "/usr/bin/perf mem record ls");
	assert_int_equal(r->source->recording.cpus, 8);
	assert_int_equal(r->source->recording.lost, 12);
	assert_int_equal(count_kind(r, EVENT_MAP), 3);
	assert_true(find_kind(r, EVENT_MAP, 0)->map.kernel);
	map = &find_kind(r, EVENT_MAP, 1)->map;
	assert_int_equal(map->start, 0x400000);
	assert_int_equal(map->size, 0x2000);
	assert_int_equal(map->offset, 0x1000);
	assert_int_equal(map->major, 8);
	assert_int_equal(map->minor, 2);
	assert_int_equal(map->inode, 77);
	assert_int_equal(map->prot, PROT_READ | PROT_WRITE);
	assert_true(map->shared);
	assert_string_equal(map->path, "/d/s");
	assert_string_equal(find_kind(r, EVENT_MAP, 2)->map.path, "/bin/l s");
	assert_int_equal(find_kind(r, EVENT_MAP, 2)->map.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(find_kind(r, EVENT_FORK, 0)->tid, 11);
	assert_int_equal(find_kind(r, EVENT_FORK, 0)->fork.parent_pid, 10);
	assert_true(find_kind(r, EVENT_COMM, 0)->comm.exec);
	done(r);
}

static void samples_have_their_process_event_symbol_and_address(void **state)
{
	struct reading *r = read_text(text);
	const struct event *ev;

	assert_int_equal(count_kind(r, EVENT_SAMPLE), 3);
	for (size_t i = 0; i < 3; i++) {
		ev = find_kind(r, EVENT_SAMPLE, i);
		assert_int_equal(ev->sample.pid, 10); /* only the thread is on the line */
		assert_int_equal(ev->sample.tid, 11);
		assert_int_equal(ev->sample.cpu, 2);
		assert_int_equal(ev->sample.ip, i == 1 ? 0x500018 : 0x500010);
		assert_int_equal(ev->sample.event, i == 1);
	}
	assert_int_equal(r->source->recording.event_count, 2);
	assert_string_equal(r->source->recording.events[1].name, "mem-stores");
	assert_int_equal(r->source->recording.events[0].samples, 2);
	assert_int_equal(r->source->recording.first_time, 1000005000);
	assert_int_equal(count_kind(r, EVENT_SYMBOL), 1); /* once an address */
	ev = find_kind(r, EVENT_SYMBOL, 0);
	assert_int_equal(ev->symbol.addr, 0x500010);
	assert_string_equal(ev->symbol.name, "main");
	assert_int_equal(ev->symbol.offset, 0x10);
	assert_string_equal(ev->symbol.file, "/bin/l s");
	assert_int_equal(count_kind(r, EVENT_COMM), 3); /* of the record, of two names */
	assert_string_equal(find_kind(r, EVENT_COMM, 2)->comm.name, "worker");
	done(r);
}

static void cut_at_any_byte_it_is_still_read(void **state)
{
	size_t last = 0;

	for (size_t size = 1; size < sizeof(text); size++) {
		struct reading *r = read_bytes(text, size);

		if (r->e)
			assert_non_null(err_advice(r->e));
		else
			last = count_kind(r, EVENT_SAMPLE);
		done(r);
	}
	assert_int_equal(last, 3);
}

static void a_line_without_end_is_no_trouble(void **state)
{
	struct image im = { 0 };
	struct reading *r;

	put_text(&im, "x 1 1.0: e: 10 68100142 " WORDS "\n", 200);
	for (size_t i = 0; i < im.size; i++)
		im.bytes[i] = im.bytes[i] ? im.bytes[i] : ' ';
	for (int i = 0; i < 300000; i++)
		put(&im, "y", 1);
	put_text(&im, "\nx 1 2.0: e: 10 68100142 " WORDS "\n", 200);
	r = read_image(&im);
	assert_int_equal(count_kind(r, EVENT_SAMPLE), 2);
	done(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_column_is_known_by_what_is_around_it),
		cmocka_unit_test(lines_that_are_no_samples_are_not_taken_for_some),
		cmocka_unit_test(what_is_beside_the_samples_is_told_too),
		cmocka_unit_test(samples_have_their_process_event_symbol_and_address),
		cmocka_unit_test(cut_at_any_byte_it_is_still_read),
		cmocka_unit_test(a_line_without_end_is_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
