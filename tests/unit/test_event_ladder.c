// SPDX-License-Identifier: GPL-2.0-only
#include "event_ladder.h"
#include "fake_plan.h"

#include <errno.h>

/* ---- Users without privileges */

static struct machine *unprivileged(void **state, const char *name, const char *paranoid)
{
	struct machine *m = machine_of(state, name);

	write_file(m, "proc/self/status", "CapEff:\t0000000000000000\n");
	write_file(m, "proc/sys/kernel/perf_event_paranoid", paranoid);
	return m;
}

static void at_paranoid_2_the_kernel_and_physical_addresses_are_left_out(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .physical = true };
	struct event_plan p = plan_of(unprivileged(state, "coffeelake", "2"), &r);

	for (size_t i = 0; i < p.count; i++) {
		assert_int_equal(p.event[i].attr.exclude_kernel, 1);
		assert_int_equal(p.event[i].attr.sample_type, OLD);
	}
	expect_note(&p, "no physical addresses without privilege");
	expect_note(&p, "accesses by the kernel will be unseen");
	event_plan_deinit(&p);
}

static void at_paranoid_1_nothing_is_left_out(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .physical = true };
	struct event_plan p = plan_of(unprivileged(state, "coffeelake", "1"), &r);

	assert_int_equal(p.event[0].attr.exclude_kernel, 0);
	assert_int_equal(p.event[0].attr.sample_type, OLD | PHYS);
	event_plan_deinit(&p);
}

static void cap_perfmon_is_a_privilege(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .physical = true };
	struct machine *m = unprivileged(state, "coffeelake", "4");
	struct event_plan p;

	write_file(m, "proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
	p = plan_of(m, &r);
	assert_int_equal(p.event[0].attr.exclude_kernel, 0);
	event_plan_deinit(&p);
}

static void all_tasks_need_privileges_at_paranoid_1(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .system_wide = true };

	expect_refusal(unprivileged(state, "coffeelake", "1"), &r, ERR_UNSUPPORTED,
		       "sampling all tasks needs CAP_PERFMON or root (perf_event_paranoid is "
		       "1)");
}

static void paranoid_3_allows_nothing(void **state)
{
	expect_refusal(unprivileged(state, "coffeelake", "3"), &plain, ERR_UNSUPPORTED,
		       "any sampling needs CAP_PERFMON or root (perf_event_paranoid is 3)");
}

static void ibs_without_a_filter_needs_privileges_at_paranoid_2(void **state)
{
	expect_refusal(unprivileged(state, "zen4", "2"), &plain, ERR_UNSUPPORTED,
		       "IBS, which samples user and kernel together, needs CAP_PERFMON or "
		       "root (perf_event_paranoid is 2)");
}

static void ibs_with_a_filter_leaves_the_kernel_out(void **state)
{
	struct event_plan p = plan_of(unprivileged(state, "zen5", "2"), &plain);

	assert_int_equal(p.event[0].attr.config2, 1);
	assert_int_equal(p.event[0].attr.exclude_kernel, 1);
	event_plan_deinit(&p);
}

static void spe_gets_a_small_ring_and_no_physical_addresses(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .physical = true };
	struct event_plan p = plan_of(unprivileged(state, "neoverse_n1", "2"), &r);

	assert_int_equal(p.event[0].attr.config, 0x600010001);
	assert_int_equal(p.event[0].attr.sample_type, SPE_TYPE);
	assert_int_equal(p.aux_bytes, 128 << 10);
	event_plan_deinit(&p);
}

/* ---- The ladder */

static void expect_step(struct event_plan *p, size_t event, int error, const char *name)
{
	const struct ladder_rung *r = event_ladder_step(p, event, LADDER_OPEN, error);

	assert_string_equal(r ? r->name : "none", name);
}

static void a_refused_precision_is_lowered_to_1_and_no_further(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "coffeelake"), &plain);

	expect_step(&p, 0, EINVAL, "precise-2");
	assert_int_equal(p.event[0].attr.precise_ip, 2);
	assert_int_equal(p.event[1].attr.precise_ip, 3);
	expect_step(&p, 0, EOPNOTSUPP, "precise-1");
	assert_int_equal(p.event[0].attr.precise_ip, 1);
	expect_step(&p, 0, EINVAL, "none");
	event_plan_deinit(&p);
}

static void stores_that_no_precision_helps_are_given_up(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "coffeelake"), &plain);

	expect_step(&p, 1, ENOENT, "no-stores");
	assert_true(p.event[1].left_out);
	expect_note(&p, "cpu/mem-stores/P: without stores: writers will be unseen");
	expect_step(&p, 1, ENOENT, "none");
	event_plan_deinit(&p);
}

static void a_want_of_permission_costs_physical_addresses_then_the_kernel(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .physical = true };
	struct event_plan p = plan_of(machine_of(state, "coffeelake"), &r);

	expect_step(&p, 0, EACCES, "no-physical");
	assert_int_equal(p.event[1].attr.sample_type, OLD);
	expect_step(&p, 0, EACCES, "user-only");
	assert_int_equal(p.event[1].attr.exclude_kernel, 1);
	expect_step(&p, 0, EACCES, "none");
	event_plan_deinit(&p);
}

static void a_kernel_of_unknown_age_may_lack_new_bits(void **state)
{
	struct machine *m = machine_of(state, "skylake_sp");
	struct event_plan p;

	remove_file(m, "proc/sys/kernel/osrelease");
	p = plan_of(m, &plain);
	expect_step(&p, 0, EINVAL, "no-lost");
	expect_step(&p, 0, EINVAL, "no-symbols");
	expect_step(&p, 0, EINVAL, "one-weight");
	assert_int_equal(p.event[1].attr.sample_type, OLD);
	assert_int_equal(p.event[1].attr.read_format, PERF_FORMAT_ID);
	expect_step(&p, 0, EINVAL, "precise-2");
	event_plan_deinit(&p);
}

static void ibs_that_follows_no_task_samples_all(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "zen4"), &plain);

	expect_step(&p, 0, EINVAL, "all-tasks");
	assert_true(p.system_wide);
	assert_int_equal(p.event[0].attr.inherit, 0);
	assert_int_equal(p.event[0].attr.sample_type, NEW | CPU);
	expect_step(&p, 0, EINVAL, "none");
	event_plan_deinit(&p);
}

static void an_aux_ring_that_cannot_be_mapped_gets_smaller(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "neoverse_n1"), &plain);

	assert_non_null(event_ladder_step(&p, 0, LADDER_MAP, EPERM));
	assert_int_equal(p.aux_bytes, 128 << 10);
	assert_null(event_ladder_step(&p, 0, LADDER_MAP, EPERM));
	event_plan_deinit(&p);
}

static void listing_the_ladder_leaves_the_plan_as_it_is(void **state)
{
	const struct ladder_rung *rungs[16];
	struct event_plan p = plan_of(machine_of(state, "coffeelake"), &plain);
	size_t count = event_ladder_list(&p, 1, rungs, ARRAY_SIZE(rungs));

	assert_int_equal(count, 4);
	assert_string_equal(rungs[0]->name, "precise-2");
	assert_string_equal(rungs[1]->name, "precise-1");
	assert_string_equal(rungs[2]->name, "user-only");
	assert_string_equal(rungs[3]->name, "no-stores");
	assert_int_equal(event_ladder_list(&p, 1, rungs, 2), 2);
	assert_int_equal(p.event[1].attr.precise_ip, 3);
	assert_int_equal(p.event[1].attr.exclude_kernel, 0);
	assert_false(p.event[1].left_out);
	event_plan_deinit(&p);
}

static void a_final_refusal_names_the_event_and_a_way_out(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "coffeelake"), &plain);
	struct err *e = event_ladder_refusal(&p, 0, EBUSY);

	assert_string_equal(err_text(e), "event cpu/mem-loads,ldlat=30/P: the counter is in use: "
					 "Device or resource busy");
	assert_non_null(strstr(err_advice(e), "nmi_watchdog"));
	err_free(e);
	event_plan_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(at_paranoid_2_the_kernel_and_physical_addresses_are_left_out),
		TEST(at_paranoid_1_nothing_is_left_out),
		TEST(cap_perfmon_is_a_privilege),
		TEST(all_tasks_need_privileges_at_paranoid_1),
		TEST(paranoid_3_allows_nothing),
		TEST(ibs_without_a_filter_needs_privileges_at_paranoid_2),
		TEST(ibs_with_a_filter_leaves_the_kernel_out),
		TEST(spe_gets_a_small_ring_and_no_physical_addresses),
		TEST(a_refused_precision_is_lowered_to_1_and_no_further),
		TEST(stores_that_no_precision_helps_are_given_up),
		TEST(a_want_of_permission_costs_physical_addresses_then_the_kernel),
		TEST(a_kernel_of_unknown_age_may_lack_new_bits),
		TEST(ibs_that_follows_no_task_samples_all),
		TEST(an_aux_ring_that_cannot_be_mapped_gets_smaller),
		TEST(listing_the_ladder_leaves_the_plan_as_it_is),
		TEST(a_final_refusal_names_the_event_and_a_way_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
