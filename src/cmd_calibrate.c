// SPDX-License-Identifier: GPL-2.0-only
/* hitmap calibrate: measures how this machine moves lines. */
#include "calibrate.h"
#include "calibrate_show.h"
#include "command.h"
#include "host.h"
#include "mem.h"
#include "option.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 10

struct calibrate_command {
	const char *output;
	uint32_t seconds;
	bool json, ascii, quiet;
};

#define AT(member) offsetof(struct calibrate_command, member)

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "write a machine file, for hitmap record -M ./FILE", OPTION_TEXT,
	  AT(output), 0, 0 },
	{ 0, "seconds", "N", "how long to measure, about (default 10)", OPTION_U32, AT(seconds), 1,
	  600 },
	{ 0, "json", NULL, "as JSON; docs/json.md names the fields", OPTION_FLAG, AT(json), 0, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
	{ 'q', "quiet", NULL, "no progress", OPTION_FLAG, AT(quiet), 0, 0 },
};

static const struct option_usage usage = {
	"calibrate",
	"[OPTIONS]",
	"Measures how long a line takes between each two CPUs, what a contended counter does, and\n"
	"how many operations a CPU completes before it loses a line. Needs no PMU and no "
	"privilege;\n"
	"use it on an idle machine.",
	rows,
	ARRAY_SIZE(rows),
	true,
};

static void show_progress(void *context, uint32_t done, uint32_t of)
{
	(void)context;
	fprintf(stderr, "\r\033[Kmeasuring: %" PRIu32 " of %" PRIu32, done, of);
}

/* "AMD EPYC 7742, Linux 6.1.0, 2026-11-30"; the caller's. */
static char *about(void)
{
	struct host h;
	time_t t = time(NULL);
	struct tm now;
	char day[16] = "";

	host_read("", &h);
	if (gmtime_r(&t, &now))
		strftime(day, sizeof(day), "%Y-%m-%d", &now);
	return mem_printf("%s, Linux %s, %s", *h.cpu ? h.cpu : "processor not known", h.release,
			  day);
}

static struct err *write_machine(const struct calibrate_command *o, const struct calibrate *c)
{
	struct output out;
	struct err *e = output_open(&out, "calibrate", o->output);
	char *text;

	if (e)
		return e;
	text = about();
	calibrate_show_machine(out.file, c, text);
	free(text);
	return output_close(&out);
}

static struct err *show(const struct calibrate_command *o, const struct calibrate *c)
{
	struct output out = { .file = stdout, .command = "calibrate" };
	struct report_options looks = output_options(&out, 0, false, o->ascii);
	struct err *e = o->output ? write_machine(o, c) : NULL;

	if (e)
		return e;
	if (o->json)
		calibrate_show_json(stdout, c);
	else
		calibrate_show_text(stdout, c, looks.unicode);
	if (o->output && !o->quiet)
		fprintf(stderr, "hitmap: next: hitmap record -M %s%s -- PROGRAM\n",
			strchr(o->output, '/') ? "" : "./", o->output);
	return NULL;
}

struct err *cmd_calibrate(int argc, char **argv)
{
	struct calibrate_command o = { .seconds = SECONDS };
	struct calibrate_ask ask = { .root = "" };
	bool helped, tty = isatty(STDERR_FILENO);
	struct calibrate c;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &o, &rest, &helped);

	if (e || helped)
		return e;
	if (rest != argc)
		return err_next(err_new(ERR_USAGE, "calibrate: arguments that are no options"),
				"see hitmap calibrate --help");
	ask.seconds = o.seconds;
	if (tty && !o.quiet)
		ask.progress = show_progress;
	e = calibrate_run(&ask, &c);
	if (ask.progress)
		fputs("\r\033[K", stderr);
	if (!e)
		e = show(&o, &c);
	calibrate_deinit(&c);
	return e;
}
