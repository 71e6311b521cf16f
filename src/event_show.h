/* SPDX-License-Identifier: GPL-2.0-only */
/* A plan of events as text for people, at most 100 columns wide. */
#ifndef HITMAP_EVENT_SHOW_H
#define HITMAP_EVENT_SHOW_H

#include "event_plan.h"

#include <stdio.h>

/* "detail": each event's perf_event_attr field by field, and what is given up when it is refused.
 */
void event_show_plan(const struct event_plan *p, bool detail, FILE *out);
/* Why there is no plan. */
void event_show_refusal(const struct err *e, FILE *out);

#endif
