/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One front door's connection: its bytes in, events out. The door lives in the program, which may
 * have overwritten it: nothing it says is trusted beyond its bounds.
 */
#ifndef HITMAP_DOOR_READ_H
#define HITMAP_DOOR_READ_H

#include "intern.h"
#include "source.h"
#include "wire.h"

struct door_output {
	void *context;
	/* An error ends the recording. */
	struct err *(*event)(void *context, const struct event *ev);
};

struct door {
	const struct door_output *output;
	struct intern *pool;
	uint32_t mhz;
	uint64_t base; /* ns at which its clock reads 0 */

	uint8_t *bytes; /* an unfinished message */
	size_t used, room;
	const char *malformed; /* why the connection cannot be followed further; interned */

	bool greeted, complete;
	uint32_t pid, remarks;
	char name[16], detail[48];
	uint64_t samples; /* of the model; an RMW is one */
	uint64_t latest;  /* ns: latest event */
	uint64_t low;	  /* ns: no event to come is earlier */
	uint32_t threads;
	struct model_total total; /* good when "complete" */
};

struct door *door_new(const struct door_output *output, struct intern *pool, uint32_t mhz,
		      uint64_t base);
void door_free(struct door *d);

/* Takes the next bytes of the connection. An error is the output's; what the door did wrong is in
 * "malformed", and no more bytes are wanted then. */
struct err *door_feed(struct door *d, const void *bytes, size_t size);

#endif
