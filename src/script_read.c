// SPDX-License-Identifier: GPL-2.0-only
#include "script_read.h"
#include "map.h"
#include "mem.h"
#include "script_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_SIZE 65536 /* of what is looked at */
#define PENDING_MAX   3	    /* events that one line can make: a name, a symbol, the sample */
#define EVENTS_KEPT   4096  /* different names; samples beyond belong to no event */

struct script {
	struct source source;
	struct intern *pool;
	struct input in;
	struct map event_of_name; /* interned name: index */
	struct map comm_of_tid;	  /* the last one told */
	struct map pid_of_tid;	  /* from records beside the samples */
	struct map symbols;	  /* addresses that have been named */
	struct event pending[PENDING_MAX];
	int pending_count, pending_at;
	uint64_t lines;
	char line[LINE_MAX_SIZE + 1];
};

/* ---- Lines */

/* How long the next line is with its end; 0 at the end of the text. One that is too long is cut. */
static size_t measure_line(struct input *in)
{
	size_t want = 256, left;

	for (;;) {
		const uint8_t *bytes, *end;

		left = input_left(in, want);
		bytes = input_peek(in, left);
		end = left ? memchr(bytes, '\n', left) : NULL;
		if (end)
			return end - bytes + 1;
		if (left < want || want == LINE_MAX_SIZE)
			return left;
		want *= 2;
	}
}

static bool peek_line(struct input *in, char *line)
{
	size_t size = measure_line(in);

	if (!size)
		return false;
	memcpy(line, input_peek(in, size), size);
	while (size && (line[size - 1] == '\n' || line[size - 1] == '\r'))
		size--;
	line[size] = '\0';
	return true;
}

static bool is_of_script(const char *line)
{
	struct script_sample s;

	return strstr(line, ": PERF_RECORD_MMAP") || script_line_sample(line, &s);
}

bool script_is(struct input *in)
{
	size_t left = input_left(in, INPUT_PEEK_MAX);
	char *text = mem_zalloc(left + 1), *at = text;
	bool found = false;

	memcpy(text, input_peek(in, left), left);
	while (!found && at && *at) {
		char *end = strchr(at, '\n');

		if (end)
			*end = '\0';
		found = is_of_script(at);
		at = end ? end + 1 : NULL;
	}
	free(text);
	return found;
}

/* ---- Events */

static struct event *add_pending(struct script *s, enum event_kind kind, const struct sample *of)
{
	struct event *ev = &s->pending[s->pending_count++];

	*ev = (struct event){ .kind = kind, .time = of->time, .pid = of->pid, .tid = of->tid };
	return ev;
}

static const char *intern_text(struct script *s, struct script_text t)
{
	return intern_bytes(s->pool, t.at, t.size);
}

static uint32_t find_event(struct script *s, struct script_text text)
{
	struct recording *r = &s->source.recording;
	const char *name = text.size ? intern_text(s, text) : intern_string(s->pool, "event 0");
	uint64_t *index = map_get(&s->event_of_name, (uintptr_t)name);

	if (index)
		return *index;
	if (r->event_count == EVENTS_KEPT)
		return SAMPLE_NO_EVENT;
	if (!(r->event_count & (r->event_count - 1)))
		r->events = mem_realloc(r->events, r->event_count ? 2 * r->event_count : 1,
					sizeof(*r->events));
	*map_put(&s->event_of_name, (uintptr_t)name, 0, NULL) = r->event_count;
	r->events[r->event_count] = (struct recording_event){ .name = name };
	return r->event_count++;
}

static void tell_comm(struct script *s, const struct script_sample *line)
{
	const char *name = line->comm.size ? intern_text(s, line->comm) : NULL;
	uint64_t *told;

	if (!name || line->sample.tid == UINT32_MAX)
		return;
	told = map_put(&s->comm_of_tid, line->sample.tid, 0, NULL);
	if (*told == (uintptr_t)name)
		return;
	*told = (uintptr_t)name;
	add_pending(s, EVENT_COMM, &line->sample)->comm.name = name;
}

/* What the text says of an address, once. */
static void tell_symbol(struct script *s, const struct script_sample *line)
{
	struct event *ev;
	bool fresh;

	if (!line->sample.ip || !line->file.size)
		return;
	map_put(&s->symbols, line->sample.ip, 1, &fresh);
	if (!fresh)
		return;
	ev = add_pending(s, EVENT_SYMBOL, &line->sample);
	ev->symbol.addr = line->sample.ip;
	ev->symbol.name = line->symbol.size ? intern_text(s, line->symbol) : NULL;
	ev->symbol.offset = line->symbol_offset;
	ev->symbol.file = intern_text(s, line->file);
}

static void note_time(struct recording *r, uint64_t time)
{
	if (!r->first_time || (time && time < r->first_time))
		r->first_time = time;
	if (time > r->last_time)
		r->last_time = time;
}

/* A call chain is below its sample: the first address is where the sample is of. */
static void find_address(struct script *s, struct sample *sample)
{
	if (!sample->ip && peek_line(&s->in, s->line))
		sample->ip = script_line_chain(s->line);
}

static void read_sample(struct script *s, struct script_sample *line)
{
	struct recording *r = &s->source.recording;
	uint64_t *pid = line->sample.pid == UINT32_MAX ? map_get(&s->pid_of_tid, line->sample.tid)
						       : NULL;

	line->sample.pid = pid ? *pid : line->sample.pid;
	line->sample.event = find_event(s, line->event);
	if (line->sample.event != SAMPLE_NO_EVENT)
		r->events[line->sample.event].samples++;
	note_time(r, line->sample.time);
	tell_comm(s, line);
	tell_symbol(s, line);
	find_address(s, &line->sample); /* the last: the line's text is gone then */
	add_pending(s, EVENT_SAMPLE, &line->sample)->sample = line->sample;
}

static void read_record(struct script *s, const struct event *ev)
{
	if (ev->kind == EVENT_LOST)
		s->source.recording.lost += ev->lost.count;
	else if (ev->pid != UINT32_MAX)
		*map_put(&s->pid_of_tid, ev->tid, 0, NULL) = ev->pid;
	s->pending[s->pending_count++] = *ev;
}

static void read_line(struct script *s)
{
	struct script_sample line;
	struct event ev;

	if (script_line_sample(s->line, &line))
		read_sample(s, &line);
	else if (script_line_record(s->line, s->pool, &ev))
		read_record(s, &ev);
	else
		script_line_header(s->line, s->pool, &s->source.recording);
}

/* ---- The source */

static struct err *end_text(struct script *s)
{
	if (!s->in.errno_value)
		return NULL;
	return err_errno(ERR_FAILED, s->in.errno_value, "perf script text: %s: at line %llu",
			 s->source.recording.path, (unsigned long long)s->lines);
}

static struct err *next(struct source *source, struct event *ev, bool *end)
{
	struct script *s = (struct script *)source;

	*end = false;
	while (s->pending_at == s->pending_count) {
		s->pending_at = s->pending_count = 0;
		if (!peek_line(&s->in, s->line)) {
			*end = true;
			return end_text(s);
		}
		input_skip(&s->in, measure_line(&s->in));
		s->lines++;
		read_line(s);
	}
	*ev = s->pending[s->pending_at++];
	return NULL;
}

static void close_source(struct source *source)
{
	struct script *s = (struct script *)source;

	input_close(&s->in);
	map_deinit(&s->event_of_name);
	map_deinit(&s->comm_of_tid);
	map_deinit(&s->pid_of_tid);
	map_deinit(&s->symbols);
	free(s->source.recording.events);
	free(s);
}

static const struct source_ops ops = { .name = "perf script", .next = next, .close = close_source };

void script_open(struct input *in, const char *path, struct intern *pool, struct source **source)
{
	struct script *s = mem_zalloc(sizeof(*s));

	s->source.ops = &ops;
	s->source.recording.path = intern_string(pool, path);
	s->pool = pool;
	map_init(&s->event_of_name);
	map_init(&s->comm_of_tid);
	map_init(&s->pid_of_tid);
	map_init(&s->symbols);
	input_move(&s->in, in);
	*source = &s->source;
}
