// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plugin API 7: QEMU 11.1. Callbacks have lost the plugin's id, all have an argument of ours as
 * their last one, given at registration. Written from the description of that change: not run yet.
 */
#include "qemu.h"

#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))
#define API    7

typedef uint64_t plugin_id;

struct plugin_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
};

enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };

size_t qemu_plugin_tb_n_insns(const void *tb);
void *qemu_plugin_tb_get_insn(const void *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const void *insn);
void *qemu_plugin_insn_haddr(const void *insn);
size_t qemu_plugin_insn_data(const void *insn, void *to, size_t size);
unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
const char *qemu_plugin_path_to_binary(void);
void qemu_plugin_register_vcpu_mem_cb(void *insn,
				      void (*cb)(unsigned int, uint32_t, uint64_t, void *),
				      int flags, int rw, void *context);
void qemu_plugin_register_vcpu_tb_exec_cb(void *tb, void (*cb)(unsigned int, void *), int flags,
					  void *context);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*cb)(void *, void *), void *context);
void qemu_plugin_register_vcpu_init_cb(plugin_id id, void (*cb)(unsigned int, void *),
				       void *context);
void qemu_plugin_register_vcpu_exit_cb(plugin_id id, void (*cb)(unsigned int, void *),
				       void *context);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id id,
					  void (*cb)(unsigned int, int64_t, uint64_t, uint64_t,
						     uint64_t, uint64_t, uint64_t, uint64_t,
						     uint64_t, uint64_t, void *),
					  void *context);
void qemu_plugin_register_vcpu_syscall_ret_cb(plugin_id id,
					      void (*cb)(unsigned int, int64_t, int64_t, void *),
					      void *context);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*cb)(void *), void *context);

EXPORT int qemu_plugin_version = API;
EXPORT int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv);

static size_t insn_bytes(const void *insn, uint8_t *bytes, size_t room)
{
	return qemu_plugin_insn_data(insn, bytes, room);
}

static void on_block(unsigned int cpu, void *context)
{
	qemu_run(cpu, (uint32_t)(uintptr_t)context);
}

static void watch_memory(void *insn, struct qemu_site *site)
{
	/* One callback for both: 7.2 stops at the first one that does not match the access. */
	qemu_plugin_register_vcpu_mem_cb(insn, qemu_access, NO_REGISTERS, READS_AND_WRITES, site);
}

static void watch_block(void *block, uint32_t insns)
{
	qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, NO_REGISTERS,
					     (void *)(uintptr_t)insns);
}

static void on_translate(void *tb, void *context)
{
	static const struct qemu_calls calls = {
		qemu_plugin_tb_n_insns,
		qemu_plugin_tb_get_insn,
		qemu_plugin_insn_vaddr,
		qemu_plugin_insn_haddr,
		insn_bytes,
		watch_memory,
		watch_block,
	};

	(void)context;
	qemu_translate(&calls, tb);
}

static void on_init(unsigned int cpu, void *context)
{
	(void)context;
	qemu_cpu_init(cpu);
}

static void on_exit_cpu(unsigned int cpu, void *context)
{
	(void)context;
	qemu_cpu_exit(cpu);
}

static void on_syscall(unsigned int cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
		       uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8,
		       void *context)
{
	const uint64_t args[6] = { a1, a2, a3, a4, a5, a6 };

	(void)a7, (void)a8, (void)context;
	qemu_syscall(cpu, number, args);
}

static void on_syscall_return(unsigned int cpu, int64_t number, int64_t result, void *context)
{
	(void)context;
	qemu_syscall_return(cpu, number, result);
}

static void on_exit_all(void *context)
{
	(void)context;
	qemu_exit();
}

static bool fits(const struct plugin_info *info)
{
	if (info->version.cur == API && !info->system_emulation)
		return true;
	fprintf(stderr, "hitmap: this plugin is for qemu-user with plugin API %d, not %d\n", API,
		info->version.cur);
	return false;
}

int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv)
{
	struct qemu_options options = { .program = qemu_plugin_path_to_binary,
					.size_shift = qemu_plugin_mem_size_shift,
					.is_store = qemu_plugin_mem_is_store,
					.skip_block_ends = false };
	char detail[32];

	if (!fits(info))
		return -1;
	snprintf(detail, sizeof(detail), "plugin API %d", info->version.cur);
	options.detail = detail;
	if (!qemu_open(argc, argv, &options))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate, NULL);
	qemu_plugin_register_vcpu_init_cb(id, on_init, NULL);
	qemu_plugin_register_vcpu_exit_cb(id, on_exit_cpu, NULL);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall, NULL);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return, NULL);
	qemu_plugin_register_atexit_cb(id, on_exit_all, NULL);
	return 0;
}
