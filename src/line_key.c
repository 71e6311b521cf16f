// SPDX-License-Identifier: GPL-2.0-only
#include "line_key.h"

static const char physical_memory[] = "physical memory"; /* its address is what counts */

struct line_key line_key_of(uint64_t addr, uint64_t phys_addr, uint32_t pid,
			    const struct mapping *data, uint32_t line_size)
{
	struct line_key k = { .common = true };

	if (phys_addr) {
		k.memory = physical_memory;
		k.place = phys_addr;
	} else {
		k.memory = attrib_shared(data, addr, &k.place);
	}
	if (!k.memory)
		k = (struct line_key){ .memory = attrib_memory(data),
				       .place = addr,
				       .pid = line_is_kernel(addr) ? 0 : pid };
	k.place = line_start(k.place, line_size);
	return k;
}
