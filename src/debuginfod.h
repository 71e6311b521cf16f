/* SPDX-License-Identifier: GPL-2.0-only */
/* Debug information from servers, by elfutils' own program, and only when the user asks for it. */
#ifndef HITMAP_DEBUGINFOD_H
#define HITMAP_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

#define DEBUGINFOD_PROGRAM "debuginfod-find"

/* The file with the debug information of the program that has this build id, in debuginfod's cache;
 * the caller's. NULL when no server has it. Asks servers, which may take a while:
 * debuginfod-find(1), DEBUGINFOD_URLS. */
char *debuginfod_fetch(const uint8_t *id, uint8_t size);

#endif
