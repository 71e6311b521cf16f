/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures as JSON. */
#ifndef HITMAP_FIGURE_JSON_H
#define HITMAP_FIGURE_JSON_H

#include "figure.h"
#include "json.h"

/* As the member "key"; a range also as KEY_low and KEY_high. Not known is null. */
void figure_put(struct json_writer *w, const char *key, enum figure_kind kind,
		const struct figure *f);

#endif
