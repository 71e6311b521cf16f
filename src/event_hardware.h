/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events each kind of hardware needs: Intel's PEBS, AMD's IBS, Arm's SPE, Power. */
#ifndef HITMAP_EVENT_HARDWARE_H
#define HITMAP_EVENT_HARDWARE_H

#include "event_plan.h"

/* Adds the events of one PMU of the plan's set. */
struct err *event_hardware_plan(struct event_plan *p, const struct plan_request *r,
				const struct pmu *pmu);

#endif
