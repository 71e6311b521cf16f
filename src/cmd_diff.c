// SPDX-License-Identifier: GPL-2.0-only
/* hitmap diff: two recordings, field by field. */
#include "command.h"
#include "mem.h"
#include "option.h"
#include "output.h"
#include "perfdata_read.h"
#include "report_diff.h"

#include <stdlib.h>

struct diff_command {
	const char *output;
	uint32_t top;
	bool all, ascii;
};

#define AT(member) offsetof(struct diff_command, member)

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "where to write it (default standard output)", OPTION_TEXT,
	  AT(output), 0, 0 },
	{ 0, "top", "N", "show N objects at most (default 10)", OPTION_U32, AT(top), 1,
	  UINT32_MAX },
	{ 0, "all", NULL, "show every object", OPTION_FLAG, AT(all), 0, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
};

static const struct option_usage usage = {
	"diff",
	"[OPTIONS] BEFORE AFTER",
	"Compares two recordings by object and field, never by address.",
	rows,
	ARRAY_SIZE(rows),
};

/* One recording, read to its end. */
struct side {
	struct source *source;
	struct attrib *attrib;
	struct profile *profile;
};

static struct err *side_read(struct side *s, const char *path, struct intern *pool)
{
	struct err *e = perfdata_open(path, pool, &s->source);

	if (e)
		return e;
	s->attrib = attrib_new(pool);
	e = profile_read(s->source, s->attrib, 0, &s->profile);
	if (!e && !s->profile->total.samples && !s->profile->model)
		e = err_next(err_new(ERR_FAILED, "diff: no memory samples in %s", path),
			     "hitmap report -i %s says what it holds", path);
	return e;
}

static void side_close(struct side *s)
{
	profile_free(s->profile);
	attrib_free(s->attrib);
	source_close(s->source);
}

static struct err *write_diff(const struct diff_command *c, struct side side[DIFF_SIDES],
			      struct intern *pool)
{
	const struct profile *profile[] = { side[0].profile, side[1].profile };
	struct attrib *attrib[] = { side[0].attrib, side[1].attrib };
	const struct recording *recording[] = { &side[0].source->recording,
						&side[1].source->recording };
	struct report_options options;
	struct output out;
	struct diff *d;
	struct err *e = output_open(&out, "diff", c->output);

	if (e)
		return e;
	options = output_options(&out, c->top, c->all, c->ascii);
	d = diff_new(pool, profile, attrib);
	report_diff(out.file, d, recording, &options);
	diff_free(d);
	return output_close(&out);
}

static struct err *compare(const struct diff_command *c, char *const path[DIFF_SIDES])
{
	struct intern *pool = intern_new();
	struct side side[DIFF_SIDES] = { 0 };
	struct err *e = side_read(&side[DIFF_BEFORE], path[DIFF_BEFORE], pool);

	if (!e)
		e = side_read(&side[DIFF_AFTER], path[DIFF_AFTER], pool);
	if (!e)
		e = write_diff(c, side, pool);
	side_close(&side[DIFF_BEFORE]);
	side_close(&side[DIFF_AFTER]);
	intern_free(pool);
	return e;
}

struct err *cmd_diff(int argc, char **argv)
{
	struct diff_command c = { 0 };
	bool helped;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &c, &rest, &helped);

	if (e || helped)
		return e;
	if (argc - rest != DIFF_SIDES)
		return err_next(
			err_new(ERR_USAGE, "diff: takes two recordings, not %d", argc - rest),
			"hitmap diff BEFORE AFTER");
	return compare(&c, argv + rest);
}
