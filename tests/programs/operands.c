// SPDX-License-Identifier: GPL-2.0-only
/* The instructions of operands.h, each in a function of its own. */
#include "operands.h"

struct ring fixed_ring, *the_ring = &fixed_ring;

#define ROW(n, parameters, code, answer)                                                           \
	__attribute__((noinline, noipa)) void f##n parameters                                      \
	{                                                                                          \
		__asm__ volatile(code ::: "rax", "rcx", "rdx", "memory");                          \
	}
OPERANDS

/* What is in the function's own frame. */
__attribute__((noinline, noipa)) long frame(long i)
{
	struct ring local = { .head = i };

	__asm__ volatile("at_40: incq %0" : "+m"(local.tail));
	return local.tail + local.head;
}

int main(void)
{
	return 0;
}
