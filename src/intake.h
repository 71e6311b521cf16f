/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples on their way into the cells: what each means, where it lies, which cell is its own. */
#ifndef HITMAP_INTAKE_H
#define HITMAP_INTAKE_H

#include "callers.h"
#include "cell_store.h"

struct intake;

struct intake *intake_new(struct attrib *attrib, struct cell_store *cells, struct callers *callers);
void intake_free(struct intake *in);

/* Of samples whose step is known. */
void intake_samples(struct intake *in, const struct sample *samples, uint32_t count);
/* What is mapped has changed since the last sample. */
void intake_maps_changed(struct intake *in);

/* Samples that are in no cell. */
struct intake_refused {
	uint64_t no_source, no_address; /* no memory samples; memory samples without an address */
};
struct intake_refused intake_refused(const struct intake *in);
bool intake_stores_cost(const struct intake *in); /* a store had a latency */

#endif
