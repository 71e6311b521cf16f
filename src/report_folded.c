// SPDX-License-Identifier: GPL-2.0-only
/* The report as folded stacks: object;field;function;its caller;..., by sampled cycles, or by HITM
 * without these. */
#include "folded.h"
#include "report.h"
#include "report_view.h"

#include <inttypes.h>

/* "stack": callers, or NULL. */
static void put_stack(FILE *out, const struct view *v, const struct view_line *l,
		      const struct view_cell *c, const struct view_code *code,
		      const struct view_stack *stack, uint64_t weight)
{
	if (!weight)
		return;
	folded_frame(out, l->name, 0);
	folded_frame(out, c->name ? c->name : intern_printf(v->pool, "+%u", c->offset), 1);
	folded_frame(out, code->name ? code->name : intern_printf(v->pool, "0x%" PRIx64, code->ip),
		     2);
	for (uint32_t i = 0; stack && i < stack->names; i++)
		folded_frame(out, stack->name[i], 3 + i);
	fprintf(out, " %" PRIu64 "\n", weight);
}

static uint64_t weight_of(const struct view *v, const struct counts *c)
{
	return v->profile->total.latency_samples ? c->latency_sum : counts_hitm(c);
}

/* What came by none of the callers that are kept ends with the function. */
static void put_code(FILE *out, const struct view *v, const struct view_line *l,
		     const struct view_cell *c, const struct view_code *code)
{
	uint64_t rest = weight_of(v, &code->counts);

	for (uint32_t i = 0; i < code->callers.count; i++) {
		const struct view_stack *stack = &code->callers.stack[i];
		uint64_t weight = weight_of(v, &stack->counts);

		put_stack(out, v, l, c, code, stack, weight);
		rest -= weight < rest ? weight : rest;
	}
	put_stack(out, v, l, c, code, NULL, rest);
}

void report_folded(FILE *out, const struct recording *recording, const struct profile *profile,
		   struct attrib *attrib, const struct report_options *options)
{
	struct view view;

	view_init(&view, recording, profile, attrib, options);
	for (uint32_t i = 0; i < view.line_count; i++)
		for (uint32_t k = 0; k < view.lines[i].cell_count; k++) {
			const struct view_cell *c = &view.lines[i].cells[k];

			for (uint32_t n = 0; n < c->code_count; n++)
				put_code(out, &view, &view.lines[i], c, &c->codes[n]);
		}
	view_deinit(&view);
}
