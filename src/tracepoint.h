/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tracepoint tells, from its format in tracefs; the only file that includes libtraceevent is
 * tracepoint.c. */
#ifndef HITMAP_TRACEPOINT_H
#define HITMAP_TRACEPOINT_H

/* The fields of "system:event" that a filter can name: "sig, errno, code"; NULL when its format
 * cannot be read. The caller's. */
char *tracepoint_fields(const char *root, const char *name);

#endif
