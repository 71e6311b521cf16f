// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "x86.h"

#include <stdio.h>

enum { MEM = 1, LOCKED = 2, MAY_LOCK = 4, FETCH_ADD = 8, VECTOR = 16, ENDS = 32 };

struct code {
	const char *text;
	uint8_t size;
	uint8_t bytes[12];
	int want;
};

/* Bytes as GNU as 2.40 assembles the text. */
static const struct code codes[] = {
	{ "mov (%rdi),%rax", 3, { 0x48, 0x8b, 0x07 }, MEM },
	{ "mov %rax,(%rdi)", 3, { 0x48, 0x89, 0x07 }, MEM },
	{ "mov %rdi,%rax", 3, { 0x48, 0x89, 0xf8 }, 0 },
	{ "lea 8(%rdi),%rax", 4, { 0x48, 0x8d, 0x47, 0x08 }, 0 },
	{ "addq $1,(%rdi)", 4, { 0x48, 0x83, 0x07, 0x01 }, MEM },
	{ "lock addq $1,(%rdi)", 5, { 0xf0, 0x48, 0x83, 0x07, 0x01 }, MEM | LOCKED },
	{ "lock xadd %eax,(%rdi)", 4, { 0xf0, 0x0f, 0xc1, 0x07 }, MEM | LOCKED | FETCH_ADD },
	{ "xadd %eax,(%rdi)", 3, { 0x0f, 0xc1, 0x07 }, MEM },
	{ "xchg %eax,(%rdi)", 2, { 0x87, 0x07 }, MEM | LOCKED | MAY_LOCK },
	{ "xchg %ax,%bx", 3, { 0x66, 0x87, 0xc3 }, 0 },
	{ "lock cmpxchg %ecx,(%rdi)", 4, { 0xf0, 0x0f, 0xb1, 0x0f }, MEM | LOCKED | MAY_LOCK },
	{ "lock cmpxchg16b (%rdi)", 5, { 0xf0, 0x48, 0x0f, 0xc7, 0x0f }, MEM | LOCKED },
	{ "lock btsl $3,(%rdi)", 5, { 0xf0, 0x0f, 0xba, 0x2f, 0x03 }, MEM | LOCKED | MAY_LOCK },
	{ "lock btrl $3,(%rdi)", 5, { 0xf0, 0x0f, 0xba, 0x37, 0x03 }, MEM | LOCKED },
	{ "lock decl (%rdi)", 3, { 0xf0, 0xff, 0x0f }, MEM | LOCKED },
	{ "push %rbp", 1, { 0x55 }, MEM },
	{ "push (%rdi)", 2, { 0xff, 0x37 }, MEM },
	{ "call *(%rdi)", 2, { 0xff, 0x17 }, MEM | ENDS },
	{ "jmp *%rax", 2, { 0xff, 0xe0 }, ENDS },
	{ "call", 5, { 0xe8, 0, 0, 0, 0 }, MEM | ENDS },
	{ "ret", 1, { 0xc3 }, MEM | ENDS },
	{ "jne", 2, { 0x75, 0xfe }, ENDS },
	{ "jne, long", 6, { 0x0f, 0x85, 0, 0, 0, 0 }, ENDS },
	{ "syscall", 2, { 0x0f, 0x05 }, ENDS },
	{ "nopw 0(%rax,%rax)", 6, { 0x66, 0x0f, 0x1f, 0x44, 0, 0 }, 0 },
	{ "endbr64", 4, { 0xf3, 0x0f, 0x1e, 0xfa }, 0 },
	{ "prefetcht0 (%rdi)", 3, { 0x0f, 0x18, 0x0f }, 0 },
	{ "mfence", 3, { 0x0f, 0xae, 0xf0 }, ENDS },
	{ "movups (%rdi),%xmm0", 3, { 0x0f, 0x10, 0x07 }, MEM | VECTOR },
	{ "movaps %xmm1,%xmm0", 3, { 0x0f, 0x28, 0xc1 }, VECTOR },
	{ "vmovdqu (%rdi),%ymm0", 4, { 0xc5, 0xfe, 0x6f, 0x07 }, MEM | VECTOR },
	{ "vpaddd (%r8),%ymm1,%ymm0", 5, { 0xc4, 0xc1, 0x75, 0xfe, 0x00 }, MEM | VECTOR },
	{ "vzeroupper", 3, { 0xc5, 0xf8, 0x77 }, 0 },
	{ "pshufb (%rdi),%xmm0", 5, { 0x66, 0x0f, 0x38, 0x00, 0x07 }, MEM | VECTOR },
	{ "rep movsb", 2, { 0xf3, 0xa4 }, MEM | ENDS },
	{ "stosq", 2, { 0x48, 0xab }, MEM },
	{ "mov %fs:0x28,%rax", 9, { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0 }, MEM },
	{ "movzbl (%rdi),%eax", 3, { 0x0f, 0xb6, 0x07 }, MEM },
	{ "sete (%rdi)", 3, { 0x0f, 0x94, 0x07 }, MEM },
	{ "imul $3,(%rdi),%eax", 3, { 0x6b, 0x07, 0x03 }, MEM },
	{ "test $1,%al", 2, { 0xa8, 0x01 }, 0 },
	{ "mov $1,%eax", 5, { 0xb8, 1, 0, 0, 0 }, 0 },
	{ "pause", 2, { 0xf3, 0x90 }, 0 },
};

static int flags(const struct x86_insn *i)
{
	return (i->memory ? MEM : 0) | (i->locked ? LOCKED : 0) | (i->may_lock ? MAY_LOCK : 0) |
	       (i->fetch_add ? FETCH_ADD : 0) | (i->vector ? VECTOR : 0) |
	       (i->ends_block ? ENDS : 0);
}

static void instructions_are_told_apart(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct x86_insn insn;

		x86_decode(codes[i].bytes, codes[i].size, &insn);
		if (flags(&insn) == codes[i].want)
			continue;
		wrong++;
		print_error("%s: flags %#x, want %#x\n", codes[i].text, flags(&insn), codes[i].want);
	}
	assert_int_equal(wrong, 0);
}

/* Every cut of every instruction, in memory that ends where the bytes do. */
static void cut_instructions_are_read_within_bounds(void **state)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		for (size_t size = 0; size < codes[i].size; size++) {
			uint8_t *bytes = test_malloc(size ? size : 1);
			struct x86_insn insn;

			for (size_t b = 0; b < size; b++)
				bytes[b] = codes[i].bytes[b];
			x86_decode(bytes, size, &insn);
			if (!size)
				assert_int_equal(flags(&insn), 0);
			test_free(bytes);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_told_apart),
		cmocka_unit_test(cut_instructions_are_read_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
