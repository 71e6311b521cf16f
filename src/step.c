// SPDX-License-Identifier: GPL-2.0-only
#include "step.h"
#include "map.h"

uint8_t step_of(const struct data_source *d)
{
	bool store = d->kind == MEMORY_STORE;

	if (d->kind == MEMORY_NONE)
		return STEP_NONE;
	return (uint8_t)((store ? STEP_STORE : STEP_LOAD) |
			 (d->hitm ? STEP_HITM << d->distance : 0) |
			 (store && d->miss ? STEP_STORE_MISS : 0) | (d->peer ? STEP_PEER : 0) |
			 (d->locked ? STEP_LOCKED : 0));
}

static void decode(struct steps *seen, uint32_t at, uint64_t word)
{
	struct data_source d = data_source_decode(word);

	seen->word[at] = word;
	seen->step[at] = step_of(&d);
}

void steps_look(struct steps *seen, struct sample *samples, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = map_hash(samples[i].data_src) % STEPS_SEEN;

		if (seen->word[at] != samples[i].data_src)
			decode(seen, at, samples[i].data_src);
		samples[i].step = seen->step[at];
	}
}
