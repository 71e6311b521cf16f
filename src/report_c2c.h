/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of "perf c2c report --stdio --no-source", section by section and figure by figure. */
#ifndef HITMAP_REPORT_C2C_H
#define HITMAP_REPORT_C2C_H

#include "c2c_count.h"

#include <stdio.h>

/* What lines are ranked by. */
struct c2c_display;

/* By perf's name: "tot", "rmt", "lcl" or "peer"; NULL is perf's own choice for the machine of the
 * recording. "recording" may be NULL where a name is given. Returns NULL when it is
 * not known. */
const struct c2c_display *c2c_display_find(const char *name, const struct recording *recording);

/* "all": also lines below a thousandth of what lines are ranked by. */
void report_c2c(FILE *out, const struct recording *recording, const struct c2c *c2c,
		struct attrib *attrib, const struct c2c_display *display, bool all);

#endif
