/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's objects as notes of a recording, so that a report can name them anywhere. */
#ifndef HITMAP_RECORD_OBJECTS_H
#define HITMAP_RECORD_OBJECTS_H

#include "object_watch.h"

/* Objects of all tasks that are there now. When they cannot be looked for, a remark says why. */
struct err *record_objects(object_put put, void *to);

#endif
