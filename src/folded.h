/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folded stacks, which flame graph programs read: "frame;frame;frame count" a line. A profile keeps
 * no callchains: the frames are those of the data, from object to field to code.
 */
#ifndef HITMAP_FOLDED_H
#define HITMAP_FOLDED_H

#include <stdio.h>

/* A frame, and ";" before all but the first: what would end a frame or the line becomes '_'. */
void folded_frame(FILE *out, const char *name, int at);

#endif
