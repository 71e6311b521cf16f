// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_read.h"
#include "mem.h"
#include "perfdata_record.h"
#include "queue.h"
#include "script_read.h"
#include "spe_trace.h"
#include "spool.h"
#include "unpack.h"

#include <linux/perf_event.h>
#include <perf/event.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_COMPRESSED2 83		  /* PERF_RECORD_COMPRESSED2, Linux 6.16 */
#define WAITING_MAX	   (256ULL << 20) /* bytes of records waiting for their turn */
#define RUN		   512		  /* samples that are read in one go */

struct perfdata {
	struct source source;
	struct perfdata_header header;
	struct input in;
	struct unpack *unpack; /* of compressed records; NULL before the first */
	struct input unpacked; /* what comes out of it */
	bool unpacking;	       /* there may be a whole record in "unpacked" */
	struct spe_trace *spe;
	uint64_t spe_left; /* bytes of SPE's data that come before the next record */
	struct queue queue;
	struct perfdata_run run;
	struct event event; /* has its turn at once */
	bool has_event;
	struct err *error; /* has its turn once all that was read has had it */
	uint64_t records;  /* read whole */
	bool ended;
};

/* What became of a record. */
enum outcome { OUTCOME_NOTHING, OUTCOME_EVENT };

static struct err *at_record(const struct perfdata *p, const char *what, const char *next)
{
	struct err *e = err_new(ERR_FAILED, "perf.data: %s: record at %#llx: %s",
				p->source.recording.path, (unsigned long long)p->in.offset, what);

	return err_next(e, "%s", next);
}

/* No more records: those that wait have their turn, then the stream ends. */
static void end_records(struct perfdata *p)
{
	p->ended = true;
	queue_flush(&p->queue);
}

/* The recording ends inside a record, or what follows is none. What came before is good; when there
 * was nothing before, that is an error. */
static struct err *end_damaged(struct perfdata *p, const char *what)
{
	struct err *e = NULL;

	if (p->in.errno_value)
		e = err_errno(ERR_FAILED, p->in.errno_value, "perf.data: %s: at %#llx",
			      p->source.recording.path, (unsigned long long)p->in.offset);
	else if (!p->records)
		e = at_record(
			p, what,
			"nothing can be read of it: it is damaged, or its recorder was killed "
			"before it wrote anything; record again");
	p->source.recording.truncated = true;
	p->source.recording.damage = intern_printf(p->header.pool, "record at %#llx: %s",
						   (unsigned long long)p->in.offset, what);
	end_records(p);
	return e;
}

/* ---- Records of the perf tool (types from 64 up) */

static struct err *read_attr(struct perfdata *p, struct perfdata_record *r)
{
	if (!perfdata_header_attr(&p->header, r->body))
		p->source.recording.malformed_records++;
	p->run = (struct perfdata_run){ 0 };
	return NULL;
}

static struct err *read_update(struct perfdata *p, struct perfdata_record *r)
{
	if (!perfdata_header_update(&p->header, r->body))
		p->source.recording.malformed_records++;
	return NULL;
}

static struct err *read_feature(struct perfdata *p, struct perfdata_record *r)
{
	if (!perfdata_header_feature(&p->header, r->body))
		p->source.recording.malformed_records++;
	return NULL;
}

/* SPE's data comes when its buffer is full, long after what it tells of: a file is read to its end
 * first, or as far as memory goes. In a pipe it is late. */
static struct err *read_round(struct perfdata *p, struct perfdata_record *r)
{
	if (p->header.pipe || !spe_trace_is(p->spe))
		queue_round(&p->queue);
	return NULL;
}

/* Bytes that follow a record without being part of it. */
static struct err *skip_payload(struct perfdata *p, uint64_t size)
{
	return input_skip(&p->in, size) ? NULL : end_damaged(p, "its data is cut off");
}

static struct err *read_auxtrace(struct perfdata *p, struct perfdata_record *r)
{
	struct cursor body = r->body;
	uint64_t size = cursor_u64(&body);

	if (spe_trace_is(p->spe)) {
		spe_trace_begin(p->spe, r->body, p->queue.newest);
		p->spe_left = size;
		return NULL;
	}
	p->source.recording.aux_bytes += size;
	return skip_payload(p, size);
}

/* perf puts the data behind the record, simpleperf into it. */
static struct err *read_tracing_data(struct perfdata *p, struct perfdata_record *r)
{
	uint64_t size = cursor_u32(&r->body);

	return size <= cursor_left(&r->body) ? NULL : skip_payload(p, (size + 7) & ~7ULL);
}

static struct err *read_auxtrace_info(struct perfdata *p, struct perfdata_record *r)
{
	/* enum auxtrace_type of the perf tool */
	static const char *const kind[] = {
		NULL,	   "Intel PT",	   "Intel BTS",	    "Arm CoreSight",
		"Arm SPE", "s390 CPU-MSF", "HiSilicon PTT",
	};
	struct cursor body = r->body;
	uint32_t type = cursor_u32(&body);

	spe_trace_info(p->spe, r->body);
	if (type < ARRAY_SIZE(kind) && kind[type])
		p->source.recording.aux_kind = kind[type];
	return NULL;
}

/* What a piece holds is read by read_unpacked(), from bytes that stay where they are until more is
 * asked of the file. */
static void begin_unpacking(struct perfdata *p, const void *bytes, size_t size)
{
	if (!p->unpack) {
		p->unpack = unpack_new();
		input_open_feed(&p->unpacked,
				(struct input_feed){ .read = unpack_read, .from = p->unpack });
	}
	unpack_piece(p->unpack, bytes, size);
	p->unpacking = true;
}

static struct err *read_compressed(struct perfdata *p, struct perfdata_record *r)
{
	size_t size = cursor_left(&r->body);

	begin_unpacking(p, cursor_bytes(&r->body, size), size);
	return NULL;
}

/* As above, and says how much of the record is no padding. */
static struct err *read_compressed2(struct perfdata *p, struct perfdata_record *r)
{
	uint64_t size = cursor_u64(&r->body);

	if (r->body.bad || size > cursor_left(&r->body))
		return end_damaged(p, "its compressed data is larger than itself");
	begin_unpacking(p, cursor_bytes(&r->body, size), size);
	return NULL;
}

static struct err *read_clock(struct perfdata *p, struct perfdata_record *r)
{
	spe_trace_clock(p->spe, r->body);
	return NULL;
}

static struct err *read_nothing(struct perfdata *p, struct perfdata_record *r)
{
	return NULL;
}

typedef struct err *(*tool_reader)(struct perfdata *p, struct perfdata_record *r);

/* By type, from PERF_RECORD_USER_TYPE_START. */
static const tool_reader tool_readers[] = {
	[PERF_RECORD_HEADER_ATTR - 64] = read_attr,
	[PERF_RECORD_HEADER_TRACING_DATA - 64] = read_tracing_data,
	[PERF_RECORD_HEADER_BUILD_ID - 64] = read_nothing, /* read_build_id() */
	[PERF_RECORD_FINISHED_ROUND - 64] = read_round,
	[PERF_RECORD_ID_INDEX - 64] = read_nothing,
	[PERF_RECORD_AUXTRACE_INFO - 64] = read_auxtrace_info,
	[PERF_RECORD_AUXTRACE - 64] = read_auxtrace,
	[PERF_RECORD_AUXTRACE_ERROR - 64] = read_nothing,
	[PERF_RECORD_THREAD_MAP - 64] = read_nothing,
	[PERF_RECORD_CPU_MAP - 64] = read_nothing,
	[PERF_RECORD_STAT_CONFIG - 64] = read_nothing,
	[PERF_RECORD_STAT - 64] = read_nothing,
	[PERF_RECORD_STAT_ROUND - 64] = read_nothing,
	[PERF_RECORD_EVENT_UPDATE - 64] = read_update,
	[PERF_RECORD_TIME_CONV - 64] = read_clock,
	[PERF_RECORD_HEADER_FEATURE - 64] = read_feature,
	[PERF_RECORD_COMPRESSED - 64] = read_compressed,
	[PERF_RECORD_FINISHED_INIT - 64] = read_nothing,
	[RECORD_COMPRESSED2 - 64] = read_compressed2,
};

static tool_reader find_tool_reader(uint32_t type)
{
	uint32_t row = type - PERF_RECORD_USER_TYPE_START;

	return row < ARRAY_SIZE(tool_readers) ? tool_readers[row] : NULL;
}

/* ---- Records that become events */

/* The type was used by perf before Linux 3.11 for names of events; those begin with a number. */
static enum outcome read_note(struct perfdata *p, struct perfdata_record *r, struct event *ev)
{
	size_t size = cursor_left(&r->body);
	const char *text = cursor_bytes(&r->body, size);
	struct err *e;

	if (size < 2 || text[0] != '{')
		return OUTCOME_NOTHING;
	*ev = (struct event){ .kind = EVENT_NOTE, .pid = UINT32_MAX, .tid = UINT32_MAX };
	e = note_parse(p->header.pool, text, size, &ev->note);
	if (!e)
		return OUTCOME_EVENT;
	p->source.recording.malformed_records++;
	err_free(e);
	return OUTCOME_NOTHING;
}

/* A record of the kernel that is no sample. */
/* A pipe tells them at its end, after the maps. */
static enum outcome read_build_id(struct perfdata *p, struct perfdata_record *r, struct event *ev)
{
	*ev = (struct event){ .kind = EVENT_BUILD_ID, .pid = UINT32_MAX, .tid = UINT32_MAX };
	ev->map.path = perfdata_header_note_build_id(&p->header, r->misc, r->body);
	if (!ev->map.path) {
		p->source.recording.malformed_records++;
		return OUTCOME_NOTHING;
	}
	perfdata_header_build_id(&p->header, &ev->map);
	return OUTCOME_EVENT;
}

static bool decode(struct perfdata *p, const struct perfdata_record *r, struct event *ev)
{
	bool wanted = perfdata_record_decode(&p->header, r, ev);

	if (spe_trace_is(p->spe))
		spe_trace_note(p->spe, r, wanted ? ev : NULL);
	return wanted;
}

static void bound_waiting(struct perfdata *p)
{
	if (p->in.held + p->unpacked.held + queue_size(&p->queue) > WAITING_MAX)
		queue_flush_half(&p->queue);
}

static bool is_time(uint64_t time)
{
	return time && time != UINT64_MAX;
}

/* Without a time it has its turn at once. */
static enum outcome read_sample(struct perfdata *p, const struct perfdata_record *r,
				struct event *ev)
{
	struct sample *s = queue_room(&p->queue, 1);

	if (!perfdata_record_sample(&p->header, r, s))
		return OUTCOME_NOTHING;
	if (is_time(s->time)) {
		queue_add(&p->queue, 1);
		bound_waiting(p);
		return OUTCOME_NOTHING;
	}
	*ev = event_of_sample(s);
	return OUTCOME_EVENT;
}

static enum outcome read_kernel_record(struct perfdata *p, struct input *in,
				       struct perfdata_record *r, const uint8_t *bytes,
				       struct event *ev)
{
	uint64_t time;

	if (r->type == PERF_RECORD_SAMPLE)
		return read_sample(p, r, ev);
	time = perfdata_record_time(&p->header, r);
	if (!is_time(time))
		return decode(p, r, ev) ? OUTCOME_EVENT : OUTCOME_NOTHING;
	queue_record(&p->queue, &(struct queue_record){ .time = time,
							.offset = in->offset,
							.record = bytes,
							.owner = input_hold(in) });
	bound_waiting(p);
	return OUTCOME_NOTHING;
}

/* Of the bytes that are there, so that nothing is waited for. */
static bool read_run(struct perfdata *p, struct input *in)
{
	size_t left, size, count = RUN;
	const uint8_t *bytes = input_span(in, &left);

	size = perfdata_record_run(&p->header, &p->run, bytes, left, queue_room(&p->queue, RUN),
				   &count);
	if (!size)
		return false;
	queue_add(&p->queue, count);
	p->records += count;
	input_skip(in, size);
	bound_waiting(p);
	return true;
}

static enum outcome read_by_type(struct perfdata *p, const uint8_t *bytes, size_t size,
				 struct event *ev, struct err **e)
{
	struct perfdata_record r = perfdata_record_of(&p->header, bytes, size, p->in.offset);
	tool_reader read = find_tool_reader(r.type);
	enum outcome outcome = OUTCOME_NOTHING;

	if (r.type == NOTE_RECORD_TYPE)
		outcome = read_note(p, &r, ev);
	else if (r.type == PERF_RECORD_HEADER_BUILD_ID)
		outcome = read_build_id(p, &r, ev);
	else if (r.type < PERF_RECORD_USER_TYPE_START)
		outcome = read_kernel_record(p, &p->in, &r, bytes, ev);
	else if (!read)
		p->source.recording.unknown_records++;
	input_skip(&p->in, size);
	p->records++;
	if (read)
		*e = read(p, &r);
	return outcome;
}

/* perf of Linux 6.16 lets the size of a full compressed record overflow to 0. */
static size_t record_size(const struct perfdata *p, const uint8_t *bytes)
{
	struct cursor c = perfdata_header_cursor(&p->header, bytes, PERFDATA_RECORD_HEADER, 0);
	size_t size = perfdata_record_size(&p->header, bytes);

	return size || cursor_u32(&c) != RECORD_COMPRESSED2 ? size : UINT16_MAX + 1;
}

static enum outcome read_record(struct perfdata *p, struct event *ev, struct err **e)
{
	size_t left = input_left(&p->in, PERFDATA_RECORD_HEADER), size;

	if (!left && p->records && !p->in.errno_value) {
		end_records(p);
		return OUTCOME_NOTHING;
	}
	if (left < PERFDATA_RECORD_HEADER) {
		*e = end_damaged(p, left ? "it is cut off in its header"
					 : "the recording ends before it");
		return OUTCOME_NOTHING;
	}
	size = record_size(p, input_peek(&p->in, left));
	if (size < PERFDATA_RECORD_HEADER)
		*e = end_damaged(p, "its size is below the 8 bytes of its header");
	else if (input_left(&p->in, size) < size)
		*e = end_damaged(p, "it is cut off");
	else
		return read_by_type(p, input_peek(&p->in, size), size, ev, e);
	return OUTCOME_NOTHING;
}

/* ---- Records that were compressed: those of the kernel */

/* A whole one; NULL when it is not all there yet. */
static const uint8_t *peek_unpacked(struct perfdata *p, size_t *size)
{
	struct input *in = &p->unpacked;

	if (input_left(in, PERFDATA_RECORD_HEADER) < PERFDATA_RECORD_HEADER)
		return NULL;
	*size = perfdata_record_size(&p->header, input_peek(in, PERFDATA_RECORD_HEADER));
	if (*size < PERFDATA_RECORD_HEADER)
		*size = PERFDATA_RECORD_HEADER;
	return input_peek(in, *size);
}

static enum outcome read_unpacked(struct perfdata *p, struct event *ev, struct err **e)
{
	enum outcome outcome = OUTCOME_NOTHING;
	struct perfdata_record r;
	size_t size;
	const uint8_t *bytes = peek_unpacked(p, &size);

	if (!bytes) {
		p->unpacking = false;
		if (unpack_error(p->unpack))
			*e = end_damaged(p, unpack_error(p->unpack));
		return OUTCOME_NOTHING;
	}
	if (perfdata_record_size(&p->header, bytes) < PERFDATA_RECORD_HEADER) {
		p->unpacking = false;
		*e = end_damaged(p, "a record compressed in it is below the 8 bytes of its header");
		return OUTCOME_NOTHING;
	}
	r = perfdata_record_of(&p->header, bytes, size, p->unpacked.offset);
	if (r.type < PERF_RECORD_USER_TYPE_START)
		outcome = read_kernel_record(p, &p->unpacked, &r, bytes, ev);
	else
		p->source.recording.unknown_records++;
	input_skip(&p->unpacked, size);
	p->records++;
	return outcome;
}

/* ---- Data of SPE: samples */

static void read_spe(struct perfdata *p)
{
	size_t size = p->spe_left < SPE_TRACE_PIECE ? p->spe_left : SPE_TRACE_PIECE;
	size_t got = input_left(&p->in, size), count;

	spe_trace_piece(p->spe, input_peek(&p->in, got), got, got < size || got == p->spe_left);
	while ((count = spe_trace_samples(p->spe, queue_room(&p->queue, RUN), RUN)))
		queue_add(&p->queue, count);
	bound_waiting(p);
	input_skip(&p->in, spe_trace_used(p->spe));
	p->spe_left -= spe_trace_used(p->spe);
	if (got < size) {
		p->spe_left = 0;
		p->error = end_damaged(p, "its data is cut off");
	}
}

/* ---- The source */

static bool take_record(struct perfdata *p, struct event *ev)
{
	struct queue_record waited;
	struct perfdata_record r;
	bool wanted = false;

	while (!wanted && queue_take_record(&p->queue, &waited)) {
		r = perfdata_record_of(&p->header, waited.record,
				       perfdata_record_size(&p->header, waited.record),
				       waited.offset);
		wanted = decode(p, &r, ev);
		input_release(waited.owner);
	}
	return wanted;
}

static bool take_sample(struct perfdata *p, struct event *ev)
{
	struct sample s;

	if (!queue_take(&p->queue, &s, 1))
		return false;
	spe_trace_name(p->spe, &s, 1);
	*ev = event_of_sample(&s);
	return true;
}

/* What is due, in order. */
static bool take(struct perfdata *p, struct event *ev)
{
	do {
		if (take_sample(p, ev) || take_record(p, ev))
			return true;
	} while (queue_is_due(&p->queue));
	if (p->has_event)
		*ev = p->event;
	return p->has_event && !(p->has_event = false);
}

/* Reads a record or a run of samples. Nothing is due, and the end was not reached. */
static void read_more(struct perfdata *p)
{
	if (p->spe_left) {
		read_spe(p);
		return;
	}
	if (read_run(p, p->unpacking ? &p->unpacked : &p->in))
		return;
	p->has_event = (p->unpacking ? read_unpacked : read_record)(p, &p->event, &p->error) ==
		       OUTCOME_EVENT;
}

static struct err *next(struct source *s, struct event *ev, bool *end)
{
	struct perfdata *p = (struct perfdata *)s;
	struct err *e;

	p->queue.loose = s->loose;
	*end = false;
	while (!take(p, ev)) {
		if (p->error || p->ended) {
			e = p->error;
			p->error = NULL;
			*end = !e;
			return e;
		}
		read_more(p);
	}
	return NULL;
}

static size_t samples(struct source *s, struct sample *to, size_t room)
{
	struct perfdata *p = (struct perfdata *)s;
	size_t count;

	p->queue.loose = s->loose;
	while (!(count = queue_take(&p->queue, to, room)) && !queue_is_due(&p->queue) &&
	       !p->has_event && !p->error && !p->ended)
		read_more(p);
	spe_trace_name(p->spe, to, count);
	return count;
}

static void close_source(struct source *s)
{
	struct perfdata *p = (struct perfdata *)s;
	struct queue_record record;

	while (queue_drop_record(&p->queue, &record))
		input_release(record.owner);
	queue_deinit(&p->queue);
	err_free(p->error);
	input_close(&p->in);
	input_close(&p->unpacked);
	unpack_free(p->unpack);
	spe_trace_free(p->spe);
	perfdata_header_deinit(&p->header);
	free(p);
}

static const struct source_ops ops = {
	.name = "perf.data", .next = next, .samples = samples, .close = close_source
};

static void note_cut(struct perfdata *p, const char *program)
{
	p->source.recording.truncated = true;
	p->source.recording.damage = intern_printf(p->header.pool, "%s could not unpack all of it",
						   program);
}

/* No more is asked of a pipe that is one of perf.data than there is at once. */
static bool is_script(struct input *in)
{
	size_t left = input_left(in, 16);
	const uint8_t *bytes = input_peek(in, left);

	return left && !perfdata_header_is(bytes, left) && perfdata_header_is_text(bytes, left) &&
	       script_is(in);
}

static struct perfdata *perfdata_new(const char *path, struct intern *pool)
{
	struct perfdata *p = mem_zalloc(sizeof(*p));

	p->source.ops = &ops;
	p->source.recording.path = intern_string(pool, path);
	perfdata_header_init(&p->header, &p->source.recording, pool);
	input_open_feed(&p->unpacked, (struct input_feed){ 0 });
	p->spe = spe_trace_new(&p->header);
	return p;
}

struct err *perfdata_open_feed(const char *name, struct input_feed feed, struct intern *pool,
			       struct source **source)
{
	struct perfdata *p = perfdata_new(name, pool);
	struct err *e;

	*source = NULL;
	input_open_feed(&p->in, feed);
	e = perfdata_header_read(&p->header, &p->in);
	if (e)
		close_source(&p->source);
	else
		*source = &p->source;
	return e;
}

struct err *perfdata_open(const char *path, struct intern *pool, struct source **source)
{
	struct perfdata *p = perfdata_new(path, pool);
	const char *cut = NULL;
	struct err *e;

	*source = NULL;
	e = input_open(path, &p->in);
	if (!e)
		e = spool_unwrap(&p->in, path, &cut);
	if (!e && is_script(&p->in)) {
		script_open(&p->in, path, pool, source);
		close_source(&p->source);
		return NULL;
	}
	if (!e)
		e = perfdata_header_read(&p->header, &p->in);
	if (e) {
		close_source(&p->source);
		return e;
	}
	if (cut)
		note_cut(p, cut);
	if (!p->header.pipe)
		perfdata_header_features(&p->header, &p->in);
	*source = &p->source;
	return NULL;
}
