/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sysfs does not say about a processor and a plan of events must know, as rows of one table.
 */
#ifndef HITMAP_EVENT_QUIRK_H
#define HITMAP_EVENT_QUIRK_H

#include "host.h"

#include <stddef.h>

#define QUIRK_HITM 2

/* An event that counts nothing but loads of lines that another core had modified. */
struct quirk_hitm {
	const char *name, *terms; /* NULL: no more */
};

struct event_quirk {
	const char *core;
	enum host_vendor vendor;
	uint32_t family, first, last; /* models, inclusive */
	const char *note;	      /* what to expect of the samples; NULL: nothing special */
	struct quirk_hitm hitm[QUIRK_HITM];
};

/* The row of the machine's processor; NULL when it has none. */
const struct event_quirk *event_quirk(const struct host *h);

#endif
