/* SPDX-License-Identifier: GPL-2.0-only */
/* Command-line options as a table, which parsing and --help are made from. */
#ifndef HITMAP_OPTION_H
#define HITMAP_OPTION_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_U32, OPTION_U64, OPTION_LIST };

/* Of an option that may be given several times; "item" is the command's to free. */
struct option_list {
	const char **item;
	uint32_t count, room;
};

struct option_row {
	char letter;	      /* 0: long form only */
	const char *name;     /* "machine" */
	const char *argument; /* "NAME|FILE"; NULL for a flag */
	const char *help;     /* may have several lines */
	enum option_kind kind;
	size_t at;	      /* of the bool, const char *, uint32_t, uint64_t or struct option_list
			       * in the command's structure */
	uint64_t least, most; /* of a number */
};

struct option_usage {
	const char *command;  /* "record" */
	const char *synopsis; /* "[OPTIONS] -- PROGRAM [ARGUMENTS]" */
	const char *summary;
	const struct option_row *rows;
	size_t count;
	bool mixed; /* options may stand behind other arguments, which are then put last */
};

/*
 * Sets what argv says in "*options". "*rest": index of the first argument that is no option; those
 * behind it are left alone. "*helped": --help was given and has been printed.
 */
struct err *option_parse(int argc, char **argv, const struct option_usage *usage, void *options,
			 int *rest, bool *helped);

#endif
