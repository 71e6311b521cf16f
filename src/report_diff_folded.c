// SPDX-License-Identifier: GPL-2.0-only
/* The diff as folded stacks with two counts, as differential flame graphs read them: HITM (or
 * peers) as sampled, before and after. */
#include "folded.h"
#include "report_diff.h"

#include <inttypes.h>

static uint64_t hits(const struct diff *d, const struct counts *c)
{
	return d->peers ? c->peer : counts_hitm(c);
}

void report_diff_folded(FILE *out, const struct diff *d, const struct report_options *options)
{
	for (uint32_t i = 0; i < d->object_count; i++)
		for (uint32_t k = 0; k < d->objects[i].field_count; k++) {
			const struct diff_row *row = &d->objects[i].fields[k].row;
			uint64_t before = hits(d, &row->counts[0]),
				 after = hits(d, &row->counts[1]);

			if (!before && !after)
				continue;
			folded_frame(out, d->objects[i].row.name, 0);
			folded_frame(out, row->name, 1);
			fprintf(out, " %" PRIu64 " %" PRIu64 "\n", before, after);
		}
}
