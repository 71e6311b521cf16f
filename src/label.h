/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names as a screen can show them. A name comes from a file and may hold anything: control
 * characters and bytes that are no UTF-8 become '?', and it is cut in the middle where it is too
 * long, since both ends of a C++ name tell more than what is between.
 */
#ifndef HITMAP_LABEL_H
#define HITMAP_LABEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LABEL_COLUMNS 200		      /* the widest label */
#define LABEL_BYTES   (4 * LABEL_COLUMNS + 1) /* enough for any */

/* Columns on the screen; each character of UTF-8 counts as one. */
uint32_t label_columns(const char *s);

/* "s" in at most "columns" columns; without "unicode" also free of anything but ASCII. Returns
 * "label". */
const char *label_fit(char label[LABEL_BYTES], const char *s, uint32_t columns, bool unicode);

/* Writes "s" in exactly "columns" columns, at most LABEL_COLUMNS. */
void label_put(FILE *out, const char *s, uint32_t columns, bool unicode);

#endif
