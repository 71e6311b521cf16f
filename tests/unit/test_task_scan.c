// SPDX-License-Identifier: GPL-2.0-only
#include "event_plan.h"
#include "mem.h"
#include "task_scan.h"
#include "topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/hitmap-scan-XXXXXX";

static void put_file(const char *path, const char *text)
{
	char *whole = mem_printf("%s%s", root, path), *command;
	FILE *f;

	command = mem_printf("mkdir -p \"$(dirname %s)\"", whole);
	assert_int_equal(system(command), 0);
	f = fopen(whole, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	free(command);
	free(whole);
}

static int make_root(void **state)
{
	if (!mkdtemp(root))
		return -1;
	put_file("/proc/50/task/50/comm", "server one\n");
	put_file("/proc/50/task/51/comm", "worker\n");
	put_file("/proc/50/maps",
		 "00400000-00452000 r-xp 00001000 fe:02 173521      /usr/bin/a program\n"
		 "7f00-7e00 r-xp 0 0:0 0\n"
		 "nonsense\n"
		 "7f0000000000-7f0000001000 rw-s 00000000 00:01 77 /dev/shm/x\n"
		 "7ffc0000-7ffc1000 rw-p 00000000 00:00 0 \n");
	put_file("/proc/self/status", "");
	put_file("/proc/kallsyms", "0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000000 T _stext\nffffffff81000000 T _text\n"
				   "ffffffff82000000 T _etext\n");
	put_file("/proc/modules", "nfs 4096 1 - Live 0xffffffffc0000000\n"
				  "hidden 4096 1 - Live 0x0000000000000000\n");
	put_file("/sys/kernel/tracing/events/header_page", "");
	put_file("/sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	put_file("/sys/devices/system/cpu/present", "0-3\n");
	put_file("/sys/devices/system/cpu/online", "0-3\n");
	put_file("/sys/devices/system/cpu/cpu2/topology/physical_package_id", "1\n");
	put_file("/sys/devices/system/cpu/cpu3/topology/physical_package_id", "1\n");
	put_file("/sys/devices/system/cpu/cpu1/topology/core_id", "1\n");
	put_file("/sys/devices/system/node/online", "0-1\n");
	put_file("/sys/devices/system/node/node0/cpulist", "0-1\n");
	put_file("/sys/devices/system/node/node1/cpulist", "2-3\n");
	put_file("/sys/devices/system/node/node0/memory0/x", "");
	put_file("/sys/devices/system/node/node1/memory65/x", "");
	put_file("/sys/devices/system/memory/block_size_bytes", "8000000\n");
	return 0;
}

static int remove_root(void **state)
{
	char *command = mem_printf("rm -r %s", root);
	int failed = system(command);

	free(command);
	return failed;
}

struct seen {
	char text[64][160];
	size_t count;
};

struct body {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char path[64];
};

static struct err *see(void *context, const void *record, size_t size)
{
	struct seen *s = context;
	struct body b = { 0 };
	char *to = s->text[s->count++];

	memcpy(&b, record, size < sizeof(b) ? size : sizeof(b));
	assert_int_equal(b.h.size, size);
	assert_int_equal(size % 8, 0);
	if (b.h.type == PERF_RECORD_MMAP2)
		snprintf(to, 160, "map %u %#llx+%#llx @%#llx %u %u:%u %s%s", b.pid,
			 (unsigned long long)b.start, (unsigned long long)b.size,
			 (unsigned long long)b.offset, b.prot, b.major, b.minor, b.path,
			 b.h.misc & 1 << 13 ? " data" : "");
	else if (b.h.type == PERF_RECORD_MMAP)
		snprintf(to, 160, "code %#llx+%#llx %s", (unsigned long long)b.start,
			 (unsigned long long)b.size, (const char *)&b.major);
	else if (b.h.type == PERF_RECORD_COMM)
		snprintf(to, 160, "comm %u %u %s", b.pid, b.tid, (const char *)&b.start);
	else
		snprintf(to, 160, "type %u", b.h.type);
	return NULL;
}

static struct task_scan scan_to(struct seen *s)
{
	return (struct task_scan){ .root = root,
				   .to = { .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					   .put = see,
					   .context = s } };
}

static void expect(const struct seen *s, const char *const *lines, size_t count)
{
	for (size_t i = 0; i < count && i < s->count; i++)
		assert_string_equal(s->text[i], lines[i]);
	assert_int_equal(s->count, count);
}

static void a_process_is_told_with_threads_and_maps(void **state)
{
	static const char *const lines[] = {
		"comm 50 50 server one",
		"type 7",
		"comm 50 51 worker",
		"map 50 0x400000+0x52000 @0x1000 5 254:2 /usr/bin/a program",
		"map 50 0x7f0000000000+0x1000 @0 3 0:1 /dev/shm/x data",
		"map 50 0x7ffc0000+0x1000 @0 3 0:0 //anon data",
	};
	struct seen seen = { .count = 0 };
	struct task_scan scan = scan_to(&seen);

	assert_null(task_scan_all(&scan));
	expect(&seen, lines, ARRAY_SIZE(lines));
}

static void a_process_that_ended_is_left_out(void **state)
{
	struct seen seen = { .count = 0 };
	struct task_scan scan = scan_to(&seen);

	assert_null(task_scan_process(&scan, 4711));
	assert_int_equal(seen.count, 0);
}

static void the_kernel_is_told_with_modules_that_show_their_address(void **state)
{
	static const char *const lines[] = {
		"code 0xffffffff81000000+0x1000000 [kernel.kallsyms]_stext",
		"code 0xffffffffc0000000+0x1000 [nfs]",
	};
	struct seen seen = { .count = 0 };
	struct task_scan scan = scan_to(&seen);
	bool shown;

	assert_null(task_scan_kernel(&scan, &shown));
	assert_true(shown);
	expect(&seen, lines, ARRAY_SIZE(lines));
}

static void topology_is_that_of_sysfs(void **state)
{
	struct perfdata_features f = { 0 };
	struct topology t;

	topology_read(root, &t);
	topology_describe(&t, &f);
	assert_int_equal(f.cpus, 4);
	assert_int_equal(f.cpu_node[1], 0);
	assert_int_equal(f.cpu_node[2], 1);
	assert_int_equal(f.cpu_socket[3], 1);
	assert_int_not_equal(f.cpu_core[0], f.cpu_core[1]);
	assert_int_not_equal(f.cpu_core[0], f.cpu_core[2]); /* same id in another socket */
	assert_int_equal(f.cpu_core[2], f.cpu_core[3]);
	assert_int_equal(f.block_bytes, 0x8000000);
	assert_int_equal(f.nodes, 2);
	assert_int_equal(f.node[0].bits[0], 1);
	assert_int_equal(f.node[1].words, 2);
	assert_int_equal(f.node[1].bits[1], 2);
	topology_deinit(&t);
}

/* ---- Plans of events that are named */

static void plan_fails(const char *events, enum err_status status, const char *text)
{
	struct plan_request r = { .events = events, .frequency = 1000 };
	struct event_plan p;
	struct err *e = event_plan_make(root, &r, &p);

	assert_non_null(e);
	assert_string_equal(err_text(e), text);
	assert_int_equal(err_status(e), status);
	assert_non_null(err_advice(e));
	err_free(e);
}

static void names_that_are_no_events_are_errors_of_usage(void **state)
{
	plan_fails("nonsense", ERR_USAGE, "event \"nonsense\" is not known");
	plan_fails("page-faults,", ERR_USAGE, "event \"\" is not known");
	plan_fails("sched:", ERR_USAGE, "event \"sched:\" is not known");
	plan_fails("sched:../../x", ERR_USAGE, "event \"sched:../../x\" is not known");
	plan_fails("sched:none", ERR_USAGE, "event sched:none: this kernel has no such tracepoint");
}

/* The fixture has no privileges, and tells no perf_event_paranoid: the strictest holds. */
static void named_events_are_those_of_the_kernel(void **state)
{
	struct plan_request r = { .events = "faults,sched:sched_switch",
				  .frequency = 1000,
				  .running = true };
	struct event_plan p;
	struct err *e;

	put_file("/proc/self/status", "CapEff:\t000001ffffffffff\n");
	e = event_plan_make(root, &r, &p);
	if (e)
		fail_msg("no plan: %s", err_text(e));
	assert_int_equal(p.count, 3);
	assert_string_equal(p.event[0].name, "page-faults");
	assert_int_equal(p.event[0].attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(p.event[0].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(p.event[0].attr.freq, 1);
	assert_int_equal(p.event[0].attr.enable_on_exec, 0); /* tasks that run already */
	assert_int_equal(p.event[0].attr.inherit, 1);
	assert_int_equal(p.event[1].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(p.event[1].attr.config, 314);
	assert_int_equal(p.event[1].attr.freq, 0);
	assert_int_equal(p.event[1].attr.sample_period, 1);
	assert_int_equal(p.event[2].role, PLAN_TRACK);
	event_plan_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_told_with_threads_and_maps),
		cmocka_unit_test(a_process_that_ended_is_left_out),
		cmocka_unit_test(the_kernel_is_told_with_modules_that_show_their_address),
		cmocka_unit_test(topology_is_that_of_sysfs),
		cmocka_unit_test(names_that_are_no_events_are_errors_of_usage),
		cmocka_unit_test(named_events_are_those_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
