// SPDX-License-Identifier: GPL-2.0-only
#include "collect_run.h"
#include "c2c_collect.h"
#include "collect_filter.h"
#include "kernel_record.h"
#include "heap_read.h"
#include "mapped_file.h"
#include "mem.h"
#include "note.h"
#include "perfdata_file.h"
#include "sample.h"
#include "task_scan.h"
#include "topology.h"
#include "tracing_data.h"
#include "workload.h"

#include <errno.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS	  100
#define TICK_SHOW 2  /* ticks between reports of progress */
#define TICK_SYNC 10 /* ... between bringings of the file's header up to date */
#define PATIENCE  20 /* ticks that the program has to end by itself after an interrupt */

struct run {
	const struct collect_run *ask;
	struct collect_result *result;
	struct c2c_collect *rings;
	struct collect_filter *filter; /* NULL: every task's samples are wanted */
	struct perfdata_event *event;
	uint32_t events;
	uint32_t tracker; /* index into "event" */
	struct topology topology;
	struct blob tracing; /* formats of tracepoints */
	struct perfdata_file *file;
	struct mapped_file_set mapped;
	struct object_watch *objects; /* NULL: not of interest */
	struct workload workload;
	pid_t *task; /* to be followed; NULL: all */
	size_t tasks, task_room;
	int time_place; /* of a sample's time; -1 when the events differ */
	int timer;
	uint64_t ticks_left; /* until the program is killed; 0: it was not asked to end */
	bool interrupted;
};

/* ---- Who */

static void add_task(struct run *r, pid_t task)
{
	mem_grow(&r->task, &r->task_room, r->tasks);
	r->task[r->tasks++] = task;
}

static struct err *add_process(struct run *r, pid_t pid)
{
	size_t count;
	pid_t *thread = task_scan_threads("", pid, &count);

	for (size_t i = 0; i < count; i++)
		add_task(r, thread[i]);
	free(thread);
	if (!count)
		return err_next(err_new(ERR_FAILED, "record: there is no process %d", pid),
				"name one that runs: ps -e");
	return NULL;
}

static struct err *list_tasks(struct run *r)
{
	const struct collect_run *ask = r->ask;
	struct err *e = NULL;

	if (ask->all_tasks)
		return NULL;
	for (size_t i = 0; i < ask->processes && !e; i++)
		e = add_process(r, ask->process[i]);
	for (size_t i = 0; i < ask->threads && !e; i++)
		add_task(r, ask->thread[i]);
	if (!e && !r->tasks && r->workload.pid)
		add_task(r, r->workload.pid);
	return e;
}

static struct err *prepare_program(struct run *r)
{
	const struct collect_run *ask = r->ask;

	r->workload = (struct workload){ .process = -1, .go = -1, .fail = -1 };
	if (!ask->argv)
		return NULL;
	return workload_prepare(ask->path, ask->argv, ask->environment, !strcmp(ask->output, "-"),
				&r->workload);
}

/* ---- Opening */

/* The only task is the program that waits to be executed. */
static bool counts_from_exec(const struct run *r)
{
	return r->workload.pid && r->tasks && !r->ask->processes && !r->ask->threads;
}

/* A kernel that samples IBS on whole CPUs only gives all tasks' samples for the program's. */
static bool must_filter(const struct run *r)
{
	return r->ask->plan->system_wide && r->tasks;
}

static struct err *open_rings(struct run *r)
{
	const struct collect_run *ask = r->ask;
	struct collect_target target = { .task = ask->plan->system_wide ? NULL : r->task,
					 .tasks = r->tasks,
					 .cpus = ask->cpus,
					 .cgroup = ask->cgroup,
					 .pages = ask->pages };
	struct err *e = c2c_collect_open(ask->plan, &target, &r->rings);

	return e ? err_within(e, "record") : NULL;
}

/* A program's own from its execution on, also where its samples come from all tasks'. */
static struct err *open_operations(struct run *r)
{
	const struct collect_run *ask = r->ask;
	bool all = !r->tasks;
	struct operation_who who = { .task = r->task,
				     .tasks = r->tasks,
				     .cpus = all && !ask->cpus ? &ask->plan->host.online
							       : ask->cpus,
				     .cgroup = ask->cgroup,
				     .on_exec = counts_from_exec(r) };
	struct err *e = ask->operations ? operation_open(ask->operations, &who) : NULL;

	return e ? err_within(e, "record") : NULL;
}

static void add_event(struct run *r, size_t index)
{
	const struct plan_event *from = &r->ask->plan->event[index];
	struct perfdata_event *to = &r->event[r->events];

	*to = (struct perfdata_event){ .attr = from->attr, .name = from->name };
	to->ids = c2c_collect_ids(r->rings, index, &to->id_count);
	if (!to->id_count)
		return;
	if (from->attr.mmap2)
		r->tracker = r->events;
	r->events++;
}

static struct sample_layout layout_of(const struct perf_event_attr *a)
{
	return (struct sample_layout){ .sample_type = a->sample_type,
				       .read_format = a->read_format,
				       .id_all = true };
}

/* Where events differ only in what comes behind the time, they agree on its place. */
static void find_time(struct run *r)
{
	for (uint32_t i = 0; i < r->events; i++) {
		struct sample_layout layout = layout_of(&r->event[i].attr);
		int place = sample_time_place(&layout);

		if (i && place != r->time_place)
			place = -1;
		r->time_place = place;
		if (place < 0)
			return;
	}
}

static struct err *create_file(struct run *r)
{
	struct perfdata_features features = *r->ask->features;

	r->event = mem_zalloc(r->ask->plan->count * sizeof(*r->event));
	for (size_t i = 0; i < r->ask->plan->count; i++)
		add_event(r, i);
	find_time(r);
	topology_read("", &r->topology);
	topology_describe(&r->topology, &features);
	tracing_data_read("", r->ask->plan, &r->tracing);
	features.tracing = r->tracing.bytes;
	features.tracing_bytes = r->tracing.size;
	perfdata_file_keep_old(r->ask->output);
	return perfdata_file_create(r->ask->output, r->event, r->events, &features, &r->file);
}

/* ---- What is written beside the kernel's records */

static struct err *put_record(void *context, const void *record, size_t size)
{
	struct run *r = context;

	r->result->records++;
	mapped_file_note(&r->mapped, record);
	return perfdata_file_put(r->file, record, size);
}

static struct err *put_note(void *context, const struct note *n)
{
	struct run *r = context;
	struct perf_event_header h = { .type = NOTE_RECORD_TYPE };
	char *json = note_format(n);
	struct blob b = { 0 };
	struct err *e;

	blob_bytes(&b, &h, sizeof(h));
	blob_padded(&b, json, strlen(json), 8);
	((struct perf_event_header *)b.bytes)->size = b.size;
	e = put_record(r, b.bytes, b.size);
	blob_deinit(&b);
	free(json);
	return e;
}

static struct err *put_remark(struct run *r, const char *text)
{
	const struct note n = { .kind = NOTE_REMARK, .remark.text = text };

	return put_note(r, &n);
}

/* What decoders of SPE's packets need to know: PERF_RECORD_AUXTRACE_INFO with the PMU's type, and
 * that there is a ring for each CPU. */
static struct err *put_aux_info(struct run *r)
{
	const struct event_plan *p = r->ask->plan;
	struct {
		struct perf_event_header h;
		uint32_t type, reserved;
		uint64_t pmu, per_cpu;
	} info = { { PERF_RECORD_AUXTRACE_INFO, 0, sizeof(info) }, 4 /* Arm SPE */, 0, 0, 1 };

	if (!p->aux_bytes || !p->pmus.count)
		return NULL;
	info.pmu = p->pmus.pmu[0].type;
	return put_record(r, &info, sizeof(info));
}

static struct kernel_record maker_of(struct run *r)
{
	const struct perfdata_event *e = &r->event[r->tracker];

	return (struct kernel_record){ e->attr.sample_type, e->ids[0], put_record, r };
}

static pid_t process_of(pid_t task)
{
	char path[48], line[128];
	int pid = task;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", task);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid;
}

/* A program that is to be started is told by the kernel from its execution on. */
static struct err *scan_tasks(struct run *r)
{
	struct task_scan scan = { .root = "", .to = maker_of(r) };
	bool shown;
	struct err *e = task_scan_kernel(&scan, &shown);

	r->result->kernel_hidden = !shown;
	if (!e && r->ask->all_tasks)
		e = task_scan_all(&scan);
	for (size_t i = 0; i < r->ask->processes && !e; i++)
		e = task_scan_process(&scan, r->ask->process[i]);
	for (size_t i = 0; i < r->ask->threads && !e; i++)
		e = task_scan_process(&scan, process_of(r->ask->thread[i]));
	return e;
}

static bool sees_kernel(const struct run *r)
{
	for (size_t i = 0; i < r->events; i++)
		if (!r->event[i].attr.exclude_kernel)
			return true;
	return false;
}

static struct err *put_beginning(struct run *r)
{
	const struct event_plan *p = r->ask->plan;
	struct err *e = put_aux_info(r);

	for (size_t i = 0; i < p->notes && !e; i++)
		e = put_remark(r, p->note[i]);
	if (!e)
		e = scan_tasks(r);
	if (!e && r->ask->objects && sees_kernel(r)) {
		r->objects = object_watch_new(r->ask->objects, put_note, r);
		e = object_watch_now(r->objects);
	}
	return e;
}

/* ---- Records of the rings */

static void count_sample(struct run *r, struct collect_cpu *cpu, const uint8_t *body)
{
	uint64_t time;

	cpu->samples++;
	if (r->time_place < 0)
		return;
	memcpy(&time, body + r->time_place, sizeof(time));
	perfdata_file_sample_time(r->file, time);
}

/* Behind the header: LOST has an id and a count, LOST_SAMPLES a count. */
static void count_record(struct run *r, uint32_t number, const struct perf_event_header *h)
{
	struct collect_cpu *cpu = collect_stat_cpu(&r->result->stat, number);
	const uint8_t *body = (const uint8_t *)(h + 1);
	uint64_t lost = 0;

	if (h->type == PERF_RECORD_SAMPLE)
		count_sample(r, cpu, body);
	else if (h->type == PERF_RECORD_LOST)
		memcpy(&lost, body + 8, sizeof(lost));
	else if (h->type == PERF_RECORD_LOST_SAMPLES)
		memcpy(&lost, body, sizeof(lost));
	else if (h->type == PERF_RECORD_THROTTLE)
		cpu->throttled++;
	cpu->lost += lost;
}

static struct err *keep_record(void *context, uint32_t cpu, const struct perf_event_header *h)
{
	struct run *r = context;

	count_record(r, cpu, h);
	return put_record(r, h, h->size);
}

static struct err *take_record(void *context, uint32_t cpu, const struct perf_event_header *h)
{
	struct run *r = context;

	if (!r->filter)
		return keep_record(r, cpu, h);
	return collect_filter_take(r->filter, cpu, h);
}

/* PERF_RECORD_AUXTRACE, and the packets behind it. */
static struct err *take_packets(void *context, uint32_t cpu, uint32_t ring, uint64_t offset,
				const void *part[2], const size_t size[2])
{
	struct run *r = context;
	struct {
		struct perf_event_header h;
		uint64_t size, offset, reference;
		uint32_t idx, tid, cpu, reserved;
	} record = { .h = { PERF_RECORD_AUXTRACE, 0, sizeof(record) },
		     .offset = offset,
		     .idx = ring,
		     .tid = UINT32_MAX,
		     .cpu = cpu };
	static const uint8_t zeroes[8];
	size_t padding = -(size[0] + size[1]) & 7; /* zeroes are SPE's own padding */
	struct err *e;

	record.size = size[0] + size[1] + padding;
	e = put_record(r, &record, sizeof(record));
	for (int i = 0; i < 2 && !e; i++)
		e = perfdata_file_put(r->file, part[i], size[i]);
	return e || !padding ? e : perfdata_file_put(r->file, zeroes, padding);
}

static struct err *drain(struct run *r, uint64_t *records)
{
	struct collect_taker taker = { take_record, take_packets, r };
	struct err *e = c2c_collect_drain(r->rings, &taker, records);

	if (!e && r->filter)
		e = collect_filter_round(r->filter, keep_record, r);
	if (!e && *records)
		e = perfdata_file_round(r->file);
	/* Who reads a pipe wants the records now. */
	if (!e && *records && !strcmp(r->ask->output, "-"))
		e = perfdata_file_sync(r->file);
	return e;
}

/* ---- The loop */

static struct err *start_timer(struct run *r)
{
	struct itimerspec every = { { 0, TICK_MS * 1000000l }, { 0, TICK_MS * 1000000l } };

	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r->timer < 0 || timerfd_settime(r->timer, 0, &every, NULL))
		return err_errno(ERR_FAILED, errno, "record: timer");
	return c2c_collect_watch(r->rings, r->timer);
}

static void lose_patience(struct run *r)
{
	if (!r->ticks_left || --r->ticks_left)
		return;
	r->result->killed = true;
	workload_kill(&r->workload, SIGKILL);
}

static struct err *tick(struct run *r)
{
	struct collect_setting *how = &r->result->how;
	uint64_t expired, before = how->ticks;
	struct err *e = NULL;

	if (read(r->timer, &expired, sizeof(expired)) != (ssize_t)sizeof(expired))
		return NULL;
	how->ticks += expired;
	how->late += expired - 1;
	lose_patience(r);
	if (r->ask->progress && before / TICK_SHOW != how->ticks / TICK_SHOW)
		r->ask->progress(r->ask->context, r->result->records, perfdata_file_bytes(r->file));
	if (r->objects)
		e = object_watch_tick(r->objects, how->ticks * TICK_MS);
	return e || before / TICK_SYNC == how->ticks / TICK_SYNC ? e : perfdata_file_sync(r->file);
}

/* The program was interrupted as well when that came from the terminal; after a second interrupt it
 * is not waited for. */
static void notice_interrupts(struct run *r)
{
	if (!*r->ask->interrupts)
		return;
	if (!r->interrupted && r->workload.pid)
		r->ticks_left = PATIENCE;
	r->interrupted = true;
	if (*r->ask->interrupts > 1 && r->workload.pid) {
		r->result->killed = true;
		workload_kill(&r->workload, SIGKILL);
	}
}

/* Tasks that all ended end the recording, and so does the program; without either it is for the
 * user to say. */
static bool is_over(struct run *r, bool ended)
{
	if (r->ask->argv)
		return workload_ended(&r->workload);
	return r->interrupted || ended;
}

static struct err *follow(struct run *r)
{
	struct err *e = NULL;
	bool ended = false;
	uint64_t records;

	while (!e && !is_over(r, ended)) {
		e = c2c_collect_wait(r->rings, &ended);
		notice_interrupts(r);
		if (!e)
			e = drain(r, &records);
		if (!e)
			e = tick(r);
	}
	return e;
}

/* What was there when the events stopped; each round takes all that a ring holds. */
static struct err *drain_rest(struct run *r)
{
	struct err *e = NULL;
	uint64_t records = 1;

	while (!e && records)
		e = drain(r, &records);
	if (!e && r->filter)
		e = collect_filter_round(r->filter, keep_record, r);
	return e;
}

/* ---- The end */

/*
 * A ring tells of its losses when it next has room: the last ones are told by nobody but the
 * kernel's count for each event.
 */
static struct err *put_unreported(struct run *r)
{
	struct collect_result *result = r->result;
	struct kernel_record maker = maker_of(r);

	for (size_t i = 0; i < r->ask->plan->count; i++)
		result->counted_lost += c2c_collect_count(r->rings, i).lost;
	result->counts_lost = r->event[0].attr.read_format & PERF_FORMAT_LOST;
	if (result->counted_lost <= result->stat.all.lost)
		return NULL;
	result->unreported = result->counted_lost - result->stat.all.lost;
	result->stat.all.lost = result->counted_lost;
	return kernel_record_lost(&maker, result->unreported);
}

static void add_up(struct collect_stat *s)
{
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		s->all.samples += s->cpu[cpu].samples;
		s->all.lost += s->cpu[cpu].lost;
		s->all.throttled += s->cpu[cpu].throttled;
	}
}

static struct err *put_sentence(struct run *r, char *text)
{
	struct err *e = text ? put_remark(r, text) : NULL;

	free(text);
	return e;
}

static struct err *put_build_id(void *context, const char *path, const uint8_t *id, uint8_t size,
				bool kernel)
{
	struct run *r = context;

	return perfdata_file_build_id(r->file, path, id, size, kernel);
}

static struct err *put_heap(struct run *r)
{
	struct heap_log_result result;
	struct err *e;

	if (!r->ask->heap_log)
		return NULL;
	e = heap_log_read(r->ask->heap_log, put_note, r, &result);
	return e ? e : put_sentence(r, heap_log_remark(&result));
}

static struct err *put_end(struct run *r)
{
	struct collect_result *result = r->result;
	struct err *e;

	add_up(&result->stat);
	e = put_unreported(r);
	if (!e)
		e = put_sentence(r, collect_stat_lost(&result->stat));
	if (!e)
		e = put_sentence(r, collect_stat_throttled(&result->stat));
	if (!e && r->ask->operations)
		e = operation_notes(r->ask->operations, put_note, r);
	if (!e)
		e = put_heap(r);
	return e ? e : mapped_file_ids(&r->mapped, "", put_build_id, r);
}

static struct err *record_rings(struct run *r)
{
	struct err *e = start_timer(r);

	if (!e && r->workload.process >= 0)
		e = c2c_collect_watch(r->rings, r->workload.process);
	if (!e)
		e = put_beginning(r);
	if (!e && (!r->workload.pid || r->ask->plan->system_wide || r->ask->plan->running))
		c2c_collect_enable(r->rings);
	if (!e && r->ask->operations)
		operation_start(r->ask->operations);
	if (!e && r->workload.pid)
		e = workload_start(r->ask->argv[0], &r->workload);
	if (!e)
		e = follow(r);
	if (r->ask->operations)
		operation_stop(r->ask->operations, true);
	c2c_collect_disable(r->rings);
	if (!e)
		e = drain_rest(r);
	return e ? e : put_end(r);
}

/* The file is finished whatever happened before; the first error counts. */
static struct err *finish(struct run *r, struct err *before)
{
	struct err *e = perfdata_file_finish(r->file, &r->result->bytes);

	if (!before)
		return e;
	err_free(e);
	return before;
}

static void note_result(struct run *r)
{
	struct collect_result *result = r->result;
	int status = r->workload.status;

	result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	result->term_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result->how.frequency = r->ask->frequency;
	result->how.period = r->ask->period;
	result->how.page_kb = getpagesize() / 1024;
	if (r->rings)
		result->how.ring_kb = c2c_collect_pages(r->rings) * result->how.page_kb;
}

static void run_deinit(struct run *r)
{
	note_result(r);
	workload_deinit(&r->workload);
	if (r->timer >= 0)
		close(r->timer);
	if (r->rings)
		c2c_collect_close(r->rings);
	collect_filter_free(r->filter);
	object_watch_free(r->objects);
	mapped_file_deinit(&r->mapped);
	topology_deinit(&r->topology);
	blob_deinit(&r->tracing);
	free(r->event);
	free(r->task);
}

struct err *collect_run(const struct collect_run *ask, struct collect_result *result)
{
	struct run r = { .ask = ask, .result = result, .timer = -1 };
	struct err *e;

	*result = (struct collect_result){ 0 };
	mapped_file_init(&r.mapped);
	e = prepare_program(&r);
	if (!e)
		e = list_tasks(&r);
	if (!e)
		e = open_rings(&r);
	if (!e)
		e = open_operations(&r);
	if (!e && must_filter(&r))
		r.filter = collect_filter_new(&r.event[0].attr, r.task, r.tasks);
	if (!e)
		e = create_file(&r);
	if (!e)
		e = finish(&r, record_rings(&r));
	run_deinit(&r);
	return e;
}
