/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions on a diff, for --fail-on:
 *
 *	conditions = condition { "," condition }
 *	condition  = [ "field:" NAME | "object:" NAME ] metric ( ">" | "<" ) value
 *	metric     = "hitm" | "hitm_per_op" | "hitm_per_sec" | "cycles_per_op"
 *	value      = [ "+" | "-" ] number [ "%" ]
 *
 * With "%" the value is the change relative to before; with a sign alone the change itself; with
 * neither after's own figure. NAME ends at a space. "hitm" is in the unit of the diff.
 */
#ifndef HITMAP_THRESHOLD_H
#define HITMAP_THRESHOLD_H

#include "diff.h"

/* ERR_USAGE with the column of what is wrong. Nothing is looked up. */
struct err *threshold_check(const char *text);

/*
 * NULL: no condition came true. ERR_THRESHOLD names the first that did. ERR_FAILED: one cannot be
 * judged, as a side lacks what it asks for; that is no pass. A change of HITM counts only where it
 * is significant: noise fails no build.
 */
struct err *threshold_judge(const char *text, const struct diff *d);

#endif
