// SPDX-License-Identifier: GPL-2.0-only
#include "sample.h"

#include <linux/perf_event.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif
/* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8: one more word for each branch, after all of them. */
#define BRANCH_COUNTERS	  (1ULL << 19)
#define BRANCH_ENTRY_SIZE 24 /* struct perf_branch_entry */

/* The ids that other records end with, one word each. */
#define TRAILER_BITS                                                                               \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

#define PAGE_BITS (PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

static const struct sample not_recorded = {
	.period = 1,
	.pid = UINT32_MAX,
	.tid = UINT32_MAX,
	.cpu = SAMPLE_NO_CPU,
	.event = SAMPLE_NO_EVENT,
};

static void skip_words(struct cursor *c, uint64_t count, size_t size)
{
	if (count > cursor_left(c) / size)
		c->bad = true;
	else
		cursor_skip(c, count * size);
}

static void decode_tid(struct cursor *c, struct sample *s)
{
	s->pid = cursor_u32(c);
	s->tid = cursor_u32(c);
}

static void decode_cpu(struct cursor *c, struct sample *s)
{
	s->cpu = cursor_u32(c);
	cursor_skip(c, 4);
}

/* What is at a fixed place; all of it before anything of variable size. */
static void decode_fixed(struct cursor *c, uint64_t type, struct sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = cursor_u64(c);
	if (type & PERF_SAMPLE_IP)
		s->ip = cursor_u64(c);
	if (type & PERF_SAMPLE_TID)
		decode_tid(c, s);
	if (type & PERF_SAMPLE_TIME)
		s->time = cursor_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = cursor_u64(c);
	if (type & PERF_SAMPLE_ID)
		s->id = cursor_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_skip(c, 8);
	if (type & PERF_SAMPLE_CPU)
		decode_cpu(c, s);
	if (type & PERF_SAMPLE_PERIOD)
		s->period = cursor_u64(c);
}

static void skip_read(struct cursor *c, uint64_t format)
{
	uint64_t times = __builtin_popcountll(
		format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint64_t words = 1 + __builtin_popcountll(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	uint64_t values = format & PERF_FORMAT_GROUP ? cursor_u64(c) : 1;

	skip_words(c, times, 8);
	skip_words(c, values, 8 * words);
}

static void skip_branches(struct cursor *c, uint64_t branch_type)
{
	uint64_t count = cursor_u64(c);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor_skip(c, 8);
	skip_words(c, count, BRANCH_ENTRY_SIZE);
	if (branch_type & BRANCH_COUNTERS)
		skip_words(c, count, 8);
}

/* Registers are left out when the ABI says there were none (a kernel thread). */
static void skip_registers(struct cursor *c, uint64_t mask)
{
	if (cursor_u64(c) != PERF_SAMPLE_REGS_ABI_NONE)
		skip_words(c, __builtin_popcountll(mask), 8);
}

static void skip_stack(struct cursor *c)
{
	uint64_t size = cursor_u64(c);

	if (!size)
		return;
	cursor_skip(c, size);
	cursor_skip(c, 8); /* how much of it is in use */
}

static void skip_to_chain(struct cursor *c, const struct sample_layout *layout)
{
	if (layout->sample_type & PERF_SAMPLE_READ)
		skip_read(c, layout->read_format);
}

static void skip_to_raw(struct cursor *c, const struct sample_layout *layout)
{
	skip_to_chain(c, layout);
	if (layout->sample_type & PERF_SAMPLE_CALLCHAIN)
		skip_words(c, cursor_u64(c), 8);
}

static void skip_variable(struct cursor *c, const struct sample_layout *layout)
{
	uint64_t type = layout->sample_type;

	skip_to_raw(c, layout);
	if (type & PERF_SAMPLE_RAW)
		cursor_skip(c, cursor_u32(c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(c, layout->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		skip_registers(c, layout->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_stack(c);
}

static void decode_memory(struct cursor *c, const struct sample_layout *layout, struct sample *s)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_WEIGHT)
		s->weight = cursor_u64(c);
	else if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		s->weight = (uint32_t)cursor_u64(c); /* var1_dw, the low half as a value */
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = cursor_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		cursor_skip(c, 8);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_registers(c, layout->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = cursor_u64(c);
	if (type & PAGE_BITS)
		skip_words(c, __builtin_popcountll(type & PAGE_BITS), 8);
	if (type & PERF_SAMPLE_AUX)
		cursor_skip(c, cursor_u64(c));
}

bool sample_decode(struct cursor body, const struct sample_layout *layout, struct sample *s)
{
	*s = not_recorded;
	decode_fixed(&body, layout->sample_type, s);
	skip_variable(&body, layout);
	decode_memory(&body, layout, s);
	return !body.bad;
}

struct cursor sample_chain(struct cursor body, const struct sample_layout *layout)
{
	struct sample s;
	uint64_t words;

	if (!(layout->sample_type & PERF_SAMPLE_CALLCHAIN))
		body.bad = true;
	decode_fixed(&body, layout->sample_type, &s);
	skip_to_chain(&body, layout);
	words = cursor_u64(&body);
	if (words > cursor_left(&body) / 8)
		body.bad = true;
	return cursor_part(&body, body.bad ? 0 : words * 8);
}

struct cursor sample_raw(struct cursor body, const struct sample_layout *layout)
{
	struct sample s;

	if (!(layout->sample_type & PERF_SAMPLE_RAW))
		body.bad = true;
	decode_fixed(&body, layout->sample_type, &s);
	skip_to_raw(&body, layout);
	return cursor_part(&body, cursor_u32(&body));
}

/* ---- Samples without anything of variable size */

#define VARIABLE_BITS                                                                              \
	(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |   \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX)

bool sample_places_of(const struct sample_layout *layout, struct sample_places *places)
{
	/* In the order of the record: include/uapi/linux/perf_event.h. */
	const struct {
		uint64_t bits;
		int16_t *place; /* NULL: of no use here */
	} words[] = {
		{ PERF_SAMPLE_IDENTIFIER, &places->id },
		{ PERF_SAMPLE_IP, &places->ip },
		{ PERF_SAMPLE_TID, &places->tid },
		{ PERF_SAMPLE_TIME, &places->time },
		{ PERF_SAMPLE_ADDR, &places->addr },
		{ PERF_SAMPLE_ID, &places->id },
		{ PERF_SAMPLE_STREAM_ID, NULL },
		{ PERF_SAMPLE_CPU, &places->cpu },
		{ PERF_SAMPLE_PERIOD, &places->period },
		{ PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, &places->weight },
		{ PERF_SAMPLE_DATA_SRC, &places->data_src },
		{ PERF_SAMPLE_TRANSACTION, NULL },
		{ PERF_SAMPLE_PHYS_ADDR, &places->phys_addr },
		{ PERF_SAMPLE_CGROUP, NULL },
		{ PERF_SAMPLE_DATA_PAGE_SIZE, NULL },
		{ PERF_SAMPLE_CODE_PAGE_SIZE, NULL },
	};

	*places = (struct sample_places){ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, false };
	if (layout->sample_type & VARIABLE_BITS)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!(layout->sample_type & words[i].bits))
			continue;
		if (words[i].place)
			*words[i].place = (int16_t)places->size;
		places->size += 8;
	}
	places->weight_half = !(layout->sample_type & PERF_SAMPLE_WEIGHT);
	return true;
}

static inline uint64_t word_at(const uint8_t *body, int16_t place, uint64_t absent)
{
	if (place >= 0)
		memcpy(&absent, body + place, sizeof(absent));
	return absent;
}

static inline uint32_t half_at(const uint8_t *body, int place, uint32_t absent)
{
	if (place >= 0)
		memcpy(&absent, body + place, sizeof(absent));
	return absent;
}

void sample_decode_places(const uint8_t *body, const struct sample_places *p, struct sample *s)
{
	s->ip = word_at(body, p->ip, 0);
	s->addr = word_at(body, p->addr, 0);
	s->time = word_at(body, p->time, 0);
	s->id = word_at(body, p->id, 0);
	s->period = word_at(body, p->period, 1);
	s->weight = word_at(body, p->weight, 0);
	if (p->weight_half)
		s->weight = (uint32_t)s->weight;
	s->data_src = word_at(body, p->data_src, 0);
	s->phys_addr = word_at(body, p->phys_addr, 0);
	s->pid = half_at(body, p->tid, UINT32_MAX);
	s->tid = half_at(body, p->tid < 0 ? -1 : p->tid + 4, UINT32_MAX);
	s->cpu = half_at(body, p->cpu, SAMPLE_NO_CPU);
	s->event = SAMPLE_NO_EVENT;
	s->chain = 0;
	s->cpumode = 0;
}

bool sample_decode_trailer(struct cursor body, const struct sample_layout *layout, struct sample *s)
{
	uint64_t type = layout->sample_type & TRAILER_BITS;
	size_t size = 8 * __builtin_popcountll(type);

	*s = not_recorded;
	if (!layout->id_all || size > cursor_left(&body))
		return false;
	cursor_skip(&body, cursor_left(&body) - size);
	if (type & PERF_SAMPLE_TID)
		decode_tid(&body, s);
	if (type & PERF_SAMPLE_TIME)
		s->time = cursor_u64(&body);
	if (type & PERF_SAMPLE_ID)
		s->id = cursor_u64(&body);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_skip(&body, 8);
	if (type & PERF_SAMPLE_CPU)
		decode_cpu(&body, s);
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = cursor_u64(&body);
	return !body.bad;
}

int sample_id_place(const struct sample_layout *layout)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return 8 * __builtin_popcountll(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
}

int sample_time_place(const struct sample_layout *layout)
{
	uint64_t type = layout->sample_type;

	if (!(type & PERF_SAMPLE_TIME))
		return -1;
	return 8 * __builtin_popcountll(
			   type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID));
}

int sample_trailer_id_place(const struct sample_layout *layout)
{
	uint64_t type = layout->sample_type;

	if (!layout->id_all)
		return -1;
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return 8 + 8 * __builtin_popcountll(type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}
