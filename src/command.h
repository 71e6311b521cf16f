/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of hitmap; main() finds them by name. */
#ifndef HITMAP_COMMAND_H
#define HITMAP_COMMAND_H

#include "err.h"

struct command {
	const char *name, *args, *summary;
	/* argv[0] is the command's name. */
	struct err *(*run)(int argc, char **argv);
};

struct err *cmd_record(int argc, char **argv);
struct err *cmd_report(int argc, char **argv);
struct err *cmd_bench(int argc, char **argv);
struct err *cmd_cc(int argc, char **argv);
struct err *cmd_diff(int argc, char **argv);
struct err *cmd_align(int argc, char **argv);
struct err *cmd_live(int argc, char **argv);
struct err *cmd_tui(int argc, char **argv);
struct err *cmd_doctor(int argc, char **argv);
struct err *cmd_calibrate(int argc, char **argv);
struct err *cmd_objects(int argc, char **argv);

#endif
