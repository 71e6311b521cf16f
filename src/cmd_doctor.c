// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"
#include "doctor_show.h"
#include "mem.h"
#include "option.h"
#include "paths.h"

#include <stdlib.h>

struct doctor_options {
	bool json;
	const char *sysroot;
};

#define AT(member) offsetof(struct doctor_options, member)

static const struct option_row rows[] = {
	{ 0, "json", NULL, "as JSON; docs/json.md names the fields", OPTION_FLAG, AT(json), 0, 0 },
	{ 0, "sysroot", "DIR", "the machine whose /sys and /proc are below DIR; opens no events",
	  OPTION_TEXT, AT(sysroot), 0, 0 },
};

static const struct option_usage usage = {
	"doctor",
	"[OPTIONS]",
	"Says what this machine and this user can record with, what fails where, and what to do\n"
	"next. Opens each event for a moment and looks whether samples arrive.\n"
	"Exit status 3: no hardware source is usable.",
	rows,
	ARRAY_SIZE(rows),
	true,
};

static struct err *examine(const struct doctor_options *o, const struct paths *paths)
{
	const char *path = getenv("PATH");
	struct doctor_ask ask = {
		.root = o->sysroot ? o->sysroot : "",
		.emulator = { .path = path && *path ? path : "/usr/local/bin:/usr/bin:/bin",
			      .spare = (const char *const *)paths->spare_qemu,
			      .plugin_folder = paths->lib },
	};
	struct err *e = NULL;
	struct doctor d;

	doctor_examine(&ask, &d);
	(o->json ? doctor_show_json : doctor_show_text)(&d, stdout);
	if (!doctor_has_hardware(&d))
		e = err_next(err_new(ERR_UNSUPPORTED, "doctor: no hardware source is usable"),
			     "the sources above that say yes are; docs/doctor.md explains each");
	doctor_deinit(&d);
	return e;
}

struct err *cmd_doctor(int argc, char **argv)
{
	struct doctor_options o = { 0 };
	struct paths paths = { 0 };
	bool helped;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &o, &rest, &helped);

	if (e || helped)
		return e;
	if (rest != argc)
		return err_next(err_new(ERR_USAGE, "doctor: arguments that are no options"),
				"see hitmap doctor --help");
	e = paths_find(&paths);
	if (!e)
		e = examine(&o, &paths);
	paths_deinit(&paths);
	return e;
}
