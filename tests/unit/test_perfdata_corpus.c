// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of real machines, where they are at hand: in ../shared/perfdata, or in the folder that
 * the environment variable HITMAP_CORPUS names. Their README.md says how many records each file
 * holds; text/ holds what perf script says of the memory recordings.
 */
#include "perfdata_read.h"
#include "mem.h"

#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static const char *corpus(void)
{
	const char *folder = getenv("HITMAP_CORPUS");

	return folder ? folder : "../shared/perfdata";
}

static char *path_of(const char *folder, const char *name)
{
	return mem_printf("%s/%s%s%s", corpus(), folder, *folder ? "/" : "", name);
}

struct counts {
	uint64_t samples, maps, comms;
};

/* Reads all of it; the error, if there was one. */
static struct err *count_records(const char *path, struct counts *n)
{
	struct intern *pool = intern_new();
	struct source *s;
	struct event ev;
	bool end = false;
	struct err *e = perfdata_open(path, pool, &s);

	*n = (struct counts){ 0 };
	while (!e && !end) {
		e = source_next(s, &ev, &end);
		if (e || end)
			break;
		n->samples += ev.kind == EVENT_SAMPLE;
		n->maps += ev.kind == EVENT_MAP;
		n->comms += ev.kind == EVENT_COMM;
	}
	source_close(s);
	intern_free(pool);
	return e;
}

static void expect_counts(const char *name, const struct counts *got, const struct counts *wanted)
{
	if (memcmp(got, wanted, sizeof(*got)))
		fail_msg("%s: %" PRIu64 " samples, %" PRIu64 " maps, %" PRIu64
			 " comms, not %" PRIu64 ", %" PRIu64 ", %" PRIu64,
			 name, got->samples, got->maps, got->comms, wanted->samples, wanted->maps,
			 wanted->comms);
}

/* From the README's "one independent walk"; tracing data that the walk could not pass: perf's own
 * figure. With what is in compressed records: as the zstd program unpacks them all at once. */
static const struct {
	const char *name;
	struct counts counts;
	const char *error; /* part of the one message that is expected */
} file[] = {
	{ "MATF_dwarf_datasrc_perf.data", { 19, 212, 2 }, NULL },
	{ "hotspot_PerfFormatLost", { 34, 367, 3 }, NULL },
	{ "hotspot_broken.gz", { 0, 0, 0 }, "tar archive" },
	{ "hotspot_true.v2", { 1, 88, 2 }, NULL },
	{ "lpd_sleep.compressed.data", { 8, 49, 2 }, NULL },
	{ "lpd_sleep.compressed.pipe.data", { 8, 49, 2 }, NULL },
	{ "lpd_sleep.compressed2.data", { 7, 4, 2 }, NULL },
	{ "lpd_sleep.data", { 7, 4, 2 }, NULL },
	{ "mem-ldst_RcppThread_perf.data", { 698, 255, 2 }, NULL },
	{ "mem-loads_numatop_perf.data", { 14, 130, 2 }, NULL },
	{ "mem-loads_quipper_weight_struct.perf.data", { 14, 6945, 2959 }, NULL },
	{ "perfparser_contentsize.data", { 69, 146, 2 }, NULL },
	{ "perfparser_fork_static_gcc_zstd", { 106, 103, 2 }, NULL },
	{ "perfparser_probe.data.file", { 1, 120, 2 }, NULL },
	{ "perfparser_probe.data.stream", { 1, 120, 2 }, NULL },
	{ "quipper_armv7.perf_3.14-3.8", { 700, 1639, 217 }, NULL },
	{ "quipper_group_desc-4.14", { 13, 31, 3 }, NULL },
	{ "quipper_hybrid_topology", { 7, 107, 3 }, NULL },
	{ "quipper_intel_pt-4.14", { 15, 66, 3 }, NULL },
	{ "quipper_lost_samples-4.4", { 191, 45, 3 }, NULL },
	{ "quipper_piped.corrupted.zero_size_sample-3.2", { 0, 468, 100 }, NULL },
	{ "quipper_piped.header_features-4.16", { 2, 32, 2 }, NULL },
	{ "quipper_piped.header_features_aligned-6.12", { 9, 4, 2 }, NULL },
	{ "quipper_piped.intel_pt-4.14", { 11, 66, 3 }, NULL },
	{ "quipper_piped.lost_samples-4.4", { 191, 45, 3 }, NULL },
	{ "quipper_piped.no_attr_ids-4.14", { 7, 31, 3 }, NULL },
	{ "quipper_piped.target.throttled-3.4", { 228, 472, 101 }, NULL },
	{ "quipper_proc.map.timeout-3.18", { 8, 673, 13 }, NULL },
	{ "quipper_raw-3.4", { 441, 1645, 225 }, NULL },
	{ "quipper_singleprocess-3.4", { 77, 51, 2 }, NULL },
	{ "quipper_systemwide.0-3.8", { 28, 1793, 230 }, NULL },
	{ "simpleperf_perf_etm.data", { 0, 59, 2 }, NULL },
	{ "simpleperf_perf_with_tracepoint_event.data", { 45, 37, 3 }, NULL },
	{ "tiny232_perf.data", { 0, 0, 0 }, "the recording ends before it" },
};

static void every_file_gives_its_records_or_one_message(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(file); i++) {
		char *path = path_of("", file[i].name);
		struct counts got;
		struct err *e = count_records(path, &got);

		if (e && !file[i].error)
			fail_msg("%s", err_text(e));
		if (file[i].error && (!e || !strstr(err_text(e), file[i].error)))
			fail_msg("%s: \"%s\" does not say \"%s\"", file[i].name,
				 e ? err_text(e) : "no error", file[i].error);
		expect_counts(file[i].name, &got, &file[i].counts);
		err_free(e);
		free(path);
	}
}

/* ---- perf script's words for the same samples */

struct line {
	uint32_t pid, tid;
	uint64_t us, addr, data_src, weight, ip;
};

/* COMM PID/TID [CPU] SECONDS.MICROS: PERIOD EVENT: ADDR DATA_SRC |...| (words) WEIGHT (INS_LAT) IP;
 * only the fields that all three files have are taken, by what surrounds them. */
static bool parse_line(char *text, struct line *l)
{
	char *bar = strchr(text, '|'), *last_bar = strrchr(text, '|'), *at = strchr(text, '/');
	uint64_t seconds, us, tail[3], number;
	int count = 0, used;

	if (!bar || !at)
		return false;
	while (at > text && at[-1] != ' ')
		at--;
	if (sscanf(at, "%u/%u", &l->pid, &l->tid) != 2)
		return false;
	at = strchr(at, '.');
	while (at > text && at[-1] != ' ')
		at--;
	if (sscanf(at, "%" SCNu64 ".%" SCNu64, &seconds, &us) != 2)
		return false;
	l->us = seconds * 1000000 + us;
	/* The two words before the first bar. */
	*bar = 0;
	for (at = bar - 1; *at == ' '; at--)
		;
	while (*at != ' ')
		at--;
	sscanf(at, "%" SCNx64, &l->data_src);
	for (; *at == ' '; at--)
		;
	while (*at != ' ')
		at--;
	sscanf(at, "%" SCNx64, &l->addr);
	/* Behind "BLK  N/A": weight, on one file the instruction latency too, and the ip. */
	at = strrchr(last_bar, 'A') + 1;
	while (count < 3 && sscanf(at, "%" SCNx64 "%n", &number, &used) == 1) {
		tail[count++] = number;
		at += used;
	}
	if (count < 2)
		return false;
	l->ip = tail[count - 1];
	sscanf(strrchr(last_bar, 'A') + 1, "%" SCNu64, &l->weight);
	return true;
}

static void expect_line(const char *name, const struct event *ev, const struct line *l)
{
	const struct sample *s = &ev->sample;

	if (ev->pid != l->pid || ev->tid != l->tid || s->time / 1000 != l->us ||
	    s->addr != l->addr || s->data_src != l->data_src || s->weight != l->weight ||
	    s->ip != l->ip)
		fail_msg("%s: %u/%u at %" PRIu64 " us: addr %" PRIx64 " data_src %" PRIx64
			 " weight %" PRIu64 " ip %" PRIx64 ", perf script says %u/%u %" PRIu64
			 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIx64,
			 name, ev->pid, ev->tid, s->time / 1000, s->addr, s->data_src, s->weight,
			 s->ip, l->pid, l->tid, l->us, l->addr, l->data_src, l->weight, l->ip);
}

static void expect_script(const char *name, const char *script, int wanted)
{
	char *path = path_of("", name), *script_path = path_of("text", script), text[1024];
	FILE *in = fopen(script_path, "r");
	struct intern *pool = intern_new();
	struct source *s;
	bool end = false;
	int samples = 0;

	assert_non_null(in);
	assert_null(perfdata_open(path, pool, &s));
	while (!end) {
		struct event ev;
		struct line l = { 0 };

		assert_null(source_next(s, &ev, &end));
		if (end || ev.kind != EVENT_SAMPLE)
			continue;
		assert_non_null(fgets(text, sizeof(text), in));
		if (!parse_line(text, &l))
			fail_msg("%s: not understood: %s", script_path, text);
		expect_line(name, &ev, &l);
		samples++;
	}
	assert_int_equal(samples, wanted);
	assert_null(fgets(text, sizeof(text), in));
	fclose(in);
	source_close(s);
	intern_free(pool);
	free(path);
	free(script_path);
}

static void samples_are_those_of_perf_script(void **state)
{
	expect_script("mem-loads_numatop_perf.data", "oracle_numatop_perf.data_perf_script.txt",
		      14);
	expect_script("mem-ldst_RcppThread_perf.data", "oracle_RcppThread_perf_script.txt", 698);
	expect_script("mem-loads_quipper_weight_struct.perf.data",
		      "oracle_quipper_weight_struct_perf_script.txt", 14);
}

/* The same text is a source of its own: it gives what the recording gives, as far as it was
 * printed. */
static void expect_text_source(const char *name, const char *script)
{
	char *paths[2] = { path_of("", name), path_of("text", script) };
	struct intern *pool = intern_new();
	struct source *s[2];
	bool end[2] = { false, false };
	struct event ev[2];

	for (int i = 0; i < 2; i++)
		assert_null(perfdata_open(paths[i], pool, &s[i]));
	for (;;) {
		for (int i = 0; i < 2; i++) {
			do
				assert_null(source_next(s[i], &ev[i], &end[i]));
			while (!end[i] && ev[i].kind != EVENT_SAMPLE);
		}
		assert_int_equal(end[0], end[1]);
		if (end[0])
			break;
		expect_line(name, &ev[1],
			    &(struct line){ .pid = ev[0].pid,
					    .tid = ev[0].tid,
					    .us = ev[0].sample.time / 1000,
					    .addr = ev[0].sample.addr,
					    .data_src = ev[0].sample.data_src,
					    .weight = ev[0].sample.weight,
					    .ip = ev[0].sample.ip });
		assert_int_equal(ev[1].sample.cpumode, ev[0].sample.cpumode);
		assert_string_equal(s[1]->recording.events[ev[1].sample.event].name,
				    s[0]->recording.events[ev[0].sample.event].name);
	}
	for (int i = 0; i < 2; i++) {
		source_close(s[i]);
		free(paths[i]);
	}
	intern_free(pool);
}

static void text_of_perf_script_gives_the_recordings_samples(void **state)
{
	expect_text_source("mem-loads_numatop_perf.data",
			   "oracle_numatop_perf.data_perf_script.txt");
	expect_text_source("mem-ldst_RcppThread_perf.data", "oracle_RcppThread_perf_script.txt");
	expect_text_source("mem-loads_quipper_weight_struct.perf.data",
			   "oracle_quipper_weight_struct_perf_script.txt");
}

/* Whatever is in the folders ends, and ends well or with words. */
static void nothing_in_the_folders_does_harm(void **state)
{
	static const char *const folders[] = { "", "fuzz", "text" };
	int files = 0;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		char *folder = path_of(folders[i], ".");
		DIR *dir = opendir(folder);
		struct dirent *entry;

		assert_non_null(dir);
		while ((entry = readdir(dir))) {
			char *path = path_of(folders[i], entry->d_name);
			struct counts n;
			struct err *e = count_records(path, &n);

			if (e)
				assert_non_null(err_advice(e));
			err_free(e);
			free(path);
			files++;
		}
		closedir(dir);
		free(folder);
	}
	assert_true(files > 30);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_gives_its_records_or_one_message),
		cmocka_unit_test(samples_are_those_of_perf_script),
		cmocka_unit_test(text_of_perf_script_gives_the_recordings_samples),
		cmocka_unit_test(nothing_in_the_folders_does_harm),
	};
	struct stat st;

	if (stat(corpus(), &st)) {
		printf("no recordings of real machines in %s (HITMAP_CORPUS names another "
		       "folder)\n",
		       corpus());
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
