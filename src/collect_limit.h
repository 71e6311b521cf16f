/* SPDX-License-Identifier: GPL-2.0-only */
/* The limits on descriptors and on locked memory that rings run into, computed and named. */
#ifndef HITMAP_COLLECT_LIMIT_H
#define HITMAP_COLLECT_LIMIT_H

#include "c2c_collect.h"

/* Raises the limit on open files as far as it goes without privilege. */
void collect_limit_raise_files(void);

/* Pages of a ring, a power of two, that fit into what this user may lock with a ring on each CPU.
 */
uint32_t collect_limit_pages(const struct event_plan *plan, const struct collect_target *target);

/* The largest power of two that is no larger than "pages"; 1 for 0. */
uint32_t collect_limit_power(uint64_t pages);

struct err *collect_limit_ring_refused(uint32_t rings, uint32_t pages, int error);
struct err *collect_limit_files_refused(const struct event_plan *plan,
					const struct collect_target *target, int error);

#endif
