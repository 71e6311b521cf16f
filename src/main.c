// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"
#include "mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "0.1"

static const struct command commands[] = {
	{ "record", "[OPTIONS] -- PROGRAM [ARGUMENTS]",
	  "run a program and record how it shares lines", cmd_record },
	{ "report", "[OPTIONS]", "show which lines of a recording are contended, and by whom",
	  cmd_report },
	{ "diff", "[OPTIONS] BEFORE AFTER", "compare two recordings, field by field", cmd_diff },
	{ "live", "[OPTIONS] [-- PROGRAM [ARGUMENTS]]",
	  "the same on the terminal, while it happens", cmd_live },
	{ "tui", "[OPTIONS] [BEFORE] AFTER", "recordings on the terminal", cmd_tui },
	{ "align", "[OPTIONS] RECORDING | BEFORE AFTER",
	  "what another layout would cost, and whether the layout changed", cmd_align },
	{ "doctor", "[OPTIONS]", "what this machine can record with, and what to do about the rest",
	  cmd_doctor },
	{ "calibrate", "[OPTIONS]", "measure how this machine moves lines, for the software model",
	  cmd_calibrate },
	{ "objects", "[OPTIONS]", "show where the running kernel's contended objects sit",
	  cmd_objects },
	{ "cc", "ARGUMENTS", "compile a C program so that it can be recorded without QEMU",
	  cmd_cc },
	{ "c++", "ARGUMENTS", "the same for C++", cmd_cc },
	{ "bench", "signal|futex --before|--after [OPTIONS]", "the two kernel changes as workloads",
	  cmd_bench },
};

static void print_usage(FILE *out)
{
	fprintf(out, "usage: hitmap COMMAND [OPTIONS]\n"
		     "Names the struct fields that fight over cachelines.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-9s %s\n            %s\n", commands[i].name, commands[i].summary,
			commands[i].args);
	fprintf(out, "\n\"hitmap COMMAND --help\" has a command's options.\n"
		     "\"hitmap --version\" says which version this is.\n");
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Prints and frees an error; the exit status that it stands for. */
static int finish(struct err *e)
{
	int status;

	if (!e && (fflush(stdout) || ferror(stdout)))
		e = err_new(ERR_FAILED, "hitmap: writing to standard output failed");
	status = err_exit(e);
	if (e)
		err_print(e, stderr);
	err_free(e);
	return status;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

/* "hitmap help report" is "hitmap report --help". */
static struct err *help_command(const struct command *command)
{
	char *argv[] = { (char *)command->name, (char *)"--help", NULL };

	return command->run(2, argv);
}

int main(int argc, char **argv)
{
	const struct command *command;
	bool helped;

	if (argc < 2) {
		print_usage(stderr);
		return ERR_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("hitmap " VERSION);
		return finish(NULL);
	}
	helped = is_help(argv[1]);
	if (helped && argc == 2) {
		print_usage(stdout);
		return finish(NULL);
	}
	command = find_command(argv[helped ? 2 : 1]);
	if (!command)
		return finish(err_next(err_new(ERR_USAGE, "hitmap: there is no command \"%s\"",
					       argv[helped ? 2 : 1]),
				       "hitmap --help lists the commands"));
	return finish(helped ? help_command(command) : command->run(argc - 1, argv + 1));
}
