/* SPDX-License-Identifier: GPL-2.0-only */
/* The callers of code that a report shows, with names. */
#ifndef HITMAP_VIEW_STACK_H
#define HITMAP_VIEW_STACK_H

#include "profile.h"

/* Calls that lead to one place in the code. */
struct view_stack {
	const char **name; /* the innermost caller first */
	uint32_t names;
	struct counts counts;
};

struct view_stacks {
	struct view_stack *stack; /* the most costly first, once they are sorted */
	uint32_t count, room;
	uint32_t hidden;
	struct counts all; /* of the hidden ones, too */
};

/* Adds those of a cell; names go to "pool". */
void view_stacks_add(struct view_stacks *s, struct attrib *attrib, struct intern *pool,
		     const struct cell *from);
void view_stacks_merge(struct view_stacks *to, struct view_stacks *from); /* "from" is empty then */
/* Puts them in order and hides all but "most". */
void view_stacks_sort(struct view_stacks *s, uint32_t most);
void view_stacks_deinit(struct view_stacks *s);

/* "push < worker < start_thread"; "" for code that nothing calls. The caller's. */
char *view_stack_text(const struct view_stack *s);
/* Its part of all in "s", 0..1: of the cycles, without these of the samples. */
double view_stack_share(const struct view_stacks *s, const struct view_stack *stack);

#endif
