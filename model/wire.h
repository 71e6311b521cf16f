/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a front door says to "hitmap record" over a Unix stream socket. The door connects to the
 * path it was given, sends WIRE_HELLO and receives one struct model_config; then it sends messages
 * until it closes. A door whose peer is gone stops modelling and lets the program run on. Both ends
 * are built together and run on one machine: native byte order, no padding surprises.
 */
#ifndef HITMAP_WIRE_H
#define HITMAP_WIRE_H

#include "model.h"

/* The environment variable in which compile-time hooks find the socket's path. */
#define WIRE_ENVIRONMENT "HITMAP_MODEL_SOCKET"
#define WIRE_TEXT	 4096 /* most bytes of a path or name, NUL included */

enum wire_type {
	WIRE_HELLO = 1, /* struct wire_hello */
	WIRE_SAMPLES,	/* struct model_sample[], whatever fits in the message */
	WIRE_MAP,	/* struct wire_map + path */
	WIRE_COMM,	/* struct wire_task + name */
	WIRE_TASK,	/* struct wire_task: a thread has started */
	WIRE_EXIT,	/* struct wire_task: a thread has ended */
	WIRE_THREAD,	/* struct model_thread_total */
	WIRE_LINE,	/* struct model_line_total[] */
	WIRE_TOTAL,	/* struct model_total: the recording is complete */
	WIRE_REMARK,	/* text: something the user should know about what was not seen */
};

struct wire_head {
	uint32_t type;
	uint32_t size; /* of the whole message, this head included; at most WIRE_MESSAGE */
};
#define WIRE_MESSAGE (1u << 20)

struct wire_hello {
	uint32_t version; /* MODEL_VERSION */
	uint32_t pid;
	char door[16];	 /* "qemu" or "hooks" */
	char detail[48]; /* e.g. "qemu-x86_64 7.2.22, plugin API 1" */
};

struct wire_task {
	uint64_t cycles; /* virtual time */
	uint32_t pid, tid, parent_tid, pad;
};

/* One mapping of the program, from the program's own view of its address space. */
struct wire_map {
	uint64_t cycles;
	uint64_t start, size, offset; /* offset: bytes into the file */
	uint64_t inode;
	uint32_t pid, major, minor, prot, flags, pad; /* prot, flags: PROT_ and MAP_ bits */
};

#endif
