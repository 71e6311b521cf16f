/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arm SPE in a recording: the data behind PERF_RECORD_AUXTRACE becomes records that wait for their
 * turn like those of the kernel and then are samples. Also what is said of that data beside it:
 * whose it is (AUXTRACE_INFO), its clock (TIME_CONV), what was lost (AUX), whose time it was
 * (context packets; where there are none, SWITCH). Layouts: tools/lib/perf/include/perf/event.h,
 * tools/perf/util/arm-spe.h of Linux 6.1 to 6.18.
 */
#ifndef HITMAP_SPE_TRACE_H
#define HITMAP_SPE_TRACE_H

#include "perfdata_record.h"

struct spe_trace;

struct spe_trace *spe_trace_new(struct perfdata_header *h);
void spe_trace_free(struct spe_trace *t);

/* Bodies of PERF_RECORD_AUXTRACE_INFO and _TIME_CONV. */
void spe_trace_info(struct spe_trace *t, struct cursor body);
void spe_trace_clock(struct spe_trace *t, struct cursor body);
bool spe_trace_is(const struct spe_trace *t); /* whether the recording's trace is of SPE */

/* PERF_RECORD_AUXTRACE: its body, then its data in pieces of SPE_TRACE_PIECE bytes or what is left.
 * A piece must stay until spe_trace_read(), an input's feed, has given 0. Then spe_trace_used()
 * bytes of it are done with: all of the last one, of others all but the beginning of a record. */
#define SPE_TRACE_PIECE 32768
void spe_trace_begin(struct spe_trace *t, struct cursor body);
void spe_trace_piece(struct spe_trace *t, const uint8_t *bytes, size_t size, bool last);
size_t spe_trace_read(void *t, uint8_t *to, size_t room);
size_t spe_trace_used(const struct spe_trace *t);

/* What spe_trace_read() gives: records of this type and size, the time being 0 when not known. */
#define SPE_TRACE_TYPE 1000 /* of no record of the kernel or the perf tool */
#define SPE_TRACE_SIZE 64
uint64_t spe_trace_time(const uint8_t *bytes);

/* In order of time: such a record as an event, and other records that decide about those behind
 * them. "ev": of that record, NULL when it is none. */
void spe_trace_sample(struct spe_trace *t, const struct perfdata_record *r, struct event *ev);
void spe_trace_note(struct spe_trace *t, const struct perfdata_record *r, const struct event *ev);

#endif
