/* SPDX-License-Identifier: GPL-2.0-only */
/* Who called the code of each cell, counted while samples come in. */
#ifndef HITMAP_CALLERS_H
#define HITMAP_CALLERS_H

#include "profile.h"

#define CALLERS_MOST   200000 /* pairs of a cell and a chain that are kept; others are not told */
#define CALLERS_FRAMES 32     /* of a chain, the innermost */

struct callers;

struct callers *callers_new(struct attrib *attrib);
void callers_free(struct callers *c);

/* "recording": has the chains that samples name. */
void callers_of(struct callers *c, const struct recording *recording);

/* Of a sample whose step is known. */
void callers_count(struct callers *c, uint32_t cell, const struct sample *s);

/* Adds those of a cell of the store to "to". */
void callers_take(const struct callers *c, uint32_t cell, struct cell *to);
void callers_drop(struct cell *from);

#endif
