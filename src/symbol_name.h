/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of symbols as their authors wrote them; the only file that includes libiberty is
 * symbol_name.c. */
#ifndef HITMAP_SYMBOL_NAME_H
#define HITMAP_SYMBOL_NAME_H

#include "intern.h"

#include <stdbool.h>

/* "raw" demangled (C++, Rust) and without what compilers append to copies; interned. "parameters":
 * with those of a C++ function. */
const char *symbol_name(struct intern *pool, const char *raw, bool parameters);

#endif
