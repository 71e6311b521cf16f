/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The QEMU front door behind its shims. A shim (qemu_apiN.c) knows the plugin API of one level of
 * QEMU and nothing else: it turns QEMU's callbacks into the calls below.
 */
#ifndef HITMAP_QEMU_H
#define HITMAP_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_site;

/* What the door asks of a shim while a block is translated. "block", "insn" are QEMU's own. */
struct qemu_calls {
	size_t (*insns)(const void *block);
	void *(*insn)(const void *block, size_t index);
	uint64_t (*insn_ip)(const void *insn);
	void *(*insn_host)(const void *insn); /* where the bytes are in this process */
	size_t (*insn_bytes)(const void *insn, uint8_t *bytes, size_t room); /* gives the size */
	void (*watch_memory)(void *insn, struct qemu_site *site);	     /* calls qemu_access */
	void (*watch_block)(void *block, uint32_t insns);		     /* calls qemu_run */
};

struct qemu_options {
	const char *detail;	      /* of WIRE_HELLO */
	const char *(*program)(void); /* path of the guest's binary, once it is loaded */
	/* What QEMU's description of an access says: the same at each call. */
	unsigned int (*size_shift)(uint32_t info);
	bool (*is_store)(uint32_t info);
	/* QEMU before 8.0 can abort when a memory callback sits on an instruction that ends a block
	 * (gitlab issue 1381): those stay unseen. */
	bool skip_block_ends;
};

/* Connects as "socket=PATH" among the plugin's arguments says. False: the plugin must not install.
 */
bool qemu_open(int argc, char **argv, const struct qemu_options *options);

void qemu_translate(const struct qemu_calls *calls, void *block);
/* QEMU's own callback of a memory access: it comes hundreds of millions of times a second, so no
 * shim stands between. "site" is a struct qemu_site. */
void qemu_access(unsigned int cpu, uint32_t info, uint64_t addr, void *site);
void qemu_run(unsigned int cpu, uint32_t insns);
/* On the parent's thread, for every CPU but the first before it runs. */
void qemu_cpu_init(unsigned int cpu);
void qemu_cpu_exit(unsigned int cpu);
void qemu_syscall(unsigned int cpu, int64_t number, const uint64_t args[6]);
void qemu_syscall_return(unsigned int cpu, int64_t number, int64_t result);
/* QEMU has flushed all blocks: no callback runs any more. */
void qemu_exit(void);

#endif
