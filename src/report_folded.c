// SPDX-License-Identifier: GPL-2.0-only
/* The report as folded stacks: object;field;function, by sampled cycles, or by HITM without these.
 */
#include "folded.h"
#include "report.h"
#include "report_view.h"

#include <inttypes.h>

static void put_code(FILE *out, const struct view *v, const struct view_line *l,
		     const struct view_cell *c, const struct view_code *code)
{
	uint64_t weight = v->profile->total.latency_samples ? code->counts.latency_sum
							    : counts_hitm(&code->counts);

	if (!weight)
		return;
	folded_frame(out, l->name, 0);
	folded_frame(out, c->name ? c->name : intern_printf(v->pool, "+%u", c->offset), 1);
	folded_frame(out, code->name ? code->name : intern_printf(v->pool, "0x%" PRIx64, code->ip),
		     2);
	fprintf(out, " %" PRIu64 "\n", weight);
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
