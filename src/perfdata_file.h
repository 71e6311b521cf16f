/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A perf.data in the making, as a file or, for the path "-", as the form for pipes on standard
 * output: events and features around records that others make. A file cut off before it is finished
 * still holds its records: the header's data size is kept up to date at every perfdata_file_sync().
 */
#ifndef HITMAP_PERFDATA_FILE_H
#define HITMAP_PERFDATA_FILE_H

#include "err.h"
#include "perfdata_describe.h"

struct perfdata_file;

/* As perf does: an older recording of this name is kept once, as "path.old". */
void perfdata_file_keep_old(const char *path);
/* The events' names and ids must live until the end. */
struct err *perfdata_file_create(const char *path, const struct perfdata_event *event,
				 uint32_t events, const struct perfdata_features *features,
				 struct perfdata_file **f);
/* Whole records, or the data that follows one of AUXTRACE. */
struct err *perfdata_file_put(struct perfdata_file *f, const void *bytes, size_t size);
struct err *perfdata_file_round(struct perfdata_file *f); /* PERF_RECORD_FINISHED_ROUND */
void perfdata_file_sample_time(struct perfdata_file *f, uint64_t time);
struct err *perfdata_file_build_id(struct perfdata_file *f, const char *path, const uint8_t *id,
				   uint8_t size, bool kernel);
struct err *perfdata_file_sync(struct perfdata_file *f);
uint64_t perfdata_file_bytes(const struct perfdata_file *f); /* so far */
/* Writes header and features, closes, frees. "*bytes": what the file then holds. */
struct err *perfdata_file_finish(struct perfdata_file *f, uint64_t *bytes);

#endif
