/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program under the software model and writes what the model says as a recording. */
#ifndef HITMAP_MODEL_RUN_H
#define HITMAP_MODEL_RUN_H

#include "err.h"
#include "model.h"

struct model_run {
	const char *output;	   /* path of the perf.data */
	const char *plugin_folder; /* where the QEMU plugin shims are */
	const char *qemu;	   /* qemu-x86_64 to use, or NULL: search PATH, then "plugin_folder" */
	const char *path;	   /* the environment's PATH, for finding programs */
	const char *temp_folder;   /* for the socket */
	struct model_config config;
	int record_argc;
	char *const *record_argv;  /* hitmap's own command line, for the recording */
	char *const *argv;	   /* the program and its arguments, NULL-terminated */
	const volatile int *interrupted; /* set by a signal handler: the signal's number */
};

struct model_result {
	uint64_t samples, bytes;
	int exit_code;	 /* of the program, when it exited */
	int term_signal; /* that ended it, or 0 */
	bool complete;	 /* the model's totals arrived */
	char door[64];
};

/* The recording is kept whenever the program was started, also when this returns an error. */
struct err *model_run(const struct model_run *run, struct model_result *result);

#endif
