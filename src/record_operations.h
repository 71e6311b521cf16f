/* SPDX-License-Identifier: GPL-2.0-only */
/* "hitmap record": the operations that --operation and --target name. */
#ifndef HITMAP_RECORD_OPERATIONS_H
#define HITMAP_RECORD_OPERATIONS_H

#include "err.h"
#include "operation.h"
#include "option.h"

struct record_operations {
	struct option_list targets; /* names or paths */
	struct option_list events;
};

bool record_operations_any(const struct record_operations *o);
/* "*set" is the caller's; NULL when nothing is to be counted. */
struct err *record_operations(const struct record_operations *o, struct operation_set **set);
/* Says the counts; "set" may be NULL. */
void record_operations_say(const struct operation_set *set);

#endif
