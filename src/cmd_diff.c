// SPDX-License-Identifier: GPL-2.0-only
/* hitmap diff: recordings before and after a change, field by field. */
#include "command.h"
#include "mem.h"
#include "option.h"
#include "output.h"
#include "perfdata_read.h"
#include "report_diff.h"
#include "threshold.h"

#include <stdlib.h>
#include <string.h>

#define DIFF_RECORDINGS 64 /* of both sides together, at most */

typedef void diff_function(FILE *out, const struct diff *d, const struct report_options *options);

static const struct {
	const char *name;
	diff_function *print;
} FORMATS[] = {
	{ "text", report_diff },	  { "json", report_diff_json },
	{ "csv", report_diff_csv },	  { "html", report_diff_html },
	{ "folded", report_diff_folded }, { "markdown", report_diff_markdown },
};

struct diff_command {
	const char *output, *format, *fail_on;
	uint32_t top;
	bool all, ascii;
	diff_function *print;
};

#define AT(member) offsetof(struct diff_command, member)

static const struct option_row rows[] = {
	{ 'f', "format", "text|json|csv|html|folded|markdown", "the default is text", OPTION_TEXT,
	  AT(format), 0, 0 },
	{ 'o', "output", "FILE", "where to write it (default standard output)", OPTION_TEXT,
	  AT(output), 0, 0 },
	{ 0, "fail-on", "CONDITIONS",
	  "exit with 4 when one holds, such as 'hitm_per_op > +10%'\n"
	  "(docs/diff.md has the grammar)",
	  OPTION_TEXT, AT(fail_on), 0, 0 },
	{ 0, "top", "N", "show N objects at most (default 10)", OPTION_U32, AT(top), 1,
	  UINT32_MAX },
	{ 0, "all", NULL, "show every object", OPTION_FLAG, AT(all), 0, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
};

static const struct option_usage usage = {
	"diff",
	"[OPTIONS] BEFORE AFTER | [OPTIONS] BEFORE... -- AFTER...",
	"Compares recordings by object and field, never by address, and tells what is beyond "
	"noise.\n"
	"With three recordings a side or more the noise is that between them.",
	rows,
	ARRAY_SIZE(rows),
	false, /* "--" stands between the sides */
};

/* A recording, read to its end. */
struct reading {
	struct source *source;
	struct attrib *attrib;
	struct profile *profile;
};

static struct err *reading_open(struct reading *r, const char *path, struct intern *pool)
{
	struct err *e = perfdata_open(path, pool, &r->source);

	if (e)
		return e;
	r->attrib = attrib_new(pool);
	e = profile_read(r->source, r->attrib, (struct profile_wish){ 0 }, &r->profile);
	if (!e && !r->profile->total.samples && !r->profile->model)
		e = err_next(err_new(ERR_FAILED, "diff: no memory samples in %s", path),
			     "hitmap report -i %s says what it holds", path);
	return e;
}

static void reading_close(struct reading *r)
{
	profile_free(r->profile);
	attrib_free(r->attrib);
	source_close(r->source);
}

/* ---- Which recordings */

struct paths {
	const char *path[DIFF_RECORDINGS];
	enum diff_side side[DIFF_RECORDINGS];
	uint32_t count, of_side[DIFF_SIDES];
};

static struct err *paths_read(struct paths *p, int argc, char **argv)
{
	enum diff_side side = DIFF_BEFORE;
	bool dashes = false;

	for (int i = 0; i < argc; i++)
		dashes |= !strcmp(argv[i], "--");
	if (argc > DIFF_RECORDINGS)
		return err_next(err_new(ERR_USAGE, "diff: %d recordings are too many", argc),
				"%d at most", DIFF_RECORDINGS);
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			side = DIFF_AFTER;
			continue;
		}
		if (!dashes && i == 1)
			side = DIFF_AFTER;
		p->path[p->count] = argv[i];
		p->side[p->count++] = side;
		p->of_side[side]++;
	}
	if (!p->of_side[DIFF_BEFORE] || !p->of_side[DIFF_AFTER] || (!dashes && p->count != 2))
		return err_next(err_new(ERR_USAGE,
					"diff: takes two recordings, or several on both sides "
					"of --"),
				"hitmap diff BEFORE AFTER, or hitmap diff BEFORE... -- AFTER...");
	return NULL;
}

/* ---- What to do */

static struct err *write_diff(const struct diff_command *c, const struct diff *d)
{
	struct report_options options;
	struct output out;
	struct err *e = output_open(&out, "diff", c->output);

	if (e)
		return e;
	options = output_options(&out, c->top, c->all, c->ascii);
	c->print(out.file, d, &options);
	return output_close(&out);
}

static struct err *compare_readings(const struct diff_command *c, const struct paths *p,
				    const struct reading *reading, struct intern *pool)
{
	struct diff_run runs[DIFF_RECORDINGS];
	struct diff *d;
	struct err *e;

	for (uint32_t i = 0; i < p->count; i++)
		runs[i] = (struct diff_run){ .side = p->side[i],
					     .recording = &reading[i].source->recording,
					     .profile = reading[i].profile,
					     .attrib = reading[i].attrib };
	d = diff_new(pool, runs, p->count);
	e = write_diff(c, d);
	if (!e && c->fail_on)
		e = threshold_judge(c->fail_on, d);
	diff_free(d);
	return e;
}

static struct err *compare(const struct diff_command *c, const struct paths *p)
{
	struct intern *pool = intern_new();
	struct reading reading[DIFF_RECORDINGS] = { 0 };
	struct err *e = NULL;

	for (uint32_t i = 0; i < p->count && !e; i++)
		e = reading_open(&reading[i], p->path[i], pool);
	if (!e)
		e = compare_readings(c, p, reading, pool);
	for (uint32_t i = 0; i < p->count; i++)
		reading_close(&reading[i]);
	intern_free(pool);
	return e;
}

static struct err *choose_format(struct diff_command *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(FORMATS); i++)
		if (!strcmp(FORMATS[i].name, c->format))
			c->print = FORMATS[i].print;
	if (c->print)
		return NULL;
	return err_next(err_new(ERR_USAGE, "diff: --format %s is not known", c->format),
			"use text, json, csv, html, folded or markdown");
}

struct err *cmd_diff(int argc, char **argv)
{
	struct diff_command c = { .format = "text" };
	struct paths p = { .count = 0 };
	bool helped;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &c, &rest, &helped);

	if (e || helped)
		return e;
	e = choose_format(&c);
	if (!e && c.fail_on)
		e = threshold_check(c.fail_on);
	if (!e)
		e = paths_read(&p, argc - rest, argv + rest);
	return e ? e : compare(&c, &p);
}
