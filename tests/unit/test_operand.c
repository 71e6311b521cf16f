// SPDX-License-Identifier: GPL-2.0-only
#include "operand.h"
#include "insn.h"
#include "mem.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../programs/build_program.h"
#include "../programs/operands.h"

#define PROGRAM "tests/programs/operands.c"

#define ROW(n, parameters, code, answer) { #n, answer },
static const struct {
	const char *number, *answer;
} rows[] = { OPERANDS{ "40", "frame local/tail" } };
#undef ROW

static void spell(char text[256], const struct operand *o)
{
	switch (o->kind) {
	case OPERAND_POINTED:
		snprintf(text, 256, "%s/%s", o->member.type, o->member.path);
		break;
	case OPERAND_FRAME:
		snprintf(text, 256, "frame %s/%s", o->variable, o->member.path);
		break;
	case OPERAND_THREAD:
		snprintf(text, 256, "thread %lld", (long long)o->offset);
		break;
	case OPERAND_STACK:
		snprintf(text, 256, "stack");
		break;
	case OPERAND_UNKNOWN:
		snprintf(text, 256, "-");
		break;
	}
}

/* "command": the compiler. Fails with every instruction that is read wrongly. */
static void check_rows(const char *command)
{
	struct intern *pool = intern_new();
	struct operand_code code = { .pool = pool };
	char path[PROGRAM_PATH], symbol[32], got[256];
	uint32_t wrong = 0;

	assert_non_null(program_build(command, "operands", path));
	assert_null(symtab_open(path, pool, &code.symtab));
	code.names = code.symtab;
	code.dwarf = dwarf_open(path, NULL, pool);
	assert_non_null(code.dwarf);
	code.disassembly = disassembly_new(code.symtab);
	assert_non_null(code.disassembly);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct operand o;
		uint64_t addr;

		snprintf(symbol, sizeof(symbol), "at_%s", rows[i].number);
		addr = program_symbol(path, symbol);
		assert_int_not_equal(addr, 0);
		operand_find(&code, addr, &o);
		spell(got, &o);
		if (!strcmp(got, rows[i].answer))
			continue;
		wrong++;
		print_error("row %s: got %s, want %s\n", rows[i].number, got, rows[i].answer);
	}
	disassembly_free(code.disassembly);
	dwarf_free(code.dwarf);
	symtab_free(code.symtab);
	intern_free(pool);
	assert_int_equal(wrong, 0);
}

static void operands_are_what_was_found_by_hand(void **state)
{
	check_rows("gcc -O2 -g " PROGRAM);
}

static void position_and_format_make_no_difference(void **state)
{
	check_rows("gcc -O2 -gdwarf-4 -no-pie " PROGRAM);
}

static void the_other_compiler_agrees(void **state)
{
	if (!program_has("clang"))
		skip();
	check_rows("clang -O2 -g " PROGRAM);
}

/* ---- decoding: AArch64 words as its manual encodes them */

static const struct {
	uint32_t word;
	bool memory;
	enum insn_effect effect;
	uint8_t base, index, scale, size, to;
	int64_t displacement;
} arm[] = {
	/* ldr x0, [x1, #8]; str w2, [x3, #4]; ldr x0, [x1, x2, lsl #3] */
	{ 0xf9400420, true, INSN_LOAD, 1, INSN_NO_REGISTER, 1, 8, 0, 8 },
	{ 0xb9000462, true, INSN_OTHER, 3, INSN_NO_REGISTER, 1, 4, 2, 4 },
	{ 0xf8627820, true, INSN_LOAD, 1, 2, 8, 8, 0, 0 },
	/* ldadd x0, x1, [x2]; ldxr x0, [x1]; stlr x0, [x1]; ldrb w0, [x1, #3] */
	{ 0xf8200041, true, INSN_OTHER, 2, INSN_NO_REGISTER, 1, 8, 0, 0 },
	{ 0xc85f7c20, true, INSN_OTHER, 1, INSN_NO_REGISTER, 1, 8, 0, 0 },
	{ 0xc89ffc20, true, INSN_OTHER, 1, INSN_NO_REGISTER, 1, 8, 0, 0 },
	{ 0x39400c20, true, INSN_OTHER, 1, INSN_NO_REGISTER, 1, 1, 0, 3 },
	/* mov x0, x1; add x0, x1, #16; mrs x0, tpidr_el0; ret; b.eq +8; bl +8 */
	{ 0xaa0103e0, false, INSN_ADDRESS, 1, INSN_NO_REGISTER, 0, 0, 0, 0 },
	{ 0x91004020, false, INSN_ADDRESS, 1, INSN_NO_REGISTER, 0, 0, 0, 16 },
	{ 0xd53bd040, false, INSN_THREAD, INSN_NO_REGISTER, INSN_NO_REGISTER, 0, 0, 0, 0 },
	{ 0xd65f03c0, false, INSN_END, INSN_NO_REGISTER, INSN_NO_REGISTER, 0, 0, INSN_NO_REGISTER,
	  0 },
	{ 0x54000040, false, INSN_BRANCH, INSN_NO_REGISTER, INSN_NO_REGISTER, 0, 0,
	  INSN_NO_REGISTER, 0 },
	{ 0x94000002, false, INSN_CALL, INSN_NO_REGISTER, INSN_NO_REGISTER, 0, 0, INSN_NO_REGISTER,
	  0 },
};

static void loads_and_stores_of_aarch64_are_read(void **state)
{
	struct insn_decoder *d = insn_decoder_new(EM_AARCH64);

	assert_non_null(d);
	for (size_t i = 0; i < ARRAY_SIZE(arm); i++) {
		uint8_t code[4];
		struct insn insn;

		for (int k = 0; k < 4; k++)
			code[k] = arm[i].word >> 8 * k;
		assert_true(insn_decode(d, code, sizeof(code), 0x1000, &insn));
		if (insn.memory != arm[i].memory || insn.effect != arm[i].effect ||
		    insn.operand.base != arm[i].base || insn.operand.index != arm[i].index ||
		    insn.operand.displacement != arm[i].displacement ||
		    (arm[i].memory && insn.operand.size != arm[i].size) ||
		    (arm[i].memory && insn.operand.scale != arm[i].scale))
			fail_msg("%08x: memory %d effect %d base %u index %u scale %u size %u "
				 "displacement %lld",
				 arm[i].word, insn.memory, insn.effect, insn.operand.base,
				 insn.operand.index, insn.operand.scale, insn.operand.size,
				 (long long)insn.operand.displacement);
	}
	insn_decoder_free(d);
}

static void bytes_of_any_kind_are_decoded_without_harm(void **state)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };
	uint64_t seed = 1;

	assert_null(insn_decoder_new(EM_RISCV));
	for (size_t m = 0; m < ARRAY_SIZE(machines); m++) {
		struct insn_decoder *d = insn_decoder_new(machines[m]);

		for (int i = 0; i < 100000; i++) {
			uint8_t code[16];
			struct insn insn;

			for (size_t k = 0; k < sizeof(code); k++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				code[k] = seed >> 56;
			}
			if (insn_decode(d, code, 1 + i % 16, 0x1000, &insn)) {
				assert_in_range(insn.size, 1, 1 + i % 16);
				assert_true(!insn.memory || insn.operand.fixed ||
					    insn.operand.thread ||
					    insn.operand.base < INSN_REGISTERS ||
					    insn.operand.index < INSN_REGISTERS);
			}
		}
		insn_decoder_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_are_what_was_found_by_hand),
		cmocka_unit_test(position_and_format_make_no_difference),
		cmocka_unit_test(the_other_compiler_agrees),
		cmocka_unit_test(loads_and_stores_of_aarch64_are_read),
		cmocka_unit_test(bytes_of_any_kind_are_decoded_without_harm),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
