// SPDX-License-Identifier: GPL-2.0-only
#include "object_watch.h"
#include "map.h"
#include "mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MS 500
#define SELDOMER 10 /* times: the time to the next look */

struct object_watch {
	object_look look;
	object_put put;
	void *to;
	struct map told; /* hashes of objects */
	uint64_t next_ms;
	bool looking; /* the thread runs, or has ended and was not joined */
	bool done;    /* ... has ended */
	pthread_t thread;
	struct intern *pool; /* of what the look found */
	struct note *found;
	uint32_t count, room;
};

struct object_watch *object_watch_new(object_look look, object_put put, void *to)
{
	struct object_watch *w = mem_zalloc(sizeof(*w));

	w->look = look;
	w->put = put;
	w->to = to;
	w->next_ms = FIRST_MS;
	map_init(&w->told);
	return w;
}

static void forget(struct object_watch *w)
{
	intern_free(w->pool);
	free(w->found);
	w->pool = NULL;
	w->found = NULL;
	w->count = w->room = 0;
}

void object_watch_free(struct object_watch *w)
{
	if (!w)
		return;
	if (w->looking)
		pthread_join(w->thread, NULL);
	if (w->pool)
		forget(w);
	map_deinit(&w->told);
	free(w);
}

/* An object that is named anew is told again. */
static bool is_told(struct object_watch *w, const struct note_object *o)
{
	uint64_t hash = map_hash(o->addr ^ o->size << 48 ^ (uint64_t)o->pid << 16);
	bool fresh;

	for (const char *s = o->name; *s; s++)
		hash = map_hash(hash ^ (uint8_t)*s);
	map_put(&w->told, hash, 0, &fresh);
	return !fresh;
}

static struct err *tell(void *to, const struct note *n)
{
	struct object_watch *w = to;

	return n->kind == NOTE_OBJECT && is_told(w, &n->object) ? NULL : w->put(w->to, n);
}

struct err *object_watch_now(struct object_watch *w)
{
	return w->look(tell, w);
}

/* ---- On the thread */

/* Why nothing can be found was told by the first look. */
static struct err *keep(void *to, const struct note *n)
{
	struct object_watch *w = to;
	struct note copy = *n;

	if (n->kind != NOTE_OBJECT)
		return NULL;
	copy.object.type = intern_string(w->pool, n->object.type);
	copy.object.name = intern_string(w->pool, n->object.name);
	mem_grow(&w->found, &w->room, w->count);
	w->found[w->count++] = copy;
	return NULL;
}

static void *look(void *argument)
{
	struct object_watch *w = argument;

	err_free(w->look(keep, w));
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* ---- On the caller's */

static struct err *take(struct object_watch *w)
{
	struct err *e = NULL;

	pthread_join(w->thread, NULL);
	w->looking = false;
	for (uint32_t i = 0; i < w->count && !e; i++)
		e = tell(w, &w->found[i]);
	forget(w);
	return e;
}

struct err *object_watch_tick(struct object_watch *w, uint64_t ms)
{
	if (w->looking)
		return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE) ? take(w) : NULL;
	if (ms < w->next_ms)
		return NULL;
	w->next_ms = ms * SELDOMER;
	w->pool = intern_new();
	w->done = false;
	w->looking = !pthread_create(&w->thread, NULL, look, w);
	if (!w->looking)
		forget(w);
	return NULL;
}
