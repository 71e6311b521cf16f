// SPDX-License-Identifier: GPL-2.0-only
/* hitmap align: what a layout costs, and whether one changed. */
#include "align_builds.h"
#include "align_sheet.h"
#include "command.h"
#include "layout_file.h"
#include "mem.h"
#include "option.h"
#include "output.h"
#include "perfdata_read.h"
#include "report_align.h"

#include <stdlib.h>
#include <string.h>

struct align_command {
	const char *output, *object, *format, *target, *input;
	uint32_t top, step;
	bool all, ascii, sensitivity;
};

#define AT(member) offsetof(struct align_command, member)

static const struct option_row rows[] = {
	{ 0, "object", "NAME",
	  "of one recording: only the object, or the type, of\nthis name; of two builds: only "
	  "this type",
	  OPTION_TEXT, AT(object), 0, 0 },
	{ 0, "target", "NAME",
	  "of two builds: the types and hot fields of a target:\nsignal, futex, ... or a file; see "
	  "docs/targets.md",
	  OPTION_TEXT, AT(target), 0, 0 },
	{ 'i', "input", "RECORDING", "of two builds: fields that are contended in it are hot",
	  OPTION_TEXT, AT(input), 0, 0 },
	{ 0, "step", "N", "bases to try are N bytes apart (default 8)", OPTION_U32, AT(step), 1,
	  64 },
	{ 0, "sensitivity", NULL, "rank objects by how much a move could cost", OPTION_FLAG,
	  AT(sensitivity), 0, 0 },
	{ 0, "format", "text|json|csv|html|markdown", "the default is text", OPTION_TEXT,
	  AT(format), 0, 0 },
	{ 'o', "output", "FILE", "where to write it (default standard output)", OPTION_TEXT,
	  AT(output), 0, 0 },
	{ 0, "top", "N", "show N objects at most", OPTION_U32, AT(top), 1, UINT32_MAX },
	{ 0, "all", NULL, "show every object", OPTION_FLAG, AT(all), 0, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
};

static const struct option_usage usage = {
	"align",
	"[OPTIONS] RECORDING | BEFORE AFTER | OLD-BUILD NEW-BUILD",
	"Of one recording: what each contended object would cost at another place in its line, "
	"and\n"
	"which change of its layout helps. Of two: whether an object or a field moved, lines "
	"merged\n"
	"or split, or only the use changed. Of two programs, kernels or files of BTF: which fields "
	"lie\n"
	"in another line or half, and what pushed them.",
	rows,
	ARRAY_SIZE(rows),
	true,
};

/* One recording, read to its end. */
struct side {
	struct source *source;
	struct attrib *attrib;
	struct profile *profile;
	struct use_set use;
};

static struct err *side_read(struct side *s, const char *path, struct intern *pool)
{
	struct err *e = perfdata_open(path, pool, &s->source);

	if (e)
		return e;
	s->attrib = attrib_new(pool);
	e = profile_read(s->source, s->attrib, (struct profile_wish){ 0 }, &s->profile);
	if (!e && !s->profile->total.samples)
		e = err_next(err_new(ERR_FAILED, "align: no memory samples in %s", path),
			     "hitmap report -i %s says what it holds", path);
	if (!e)
		object_use_init(&s->use, s->profile, s->attrib, pool);
	return e;
}

static void side_close(struct side *s)
{
	object_use_deinit(&s->use);
	profile_free(s->profile);
	attrib_free(s->attrib);
	source_close(s->source);
}

static struct err *find_object(const struct align_command *c, const char *path,
			       const struct use_set *use, const struct use_object **object)
{
	*object = c->object ? object_use_find(use, c->object) : NULL;
	if (c->object && !*object)
		return err_next(err_new(ERR_FAILED,
					"align: no contended object or type \"%s\" in %s",
					c->object, path),
				"hitmap align %s lists those that are", path);
	if (!use->count)
		return err_next(
			err_new(ERR_FAILED, "align: no contended memory with a name in %s", path),
			"hitmap report -i %s shows what is contended; programs built with -g "
			"have names",
			path);
	return NULL;
}

static void write_one(const struct align_command *c, FILE *out, const struct report_what_if *what,
		      const struct report_options *o)
{
	const char *format = c->format ?: "text";
	struct align_sheets sheets;

	if (!strcmp(format, "json")) {
		report_what_if_json(out, what);
		return;
	}
	if (!strcmp(format, "text")) {
		report_what_if(out, what, o);
		return;
	}
	sheets = align_sheets_what_if(what);
	align_sheets_write(out, &sheets, format);
	align_sheets_deinit(&sheets);
}

static struct err *one(const struct align_command *c, const char *path)
{
	struct report_what_if what = { .recording = path,
				       .step = c->step ?: 8,
				       .sensitivity = c->sensitivity };
	struct intern *pool = intern_new();
	struct side side = { 0 };
	struct output out;
	struct err *e = side_read(&side, path, pool);

	what.use = &side.use;
	if (!e)
		e = find_object(c, path, &side.use, &what.only);
	if (!e)
		e = output_open(&out, "align", c->output);
	if (!e) {
		struct report_options o = output_options(&out, c->top, c->all, c->ascii);

		write_one(c, out.file, &what, &o);
		e = output_close(&out);
	}
	side_close(&side);
	intern_free(pool);
	return e;
}

static struct err *write_two(const struct align_command *c, struct side side[ALIGN_SIDES],
			     char *const path[ALIGN_SIDES])
{
	struct align_input in[ALIGN_SIDES];
	struct align a;
	struct report_align r = { { path[0], path[1] }, &a };
	struct report_options o;
	struct output out;
	struct err *e = output_open(&out, "align", c->output);

	if (e)
		return e;
	for (int s = 0; s < ALIGN_SIDES; s++)
		in[s] = (struct align_input){ &side[s].use, side[s].profile,
					      profile_seconds(side[s].profile,
							      &side[s].source->recording) };
	align_init(&a, in);
	o = output_options(&out, c->top, c->all, c->ascii);
	if (c->format && !strcmp(c->format, "json")) {
		report_align_json(out.file, &r);
	} else if (!c->format || !strcmp(c->format, "text")) {
		report_align(out.file, &r, &o);
	} else {
		struct align_sheets sheets = align_sheets_two(&r);

		align_sheets_write(out.file, &sheets, c->format);
		align_sheets_deinit(&sheets);
	}
	align_deinit(&a);
	return output_close(&out);
}

static struct err *two(const struct align_command *c, char *const path[ALIGN_SIDES])
{
	struct intern *pool = intern_new();
	struct side side[ALIGN_SIDES] = { 0 };
	struct err *e = side_read(&side[0], path[0], pool);

	if (!e)
		e = side_read(&side[1], path[1], pool);
	if (!e)
		e = write_two(c, side, path);
	side_close(&side[0]);
	side_close(&side[1]);
	intern_free(pool);
	return e;
}

/* ---- Two builds */

static struct err *builds(const struct align_command *c, char *const path[BUILD_SIDES])
{
	struct align_builds ask = {
		.path = { path[0], path[1] },
		.object = c->object,
		.target = c->target,
		.recording = c->input,
		.format = c->format,
		.output = c->output,
		.top = c->top,
		.all = c->all,
		.ascii = c->ascii,
	};
	struct intern *pool = intern_new();
	struct side side = { 0 };
	struct err *e = c->input ? side_read(&side, c->input, pool) : NULL;

	if (!e && c->input)
		ask.use = &side.use;
	if (!e)
		e = align_builds(&ask);
	if (c->input)
		side_close(&side);
	intern_free(pool);
	return e;
}

/* ---- What is asked */

static struct err *check_format(const char *format)
{
	static const char *const known[] = { "text", "json", "csv", "html", "markdown" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!format || !strcmp(format, known[i]))
			return NULL;
	return err_next(err_new(ERR_USAGE, "align: there is no format \"%s\"", format),
			"use text, json, csv, html or markdown");
}

static struct err *check(const struct align_command *c, int files)
{
	if (files != 1 && files != 2)
		return err_next(err_new(ERR_USAGE,
					"align: takes one recording or two files, not %d", files),
				"hitmap align RECORDING, or hitmap align BEFORE AFTER");
	if (c->step & (c->step - 1))
		return err_next(err_new(ERR_USAGE, "align: --step %u is no power of two", c->step),
				"such as --step 4 or --step 8");
	if (files == 2 && c->sensitivity)
		return err_next(err_new(ERR_USAGE, "align: --sensitivity is of one recording"),
				"hitmap align --sensitivity RECORDING");
	return check_format(c->format);
}

static struct err *check_recordings(const struct align_command *c, int files)
{
	if (c->target || c->input)
		return err_next(err_new(ERR_USAGE, "align: --target and -i are of two builds"),
				"hitmap align --target NAME OLD-BUILD NEW-BUILD: programs, kernels "
				"or files of BTF");
	if (files == 2 && c->object)
		return err_next(err_new(ERR_USAGE, "align: --object is of one recording, or of two "
						   "builds"),
				"hitmap align --object NAME RECORDING");
	return NULL;
}

static struct err *check_builds(const struct align_command *c, char *const path[BUILD_SIDES])
{
	int is = layout_file_is(path[0]);

	if (is != layout_file_is(path[1]))
		return err_next(err_new(ERR_USAGE, "align: %s is a program or BTF, %s is not",
					path[!is], path[is]),
				"give two recordings or two builds");
	if (c->target && c->input)
		return err_next(err_new(ERR_USAGE, "align: --target and -i both say what is hot"),
				"give one of them");
	return NULL;
}

struct err *cmd_align(int argc, char **argv)
{
	struct align_command c = { 0 };
	bool helped, built;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &c, &rest, &helped);

	if (e || helped)
		return e;
	argv += rest;
	argc -= rest;
	e = check(&c, argc);
	if (e)
		return e;
	built = argc == 2 && (layout_file_is(argv[0]) || layout_file_is(argv[1]));
	e = built ? check_builds(&c, argv) : check_recordings(&c, argc);
	if (e)
		return e;
	if (built)
		return builds(&c, argv);
	return argc == 1 ? one(&c, argv[0]) : two(&c, argv);
}
