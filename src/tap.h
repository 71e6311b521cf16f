/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records a stream of perf.data (pipe form) while it passes, from any moment on: the file begins
 * with everything but samples that came before, so that it can be read by itself.
 */
#ifndef HITMAP_TAP_H
#define HITMAP_TAP_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tap;

struct tap *tap_new(void);
void tap_free(struct tap *t); /* ends a recording */

/* The next bytes of the stream. Errors in writing end the recording; tap_stop() tells. */
void tap_bytes(struct tap *t, const uint8_t *bytes, size_t size);

/* From now on into "path", which is replaced. */
struct err *tap_start(struct tap *t, const char *path);
bool tap_writes(const struct tap *t);
/* Ends the recording; the error that befell it. */
struct err *tap_stop(struct tap *t);

#endif
