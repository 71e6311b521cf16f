// SPDX-License-Identifier: GPL-2.0-only
#include "sampler.h"

static void sample_give(struct model *m, unsigned int thread, struct model_sample *s)
{
	struct replay *r = &m->replay[MODEL_HOLD_TYPICAL];
	uint32_t life = r->thread[thread].life;

	if (!m->sink.sample)
		return;
	s->tid = m->life[life].total.tid;
	s->cpu = r->coherence.thread[thread].cpu;
	m->sink.sample(m->sink.context, s);
}

void sampler_transfer(struct model *m, unsigned int thread, const struct record *record,
		      enum model_op op, const struct coherence_result *r)
{
	struct model_sample s = {
		.cycles = r->completed,
		.ip = record->site->ip,
		.addr = m->shadow.line[record->line].addr + record->offset,
		.period = 1,
		.latency = (uint32_t)(r->completed - r->issued),
		.size = record->size,
		.op = (uint8_t)op,
		.outcome = (uint8_t)r->outcome,
		.distance = (uint8_t)r->distance,
	};

	sample_give(m, thread, &s);
}

static void cell_give(struct model *m, unsigned int thread, struct hit_cell *c)
{
	struct model_sample s = {
		.cycles = m->replay[MODEL_HOLD_TYPICAL].coherence.thread[thread].clock,
		.ip = c->site->ip,
		.addr = m->shadow.line[c->line].addr + c->offset,
		.period = c->count,
		.latency = c->latency,
		.size = c->size,
		.op = c->op,
		.outcome = MODEL_HIT,
	};

	c->count = 0;
	sample_give(m, thread, &s);
}

static struct hit_cell *cell_find(struct model *m, unsigned int thread, const struct record *r,
				  enum model_op op)
{
	uint64_t h = ((uintptr_t)r->site >> 3 ^ (uint64_t)r->line << 20 ^ (uint64_t)r->offset << 8 ^
		      (uint64_t)op) *
		     0x9e3779b97f4a7c15ULL;

	return &m->cell[thread][h >> 32 & (HIT_CELLS - 1)];
}

static bool cell_is(const struct hit_cell *c, const struct record *r, enum model_op op)
{
	return c->site == r->site && c->line == r->line && c->offset == r->offset && c->op == op;
}

/*
 * Whoever had the cell before has its rest told. The first hit of a cell is told at once. All at
 * the thread's present time: its samples are in order.
 */
void sampler_hit(struct model *m, unsigned int thread, const struct record *record,
		 enum model_op op, uint32_t latency)
{
	struct hit_cell *c = cell_find(m, thread, record, op);
	bool fresh = !cell_is(c, record, op);

	if (!m->config.hit_period)
		return;
	if (fresh) {
		if (c->count)
			cell_give(m, thread, c);
		*c = (struct hit_cell){ .site = record->site,
					.line = record->line,
					.offset = record->offset,
					.op = (uint8_t)op };
	}
	c->size = record->size;
	c->latency = latency;
	if (++c->count == m->config.hit_period || fresh)
		cell_give(m, thread, c);
}

void sampler_flush(struct model *m, unsigned int thread)
{
	for (unsigned int i = 0; i < HIT_CELLS; i++) {
		struct hit_cell *c = &m->cell[thread][i];

		if (c->count)
			cell_give(m, thread, c);
		c->site = NULL;
	}
}
