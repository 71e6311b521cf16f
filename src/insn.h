/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One machine instruction, as far as it tells which memory it touches and what its registers hold
 * afterwards; the only file that includes capstone is insn.c. Registers are numbered as DWARF
 * numbers them (x86-64: System V psABI, figure 3.36; AArch64: x0 to x30, sp is 31).
 */
#ifndef HITMAP_INSN_H
#define HITMAP_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_REGISTERS	 32
#define INSN_NO_REGISTER UINT8_MAX

enum insn_effect {
	INSN_OTHER,
	INSN_LOAD,    /* "to" gets the whole word that the operand names */
	INSN_ADDRESS, /* "to" gets the operand's address: lea, mov between registers, add */
	INSN_THREAD,  /* "to" gets the thread pointer */
	INSN_CALL,
	INSN_BRANCH, /* perhaps to "target"; the next instruction may follow */
	INSN_END,    /* the next instruction does not follow */
};

/* base + index * scale + displacement */
struct insn_operand {
	int64_t displacement;
	uint8_t base, index; /* or INSN_NO_REGISTER */
	uint8_t scale, size; /* size: bytes of the access */
	bool thread;	     /* and the thread pointer (%fs) */
	bool fixed; /* "displacement" is the address: it was relative to this instruction */
};

struct insn {
	enum insn_effect effect;
	uint32_t size; /* bytes of code */
	bool memory;   /* "operand" is memory that is read or written */
	bool stack;    /* push, pop, call, ret: touches the top of the stack */
	struct insn_operand operand;
	uint8_t to;
	uint32_t changed; /* registers that it writes, a bit each */
	uint64_t target;  /* of a branch; 0 when not known */
};

struct insn_decoder;

/* "machine": ELF's number (EM_X86_64, EM_AARCH64). NULL for any other. */
struct insn_decoder *insn_decoder_new(uint16_t machine);
void insn_decoder_free(struct insn_decoder *d);

/* The instruction at address "addr", whose bytes are at "code"; false when it is none. */
bool insn_decode(struct insn_decoder *d, const uint8_t *code, size_t size, uint64_t addr,
		 struct insn *insn);

/* The registers that a call may change, and the one that holds the stack pointer. */
uint32_t insn_call_changes(const struct insn_decoder *d);
uint8_t insn_stack_register(const struct insn_decoder *d);

#endif
