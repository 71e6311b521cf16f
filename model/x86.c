// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opcode classes after the Intel SDM, volume 2, appendix A, for 64-bit mode:
 *	m  operand given by a ModRM byte	v  the same, of an SSE or AVX instruction
 *	i  implied memory operand		r  string instruction
 *	e  ends QEMU's translation block	x  needs a closer look
 *	.  no memory
 */
#include "x86.h"

static const char one_byte[] = "mmmm....mmmm...x"  /* 00 */
			       "mmmm....mmmm...."  /* 10 */
			       "mmmm....mmmm...."  /* 20 */
			       "mmmm....mmmm...."  /* 30 */
			       "................"  /* 40: REX, taken as a prefix */
			       "iiiiiiiiiiiiiiii"  /* 50: push, pop */
			       "...m....imimeeee"  /* 60 */
			       "eeeeeeeeeeeeeeee"  /* 70: jcc */
			       "mmmmmmmmmmmmm.em"  /* 80: 8d is lea, 8e loads a segment */
			       "............ie.."  /* 90: pushf, popf */
			       "iiiirrrr..rrrrrr"  /* a0 */
			       "................"  /* b0 */
			       "mmeexxmmiieeee.e"  /* c0: ret, VEX, enter, leave, int, iret */
			       "mmmm...immmmmmmm"  /* d0: xlat, x87 */
			       "eeeeeeeeee.eeeee"  /* e0: loop, in, out, call, jmp */
			       ".e..e.mm..ee..mx"; /* f0 */

static const char two_byte[] =
	"eeee.eeeee.e...."  /* 00: 0d prefetchw */
	"vvvvvvvv........"  /* 10: 18-1f prefetch and hints */
	"eeee....vvvvvvvv"  /* 20 */
	"eeeeee..x.x....."  /* 30: 38, 3a open two more maps */
	"mmmmmmmmmmmmmmmm"  /* 40: cmov */
	"vvvvvvvvvvvvvvvv"  /* 50 */
	"vvvvvvvvvvvvvvvv"  /* 60 */
	"vvvvvvv.vvvvvvvv"  /* 70 */
	"eeeeeeeeeeeeeeee"  /* 80: jcc */
	"mmmmmmmmmmmmmmmm"  /* 90: setcc */
	"ieemmm..ieemmmem"  /* a0: push fs, pop fs, cpuid; ae fences, fxsave */
	"mm.m..mmm.mmmmmm"  /* b0 */
	"mmvmmmvm........"  /* c0 */
	"vvvvvvvvvvvvvvvv"  /* d0 */
	"vvvvvvvvvvvvvvvv"  /* e0 */
	"vvvvvvvvvvvvvvv."; /* f0 */

struct prefixes {
	bool lock, repeat;
};

static bool is_prefix(uint8_t byte)
{
	static const uint8_t legacy[] = { 0xf0, 0xf2, 0xf3, 0x66, 0x67, 0x2e,
					  0x36, 0x3e, 0x26, 0x64, 0x65 };

	for (size_t i = 0; i < sizeof(legacy); i++)
		if (byte == legacy[i])
			return true;
	return (byte & 0xf0) == 0x40;
}

static const uint8_t *skip_prefixes(const uint8_t *p, const uint8_t *end, struct prefixes *seen)
{
	for (; p < end && is_prefix(*p); p++) {
		seen->lock |= *p == 0xf0;
		seen->repeat |= *p == 0xf2 || *p == 0xf3;
	}
	return p;
}

static bool names_memory(const uint8_t *modrm, const uint8_t *end)
{
	return modrm < end && (*modrm >> 6) != 3;
}

static uint8_t extension(const uint8_t *modrm, const uint8_t *end)
{
	return modrm < end ? *modrm >> 3 & 7 : 0;
}

static void take_class(char class, const uint8_t *modrm, const uint8_t *end,
		       const struct prefixes *pre, struct x86_insn *insn)
{
	insn->vector = class == 'v';
	insn->memory = class == 'i' || class == 'r' ||
		       ((class == 'm' || class == 'v') && names_memory(modrm, end));
	insn->ends_block = class == 'e' || (class == 'r' && pre->repeat);
}

/* ff: inc, dec and push go on; call and jmp end the block and read their target from memory. */
static void take_group5(const uint8_t *modrm, const uint8_t *end, struct x86_insn *insn)
{
	uint8_t op = extension(modrm, end);

	insn->memory = op == 6 || names_memory(modrm, end);
	insn->ends_block = op >= 2 && op <= 5;
}

/* Block-ending instructions that nevertheless have an operand in memory. */
static bool end_has_memory(uint8_t op)
{
	static const uint8_t ops[] = { 0x8e, 0x9d, 0xc2, 0xc3, 0xca, 0xcb,
				       0xcf, 0xe8, 0x6c, 0x6d, 0x6e, 0x6f };

	for (size_t i = 0; i < sizeof(ops); i++)
		if (op == ops[i])
			return true;
	return false;
}

static void take_vex(const uint8_t *op, const uint8_t *end, struct x86_insn *insn)
{
	const uint8_t *code = op + (*op == 0xc5 ? 2 : 3);
	bool map_one = *op == 0xc5 || (op + 1 < end && (op[1] & 0x1f) == 1);

	if (code + 1 >= end || (map_one && *code == 0x77))
		return;
	insn->vector = true;
	insn->memory = names_memory(code + 1, end);
}

static bool two_byte_locks(const uint8_t *op, const uint8_t *end)
{
	return op[1] == 0xb0 || op[1] == 0xb1 || op[1] == 0xab ||
	       (op[1] == 0xba && extension(op + 2, end) == 5);
}

static void take_two_byte(const uint8_t *op, const uint8_t *end, const struct prefixes *pre,
			  struct x86_insn *insn)
{
	char class = two_byte[op[1]];

	if (class == 'x') {
		insn->vector = true;
		insn->memory = names_memory(op + 3, end);
		return;
	}
	take_class(class, op + 2, end, pre, insn);
	if (op[1] == 0xae || op[1] == 0xc7)
		insn->memory = names_memory(op + 2, end);
	if (!pre->lock || !insn->memory)
		return;
	insn->locked = true;
	insn->may_lock = two_byte_locks(op, end);
	insn->fetch_add = op[1] == 0xc0 || op[1] == 0xc1;
}

static void take_one_byte(const uint8_t *op, const uint8_t *end, const struct prefixes *pre,
			  struct x86_insn *insn)
{
	if (*op == 0xff)
		take_group5(op + 1, end, insn);
	else
		take_class(one_byte[*op], op + 1, end, pre, insn);
	insn->memory |= end_has_memory(*op);
	insn->may_lock = (*op == 0x86 || *op == 0x87) && insn->memory;
	insn->locked = insn->may_lock || (pre->lock && insn->memory);
}

void x86_decode(const uint8_t *bytes, size_t size, struct x86_insn *insn)
{
	const uint8_t *end = bytes + size;
	struct prefixes pre = { 0 };
	const uint8_t *op = skip_prefixes(bytes, end, &pre);

	*insn = (struct x86_insn){ 0 };
	if (op >= end)
		return;
	if (*op == 0xc4 || *op == 0xc5)
		take_vex(op, end, insn);
	else if (*op != 0x0f)
		take_one_byte(op, end, &pre, insn);
	else if (op + 1 < end)
		take_two_byte(op, end, &pre, insn);
}
