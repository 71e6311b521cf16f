// SPDX-License-Identifier: GPL-2.0-only
#include "event_show.h"
#include "event_ladder.h"
#include "mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 100
#define LEFT	11 /* of what stands behind the first words */
#define FIELD	22 /* of an attr's values */
#define RUNGS	16

/* ---- Lines */

/* Where a line may end so that at most "room" characters stand on it: behind a space or "cut". */
static size_t break_at(const char *text, size_t room, char cut)
{
	if (strlen(text) <= room)
		return strlen(text);
	for (size_t i = room; i > 0; i--)
		if (text[i - 1] == ' ' || text[i - 1] == cut)
			return i;
	return room;
}

/* "text" from column "left" on, which is where the cursor is. */
static void print_wrapped(FILE *out, size_t left, const char *text, char cut)
{
	for (;;) {
		size_t n = break_at(text, COLUMNS - left, cut), shown = n;

		while (shown && text[shown - 1] == ' ')
			shown--;
		fprintf(out, "%.*s\n", (int)shown, text);
		text += n;
		if (!*text)
			return;
		fprintf(out, "%*s", (int)left, "");
	}
}

static void print_line(FILE *out, const char *word, const char *text)
{
	fprintf(out, "%-*s", LEFT, word);
	print_wrapped(out, LEFT, text, ' ');
}

/* ---- Bit names: include/uapi/linux/perf_event.h */

struct bit_name {
	uint64_t bit;
	const char *name;
};

static const struct bit_name sample_bits[] = {
	{ PERF_SAMPLE_IP, "IP" },
	{ PERF_SAMPLE_TID, "TID" },
	{ PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_CPU, "CPU" },
	{ PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" },
	{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
};

static const struct bit_name format_bits[] = {
	{ PERF_FORMAT_ID, "ID" },
	{ PERF_FORMAT_LOST, "LOST" },
};

static char *bits_text(uint64_t value, const struct bit_name *bits, size_t count)
{
	char *text = mem_strdup("");

	for (size_t i = 0; i < count; i++) {
		char *longer;

		if (!(value & bits[i].bit))
			continue;
		longer = mem_printf("%s%s%s", text, *text ? "|" : "", bits[i].name);
		free(text);
		text = longer;
	}
	return text;
}

static char *sample_text(uint64_t value)
{
	return bits_text(value, sample_bits, ARRAY_SIZE(sample_bits));
}

static char *format_text(uint64_t value)
{
	return bits_text(value, format_bits, ARRAY_SIZE(format_bits));
}

static char *decimal_text(uint64_t value)
{
	return mem_printf("%" PRIu64, value);
}

static char *hex_text(uint64_t value)
{
	return mem_printf("0x%" PRIx64, value);
}

/* ---- Fields of the attr */

#define FIELDS(one)                                                                                \
	one(type) one(size) one(config) one(config1) one(config2) one(sample_type)                 \
		one(read_format) one(precise_ip) one(disabled) one(inherit) one(exclude_user)      \
			one(exclude_kernel) one(exclude_hv) one(mmap) one(comm)                    \
				one(enable_on_exec) one(task) one(mmap_data) one(sample_id_all)    \
					one(mmap2) one(comm_exec) one(context_switch) one(ksymbol) \
						one(bpf_event)

#define GETTER(field)                                                                              \
	static uint64_t get_##field(const struct perf_event_attr *a)                               \
	{                                                                                          \
		return a->field;                                                                   \
	}
FIELDS(GETTER)

/* The union's member by the flag that chooses it. */
static uint64_t get_sample_period(const struct perf_event_attr *a)
{
	return a->freq ? 0 : a->sample_period;
}

static uint64_t get_sample_freq(const struct perf_event_attr *a)
{
	return a->freq ? a->sample_freq : 0;
}

/* In the order of the structure. A field that is 0 is left out, as perf evlist -v does, but for
 * those that are always worth seeing. */
static const struct attr_field {
	const char *name;
	uint64_t (*get)(const struct perf_event_attr *a);
	char *(*text)(uint64_t value);
	bool always;
} fields[] = {
	{ "type", get_type, decimal_text, true },
	{ "size", get_size, decimal_text, true },
	{ "config", get_config, hex_text, true },
	{ "sample_period", get_sample_period, decimal_text, false },
	{ "sample_freq", get_sample_freq, decimal_text, false },
	{ "sample_type", get_sample_type, sample_text, true },
	{ "read_format", get_read_format, format_text, true },
	{ "disabled", get_disabled, decimal_text, false },
	{ "inherit", get_inherit, decimal_text, false },
	{ "exclude_user", get_exclude_user, decimal_text, false },
	{ "exclude_kernel", get_exclude_kernel, decimal_text, false },
	{ "exclude_hv", get_exclude_hv, decimal_text, false },
	{ "mmap", get_mmap, decimal_text, false },
	{ "comm", get_comm, decimal_text, false },
	{ "enable_on_exec", get_enable_on_exec, decimal_text, false },
	{ "task", get_task, decimal_text, false },
	{ "precise_ip", get_precise_ip, decimal_text, true },
	{ "mmap_data", get_mmap_data, decimal_text, false },
	{ "sample_id_all", get_sample_id_all, decimal_text, false },
	{ "mmap2", get_mmap2, decimal_text, false },
	{ "comm_exec", get_comm_exec, decimal_text, false },
	{ "context_switch", get_context_switch, decimal_text, false },
	{ "ksymbol", get_ksymbol, decimal_text, false },
	{ "bpf_event", get_bpf_event, decimal_text, false },
	{ "config1", get_config1, hex_text, false },
	{ "config2", get_config2, hex_text, false },
};

static void show_field(FILE *out, const char *name, char *text, char cut)
{
	fprintf(out, "    %-*s", FIELD - 4, name);
	print_wrapped(out, FIELD, text, cut);
	free(text);
}

static void show_attr(const struct perf_event_attr *a, FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct attr_field *f = &fields[i];
		uint64_t value = f->get(a);

		if (value || f->always)
			show_field(out, f->name, f->text(value), '|');
	}
}

/* ---- What is given up */

static const struct error_name {
	int error;
	const char *name;
} error_names[] = {
	{ EACCES, "EACCES" }, { EPERM, "EPERM" },   { EINVAL, "EINVAL" },
	{ ENOENT, "ENOENT" }, { ENOMEM, "ENOMEM" }, { EOPNOTSUPP, "EOPNOTSUPP" },
};

static const char *error_name(int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_names); i++)
		if (error_names[i].error == error)
			return error_names[i].name;
	return "?";
}

/* "the sentence (EINVAL, EOPNOTSUPP)" */
static char *rung_text(const struct ladder_rung *r)
{
	char *text = mem_printf("%s (%s%s", r->sentence, error_name(r->error[0]),
				r->stage == LADDER_MAP ? " of mmap" : "");

	for (size_t i = 1; i < LADDER_ERRORS && r->error[i]; i++) {
		char *longer = mem_printf("%s, %s", text, error_name(r->error[i]));

		free(text);
		text = longer;
	}
	return text;
}

static void show_rung(const struct ladder_rung *r, FILE *out)
{
	char *text = rung_text(r),
	     *whole = mem_printf("%s%s)", text, r->whole ? "; all events" : "");

	fprintf(out, "      %-*s", FIELD - 6, r->name);
	print_wrapped(out, FIELD, whole, ' ');
	free(text);
	free(whole);
}

static void show_ladder(const struct event_plan *p, size_t event, FILE *out)
{
	const struct ladder_rung *rungs[RUNGS];
	size_t count = event_ladder_list(p, event, rungs, RUNGS);

	fprintf(out, "    if the kernel refuses it%s\n", count ? ":" : ": an error");
	for (size_t i = 0; i < count; i++)
		show_rung(rungs[i], out);
}

/* ---- The plan */

static void show_event(const struct event_plan *p, size_t i, bool detail, FILE *out)
{
	const struct plan_event *e = &p->event[i];
	char *number = mem_printf("event %zu", i + 1);
	char *what = e->leader == i ? mem_printf("%s  (%s)", e->name, event_plan_role(e->role))
				    : mem_printf("%s  (%s, in the group of event %zu)", e->name,
						 event_plan_role(e->role), e->leader + 1);

	print_line(out, number, what);
	free(number);
	free(what);
	if (!detail)
		return;
	show_attr(&e->attr, out);
	show_field(out, "on CPUs", cpulist_text(&e->cpus), ',');
	show_ladder(p, i, out);
}

static void show_machine(const struct event_plan *p, FILE *out)
{
	const struct host *h = &p->host;
	char *paranoid = h->has_paranoid ? mem_printf("%" PRId64, h->paranoid)
					 : mem_strdup("not known");
	char *kernel = mem_printf("%s, perf_event_paranoid %s, %s",
				  *h->release ? h->release : "release not known", paranoid,
				  h->privileged ? "privileged" : "not privileged");
	char *scope = p->system_wide ? mem_printf("all tasks on %u CPUs", cpulist_count(&h->online))
				     : mem_strdup("the program and its children");

	if (*p->pmus.why)
		print_line(out, "hardware", p->pmus.why);
	if (*h->cpu)
		print_line(out, "processor", h->cpu);
	print_line(out, "kernel", kernel);
	print_line(out, "scope", scope);
	free(paranoid);
	free(kernel);
	free(scope);
}

void event_show_plan(const struct event_plan *p, bool detail, FILE *out)
{
	show_machine(p, out);
	if (p->aux_bytes)
		fprintf(out, "%-*s%" PRIu64 " kB a CPU\n", LEFT, "AUX rings", p->aux_bytes / 1024);
	for (size_t i = 0; i < p->notes; i++)
		print_line(out, "note", p->note[i]);
	for (size_t i = 0; i < p->count; i++) {
		if (detail)
			putc('\n', out);
		show_event(p, i, detail, out);
	}
}

void event_show_refusal(const struct err *e, FILE *out)
{
	print_line(out, "hardware", "none that can be used");
	print_line(out, "because", err_text(e));
	if (err_advice(e))
		print_line(out, "next", err_advice(e));
}
