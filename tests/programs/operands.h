/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions and what their operand is, by hand: ROW(NUMBER, PARAMETERS, CODE, ANSWER). The
 * instruction in question is the one behind the label. Parameters arrive in rdi, rsi, rdx.
 * ANSWER: TYPE/FIELD of what a pointer points to; "frame NAME/FIELD"; "thread OFFSET"; "stack"; "-".
 */
#define AT(n) "at_" #n ": "

#define OPERANDS                                                                                   \
	ROW(1, (struct ring *r), AT(1) "movq 8(%%rdi), %%rax", "struct ring/tail")                 \
	ROW(2, (struct ring *r), AT(2) "movq (%%rdi), %%rax", "struct ring/head")                  \
	ROW(3, (struct ring *r), AT(3) "lock addq $1, 8(%%rdi)", "struct ring/tail")               \
	ROW(4, (struct ring *r), AT(4) "movl %%eax, 44(%%rdi)", "struct ring/slot[2].hits")        \
	ROW(5, (struct ring *r, long i), AT(5) "movl 28(%%rdi,%%rsi,8), %%eax",                    \
	    "struct ring/slot[].hits")                                                             \
	ROW(6, (struct ring *r), "movq 16(%%rdi), %%rax\n" AT(6) "movq 8(%%rax), %%rcx",           \
	    "struct ring/tail")                                                                    \
	ROW(7, (struct ring *r), "leaq 24(%%rdi), %%rax\n" AT(7) "movl 4(%%rax), %%ecx",           \
	    "struct ring/slot[0].hits")                                                            \
	ROW(8, (struct ring *r), "movq %%rdi, %%rax\n" AT(8) "xchgq %%rcx, (%%rax)",               \
	    "struct ring/head")                                                                    \
	ROW(9, (struct ring *r), "movq %%rdi, %%rax\naddq $8, %%rax\n" AT(9) "incq (%%rax)",       \
	    "struct ring/tail")                                                                    \
	ROW(10, (struct ring *r), "movq 16(%%rdi), %%rax\nmovq 16(%%rax), %%rax\n" AT(             \
				      10) "lock incq (%%rax)",                                     \
	    "struct ring/head")                                                                    \
	ROW(11, (struct slot *s, long i), AT(11) "movl 4(%%rdi,%%rsi,8), %%eax",                   \
	    "struct slot/hits")                                                                    \
	ROW(12, (long *p), AT(12) "movq (%%rdi), %%rax", "long/*p")                                \
	ROW(13, (long *p, long i), AT(13) "movq (%%rdi,%%rsi,8), %%rax", "long/p[]")               \
	ROW(14, (char *p), AT(14) "movq (%%rdi), %%rax", "-")                                      \
	ROW(15, (void *p), AT(15) "movq (%%rdi), %%rax", "-")                                      \
	ROW(16, (struct ring *r), AT(16) "movq 4096(%%rdi), %%rax", "-")                           \
	ROW(17, (struct ring *r), AT(17) "movq -8(%%rdi), %%rax", "-")                             \
	ROW(18, (struct ring *r), AT(18) "leaq 8(%%rdi), %%rax", "-")                              \
	ROW(19, (struct ring *r), AT(19) "prefetcht0 8(%%rdi)", "-")                               \
	ROW(20, (struct ring *r), AT(20) "movq %%fs:16, %%rax", "thread 16")                       \
	ROW(21, (struct ring *r), "movq %%fs:0, %%rax\n" AT(21) "movq -32(%%rax), %%rcx",          \
	    "thread -32")                                                                          \
	ROW(22, (struct ring *r), "movq the_ring(%%rip), %%rax\n" AT(22) "movq 8(%%rax), %%rcx",   \
	    "struct ring/tail")                                                                    \
	ROW(23, (struct ring *r), "leaq fixed_ring(%%rip), %%rax\n" AT(23) "incl 36(%%rax)",       \
	    "struct ring/slot[1].hits")                                                            \
	ROW(24, (struct ring *r), "xorl %%eax, %%eax\n" AT(24) "movq 8(%%rax), %%rcx", "-")        \
	ROW(25, (struct ring *r),                                                                  \
	    "movq 16(%%rdi), %%rax\ntestl %%esi, %%esi\nje 1f\nmovl $1, %%ecx\n1: " AT(            \
		    25) "movq 8(%%rax), %%rdx",                                                    \
	    "struct ring/tail")                                                                    \
	ROW(26, (struct ring *r),                                                                  \
	    "movq 16(%%rdi), %%rax\ntestl %%esi, %%esi\nje 1f\nleaq 24(%%rdi), %%rax\n1: " AT(     \
		    26) "movl (%%rax), %%edx",                                                     \
	    "-")                                                                                   \
	ROW(27, (struct ring *r),                                                                  \
	    "movq 16(%%rdi), %%rax\n1: addl $1, %%ecx\n" AT(                                       \
		    27) "lock incq 8(%%rax)\ncmpl $9, %%ecx\njne 1b",                              \
	    "struct ring/tail")                                                                    \
	ROW(28, (struct ring *r),                                                                  \
	    "leaq 24(%%rdi), %%rax\n1: " AT(                                                       \
		    28) "incl 4(%%rax)\naddq $8, %%rax\ncmpl $9, %%ecx\njne 1b",                   \
	    "-")                                                                                   \
	ROW(29, (struct ring *r), AT(29) "pushq %%rdi\npopq %%rdi", "stack")                       \
	ROW(30, (struct ring *r, struct slot *s), AT(30) "cmpxchgl %%ecx, 4(%%rsi)",               \
	    "struct slot/hits")                                                                    \
	ROW(31, (struct node *n), "movq (%%rdi), %%rax\n" AT(31) "movl 12(%%rax), %%ecx",          \
	    "struct node/u.b[0]")                                                                  \
	ROW(32, (struct ring *r, long i),                                                          \
	    "leaq (,%%rsi,8), %%rdx\nmovq %%rdi, %%rax\naddq %%rdx, %%rax\n" AT(                   \
		    32) "incl 28(%%rax)",                                                          \
	    "struct ring/slot[].hits")

struct slot {
	int id, hits;
};

struct ring {
	long head, tail;
	struct ring *next;
	struct slot slot[3];
};

struct node {
	struct node *next;
	int n;
	union {
		int b[2];
		char c[8];
	} u;
};
