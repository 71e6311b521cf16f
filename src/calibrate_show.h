/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured, for people, for programs, and as a machine file of the model. */
#ifndef HITMAP_CALIBRATE_SHOW_H
#define HITMAP_CALIBRATE_SHOW_H

#include "calibrate.h"

#include <stdio.h>

void calibrate_show_text(FILE *out, const struct calibrate *c, bool unicode);
void calibrate_show_json(FILE *out, const struct calibrate *c);
/* "about": where and when, for the file's comment. */
void calibrate_show_machine(FILE *out, const struct calibrate *c, const char *about);

#endif
