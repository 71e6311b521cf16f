// SPDX-License-Identifier: GPL-2.0-only
#include "insn.h"
#include "mem.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct insn_machine {
	uint16_t elf;
	cs_arch arch;
	cs_mode mode;
	uint8_t stack;
	uint32_t call_changes;
	uint8_t (*number)(unsigned int name); /* DWARF's of capstone's register */
	void (*read)(const cs_insn *from, struct insn *insn);
};

struct insn_decoder {
	const struct insn_machine *machine;
	csh handle;
	cs_insn *insn;
};

static const struct insn_operand no_operand = {
	.base = INSN_NO_REGISTER,
	.index = INSN_NO_REGISTER,
};

/* ---- x86-64 */

/* DWARF numbers by name, 1 more; 0: no general register. Of a part of one PART is added. */
#define PART 64
static const uint8_t x86_numbers[X86_REG_ENDING] = {
	[X86_REG_RAX] = 1,	    [X86_REG_EAX] = 1 + PART,	[X86_REG_AX] = 1 + PART,
	[X86_REG_AL] = 1 + PART,    [X86_REG_AH] = 1 + PART,	[X86_REG_RDX] = 2,
	[X86_REG_EDX] = 2 + PART,   [X86_REG_DX] = 2 + PART,	[X86_REG_DL] = 2 + PART,
	[X86_REG_DH] = 2 + PART,    [X86_REG_RCX] = 3,		[X86_REG_ECX] = 3 + PART,
	[X86_REG_CX] = 3 + PART,    [X86_REG_CL] = 3 + PART,	[X86_REG_CH] = 3 + PART,
	[X86_REG_RBX] = 4,	    [X86_REG_EBX] = 4 + PART,	[X86_REG_BX] = 4 + PART,
	[X86_REG_BL] = 4 + PART,    [X86_REG_BH] = 4 + PART,	[X86_REG_RSI] = 5,
	[X86_REG_ESI] = 5 + PART,   [X86_REG_SI] = 5 + PART,	[X86_REG_SIL] = 5 + PART,
	[X86_REG_RDI] = 6,	    [X86_REG_EDI] = 6 + PART,	[X86_REG_DI] = 6 + PART,
	[X86_REG_DIL] = 6 + PART,   [X86_REG_RBP] = 7,		[X86_REG_EBP] = 7 + PART,
	[X86_REG_BP] = 7 + PART,    [X86_REG_BPL] = 7 + PART,	[X86_REG_RSP] = 8,
	[X86_REG_ESP] = 8 + PART,   [X86_REG_SP] = 8 + PART,	[X86_REG_SPL] = 8 + PART,
	[X86_REG_R8] = 9,	    [X86_REG_R8D] = 9 + PART,	[X86_REG_R8W] = 9 + PART,
	[X86_REG_R8B] = 9 + PART,   [X86_REG_R9] = 10,		[X86_REG_R9D] = 10 + PART,
	[X86_REG_R9W] = 10 + PART,  [X86_REG_R9B] = 10 + PART,	[X86_REG_R10] = 11,
	[X86_REG_R10D] = 11 + PART, [X86_REG_R10W] = 11 + PART, [X86_REG_R10B] = 11 + PART,
	[X86_REG_R11] = 12,	    [X86_REG_R11D] = 12 + PART, [X86_REG_R11W] = 12 + PART,
	[X86_REG_R11B] = 12 + PART, [X86_REG_R12] = 13,		[X86_REG_R12D] = 13 + PART,
	[X86_REG_R12W] = 13 + PART, [X86_REG_R12B] = 13 + PART, [X86_REG_R13] = 14,
	[X86_REG_R13D] = 14 + PART, [X86_REG_R13W] = 14 + PART, [X86_REG_R13B] = 14 + PART,
	[X86_REG_R14] = 15,	    [X86_REG_R14D] = 15 + PART, [X86_REG_R14W] = 15 + PART,
	[X86_REG_R14B] = 15 + PART, [X86_REG_R15] = 16,		[X86_REG_R15D] = 16 + PART,
	[X86_REG_R15W] = 16 + PART, [X86_REG_R15B] = 16 + PART,
};

static uint8_t x86_number(unsigned int name)
{
	uint8_t number = name < X86_REG_ENDING ? x86_numbers[name] & (PART - 1) : 0;

	return number ? number - 1 : INSN_NO_REGISTER;
}

static bool x86_is_whole(const cs_x86_op *op)
{
	return op->type == X86_OP_REG && x86_number(op->reg) != INSN_NO_REGISTER &&
	       x86_numbers[op->reg] < PART;
}

static bool x86_operand(const cs_insn *from, const cs_x86_op *op, struct insn_operand *to)
{
	*to = no_operand;
	to->size = op->size;
	to->scale = op->mem.scale;
	to->displacement = op->mem.disp;
	to->thread = op->mem.segment == X86_REG_FS;
	if (op->mem.segment == X86_REG_GS) /* the kernel's: per CPU */
		return false;
	if (op->mem.base == X86_REG_RIP) {
		to->fixed = true;
		to->displacement = (uint64_t)to->displacement + from->address + from->size;
		return true;
	}
	to->base = x86_number(op->mem.base);
	to->index = x86_number(op->mem.index);
	to->fixed = to->base == INSN_NO_REGISTER && to->index == INSN_NO_REGISTER && !to->thread;
	/* A vector of indexes, 16-bit addresses. */
	return (op->mem.base == X86_REG_INVALID || to->base != INSN_NO_REGISTER) &&
	       (op->mem.index == X86_REG_INVALID || to->index != INSN_NO_REGISTER);
}

static bool x86_touches_stack(unsigned int id)
{
	static const uint16_t ids[] = {
		X86_INS_PUSH,  X86_INS_POP,  X86_INS_PUSHFQ, X86_INS_POPFQ,
		X86_INS_LEAVE, X86_INS_CALL, X86_INS_RET,    X86_INS_ENTER
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Hints name memory without touching it. */
static bool x86_is_hint(unsigned int id)
{
	return id == X86_INS_LEA || id == X86_INS_NOP || id == X86_INS_PREFETCHT0 ||
	       id == X86_INS_PREFETCHT1 || id == X86_INS_PREFETCHT2 || id == X86_INS_PREFETCHNTA ||
	       id == X86_INS_PREFETCHW;
}

/* The operand in memory, when there is one and no other. */
static const cs_x86_op *x86_memory(const cs_x86 *x)
{
	const cs_x86_op *found = NULL;

	for (uint8_t i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM) {
			if (found) /* a string instruction */
				return NULL;
			found = &x->operands[i];
		}
	return found;
}

static void x86_move(const cs_insn *from, const cs_x86 *x, struct insn *insn)
{
	const cs_x86_op *source = &x->operands[1];

	if (x->op_count != 2 || !x86_is_whole(&x->operands[0]))
		return;
	if (source->type == X86_OP_MEM && insn->memory) {
		insn->effect = INSN_LOAD;
		if (insn->operand.thread && insn->operand.base == INSN_NO_REGISTER &&
		    insn->operand.index == INSN_NO_REGISTER && !insn->operand.displacement)
			insn->effect = INSN_THREAD; /* %fs:0 holds its own address */
	} else if (x86_is_whole(source)) {
		insn->effect = INSN_ADDRESS;
		insn->operand = no_operand;
		insn->operand.base = x86_number(source->reg);
	}
}

/* add and sub of a constant; add of a register, which may be the index or the pointer. */
static void x86_add(const cs_x86 *x, struct insn *insn, int sign)
{
	const cs_x86_op *source = &x->operands[1];

	if (x->op_count != 2 || !x86_is_whole(&x->operands[0]) ||
	    (source->type != X86_OP_IMM && (sign < 0 || !x86_is_whole(source))))
		return;
	insn->effect = INSN_ADDRESS;
	insn->operand = no_operand;
	insn->operand.base = x86_number(x->operands[0].reg);
	insn->operand.scale = 1;
	if (source->type == X86_OP_REG)
		insn->operand.index = x86_number(source->reg);
	else
		insn->operand.displacement = sign < 0 ? -(uint64_t)source->imm
						      : (uint64_t)source->imm;
}

static bool x86_is_branch(unsigned int id)
{
	return (id >= X86_INS_JAE && id <= X86_INS_JS && id != X86_INS_JMP) || id == X86_INS_LOOP ||
	       id == X86_INS_LOOPE || id == X86_INS_LOOPNE;
}

static bool x86_control(const cs_insn *from, const cs_x86 *x, struct insn *insn)
{
	if (from->id == X86_INS_CALL)
		insn->effect = INSN_CALL;
	else if (x86_is_branch(from->id))
		insn->effect = INSN_BRANCH;
	else if (from->id == X86_INS_JMP || from->id == X86_INS_RET || from->id == X86_INS_UD2 ||
		 from->id == X86_INS_HLT)
		insn->effect = INSN_END;
	else
		return false;
	if (from->id != X86_INS_CALL && x->op_count == 1 && x->operands[0].type == X86_OP_IMM)
		insn->target = x->operands[0].imm;
	return true;
}

static void x86_read(const cs_insn *from, struct insn *insn)
{
	const cs_x86 *x = &from->detail->x86;
	const cs_x86_op *memory = x86_memory(x);

	insn->stack = x86_touches_stack(from->id);
	if (memory)
		insn->memory = x86_operand(from, memory, &insn->operand) && !x86_is_hint(from->id);
	if (x->op_count && x->operands[0].type == X86_OP_REG)
		insn->to = x86_number(x->operands[0].reg);
	if (x86_control(from, x, insn))
		return;
	if (from->id == X86_INS_MOV || from->id == X86_INS_MOVABS)
		x86_move(from, x, insn);
	else if (from->id == X86_INS_ADD)
		x86_add(x, insn, 1);
	else if (from->id == X86_INS_SUB)
		x86_add(x, insn, -1);
	else if (from->id == X86_INS_LEA && memory && x86_is_whole(&x->operands[0]) &&
		 x86_operand(from, memory, &insn->operand))
		insn->effect = INSN_ADDRESS;
}

/* ---- AArch64 */

#define ARM_TPIDR_EL0 0xde82 /* the thread pointer, as mrs encodes it: Arm ARM, C5.2 */

static uint8_t arm_number(unsigned int name)
{
	if (name >= ARM64_REG_X0 && name <= ARM64_REG_X28)
		return name - ARM64_REG_X0;
	if (name >= ARM64_REG_W0 && name <= ARM64_REG_W30)
		return name - ARM64_REG_W0;
	return name == ARM64_REG_FP   ? 29
	       : name == ARM64_REG_LR ? 30
	       : name == ARM64_REG_SP ? 31
				      : INSN_NO_REGISTER;
}

static bool arm_is_whole(unsigned int name)
{
	return (name >= ARM64_REG_X0 && name <= ARM64_REG_X28) || name == ARM64_REG_FP ||
	       name == ARM64_REG_LR || name == ARM64_REG_SP;
}

static const cs_arm64_op *arm_memory(const cs_arm64 *a)
{
	for (uint8_t i = 0; i < a->op_count; i++)
		if (a->operands[i].type == ARM64_OP_MEM)
			return &a->operands[i];
	return NULL;
}

/* Bytes of one register of a load or store; what its name does not tell is the register's. */
static uint8_t arm_size(const cs_insn *from)
{
	const cs_arm64_op *data = &from->detail->arm64.operands[0];
	size_t length = strlen(from->mnemonic);
	char last = length ? from->mnemonic[length - 1] : 0;

	if (last == 'b')
		return 1;
	if (last == 'h')
		return 2;
	if (last == 'w' && length > 3)
		return 4;
	return data->type == ARM64_OP_REG && arm_is_whole(data->reg) ? 8 : 4;
}

static void arm_operand(const cs_insn *from, const cs_arm64_op *op, struct insn *insn)
{
	insn->operand = no_operand;
	insn->operand.base = arm_number(op->mem.base);
	insn->operand.index = arm_number(op->mem.index);
	insn->operand.scale = op->shift.type == ARM64_SFT_LSL ? 1u << (op->shift.value & 7) : 1;
	insn->operand.displacement = op->mem.disp;
	insn->operand.size = arm_size(from);
	insn->memory = insn->operand.base != INSN_NO_REGISTER;
}

static void arm_address(const cs_arm64 *a, struct insn *insn, int64_t add)
{
	insn->operand = no_operand;
	insn->operand.base = arm_number(a->operands[1].reg);
	insn->operand.displacement = add;
	if (insn->operand.base != INSN_NO_REGISTER)
		insn->effect = INSN_ADDRESS;
}

static bool arm_control(const cs_insn *from, const cs_arm64 *a, struct insn *insn)
{
	const cs_arm64_op *last = a->op_count ? &a->operands[a->op_count - 1] : NULL;

	switch (from->id) {
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		insn->effect = INSN_CALL;
		return true;
	case ARM64_INS_B:
	case ARM64_INS_BR:
	case ARM64_INS_RET:
		insn->effect = a->cc == ARM64_CC_INVALID || a->cc == ARM64_CC_AL ? INSN_END
										 : INSN_BRANCH;
		break;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		insn->effect = INSN_BRANCH;
		break;
	default:
		return false;
	}
	if (last && last->type == ARM64_OP_IMM)
		insn->target = last->imm;
	return true;
}

static void arm_read(const cs_insn *from, struct insn *insn)
{
	const cs_arm64 *a = &from->detail->arm64;
	const cs_arm64_op *memory = arm_memory(a), *op = a->operands;
	bool whole = a->op_count && op[0].type == ARM64_OP_REG && arm_is_whole(op[0].reg);

	if (a->op_count && op[0].type == ARM64_OP_REG)
		insn->to = arm_number(op[0].reg);
	if (arm_control(from, a, insn))
		return;
	if (memory && from->id != ARM64_INS_PRFM)
		arm_operand(from, memory, insn);
	if (!whole)
		return;
	if (insn->memory &&
	    (from->id == ARM64_INS_LDR || from->id == ARM64_INS_LDUR || from->id == ARM64_INS_LDAR))
		insn->effect = INSN_LOAD;
	else if (from->id == ARM64_INS_MRS && a->op_count > 1 && op[1].reg == ARM_TPIDR_EL0)
		insn->effect = INSN_THREAD;
	else if (from->id == ARM64_INS_MOV && a->op_count == 2 && op[1].type == ARM64_OP_REG &&
		 arm_is_whole(op[1].reg))
		arm_address(a, insn, 0);
	else if ((from->id == ARM64_INS_ADD || from->id == ARM64_INS_SUB) && a->op_count == 3 &&
		 op[1].type == ARM64_OP_REG && op[2].type == ARM64_OP_IMM)
		arm_address(a, insn,
			    (int64_t)((from->id == ARM64_INS_ADD ? (uint64_t)op[2].imm
								 : -(uint64_t)op[2].imm)
				      << (op[2].shift.value & 63)));
}

/* The atomics of Armv8.1, which capstone 4 does not know: ldadd, ldclr, ldset, swp and their kin,
 * and cas. Arm ARM, C4.1.94 "Atomic memory operations", "Compare and swap". */
static bool arm_read_atomic(const uint8_t *code, size_t size, struct insn *insn)
{
	uint32_t word = size < 4 ? 0
				 : code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
	bool swap = (word & 0x3fa07c00) == 0x08a07c00;

	if (!swap && (word & 0x3f200c00) != 0x38200000)
		return false;
	*insn = (struct insn){ .size = 4, .operand = no_operand, .memory = true };
	insn->operand.scale = 1;
	insn->operand.size = 1u << (word >> 30);
	insn->operand.base = word >> 5 & 31;
	insn->to = (swap ? word >> 16 : word) & 31;
	insn->changed = insn->to == 31 ? 0 : 1u << insn->to; /* 31: nowhere */
	return true;
}

/* ---- Any */

static const struct insn_machine machines[] = {
	/* rax, rdx, rcx, rsi, rdi, r8 to r11 */
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, 7, 0xf37, x86_number, x86_read },
	/* x0 to x18, x30 */
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, 31, 0x4007ffff, arm_number, arm_read },
};

struct insn_decoder *insn_decoder_new(uint16_t machine)
{
	struct insn_decoder *d;
	const struct insn_machine *m = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].elf == machine)
			m = &machines[i];
	if (!m)
		return NULL;
	d = mem_zalloc(sizeof(*d));
	d->machine = m;
	if (cs_open(m->arch, m->mode, &d->handle)) { /* a capstone without this machine */
		free(d);
		return NULL;
	}
	cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = cs_malloc(d->handle);
	if (!d->insn)
		mem_exhausted();
	return d;
}

void insn_decoder_free(struct insn_decoder *d)
{
	if (!d)
		return;
	cs_free(d->insn, 1);
	cs_close(&d->handle);
	free(d);
}

static uint32_t changed_by(struct insn_decoder *d)
{
	cs_regs read, written;
	uint8_t reads, writes, number;
	uint32_t changed = 0;

	if (cs_regs_access(d->handle, d->insn, read, &reads, written, &writes))
		return UINT32_MAX;
	for (uint8_t i = 0; i < writes; i++) {
		number = d->machine->number(written[i]);
		if (number < INSN_REGISTERS)
			changed |= 1u << number;
	}
	return changed;
}

bool insn_decode(struct insn_decoder *d, const uint8_t *code, size_t size, uint64_t addr,
		 struct insn *insn)
{
	if (d->machine->elf == EM_AARCH64 && arm_read_atomic(code, size, insn))
		return true;
	if (!cs_disasm_iter(d->handle, &code, &size, &addr, d->insn))
		return false;
	*insn = (struct insn){ .size = d->insn->size,
			       .operand = no_operand,
			       .to = INSN_NO_REGISTER,
			       .changed = changed_by(d) };
	d->machine->read(d->insn, insn);
	return true;
}

uint32_t insn_call_changes(const struct insn_decoder *d)
{
	return d->machine->call_changes;
}

uint8_t insn_stack_register(const struct insn_decoder *d)
{
	return d->machine->stack;
}
