/* SPDX-License-Identifier: GPL-2.0-only */
/* "hitmap record -o -" as a child: its recording through a pipe, its words in memory. */
#ifndef HITMAP_RECORDER_CHILD_H
#define HITMAP_RECORDER_CHILD_H

#include "err.h"

#include <stdbool.h>
#include <sys/types.h>

struct recorder_child {
	pid_t pid;     /* 0: none runs */
	int words;     /* a file in memory: what it and its program print; -1: none */
	int status;    /* of waitpid(), once it has ended */
	char *command; /* as the user would write it */
};

/* Runs this very program: "record", "options", "--" and "program". "*stream": the pipe's end to
 * read. Both lists end with NULL. */
struct err *recorder_child_start(struct recorder_child *c, char *const *options,
				 char *const *program, int *stream);
/* Whether it has ended by itself by now. */
bool recorder_child_ended(struct recorder_child *c);
/* Interrupts it, and kills it when it does not end. */
void recorder_child_stop(struct recorder_child *c);
/* The last line that it printed, to be freed; NULL: none. */
char *recorder_child_word(const struct recorder_child *c);

#endif
