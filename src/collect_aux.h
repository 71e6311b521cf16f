/* SPDX-License-Identifier: GPL-2.0-only */
/* AUX rings: packets that a PMU writes by itself (Arm SPE), beside the ring of an event's records.
 */
#ifndef HITMAP_COLLECT_AUX_H
#define HITMAP_COLLECT_AUX_H

#include "c2c_collect.h"

struct aux_ring {
	struct perf_event_mmap_page *page; /* with the records' ring, which is libperf's to read */
	size_t page_bytes;
	const uint8_t *bytes;
	size_t size; /* a power of two */
	uint32_t cpu, ring;
};

struct collect_aux {
	struct aux_ring *ring;
	size_t count, room;
};

/* Maps the AUX ring of an event whose ring of "pages" is mapped. 0 or an errno value. */
int collect_aux_add(struct collect_aux *a, int fd, uint32_t cpu, uint32_t ring, uint32_t pages,
		    uint64_t bytes);
void collect_aux_close(struct collect_aux *a);
struct err *collect_aux_drain(struct collect_aux *a, const struct collect_taker *taker);

#endif
