/* SPDX-License-Identifier: GPL-2.0-only */
/* The program to be recorded: where it is, and whether the software model can run it. */
#ifndef HITMAP_PROGRAM_H
#define HITMAP_PROGRAM_H

#include "err.h"

#include <stdbool.h>
#include <sys/types.h>

/* The file that "name" stands for: itself when it has a slash, else the first executable file of
 * that name in "path" (as the environment's PATH). "*found" is to be freed. */
struct err *program_find(const char *name, const char *path, char **found);

/* An error when the model cannot run this file: not executable, a script, not x86-64, 32 bits.
 * "*hooks": it was built with "hitmap cc". */
struct err *program_check(const char *file, bool *hooks);

/* How it ended, and where what was recorded of it went ("-": into a pipe). */
struct program_end {
	bool interrupted, killed;
	int term_signal, exit_code;
	const char *output;
};

/* Its end as that of "hitmap record": an error that hands on its exit status; NULL when it ended
 * well. */
struct err *program_end_error(const struct program_end *end);

/* Starts it. "away": what it prints goes to standard error, since a recording is written to
 * standard output. Gives an errno, 0 when it runs. */
int program_start(const char *file, char **argv, char **environment, bool away, pid_t *child);

#endif
