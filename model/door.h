/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the front doors share: the connection to "hitmap record", the life of the model inside the
 * program, and the program's threads and maps as they are told to the other end.
 *
 *	program --accesses--> front door --> model --samples--> door --wire.h--> hitmap record
 *
 * A door lives in somebody else's process. It allocates with mmap() only, talks to the kernel by
 * syscall() so that no interposed function is met, uses no stdio, and never takes the program down:
 * when the other end is gone it stops modelling and the program runs on.
 */
#ifndef HITMAP_DOOR_H
#define HITMAP_DOOR_H

#include "wire.h"

#include <stddef.h>

struct door;

/* Where a modelled thread is, if not in its own code. In a call that waits, its signal handlers are
 * not modelled: whoever wakes it writes into its stream. */
enum { DOOR_INSIDE = 1, DOOR_IN_CALL };

/* One thread of the program; a front door keeps these zeroed and never gives their memory back. */
struct door_thread {
	struct model_thread *model; /* valid while "on" was seen after setting "inside" */
	uint32_t on;		    /* modelled; the door clears it when the model ends */
	uint32_t inside;	    /* DOOR_INSIDE, DOOR_IN_CALL or 0 */
	uint32_t number;	    /* the model's name for it: tids are not known early enough */
	struct model_thread *ready; /* placed in the model, has not run yet */
	struct door_thread *next;   /* of the door's list */
	uint32_t tid, parent_tid;
	bool listed;
};

/* A line of /proc/PID/maps. */
struct door_region {
	uint64_t start, end, offset, inode;
	uint32_t major, minor, prot, flags;
	const char *path; /* "" for anonymous memory */
};

/* Connects to the path "socket", says hello and waits for the configuration. NULL with errno. */
struct door *door_open(const char *socket, const char *name, const char *detail);
const struct model_config *door_config(const struct door *d);

/*
 * Starts the model if it does not run yet. In a forked child this opens the child's own connection.
 * False when the program cannot be modelled; the other end has been told why.
 */
bool door_begin(struct door *d);

/* Makes the connection of a forked child, which has none until it has something to say. */
bool door_reach(struct door *d);

/*
 * "parent" made thread "t" (NULL for the first one). Called by the parent, so that the child's
 * place in virtual time does not depend on the host. door_thread_run() is the first thing that the
 * thread itself does; it is not modelled before.
 */
void door_thread_start(struct door *d, struct door_thread *t, struct door_thread *parent);
void door_thread_run(struct door *d, struct door_thread *t);
void door_thread_end(struct door *d, struct door_thread *t);
/* A thread is not modelled for want of room: counts it, and tells the other end once. */
void door_thread_refuse(struct door *d);

/*
 * Replays what is left, sends the totals and closes. The threads are taken out of the model first;
 * the caller must not be inside. Only the first call does anything.
 */
void door_finish(struct door *d);

/* In the child of fork(): forgets the parent's model, threads and connection. Takes no lock. */
void door_forked(struct door *d);
bool door_is_forked(const struct door *d); /* this is a child that door_forked() has not seen */

void door_comm(struct door *d, uint32_t tid, const char *name);
void door_remark(struct door *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void door_map(struct door *d, const struct door_region *r);

/* What is mapped now belongs to the front door, not to the program. */
void door_maps_hide(struct door *d);
/* Sends what is mapped, not hidden and not sent yet. */
void door_maps_send(struct door *d);
/* The region that a line of /proc/PID/maps describes, NUL in the place of its line feed. */
bool door_region_parse(char *line, struct door_region *r);

/* Whether a read or a write of a file waits, and for whom. Keys are for model_wait(), model_wake().
 */
struct door_file {
	bool blocks;	     /* not ready now, and not a file on disk */
	uint64_t key, other; /* of this end and the other end of a pipe; 0: no pipe */
};
void door_file(int fd, bool reads, struct door_file *file);

/* Samples wait at most a fifth of a second when this is called now and then. */
void door_flush_old(struct door *d);
/* The connection's descriptor, which the program must not close; -1 when there is none. */
int door_descriptor(const struct door *d);
/* The program is about to close descriptor door_descriptor(): moves the connection away from it. */
void door_move(struct door *d);

/* Whether the thread is modelled and not inside the model already (a signal handler, our own
 * calls). */
static inline bool door_enter(struct door_thread *t)
{
	if (t->inside)
		return false;
	t->inside = DOOR_INSIDE;
	/* Against door_finish() the compiler's order is enough: it uses membarrier(). */
	__asm__ volatile("" ::: "memory");
	if (__builtin_expect(__atomic_load_n(&t->on, __ATOMIC_RELAXED), 1))
		return true;
	t->inside = 0;
	return false;
}

/* From inside into a call that waits, which door_leave() ends. */
static inline void door_leave_for_call(struct door_thread *t)
{
	__atomic_store_n(&t->inside, DOOR_IN_CALL, __ATOMIC_RELEASE);
}

static inline void door_leave(struct door_thread *t)
{
	__atomic_store_n(&t->inside, 0, __ATOMIC_RELEASE);
}

#endif
