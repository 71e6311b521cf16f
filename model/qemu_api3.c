// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plugin API 3 to 6: QEMU 9.1 to 11.0. What is used here has one form in all of them. From 9.2 on
 * an atomic comes as a load and a store.
 */
#define SHIM_API       3
#define SHIM_API_LAST  6
#define SHIM_OLD_DATA  0
#define SHIM_SKIP_ENDS false
#include "qemu_shim.h"

#include <dlfcn.h>

/*
 * QEMU refuses a plugin whose version is newer than its own and may refuse older ones. It reads the
 * version after the constructors have run: a function that came with a version tells which QEMU it
 * is.
 */
static void __attribute__((constructor)) match_version(void)
{
	static const struct {
		int version;
		const char *symbol;
	} since[] = {
		{ 4, "qemu_plugin_read_memory_vaddr" },
		{ 5, "qemu_plugin_write_memory_vaddr" },
		{ 6, "qemu_plugin_set_pc" },
	};

	for (size_t i = 0; i < sizeof(since) / sizeof(since[0]); i++)
		if (dlsym(RTLD_DEFAULT, since[i].symbol))
			qemu_plugin_version = since[i].version;
}
