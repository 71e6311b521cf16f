// SPDX-License-Identifier: GPL-2.0-only
#include "record_operations.h"
#include "paths.h"
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static struct err *add_target(struct operation_set *set, const struct target *t)
{
	struct err *e = NULL;

	for (size_t i = 0; i < t->events && !e; i++)
		e = operation_add(set, "", t->event[i], t->operation);
	return e ? err_within(e, "record: target %s", t->name) : NULL;
}

static struct err *read_target(struct operation_set *set, const char *name)
{
	struct paths paths = { 0 };
	struct target t;
	struct err *e = paths_find(&paths);

	if (!e)
		e = target_load(paths.targets, name, &t);
	if (!e) {
		e = add_target(set, &t);
		target_deinit(&t);
	}
	paths_deinit(&paths);
	return e;
}

bool record_operations_any(const struct record_operations *o)
{
	return o->targets.count || o->events.count;
}

struct err *record_operations(const struct record_operations *o, struct operation_set **set)
{
	struct err *e = NULL;

	*set = NULL;
	if (!record_operations_any(o))
		return NULL;
	*set = operation_new(now_ns);
	for (uint32_t i = 0; i < o->targets.count && !e; i++)
		e = read_target(*set, o->targets.item[i]);
	for (uint32_t i = 0; i < o->events.count && !e; i++) {
		e = operation_add(*set, "", o->events.item[i], NULL);
		if (e)
			err_within(e, "record");
	}
	if (!e)
		return NULL;
	operation_free(*set);
	*set = NULL;
	return e;
}

static struct err *say(void *context, const struct note *n)
{
	const struct note_operation *o = &n->operation;

	fprintf(stderr, "hitmap: counted %" PRIu64 " of %s", o->count, o->event);
	if (o->duration)
		fprintf(stderr, ", %.0f a second", o->count / (o->duration / 1e9));
	fputc('\n', stderr);
	return NULL;
}

void record_operations_say(const struct operation_set *set)
{
	if (set)
		err_free(operation_notes(set, say, NULL));
}
