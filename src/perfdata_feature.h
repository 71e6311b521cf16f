/* SPDX-License-Identifier: GPL-2.0-only */
/* The features of a recording, by their number (HEADER_... in tools/perf/util/header.h). */
#ifndef HITMAP_PERFDATA_FEATURE_H
#define HITMAP_PERFDATA_FEATURE_H

#include "perfdata_header.h"

#define PERFDATA_CPUS_MAX 65536 /* CPU numbers above are not believed */

bool perfdata_feature_known(uint64_t feature);

/* Puts what "body" says into the recording; a feature that is damaged changes nothing. */
void perfdata_feature_read(struct perfdata_header *h, uint64_t feature, struct cursor body);

#endif
