// SPDX-License-Identifier: GPL-2.0-only
#include "touched.h"
#include "line_key.h"
#include "mem.h"

struct touched *touched_collect(const struct cell_store *s, uint32_t *count)
{
	struct touched *all = NULL;
	uint32_t room = 0;

	*count = 0;
	for (uint32_t i = 0; i < cell_store_count(s); i++) {
		struct cell_key key = cell_key(s, i);

		if (!line_is_kernel(key.ip) || line_is_kernel(key.addr))
			continue;
		mem_grow(&all, &room, *count);
		all[(*count)++] = (struct touched){
			.addr = key.addr,
			.ip = key.ip,
			.data = key.data,
			.code = key.code,
			.pid = key.pid,
			.samples = cell_add_up(s, &i, 1).counts.samples,
		};
	}
	return all;
}
