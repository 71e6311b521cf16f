/* SPDX-License-Identifier: GPL-2.0-only */
/* What doctor.h found: for people, at most 100 columns wide, and as JSON. */
#ifndef HITMAP_DOCTOR_SHOW_H
#define HITMAP_DOCTOR_SHOW_H

#include "doctor.h"

#include <stdio.h>

void doctor_show_text(const struct doctor *d, FILE *out);
void doctor_show_json(const struct doctor *d, FILE *out);

#endif
