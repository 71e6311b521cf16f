/* SPDX-License-Identifier: GPL-2.0-only */
/* A source that gives an array of events, and short ways to write samples. */
#ifndef FAKE_SOURCE_H
#define FAKE_SOURCE_H

#include "data_source.h"
#include "mem.h"
#include "source.h"

#include <linux/perf_event.h>
#include <stdlib.h>

struct fake_source {
	struct source source;
	struct event *events;
	uint32_t count, room, at;
	struct err *error; /* given at the end instead of it */
};

static struct err *fake_next(struct source *s, struct event *ev, bool *end)
{
	struct fake_source *f = (struct fake_source *)s;

	*end = f->at == f->count;
	if (*end)
		return f->error;
	*ev = f->events[f->at++];
	return NULL;
}

static void fake_close(struct source *s)
{
	free(((struct fake_source *)s)->events);
}

static const struct source_ops FAKE_SOURCE = { .name = "fake",
					       .next = fake_next,
					       .close = fake_close };

static inline void fake_init(struct fake_source *f)
{
	*f = (struct fake_source){ .source.ops = &FAKE_SOURCE };
}

static inline struct event *fake_event(struct fake_source *f, enum event_kind kind)
{
	mem_grow(&f->events, &f->room, f->count);
	f->events[f->count] = (struct event){ .kind = kind };
	return &f->events[f->count++];
}

static inline void fake_map(struct fake_source *f, uint32_t pid, uint64_t start, uint64_t size)
{
	struct event *ev = fake_event(f, EVENT_MAP);

	ev->pid = pid;
	ev->map.start = start;
	ev->map.size = size;
}

/* "times" samples of one instruction. */
struct touch {
	uint32_t pid, tid, cpu;
	uint64_t ip, addr, weight;
	struct data_source data;
	uint64_t period; /* 0: 1 */
	uint64_t time;	 /* ns; 0: not recorded */
	uint32_t times;	 /* 0: 1 */
};

static inline void fake_touch(struct fake_source *f, struct touch t)
{
	for (uint32_t i = 0; i < (t.times ? t.times : 1); i++) {
		struct sample *s = &fake_event(f, EVENT_SAMPLE)->sample;

		*s = (struct sample){
			.pid = t.pid,
			.tid = t.tid,
			.cpu = t.cpu,
			.ip = t.ip,
			.addr = t.addr,
			.weight = t.weight,
			.period = t.period ? t.period : 1,
			.data_src = data_source_encode(&t.data),
			.time = t.time,
			.cpumode = PERF_RECORD_MISC_USER,
		};
	}
}

#define FAKE_TOUCH(source, pid_, tid_, cpu_, ip_, addr_, weight_, data_, ...)                      \
	fake_touch(source, (struct touch){ .pid = (pid_),                                          \
					   .tid = (tid_),                                          \
					   .cpu = (cpu_),                                          \
					   .ip = (ip_),                                            \
					   .addr = (addr_),                                        \
					   .weight = (weight_),                                    \
					   .data = (data_),                                        \
					   ##__VA_ARGS__ })

#define LOAD_L1	 ((struct data_source){ .kind = MEMORY_LOAD, .level = LEVEL_L1 })
#define STORE_L1 ((struct data_source){ .kind = MEMORY_STORE, .level = LEVEL_L1 })
#define LOAD_HITM(d)                                                                               \
	((struct data_source){                                                                     \
		.kind = MEMORY_LOAD, .level = LEVEL_CACHE, .distance = (d), .hitm = true })

#endif
