// SPDX-License-Identifier: GPL-2.0-only
#include "spe_trace.h"
#include "mem.h"
#include "spe_sample.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#define AUXTRACE_ARM_SPE 4 /* enum auxtrace_type of the perf tool */
#define INFO_CPUS_MAX	 65536
#define INFO_OLD_WORDS	 2 /* without a version: PMU type, whether there is a buffer each CPU */

/* time = zero + cycles * mult / 2^shift; see struct perf_event_mmap_page. */
struct clock {
	bool known, is_short;
	uint64_t shift, mult, zero, cycles, mask; /* the last two: of a counter that wraps */
};

struct spe_trace {
	struct perfdata_header *header;
	uint64_t pmu_type;
	struct clock clock;
	struct map midr_of_cpu;
	struct map pid_of_tid;
	struct map task_of_cpu; /* tid now running there, from SWITCH records */
	/* of the AUXTRACE record at hand */
	uint32_t cpu, tid, event;
	uint64_t time; /* of a sample that does not tell */
	enum spe_family family;
	/* of the piece at hand */
	struct cursor piece; /* its offset: in the CPU's buffer */
	const uint8_t *start;
	bool last;
};

struct spe_trace *spe_trace_new(struct perfdata_header *h)
{
	struct spe_trace *t = mem_zalloc(sizeof(*t));

	t->header = h;
	map_init(&t->midr_of_cpu);
	map_init(&t->pid_of_tid);
	map_init(&t->task_of_cpu);
	return t;
}

void spe_trace_free(struct spe_trace *t)
{
	if (!t)
		return;
	map_deinit(&t->midr_of_cpu);
	map_deinit(&t->pid_of_tid);
	map_deinit(&t->task_of_cpu);
	free(t);
}

bool spe_trace_is(const struct spe_trace *t)
{
	return t->header->recording->spe.recorded;
}

/* ---- What is said beside the data */

/* One CPU: a magic number, its number, how many words follow, then MIDR_EL1 and more. */
static bool read_cpu(struct spe_trace *t, struct cursor *c)
{
	uint64_t cpu, words;
	struct cursor parameters;

	cursor_skip(c, 8);
	cpu = cursor_u64(c);
	words = cursor_u64(c);
	if (c->bad || words > cursor_left(c) / 8)
		return false;
	parameters = cursor_part(c, 8 * words);
	if (words)
		*map_put(&t->midr_of_cpu, cpu, 0, NULL) = cursor_u64(&parameters);
	return true;
}

/* Since Linux 6.13: version, words of this header, PMU type, CPUs. */
static void read_cpus(struct spe_trace *t, struct cursor c)
{
	uint64_t words, count;
	struct cursor header;

	cursor_skip(&c, 8);
	words = cursor_u64(&c);
	if (words < 2 || words > cursor_left(&c) / 8)
		return;
	header = cursor_part(&c, 8 * words);
	t->pmu_type = cursor_u64(&header);
	count = cursor_u64(&header);
	for (uint64_t i = 0; i < count && i < INFO_CPUS_MAX && read_cpu(t, &c); i++)
		;
}

void spe_trace_info(struct spe_trace *t, struct cursor body)
{
	if (cursor_u32(&body) != AUXTRACE_ARM_SPE)
		return;
	cursor_skip(&body, 4);
	t->header->recording->spe.recorded = true;
	if (cursor_left(&body) <= 8 * INFO_OLD_WORDS)
		t->pmu_type = cursor_u64(&body);
	else
		read_cpus(t, body);
}

void spe_trace_clock(struct spe_trace *t, struct cursor body)
{
	struct clock *k = &t->clock;
	const uint8_t *flags;

	k->shift = cursor_u64(&body);
	k->mult = cursor_u64(&body);
	k->zero = cursor_u64(&body);
	k->known = !body.bad && k->shift < 64 && k->mult;
	k->cycles = cursor_u64(&body);
	k->mask = cursor_u64(&body);
	flags = cursor_bytes(&body, 2);
	k->is_short = flags && flags[1];
}

static uint64_t time_of(const struct clock *k, uint64_t cycles)
{
	uint64_t whole, rest;

	if (!k->known)
		return 0;
	if (k->is_short)
		cycles = k->cycles + ((cycles - k->cycles) & k->mask);
	whole = cycles >> k->shift;
	rest = cycles & ((1ULL << k->shift) - 1);
	return k->zero + whole * k->mult + (uint64_t)((__uint128_t)rest * k->mult >> k->shift);
}

static uint64_t midr_of(const struct spe_trace *t, uint32_t cpu)
{
	const uint64_t *own = map_get(&t->midr_of_cpu, cpu);
	const char *cpuid = t->header->recording->cpuid;

	if (own)
		return *own;
	return cpuid ? strtoull(cpuid, NULL, 16) : 0;
}

/* ---- The data */

static uint32_t find_event(const struct spe_trace *t)
{
	const struct recording *r = t->header->recording;

	for (uint32_t i = 0; i < r->event_count; i++)
		if (r->events[i].type == t->pmu_type)
			return i;
	return SAMPLE_NO_EVENT;
}

void spe_trace_begin(struct spe_trace *t, struct cursor body, uint64_t time)
{
	cursor_skip(&body, 8); /* size */
	t->piece = cursor_of(NULL, 0, cursor_u64(&body));
	cursor_skip(&body, 8 + 4); /* reference, index of the buffer */
	t->tid = cursor_u32(&body);
	t->cpu = cursor_u32(&body);
	if (body.bad)
		t->tid = t->cpu = UINT32_MAX;
	t->event = find_event(t);
	t->time = time;
	t->family = spe_family_of(midr_of(t, t->cpu));
}

void spe_trace_piece(struct spe_trace *t, const uint8_t *bytes, size_t size, bool last)
{
	t->piece = cursor_of(bytes, size, t->piece.offset);
	t->start = bytes;
	t->last = last;
}

size_t spe_trace_used(const struct spe_trace *t)
{
	return t->piece.at - t->start;
}

static void make_sample(const struct spe_trace *t, const struct spe_record *r, struct sample *s)
{
	spe_sample_of(r, t->family, s);
	if (r->has & SPE_HAS_TIME)
		s->time = time_of(&t->clock, r->time);
	if (!s->time)
		s->time = t->time;
	s->tid = r->has & SPE_HAS_CONTEXT ? r->context : t->tid;
	s->cpu = t->cpu;
	s->event = t->event;
	perfdata_record_count(t->header->recording, s, 0);
}

/* Steps over what is no record; false when the piece holds no more. */
static bool next_record(struct spe_trace *t, struct spe_record *r)
{
	struct recording_spe *counts = &t->header->recording->spe;

	for (spe_padding_skip(&t->piece); cursor_left(&t->piece); spe_padding_skip(&t->piece)) {
		const uint8_t *before = t->piece.at;
		enum spe_outcome outcome = spe_record_read(&t->piece, r);

		if (outcome == SPE_OK)
			return true;
		if (outcome == SPE_NOTHING)
			continue;
		if (outcome == SPE_SHORT && !t->last)
			return false;
		if (outcome == SPE_SHORT)
			cursor_skip(&t->piece, cursor_left(&t->piece));
		if (outcome == SPE_DAMAGED)
			spe_record_resync(&t->piece);
		counts->lost_bytes += t->piece.at - before;
	}
	return false;
}

size_t spe_trace_samples(struct spe_trace *t, struct sample *to, size_t room)
{
	struct spe_record r;
	size_t count = 0;

	while (count < room && next_record(t, &r)) {
		make_sample(t, &r, &to[count++]);
		t->header->recording->spe.unknown += r.unknown;
	}
	t->header->recording->spe.records += count;
	return count;
}

/* ---- In order of time */

static void name_one(const struct spe_trace *t, struct sample *s)
{
	const uint64_t *running, *pid;

	if (s->tid == UINT32_MAX) {
		running = map_get(&t->task_of_cpu, s->cpu);
		s->tid = running ? *running : UINT32_MAX;
	}
	pid = map_get(&t->pid_of_tid, s->tid);
	s->pid = pid ? *pid : s->tid; /* a thread that nothing names is a process of its own */
}

void spe_trace_name(const struct spe_trace *t, struct sample *samples, size_t count)
{
	if (!spe_trace_is(t))
		return;
	for (size_t i = 0; i < count; i++)
		if (samples[i].pid == UINT32_MAX)
			name_one(t, &samples[i]);
}

static void note_aux(struct spe_trace *t, const struct perfdata_record *r)
{
	struct recording_spe *counts = &t->header->recording->spe;
	struct cursor body = r->body;
	uint64_t flags;

	cursor_skip(&body, 16); /* where in the buffer, how much */
	flags = cursor_u64(&body);
	counts->collisions += !!(flags & PERF_AUX_FLAG_COLLISION);
	counts->truncated += !!(flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL));
}

/* Only SWITCH_CPU_WIDE says who comes when another goes. */
static void note_switch(struct spe_trace *t, const struct perfdata_record *r)
{
	bool out = r->misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct cursor body = r->body;
	struct sample ids;
	uint32_t tid;

	if (!perfdata_record_ids(t->header, r, &ids) || ids.cpu == SAMPLE_NO_CPU)
		return;
	tid = ids.tid;
	if (out) {
		cursor_skip(&body, 4);
		tid = r->type == PERF_RECORD_SWITCH_CPU_WIDE ? cursor_u32(&body) : UINT32_MAX;
	}
	*map_put(&t->task_of_cpu, ids.cpu, 0, NULL) = tid;
}

void spe_trace_note(struct spe_trace *t, const struct perfdata_record *r, const struct event *ev)
{
	if (r->type == PERF_RECORD_AUX)
		note_aux(t, r);
	else if (r->type == PERF_RECORD_SWITCH || r->type == PERF_RECORD_SWITCH_CPU_WIDE)
		note_switch(t, r);
	else if (ev && (ev->kind == EVENT_COMM || ev->kind == EVENT_FORK))
		*map_put(&t->pid_of_tid, ev->tid, 0, NULL) = ev->pid;
}
