// SPDX-License-Identifier: GPL-2.0-only
#include "c2c_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[C2C_COUNTERS] = {
	[C2C_RECORDS] = "records",	[C2C_LOCKED] = "locked",
	[C2C_LOADS] = "loads",		[C2C_LD_NO_ADDRESS] = "load-no-address",
	[C2C_LD_UNCACHED] = "uncached", [C2C_LD_IO] = "io",
	[C2C_LD_MISS] = "miss",		[C2C_LD_FILL_BUFFER] = "fill-buffer",
	[C2C_LD_L1] = "l1",		[C2C_LD_L2] = "l2",
	[C2C_LD_LLC] = "llc",		[C2C_LCL_HITM] = "local-hitm",
	[C2C_RMT_HITM] = "remote-hitm", [C2C_LCL_PEER] = "local-peer",
	[C2C_RMT_PEER] = "remote-peer", [C2C_RMT_HIT] = "remote-hit",
	[C2C_LCL_DRAM] = "local-dram",	[C2C_RMT_DRAM] = "remote-dram",
	[C2C_LD_EXCLUSIVE] = "excl",	[C2C_LD_SHARED] = "shared",
	[C2C_BLOCKED_DATA] = "blk-data", [C2C_BLOCKED_ADDRESS] = "blk-addr",
	[C2C_STORES] = "stores",	[C2C_ST_NO_ADDRESS] = "store-no-address",
	[C2C_ST_UNCACHED] = "store-uncached", [C2C_ST_L1_HIT] = "store-l1",
	[C2C_ST_L1_MISS] = "store-miss", [C2C_ST_UNKNOWN] = "store-unknown",
	[C2C_NO_MAP] = "no-map",	[C2C_NO_PARSE] = "no-parse",
};

/* Every sample is one record; that is left out. */
static void expect(uint64_t word, uint64_t addr, const char *wanted)
{
	struct c2c_step s = c2c_decode(word, addr);
	char text[200] = "";

	assert_int_equal(s.n[C2C_RECORDS], 1);
	for (int i = 1; i < C2C_COUNTERS; i++)
		for (int k = 0; k < s.n[i]; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 *text ? " " : "", names[i]);
	if (strcmp(text, wanted))
		fail_msg("%#llx: \"%s\", not \"%s\"", (unsigned long long)word, text, wanted);
}

/* What perf 6.1 made of recordings of one word each. */
static void test_counts_words_as_perf_does(void **state)
{
	expect(0x268100142, 64, "loads l1");
	expect(0x26a100142, 64, "locked loads l1");
	expect(0x1868100242, 64, "loads fill-buffer");
	expect(0x668100842, 64, "loads llc");
	expect(0x668800842, 64, "loads local-hitm");
	expect(0x2668208042, 64, "loads remote-hit remote-dram shared");
	expect(0x2668808042, 64, "loads remote-hitm remote-dram excl");
	expect(0x3668800042, 64, "loads remote-hitm remote-dram excl");
	expect(0x7668000042, 64, "loads remote-dram excl");
	expect(0x68808842, 64, "loads local-hitm remote-hitm");
	expect(0x1a68401042, 64, "loads local-dram excl");
	expect(0x1a68201042, 64, "loads local-dram shared");
	expect(0x8468100442, 64, "loads l2 local-peer");
	expect(0xbe68000022, 64, "loads remote-peer remote-hit");
	expect(0x68080882, 64, "loads miss");
	expect(0x5080144, 64, "stores store-l1");
	expect(0x5080184, 64, "stores store-miss");
	expect(0x40080024, 64, "stores store-unknown");
	expect(0x40080244, 64, "stores");
	expect(0x20268100142, 64, "loads l1 blk-data");
	expect(0x40268100142, 64, "loads l1 blk-addr");
}

static void test_stops_at_a_missing_address_or_operation(void **state)
{
	expect(0x668800842, 0, "loads load-no-address");
	expect(0x5080144, 0, "stores store-no-address");
	expect(0x5080021, 0, "no-parse");
	expect(0x68000001, 64, "no-parse");
}

/* Both memories of one sample are two accesses to memory in one state. */
static void test_counts_two_memories_twice(void **state)
{
	expect(0x1a68401042 | 1ULL << 37, 64, "loads local-dram remote-dram excl excl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_words_as_perf_does),
		cmocka_unit_test(test_stops_at_a_missing_address_or_operation),
		cmocka_unit_test(test_counts_two_memories_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
