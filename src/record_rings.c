// SPDX-License-Identifier: GPL-2.0-only
#include "record_rings.h"
#include "cgroup.h"
#include "collect_limit.h"
#include "collect_run.h"
#include "environment.h"
#include "heap_log.h"
#include "heap_read.h"
#include "mem.h"
#include "program.h"
#include "record_operations.h"
#include "record_objects.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PAGES_MOST (1u << 18) /* of a ring: 1 GB of 4 kB */

/* ---- Options */

bool record_rings_all(const struct record_who *who)
{
	return who->all || who->cpus || who->cgroup;
}

bool record_rings_running(const struct record_who *who)
{
	return who->pids || who->tids;
}

struct err *record_rings_check(const struct record_who *who, bool program)
{
	bool running = record_rings_running(who);

	if (running && (who->all || who->cgroup))
		return err_next(err_new(ERR_USAGE, "record: --all-cpus and --cgroup exclude --pid "
						   "and --tid"),
				"give one of them");
	if (!program && !running && !record_rings_all(who))
		return err_next(err_new(ERR_USAGE, "record: no program given"),
				"hitmap record [OPTIONS] -- PROGRAM [ARGUMENTS], or -p, -t or -a");
	return NULL;
}

struct numbers {
	pid_t *n;
	size_t count, room;
};

/* "12,34". */
static struct err *parse_ids(const char *option, const char *text, struct numbers *to)
{
	const char *at = text;

	while (text) {
		char *end;
		long n;

		errno = 0;
		n = strtol(at, &end, 10);
		if (end == at || (*end && *end != ',') || n <= 0 || n > INT_MAX || errno)
			return err_next(err_new(ERR_USAGE, "record: --%s %s is no list of numbers",
						option, text),
					"such as --%s 123,456", option);
		mem_grow(&to->n, &to->room, to->count);
		to->n[to->count++] = n;
		if (!*end)
			break;
		at = end + 1;
	}
	return NULL;
}

/* Pages, or bytes with a unit; a power of two is made of it, as the kernel wants it. */
static struct err *parse_pages(const char *text, uint32_t *pages)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t n;
	char *end;

	if (!text)
		return NULL;
	n = strtoull(text, &end, 10);
	unit = *end && end[1] == 0 ? strchr(units, *end & ~0x20) : NULL;
	if (unit && n <= PAGES_MOST)
		n = (n << (10 * (unit - units + 1))) / getpagesize();
	if (end == text || (*end && !unit) || !n || n > PAGES_MOST)
		return err_next(
			err_new(ERR_USAGE, "record: --mmap-pages %s is no size of a ring", text),
			"a number of pages, or bytes as 512K or 4M");
	*pages = collect_limit_power(n);
	if (*pages < n)
		*pages *= 2;
	return NULL;
}

static struct err *parse_cpus(const char *text, struct cpulist *cpus)
{
	if (!text || (cpulist_parse(text, cpus) && cpulist_count(cpus)))
		return NULL;
	return err_next(err_new(ERR_USAGE, "record: --cpu %s is no list of CPUs", text),
			"such as --cpu 0-3,8");
}

/* ---- What is said */

static void write_size(char *text, size_t room, uint64_t bytes)
{
	if (bytes < 1000000)
		snprintf(text, room, "%.1f kB", bytes / 1e3);
	else
		snprintf(text, room, "%.1f MB", bytes / 1e6);
}

static void show_progress(void *context, uint64_t records, uint64_t bytes)
{
	char size[32];

	write_size(size, sizeof(size), bytes);
	fprintf(stderr, "\r\033[K%" PRIu64 " records, %s", records, size);
}

static void say_notes(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->notes; i++)
		fprintf(stderr, "hitmap: %s\n", plan->note[i]);
}

static void say(char *text)
{
	if (text)
		fprintf(stderr, "hitmap: %s\n", text);
	free(text);
}

static void say_written(const struct record_rings *o, const struct collect_result *r)
{
	bool pipe = !strcmp(o->output, "-");
	char size[32];

	record_operations_say(o->operations);
	write_size(size, sizeof(size), r->bytes);
	fprintf(stderr, "hitmap: ");
	if (r->stat.all.samples || !o->operations)
		fprintf(stderr, "%" PRIu64 " samples, ", r->stat.all.samples);
	fprintf(stderr, "%s in %s", size, pipe ? "the pipe" : o->output);
	if (!pipe)
		fprintf(stderr, "; next: hitmap report -i %s", o->output);
	fputc('\n', stderr);
	if (r->kernel_hidden)
		fprintf(stderr, "hitmap: kallsyms shows no addresses (kptr_restrict): code of the "
				"kernel stays without names\n");
}

/* Said in any case: not all went well. */
static void say_lost(const struct collect_result *r)
{
	char *advice = collect_stat_advice(&r->stat, &r->how);

	say(collect_stat_lost(&r->stat));
	say(collect_stat_throttled(&r->stat));
	if (advice)
		fprintf(stderr, "  next: %s\n", advice);
	free(advice);
}

static void say_details(const struct collect_result *r)
{
	fprintf(stderr, "hitmap: rings of %" PRIu32 " kB, %" PRIu64 " records, lost %" PRIu64,
		r->how.ring_kb, r->records, r->stat.all.lost);
	if (r->counts_lost)
		fprintf(stderr, " (the kernel counts %" PRIu64 ", %" PRIu64 " of them unreported)",
			r->counted_lost, r->unreported);
	fputc('\n', stderr);
}

/* ---- The run */

static struct err *run(const struct record_rings *o, const struct collect_run *ask)
{
	struct collect_result result = { 0 };
	struct err *e = collect_run(ask, &result);

	if (ask->progress)
		fprintf(stderr, "\r\033[K");
	if (!o->quiet)
		say_notes(ask->plan);
	if (!e && !o->quiet)
		say_written(o, &result);
	if (!e)
		say_lost(&result);
	if (!e && o->verbose)
		say_details(&result);
	if (!e)
		e = program_end_error(&(struct program_end){
			.interrupted = result.killed,
			.killed = result.killed,
			.term_signal = result.term_signal,
			.exit_code = result.exit_code,
			.output = o->output,
		});
	collect_stat_deinit(&result.stat);
	return e;
}

static const char *search_path(void)
{
	const char *path = getenv("PATH");

	return path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
}

static struct err *prepare(const struct record_rings *o, struct collect_run *ask,
			   struct cpulist *cpus, struct numbers *pids, struct numbers *tids)
{
	struct err *e = parse_ids("pid", o->who.pids, pids);

	if (!e)
		e = parse_ids("tid", o->who.tids, tids);
	if (!e)
		e = parse_cpus(o->who.cpus, cpus);
	if (!e)
		e = parse_pages(o->who.pages, &ask->pages);
	if (!e && o->who.cgroup)
		e = cgroup_open(o->who.cgroup, &ask->cgroup);
	ask->process = pids->n;
	ask->processes = pids->count;
	ask->thread = tids->n;
	ask->threads = tids->count;
	ask->cpus = o->who.cpus ? cpus : NULL;
	return e;
}

/* The program's heap is logged into a file of its own, which is gone afterwards. */
static struct err *run_with_heap(const struct record_rings *o, struct collect_run *ask)
{
	const char *temporary = getenv("TMPDIR");
	char *folder = mem_printf("%s/hitmap-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	char *libraries = environment_preload(environ, o->heap_library);
	struct err *e = NULL;

	if (!mkdtemp(folder)) {
		e = err_next(err_errno(ERR_FAILED, errno, "record: temporary folder %s", folder),
			     "set TMPDIR to a folder that you may write to");
	} else {
		char *log = mem_printf("%s/heap", folder);
		const struct environment_setting settings[] = { { HEAP_LOG_ENVIRONMENT, log },
								{ "LD_PRELOAD", libraries } };
		char **environment = environment_make(environ, settings, ARRAY_SIZE(settings));

		ask->environment = environment;
		ask->heap_log = log;
		e = heap_log_create(log);
		if (!e)
			e = run(o, ask);
		unlink(log);
		rmdir(folder);
		environment_free(environment);
		free(log);
	}
	free(libraries);
	free(folder);
	return e;
}

struct err *record_rings(const struct record_rings *o, struct event_plan *plan)
{
	struct utsname host = { .nodename = "" };
	struct perfdata_features features = { .host = host.nodename,
					      .kernel = host.release,
					      .arch = host.machine,
					      .recorder = "hitmap",
					      .argc = o->argc,
					      .argv = o->argv };
	struct collect_run ask = { .plan = plan,
				   .all_tasks = record_rings_all(&o->who) &&
						!record_rings_running(&o->who),
				   .cgroup = -1,
				   .operations = o->operations,
				   .objects = record_objects,
				   .argv = o->program,
				   .environment = environ,
				   .path = search_path(),
				   .output = o->output,
				   .features = &features,
				   .frequency = o->request->frequency,
				   .period = o->request->period,
				   .interrupts = o->interrupts };
	struct numbers pids = { 0 }, tids = { 0 };
	struct cpulist cpus = { 0 };
	struct err *e = prepare(o, &ask, &cpus, &pids, &tids);

	uname(&host);
	if (isatty(STDERR_FILENO) && !o->quiet)
		ask.progress = show_progress;
	if (!e)
		e = o->heap_library ? run_with_heap(o, &ask) : run(o, &ask);
	if (ask.cgroup >= 0)
		close(ask.cgroup);
	free(pids.n);
	free(tids.n);
	return e;
}
