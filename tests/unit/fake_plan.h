/* SPDX-License-Identifier: GPL-2.0-only */
/* Event plans of the machines in tests/fixtures/sysfs. */
#ifndef HITMAP_FAKE_PLAN_H
#define HITMAP_FAKE_PLAN_H

#include "event_plan.h"
#include "fake_machine.h"

#define BASE                                                                                       \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |                  \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC)
#define OLD   (BASE | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_ID)
#define NEW   (BASE | PERF_SAMPLE_WEIGHT_STRUCT)
#define MIXED (NEW | PERF_SAMPLE_IDENTIFIER)
#define CPU   PERF_SAMPLE_CPU
#define PHYS  PERF_SAMPLE_PHYS_ADDR

#define SPE_TYPE                                                                                   \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_DATA_SRC | CPU |        \
	 PERF_SAMPLE_IDENTIFIER)

/* As perf mem record asks, whose recordings are the evidence: no physical addresses, no CPU. */
static const struct plan_request plain = { .frequency = 4000 };

static inline struct event_plan plan_of(const struct machine *m, const struct plan_request *r)
{
	struct event_plan p;
	struct err *e = event_plan_make(m->root, r, &p);

	if (e)
		fail_msg("no plan: %s", err_text(e));
	return p;
}

static inline bool has_note(const struct event_plan *p, const char *part)
{
	for (size_t i = 0; i < p->notes; i++)
		if (strstr(p->note[i], part))
			return true;
	return false;
}

static inline void expect_note(const struct event_plan *p, const char *part)
{
	if (has_note(p, part))
		return;
	for (size_t i = 0; i < p->notes; i++)
		print_message("note: %s\n", p->note[i]);
	fail_msg("no note says \"%s\"", part);
}

static inline void expect_refusal(const struct machine *m, const struct plan_request *r,
				  enum err_status status, const char *text)
{
	struct event_plan p;
	struct err *e = event_plan_make(m->root, r, &p);

	assert_non_null(e);
	assert_string_equal(err_text(e), text);
	assert_int_equal(err_status(e), status);
	assert_non_null(err_advice(e));
	err_free(e);
}

#endif
