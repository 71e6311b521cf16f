/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a perf.data file that perf c2c, script, report and mem read. Records go out as they come;
 * the features are written by perfdata_finish(), and a file cut off before that still holds its
 * records (the header's data size is kept up to date at every perfdata_sync()).
 */
#ifndef HITMAP_PERFDATA_WRITE_H
#define HITMAP_PERFDATA_WRITE_H

#include "err.h"
#include "perfdata_describe.h"
#include "source.h"

struct perfdata_writer;

/* Two events: memory loads and memory stores, named as given. */
struct err *perfdata_create(const char *path, const char *loads_name, const char *stores_name,
			    const struct perfdata_features *features, struct perfdata_writer **w);

/* One event as a record. Of a sample: ip, pid, tid, time, addr, cpu, period, weight, data_src and
 * event (0 loads, 1 stores) are kept. */
struct err *perfdata_write(struct perfdata_writer *w, const struct event *ev);

/* Says which build of the mapped file "path" was recorded; once each file. */
struct err *perfdata_build_id(struct perfdata_writer *w, const char *path, const uint8_t *id,
			      uint8_t size);

/*
 * Promises that no event written from now on is earlier than "low" (ns). Readers sort by time only
 * as far back as FINISHED_ROUND records let them; one is written whenever the promise allows it. An
 * event that breaks the promise is moved up in time to where readers still accept it.
 */
struct err *perfdata_round(struct perfdata_writer *w, uint64_t low);
struct err *perfdata_sync(struct perfdata_writer *w);
/* Writes header and features, closes, frees. "*bytes": what the file then holds. */
struct err *perfdata_finish(struct perfdata_writer *w, uint64_t *bytes);
uint64_t perfdata_bytes(const struct perfdata_writer *w); /* so far */

#endif
