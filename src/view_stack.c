// SPDX-License-Identifier: GPL-2.0-only
#include "view_stack.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *frame_name(struct attrib *attrib, struct intern *pool,
			      const struct cell_frame *f)
{
	struct code_place p;

	memset(&p, 0, sizeof(p));
	attrib_code(attrib, f->code, f->ip, &p);
	if (p.function && *p.function)
		return p.function;
	if (p.file && *p.file)
		return intern_printf(pool, "%s+0x%llx", p.file,
				     (unsigned long long)p.function_offset);
	return intern_printf(pool, "0x%llx", (unsigned long long)f->ip);
}

static bool same_names(const struct view_stack *a, const struct view_stack *b)
{
	if (a->names != b->names)
		return false;
	for (uint32_t i = 0; i < a->names; i++)
		if (a->name[i] != b->name[i] && strcmp(a->name[i], b->name[i]) != 0)
			return false;
	return true;
}

/* Takes "stack", whose names are its own. */
static void take(struct view_stacks *s, struct view_stack *stack)
{
	counts_add(&s->all, &stack->counts);
	for (uint32_t i = 0; i < s->count; i++)
		if (same_names(&s->stack[i], stack)) {
			counts_add(&s->stack[i].counts, &stack->counts);
			free(stack->name);
			return;
		}
	mem_grow(&s->stack, &s->room, s->count);
	s->stack[s->count++] = *stack;
}

void view_stacks_add(struct view_stacks *s, struct attrib *attrib, struct intern *pool,
		     const struct cell *from)
{
	for (uint32_t i = 0; i < from->chains; i++) {
		const struct cell_chain *c = &from->chain[i];
		struct view_stack stack = { .names = c->frames, .counts = c->counts };

		stack.name = mem_zalloc((c->frames + 1) * sizeof(*stack.name));
		for (uint32_t k = 0; k < c->frames; k++)
			stack.name[k] = frame_name(attrib, pool, &c->frame[k]);
		take(s, &stack);
	}
}

void view_stacks_merge(struct view_stacks *to, struct view_stacks *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		take(to, &from->stack[i]);
	to->hidden += from->hidden;
	free(from->stack);
	*from = (struct view_stacks){ 0 };
}

static int compare(const void *a, const void *b)
{
	const struct view_stack *x = a, *y = b;
	int order = CMP(y->counts.latency_sum, x->counts.latency_sum);

	if (!order)
		order = CMP(y->counts.samples, x->counts.samples);
	if (!order)
		order = CMP(x->names, y->names);
	for (uint32_t i = 0; !order && i < x->names; i++)
		order = strcmp(x->name[i], y->name[i]);
	return order;
}

void view_stacks_sort(struct view_stacks *s, uint32_t most)
{
	if (s->count)
		qsort(s->stack, s->count, sizeof(*s->stack), compare);
	for (; s->count > most; s->hidden++)
		free(s->stack[--s->count].name);
}

void view_stacks_deinit(struct view_stacks *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->stack[i].name);
	free(s->stack);
	*s = (struct view_stacks){ 0 };
}

char *view_stack_text(const struct view_stack *s)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		mem_exhausted();
	for (uint32_t i = 0; i < s->names; i++)
		fprintf(f, "%s%s", i ? " < " : "", s->name[i]);
	if (fclose(f))
		mem_exhausted();
	return text;
}

double view_stack_share(const struct view_stacks *s, const struct view_stack *stack)
{
	if (s->all.latency_sum)
		return (double)stack->counts.latency_sum / s->all.latency_sum;
	return (double)stack->counts.samples / (s->all.samples ?: 1);
}
