// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_record.h"
#include "ibs_raw.h"
#include "mem.h"

#include <linux/perf_event.h>
#include <perf/event.h>
#include <sys/mman.h>

#define MISC_MMAP_DATA	 (1 << 13) /* PERF_RECORD_MISC_MMAP_DATA: not of code */
#define MISC_COMM_EXEC	 (1 << 13)
#define MISC_BUILD_ID	 (1 << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */
#define MISC_LOST_BY_BPF (1 << 15) /* filtered by request, nothing was lost */
#define KERNEL_TYPES	 64	   /* types of the kernel are below, of the perf tool above */

struct perfdata_record perfdata_record_of(const struct perfdata_header *h, const uint8_t *bytes,
					  size_t size, uint64_t offset)
{
	struct perfdata_record r = { .body = perfdata_header_cursor(h, bytes, size, offset) };

	r.type = cursor_u32(&r.body);
	r.misc = cursor_u16(&r.body);
	cursor_skip(&r.body, 2); /* the size */
	return r;
}

static uint64_t word_at(struct cursor c, uint64_t place)
{
	cursor_skip(&c, place);
	return cursor_u64(&c);
}

/* Which event a record belongs to. The id's place must be known before the layout is: it is the
 * same for all events of a recording, or the recorder would not have found its way either. */
static uint32_t find_event(const struct perfdata_header *h, const struct perfdata_record *r)
{
	const struct recording *recording = h->recording;
	const struct sample_layout *layout;
	size_t left = cursor_left(&r->body);
	int place;

	if (recording->event_count < 2)
		return recording->event_count ? 0 : SAMPLE_NO_EVENT;
	layout = &recording->events[0].layout;
	if (r->type == PERF_RECORD_SAMPLE)
		place = sample_id_place(layout);
	else
		place = sample_trailer_id_place(layout) >= 0
				? (int)left - sample_trailer_id_place(layout)
				: -1;
	if (place < 0 || (size_t)place + 8 > left)
		return 0;
	return perfdata_header_event(h, word_at(r->body, place));
}

/* The layout of the events' first is as good as any for a record of an event that is not known, as
 * long as there is only one layout. */
static const struct sample_layout *layout_of(const struct perfdata_header *h, uint32_t event)
{
	if (event < h->recording->event_count)
		return &h->recording->events[event].layout;
	return h->recording->event_count && h->same_layout ? &h->recording->events[0].layout : NULL;
}

bool perfdata_record_ids(const struct perfdata_header *h, const struct perfdata_record *r,
			 struct sample *ids)
{
	const struct sample_layout *layout = layout_of(h, h->same_layout ? 0 : find_event(h, r));

	return layout && sample_decode_trailer(r->body, layout, ids);
}

uint64_t perfdata_record_time(const struct perfdata_header *h, const struct perfdata_record *r)
{
	struct sample ids;

	return perfdata_record_ids(h, r, &ids) ? ids.time : 0;
}

static bool is_kernel(uint16_t misc)
{
	return (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

static inline void count_sample(struct recording *recording, struct sample *s, uint64_t sample_type)
{
	if (s->event < recording->event_count) {
		struct recording_event *event = &recording->events[s->event];

		event->samples++;
		if (event->period && !(sample_type & PERF_SAMPLE_PERIOD))
			s->period = event->period;
	}
	if (!recording->first_time || (s->time && s->time < recording->first_time))
		recording->first_time = s->time;
	if (s->time > recording->last_time)
		recording->last_time = s->time;
}

void perfdata_record_count(struct recording *recording, struct sample *s, uint64_t sample_type)
{
	count_sample(recording, s, sample_type);
}

/* Kernels before Linux 6.1 leave the data source of IBS to those who read its registers. */
static void complete_from_raw(const struct perfdata_header *h, const struct perfdata_record *r,
			      const struct sample_layout *layout, struct sample *s)
{
	const struct recording *recording = h->recording;

	if (s->event < recording->event_count &&
	    !strncmp(recording->events[s->event].name, "ibs_op", 6))
		ibs_complete(sample_raw(r->body, layout), recording->cpuid, s);
}

static uint32_t put_chain(struct recording *recording, struct cursor words)
{
	uint64_t word[CHAIN_LONGEST];
	uint32_t count = 0;

	if (!recording->chains)
		recording->chains = chain_set_new();
	while (count < CHAIN_LONGEST && cursor_left(&words) >= 8)
		word[count++] = cursor_u64(&words);
	return chain_put(recording->chains, word, count);
}

bool perfdata_record_sample(struct perfdata_header *h, const struct perfdata_record *r,
			    struct sample *s)
{
	uint32_t event = find_event(h, r);
	const struct sample_layout *layout = layout_of(h, event);

	if (!layout || !sample_decode(r->body, layout, s)) {
		h->recording->malformed_records++;
		return false;
	}
	s->event = event;
	s->cpumode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (layout->sample_type & PERF_SAMPLE_RAW)
		complete_from_raw(h, r, layout, s);
	if (layout->sample_type & PERF_SAMPLE_CALLCHAIN)
		s->chain = put_chain(h->recording, sample_chain(r->body, layout));
	perfdata_record_count(h->recording, s, layout->sample_type);
	return true;
}

/* ---- Runs of samples */

static bool run_places(const struct perfdata_header *h, struct sample_places *places)
{
	return h->same_layout && !h->swap && h->recording->event_count &&
	       sample_places_of(&h->recording->events[0].layout, places) && places->time >= 0;
}

/* Most recordings have an id each CPU and event. */
static uint32_t run_event(const struct perfdata_header *h, struct perfdata_run *run, uint64_t id)
{
	struct perfdata_run_id *last = &run->last[id % ARRAY_SIZE(run->last)];

	if (!last->known || last->id != id)
		*last = (struct perfdata_run_id){ id, perfdata_header_event(h, id), true };
	return last->event;
}

size_t perfdata_record_run(struct perfdata_header *h, struct perfdata_run *run,
			   const uint8_t *bytes, size_t size, struct sample *samples, size_t *count)
{
	bool many = h->recording->event_count > 1;
	uint64_t type = h->recording->event_count ? h->recording->events[0].layout.sample_type : 0;
	size_t at = 0, room = *count;
	struct sample_places places;

	*count = 0;
	if (!run_places(h, &places))
		return 0;
	while (*count < room && size - at >= PERFDATA_RECORD_HEADER) {
		struct perf_event_header head;
		struct sample *s = &samples[*count];

		memcpy(&head, bytes + at, sizeof(head));
		if (head.type != PERF_RECORD_SAMPLE || head.size > size - at ||
		    head.size < PERFDATA_RECORD_HEADER + places.size)
			break;
		sample_decode_places(bytes + at + PERFDATA_RECORD_HEADER, &places, s);
		if (!s->time || s->time == UINT64_MAX)
			break;
		s->event = many && places.id >= 0 ? run_event(h, run, s->id) : 0;
		s->cpumode = head.misc & PERF_RECORD_MISC_CPUMODE_MASK;
		count_sample(h->recording, s, type);
		at += head.size;
		++*count;
	}
	return at;
}

static void decode_ids(struct cursor *c, struct event *ev)
{
	ev->pid = cursor_u32(c);
	ev->tid = cursor_u32(c);
}

static void decode_range(struct cursor *c, struct event_map *map)
{
	map->start = cursor_u64(c);
	map->size = cursor_u64(c);
	map->offset = cursor_u64(c);
}

static bool decode_path(struct perfdata_header *h, struct cursor *c, struct event_map *map)
{
	const char *path = cursor_string(c, cursor_left(c));

	if (!path)
		return false;
	map->path = intern_string(h->pool, path);
	if (!map->build_id_size)
		perfdata_header_build_id(h, map);
	return true;
}

static bool decode_mmap(struct perfdata_header *h, const struct perfdata_record *r,
			struct event *ev)
{
	struct cursor c = r->body;

	ev->kind = EVENT_MAP;
	ev->map = (struct event_map){ .kernel = is_kernel(r->misc) };
	decode_ids(&c, ev);
	decode_range(&c, &ev->map);
	ev->map.prot = r->misc & MISC_MMAP_DATA ? PROT_READ : PROT_EXEC;
	return decode_path(h, &c, &ev->map);
}

static void decode_build_id(struct cursor *c, struct event_map *map)
{
	struct cursor part = cursor_part(c, 24);
	const uint8_t *bytes = cursor_bytes(&part, 24);

	if (!bytes || bytes[0] > sizeof(map->build_id))
		return;
	map->build_id_size = bytes[0];
	memcpy(map->build_id, bytes + 4, map->build_id_size); /* size, three bytes reserved, id */
}

static void decode_inode(struct cursor *c, struct event_map *map)
{
	map->major = cursor_u32(c);
	map->minor = cursor_u32(c);
	map->inode = cursor_u64(c);
	cursor_skip(c, 8); /* the inode's generation */
}

static bool decode_mmap2(struct perfdata_header *h, const struct perfdata_record *r,
			 struct event *ev)
{
	struct cursor c = r->body;

	ev->kind = EVENT_MAP;
	ev->map = (struct event_map){ .kernel = is_kernel(r->misc) };
	decode_ids(&c, ev);
	decode_range(&c, &ev->map);
	if (r->misc & MISC_BUILD_ID)
		decode_build_id(&c, &ev->map);
	else
		decode_inode(&c, &ev->map);
	ev->map.prot = cursor_u32(&c);
	ev->map.shared = cursor_u32(&c) & MAP_SHARED;
	return decode_path(h, &c, &ev->map);
}

static bool decode_comm(struct perfdata_header *h, const struct perfdata_record *r,
			struct event *ev)
{
	struct cursor c = r->body;
	const char *name;

	ev->kind = EVENT_COMM;
	decode_ids(&c, ev);
	name = cursor_string(&c, cursor_left(&c));
	if (!name)
		return false;
	ev->comm.name = intern_string(h->pool, name);
	ev->comm.exec = r->misc & MISC_COMM_EXEC;
	return true;
}

/* FORK and EXIT: pid, parent's pid, tid, parent's tid, time. */
static bool decode_task(const struct perfdata_record *r, struct event *ev, enum event_kind kind)
{
	struct cursor c = r->body;
	uint64_t time;

	ev->kind = kind;
	ev->pid = cursor_u32(&c);
	ev->fork.parent_pid = cursor_u32(&c);
	ev->tid = cursor_u32(&c);
	ev->fork.parent_tid = cursor_u32(&c);
	time = cursor_u64(&c);
	if (!ev->time)
		ev->time = time;
	return !c.bad;
}

static bool decode_fork(struct perfdata_header *h, const struct perfdata_record *r,
			struct event *ev)
{
	return decode_task(r, ev, EVENT_FORK);
}

static bool decode_exit(struct perfdata_header *h, const struct perfdata_record *r,
			struct event *ev)
{
	return decode_task(r, ev, EVENT_EXIT);
}

static bool give_lost(struct perfdata_header *h, struct cursor *c, struct event *ev)
{
	ev->kind = EVENT_LOST;
	ev->lost.count = cursor_u64(c);
	if (c->bad)
		return false;
	h->recording->lost += ev->lost.count;
	return true;
}

static bool decode_lost(struct perfdata_header *h, const struct perfdata_record *r,
			struct event *ev)
{
	struct cursor c = r->body;

	cursor_skip(&c, 8); /* the event's id */
	return give_lost(h, &c, ev);
}

static bool decode_lost_samples(struct perfdata_header *h, const struct perfdata_record *r,
				struct event *ev)
{
	struct cursor c = r->body;

	return give_lost(h, &c, ev);
}

struct decoder {
	bool (*decode)(struct perfdata_header *h, const struct perfdata_record *r,
		       struct event *ev);
	bool known; /* and of no use here */
};

static const struct decoder decoders[KERNEL_TYPES] = {
	[PERF_RECORD_MMAP] = { .decode = decode_mmap },
	[PERF_RECORD_LOST] = { .decode = decode_lost },
	[PERF_RECORD_COMM] = { .decode = decode_comm },
	[PERF_RECORD_EXIT] = { .decode = decode_exit },
	[PERF_RECORD_THROTTLE] = { .known = true }, /* counted */
	[PERF_RECORD_UNTHROTTLE] = { .known = true },
	[PERF_RECORD_FORK] = { .decode = decode_fork },
	[PERF_RECORD_READ] = { .known = true },
	[PERF_RECORD_SAMPLE] = { .known = true }, /* perfdata_record_sample() */
	[PERF_RECORD_MMAP2] = { .decode = decode_mmap2 },
	[PERF_RECORD_AUX] = { .known = true },
	[PERF_RECORD_ITRACE_START] = { .known = true },
	[PERF_RECORD_LOST_SAMPLES] = { .decode = decode_lost_samples },
	[PERF_RECORD_SWITCH] = { .known = true },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { .known = true },
	[PERF_RECORD_NAMESPACES] = { .known = true },
	[PERF_RECORD_KSYMBOL] = { .known = true },
	[PERF_RECORD_BPF_EVENT] = { .known = true },
	[PERF_RECORD_CGROUP] = { .known = true },
	[PERF_RECORD_TEXT_POKE] = { .known = true },
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = { .known = true },
};

bool perfdata_record_decode(struct perfdata_header *h, const struct perfdata_record *r,
			    struct event *ev)
{
	const struct decoder *d = r->type < KERNEL_TYPES ? &decoders[r->type] : NULL;
	struct sample ids;

	if (r->type == PERF_RECORD_THROTTLE)
		h->recording->throttled++;
	if (!d || !d->decode) {
		h->recording->unknown_records += !d || !d->known;
		return false;
	}
	if (r->type == PERF_RECORD_LOST_SAMPLES && (r->misc & MISC_LOST_BY_BPF))
		return false;
	ids = (struct sample){ .pid = UINT32_MAX, .tid = UINT32_MAX };
	perfdata_record_ids(h, r, &ids);
	ev->time = ids.time;
	ev->pid = ids.pid;
	ev->tid = ids.tid;
	if (d->decode(h, r, ev))
		return true;
	h->recording->malformed_records++;
	return false;
}
