// SPDX-License-Identifier: GPL-2.0-only
#include "fake_plan.h"

#define TRACK (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER)

struct expected {
	const char *name;
	enum plan_role role;
	uint32_t type;
	uint64_t config, config1, config2;
	uint32_t precise;
	uint64_t sample_type;
	const char *cpus;
	size_t leader;
};

static void expect_event(const struct plan_event *e, const struct expected *x)
{
	char *cpus = cpulist_text(&e->cpus);

	assert_string_equal(e->name, x->name);
	assert_string_equal(event_plan_role(e->role), event_plan_role(x->role));
	assert_int_equal(e->attr.type, x->type);
	assert_int_equal(e->attr.size, 112);
	assert_int_equal(e->attr.config, x->config);
	assert_int_equal(e->attr.config1, x->config1);
	assert_int_equal(e->attr.config2, x->config2);
	assert_int_equal(e->attr.precise_ip, x->precise);
	assert_int_equal(e->attr.sample_type, x->sample_type);
	assert_string_equal(cpus, x->cpus);
	assert_int_equal(e->leader, x->leader);
	assert_int_equal(e->attr.sample_id_all, 1);
	assert_false(e->left_out);
	free(cpus);
}

static void expect_events(const struct event_plan *p, const struct expected *x, size_t count)
{
	assert_int_equal(p->count, count);
	for (size_t i = 0; i < count; i++)
		expect_event(&p->event[i], &x[i]);
}

/* The plan of a machine is these events. */
static void check(void **state, const char *name, const struct plan_request *r,
		  const struct expected *x, size_t count)
{
	struct event_plan p = plan_of(machine_of(state, name), r);

	expect_events(&p, x, count);
	event_plan_deinit(&p);
}

/* ---- Machines whose recordings by perf are published */

static void coffee_lake_is_as_perf_recorded_it(void **state)
{
	static const struct expected x[] = {
		{ "cpu/mem-loads,ldlat=30/P", PLAN_LOAD, 4, 0x1cd, 0x1f, 0, 3, OLD, "0-15", 0 },
		{ "cpu/mem-stores/P", PLAN_STORE, 4, 0x82d0, 0, 0, 3, OLD, "0-15", 1 },
	};
	struct event_plan p = plan_of(machine_of(state, "coffeelake"), &plain);
	const struct perf_event_attr *a = &p.event[0].attr;

	expect_events(&p, x, ARRAY_SIZE(x));
	for (size_t i = 0; i < p.count; i++) {
		assert_int_equal(p.event[i].attr.freq, 1);
		assert_int_equal(p.event[i].attr.sample_freq, 4000);
		assert_int_equal(p.event[i].attr.read_format, PERF_FORMAT_ID);
		assert_int_equal(p.event[i].attr.disabled, 1);
		assert_int_equal(p.event[i].attr.inherit, 1);
		assert_int_equal(p.event[i].attr.enable_on_exec, 1);
	}
	assert_int_equal(a->mmap + a->comm + a->task + a->mmap_data + a->mmap2 + a->comm_exec +
				 a->ksymbol + a->bpf_event,
			 8);
	assert_int_equal(p.event[1].attr.mmap, 0);
	event_plan_deinit(&p);
}

static void alder_lake_is_as_perf_recorded_it(void **state)
{
	static const struct expected x[] = {
		{ "cpu_core/mem-loads-aux/", PLAN_AUX_LEADER, 4, 0x8203, 0, 0, 3, MIXED, "0-15",
		  0 },
		{ "cpu_core/mem-loads,ldlat=30/", PLAN_LOAD, 4, 0x1cd, 0x1f, 0, 2, MIXED, "0-15",
		  0 },
		{ "cpu_core/mem-stores/P", PLAN_STORE, 4, 0x2cd, 0, 0, 3, MIXED, "0-15", 2 },
		{ "cpu_atom/mem-loads,ldlat=30/P", PLAN_LOAD, 10, 0x5d0, 0x1f, 0, 3, MIXED, "16-23",
		  3 },
		{ "cpu_atom/mem-stores/P", PLAN_STORE, 10, 0x6d0, 0, 0, 3, MIXED, "16-23", 4 },
		{ "dummy:u", PLAN_TRACK, 1, 9, 0, 0, 0, TRACK, "0-23", 5 },
	};
	struct event_plan p = plan_of(machine_of(state, "alderlake"), &plain);

	expect_events(&p, x, ARRAY_SIZE(x));
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(p.event[i].attr.sample_freq, 4000);
		assert_int_equal(p.event[i].attr.disabled, i != 1);
		assert_int_equal(p.event[i].attr.enable_on_exec, i != 1);
		assert_int_equal(p.event[i].attr.read_format, PERF_FORMAT_ID | PERF_FORMAT_LOST);
		assert_int_equal(p.event[i].attr.mmap, 0);
	}
	assert_int_equal(p.event[5].attr.mmap, 1);
	assert_int_equal(p.event[5].attr.disabled, 0);
	assert_int_equal(p.event[5].attr.sample_period, 1);
	event_plan_deinit(&p);
}

/* That recording has WEIGHT; perf takes WEIGHT_STRUCT where the kernel has it, as on Zen 5. */
static void zen_3_is_as_perf_recorded_it(void **state)
{
	static const struct plan_request all = { .frequency = 4000, .system_wide = true };
	static const struct expected x[] = {
		{ "ibs_op//", PLAN_ALL, 11, 0, 0, 0, 0, MIXED | CPU, "0-127", 0 },
		{ "dummy:u", PLAN_TRACK, 1, 9, 0, 0, 0, TRACK | CPU, "0-127", 1 },
	};

	check(state, "zen3", &all, x, ARRAY_SIZE(x));
}

static void zen_5_is_as_perf_recorded_it(void **state)
{
	static const struct expected x[] = {
		{ "ibs_op//", PLAN_ALL, 11, 0, 0, 0, 0, NEW, "0-31", 0 },
	};
	struct event_plan p = plan_of(machine_of(state, "zen5"), &plain);

	expect_events(&p, x, ARRAY_SIZE(x));
	assert_int_equal(p.event[0].attr.sample_freq, 4000);
	assert_int_equal(p.event[0].attr.enable_on_exec, 1);
	assert_int_equal(p.event[0].attr.mmap, 1);
	event_plan_deinit(&p);
}

/* ---- Other machines */

static void nehalem_has_loads_alone_and_says_so(void **state)
{
	static const struct expected x[] = {
		{ "cpu/mem-loads,ldlat=30/P", PLAN_LOAD, 4, 0x100b, 0x1f, 0, 3,
		  BASE | PERF_SAMPLE_WEIGHT, "0-15", 0 },
	};
	struct event_plan p = plan_of(machine_of(state, "nehalem"), &plain);

	expect_events(&p, x, ARRAY_SIZE(x));
	expect_note(&p, "no stores on cpu (it has no event mem-stores): writers will be unseen");
	assert_int_equal(p.event[0].attr.ksymbol, 0);
	event_plan_deinit(&p);
}

static void skylake_sp_and_ice_lake_have_loads_and_stores(void **state)
{
	static const struct expected skylake[] = {
		{ "cpu/mem-loads,ldlat=30/P", PLAN_LOAD, 4, 0x1cd, 0x1f, 0, 3, NEW | PERF_SAMPLE_ID,
		  "0-111", 0 },
		{ "cpu/mem-stores/P", PLAN_STORE, 4, 0x82d0, 0, 0, 3, NEW | PERF_SAMPLE_ID, "0-111",
		  1 },
	};

	check(state, "skylake_sp", &plain, skylake, ARRAY_SIZE(skylake));
}

static void an_offline_cpu_is_not_opened(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "icelake_sp"), &plain);

	assert_false(cpulist_has(&p.event[0].cpus, 31));
	assert_int_equal(cpulist_count(&p.event[0].cpus), 127);
	expect_note(&p, "Ice Lake-SP: a local HITM may also be a clean line");
	event_plan_deinit(&p);
}

static void sapphire_rapids_groups_loads_behind_the_auxiliary_event(void **state)
{
	static const struct expected x[] = {
		{ "cpu/mem-loads-aux/", PLAN_AUX_LEADER, 4, 0x8203, 0, 0, 3, NEW | PERF_SAMPLE_ID,
		  "0-223", 0 },
		{ "cpu/mem-loads,ldlat=30/", PLAN_LOAD, 4, 0x1cd, 0x1f, 0, 2, NEW | PERF_SAMPLE_ID,
		  "0-223", 0 },
		{ "cpu/mem-stores/P", PLAN_STORE, 4, 0x2cd, 0, 0, 3, NEW | PERF_SAMPLE_ID, "0-223",
		  2 },
	};

	check(state, "sapphire_rapids", &plain, x, ARRAY_SIZE(x));
}

static void arrow_lake_needs_no_auxiliary_event(void **state)
{
	static const struct expected x[] = {
		{ "cpu_core/mem-loads,ldlat=30/P", PLAN_LOAD, 4, 0x1cd, 0x1f, 0, 3, MIXED, "0-7",
		  0 },
		{ "cpu_core/mem-stores/P", PLAN_STORE, 4, 0x2cd, 0, 0, 3, MIXED, "0-7", 1 },
		{ "cpu_atom/mem-loads,ldlat=30/P", PLAN_LOAD, 10, 0x5d0, 0x1f, 0, 3, MIXED, "8-23",
		  2 },
		{ "cpu_atom/mem-stores/P", PLAN_STORE, 10, 0x6d0, 0, 0, 3, MIXED, "8-23", 3 },
		{ "dummy:u", PLAN_TRACK, 1, 9, 0, 0, 0, TRACK, "0-23", 4 },
	};

	check(state, "arrowlake", &plain, x, ARRAY_SIZE(x));
}

static void sierra_forest_uses_its_own_encodings(void **state)
{
	static const struct expected x[] = {
		{ "cpu/mem-loads,ldlat=30/P", PLAN_LOAD, 4, 0x5d0, 0x1f, 0, 3, NEW | PERF_SAMPLE_ID,
		  "0-143", 0 },
		{ "cpu/mem-stores/P", PLAN_STORE, 4, 0x6d0, 0, 0, 3, NEW | PERF_SAMPLE_ID, "0-143",
		  1 },
	};

	check(state, "sierra_forest", &plain, x, ARRAY_SIZE(x));
}

static void ibs_before_6_2_samples_all_tasks_and_raw_registers(void **state)
{
	static const struct expected x[] = {
		{ "ibs_op//", PLAN_ALL, 10, 0, 0, 0, 0,
		  BASE | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_RAW | PERF_SAMPLE_IDENTIFIER | CPU,
		  "0-255", 0 },
		{ "dummy:u", PLAN_TRACK, 1, 9, 0, 0, 0, TRACK | CPU, "0-255", 1 },
	};
	struct event_plan p = plan_of(machine_of(state, "zen2"), &plain);

	expect_events(&p, x, ARRAY_SIZE(x));
	assert_true(p.system_wide);
	assert_int_equal(p.event[0].attr.inherit, 0);
	assert_int_equal(p.event[0].attr.enable_on_exec, 0);
	expect_note(&p, "before 6.2");
	expect_note(&p, "the raw registers are recorded");
	event_plan_deinit(&p);
}

static void zen_3_is_said_to_mark_no_hitm(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "zen3"), &plain);

	expect_note(&p, "Zen 3: this processor marks no load as HITM");
	assert_false(p.system_wide);
	event_plan_deinit(&p);
}

static void ibs_terms_go_where_the_format_says(void **state)
{
	static const struct plan_request r = { .frequency = 4000,
					       .terms = "l3missonly=1,cnt_ctl=1" };
	static const struct expected x[] = {
		{ "ibs_op/l3missonly=1,cnt_ctl=1/", PLAN_ALL, 11, 1 << 16 | 1 << 19, 0, 0, 0, NEW,
		  "0-191", 0 },
	};

	check(state, "zen4", &r, x, ARRAY_SIZE(x));
}

static void a_term_that_the_pmu_lacks_is_a_usage_error(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .terms = "l3missonly=1" };

	expect_refusal(machine_of(state, "zen3"), &r, ERR_USAGE,
		       "--pmu-terms: event: pmu ibs_op: it has no field \"l3missonly\"");
}

static void ibs_takes_a_least_latency_where_the_format_has_one(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .ldlat = 128 };
	static const struct expected x[] = {
		{ "ibs_op/ldlat=128/", PLAN_ALL, 11, 0, 128, 0, 0, NEW, "0-31", 0 },
	};

	check(state, "zen5", &r, x, ARRAY_SIZE(x));
}

static void ibs_refuses_a_least_latency_that_the_hardware_has_not(void **state)
{
	static const struct plan_request low = { .frequency = 4000, .ldlat = 30 };

	expect_refusal(machine_of(state, "zen5"), &low, ERR_USAGE,
		       "--ldlat 30: IBS takes 128 to 2048");
}

static void ibs_without_the_field_refuses_a_least_latency(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .ldlat = 128 };

	expect_refusal(machine_of(state, "zen4"), &r, ERR_USAGE,
		       "ibs_op has no least latency (Zen 5 has)");
}

static void ibs_filters_users_where_the_kernel_can(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .user_only = true };
	struct event_plan p = plan_of(machine_of(state, "zen5"), &r);

	assert_int_equal(p.event[0].attr.config2, 1);
	assert_int_equal(p.event[0].attr.exclude_kernel, 1);
	event_plan_deinit(&p);
}

static void ibs_without_a_filter_refuses_users_alone(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .user_only = true };

	expect_refusal(machine_of(state, "zen4"), &r, ERR_UNSUPPORTED,
		       "ibs_op samples user and kernel together (Linux 6.14 can filter)");
}

static void ibs_periods_are_multiples_of_16(void **state)
{
	static const struct plan_request r = { .period = 100003 };
	struct event_plan p = plan_of(machine_of(state, "zen4"), &r);

	assert_int_equal(p.event[0].attr.freq, 0);
	assert_int_equal(p.event[0].attr.sample_period, 100000);
	assert_int_equal(p.event[0].attr.sample_type & PERF_SAMPLE_PERIOD, 0);
	expect_note(&p, "100000 instead of 100003");
	event_plan_deinit(&p);
}

static void spe_samples_loads_and_stores_into_an_aux_ring(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .physical = true };
	/* ts_enable 0, pa_enable 1, jitter 16, load_filter 33, store_filter 34 */
	static const struct expected x[] = {
		{ "arm_spe_0//", PLAN_ALL, 9, 0x600010003, 0, 0, 0, SPE_TYPE | PHYS, "0-79", 0 },
		{ "dummy:u", PLAN_TRACK, 1, 9, 0, 0, 0, TRACK | CPU, "0-79", 1 },
	};
	struct event_plan p = plan_of(machine_of(state, "neoverse_n1"), &r);

	expect_events(&p, x, ARRAY_SIZE(x));
	assert_int_equal(p.event[0].attr.freq, 0);
	assert_int_equal(p.event[0].attr.sample_period, 4096);
	assert_int_equal(p.event[1].attr.context_switch, 1);
	assert_int_equal(p.aux_bytes, 4 << 20);
	event_plan_deinit(&p);
}

static void spe_without_physical_addresses_leaves_pa_enable(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "neoverse_v2"), &plain);

	assert_int_equal(p.event[0].attr.config, 0x600010001);
	assert_int_equal(p.event[0].attr.sample_type, SPE_TYPE);
	event_plan_deinit(&p);
}

static void spe_takes_a_least_latency_and_warns_of_stores(void **state)
{
	static const struct plan_request r = { .frequency = 4000,
					       .ldlat = 30,
					       .terms = "jitter=0" };
	struct event_plan p = plan_of(machine_of(state, "neoverse_v2"), &r);

	assert_int_equal(p.event[0].attr.config, 0x600000001);
	assert_int_equal(p.event[0].attr.config2, 30);
	expect_note(&p, "cheap stores will be unseen");
	event_plan_deinit(&p);
}

static void spe_samples_no_closer_than_its_interval(void **state)
{
	static const struct plan_request r = { .period = 100 };
	struct event_plan p = plan_of(machine_of(state, "neoverse_n1"), &r);

	assert_int_equal(p.event[0].attr.sample_period, 1024);
	expect_note(&p, "arm_spe_0 samples every 1024 operations at most, not 100");
	event_plan_deinit(&p);
}

static void a_latency_beyond_the_field_is_refused(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .ldlat = 5000 };

	expect_refusal(machine_of(state, "neoverse_n1"), &r, ERR_USAGE,
		       "pmu arm_spe_0: min_latency=5000 does not fit");
}

static void config3_is_used_or_refused_in_words(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .terms = "inv_event_filter=8" };
	const struct machine *m = machine_of(state, "neoverse_v2");
#ifdef PERF_ATTR_SIZE_VER8
	struct event_plan p = plan_of(m, &r);

	assert_int_equal(p.event[0].attr.config3, 8);
	assert_int_equal(p.event[0].attr.size, 136);
	event_plan_deinit(&p);
#else
	expect_refusal(
		m, &r, ERR_UNSUPPORTED,
		"--pmu-terms: event arm_spe_0//: it needs config3, which this build does not "
		"know");
#endif
}

static void power_has_neither_latency_nor_precision(void **state)
{
	static const struct expected x[] = {
		{ "cpu/mem-loads/", PLAN_LOAD, 4, 0x34340401e0, 0, 0, 0, NEW | PERF_SAMPLE_ID,
		  "0-175", 0 },
		{ "cpu/mem-stores/", PLAN_STORE, 4, 0x343c0401e0, 0, 0, 0, NEW | PERF_SAMPLE_ID,
		  "0-175", 1 },
	};

	check(state, "power9", &plain, x, ARRAY_SIZE(x));
}

static void power_10_has_its_own_encodings(void **state)
{
	struct event_plan p = plan_of(machine_of(state, "power10"), &plain);

	assert_int_equal(p.event[0].attr.config, 0x35340401e0);
	assert_int_equal(p.event[1].attr.config, 0x353c0401e0);
	event_plan_deinit(&p);
}

/* ---- Machines without */

static void a_virtual_machine_says_what_is_missing(void **state)
{
	expect_refusal(machine_of(state, "vm"), &plain, ERR_UNSUPPORTED,
		       "no hardware sampling: /sys/bus/event_source/devices has no cpu with "
		       "mem-loads, no ibs_op, no arm_spe");
}

static void a_pmu_that_only_counts_is_told_apart(void **state)
{
	expect_refusal(machine_of(state, "vm_vpmu"), &plain, ERR_UNSUPPORTED,
		       "no hardware sampling: /sys/bus/event_source/devices has a cpu "
		       "without mem-loads, no ibs_op, no arm_spe");
}

static void a_container_without_sys_says_so(void **state)
{
	expect_refusal(machine_of(state, "container"), &plain, ERR_UNSUPPORTED,
		       "no hardware sampling: /sys/bus/event_source/devices is empty or not "
		       "there");
}

static void another_source_than_the_machine_has_is_refused(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .source = PMU_SPE };

	expect_refusal(machine_of(state, "zen4"), &r, ERR_UNSUPPORTED,
		       "no spe here: the machine has IBS op sampling (ibs_op)");
}

static void no_precise_sampling_is_no_pebs(void **state)
{
	struct machine *m = machine_of(state, "skylake_sp");

	write_file(m, DEVICES "cpu/caps/max_precise", "0\n");
	expect_refusal(m, &plain, ERR_UNSUPPORTED,
		       "cpu has caps/max_precise 0: no precise sampling here");
}

/* ---- Requests */

static void the_users_latency_is_ored_over_the_aliases_own(void **state)
{
	static const struct {
		uint32_t ldlat;
		uint64_t config1;
	} rows[] = { { 30, 0x1f }, { 3, 3 }, { 4, 7 }, { 64, 0x43 }, { 65535, 0xffff } };
	struct machine *m = machine_of(state, "skylake_sp");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct plan_request r = { .frequency = 4000, .ldlat = rows[i].ldlat };
		struct event_plan p = plan_of(m, &r);

		assert_int_equal(p.event[0].attr.config1, rows[i].config1);
		assert_int_equal(p.event[1].attr.config1, 0);
		event_plan_deinit(&p);
	}
}

static void hitm_events_come_beside_the_others_where_they_are_known(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .hitm = true };
	struct event_plan p = plan_of(machine_of(state, "skylake_sp"), &r);

	assert_int_equal(p.count, 4);
	assert_string_equal(p.event[2].name, "cpu/mem_load_l3_hit_retired.xsnp_hitm/P");
	assert_int_equal(p.event[2].attr.config, 0x4d2);
	assert_int_equal(p.event[2].attr.precise_ip, 3);
	assert_string_equal(p.event[3].name, "cpu/mem_load_l3_miss_retired.remote_hitm/P");
	assert_int_equal(p.event[3].attr.config, 0x4d3);
	assert_string_equal(event_plan_role(p.event[3].role), "HITM loads");
	event_plan_deinit(&p);
}

static void an_unknown_hitm_event_is_said(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .hitm = true };
	struct event_plan p = plan_of(machine_of(state, "sierra_forest"), &r);

	assert_int_equal(p.count, 2);
	expect_note(&p, "no HITM event on cpu: its encoding for this processor is not known");
	event_plan_deinit(&p);
}

static void all_tasks_are_told_by_an_event_of_their_own(void **state)
{
	static const struct plan_request r = { .frequency = 4000, .system_wide = true };
	struct event_plan p = plan_of(machine_of(state, "skylake_sp"), &r);

	assert_int_equal(p.count, 3);
	assert_string_equal(p.event[2].name, "dummy:u");
	assert_int_equal(p.event[0].attr.mmap, 0);
	assert_int_equal(p.event[0].attr.inherit, 0);
	assert_int_equal(p.event[0].attr.enable_on_exec, 0);
	assert_int_equal(p.event[0].attr.sample_type, MIXED | CPU);
	event_plan_deinit(&p);
}

static void a_frequency_above_the_kernels_limit_is_lowered(void **state)
{
	static const struct plan_request r = { .frequency = 200000 };
	struct event_plan p = plan_of(machine_of(state, "skylake_sp"), &r);

	assert_int_equal(p.event[0].attr.sample_freq, 100000);
	expect_note(&p, "200000 samples a second are above the kernel's limit");
	event_plan_deinit(&p);
}

static void callers_and_physical_addresses_are_sample_bits(void **state)
{
	static const struct plan_request r = {
		.frequency = 4000, .physical = true, .which_cpu = true, .callchain = true
	};
	struct event_plan p = plan_of(machine_of(state, "coffeelake"), &r);

	assert_int_equal(p.event[0].attr.sample_type, OLD | CPU | PHYS | PERF_SAMPLE_CALLCHAIN);
	event_plan_deinit(&p);
}

/* ---- Files that are not as the kernel writes them */

static void loads_that_sysfs_spells_wrongly_are_an_error(void **state)
{
	static const struct {
		const char *terms, *text;
	} rows[] = {
		{ "", "events/mem-loads: pmu cpu: a term has no name" },
		{ "event=0xcd,colour=3", "events/mem-loads: pmu cpu: it has no field \"colour\"" },
		{ "event=0x1cd", "events/mem-loads: pmu cpu: event=461 does not fit" },
		{ "event=?", "events/mem-loads: pmu cpu: event=? has no number" },
	};
	struct machine *m = machine_of(state, "skylake_sp");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		write_file(m, DEVICES "cpu/events/mem-loads", rows[i].terms);
		expect_refusal(m, &plain, ERR_UNSUPPORTED, rows[i].text);
	}
}

static void stores_that_sysfs_spells_wrongly_are_left_out(void **state)
{
	struct machine *m = machine_of(state, "skylake_sp");
	struct event_plan p;

	write_file(m, DEVICES "cpu/events/mem-stores", "event=,");
	p = plan_of(m, &plain);
	assert_int_equal(p.count, 1);
	expect_note(&p, "no stores on cpu (events/mem-stores: pmu cpu: event= has no number)");
	event_plan_deinit(&p);
}

static void a_pmu_whose_cpus_are_all_offline_is_left_out(void **state)
{
	struct machine *m = machine_of(state, "alderlake");
	struct event_plan p;

	write_file(m, "sys/devices/system/cpu/online", "0-15\n");
	p = plan_of(m, &plain);
	assert_int_equal(p.count, 4);
	expect_note(&p, "cpu_atom is left out: none of its CPUs is online");
	event_plan_deinit(&p);
}

static void no_cpu_of_any_pmu_is_an_error(void **state)
{
	struct machine *m = machine_of(state, "alderlake");

	write_file(m, "sys/devices/system/cpu/online", "100\n");
	expect_refusal(m, &plain, ERR_UNSUPPORTED, "no PMU has a CPU that is online");
}

static void a_machine_without_proc_is_planned_with_what_is_known(void **state)
{
	struct machine *m = machine_of(state, "skylake_sp");
	struct event_plan p;

	remove_file(m, "proc");
	remove_file(m, "sys/devices/system");
	p = plan_of(m, &plain);
	assert_int_equal(p.event[0].attr.config, 0x1cd);
	assert_int_equal(p.event[0].attr.exclude_kernel, 1);
	assert_int_equal(cpulist_count(&p.event[0].cpus), 1);
	event_plan_deinit(&p);
}

static void nonsense_in_proc_is_as_good_as_nothing(void **state)
{
	static const char *const files[] = { "proc/cpuinfo", "proc/sys/kernel/osrelease",
					     "proc/sys/kernel/perf_event_paranoid",
					     "proc/sys/kernel/perf_event_max_sample_rate",
					     "sys/devices/system/cpu/online" };
	static const char *const texts[] = { "",
					     "\n",
					     ":",
					     "vendor_id",
					     "vendor_id\t:",
					     "-",
					     "9999999999999999999999",
					     "\xff\xfe\x01",
					     "6.",
					     ".6" };
	struct machine *m = machine_of(state, "coffeelake");

	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
			struct event_plan p;

			write_file(m, files[f], texts[t]);
			p = plan_of(m, &plain);
			assert_int_equal(p.event[0].attr.config, 0x1cd);
			event_plan_deinit(&p);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(coffee_lake_is_as_perf_recorded_it),
		TEST(alder_lake_is_as_perf_recorded_it),
		TEST(zen_3_is_as_perf_recorded_it),
		TEST(zen_5_is_as_perf_recorded_it),
		TEST(nehalem_has_loads_alone_and_says_so),
		TEST(skylake_sp_and_ice_lake_have_loads_and_stores),
		TEST(an_offline_cpu_is_not_opened),
		TEST(sapphire_rapids_groups_loads_behind_the_auxiliary_event),
		TEST(arrow_lake_needs_no_auxiliary_event),
		TEST(sierra_forest_uses_its_own_encodings),
		TEST(ibs_before_6_2_samples_all_tasks_and_raw_registers),
		TEST(zen_3_is_said_to_mark_no_hitm),
		TEST(ibs_terms_go_where_the_format_says),
		TEST(a_term_that_the_pmu_lacks_is_a_usage_error),
		TEST(ibs_takes_a_least_latency_where_the_format_has_one),
		TEST(ibs_refuses_a_least_latency_that_the_hardware_has_not),
		TEST(ibs_without_the_field_refuses_a_least_latency),
		TEST(ibs_filters_users_where_the_kernel_can),
		TEST(ibs_without_a_filter_refuses_users_alone),
		TEST(ibs_periods_are_multiples_of_16),
		TEST(spe_samples_loads_and_stores_into_an_aux_ring),
		TEST(spe_without_physical_addresses_leaves_pa_enable),
		TEST(spe_takes_a_least_latency_and_warns_of_stores),
		TEST(spe_samples_no_closer_than_its_interval),
		TEST(a_latency_beyond_the_field_is_refused),
		TEST(config3_is_used_or_refused_in_words),
		TEST(power_has_neither_latency_nor_precision),
		TEST(power_10_has_its_own_encodings),
		TEST(a_virtual_machine_says_what_is_missing),
		TEST(a_pmu_that_only_counts_is_told_apart),
		TEST(a_container_without_sys_says_so),
		TEST(another_source_than_the_machine_has_is_refused),
		TEST(no_precise_sampling_is_no_pebs),
		TEST(the_users_latency_is_ored_over_the_aliases_own),
		TEST(hitm_events_come_beside_the_others_where_they_are_known),
		TEST(an_unknown_hitm_event_is_said),
		TEST(all_tasks_are_told_by_an_event_of_their_own),
		TEST(a_frequency_above_the_kernels_limit_is_lowered),
		TEST(callers_and_physical_addresses_are_sample_bits),
		TEST(loads_that_sysfs_spells_wrongly_are_an_error),
		TEST(stores_that_sysfs_spells_wrongly_are_left_out),
		TEST(a_pmu_whose_cpus_are_all_offline_is_left_out),
		TEST(no_cpu_of_any_pmu_is_an_error),
		TEST(a_machine_without_proc_is_planned_with_what_is_known),
		TEST(nonsense_in_proc_is_as_good_as_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
