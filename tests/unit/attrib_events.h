/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording tells attribution, for tests of it. */
#ifndef ATTRIB_EVENTS_H
#define ATTRIB_EVENTS_H

#include "attrib.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#define USER PERF_RECORD_MISC_USER

static inline struct event map_event(struct intern *pool, uint32_t pid, uint64_t start,
				     uint64_t size, uint64_t offset, uint32_t prot,
				     const char *path)
{
	return (struct event){ .kind = EVENT_MAP,
			       .pid = pid,
			       .tid = pid,
			       .time = 1000,
			       .map = { .start = start,
					.size = size,
					.offset = offset,
					.prot = prot,
					.path = intern_string(pool, path) } };
}

static inline void add_map(struct attrib *a, struct intern *pool, uint32_t pid, uint64_t start,
			   uint64_t size, const char *path)
{
	struct event ev = map_event(pool, pid, start, size, 0, PROT_READ, path);

	attrib_event(a, &ev);
}

static inline void note_object(struct attrib *a, uint32_t pid, uint64_t addr, uint64_t size,
			       const char *type, const char *name)
{
	struct event ev = { .kind = EVENT_NOTE, .pid = pid, .tid = pid, .time = 1000 };

	ev.note.kind = NOTE_OBJECT;
	ev.note.object = (struct note_object){
		.pid = pid, .addr = addr, .size = size, .type = type, .name = name
	};
	attrib_event(a, &ev);
}

/* The name of what lies at "addr" now: "-" for nothing. */
static inline const char *object_at(struct attrib *a, uint32_t pid, uint64_t addr)
{
	struct data_place place;
	const struct mapping *m = attrib_mapping(a, pid, USER, addr);

	return m && attrib_data(a, m, pid, addr, &place) ? place.object : "-";
}

#define WITH_ATTRIB                                                                                \
	struct intern *pool = intern_new();                                                        \
	struct attrib *a = attrib_new(pool)
#define DONE                                                                                       \
	attrib_free(a);                                                                            \
	intern_free(pool)

#endif
