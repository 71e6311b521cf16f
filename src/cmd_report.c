// SPDX-License-Identifier: GPL-2.0-only
/* hitmap report: what a recording says. */
#include "command.h"
#include "debuginfod.h"
#include "kernel_names.h"
#include "mem.h"
#include "option.h"
#include "output.h"
#include "perfdata_read.h"
#include "program.h"
#include "report_c2c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

typedef void report_function(FILE *out, const struct recording *recording,
			     const struct profile *profile, struct attrib *attrib,
			     const struct report_options *options);

static const struct {
	const char *name;
	report_function *print;
} FORMATS[] = {
	{ "text", report_text }, { "json", report_json },     { "csv", report_csv },
	{ "html", report_html }, { "folded", report_folded }, { "markdown", report_markdown },
};

struct report_command {
	const char *input, *format, *output, *display, *symfs, *vmlinux, *map, *by;
	uint32_t top;
	bool all, ascii, c2c, fetch;
	report_function *print;
};

#define AT(member) offsetof(struct report_command, member)

static const struct option_row rows[] = {
	{ 'i', "input", "FILE", "the recording (default perf.data; - is standard input)",
	  OPTION_TEXT, AT(input), 0, 0 },
	{ 'f', "format", "text|json|csv|html|folded|markdown",
	  "the default is text; docs/json.md describes json, docs/formats.md\nthe others",
	  OPTION_TEXT, AT(format), 0, 0 },
	{ 'o', "output", "FILE", "where to write it (default standard output)", OPTION_TEXT,
	  AT(output), 0, 0 },
	{ 0, "by", "line|function|bucket",
	  "what the text is by: lines (default), which functions wait\nfor which others, or the "
	  "buckets of futex hash tables",
	  OPTION_TEXT, AT(by), 0, 0 },
	{ 0, "top", "N", "show N lines at most (default 10)", OPTION_U32, AT(top), 1, UINT32_MAX },
	{ 'k', "vmlinux", "FILE",
	  "types and symbols of the recorded kernel: its vmlinux, or\nBTF for types alone "
	  "(default " TYPE_BTF_KERNEL "\nif that kernel runs)",
	  OPTION_TEXT, AT(vmlinux), 0, 0 },
	{ 0, "system-map", "FILE",
	  "symbols of the recorded kernel: its System.map (default\n/proc/kallsyms if that kernel "
	  "runs)",
	  OPTION_TEXT, AT(map), 0, 0 },
	{ 0, "all", NULL, "show every shared line, offset and place", OPTION_FLAG, AT(all), 0, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
	{ 0, "c2c-compat", NULL,
	  "sections and figures of perf c2c report, counted as perf\ncounts (docs/counting.md says "
	  "how that differs)",
	  OPTION_FLAG, AT(c2c), 0, 0 },
	{ 0, "symfs", "DIR", "look for programs, libraries and their debug files below DIR",
	  OPTION_TEXT, AT(symfs), 0, 0 },
	{ 0, "debuginfod", NULL,
	  "ask debuginfod's servers (DEBUGINFOD_URLS) for debug\ninformation that is not here",
	  OPTION_FLAG, AT(fetch), 0, 0 },
	{ 'd', "display", "tot|rmt|lcl|peer",
	  "with --c2c-compat: what lines are ranked by (default tot,\npeer for a recording of Arm)",
	  OPTION_TEXT, AT(display), 0, 0 },
};

static const struct option_usage usage = {
	"report",
	"[OPTIONS]",
	"Shows which memory lines of a recording are contended, by whom, and in which fields.",
	rows,
	ARRAY_SIZE(rows),
	true,
};

static struct err *choose_format(struct report_command *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(FORMATS); i++)
		if (strcmp(FORMATS[i].name, c->format) == 0)
			c->print = FORMATS[i].print;
	if (c->print)
		return NULL;
	return err_next(err_new(ERR_USAGE, "report: --format %s is not known", c->format),
			"use text, json, csv, html, folded or markdown");
}

static struct err *check_by(const struct report_command *c)
{
	bool functions = strcmp(c->by, "function") == 0, buckets = strcmp(c->by, "bucket") == 0;

	if (!functions && !buckets && strcmp(c->by, "line") != 0)
		return err_next(err_new(ERR_USAGE, "report: --by %s is not known", c->by),
				"use line, function or bucket");
	if (buckets &&
	    (c->c2c || (strcmp(c->format, "text") != 0 && strcmp(c->format, "json") != 0)))
		return err_next(err_new(ERR_USAGE, "report: --by bucket is plain text or JSON"),
				"leave out --c2c-compat, and use --format text or json");
	if (functions && (c->c2c || strcmp(c->format, "text") != 0))
		return err_next(err_new(ERR_USAGE, "report: --by function is plain text only"),
				"leave out --format and --c2c-compat; json has both at once, under "
				"\"lines\" and \"functions\"");
	return NULL;
}

static struct err *check_fetch(const struct report_command *c)
{
	const char *path = getenv("PATH"), *servers = getenv("DEBUGINFOD_URLS");
	struct err *e;
	char *program;

	if (!c->fetch)
		return NULL;
	e = program_find(DEBUGINFOD_PROGRAM, path ? path : "", &program);
	if (e) {
		err_free(e);
		return err_next(err_new(ERR_UNSUPPORTED,
					"report: --debuginfod needs " DEBUGINFOD_PROGRAM
					", which is not in PATH"),
				"apt-get install debuginfod");
	}
	free(program);
	if (servers && *servers)
		return NULL;
	return err_next(err_new(ERR_USAGE, "report: --debuginfod: DEBUGINFOD_URLS names no server"),
			"export DEBUGINFOD_URLS=https://debuginfod.debian.net, or that of your "
			"distribution");
}

/* Before anything is read. */
static struct err *check_c2c(const struct report_command *c)
{
	if (strcmp(c->format, "text") != 0)
		return err_next(
			err_new(ERR_USAGE, "report: --c2c-compat is text, not %s", c->format),
			"leave out --format, or leave out --c2c-compat");
	if (c->display && !c2c_display_find(c->display, NULL))
		return err_next(err_new(ERR_USAGE, "report: --display %s is not known", c->display),
				"use tot, rmt, lcl or peer");
	return NULL;
}

/* ---- What to do */

/* "event cycles carries", "events a and b carry": those that gave samples. */
static char *blame_events(const struct recording *r)
{
	char *names = mem_strdup("");
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->event_count; i++) {
		char *longer;

		if (!r->events[i].samples || !r->events[i].name)
			continue;
		longer = mem_printf("%s%s%s", names, count++ ? ", " : "", r->events[i].name);
		free(names);
		names = longer;
	}
	if (count) {
		char *text = mem_printf("event%s %s", count > 1 ? "s" : "", names);

		free(names);
		return text;
	}
	free(names);
	return mem_strdup("its events");
}

static struct err *nothing_usable(const struct recording *r, uint64_t without_address,
				  uint64_t without_source)
{
	char *events = blame_events(r);
	struct err *e;

	if (without_address)
		e = err_new(ERR_FAILED,
			    "report: no memory samples in %s: %s: %" PRIu64
			    " loads and stores without an address",
			    r->path, events, without_address);
	else if (without_source)
		e = err_new(ERR_FAILED,
			    "report: no memory samples in %s: %s: no data source in %" PRIu64
			    " samples",
			    r->path, events, without_source);
	else
		e = err_new(ERR_FAILED, "report: no memory samples in %s: it holds no samples",
			    r->path);
	free(events);
	if (r->aux_bytes)
		return err_next(e,
				"its %" PRIu64 " bytes of %s trace tell of no memory access: "
				"record with hitmap record -- PROGRAM, perf c2c record or perf mem "
				"record",
				r->aux_bytes, r->aux_kind ? r->aux_kind : "hardware");
	return err_next(e, "record with hitmap record -- PROGRAM, perf c2c record or perf mem "
			   "record");
}

/* ---- Names of the kernel's addresses */

static bool is_running(const struct recording *r)
{
	struct utsname host;

	return r->kernel && !uname(&host) && !strcmp(host.release, r->kernel);
}

/* Files that were asked for must be good; of what the running kernel offers, what is missing for
 * a reason that the user can mend is told. */
static struct err *open_symbols(const struct report_command *c, bool running,
				struct kernel_names *names)
{
	struct err *e = NULL;

	if (c->map || (running && !names->symbols))
		e = kernel_symbols_open(c->map ?: "/proc/kallsyms", &names->symbols);
	if (c->map || !e)
		return e;
	err_print(e, stderr);
	err_free(e);
	return NULL;
}

/* A vmlinux may have types or symbols or both; one of them it must have. */
static struct err *open_vmlinux(const struct report_command *c, struct intern *pool,
				struct kernel_names *names)
{
	struct err *e = type_btf_open(c->vmlinux, NULL, pool, &names->types);

	if (!c->map) /* BTF alone has none, and that is fine */
		err_free(kernel_symbols_open(c->vmlinux, &names->symbols));
	if (names->symbols)
		names->dwarf = dwarf_open(c->vmlinux, NULL, pool);
	if (!e || !names->symbols)
		return e;
	err_free(e);
	return NULL;
}

static struct err *other_kernel(const struct report_command *c, const struct recording *r)
{
	return err_next(err_new(ERR_FAILED,
				"report: %s is of another kernel than the recording, by its build "
				"id or by where its image was",
				c->map ?: c->vmlinux),
			"give the vmlinux or System.map of Linux %s",
			r->kernel ?: "(not recorded)");
}

/* A modelled run has no kernel in it. */
static struct err *name_kernel(const struct report_command *c, const struct recording *r,
			       bool modelled, struct intern *pool, struct attrib *attrib,
			       struct kernel_names *names)
{
	bool running = !modelled && is_running(r), given;
	struct err *e = c->vmlinux ? open_vmlinux(c, pool, names) : NULL;

	if (!c->vmlinux && running) /* what it lacks is said row by row */
		err_free(type_btf_open(TYPE_BTF_KERNEL, NULL, pool, &names->types));
	given = c->map || names->symbols;
	if (!e)
		e = open_symbols(c, running, names);
	if (!attrib_kernel_names(attrib, names) && given && !e)
		e = other_kernel(c, r);
	return e;
}

static struct err *write_report(const struct report_command *c, const struct recording *r,
				const struct profile *p, struct attrib *attrib)
{
	struct report_options options;
	struct output out;
	struct err *e = output_open(&out, "report", c->output);

	if (e)
		return e;
	options = output_options(&out, c->top, c->all, c->ascii);
	options.functions = strcmp(c->by, "function") == 0;
	options.buckets = strcmp(c->by, "bucket") == 0;
	c->print(out.file, r, p, attrib, &options);
	return output_close(&out);
}

static struct attrib *new_attrib(const struct report_command *c, struct intern *pool)
{
	struct attrib *a = attrib_new(pool);
	const char *slash = strrchr(c->input, '/');

	attrib_set_root(a, c->symfs);
	attrib_set_fetch(a, c->fetch);
	attrib_set_jit_folder(a, slash ? intern_bytes(pool, c->input, slash - c->input) : ".");
	return a;
}

/* Buckets of a table that is evenly used are small each. */
static struct profile_wish wish(const struct report_command *c)
{
	bool buckets = strcmp(c->by, "bucket") == 0;

	return (struct profile_wish){ .least = c->all || buckets ? 0 : REPORT_SMALLEST,
				      .touched = buckets };
}

/* A recording that cannot be read to its end is reported as far as it goes, and then the error. */
static struct err *report_source(const struct report_command *c, struct source *s,
				 struct intern *pool)
{
	struct attrib *attrib = new_attrib(c, pool);
	struct profile *p = NULL;
	struct kernel_names names = { 0 };
	struct err *e = profile_read(s, attrib, wish(c), &p), *write = NULL;

	if (!e)
		e = name_kernel(c, &s->recording, p->model != NULL, pool, attrib, &names);
	/* A model that sampled nothing has its reasons, and operations need no samples. */
	if (p->total.samples || p->model || p->operation_count)
		write = write_report(c, &s->recording, p, attrib);
	else if (!e)
		e = nothing_usable(&s->recording, p->unusable_no_address, p->unusable_no_source);
	profile_free(p);
	attrib_free(attrib);
	kernel_names_deinit(&names);
	if (!e)
		return write;
	err_free(write);
	return e;
}

static struct err *write_c2c(const struct report_command *c, const struct recording *r,
			     const struct c2c *c2c, struct attrib *attrib)
{
	const struct c2c_display *display = c2c_display_find(c->display, r);
	struct output out;
	struct err *e = output_open(&out, "report", c->output);

	if (e)
		return e;
	report_c2c(out.file, r, c2c, attrib, display, c->all);
	return output_close(&out);
}

static struct err *report_source_c2c(const struct report_command *c, struct source *s,
				     struct intern *pool)
{
	struct attrib *attrib = new_attrib(c, pool);
	struct c2c *c2c = NULL;
	struct err *e = c2c_read(s, attrib, &c2c), *write = NULL;
	const uint32_t *n = c2c->total.n;
	uint32_t lost = n[C2C_LD_NO_ADDRESS] + n[C2C_ST_NO_ADDRESS];

	if (n[C2C_LOADS] + n[C2C_STORES] > lost)
		write = write_c2c(c, &s->recording, c2c, attrib);
	else if (!e)
		e = nothing_usable(&s->recording, lost, n[C2C_NO_PARSE]);
	c2c_free(c2c);
	attrib_free(attrib);
	if (!e)
		return write;
	err_free(write);
	return e;
}

static struct err *report(const struct report_command *c)
{
	struct intern *pool = intern_new();
	struct source *s = NULL;
	struct err *e = perfdata_open(c->input, pool, &s);

	if (!e)
		e = c->c2c ? report_source_c2c(c, s, pool) : report_source(c, s, pool);
	source_close(s);
	intern_free(pool);
	return e;
}

struct err *cmd_report(int argc, char **argv)
{
	struct report_command c = { .input = "perf.data", .format = "text", .by = "line" };
	bool helped;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &c, &rest, &helped);

	if (e || helped)
		return e;
	if (rest < argc)
		return err_next(err_new(ERR_USAGE, "report: %s is not an option", argv[rest]),
				"a recording is given as -i %s", argv[rest]);
	e = check_by(&c);
	if (!e)
		e = check_fetch(&c);
	if (!e)
		e = c.c2c ? check_c2c(&c) : choose_format(&c);
	return e ? e : report(&c);
}
