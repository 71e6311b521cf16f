/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a plan one by one: their perf_event_attr, name and CPUs. */
#ifndef HITMAP_EVENT_ATTR_H
#define HITMAP_EVENT_ATTR_H

#include "event_plan.h"

/* Adds an event; "name" becomes its own, "pmu" is NULL for a software event. Good until the next
 * one is added. */
struct plan_event *event_attr_add(struct event_plan *p, const struct plan_request *r,
				  enum plan_role role, const struct pmu *pmu, char *name);
void event_attr_drop_last(struct event_plan *p);

/* An error when this build's perf_event_attr has no place for it. */
struct err *event_attr_config(struct plan_event *e, const struct pmu_config *c);
/* Sets fields of the event's PMU: an earlier value goes. */
struct err *event_attr_set(struct plan_event *e, const char *terms);
/* A term that was added shows in the name as perf writes it: between the slashes. */
void event_attr_name(struct plan_event *e, const char *term);

/* The CPUs of a PMU that are online. */
struct cpulist event_attr_cpus(const struct event_plan *p, const struct pmu *pmu);

#endif
