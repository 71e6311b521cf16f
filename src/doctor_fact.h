/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts of doctor.h, and the readings that its sources are judged by. */
#ifndef HITMAP_DOCTOR_FACT_H
#define HITMAP_DOCTOR_FACT_H

#include "doctor.h"

#include <stdint.h>

void doctor_fact_all(const char *root, struct doctor *d);

/* The text of a file below the root; NULL when it cannot be read. The caller's. */
char *doctor_fact_text(const char *root, const char *path);

/* The value of the first line "key: value"; NULL when there is none. The caller's. */
char *doctor_fact_line(const char *root, const char *path, const char *key);

/* A whole word of the flags (Features on Arm) in /proc/cpuinfo. */
bool doctor_fact_flag(const char *root, const char *flag);

bool doctor_fact_filtered(const char *root);	   /* by seccomp */
bool doctor_fact_kallsyms(const char *root);	   /* with addresses */
const char *doctor_fact_tracefs(const char *root); /* its folder; NULL: none that can be read */

#endif
