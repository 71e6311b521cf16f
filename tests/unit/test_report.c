// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_recordings.h"
#include "label.h"
#include "report.h"
#include "report_view.h"

#include <stdio.h>
#include <string.h>

// clang-format off
static const char MEASURED_UNICODE[] =
	"before.data: perf c2c record -- ./server\n"
	"measured on bench7, Intel(R) Xeon(R) Platinum 8269CY, Linux 6.1.0\n"
	"7,914 samples, 6,707 usable (84.7 %): 4,665 loads, 2,042 stores; 24 lost (0.3 %)\n"
	"not usable: 1,200 not known to be a load or a store, 7 without an address\n"
	"not named, of 5,024 samples shown: data 2 in no known mapping, 126 without a type; code 216 without\n"
	"  a source line\n"
	"seen: 24 threads on 24 CPUs of 104; 1,683 samples in no known mapping\n"
	"\n"
	"3 contended lines: 99.2 % of all sampled load cycles\n"
	"\n"
	"#   cost object                                 lower┆upper     %  HITM llc/node/far % verdict\n"
	"    offset half  field      role      loads stores  HITM cycles CPUs threads function    source\n"
	"1 99.0 % pool (struct pool)                     ▕█   ┆▓   ▏ 84/16 2,880        50/0/50 mixed\n"
	"    +0     lower limit      both      2,160  1,920 2,160    412   24      24 pool_take   pool.c:71\n"
	"    +36    upper limit      victim      816      0   720    204   24      24 2 places:\n"
	"                                        720      0   720    230   24      24 pool_limit  pool.c:88\n"
	"                                         96      0     0      8   24      24 count_hits  n/a\n"
	"    why: several use limit, what uses limit at +36 only waits; 25 % of 2880 moves are for other\n"
	"      bytes (confidence 99 %)\n"
	"2  0.2 % std::map<…>::operator[]::guard (.bss)  ▕░   ┆    ▏ 100/0     6        100/0/0 false sharing\n"
	"    +0     lower std::…or[] victim        6      0     6    300    2       2 std::…tor[] cache…:1204\n"
	"    +8     lower n/a        aggressor     0      2     0    n/a    2       2 std::…tor[] cache…:1204\n"
	"    why: who uses std::map<std::basic_.. long>>>::operator[] waits for writes of +8; 100 % of 6\n"
	"      moves are for bytes beside; the same threads use those, too, so that apart the wait moves on\n"
	"      to them (confidence 61 %)\n"
	"3    n/a hits_a and 1 more (.bss)               ▕    ┆    ▏   n/a     0            n/a false sharing\n"
	"    stores only: several threads write it, no load was seen to pay for it\n"
	"    +0     lower hits_a     both          0     60     0    n/a    1       1 count_hits  n/a\n"
	"    +32    upper hits_b     both          0     60     0    n/a    1       1 count_hits  n/a\n"
	"    why: 2 threads write different bytes (hits_a and hits_b); 100 % of 120 stores are for others'\n"
	"      bytes (confidence 97 %)\n"
	"    try: pad: a line for what each thread writes of hits_a and hits_b (+64 bytes, +1 line)\n"
	"\n"
	"shades, against the hottest word: █ 1/2  ▓ 1/8  ▒ 1/32  ░ less\n"
	"llc/node/far: HITM from a core of the same last-level cache, of the same node, of another node\n"
	"1 line shared without contention not shown (--all)\n";

static const char MEASURED_ASCII_ALL[] =
	"before.data: perf c2c record -- ./server\n"
	"measured on bench7, Intel(R) Xeon(R) Platinum 8269CY, Linux 6.1.0\n"
	"7,914 samples, 6,707 usable (84.7 %): 4,665 loads, 2,042 stores; 24 lost (0.3 %)\n"
	"not usable: 1,200 not known to be a load or a store, 7 without an address\n"
	"not named, of 5,027 samples shown: data 5 in no known mapping, 126 without a type; code 3 without a\n"
	"  symbol, 216 without a source line\n"
	"seen: 24 threads on 24 CPUs of 104; 1,683 samples in no known mapping\n"
	"\n"
	"3 contended lines: 99.2 % of all sampled load cycles\n"
	"\n"
	"#   cost object                                 lower|upper     %  HITM llc/node/far % verdict\n"
	"    offset half  field      role      loads stores  HITM cycles CPUs threads function    source\n"
	"1 99.0 % pool (struct pool)                     [#   |+   ] 84/16 2,880        50/0/50 mixed\n"
	"    +0     lower limit      both      2,160  1,920 2,160    412   24      24 pool_take   pool.c:71\n"
	"    +36    upper limit      victim      816      0   720    204   24      24 2 places:\n"
	"                                        720      0   720    230   24      24 pool_limit  pool.c:88\n"
	"                                         96      0     0      8   24      24 count_hits  n/a\n"
	"    why: several use limit, what uses limit at +36 only waits; 25 % of 2880 moves are for other\n"
	"      bytes (confidence 99 %)\n"
	"2  0.2 % std::map<..>::operator[]::guard (.bss) [.   |    ] 100/0     6        100/0/0 false sharing\n"
	"    +0     lower std:..or[] victim        6      0     6    300    2       2 std::..or[] cache..1204\n"
	"    +8     lower n/a        aggressor     0      2     0    n/a    2       2 std::..or[] cache..1204\n"
	"    why: who uses std::map<std::basic_.. long>>>::operator[] waits for writes of +8; 100 % of 6\n"
	"      moves are for bytes beside; the same threads use those, too, so that apart the wait moves on\n"
	"      to them (confidence 61 %)\n"
	"3    n/a hits_a and 1 more (.bss)               [    |    ]   n/a     0            n/a false sharing\n"
	"    stores only: several threads write it, no load was seen to pay for it\n"
	"    +0     lower hits_a     both          0     60     0    n/a    1       1 count_hits  n/a\n"
	"    +32    upper hits_b     both          0     60     0    n/a    1       1 count_hits  n/a\n"
	"    why: 2 threads write different bytes (hits_a and hits_b); 100 % of 120 stores are for others'\n"
	"      bytes (confidence 97 %)\n"
	"    try: pad: a line for what each thread writes of hits_a and hits_b (+64 bytes, +1 line)\n"
	"4  0.0 % 0x900000                               [.   |    ] 100/0     0            n/a none\n"
	"    +0     lower n/a                      3      0     0      4    3       3 libpl..9f30 n/a\n"
	"    why: 3 threads read it, none was seen to write it\n"
	"\n"
	"shades, against the hottest word: # 1/2  + 1/8  - 1/32  . less\n"
	"llc/node/far: HITM from a core of the same last-level cache, of the same node, of another node\n";

static const char MODELLED_UNICODE[] =
	"before.data: hitmap record -o before.data -- hitmap bench signal --before --threads 8\n"
	"modelled on cascadelake-2s-192t, not measured (192 CPUs, 2 nodes, 2,500 MHz)\n"
	"1,528 samples, all usable: 776 loads, 752 stores; none lost\n"
	"seen: 8 threads on 8 CPUs of 192, through qemu-x86_64 7.2, plugin API 1\n"
	"192 operations (signal queued and freed)\n"
	"modelled run: 944,640 (700,000..1,890,000) cycles, 762 (401..763) HITM\n"
	"one operation: 3.97 (2.09..3.97) HITM, one every 4,920 (3,646..9,844) cycles\n"
	"note: memory touched by the kernel in system calls is not seen\n"
	"\n"
	"1 contended line: 100.0 % of all sampled load cycles\n"
	"\n"
	"#    cost object                lower┆upper     % HITM llc/node/far %    HITM/operation verdict\n"
	"    offset half  field      role loads stores HITM cycles CPUs threads function       source\n"
	"1 100.0 % root_user …er_struct) ▕██  ┆    ▏ 100/0  752        50/0/50 3.94 (2.08..3.94) true sharing\n"
	"    +0     lower __count    both   368    368  368    397    8       8 2 places:\n"
	"                                   192    192  192    412    8       8 refcount_inc   signal.c:71\n"
	"                                   176    176  176    380    8       8 refcount_dec   signal.c:102\n"
	"    +8     lower sigpending both   384    384  384    398    8       8 sigqueue_alloc signal.c:88\n"
	"    why: 8 threads use __count and sigpending, 8 write; 100 % of 752 moves are for the same bytes\n"
	"      (confidence 99 %)\n"
	"    try: shard: one __count and sigpending for each of 8 threads (+448 bytes, +7 lines), or write\n"
	"      less often\n"
	"\n"
	"shades, against the hottest word: █ 1/2  ▓ 1/8  ▒ 1/32  ░ less\n"
	"llc/node/far: HITM from a core of the same last-level cache, of the same node, of another node\n"
	"ranges: over how long a core keeps a line before it gives it up, 60 (0..120) cycles\n";

static const char MODELLED_ASCII[] =
	"before.data: hitmap record -o before.data -- hitmap bench signal --before --threads 8\n"
	"modelled on cascadelake-2s-192t, not measured (192 CPUs, 2 nodes, 2,500 MHz)\n"
	"1,528 samples, all usable: 776 loads, 752 stores; none lost\n"
	"seen: 8 threads on 8 CPUs of 192, through qemu-x86_64 7.2, plugin API 1\n"
	"192 operations (signal queued and freed)\n"
	"modelled run: 944,640 (700,000..1,890,000) cycles, 762 (401..763) HITM\n"
	"one operation: 3.97 (2.09..3.97) HITM, one every 4,920 (3,646..9,844) cycles\n"
	"note: memory touched by the kernel in system calls is not seen\n"
	"\n"
	"1 contended line: 100.0 % of all sampled load cycles\n"
	"\n"
	"#    cost object                lower|upper     % HITM llc/node/far %    HITM/operation verdict\n"
	"    offset half  field      role loads stores HITM cycles CPUs threads function       source\n"
	"1 100.0 % root_user ..r_struct) [##  |    ] 100/0  752        50/0/50 3.94 (2.08..3.94) true sharing\n"
	"    +0     lower __count    both   368    368  368    397    8       8 2 places:\n"
	"                                   192    192  192    412    8       8 refcount_inc   signal.c:71\n"
	"                                   176    176  176    380    8       8 refcount_dec   signal.c:102\n"
	"    +8     lower sigpending both   384    384  384    398    8       8 sigqueue_alloc signal.c:88\n"
	"    why: 8 threads use __count and sigpending, 8 write; 100 % of 752 moves are for the same bytes\n"
	"      (confidence 99 %)\n"
	"    try: shard: one __count and sigpending for each of 8 threads (+448 bytes, +7 lines), or write\n"
	"      less often\n"
	"\n"
	"shades, against the hottest word: # 1/2  + 1/8  - 1/32  . less\n"
	"llc/node/far: HITM from a core of the same last-level cache, of the same node, of another node\n"
	"ranges: over how long a core keeps a line before it gives it up, 60 (0..120) cycles\n";

static const char QUIET[] =
	"quiet.data: ./padded\n"
	"2,008 samples, all usable: 8 loads, 2,000 stores; none lost\n"
	"seen: 4 threads on 4 CPUs; 2,008 samples in no known mapping\n"
	"\n"
	"no contention in 2,008 usable samples, loss 0.0 %\n"
	"1 line shared without contention not shown (--all)\n"
	"\n"
	"2 pair candidates: neighbouring lines of 128 bytes, each used by one thread; they cost only where\n"
	"  the adjacent-line prefetcher moves pairs of lines, and then a line between them helps (+64 bytes)\n"
	"0x10000 by thread 0 (500 samples, 500 stores) | 0x10040 by thread 1 (500 samples, 500 stores)\n"
	"0x10080 by thread 2 (500 samples, 500 stores) | 0x100c0 by thread 3 (500 samples, 500 stores)\n";
// clang-format on

typedef void fill_function(struct fake_source *s);
typedef void report_function(FILE *out, const struct recording *recording,
			     const struct profile *profile, struct attrib *attrib,
			     const struct report_options *options);

/* The report of a recording, to be freed. */
static char *report_of(fill_function *fill, report_function *print, struct report_options options)
{
	struct attrib *attrib = attrib_new(NULL);
	struct fake_source s;
	struct profile *p;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fake_init(&s);
	fill(&s);
	assert_null(profile_read(&s.source, attrib, (struct profile_wish){ 0 }, &p));
	print(out, &s.source.recording, p, attrib, &options);
	fclose(out);
	profile_free(p);
	attrib_free(attrib);
	source_close(&s.source);
	return text;
}

static char *text_of(fill_function *fill, struct report_options options)
{
	return report_of(fill, report_text, options);
}

/* The first line that differs is shown on both sides. */
static void assert_text(const char *got, const char *want)
{
	while (*got && *want) {
		size_t g = strcspn(got, "\n"), w = strcspn(want, "\n");

		if (g != w || memcmp(got, want, g) != 0)
			fail_msg("\n got  |%.*s|\n want |%.*s|", (int)g, got, (int)w, want);
		got += g + (got[g] != 0);
		want += w + (want[w] != 0);
	}
	assert_string_equal(got, want);
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in:\n%s", part, text);
}

static void the_first_screen_of_a_measured_recording(void **state)
{
	char *text = text_of(add_measured, (struct report_options){ .unicode = true });

	assert_text(text, MEASURED_UNICODE);
	free(text);
}

static void everything_of_a_measured_recording_in_ascii(void **state)
{
	char *text = text_of(add_measured, (struct report_options){ .all = true });

	assert_text(text, MEASURED_ASCII_ALL);
	for (const char *c = text; *c; c++)
		assert_in_range(*c, 1, 126);
	free(text);
}

static void the_first_screen_of_a_modelled_recording(void **state)
{
	char *text = text_of(add_modelled, (struct report_options){ .unicode = true });

	assert_text(text, MODELLED_UNICODE);
	free(text);
	text = text_of(add_modelled, (struct report_options){ .unicode = false });
	assert_text(text, MODELLED_ASCII);
	free(text);
}

static void functions_that_wait_for_each_other_are_named(void **state)
{
	char *text = text_of(add_measured, (struct report_options){ .functions = true });

	assert_contains(text, "  cost moves who waits          field              for whom ");
	assert_contains(text, "69.5 % 1,800 pool_take          limit              pool_take  ");
	assert_contains(text, "15.5 %   720 pool_limit         limit at +36       pool_take  ");
	assert_lacks(text, "lower|upper");
	free(text);
}

static void no_contention_is_said_with_its_evidence(void **state)
{
	char *text = text_of(add_quiet, (struct report_options){ .unicode = false });

	assert_text(text, QUIET);
	free(text);
}

static void add_unshared(struct fake_source *s)
{
	struct event ev = { .kind = EVENT_NOTE, .note.kind = NOTE_MODEL };

	ev.note.model = (struct note_model){ .machine = "small", .threads = 1, .complete = true };
	*fake_event(s, EVENT_NOTE) = ev;
}

static void a_modelled_run_without_samples_has_no_contention(void **state)
{
	char *text = text_of(add_unshared, (struct report_options){ .unicode = false });

	assert_contains(text, "modelled on small, not measured");
	assert_contains(text, "no contention: the modelled program never had two threads");
	free(text);
}

static void add_unfinished(struct fake_source *s)
{
	add_unshared(s);
	s->events[0].note.model.complete = false;
}

static void totals_that_are_missing_are_no_noughts(void **state)
{
	char *text = text_of(add_unfinished, (struct report_options){ .unicode = false });

	assert_contains(text, "modelled run: n/a cycles, n/a HITM");
	assert_contains(text, "the model's totals are missing");
	free(text);
}

static void add_counted(struct fake_source *s, uint64_t count)
{
	fake_event(s, EVENT_NOTE)->note = (struct note){
		.kind = NOTE_OPERATION,
		.operation = { "signal queued", count, "signal:signal_generate", 500000000 }
	};
}

static void add_measured_and_counted(struct fake_source *s)
{
	add_measured(s);
	add_counted(s, 2000000);
}

/* 24 threads with 120 HITM samples each and two with 3 more. */
static void sampled_hitm_is_told_for_each_1000_counted_operations(void **state)
{
	struct report_options options = { .unicode = false };
	char *text = text_of(add_measured_and_counted, options);
	char *json = report_of(add_measured_and_counted, report_json, options);

	assert_contains(text, "2,000,000 operations (signal queued, counted by "
			      "signal:signal_generate): 4,000,000 a second\n");
	assert_contains(text, "sampled HITM for each 1,000 operations: 1.44\n");
	assert_contains(json, "\"hitm_per_operation\": 0.001443,");
	assert_contains(json, "\"per_second\": 4000000");
	free(text);
	free(json);
}

static void add_counted_alone(struct fake_source *s)
{
	s->source.recording = (struct recording){ .path = "counts.data", .command = "./job" };
	add_counted(s, 1);
}

static void operations_without_samples_are_reported(void **state)
{
	char *text = text_of(add_counted_alone, (struct report_options){ .unicode = false });

	assert_text(text, "counts.data: ./job\n"
			  "1 operation (signal queued, counted by signal:signal_generate): "
			  "2 a second\n\n"
			  "no memory samples, so no contention could be seen: operations alone "
			  "were recorded\n");
	free(text);
}

static void no_line_is_wider_than_the_report(void **state)
{
	for (uint32_t width = 80; width <= REPORT_COLUMNS; width += 5) {
		char *text = text_of(
			add_measured,
			(struct report_options){ .all = true, .unicode = true, .columns = width });
		char *rest = text, *line;

		while ((line = strsep(&rest, "\n")))
			if (label_columns(line) > width)
				fail_msg("%u columns, not %u: %s", label_columns(line), width,
					 line);
		free(text);
	}
}

static void colours_come_only_when_asked_for(void **state)
{
	char *plain = text_of(add_measured, (struct report_options){ .unicode = true });
	char *coloured = text_of(add_measured,
				 (struct report_options){ .unicode = true, .colour = true });
	char *to = coloured;

	assert_lacks(plain, "\033");
	assert_contains(coloured, "\033[38;5;196m█\033[0m");
	for (const char *c = coloured; *c; c++) { /* without its colours it is the plain text */
		if (*c == '\033')
			c += strcspn(c, "m");
		else
			*to++ = *c;
	}
	*to = '\0';
	assert_text(coloured, plain);
	free(plain);
	free(coloured);
}

static void lines_beyond_the_top_are_counted(void **state)
{
	char *text = text_of(add_measured, (struct report_options){ .top = 1 });

	assert_contains(text, "2 lines with 0.2 % of HITM (6) not shown (--all)\n");
	free(text);
}

static void add_lossy(struct fake_source *s)
{
	add_measured(s);
	s->source.recording.lost = 2000;
	s->source.recording.truncated = true;
	s->source.recording.damage = "record at 0x3f0: it is cut off";
	s->source.recording.throttled = 3;
	s->source.recording.aux_bytes = 4096;
	s->source.recording.aux_kind = "Intel PT";
	s->source.recording.spe = (struct recording_spe){
		.recorded = true, .records = 12000, .collisions = 1, .lost_bytes = 128
	};
	s->source.recording.cpuid = "GenuineIntel,6,106,6";
}

static void loss_makes_counts_lower_bounds(void **state)
{
	char *text = text_of(add_lossy, (struct report_options){ .unicode = false });

	assert_contains(text, "20.2 % was lost: all counts are lower bounds\n");
	assert_contains(text, "readable part (record at");
	free(text);
}

static void what_was_not_recorded_or_cannot_be_told_is_said(void **state)
{
	char *text = text_of(add_lossy, (struct report_options){ .unicode = false });
	char *json = report_of(add_lossy, report_json, (struct report_options){ .unicode = false });

	assert_contains(text, "the kernel paused sampling 3 times");
	assert_contains(text, "4,096 bytes of Intel PT trace not decoded");
	assert_contains(text, "this CPU counts a line");
	assert_contains(json, "\"throttled\": 3");
	assert_contains(text, "SPE: 12,000 records, 1 collision, 128 truncated bytes\n");
	assert_contains(json, "\"aux\": \"Intel PT\"");
	assert_contains(json, "\"spe_truncated_bytes\": 128");
	assert_contains(json, "\"damage\": \"record at 0x3f0: it is cut off\"");
	free(json);
	free(text);
}

static void add_peers(struct fake_source *s)
{
	struct data_source peer = { .kind = MEMORY_LOAD, .level = LEVEL_L3, .peer = true };

	s->source.recording = (struct recording){ .path = "spe.data" };
	for (uint32_t t = 0; t < 2; t++) {
		FAKE_TOUCH(s, 9, t, t, 0x401000, 0x601040, 120, peer, .times = 5);
		FAKE_TOUCH(s, 9, t, t, 0x401000, 0x601044, 0, STORE_L1);
	}
}

static void hitm_is_absent_where_only_peers_are_known(void **state)
{
	char *text = text_of(add_peers, (struct report_options){ .unicode = false });
	char *json = report_of(add_peers, report_json, (struct report_options){ .unicode = false });

	assert_contains(text, "HITM: n/a, this hardware does not tell it");
	assert_contains(text, "peer only: it moved between cores");
	assert_contains(json, "\"hitm\": null");
	assert_lacks(json, "\"hitm\": 0");
	free(text);
	free(json);
}

static void add_loads_only(struct fake_source *s)
{
	s->source.recording = (struct recording){ .path = "loads.data" };
	for (uint32_t t = 0; t < 2; t++)
		FAKE_TOUCH(s, 9, t, t, 0x401000, 0x601040, 120, LOAD_HITM(DISTANCE_SAME_LLC));
}

static void stores_are_absent_where_none_were_recorded(void **state)
{
	char *text = text_of(add_loads_only, (struct report_options){ .unicode = false });
	char *json = report_of(add_loads_only, report_json,
			       (struct report_options){ .unicode = false });

	assert_contains(text, "no stores recorded (who writes is not seen)");
	assert_contains(json, "\"stores\": null");
	assert_lacks(json, "\"stores\": 0");
	free(text);
	free(json);
}

static void add_many_offsets(struct fake_source *s)
{
	add_measured(s);
	for (uint32_t o = 0; o < 16; o++)
		for (uint32_t t = 0; t < 2; t++)
			for (uint32_t i = 0; i < 5; i++)
				FAKE_TOUCH(s, 9, t, t, 0x402000 + i, 0x604000 + 4 * o, 500,
					   LOAD_HITM(DISTANCE_SAME_LLC), .times = 1 + i);
}

static void offsets_and_places_that_are_cut_are_counted(void **state)
{
	char *text = text_of(add_many_offsets, (struct report_options){ .unicode = false });
	char *all = text_of(add_many_offsets, (struct report_options){ .all = true });

	assert_contains(text, "of these lines not shown: 8 more offsets with 240 HITM, "
			      "16 more places (--all)\n");
	assert_lacks(all, "of these lines not shown");
	free(text);
	free(all);
}

/* The text between the fences of the document's only example, to be freed. */
static char *documented_example(void)
{
	FILE *in = fopen("docs/json.md", "r"); /* tests run from the top of the tree */
	char *text = NULL, *start, *example;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!in)
		fail_msg("docs/json.md is not there");
	for (int c; (c = fgetc(in)) != EOF;)
		fputc(c, out);
	fclose(in);
	fclose(out);
	start = strstr(text, "```json\n");
	assert_non_null(start);
	start += strlen("```json\n");
	example = strndup(start, strstr(start, "```") - start);
	free(text);
	return example;
}

static void the_example_in_the_document_is_what_json_is_written(void **state)
{
	char *want = documented_example();
	char *json = report_of(add_modelled, report_json, (struct report_options){ .top = 0 });

	assert_text(json, want);
	free(want);
	free(json);
}

static void names_are_made_fit_for_a_screen(void **state)
{
	static const struct {
		const char *name;
		uint32_t columns;
		bool unicode;
		const char *want;
	} CASES[] = {
		{ "short", 10, true, "short" },
		{ "exactly_10", 10, true, "exactly_10" },
		{ "twelve_chars", 11, true, "twelv…chars" },
		{ "twelve_chars", 11, false, "twelv..hars" },
		{ "map<basic_string<char>, long>::find", 12, true, "map<…>::find" },
		{ "map<basic_string<char>, long>::find", 13, false, "map<..>::find" },
		{ "a<b->c, d>::operator<<(e<f>)", 22, true, "a<…>::operator<<(e<f>)" },
		{ "unclosed<int, long, char", 12, true, "unclos… char" },
		{ "tab\there", 20, true, "tab?here" },
		{ "bad\xff\xc3(", 20, true,
		  "bad?"
		  "?(" },
		{ "größe", 10, true, "größe" },
		{ "größe", 10, false, "gr??e" },
		{ "esc\033[31m", 20, true, "esc?[31m" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		char label[LABEL_BYTES];

		assert_string_equal(
			label_fit(label, CASES[i].name, CASES[i].columns, CASES[i].unicode),
			CASES[i].want);
		assert_true(label_columns(label) <= CASES[i].columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_wait_for_each_other_are_named),
		cmocka_unit_test(the_first_screen_of_a_measured_recording),
		cmocka_unit_test(everything_of_a_measured_recording_in_ascii),
		cmocka_unit_test(the_first_screen_of_a_modelled_recording),
		cmocka_unit_test(no_contention_is_said_with_its_evidence),
		cmocka_unit_test(a_modelled_run_without_samples_has_no_contention),
		cmocka_unit_test(totals_that_are_missing_are_no_noughts),
		cmocka_unit_test(sampled_hitm_is_told_for_each_1000_counted_operations),
		cmocka_unit_test(operations_without_samples_are_reported),
		cmocka_unit_test(no_line_is_wider_than_the_report),
		cmocka_unit_test(colours_come_only_when_asked_for),
		cmocka_unit_test(lines_beyond_the_top_are_counted),
		cmocka_unit_test(what_was_not_recorded_or_cannot_be_told_is_said),
		cmocka_unit_test(loss_makes_counts_lower_bounds),
		cmocka_unit_test(hitm_is_absent_where_only_peers_are_known),
		cmocka_unit_test(stores_are_absent_where_none_were_recorded),
		cmocka_unit_test(offsets_and_places_that_are_cut_are_counted),
		cmocka_unit_test(the_example_in_the_document_is_what_json_is_written),
		cmocka_unit_test(names_are_made_fit_for_a_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
