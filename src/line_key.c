// SPDX-License-Identifier: GPL-2.0-only
#include "line_key.h"

static const char physical_memory[] = "physical memory"; /* its address is what counts */

struct line_key line_key_of(const struct sample *s, const struct mapping *data, uint32_t line_size)
{
	struct line_key k = { .common = true };

	if (s->phys_addr) {
		k.memory = physical_memory;
		k.place = s->phys_addr;
	} else {
		k.memory = attrib_shared(data, s->addr, &k.place);
	}
	if (!k.memory)
		k = (struct line_key){ .memory = attrib_memory(data),
				       .place = s->addr,
				       .pid = line_is_kernel(s->addr) ? 0 : s->pid };
	k.place = line_start(k.place, line_size);
	return k;
}

bool line_key_is_physical(const struct line_key *k)
{
	return k->memory == physical_memory;
}
