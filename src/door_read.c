// SPDX-License-Identifier: GPL-2.0-only
#include "door_read.h"
#include "data_source.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define REMARKS_MOST 100 /* of one door */

static struct err *emit(struct door *d, struct event *ev)
{
	if (ev->time > d->latest)
		d->latest = ev->time;
	return d->output->event(d->output->context, ev);
}

/* Virtual time of the door in ns of the recording. */
static uint64_t time_of(const struct door *d, uint64_t cycles)
{
	return d->base + (uint64_t)((unsigned __int128)cycles * 1000 / d->mhz);
}

static struct err *malformed(struct door *d, const char *why)
{
	if (!d->malformed)
		d->malformed = intern_string(d->pool, why);
	return NULL;
}

/* The next structure of a message; the size was checked to hold it, or "bad" is set. */
#define take(cursor, out)                                                                          \
	do {                                                                                       \
		const void *at_ = cursor_bytes(cursor, sizeof(*(out)));                            \
		if (at_)                                                                           \
			memcpy(out, at_, sizeof(*(out)));                                          \
	} while (0)

static const char *take_text(struct door *d, struct cursor *c)
{
	size_t left = cursor_left(c);

	return intern_bytes(d->pool, cursor_bytes(c, left), left < WIRE_TEXT ? left : WIRE_TEXT);
}

/* ---- Samples */

static const enum memory_distance distances[MODEL_DISTANCES] = {
	[MODEL_SAME_LLC] = DISTANCE_SAME_LLC,
	[MODEL_SAME_NODE] = DISTANCE_SAME_NODE,
	[MODEL_OTHER_NODE] = DISTANCE_OTHER_NODE,
};

/* Where another core's cache is: a last-level cache shared with it, or one farther away. */
static enum memory_level cache_level(const struct model_sample *s)
{
	return s->distance == MODEL_SAME_LLC ? LEVEL_L3 : LEVEL_CACHE;
}

/* What the first access of an operation met. An RMW's load has brought the line when it stores. */
static struct data_source source_of(const struct model_sample *s, enum memory_kind kind)
{
	struct data_source d = { .kind = kind,
				 .level = LEVEL_L1,
				 .locked = s->op == MODEL_RMW && kind == MEMORY_LOAD };
	bool first = kind == MEMORY_LOAD || s->op != MODEL_RMW;

	if (s->outcome == MODEL_UPGRADE)
		d.miss = kind == MEMORY_STORE; /* a load finds the line, a store may not write it */
	if (!first || s->outcome == MODEL_HIT || s->outcome == MODEL_UPGRADE)
		return d;
	d.miss = kind == MEMORY_STORE;
	d.hitm = s->outcome == MODEL_HITM;
	d.forward = s->outcome == MODEL_CLEAN;
	d.level = s->outcome == MODEL_COLD ? LEVEL_RAM : cache_level(s);
	if (s->outcome != MODEL_COLD)
		d.distance = distances[s->distance];
	return d;
}

/* One half of a model sample. The latency of an RMW is its load's: counted once. */
static struct err *emit_sample(struct door *d, const struct model_sample *s, enum memory_kind kind)
{
	struct data_source source = source_of(s, kind);
	bool second = kind == MEMORY_STORE && s->op == MODEL_RMW;
	struct event ev = {
		.kind = EVENT_SAMPLE, .time = time_of(d, s->cycles), .pid = d->pid, .tid = s->tid
	};

	ev.sample = (struct sample){
		.ip = s->ip,
		.addr = s->addr,
		.time = ev.time,
		.period = s->period,
		.weight = second ? 0 : s->latency,
		.data_src = data_source_encode(&source),
		.pid = d->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.event = kind == MEMORY_STORE,
	};
	return emit(d, &ev);
}

static bool sample_sound(const struct model_sample *s)
{
	return s->op >= MODEL_READ && s->op <= MODEL_RMW && s->outcome < MODEL_OUTCOMES &&
	       s->distance < MODEL_DISTANCES && s->cpu < MODEL_CPUS;
}

static struct err *take_sample(struct door *d, const struct model_sample *s)
{
	uint64_t issued = time_of(d, s->cycles > s->latency ? s->cycles - s->latency : 0);
	struct err *e = NULL;

	if (!sample_sound(s))
		return malformed(d, "a sample that no model makes");
	d->samples++;
	if (issued > d->low) /* the replay takes accesses in order of their issue */
		d->low = issued;
	if (s->op & MODEL_READ)
		e = emit_sample(d, s, MEMORY_LOAD);
	if (!e && s->op & MODEL_WRITE)
		e = emit_sample(d, s, MEMORY_STORE);
	return e;
}

static struct err *take_samples(struct door *d, struct cursor *c)
{
	struct model_sample s = { 0 };
	struct err *e = NULL;

	if (cursor_left(c) % sizeof(s))
		return malformed(d, "a part of a sample");
	while (!e && !d->malformed && cursor_left(c)) {
		take(c, &s);
		e = take_sample(d, &s);
	}
	return e;
}

/* ---- Tasks and maps */

/* "text", which came in an array of fixed size, with unprintable bytes made harmless. */
static void copy_text(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size - 1);

	for (size_t i = 0; i < length; i++)
		to[i] = from[i] >= ' ' && from[i] < 127 ? from[i] : '?';
	to[length] = 0;
}

static struct err *take_hello(struct door *d, struct cursor *c)
{
	struct wire_hello h = { 0 };

	take(c, &h);
	if (h.version != MODEL_VERSION)
		return malformed(d, "another version of the protocol: door and hitmap are not of "
				    "one build");
	d->greeted = true;
	d->pid = h.pid;
	copy_text(d->name, h.door, sizeof(d->name));
	copy_text(d->detail, h.detail, sizeof(d->detail));
	return NULL;
}

static struct err *take_map(struct door *d, struct cursor *c)
{
	struct wire_map m = { 0 };
	struct event ev = { .kind = EVENT_MAP };

	take(c, &m);
	ev.time = time_of(d, m.cycles);
	ev.pid = ev.tid = d->pid;
	ev.map = (struct event_map){ .start = m.start,
				     .size = m.size,
				     .offset = m.offset,
				     .inode = m.inode,
				     .major = m.major,
				     .minor = m.minor,
				     .prot = m.prot,
				     .path = take_text(d, c) };
	if (!m.size || m.start + m.size < m.start)
		return malformed(d, "a mapping without an extent");
	return emit(d, &ev);
}

static struct err *take_comm(struct door *d, struct cursor *c)
{
	struct wire_task t = { 0 };
	struct event ev = { .kind = EVENT_COMM, .pid = d->pid };

	take(c, &t);
	ev.time = time_of(d, t.cycles);
	ev.tid = t.tid;
	ev.comm.name = take_text(d, c);
	return emit(d, &ev);
}

static struct err *take_task(struct door *d, struct cursor *c)
{
	struct wire_task t = { 0 };
	struct event ev = { .kind = EVENT_FORK, .pid = d->pid };

	take(c, &t);
	d->threads++;
	if (t.tid == d->pid)
		return NULL; /* the process itself, announced when the door greeted */
	ev.time = time_of(d, t.cycles);
	ev.tid = t.tid;
	ev.fork.parent_pid = d->pid;
	ev.fork.parent_tid = t.parent_tid;
	return emit(d, &ev);
}

/* A thread's last samples may still follow this; WIRE_THREAD comes after them and stands for its
 * end. */
static struct err *take_exit(struct door *d, struct cursor *c)
{
	struct wire_task t = { 0 };

	take(c, &t);
	return NULL;
}

static struct err *take_thread(struct door *d, struct cursor *c)
{
	struct model_thread_total t = { 0 };
	struct event note = { .kind = EVENT_NOTE }, end = { .kind = EVENT_EXIT };
	struct err *e;

	take(c, &t);
	note.note.kind = NOTE_THREAD;
	note.note.thread = (struct note_thread){ .pid = d->pid,
						 .tid = t.tid,
						 .cpu = t.cpu,
						 .instructions = t.instructions,
						 .accesses = t.accesses };
	for (int h = 0; h < MODEL_HOLDS; h++)
		note.note.thread.cycles[h] = t.cycles[h] > t.started[h] ? t.cycles[h] - t.started[h]
									: 0;
	e = emit(d, &note);
	end.time = d->latest;
	end.pid = d->pid;
	end.tid = t.tid;
	return e ? e : emit(d, &end);
}

/* ---- Totals */

static struct err *take_line(struct door *d, struct cursor *c)
{
	struct model_line_total l = { 0 };
	struct event ev = { .kind = EVENT_NOTE };

	take(c, &l);
	ev.note.kind = NOTE_LINE;
	ev.note.line = (struct note_line){ .pid = d->pid, .addr = l.addr, .accesses = l.accesses };
	for (int h = 0; h < MODEL_HOLDS; h++) {
		for (int i = 0; i < MODEL_DISTANCES; i++)
			ev.note.line.hitm[h] += l.hitm[h][i];
		ev.note.line.transfers[h] = l.transfers[h];
		ev.note.line.cycles[h] = l.cycles[h];
	}
	return emit(d, &ev);
}

static struct err *take_lines(struct door *d, struct cursor *c)
{
	struct err *e = NULL;

	if (cursor_left(c) % sizeof(struct model_line_total))
		return malformed(d, "a part of a line's totals");
	while (!e && cursor_left(c))
		e = take_line(d, c);
	return e;
}

static struct err *take_total(struct door *d, struct cursor *c)
{
	take(c, &d->total);
	d->complete = true;
	return NULL;
}

static struct err *take_remark(struct door *d, struct cursor *c)
{
	struct event ev = { .kind = EVENT_NOTE };

	if (d->remarks++ >= REMARKS_MOST)
		return NULL;
	ev.note.kind = NOTE_REMARK;
	ev.note.remark.text = take_text(d, c);
	return emit(d, &ev);
}

/* ---- Messages */

/* By enum wire_type. "least": bytes of what must be there, behind the head. */
static const struct message {
	struct err *(*handle)(struct door *d, struct cursor *c);
	size_t least;
} messages[] = {
	[WIRE_HELLO] = { take_hello, sizeof(struct wire_hello) },
	[WIRE_SAMPLES] = { take_samples, 0 },
	[WIRE_MAP] = { take_map, sizeof(struct wire_map) + 1 },
	[WIRE_COMM] = { take_comm, sizeof(struct wire_task) + 1 },
	[WIRE_TASK] = { take_task, sizeof(struct wire_task) },
	[WIRE_EXIT] = { take_exit, sizeof(struct wire_task) },
	[WIRE_THREAD] = { take_thread, sizeof(struct model_thread_total) },
	[WIRE_LINE] = { take_lines, 0 },
	[WIRE_TOTAL] = { take_total, sizeof(struct model_total) },
	[WIRE_REMARK] = { take_remark, 1 },
};

static struct err *take_message(struct door *d, const struct wire_head *head, struct cursor *c)
{
	const struct message *m = &messages[head->type];

	if (!d->greeted && head->type != WIRE_HELLO)
		return malformed(d, "a message before its greeting");
	if (d->greeted && head->type == WIRE_HELLO)
		return malformed(d, "a second greeting");
	if (cursor_left(c) < m->least)
		return malformed(d, "a message that is too short");
	return m->handle(d, c);
}

static bool head_sound(const struct wire_head *head)
{
	return head->type < ARRAY_SIZE(messages) && messages[head->type].handle &&
	       head->size >= sizeof(*head) && head->size <= WIRE_MESSAGE;
}

/* Takes whole messages off the front of "bytes"; how many bytes they were. */
static struct err *take_messages(struct door *d, const uint8_t *bytes, size_t size, size_t *taken)
{
	struct err *e = NULL;
	struct wire_head head;

	*taken = 0;
	while (!e && !d->malformed && size - *taken >= sizeof(head)) {
		struct cursor c;

		memcpy(&head, bytes + *taken, sizeof(head));
		if (!head_sound(&head))
			return malformed(d, "a message of unknown type or size");
		if (head.size > size - *taken)
			break;
		c = cursor_of(bytes + *taken + sizeof(head), head.size - sizeof(head), *taken);
		e = take_message(d, &head, &c);
		*taken += head.size;
	}
	return e;
}

struct err *door_feed(struct door *d, const void *bytes, size_t size)
{
	struct err *e;
	size_t taken;

	if (d->malformed)
		return NULL;
	if (d->used + size > d->room) { /* at most WIRE_MESSAGE and one feed */
		d->room = d->used + size;
		d->bytes = mem_realloc(d->bytes, d->room, 1);
	}
	memcpy(d->bytes + d->used, bytes, size);
	d->used += size;
	e = take_messages(d, d->bytes, d->used, &taken);
	d->used -= taken;
	memmove(d->bytes, d->bytes + taken, d->used);
	return e;
}

struct door *door_new(const struct door_output *output, struct intern *pool, uint32_t mhz,
		      uint64_t base)
{
	struct door *d = mem_zalloc(sizeof(*d));

	d->output = output;
	d->pool = pool;
	d->mhz = mhz;
	d->base = d->low = d->latest = base;
	return d;
}

void door_free(struct door *d)
{
	free(d->bytes);
	free(d);
}
