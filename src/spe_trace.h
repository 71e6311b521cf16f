/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arm SPE in a recording: the data behind PERF_RECORD_AUXTRACE becomes samples. Also what is said
 * of that data beside it: whose it is (AUXTRACE_INFO), its clock (TIME_CONV), what was lost (AUX),
 * whose time it was (context packets; where there are none, SWITCH). Layouts:
 * tools/lib/perf/include/perf/event.h, tools/perf/util/arm-spe.h of Linux 6.1 to 6.18.
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
 * "time": of the newest sample or record before, which samples get that do not tell theirs. */
#define SPE_TRACE_PIECE 32768
void spe_trace_begin(struct spe_trace *t, struct cursor body, uint64_t time);
void spe_trace_piece(struct spe_trace *t, const uint8_t *bytes, size_t size, bool last);
/* The next samples of a piece, up to "room". With 0, spe_trace_used() bytes of it are done with:
 * all of the last one, of others all but the beginning of a record. */
size_t spe_trace_samples(struct spe_trace *t, struct sample *to, size_t room);
size_t spe_trace_used(const struct spe_trace *t);

/* In order of time: other records, some of which tell whose the samples behind them are ("ev": of
 * that record, NULL when it is none), and the samples, which get their thread and process. */
void spe_trace_note(struct spe_trace *t, const struct perfdata_record *r, const struct event *ev);
void spe_trace_name(const struct spe_trace *t, struct sample *samples, size_t count);

#endif
