// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"
#include "event_plan.h"
#include "event_show.h"
#include "machine.h"
#include "mem.h"
#include "model_run.h"
#include "option.h"
#include "paths.h"
#include "program.h"
#include "record_operations.h"
#include "record_rings.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

struct record_options {
	const char *output, *source, *machine, *door, *qemu, *sysroot, *pmu_terms, *events;
	uint32_t cpus, quantum, hit_period, frequency, ldlat;
	uint64_t seed, period;
	bool verbose, quiet, dry_run, all_user, all_kernel, call_graph, hitm, heap;
	struct record_who who;
	struct record_operations operations;
};

#define AT(member) offsetof(struct record_options, member)

static const struct option_row rows[] = {
	{ 'o', "output", "FILE",
	  "the recording (default perf.data; an older one becomes FILE.old);\n"
	  "- is standard output, for a pipe",
	  OPTION_TEXT, AT(output), 0, 0 },
	{ 0, "source", "auto|model|...",
	  "what samples the accesses: pebs, ibs, spe, power are hardware's; auto\n"
	  "uses the software model where the machine has none; none samples\n"
	  "nothing, for operations alone",
	  OPTION_TEXT, AT(source), 0, 0 },
	{ 0, "target", "NAME|FILE",
	  "count the operations of a kind of kernel object, such as signal or\n"
	  "futex: costs are divided by them; see docs/targets.md",
	  OPTION_LIST, AT(operations.targets), 0, 0 },
	{ 0, "operation", "EVENT",
	  "count EVENT, as often as given: page-faults, a tracepoint as\n"
	  "signal:signal_generate, of these only some with /sig==10/ behind it,\n"
	  "or entries of a function: uprobe:PATH:FUNCTION",
	  OPTION_LIST, AT(operations.events), 0, 0 },
	{ 'M', "machine", "NAME|FILE", "the machine to model (default small); see docs/machines.md",
	  OPTION_TEXT, AT(machine), 0, 0 },
	{ 0, "cpus", "N", "model only N of its CPUs", OPTION_U32, AT(cpus), 1, MODEL_CPUS },
	{ 0, "door", "auto|qemu|hooks",
	  "how the model sees accesses: hooks for programs built with\n"
	  "\"hitmap cc\", QEMU for all others",
	  OPTION_TEXT, AT(door), 0, 0 },
	{ 0, "qemu", "FILE", "the qemu-x86_64 to use", OPTION_TEXT, AT(qemu), 0, 0 },
	{ 0, "quantum", "N",
	  "instructions a thread may lead by (default 8192); results do not\n"
	  "depend on it",
	  OPTION_U32, AT(quantum), 64, 1u << 24 },
	{ 0, "hit-period", "N", "of the accesses that hit, one in N becomes a sample (default 64)",
	  OPTION_U32, AT(hit_period), 1, 1u << 30 },
	{ 0, "seed", "N", "of the model's jitter (default 1)", OPTION_U64, AT(seed), 0,
	  UINT64_MAX },
	{ 0, "heap", NULL,
	  "log PROGRAM's heap, so that reports name its blocks by who asked for\n"
	  "them (malloc, new; not of static programs)",
	  OPTION_FLAG, AT(heap), 0, 0 },
	{ 0, "dry-run", NULL,
	  "only say which events hardware sampling would open; with -v field\n"
	  "by field, and what is given up when the kernel refuses them",
	  OPTION_FLAG, AT(dry_run), 0, 0 },
	{ 0, "sysroot", "DIR", "of --dry-run: the machine whose /sys and /proc are below DIR",
	  OPTION_TEXT, AT(sysroot), 0, 0 },
	{ 'e', "event", "NAMES",
	  "instead of memory accesses: software events (page-faults, cpu-clock)\n"
	  "and tracepoints (sched:sched_switch); options of hardware hold",
	  OPTION_TEXT, AT(events), 0, 0 },
	{ 'a', "all-cpus", NULL, "hardware: all tasks, not PROGRAM's alone", OPTION_FLAG,
	  AT(who.all), 0, 0 },
	{ 'p', "pid", "PIDS", "hardware: these processes, which run already", OPTION_TEXT,
	  AT(who.pids), 0, 0 },
	{ 't', "tid", "TIDS", "hardware: these threads, which run already", OPTION_TEXT,
	  AT(who.tids), 0, 0 },
	{ 'C', "cpu", "LIST",
	  "hardware: these CPUs only, such as 0-3,8; all tasks on them unless\n"
	  "-p or -t names some",
	  OPTION_TEXT, AT(who.cpus), 0, 0 },
	{ 'G', "cgroup", "NAME", "hardware: the tasks of a control group", OPTION_TEXT,
	  AT(who.cgroup), 0, 0 },
	{ 'm', "mmap-pages", "N",
	  "hardware: pages of each CPU's ring, or bytes as 512K or 4M (default\n"
	  "512K, or what may be locked)",
	  OPTION_TEXT, AT(who.pages), 0, 0 },
	{ 'F', "freq", "N", "hardware: samples a second and CPU (default 4000)", OPTION_U32,
	  AT(frequency), 1, 1u << 20 },
	{ 'c', "count", "N", "hardware: a sample every N events, instead of --freq", OPTION_U64,
	  AT(period), 1, 1ull << 40 },
	{ 'l', "ldlat", "N",
	  "hardware: sample loads of at least N cycles (default: pebs 30, others\n"
	  "all); spe holds stores to it too",
	  OPTION_U32, AT(ldlat), 1, 65535 },
	{ 0, "hitm", NULL, "hardware: events of HITM loads beside the others, where known",
	  OPTION_FLAG, AT(hitm), 0, 0 },
	{ 'u', "all-user", NULL, "hardware: no accesses by the kernel", OPTION_FLAG, AT(all_user),
	  0, 0 },
	{ 'k', "all-kernel", NULL, "hardware: only accesses by the kernel", OPTION_FLAG,
	  AT(all_kernel), 0, 0 },
	{ 'g', "call-graph", NULL, "hardware: callers with every sample", OPTION_FLAG,
	  AT(call_graph), 0, 0 },
	{ 0, "pmu-terms", "TERMS",
	  "hardware: fields of the PMU's format, such as l3missonly=1 (ibs) or\n"
	  "jitter=0 (spe)",
	  OPTION_TEXT, AT(pmu_terms), 0, 0 },
	{ 'q', "quiet", NULL, "say nothing when all went well", OPTION_FLAG, AT(quiet), 0, 0 },
	{ 'v', "verbose", NULL, "say what is used", OPTION_FLAG, AT(verbose), 0, 0 },
};

static const struct option_usage usage = {
	"record",
	"[OPTIONS] -- PROGRAM [ARGUMENTS]",
	"Runs PROGRAM and records how its threads share memory lines. From hardware it also\n"
	"records what runs already: -p, -t, -a.",
	rows,
	ARRAY_SIZE(rows),
	false,
};

/* Signals counted by the handler: the one thing that a handler must share with the program. */
static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
	interrupts++;
}

static void catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* ---- Choices */

struct choice {
	const char *name;
	int value;
};

static struct err *find_choice(const char *option, const char *text, const struct choice *choices,
			       size_t count, int *value)
{
	char *known = mem_strdup("");
	struct err *e;

	for (size_t i = 0; i < count; i++) {
		char *longer = mem_printf("%s%s%s", known, i ? ", " : "", choices[i].name);

		free(known);
		known = longer;
		if (!strcmp(text, choices[i].name)) {
			*value = choices[i].value;
			free(known);
			return NULL;
		}
	}
	e = err_new(ERR_USAGE, "record: --%s %s is not known", option, text);
	err_next(e, "one of %s", known);
	free(known);
	return e;
}

/* From SOURCE_HARDWARE on: enum pmu_source. */
enum source { SOURCE_AUTO, SOURCE_MODEL, SOURCE_NONE, SOURCE_HARDWARE };

static const struct choice sources[] = {
	{ "auto", SOURCE_AUTO },
	{ "model", SOURCE_MODEL },
	{ "none", SOURCE_NONE },
	{ "pebs", SOURCE_HARDWARE + PMU_PEBS },
	{ "ibs", SOURCE_HARDWARE + PMU_IBS },
	{ "spe", SOURCE_HARDWARE + PMU_SPE },
	{ "power", SOURCE_HARDWARE + PMU_POWER },
};

static const struct choice doors[] = {
	{ "auto", MODEL_DOOR_AUTO },
	{ "qemu", MODEL_DOOR_QEMU },
	{ "hooks", MODEL_DOOR_HOOKS },
};

/* ---- What hardware sampling would do */

#define FREQUENCY 4000 /* samples a second and CPU: what perf takes */

static bool has_hardware_options(const struct record_options *o)
{
	return o->frequency || o->period || o->ldlat || o->pmu_terms || o->all_user ||
	       o->all_kernel || o->call_graph || o->hitm || o->who.pages;
}

static struct err *check_hardware_options(const struct record_options *o)
{
	if (o->frequency && o->period)
		return err_next(err_new(ERR_USAGE, "record: --freq and --count exclude each other"),
				"give one of them");
	if (o->all_user && o->all_kernel)
		return err_next(err_new(ERR_USAGE,
					"record: --all-user and --all-kernel exclude each other"),
				"give one of them, or none for both");
	if (o->heap && record_rings_running(&o->who))
		return err_next(
			err_new(ERR_USAGE, "record: --heap is of a PROGRAM that is started"),
			"leave out --heap, or give the program after --");
	if (o->sysroot && !o->dry_run)
		return err_next(err_new(ERR_USAGE, "record: --sysroot is of --dry-run alone"),
				"add --dry-run");
	if (o->events && strcmp(o->source, "auto"))
		return err_next(err_new(ERR_USAGE, "record: --event and --source exclude each "
						   "other"),
				"give one of them");
	return NULL;
}

static struct err *check_operations(const struct record_options *o, int source)
{
	if (source == SOURCE_NONE && !record_operations_any(&o->operations))
		return err_next(err_new(ERR_USAGE, "record: --source none records operations, and "
						   "none are named"),
				"add --target NAME or --operation EVENT");
	return NULL;
}

static struct plan_request request_of(const struct record_options *o, int source)
{
	return (struct plan_request){
		.source = source < SOURCE_HARDWARE ? PMU_NONE : source - SOURCE_HARDWARE,
		.events = source == SOURCE_NONE ? "dummy" : o->events,
		.system_wide = record_rings_all(&o->who) && !record_rings_running(&o->who),
		.running = record_rings_running(&o->who),
		.user_only = o->all_user || source == SOURCE_NONE,
		.kernel_only = o->all_kernel,
		.physical = source != SOURCE_NONE,
		.which_cpu = true,
		.callchain = o->call_graph,
		.hitm = o->hitm,
		.frequency = o->period	    ? 0
			     : o->frequency ? o->frequency
					    : FREQUENCY,
		.period = o->period,
		.ldlat = o->ldlat,
		.terms = o->pmu_terms,
	};
}

static struct err *dry_run(const struct record_options *o, int source)
{
	struct plan_request request = request_of(o, source);
	struct event_plan plan;
	struct err *e;

	if (source == SOURCE_MODEL) {
		puts("The software model opens no perf events.");
		return NULL;
	}
	e = event_plan_make(o->sysroot ? o->sysroot : "", &request, &plan);
	if (e && source == SOURCE_AUTO && err_status(e) == ERR_UNSUPPORTED) {
		event_show_refusal(e, stdout);
		puts("record     would use the software model");
		err_free(e);
		return NULL;
	}
	if (e)
		return err_within(e, "record");
	event_show_plan(&plan, o->verbose, stdout);
	event_plan_deinit(&plan);
	return NULL;
}

/* ---- The run */

static void write_size(char *text, size_t room, uint64_t bytes)
{
	if (bytes < 1000000)
		snprintf(text, room, "%.1f kB", bytes / 1e3);
	else
		snprintf(text, room, "%.1f MB", bytes / 1e6);
}

static void show_progress(void *context, uint64_t samples, uint64_t bytes)
{
	char size[32];

	write_size(size, sizeof(size), bytes);
	fprintf(stderr, "\r\033[K%" PRIu64 " samples, %s", samples, size);
}

static void end_progress(void)
{
	fprintf(stderr, "\r\033[K");
}

static void say_end(const struct record_options *o, const struct operation_set *operations,
		    const struct model_result *r)
{
	char size[32];

	record_operations_say(operations);
	write_size(size, sizeof(size), r->bytes);
	if (!strcmp(o->output, "-"))
		fprintf(stderr, "hitmap: %" PRIu64 " samples, %s in the pipe\n", r->samples, size);
	else
		fprintf(stderr,
			"hitmap: %" PRIu64 " samples, %s in %s; next: hitmap report -i %s\n",
			r->samples, size, o->output, o->output);
	if (!r->complete && r->connected)
		fprintf(stderr, "hitmap: the model's totals are missing: what the recording holds "
				"ends early\n");
	if (o->verbose)
		fprintf(stderr, "hitmap: door %s, %u threads\n", r->door, r->threads);
}

static struct err *unseen(void)
{
	return err_next(err_new(ERR_FAILED, "record: the program ran, but the model saw nothing "
					    "of it"),
			"hitmap record -v says through which door it was looked at");
}

static struct err *run_model(const struct record_options *o, struct model_run *run)
{
	struct model_result result;
	struct err *e;
	bool tty = isatty(STDERR_FILENO) && !o->quiet;

	if (has_hardware_options(o) && !o->quiet)
		fprintf(stderr, "hitmap: the options of hardware sampling do nothing here\n");
	catch_interrupts();
	signal(SIGPIPE, SIG_IGN); /* writing to the pipe says it */
	if (tty)
		run->progress = show_progress;
	e = model_run_program(run, &result);
	if (tty)
		end_progress();
	if (e)
		return e;
	if (!o->quiet)
		say_end(o, run->operations, &result);
	e = program_end_error(&(struct program_end){
		.interrupted = interrupts,
		.killed = result.killed,
		.term_signal = result.term_signal,
		.exit_code = result.exit_code,
		.output = o->output,
	});
	return e || result.connected ? e : unseen();
}

static const char *setting(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static struct err *record(const struct record_options *o, const struct paths *paths,
			  struct operation_set *operations, int argc, char **argv, int rest)
{
	struct utsname host;
	struct model_run run = {
		.output = o->output,
		.plugin_folder = paths->lib,
		.qemu = o->qemu,
		.qemu_spare = (const char *const *)paths->spare_qemu,
		.path = setting("PATH", "/usr/local/bin:/usr/bin:/bin"),
		.temp_folder = setting("TMPDIR", "/tmp"),
		.config = { .version = MODEL_VERSION,
			    .size = sizeof(run.config),
			    .quantum = o->quantum,
			    .hit_period = o->hit_period,
			    .seed = o->seed },
		.operations = operations,
		.recorder = "hitmap",
		.record_argc = argc,
		.record_argv = argv,
		.argv = argv + rest,
		.environment = environ,
		.heap_library = o->heap ? paths->heap : NULL,
		.interrupts = &interrupts,
	};
	struct err *e = machine_load(paths->machines, o->machine, o->cpus, &run.config.machine);
	int door = MODEL_DOOR_AUTO;

	if (!e)
		e = find_choice("door", o->door, doors, ARRAY_SIZE(doors), &door);
	run.door = door;
	if (!e && !uname(&host)) {
		run.host = host.nodename;
		run.kernel = host.release;
	}
	if (!e && o->verbose)
		fprintf(stderr, "hitmap: machine %s, %u CPUs, %u MHz\n", run.config.machine.name,
			run.config.machine.cpus, run.config.machine.mhz);
	return e ? e : run_model(o, &run);
}

/* "hitmap record ...": the recording's header holds the whole command line. */
static char **whole_line(int argc, char **argv)
{
	char **line = mem_zalloc((argc + 2) * sizeof(*line));

	line[0] = (char *)"hitmap";
	memcpy(line + 1, argv, argc * sizeof(*line));
	return line;
}

/* ---- Rings */

/* What the model cannot do. */
static struct err *check_model(const struct record_options *o)
{
	if (record_rings_all(&o->who) || record_rings_running(&o->who))
		return err_next(err_new(ERR_UNSUPPORTED,
					"record: the software model records a program that it "
					"starts, and nothing that runs already"),
				"hitmap record [OPTIONS] -- PROGRAM [ARGUMENTS]");
	return NULL;
}

/*
 * "*rings": whether the recording comes from the kernel's rings; then there is a plan. Where
 * nothing was asked for, what cannot be had from hardware is the model's, and why is said.
 */
static struct err *choose(const struct record_options *o, int source, struct event_plan *plan,
			  bool *rings)
{
	struct plan_request request = request_of(o, source);
	struct err *e;

	*rings = source != SOURCE_MODEL;
	if (!*rings)
		return check_model(o);
	e = event_plan_make("", &request, plan);
	if (!e || source != SOURCE_AUTO || o->events || err_status(e) != ERR_UNSUPPORTED)
		return e ? err_within(e, "record") : NULL;
	*rings = false;
	if (!o->quiet)
		fprintf(stderr, "hitmap: %s: using the software model\n", err_text(e));
	err_free(e);
	return check_model(o);
}

static struct err *run_rings(const struct record_options *o, struct event_plan *plan,
			     struct operation_set *operations, const struct paths *paths, int argc,
			     char **argv, int rest)
{
	struct plan_request request = request_of(o, SOURCE_AUTO);
	struct record_rings ask = { .who = o->who,
				    .request = &request,
				    .operations = operations,
				    .output = o->output,
				    .heap_library = o->heap ? paths->heap : NULL,
				    .verbose = o->verbose,
				    .quiet = o->quiet,
				    .argc = argc,
				    .argv = argv,
				    .program = rest < argc ? argv + rest : NULL,
				    .interrupts = &interrupts };
	struct err *e;

	catch_interrupts();
	signal(SIGPIPE, SIG_IGN); /* writing to the pipe says it */
	e = record_rings(&ask, plan);
	event_plan_deinit(plan);
	return e;
}

static struct err *run(const struct record_options *o, int source, int argc, char **argv, int rest)
{
	char **line = whole_line(argc, argv);
	struct operation_set *operations = NULL;
	struct paths paths = { 0 };
	struct event_plan plan;
	bool rings;
	struct err *e = record_rings_check(&o->who, rest < argc);

	if (!e)
		e = paths_find(&paths);
	if (!e)
		e = record_operations(&o->operations, &operations);
	if (!e)
		e = choose(o, source, &plan, &rings);
	if (!e && rings)
		e = run_rings(o, &plan, operations, &paths, argc + 1, line, rest + 1);
	else if (!e)
		e = record(o, &paths, operations, argc + 1, line, rest + 1);
	operation_free(operations);
	paths_deinit(&paths);
	free(line);
	return e;
}

struct err *cmd_record(int argc, char **argv)
{
	struct record_options o = { .output = "perf.data",
				    .source = "auto",
				    .machine = "small",
				    .door = "auto",
				    .quantum = 8192,
				    .hit_period = 64,
				    .seed = 1 };
	bool helped;
	int rest, source = SOURCE_AUTO;
	struct err *e = option_parse(argc, argv, &usage, &o, &rest, &helped);

	if (e || helped)
		return e;
	e = check_hardware_options(&o);
	if (!e)
		e = find_choice("source", o.source, sources, ARRAY_SIZE(sources), &source);
	if (!e)
		e = check_operations(&o, source);
	if (!e)
		e = o.dry_run ? dry_run(&o, source) : run(&o, source, argc, argv, rest);
	free(o.operations.targets.item);
	free(o.operations.events.item);
	return e;
}
