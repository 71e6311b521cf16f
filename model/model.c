// SPDX-License-Identifier: GPL-2.0-only
/* The model as a whole: made, finished, forgotten. */
#include "replay.h"
#include "stream.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define POOL_BYTES (1ULL << 33) /* of records: 170 million */

static void model_free(struct model *m)
{
	int why = errno;

	shadow_deinit(&m->shadow);
	ring_pool_deinit(&m->pool, POOL_BYTES);
	munmap(m, sizeof(*m));
	errno = why;
}

struct model *model_new(const struct model_config *config, const struct model_sink *sink)
{
	struct model *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (m == MAP_FAILED)
		return NULL;
	m->config = *config;
	if (sink)
		m->sink = *sink;
	m->lives = 1;
	topology_init(&m->topology, &m->config.machine);
	if (!shadow_init(&m->shadow, &m->topology) || !ring_pool_init(&m->pool, POOL_BYTES)) {
		model_free(m);
		return NULL;
	}
	for (unsigned int h = 0; h < MODEL_HOLDS; h++)
		replay_init(&m->replay[h], m, h);
	return m;
}

/* Threads that did not end are ended where they are. They may still run, and append no more. */
static void model_stop(struct model *m)
{
	for (unsigned int i = 0; i < m->slots; i++)
		if (m->thread[i].alive)
			stream_stop(&m->thread[i]);
}

static void model_drain(struct model *m)
{
	bool forced;

	do {
		stream_replay(m);
		forced = false;
		for (int h = 0; h < MODEL_HOLDS; h++)
			forced |= replay_force(&m->replay[h]);
	} while (forced);
}

static void line_give(const struct model *m, const struct line *l,
		      void (*give)(void *context, const struct model_line_total *l), void *context)
{
	struct model_line_total t = { .addr = l->addr, .accesses = l->accesses };

	for (int h = 0; h < MODEL_HOLDS; h++) {
		memcpy(t.hitm[h], l->replay[h].hitm, sizeof(t.hitm[h]));
		t.transfers[h] = l->replay[h].transfers;
		t.cycles[h] = l->replay[h].cycles;
	}
	if (l->sync) {
		t.acquisitions = m->shadow.sync[l->sync].acquisitions;
		t.releases = m->shadow.sync[l->sync].releases;
	}
	give(context, &t);
}

static void total_give(const struct model *m, struct model_total *total)
{
	*total = m->total;
	total->lines = m->shadow.lines - 1;
	for (int h = 0; h < MODEL_HOLDS; h++) {
		total->cycles[h] = m->replay[h].latest;
		total->hitm[h] = m->replay[h].hitm;
		total->transfers[h] = m->replay[h].transfers;
	}
	total->records = m->replay[MODEL_HOLD_TYPICAL].consumed;
}

void model_finish(struct model *m, void (*line)(void *context, const struct model_line_total *l),
		  void *context, struct model_total *total)
{
	bool running;

	gate_lock(&m->gate);
	__atomic_store_n(&m->closed, true, __ATOMIC_RELEASE);
	running = m->alive != 0;
	model_stop(m);
	model_drain(m);
	for (uint32_t i = 1; line && i < m->shadow.lines; i++)
		line_give(m, &m->shadow.line[i], line, context);
	if (total)
		total_give(m, total);
	gate_unlock(&m->gate);
	if (!running)
		model_free(m);
}

void model_forget(struct model *m)
{
	model_free(m);
}
