// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"
#include "mem.h"
#include "option.h"

#include "../bench/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct bench_arguments {
	bool before, after, real;
	uint32_t threads, base, work, futexes;
	uint64_t ops;
};

#define UNSET	   UINT32_MAX
#define AT(member) offsetof(struct bench_arguments, member)

static const struct option_row rows[] = {
	{ 0, "before", NULL, "the old code", OPTION_FLAG, AT(before), 0, 0 },
	{ 0, "after", NULL, "the new code", OPTION_FLAG, AT(after), 0, 0 },
	{ 0, "real", NULL, "real signals and futex calls, through the running kernel", OPTION_FLAG,
	  AT(real), 0, 0 },
	{ 't', "threads", "N", "threads (default 8)", OPTION_U32, AT(threads), 1, BENCH_THREADS },
	{ 0, "ops", "N",
	  "operations of each thread (default 500; --real: signal 50000,\n"
	  "futex 200000)",
	  OPTION_U64, AT(ops), 1, 1000000000 },
	{ 0, "base", "OFFSET",
	  "where the object starts in its line (default 0): moves its hot\n"
	  "fields to the lower or the upper half",
	  OPTION_U32, AT(base), 0, BENCH_LINE - 4 },
	{ 0, "work", "N",
	  "private instructions around each operation\n"
	  "(default: signal 4600, futex 770, from measured calls)",
	  OPTION_U32, AT(work), 0, 100000000 },
	{ 0, "futexes", "N", "futexes of each thread (default 1024; futex only)", OPTION_U32,
	  AT(futexes), 1, 1u << 16 },
};

static const struct option_usage usage = {
	"bench",
	"signal|futex --before|--after|--real [OPTIONS]",
	"Does in user space what two kernel paths did before and after a change:\n"
	"signal: queues and frees signals of one user (kernel commit fda31c50292a);\n"
	"futex: hashes shared futexes (kernel commit 65d8fc777f6d).\n"
	"With --real the kernel itself does it.",
	rows,
	ARRAY_SIZE(rows),
	false,
};

static const struct {
	const struct bench_workload *replica, *real;
} workloads[] = {
	{ &bench_signal, &bench_signal_real },
	{ &bench_futex, &bench_futex_real },
};

static struct err *usage_error(const char *text)
{
	return err_next(err_new(ERR_USAGE, "bench: %s", text), "see hitmap bench --help");
}

static struct err *find_workload(const char *name, size_t *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(workloads); i++) {
		if (!strcmp(workloads[i].replica->name, name)) {
			*w = i;
			return NULL;
		}
	}
	return err_next(err_new(ERR_USAGE, "bench: there is no workload \"%s\"", name),
			"signal or futex");
}

static struct err *check(const struct bench_workload *w, const struct bench_arguments *a)
{
	if (a->before + a->after + a->real != 1)
		return usage_error("one of --before, --after and --real is needed");
	if (a->real)
		return a->base || a->work != UNSET
			       ? usage_error("--real takes no --base and no --work")
			       : NULL;
	if (a->base % w->alignment || a->base > w->base_most)
		return err_next(
			err_new(ERR_USAGE, "bench: --base %u does not fit the %s workload", a->base,
				w->name),
			"a multiple of %u up to %u, so that the hot fields stay in one line",
			w->alignment, w->base_most);
	return NULL;
}

static struct err *run(const struct bench_workload *w, const struct bench_arguments *a)
{
	const struct bench_options o = { .after = a->after,
					 .threads = a->threads,
					 .ops = a->ops ? a->ops : w->default_ops,
					 .base = a->base,
					 .work = a->work == UNSET ? w->default_work : a->work,
					 .futexes = a->futexes };
	struct bench_result r;

	if (!bench_run(w, &o, &r))
		return err_next(
			err_errno(ERR_FAILED, errno, "bench: starting %u threads", o.threads),
			"ask for fewer with --threads");
	printf("%s %s: %u threads, %" PRIu64 " operations (%s), %.3f s, %.0f ns an operation and "
	       "thread\n",
	       w->name,
	       a->real	 ? "real"
	       : o.after ? "after"
			 : "before",
	       o.threads, r.ops, r.operation, r.nanoseconds / 1e9, (double)r.nanoseconds / o.ops);
	return NULL;
}

/* "bench --help", "bench signal --help" and "bench signal --before ..." */
struct err *cmd_bench(int argc, char **argv)
{
	struct bench_arguments a = { .threads = 8, .work = UNSET, .futexes = 1024 };
	const struct bench_workload *w;
	size_t which = 0;
	bool named = argc > 1 && argv[1][0] != '-', helped;
	struct err *e = named ? find_workload(argv[1], &which) : NULL;
	int rest;

	if (!e)
		e = option_parse(argc - named, argv + named, &usage, &a, &rest, &helped);
	if (e || helped)
		return e;
	if (!named)
		return usage_error("no workload named: signal or futex");
	if (rest != argc - named)
		return usage_error("arguments that are no options");
	w = a.real ? workloads[which].real : workloads[which].replica;
	e = check(w, &a);
	return e ? e : run(w, &a);
}
