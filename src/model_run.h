/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program under the software model and writes what the model says as a recording. */
#ifndef HITMAP_MODEL_RUN_H
#define HITMAP_MODEL_RUN_H

#include "err.h"
#include "model.h"
#include "operation.h"

#include <signal.h>
#include <stdbool.h>

/* How the model sees the program's accesses. */
enum model_door {
	MODEL_DOOR_AUTO, /* hooks when the program has them, else QEMU */
	MODEL_DOOR_QEMU,
	MODEL_DOOR_HOOKS,
};

struct model_run {
	const char *output;	   /* path of the perf.data; an older one is kept as "output.old" */
	const char *plugin_folder; /* where the QEMU plugin shims are */
	const char *qemu;	   /* qemu-x86_64 to use, or NULL: search PATH, then "qemu_spare" */
	const char *const *qemu_spare; /* NULL-terminated */
	enum model_door door;
	const char *path;	 /* the environment's PATH, for finding programs */
	const char *temp_folder; /* for the socket */
	struct model_config config;
	/* Counted for the program's process on this machine, without their time; NULL: none. */
	struct operation_set *operations;
	const char *host, *kernel, *recorder; /* for the recording's header; may be NULL */
	int record_argc;
	char *const *record_argv; /* hitmap's own command line, for the recording */
	char *const *argv;	  /* the program and its arguments, NULL-terminated */
	char *const *environment; /* the program's */
	const char *heap_library; /* that logs the heap's blocks; NULL: they are not logged */
	/* Interrupts so far, counted by a signal handler: after the first the program gets two
	 * seconds to end by itself, after the second none. */
	const volatile sig_atomic_t *interrupts;
	/* Called a few times a second; may be NULL. */
	void (*progress)(void *context, uint64_t samples, uint64_t bytes);
	void *context;
};

struct model_result {
	uint64_t samples, bytes; /* samples: of the recording, an RMW is two */
	int exit_code;		 /* of the program, when it exited */
	int term_signal;	 /* that ended it, or 0 */
	bool killed;		 /* by hitmap, after an interrupt */
	bool complete;		 /* the model's totals arrived */
	bool connected;		 /* a front door reported at all */
	uint32_t threads;
	char door[64];
};

/* The recording is kept whenever the program was started, also when this returns an error. */
struct err *model_run_program(const struct model_run *run, struct model_result *result);

#endif
