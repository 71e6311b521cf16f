/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of code that a program made while it ran, from the file perf-PID.map that Java, Node.js,
 * .NET and others write for perf: a line "START SIZE NAME" each, in hexadecimal. */
#ifndef HITMAP_JIT_MAP_H
#define HITMAP_JIT_MAP_H

#include "symtab.h"

struct jit_map;

/* NULL when it cannot be read. */
struct jit_map *jit_map_open(const char *path, struct intern *pool);
void jit_map_free(struct jit_map *j);

/* Code is thrown away and its place is used again: what the file says last holds. */
bool jit_map_find(const struct jit_map *j, uint64_t addr, struct symbol *sym);

#endif
