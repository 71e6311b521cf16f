/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of a heatmap: the CPUs that were seen on either side, node by node, as many to a
 * column as the room asks for; or the nodes.
 */
#ifndef HITMAP_AXIS_H
#define HITMAP_AXIS_H

#include "scene.h"

#define AXIS_NO_NODE UINT32_MAX

struct axis_cpu {
	uint32_t cpu, node, column;
};

struct axis_column {
	uint32_t first, last; /* CPUs */
	uint32_t node;
	uint32_t cpus;
};

struct axis {
	struct axis_cpu *cpus; /* by node, then number */
	uint32_t cpu_count;
	struct axis_column *columns;
	uint32_t count, nodes;
	uint32_t cell; /* how many characters each column takes */
	bool by_node;
	bool guessed; /* some counts were spread over the CPUs that took part */
};

/* "room": characters for a strip, its two edges and the lines between nodes among them. */
void axis_init(struct axis *a, const struct scene *s, uint32_t room);
void axis_deinit(struct axis *a);
/* Characters that a strip takes. */
uint32_t axis_width(const struct axis *a);

/* Puts the heat of a field on one side into "heat", which is empty, by column. */
void axis_add(struct axis *a, const struct scene *s, const struct paired_field *f, int side,
	      double *heat);

enum axis_kind { AXIS_HEAT, AXIS_DIFFERENCE };

uint32_t axis_strip(const struct axis *a, struct canvas *c, uint32_t x, uint32_t y,
		    const double *heat, double hottest, enum axis_kind kind);
/* What the columns are, above a strip. */
void axis_labels(const struct axis *a, struct canvas *c, uint32_t x, uint32_t y);
/* "each column: 2 CPUs" */
const char *axis_words(const struct axis *a, char text[FIGURE_TEXT_BYTES]);

#endif
