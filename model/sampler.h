/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples out of the typical replay: every transfer, and of hits on contended lines one in so many.
 */
#ifndef HITMAP_SAMPLER_H
#define HITMAP_SAMPLER_H

#include "state.h"

void sampler_transfer(struct model *m, unsigned int thread, const struct record *record,
		      enum model_op op, const struct coherence_result *r);
void sampler_hit(struct model *m, unsigned int thread, const struct record *record,
		 enum model_op op, uint32_t latency);
/* At the thread's end: tells of the hits that are still counted. */
void sampler_flush(struct model *m, unsigned int thread);

#endif
