/* SPDX-License-Identifier: GPL-2.0-only */
/* What a front door must know of an x86-64 instruction: whether it touches memory, and how. */
#ifndef HITMAP_X86_H
#define HITMAP_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct x86_insn {
	bool memory; /* has a memory operand, explicit or implied; hints and prefetches do not count
		      */
	bool locked; /* an atomic read-modify-write of memory */
	bool may_lock;	/* xchg, cmpxchg, bts: an atomic that can take a lock */
	bool fetch_add; /* lock xadd */
	bool vector;	/* operand of up to 64 bytes, which QEMU reports in parts of 8 */
	bool ends_block;
};

/* Bytes that are no instruction give one without memory. */
void x86_decode(const uint8_t *bytes, size_t size, struct x86_insn *insn);

#endif
