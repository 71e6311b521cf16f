/* SPDX-License-Identifier: GPL-2.0-only */
/* Modelled machines: configs/machines/NAME.conf. */
#ifndef HITMAP_MACHINE_H
#define HITMAP_MACHINE_H

#include "err.h"
#include "model.h"

/*
 * Reads machine "name" from "folder", or the file itself when "name" has a slash. "cpus": use only
 * so many of its CPUs, in order of placement; 0 for all. Errors name the file, the line and the
 * reason.
 */
struct err *machine_load(const char *folder, const char *name, uint32_t cpus,
			 struct model_machine *machine);

/* The names in "folder", sorted, for messages: "cascadelake-2s-192t, small"; to be freed. */
char *machine_names(const char *folder);

#endif
